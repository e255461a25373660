#include "cmd/send/run.h"

#include "base/clock.h"
#include "cmd/send/cases.h"
#include "cmd/send/report.h"
#include "ui/progress.h"

#include <stdlib.h>
#include <string.h>

/* What is reported reaches a pipe after this time at the latest: whoever reads it may be acting on each line. */
#define FLUSH_EVERY (CLOCK_NS_PER_S / 200)

/* Observes a run. */
struct delivery_watch {
	struct context *context;
	const struct delivery_plan *plan;
	const struct delivery_source *source;
	struct delivery_report report;
	struct progress progress;
	int64_t flushed_ns;
};

static bool on_attempt(void *context, const struct job *job)
{
	struct delivery_watch *w = context;
	report_attempt(&w->report, job);
	if (job->final)
		delivery_cases_add(w->plan->cases, job, false);
	return !terminal_is_closed(w->context->terminal) || !(w->context->global->json || w->report.silent);
}

static void on_given_up(void *context, const struct job *job, bool in_flight)
{
	struct delivery_watch *w = context;
	report_given_up(&w->report, job, in_flight);
	delivery_cases_add(w->plan->cases, job, in_flight);
}

static void on_notice(void *context, enum delivery_notice notice, const struct delivery_state *state)
{
	const struct delivery_watch *w = context;
	switch (notice) {
	case DELIVERY_INTERRUPTED:
		terminal_flush(w->context->terminal); /* a second one would lose it */
		if (state->in_flight > 0)
			terminal_note(w->context->terminal,
			              "interrupted: waiting for %zu in flight; Ctrl-C again aborts", state->in_flight);
		break;
	}
}

/* Of what was handed out some is not over. Where the source has ended, all is handed out, be its length known or not.
 */
static double fraction_done(const struct delivery_watch *w, const struct delivery_state *state)
{
	const struct delivery_source *source = w->source;
	uint64_t over = counts_total(state->counts);
	if (state->stopping)
		return PROGRESS_UNKNOWN;
	if (source->total > 0)
		return progress_fraction(over, source->total);
	double handed_out = state->exhausted ? 1 : source->fraction(source->jobs.context);
	return handed_out > 0 ? handed_out * progress_fraction(over, over + state->under_way) : handed_out;
}

static void show_progress(struct delivery_watch *w, const struct delivery_state *state)
{
	const struct delivery_counts *c = state->counts;
	uint64_t over = counts_total(c);
	LOCAL_BUFFER words = BUFFER_INIT;
	if (over == 0 && state->in_flight == 0)
		progress_restart(&w->progress, state->now_ns);
	buffer_printf(&words, "%llu", (unsigned long long)over);
	if (w->source->total > 0)
		buffer_printf(&words, " of %llu", (unsigned long long)w->source->total);
	buffer_printf(&words, " done, %llu not accepted", (unsigned long long)counts_failures(c));
	progress_display(&w->progress, buffer_text(&words), fraction_done(w, state), c->attempts, state->now_ns);
}

/* At once where somebody looks on or waits for the line, or may end this with a second signal; else in blocks, every
 * few milliseconds. */
static int64_t on_turn_end(void *context, const struct delivery_state *state)
{
	struct delivery_watch *w = context;
	struct terminal *t = w->context->terminal;
	bool at_once =
	        t->out_is_tty || w->plan->options->concurrency == 1 || state->waiting || state->counts->interrupted;
	int64_t due = 0;
	if (state->in_flight > 0)
		report_begin(&w->report);
	if (w->progress.due_ns > 0 && w->progress.due_ns <= state->now_ns)
		show_progress(w, state);
	if (at_once || state->now_ns - w->flushed_ns >= FLUSH_EVERY) {
		terminal_flush(t);
		progress_redraw(&w->progress);
		w->flushed_ns = state->now_ns;
	} else {
		due = w->flushed_ns + FLUSH_EVERY;
	}
	return due == 0 || (w->progress.due_ns > 0 && w->progress.due_ns < due) ? w->progress.due_ns : due;
}

static struct deliver_policy policy_of(const struct context *context, const struct delivery_plan *plan,
                                       const struct deliver_options *http)
{
	const struct delivery_options *o = plan->options;
	struct error unused;
	struct deliver_policy policy = {
		.concurrency = (unsigned)o->concurrency,
		.threads = plan->threads,
		.interval_ns = o->rate.interval_ns,
		.expected = o->expect_status.set,
		.expect_within_ns = o->expect_within,
		.retry = { o->retry, o->retry_delay, o->retry_unknown },
		.gives_up_at = o->max_failures + 1, /* unlimited: 0 */
		.http = http,
		.journal = plan->journal,
		.signals = context->signals,
	};
	if (!o->expect_status.text)
		status_set_parse(&policy.expected, DELIVERY_EXPECTED_DEFAULT, &unused);
	return policy;
}

static void report_end(const struct delivery_watch *w, const struct delivery_result *result, const struct error *err)
{
	terminal_flush(w->context->terminal);
	if (result->counts.ended_ns == 0)
		return;
	report_summary(&w->report, &result->counts);
	if (result->rest && !(err && err->code == EXIT_CODE_USAGE))
		report_rest(&w->report);
	else if (result->unsent && !err)
		report_unsent(&w->report, &result->counts);
}

int delivery_run(struct context *context, const struct delivery_plan *plan, const struct delivery_source *source,
                 struct error *err)
{
	if (plan->options->dry_run != DRY_RUN_OFF)
		return delivery_dry_run(context, plan, &source->jobs, err);
	if (delivery_wait(context, plan, err) < 0)
		return -1;
	const char *results = plan->options->results;
	struct deliver_options http = plan->http;
	struct deliver_policy policy = policy_of(context, plan, &http);
	struct delivery_watch watch = { .context = context, .plan = plan, .source = source };
	struct delivery_observer observer = { on_attempt, on_notice, on_turn_end, on_given_up, &watch };
	struct delivery_result *result = calloc(1, sizeof *result);
	if (!result)
		return error_no_memory(err);
	http.keep_trace = context->terminal->verbose && !context->global->json;
	watch.report = (struct delivery_report){ .context = context,
		                                 .plan = plan,
		                                 .total = source->total,
		                                 .inputs = source->inputs,
		                                 .any_bytes = source->any_bytes };
	watch.report.silent = (results && strcmp(results, "-") == 0) || report_wishes_stdout(&plan->options->reports);
	progress_start(&watch.progress, context->terminal, clock_monotonic_ns());
	int code = run_deliveries(&policy, &source->jobs, &observer, result, err);
	progress_stop(&watch.progress);
	report_end(&watch, result, code < 0 ? err : NULL);
	if (code == 0)
		code = (int)counts_exit_code(&result->counts);
	delivery_report_release(&watch.report);
	free(result);
	return code;
}
