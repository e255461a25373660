/* --record: each request as a capture record. --report: what came of the checks, for CI systems. */
#include "base/clock.h"
#include "cmd/probe/probe.h"
#include "deliver/job.h"

#include <string.h>

int test_files_open(struct test_run *run, struct error *err)
{
	const struct test_args *a = run->args;
	struct capture_opened opened;
	if (report_files_open(&run->reports, run->context, &a->reports, run->context->in_use, a->record, err) < 0)
		return -1;
	if (!a->record)
		return 0;
	run->writer = capture_writer_open(a->record, CAPTURE_SYNC_NONE, &opened, err);
	return run->writer ? 0 : -1;
}

/* The path and query of a URL. */
static const char *target_of(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;
	return path ? path : "/";
}

/* Of the headers only the payload's own: others may hold secrets. */
void test_files_add(struct test_run *run, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	const char *url = job->url.length > 0 ? buffer_text(&job->url) : run->route.http.url;
	const char *type = job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
	struct header header = { text_of("Content-Type"), text_of(type) };
	struct capture_record record = {
		.received_us = clock_realtime_us(),
		.remote = text_of(""),
		.request = { .method = text_of(d->method ? d->method : "POST"),
		             .target = text_of(target_of(url)),
		             .headers = &header,
		             .header_count = 1,
		             .body = { buffer_text(&job->body), job->body.length } },
		.status = d->status,
	};
	if (job->name[0])
		record.event = text_of(job->name);
	if (d->status == 0)
		record.fault = text_of("no response");
	if (!run->writer || run->failed.code != EXIT_CODE_OK)
		return;
	capture_writer_add(run->writer, &record);
	capture_writer_commit(run->writer, &run->failed);
}

/* A warning, and a failure that does not make the run one, are passed with a message. */
static enum report_verdict verdict_of(const struct test_run *run, const struct probe_check *check)
{
	bool counts = check->row->level == PROBE_MUST || run->args->strict;
	if (check->result.verdict == PROBE_SKIP)
		return REPORT_SKIPPED;
	return check->result.verdict == PROBE_FAIL && counts ? REPORT_FAILED : REPORT_PASSED;
}

void test_files_check(struct test_run *run, const struct probe_check *check)
{
	LOCAL_BUFFER words = BUFFER_INIT, retry = BUFFER_INIT;
	enum probe_verdict verdict = check->result.verdict;
	if (run->args->reports.count == 0)
		return;
	test_append_outcome(&words, check);
	if (check->result.fix)
		buffer_printf(&words, "; %s", check->result.fix);
	if (verdict == PROBE_WARN || verdict == PROBE_FAIL) {
		buffer_append_text(&retry, "retry: ");
		test_append_retry(&retry, run, check);
	}
	report_files_case(&run->reports, &(struct report_case){ .group = check->row->group,
	                                                        .name = check->id,
	                                                        .verdict = verdict_of(run, check),
	                                                        .type = probe_level_names[check->row->level],
	                                                        .message = buffer_text(&words),
	                                                        .details = buffer_text(&retry),
	                                                        .ns = check->result.ns });
}

int test_files_finish(struct test_run *run, int code, struct error *err)
{
	if (code >= 0 && run->failed.code != EXIT_CODE_OK) {
		*err = run->failed;
		code = -1;
	}
	return report_files_finish(&run->reports, code, run->context->terminal, err);
}

void test_files_release(struct test_run *run)
{
	struct error unused;
	report_files_release(&run->reports);
	capture_writer_close(run->writer, &unused);
}
