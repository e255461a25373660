#include "cmd/deliver/run.h"

#include "base/clock.h"
#include "cmd/deliver/run_internal.h"
#include "cmd/share.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* With several threads some jobs lie ready, so that none of them waits for the run. */
#define READY_SHARE 2

/* With --keyed, so many jobs more than can be started are read, to find some of other keys. */
#define KEYED_SHARE 4
#define KEYED_LEAST 64

/* What is told reaches a pipe after this time at the latest. */
#define FLUSH_EVERY (CLOCK_NS_PER_S / 20)

/* What jobs may hold together; one that is alone may hold more. */
#define HELD_BYTES ((size_t)8 << 20)

static struct job *take_job(struct delivery_run *run)
{
	struct job *job = job_list_take(&run->free_jobs);
	if (job) {
		job_clear(job);
		return job;
	}
	job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->run = run;
	journal_enter(run->journal, job);
	job->next_of_all = run->all_jobs;
	run->all_jobs = job;
	return job;
}

/* Asks the source again once it can be read. */
static void wait_for_source(struct delivery_run *run)
{
	struct error err;
	run->source_io.fd = run->source->wait_fd(run->source->context);
	if (loop_add(run->loop, &run->source_io, EPOLLIN, &err) < 0) {
		run->source_io.fd = -1;
		run_fail(run, &err);
	}
}

static void on_source(void *context, uint32_t events)
{
	struct delivery_run *run = context;
	(void)events;
	loop_remove(run->loop, &run->source_io);
	run->source_io.fd = -1;
	run_fill(run);
}

/* The next job; NULL: there is none now, or none any more, or it failed. */
static struct job *next_job(struct delivery_run *run)
{
	struct error err;
	struct job *job = take_job(run);
	enum job_got got = JOB_FAILED;
	if (!job)
		error_no_memory(&err);
	else
		got = run->source->next(run->source->context, job, &err);
	if (got == JOB_FILLED) {
		journal_take(run->journal, job);
		run->under_way++;
		run->held_bytes += job->body.length;
		return job;
	}
	if (job)
		job_list_add(&run->free_jobs, job);
	if (got == JOB_LATER)
		wait_for_source(run);
	else if (got == JOB_YIELD)
		loop_timer_set(run->loop, &run->yield_timer, 1);
	else
		run->exhausted = true;
	run->source_ended |= got == JOB_NONE;
	if (got == JOB_FAILED)
		run_fail(run, &err);
	return NULL;
}

/* The job's place in the schedule of --rate: fixed by its number, whatever became of those before it. */
static void schedule(struct delivery_run *run, struct job *job)
{
	double interval = run->plan->options->rate.interval_ns;
	if (interval <= 0)
		return;
	if (run->started == 0)
		run->rate_from_ns = clock_monotonic_ns();
	int64_t due = run->rate_from_ns + (int64_t)((double)run->started * interval);
	job->due_ns = due > job->due_ns ? due : job->due_ns;
	run->started++;
}

/* Whether the job has to wait for its time; the timer rings then. */
static bool wait_for_time(struct delivery_run *run, struct job *job)
{
	if (job->due_ns <= clock_monotonic_ns())
		return false;
	run->held = job;
	loop_timer_set(run->loop, &run->due_timer, job->due_ns);
	return true;
}

/* What may go goes; what is behind another one of its key waits. */
static void send_off(struct delivery_run *run, struct job *job)
{
	if (keys_enter(&run->keys, job))
		run_start(run, job);
	else
		run->behind++;
}

static bool has_room(const struct delivery_run *run)
{
	if (run->under_way == 0)
		return true;
	return run->under_way - run->behind < run->limit && run->under_way < run->most && run->held_bytes < HELD_BYTES;
}

void run_fill(struct delivery_run *run)
{
	if (run->held && run->held->due_ns <= clock_monotonic_ns()) {
		loop_timer_cancel(run->loop, &run->due_timer);
		send_off(run, run->held);
		run->held = NULL;
	}
	while (!run->exhausted && !run->held && run->source_io.fd < 0 && !run->yield_timer.is_set && has_room(run)) {
		struct job *job = next_job(run);
		if (!job)
			break;
		schedule(run, job);
		if (!wait_for_time(run, job))
			send_off(run, job);
	}
	pool_push(run->pool);
	if (run->exhausted && run->under_way == 0)
		loop_stop(run->loop);
}

static void on_due(void *context)
{
	run_fill(context);
}

void run_wind_down(struct delivery_run *run)
{
	run->exhausted = run->stopping = true;
	for (struct job *job = run->all_jobs; job; job = job->next_of_all) {
		if (!job->waiting)
			continue;
		loop_timer_cancel(run->loop, &job->retry_timer);
		job->waiting = false;
		run->waiting--;
		counts_add_delivery(&run->counts, job);
		run_drop_behind(run, job);
		run_let_go(run, job);
	}
	loop_timer_cancel(run->loop, &run->yield_timer);
	loop_timer_cancel(run->loop, &run->due_timer);
	loop_timer_cancel(run->loop, &run->end_timer);
	if (run->source_io.fd >= 0)
		loop_remove(run->loop, &run->source_io);
	run->source_io.fd = -1;
	if (run->held)
		run_drop(run, run->held);
	run->held = NULL;
	pool_recall(run->pool);
}

static size_t count_in_flight(void *context)
{
	const struct delivery_run *run = context;
	return pool_outstanding(run->pool);
}

/* Where the source has ended, all of it is given out, be its length known or not. */
static double share_done(void *context)
{
	const struct delivery_run *run = context;
	const struct job_source *source = run->source;
	uint64_t done = counts_total(&run->counts);
	double given = run->exhausted ? 1 : source->share ? source->share(source->context) : SHARE_UNKNOWN;
	if (run->stopping)
		return SHARE_UNKNOWN;
	return source->total > 0 ? share_of(done, source->total) : share_over(given, done, run->under_way);
}

/* --duration is over. */
static void on_end(void *context)
{
	struct delivery_run *run = context;
	run->had_its_time = !run->counts.interrupted && !run->counts.gave_up;
	run_wind_down(run);
	run_fill(run);
}

static void on_signal(void *context, uint32_t events)
{
	struct delivery_run *run = context;
	(void)events;
	int number = signals_take(run->context->signals);
	if (number != SIGINT && number != SIGTERM)
		return;
	run->counts.interrupted = true;
	run_wind_down(run);
	terminal_flush(run->context->terminal); /* a second one would lose it */
	if (pool_outstanding(run->pool) > 0)
		terminal_note(run->context->terminal,
		              "interrupted: waiting for %zu in flight; Ctrl-C again ends at once, without a verdict",
		              pool_outstanding(run->pool));
	run_fill(run);
}

static void on_flush_time(void *context)
{
	(void)context; /* that the turn ends is enough */
}

/* At once where somebody looks on or waits for the line, or may end this with a second signal; else a few times a
 * second. */
static void flush_out(void *context)
{
	struct delivery_run *run = context;
	int64_t now = clock_monotonic_ns();
	bool at_once = run->context->terminal->out_is_tty || run->plan->options->concurrency == 1 ||
	               run->source_io.fd >= 0 || run->counts.interrupted;
	if (at_once || now - run->flushed_ns >= FLUSH_EVERY) {
		terminal_flush(run->context->terminal);
		run_progress_again(&run->progress);
		run->flushed_ns = now;
	} else if (!run->flush_timer.is_set) {
		loop_timer_set(run->loop, &run->flush_timer, now + FLUSH_EVERY);
	}
}

/* How many jobs may be under way. */
static void set_limits(struct delivery_run *run)
{
	run->limit = run->plan->options->concurrency;
	if (run->plan->threads > 1)
		run->limit += run->limit / READY_SHARE + 1;
	run->most = run->limit * KEYED_SHARE + KEYED_LEAST;
}

static int set_up(struct delivery_run *run, struct error *err)
{
	struct terminal *terminal = run->context->terminal;
	const char *results = run->plan->options->results;
	set_limits(run);
	random_seed_fresh(&run->random);
	run->teller = (struct teller){ .context = run->context, .plan = run->plan };
	run->teller.silent = results && strcmp(results, "-") == 0;
	run->loop = loop_new(err);
	run->signal_io = (struct loop_io){ run->context->signals->fd, on_signal, run };
	run->source_io = (struct loop_io){ -1, on_source, run };
	run->due_timer = (struct loop_timer){ .ring = on_due, .context = run };
	run->yield_timer = (struct loop_timer){ .ring = on_due, .context = run };
	run->flush_timer = (struct loop_timer){ .ring = on_flush_time, .context = run };
	run->end_timer = (struct loop_timer){ .ring = on_end, .context = run };
	run->pool_options =
	        (struct pool_options){ &run->plan->http, run->plan->threads, run_on_done, run_on_begin, run };
	run->pool = run->loop ? pool_new(run->loop, &run->pool_options, err) : NULL;
	if (!run->pool || loop_add(run->loop, &run->signal_io, EPOLLIN, err) < 0 ||
	    journal_start(run->journal, run->most + 1, err) < 0)
		return -1;
	run->progress = (struct run_progress){ .terminal = terminal,
		                               .loop = run->loop,
		                               .counts = &run->counts,
		                               .total = run->source->total,
		                               .duration = run->plan->options->duration,
		                               .in_flight = count_in_flight,
		                               .share = share_done,
		                               .context = run };
	run_progress_start(&run->progress, (enum progress_choice)run->plan->options->progress);
	return loop_at_turn_end(run->loop, flush_out, run, err);
}

/* A run that was ended has not asked its source for more than it could start: maybe there was no more. */
static void look_further(struct delivery_run *run)
{
	struct error unused;
	if (run->source_ended || run->cut_short || run->failed || journal_rest(run->journal, false) == JOURNAL_DONE)
		return;
	struct job *job = take_job(run);
	run->source_ended = job && run->source->next(run->source->context, job, &unused) == JOB_NONE;
}

/* Whether all that was asked for has had its last attempt: all there was to send, or what --duration left time for. A
 * resumed run is to get to the end of what it resumes. */
static bool is_through(const struct delivery_run *run)
{
	if (run->had_its_time && !run->plan->options->resume)
		return !run->failed;
	return run->source_ended && !run->cut_short && !run->failed;
}

static void tear_down(struct delivery_run *run)
{
	run_progress_stop(&run->progress);
	pool_free(run->pool);
	struct error unused;
	journal_finish(run->journal, is_through(run), &unused); /* unless that was done, and told */
	loop_free(run->loop);
	while (run->all_jobs) {
		struct job *next = run->all_jobs->next_of_all;
		job_free(run->all_jobs);
		run->all_jobs = next;
	}
	teller_release(&run->teller);
}

static int deliver_all(struct delivery_run *run, struct error *err)
{
	int64_t duration = run->plan->options->duration;
	run->counts.started_ns = clock_monotonic_ns();
	/* What the resumed run had in flight is this run's to answer for. */
	run->counts.outcomes[OUTCOME_UNKNOWN] = journal_unknown(run->journal);
	if (duration > 0)
		loop_timer_set(run->loop, &run->end_timer, run->counts.started_ns + duration);
	run_fill(run);
	if (loop_run(run->loop, err) < 0)
		return -1;
	run->counts.ended_ns = clock_monotonic_ns();
	run_progress_stop(&run->progress);
	look_further(run);
	terminal_flush(run->context->terminal);
	tell_summary(run->context, &run->counts);
	enum journal_rest rest = journal_rest(run->journal, is_through(run));
	bool refused = run->failed && run->error.code == EXIT_CODE_USAGE;
	if (rest != JOURNAL_DONE && !refused)
		tell_rest(run->context, run->plan, rest == JOURNAL_LEFT_EARLIER);
	struct error problem;
	if (journal_finish(run->journal, is_through(run), &problem) < 0)
		run_fail(run, &problem);
	if (!run->failed)
		return (int)counts_exit_code(&run->counts);
	*err = run->error;
	return -1;
}

/* Refuses what a run would refuse before its first delivery: a bad header, a certificate that cannot be read. */
static int check_plan(const struct delivery_plan *plan, struct error *err)
{
	struct loop *loop = loop_new(err);
	struct deliverer *deliverer = loop ? deliverer_new(loop, &plan->http, err) : NULL;
	int result = deliverer ? 0 : -1;
	deliverer_free(deliverer);
	loop_free(loop);
	return result;
}

static int show_dry_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                        struct error *err)
{
	if (plan->options->dry_run == DRY_RUN_CURL && context->global->json) {
		error_set(err, EXIT_CODE_USAGE, "--dry-run=curl writes commands, not JSON");
		return error_hint(err, "leave out --json, or write --dry-run alone for the requests");
	}
	if (check_plan(plan, err) < 0)
		return -1;
	struct job *job = calloc(1, sizeof *job);
	struct shell_secrets secrets = { 0 };
	int got = job ? JOB_FILLED : error_no_memory(err);
	while ((got == JOB_FILLED || got == JOB_YIELD) && !terminal_is_closed(context->terminal)) {
		job_clear(job);
		got = source->next(source->context, job, err);
		if (got == JOB_FILLED)
			tell_dry_run(context, plan, job, &secrets);
	}
	if (secrets.any)
		terminal_note(context->terminal, "what may be secret stands as a variable: set $NAME before running "
		                                 "a command that has \"$NAME\"");
	buffer_release(&secrets.fresh);
	job_free(job);
	return got < 0 ? -1 : EXIT_CODE_OK;
}

int delivery_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                 struct error *err)
{
	if (plan->options->dry_run != DRY_RUN_OFF)
		return show_dry_run(context, plan, source, err);
	struct delivery_run *run = calloc(1, sizeof *run);
	if (!run)
		return error_no_memory(err);
	run->context = context;
	run->plan = plan;
	run->journal = plan->journal;
	run->source = source;
	int code = set_up(run, err);
	if (code == 0)
		code = deliver_all(run, err);
	tear_down(run);
	free(run);
	return code;
}
