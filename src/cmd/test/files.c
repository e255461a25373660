/* --record: each request as a capture record. --report: what came of the checks, for CI systems. */
#include "cmd/files.h"

#include "base/clock.h"
#include "capture/replace.h"
#include "cmd/test/test.h"
#include "deliver/job.h"
#include "report/check_report.h"

#include <stdlib.h>
#include <string.h>

int test_files_open(struct test_run *run, struct error *err)
{
	const struct test_args *a = run->args;
	struct capture_opened opened;
	for (size_t i = 0; i < a->reports.count; i++)
		if (strcmp(a->reports.list[i].path, "-") != 0 &&
		    replace_check(a->reports.list[i].path, run->context->in_use, err) < 0)
			return -1;
	if (!a->record)
		return 0;
	run->writer = capture_writer_open(a->record, CAPTURE_SYNC_NONE, &opened, err);
	return run->writer ? 0 : -1;
}

static struct capture_text text_of(const char *text)
{
	return (struct capture_text){ text, strlen(text) };
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
	const char *url = job->url.length > 0 ? buffer_text(&job->url) : run->plan.http.url;
	const char *type = job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
	struct capture_header header = { text_of("Content-Type"), text_of(type) };
	struct capture_record record = {
		.received_us = clock_realtime_us(),
		.remote = text_of(""),
		.method = text_of(d->method ? d->method : "POST"),
		.target = text_of(target_of(url)),
		.headers = &header,
		.header_count = 1,
		.body = { buffer_text(&job->body), job->body.length },
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

static enum report_check_verdict report_verdict(enum probe_verdict verdict)
{
	static const enum report_check_verdict verdicts[PROBE_VERDICTS] = { [PROBE_OK] = REPORT_CHECK_PASSED,
		                                                            [PROBE_WARN] = REPORT_CHECK_PASSED,
		                                                            [PROBE_FAIL] = REPORT_CHECK_FAILED,
		                                                            [PROBE_SKIP] = REPORT_CHECK_SKIPPED };
	return verdicts[verdict];
}

static void append_report(struct test_run *run, bool tap, struct buffer *out)
{
	struct report_check_suite suite = { .tap = tap };
	for (size_t i = 0; i < run->ended_count; i++) {
		const struct probe_check *check = run->ended[i];
		struct buffer words = BUFFER_INIT;
		test_append_outcome(&words, check);
		if (check->result.fix)
			buffer_printf(&words, "; %s", check->result.fix);
		bool counts = check->row->level == PROBE_MUST || run->args->strict;
		struct report_check c = { check->row->group,
			                  check->id,
			                  probe_level_names[check->row->level],
			                  report_verdict(check->result.verdict),
			                  buffer_text(&words),
			                  check->result.ns };
		if (c.verdict == REPORT_CHECK_FAILED && !counts)
			c.verdict = REPORT_CHECK_PASSED;
		report_check_add(&suite, &c);
		buffer_release(&words);
	}
	report_check_end(&suite, out);
}

int test_files_finish(struct test_run *run, struct error *err)
{
	int result = 0;
	for (size_t i = 0; result == 0 && i < run->args->reports.count; i++) {
		const struct test_report *report = &run->args->reports.list[i];
		struct buffer out = BUFFER_INIT;
		append_report(run, report->tap, &out);
		if (strcmp(report->path, "-") == 0)
			terminal_write(run->context->terminal, buffer_text(&out), out.length);
		else
			result = file_write_whole(report->path, buffer_text(&out), out.length, run->context->in_use,
			                          err);
		buffer_release(&out);
	}
	if (result == 0 && run->failed.code != EXIT_CODE_OK) {
		*err = run->failed;
		return -1;
	}
	return result;
}

void test_files_release(struct test_run *run)
{
	struct error unused;
	capture_writer_close(run->writer, &unused);
}
