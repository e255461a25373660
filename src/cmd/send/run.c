#include "base/clock.h"
#include "base/worker_pool.h"
#include "capture/replace.h"
#include "cmd/send/send.h"
#include "cmd/words/notes.h"
#include "http/head.h"
#include "redact/redact.h"
#include "ui/progress.h"

#include <string.h>

int send_run_init(struct send_run *run, struct error *err)
{
	const struct send_options *o = run->options;
	if (o->results && strcmp(o->results, "-") == 0 && run->context->global->json) {
		error_set(err, EXIT_CODE_USAGE, "--results - and --json both write to stdout");
		return error_hint(err, "write the results to a file, or leave --json out: they are JSON, too");
	}
	if (!o->resume || !o->results || strcmp(o->resume, o->results) == 0)
		return route_init(&run->route, &o->route, run->context, err);
	error_set(err, EXIT_CODE_USAGE, "--resume adds to '%s', so --results cannot be '%s'", o->resume, o->results);
	return error_hint(err, "leave out --results");
}

void send_run_release(struct send_run *run)
{
	inputs_release(&run->inputs);
	journal_close(run->journal);
	report_files_release(&run->reports);
	route_release(&run->route);
}

/* The Host (HTTP/2: :authority), or what a proxy in front has added. */
static bool names_origin(const struct header *header)
{
	static const char *const names[] = { "Host", ":authority", "X-Forwarded-Host", "X-Original-Host", "Forwarded" };
	bool is_one = false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		is_one |= header_is(header, names[i]);
	return is_one;
}

int send_run_check_origin(struct send_run *run, const struct capture_record *record, struct error *err)
{
	const struct config *config = &run->route.config;
	const struct destination *to = &run->route.destination;
	const struct config_environment *e = NULL;
	bool is_redacted = record->redacted.text && redact_is_stamp(record->redacted.text, record->redacted.length);
	run->has_people |= !is_redacted;
	if (run->options->allow_unredacted || is_redacted || !guard_is_set(config))
		return 0;
	/* Where it was sent is in the target of an absolute URL, or in one of these. */
	if (record->request.target.length > 0 && record->request.target.text[0] != '/')
		e = guard_of_origin(config, to, record->request.target.text, record->request.target.length);
	for (size_t i = 0; i < record->request.header_count && !e; i++) {
		const struct header *h = &record->request.headers[i];
		if (names_origin(h))
			e = guard_of_origin(config, to, h->value.text, h->value.length);
	}
	if (!e)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "it was sent to the protected environment '%s' and is not redacted", e->name);
	return error_hint(err, "redact the capture with 'convert --redact', or add --allow-unredacted if you mean it");
}

static void write_results(void *context, const char *text, size_t length)
{
	struct context *c = context;
	terminal_write(c->terminal, text, length);
}

static void on_journal_notice(void *context, const struct journal_notice *n)
{
	const struct context *c = context;
	struct terminal *t = c->terminal;
	switch (n->type) {
	case JOURNAL_BAD_LINES:
		terminal_warn(t, "'%s': %s torn or not results, the first at line %llu: ignored", n->path,
		              COUNT_TEXT(n->count), (unsigned long long)n->record);
		break;
	case JOURNAL_WAS_IN_FLIGHT:
		terminal_announce(t, "in flight when the run was cut off, so its outcome is unknown: %s:%llu",
		                  n->input ? input_name(n->input) : "(made)", (unsigned long long)n->record);
		break;
	case JOURNAL_IN_FLIGHT_COUNT:
		terminal_announce(t, "%s may have been delivered; %s", COUNT_TEXT(n->count),
		                  n->again ? "sent again"
		                           : "not sent again: --failed-only with --retry-unknown sends them");
		break;
	case JOURNAL_NOT_TRUSTED:
		terminal_warn(
		        t, "'%s' belongs to an unfinished run, and '%s.inflight' %s: what was in flight is not certain",
		        n->path, n->path, n->doubt);
		break;
	case JOURNAL_LOST_LINES:
		terminal_warn(t, "%s of the lines of '%s' %s missing: what %s sent is not certain",
		              COUNT_TEXT(n->count), n->path, n->count == 1 ? "is" : "are",
		              n->count == 1 ? "it says was" : "they say was");
		break;
	}
}

/* Adds the name of results, and that of their marks; neither file may be there yet. */
static int add_results(struct source_files *files, const char *results, struct error *err)
{
	LOCAL_BUFFER marks = BUFFER_INIT;
	if (!results)
		return 0;
	buffer_printf(&marks, "%s" MARKS_NAME_END, results);
	if (marks.failed)
		return error_no_memory(err);
	return source_files_add_path(files, results, err) < 0 ? -1 : source_files_add_path(files, marks.data, err);
}

/* What nobody may replace: what the run reads. */
static struct source_files files_read(const struct send_run *run)
{
	struct source_files read = run->inputs.files;
	read.also_in_use = run->context->in_use;
	return read;
}

static int check_reports(const struct send_run *run, bool results_to_stdout, struct error *err)
{
	const struct send_options *o = run->options;
	const char *other = run->context->global->json ? "--json" : results_to_stdout ? "--results" : NULL;
	const struct source_files read = files_read(run);
	LOCAL(source_files_release) struct source_files in_use = { .also_in_use = &read };
	if (add_results(&in_use, o->results, err) < 0 || add_results(&in_use, o->resume, err) < 0 ||
	    add_results(&in_use, o->failed_only, err) < 0)
		return -1;
	return report_requests_check(&o->reports, other, &in_use, err);
}

/* What may be there the journal knows, and what is continued it has read. */
static int check_results(const struct send_run *run, struct error *err)
{
	const char *path = run->options->results;
	const struct source_files read = files_read(run);
	if (!path || strcmp(path, "-") == 0 || run->options->resume)
		return 0;
	return output_check_plain(path, err) < 0 ? -1 : replace_check_in_use(path, &read, err);
}

int send_run_open(struct send_run *run, const char *selection, struct seed *seed, struct error *err)
{
	const struct send_options *o = run->options;
	const char *results = o->resume ? o->resume : o->results;
	bool results_to_stdout = results && strcmp(results, "-") == 0;
	struct journal_options options = {
		.results = o->results,
		.resume = o->resume,
		.failed_only = o->failed_only,
		.selection = selection,
		.seed = seed,
		.retry_unknown = o->retry_unknown,
		.read_only = o->dry_run != DRY_RUN_OFF,
		.has_inputs = run->files->count > 0,
		.signals = run->context->signals,
		.notice = on_journal_notice,
		.write = write_results,
		.context = run->context,
	};
	if (check_reports(run, results_to_stdout, err) < 0 || journal_open(&run->journal, &options, err) < 0 ||
	    check_results(run, err) < 0)
		return -1;
	run->context->reports = &run->reports;
	return report_files_open(&run->reports, run->context, &o->reports, err);
}

enum job_got send_run_refuse(const struct send_run *run, const struct capture_item *item, struct error *err)
{
	const struct error why = *err;
	error_set(err, why.code, "%s:%zu: %s", input_name(run->inputs.reader.path), item->line, why.message);
	if (why.hint[0])
		error_hint(err, "%s", why.hint);
	err->asks = why.asks;
	return JOB_FAILED;
}

static struct deliver_policy policy_of(const struct send_run *run, const struct deliver_options *http)
{
	const struct send_options *o = run->options;
	struct error unused;
	/* A thread pays from about eight deliveries at once on, where the machine has another processor for it. */
	uint64_t threads = o->concurrency / 8, most = threads > 1 ? worker_pool_threads("") : 1;
	struct deliver_policy policy = {
		.concurrency = (unsigned)o->concurrency,
		.threads = (unsigned)(threads < most ? threads : most),
		.interval_ns = o->interval_ns,
		.expected = o->expect_status.set,
		.expect_within_ns = o->expect_within,
		.retry = { .attempts = o->retry, .delay_ns = o->retry_delay, .unknown = o->retry_unknown },
		.gives_up_at = o->max_failures + 1, /* unlimited: 0 */
		.http = http,
		.journal = run->journal,
		.signals = run->context->signals,
	};
	if (!o->expect_status.text)
		status_set_parse(&policy.expected, SEND_EXPECTED_DEFAULT, &unused);
	return policy;
}

static int wait_fd(void *context)
{
	const struct send_run *run = context;
	return source_fd(run->inputs.reader.source);
}

int send_run_deliver(struct send_run *run, struct error *err)
{
	struct terminal *terminal = run->context->terminal;
	bool is_dry = run->options->dry_run != DRY_RUN_OFF;
	input_notes_show(terminal, &run->inputs.files);
	if (!is_dry)
		route_note(&run->route, terminal);
	run->inputs.needs_bodies = true;
	run->inputs.no_wait = !is_dry;
	if (is_dry)
		return send_dry_run(run, err);
	if (route_wait(&run->route, run->options->route.wait, run->context, err) < 0)
		return -1;
	const char *results = run->options->results;
	struct deliver_options http = run->route.http;
	struct deliver_policy policy = policy_of(run, &http);
	struct send_report report = { .run = run };
	struct job_source source = { run->next, wait_fd, run };
	struct delivery_observer observer = send_report_observer(&report);
	struct delivery_result result = { 0 };
	http.keep_trace = terminal->verbose && !run->context->global->json;
	report.silent = (results && strcmp(results, "-") == 0) || report_requests_stdout(&run->options->reports);
	progress_start(&report.progress, terminal, clock_monotonic_ns());
	int code = run_deliveries(&policy, &source, &observer, &result, err);
	progress_stop(&report.progress);
	send_causes_find(&report.causes);
	send_summary_end(&report, &result, code < 0 ? err : NULL);
	if (run->reports.page && result.counts.ended_ns > 0)
		send_page_fill(run->reports.page, &report, &result.counts);
	if (code == 0)
		code = (int)counts_exit_code(&result.counts);
	buffer_release(&report.out);
	send_reasons_release(&report.reasons);
	send_causes_release(&report.causes);
	return code;
}
