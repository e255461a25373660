#include "cmd/send/run.h"

#include "base/clock.h"
#include "cmd/notes.h"
#include "redact/redact.h"
#include "ui/progress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* What is reported reaches a pipe after this time at the latest: whoever reads it may be acting on each line. */
#define FLUSH_EVERY (CLOCK_NS_PER_S / 200)

int send_run_init(struct send_run *run, struct context *context, const struct send_options *o, struct error *err)
{
	run->context = context;
	run->options = o;
	if (!o->resume || !o->results || strcmp(o->resume, o->results) == 0)
		return route_init(&run->route, &o->route, context, err);
	error_set(err, EXIT_CODE_USAGE, "--resume adds to '%s', so --results cannot be '%s'", o->resume, o->results);
	return error_hint(err, "leave out --results");
}

void send_run_release(struct send_run *run)
{
	journal_close(run->journal);
	report_files_release(run->reports);
	route_release(&run->route);
}

/* Where a record was sent is in its Host, in the target of an absolute URL, or in what a proxy in front has added. */
static bool names_host(const struct header *h)
{
	static const char *const names[] = { "Host", "X-Forwarded-Host", "Forwarded" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (h->name.length == strlen(names[i]) && strncasecmp(h->name.text, names[i], h->name.length) == 0)
			return true;
	return false;
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
	if (record->request.target.length > 0 && record->request.target.text[0] != '/')
		e = guard_of_origin(config, to, record->request.target.text, record->request.target.length);
	for (size_t i = 0; i < record->request.header_count && !e; i++)
		if (names_host(&record->request.headers[i]))
			e = guard_of_origin(config, to, record->request.headers[i].value.text,
			                    record->request.headers[i].value.length);
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
		                  n->input ? n->input : "(made)", (unsigned long long)n->record);
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
	}
}

int send_run_open(struct send_run *run, const struct inputs *inputs, const char *selection, uint64_t *seed,
                  struct error *err)
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
		.signals = run->context->signals,
		.notice = on_journal_notice,
		.write = write_results,
		.context = run->context,
	};
	const char *other = run->context->global->json ? "--json" : results_to_stdout ? "--results" : NULL;
	struct source_files given = inputs->files; /* and what nobody may replace */
	given.also_in_use = run->context->in_use;
	if (report_requests_check(&o->reports, other, err) < 0 || journal_open(&run->journal, &options, err) < 0)
		return -1;
	run->context->reports = run->reports;
	return report_files_open(run->reports, run->context, &o->reports, &given, results_to_stdout ? NULL : results,
	                         err);
}

int send_run_refuse(const struct inputs *inputs, const struct capture_item *item, struct error *err)
{
	const struct error why = *err;
	error_set(err, why.code, "%s:%zu: %s", inputs->name, item->line, why.message);
	return why.hint[0] ? error_hint(err, "%s", why.hint) : -1;
}

int send_run_report_past(const struct send_run *run, uint64_t missing, bool needs_all, int code)
{
	const struct send_options *o = run->options;
	struct terminal *t = run->context->terminal;
	const char *results = o->failed_only ? o->failed_only : o->resume;
	const uint64_t *skipped = journal_skipped(run->journal);
	uint64_t failed = skipped[JOURNAL_FINISHED] > 0 ? journal_not_accepted(run->journal) : 0;
	if (skipped[JOURNAL_ACCEPTED] > 0)
		terminal_note(t, "skipped %s accepted according to '%s'", COUNT_TEXT(skipped[JOURNAL_ACCEPTED]),
		              results);
	if (skipped[JOURNAL_UNKNOWN] > 0)
		terminal_announce(t, "skipped %s unknown according to '%s': --retry-unknown sends them again",
		                  COUNT_TEXT(skipped[JOURNAL_UNKNOWN]), results);
	if (skipped[JOURNAL_NOT_FINISHED] > 0)
		terminal_announce(t, "skipped %s not finished according to '%s': --resume instead sends them",
		                  COUNT_TEXT(skipped[JOURNAL_NOT_FINISHED]), results);
	if (skipped[JOURNAL_FINISHED] > 0)
		terminal_note(t, "skipped %s already finished according to '%s'", COUNT_TEXT(skipped[JOURNAL_FINISHED]),
		              o->resume);
	if (failed > 0)
		terminal_announce(t,
		                  "%s of '%s' were not accepted: --failed-only instead sends them again, with "
		                  "--retry-unknown the unknown ones too",
		                  COUNT_TEXT(failed), o->resume);
	/* Which makes the whole no success. */
	if ((failed > 0 || skipped[JOURNAL_UNKNOWN] > 0) && o->dry_run == DRY_RUN_OFF)
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
	if (missing > 0)
		terminal_announce(t, "%s of the records of '%s' are not in the inputs", COUNT_TEXT(missing), results);
	if (missing == 0 || !needs_all)
		return code;
	/* What else their files hold was not sent either. */
	terminal_announce(t, "hint: name the files that have them too, by the names they have now");
	return (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
}

static bool on_attempt(void *context, const struct job *job)
{
	struct send_report *r = context;
	send_report_attempt(r, job);
	if (job->final)
		send_report_case(r, job, false);
	return !terminal_is_closed(r->run->context->terminal) || !(r->run->context->global->json || r->silent);
}

static void on_given_up(void *context, const struct job *job, bool in_flight)
{
	struct send_report *r = context;
	send_report_given_up(r, job, in_flight);
	send_report_case(r, job, in_flight);
}

static void on_interrupted(void *context, size_t in_flight)
{
	const struct send_report *r = context;
	interrupted_note(r->run->context->terminal, in_flight);
}

/* Where the source has ended, all was handed out, whether its length is known or not; some of that is not over. */
static double fraction_done(const struct send_report *r, const struct delivery_state *state)
{
	const struct send_source *source = r->source;
	uint64_t over = counts_total(state->counts);
	if (state->stopping)
		return PROGRESS_UNKNOWN;
	if (source->total > 0)
		return progress_fraction(over, source->total);
	double handed_out = state->exhausted ? 1 : source->fraction(source->jobs.context);
	return handed_out > 0 ? handed_out * progress_fraction(over, over + state->under_way) : handed_out;
}

/* At once where somebody looks on or waits for the line, or may end this with a second signal; else in blocks, every
 * few milliseconds. */
static int64_t on_turn_end(void *context, const struct delivery_state *state)
{
	struct send_report *r = context;
	struct terminal *t = r->run->context->terminal;
	bool at_once =
	        t->out_is_tty || r->run->options->concurrency == 1 || state->waiting || state->counts->interrupted;
	int64_t due = 0;
	if (state->in_flight > 0)
		send_report_begin(r);
	if (r->progress.due_ns > 0 && r->progress.due_ns <= state->now_ns) {
		const struct delivery_counts *c = state->counts;
		uint64_t over = counts_total(c);
		LOCAL_BUFFER words = BUFFER_INIT;
		if (over == 0 && state->in_flight == 0)
			progress_restart(&r->progress, state->now_ns);
		buffer_printf(&words, "%s", COUNT_TEXT(over));
		if (r->source->total > 0)
			buffer_printf(&words, " of %s", COUNT_TEXT(r->source->total));
		buffer_printf(&words, " done, %s not accepted", COUNT_TEXT(counts_failures(c)));
		progress_display(&r->progress, buffer_text(&words), fraction_done(r, state), c->attempts,
		                 state->now_ns);
	}
	if (at_once || state->now_ns - r->flushed_ns >= FLUSH_EVERY) {
		terminal_flush(t);
		progress_redraw(&r->progress);
		r->flushed_ns = state->now_ns;
	} else {
		due = r->flushed_ns + FLUSH_EVERY;
	}
	return due == 0 || (r->progress.due_ns > 0 && r->progress.due_ns < due) ? r->progress.due_ns : due;
}

/* A thread pays from about eight deliveries at once on. */
static unsigned choose_threads(const struct send_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t wanted = options->concurrency / 8;
	if (options->concurrency < 16 || processors < 2)
		return 1;
	return wanted < (uint64_t)processors ? (unsigned)wanted : (unsigned)processors;
}

static struct deliver_policy policy_of(const struct send_run *run, const struct deliver_options *http)
{
	const struct send_options *o = run->options;
	struct error unused;
	struct deliver_policy policy = {
		.concurrency = (unsigned)o->concurrency,
		.threads = choose_threads(o),
		.interval_ns = o->interval_ns,
		.expected = o->expect_status.set,
		.expect_within_ns = o->expect_within,
		.retry = { o->retry, o->retry_delay, o->retry_unknown },
		.gives_up_at = o->max_failures + 1, /* unlimited: 0 */
		.http = http,
		.journal = run->journal,
		.signals = run->context->signals,
	};
	if (!o->expect_status.text)
		status_set_parse(&policy.expected, SEND_EXPECTED_DEFAULT, &unused);
	return policy;
}

static void report_end(const struct send_report *r, const struct delivery_result *result, const struct error *err)
{
	terminal_flush(r->run->context->terminal);
	if (result->counts.ended_ns == 0)
		return;
	send_report_summary(r, &result->counts);
	send_page_end(r, &result->counts);
	if (result->rest && !(err && err->code == EXIT_CODE_USAGE))
		send_report_rest(r);
	else if (result->unsent && !err)
		send_report_unsent(r, &result->counts);
}

int send_run_deliver(const struct send_run *run, const struct send_source *source, struct error *err)
{
	if (run->options->dry_run != DRY_RUN_OFF)
		return send_dry_run(run, &source->jobs, true, err);
	if (route_wait(&run->route, run->options->route.wait, run->context, err) < 0)
		return -1;
	struct terminal *terminal = run->context->terminal;
	const char *results = run->options->results;
	struct deliver_options http = run->route.http;
	struct deliver_policy policy = policy_of(run, &http);
	struct send_report report = { .run = run, .source = source };
	struct delivery_observer observer = { on_attempt, on_interrupted, on_turn_end, on_given_up, &report };
	struct delivery_result *result = calloc(1, sizeof *result);
	if (!result)
		return error_no_memory(err);
	http.keep_trace = terminal->verbose && !run->context->global->json;
	report.silent = (results && strcmp(results, "-") == 0) || report_requests_stdout(&run->options->reports);
	progress_start(&report.progress, terminal, clock_monotonic_ns());
	int code = run_deliveries(&policy, &source->jobs, &observer, result, err);
	progress_stop(&report.progress);
	report_end(&report, result, code < 0 ? err : NULL);
	if (code == 0)
		code = (int)counts_exit_code(&result->counts);
	send_report_release(&report);
	free(result);
	return code;
}
