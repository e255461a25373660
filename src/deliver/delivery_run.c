#include "deliver/keys.h"
#include "deliver/pool.h"

#include <stdlib.h>

/* With several threads some jobs lie ready, so that none of them waits for the run. */
#define READY_SHARE 2

/* With keys, more jobs are read than can be started, by these, to find some of other keys. */
#define KEYED_SHARE 4
#define KEYED_LEAST 64

/* What jobs may hold together; one that is alone may hold more. */
#define HELD_BYTES ((size_t)8 << 20)

struct delivery_run {
	const struct deliver_policy *policy;
	const struct job_source *source;
	const struct delivery_observer *observer;
	struct delivery_counts *counts;
	struct loop *loop;
	struct pool *pool;
	size_t limit;     /* of jobs given out and jobs that wait for another attempt */
	size_t most;      /* of all under way: some wait for their key */
	size_t under_way; /* taken from the source, and not over */
	size_t behind;    /* waiting for their key */
	size_t held_bytes;
	struct keys keys;
	struct random random;
	struct job *all_jobs;
	struct job_list free_jobs;
	struct job *held;  /* taken from the source, and not due yet */
	bool exhausted;    /* the source has no more, or must not be asked any more */
	bool source_ended; /* it has no more */
	bool cut_short;    /* a job that was taken from it was dropped without a final attempt */
	bool unsent;       /* the source has, or had, a job that was never started */
	bool is_searching; /* the source was, when the run was ended: it may take long to know whether there is more */
	bool stopping;     /* nothing is started any more, no attempt repeated */
	bool failed;       /* *error is for the caller */
	struct error error;
	struct loop_io signal_io;
	struct loop_io source_io; /* fd -1: not watched */
	struct loop_timer due_timer;
	struct loop_timer yield_timer;
	struct loop_timer observer_timer;
	uint64_t started; /* with a rate: how many so far */
	int64_t rate_from_ns;
};

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
	journal_enter(run->policy->journal, job);
	job->next_of_all = run->all_jobs;
	run->all_jobs = job;
	return job;
}

static void fail(struct delivery_run *run, const struct error *err)
{
	if (!run->failed)
		run->error = *err;
	run->failed = run->exhausted = true;
}

static void start(struct delivery_run *run, struct job *job)
{
	job->attempt++;
	journal_number(run->policy->journal, job);
	pool_submit(run->pool, job);
}

/* Ends the job with the attempt that was reported last. Its results have no final line: --resume sends it again. */
static void report_given_up(struct delivery_run *run, struct job *job)
{
	counts_add_delivery(run->counts, job);
	if (run->observer->given_up)
		run->observer->given_up(run->observer->context, job, false);
}

/* Drops a job that never goes, or never again, and has no key. */
static void drop(struct delivery_run *run, struct job *job)
{
	run->unsent |= job->attempt == 0;
	job->attempt = 0;
	run->under_way--;
	run->held_bytes -= job->body.length;
	run->cut_short |= !job->final;
	job_list_add(&run->free_jobs, job);
}

/* Drops the job, and starts the one that waits for its key. While stopping all that wait are dropped: they never had
 * an attempt. */
static void drop_keyed(struct delivery_run *run, struct job *job)
{
	for (struct job *other; run->stopping && (other = job_list_take(&job->behind)) != NULL;) {
		run->behind--;
		drop(run, other);
	}
	struct job *successor = keys_leave(&run->keys, job);
	drop(run, job);
	if (!successor)
		return;
	run->behind--;
	start(run, successor);
}

static void fill(void *context);

static void unwatch_source(struct delivery_run *run)
{
	if (run->source_io.fd >= 0)
		loop_remove(run->loop, &run->source_io);
	run->source_io.fd = -1;
}

/* It can be read again. */
static void on_source(void *context, uint32_t events)
{
	(void)events;
	unwatch_source(context);
	fill(context);
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
		run->under_way++;
		run->held_bytes += job->body.length;
		return job;
	}
	if (job)
		job_list_add(&run->free_jobs, job);
	if (got == JOB_LATER) {
		run->source_io.fd = run->source->wait_fd(run->source->context);
		if (loop_add(run->loop, &run->source_io, LOOP_READ, &err) < 0)
			got = JOB_FAILED;
	} else if (got == JOB_YIELD) {
		loop_timer_set(run->loop, &run->yield_timer, 1);
	} else {
		run->exhausted = true;
		run->source_ended |= got == JOB_NONE;
	}
	if (got == JOB_FAILED)
		fail(run, &err);
	return NULL;
}

/* Sets the job's place in the schedule, which its number fixes, whatever became of those before it. */
static void schedule(struct delivery_run *run, struct job *job)
{
	double interval = run->policy->interval_ns;
	if (interval <= 0)
		return;
	if (run->started == 0)
		run->rate_from_ns = loop_now(run->loop);
	int64_t due = run->rate_from_ns + (int64_t)((double)run->started * interval);
	job->due_ns = due > job->due_ns ? due : job->due_ns;
	run->started++;
}

/* Starts the job, unless it has to wait behind another one of its key. */
static void send_off(struct delivery_run *run, struct job *job)
{
	if (keys_enter(&run->keys, job))
		start(run, job);
	else
		run->behind++;
}

static bool has_room(const struct delivery_run *run)
{
	return run->under_way - run->behind < run->limit && run->under_way < run->most && run->held_bytes < HELD_BYTES;
}

/* Starts what is due, and takes from the source what there is room for. */
static void fill(void *context)
{
	struct delivery_run *run = context;
	if (run->held && run->held->due_ns <= loop_now(run->loop)) {
		loop_timer_cancel(run->loop, &run->due_timer);
		send_off(run, run->held);
		run->held = NULL;
	}
	while (!run->exhausted && !run->held && run->source_io.fd < 0 && !run->yield_timer.is_set && has_room(run)) {
		struct job *job = next_job(run);
		if (!job)
			break;
		schedule(run, job);
		if (job->due_ns <= loop_now(run->loop)) {
			send_off(run, job);
		} else {
			run->held = job;
			loop_timer_set(run->loop, &run->due_timer, job->due_ns);
		}
	}
	pool_push(run->pool);
	if (run->exhausted && run->under_way == 0)
		loop_stop(run->loop);
}

/* Starts nothing more: what is in flight ends, and what waits for another attempt has had its last. */
static void stop_starting(struct delivery_run *run)
{
	struct job_list unstarted = { NULL, NULL, 0 };
	run->exhausted = run->stopping = true;
	for (struct job *job = run->all_jobs; job; job = job->next_of_all) {
		if (!job->retry_timer.is_set)
			continue;
		loop_timer_cancel(run->loop, &job->retry_timer);
		report_given_up(run, job);
		drop_keyed(run, job);
	}
	run->is_searching = run->yield_timer.is_set;
	loop_timer_cancel(run->loop, &run->yield_timer);
	loop_timer_cancel(run->loop, &run->due_timer);
	unwatch_source(run);
	if (run->held)
		drop(run, run->held);
	run->held = NULL;
	pool_recall(run->pool, &unstarted);
	for (struct job *job; (job = job_list_take(&unstarted)) != NULL;) {
		if (--job->attempt > 0)
			report_given_up(run, job);
		drop_keyed(run, job);
	}
}

static void on_signal(void *context, uint32_t events)
{
	struct delivery_run *run = context;
	(void)events;
	int number = signals_take(run->policy->signals);
	if (number != SIGINT && number != SIGTERM)
		return;
	if (run->counts->interrupted) { /* the second one, within a session */
		run->cut_short = true;
		/* Nobody waits any longer for what the workers have started. */
		for (struct job *job = run->all_jobs; job; job = job->next_of_all) {
			if (job->attempt == 0)
				continue;
			run->counts->attempts++;
			run->counts->outcomes[OUTCOME_UNKNOWN]++;
			if (run->observer->given_up)
				run->observer->given_up(run->observer->context, job, true);
		}
		loop_stop(run->loop);
		return;
	}
	run->counts->interrupted = true;
	stop_starting(run);
	if (run->observer->interrupted)
		run->observer->interrupted(run->observer->context, pool_outstanding(run->pool));
	fill(run);
}

static void on_retry(void *context)
{
	struct job *job = context;
	struct delivery_run *run = job->run;
	start(run, job);
	pool_push(run->pool);
}

/* Counts the attempt, adds it to the results and reports it. */
static void end_attempt(struct delivery_run *run, struct job *job)
{
	const struct deliver_policy *policy = run->policy;
	const struct exchange *x = &job->exchange;
	const struct status_set *expected = job->has_expected ? &job->expected : &policy->expected;
	job->outcome = x->outcome == DELIVER_FAILED ? OUTCOME_FAILED : OUTCOME_UNKNOWN;
	if (x->outcome == DELIVER_RESPONDED)
		job->outcome = status_set_contains(expected, x->status) ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
	job->late = job->outcome == OUTCOME_ACCEPTED && policy->expect_within_ns > 0 &&
	            x->latency_ns > policy->expect_within_ns;
	if (job->attempt == 1)
		job->first_ns = x->started_ns;
	job->final = run->stopping || !retry_wanted(&policy->retry, job, &run->random);
	counts_add_attempt(run->counts, job);
	if (job->final)
		counts_add_delivery(run->counts, job);
	journal_add(policy->journal, job);
	if (!run->observer->attempt(run->observer->context, job)) /* nobody reads the reports any more */
		run->exhausted = true;
}

/* Drops a job that was recorded, or has it wait for its next attempt. */
static void end_job(struct delivery_run *run, struct job *job)
{
	journal_end(job);
	if (!job->final && !run->stopping) {
		job->retry_timer = (struct loop_timer){ .fire = on_retry, .context = job };
		loop_timer_set(run->loop, &job->retry_timer, job->exchange.finished_ns + job->retry_ns);
		return;
	}
	if (!job->final) /* the run was ended by one beside it: it has had its last attempt */
		report_given_up(run, job);
	drop_keyed(run, job);
}

/* The pool's done(). Ends the run where results cannot be written; the marks of what was in flight stay then. */
static void on_done(void *context, struct job_list *batch, const struct error *problem)
{
	struct delivery_run *run = context;
	uint64_t most = run->policy->gives_up_at;
	struct error err;
	for (struct job *job = batch->first; !problem && job; job = job->next)
		end_attempt(run, job);
	if (problem || journal_flush(run->policy->journal, &err) < 0) {
		fail(run, problem ? problem : &err);
		loop_stop(run->loop);
		return;
	}
	if (!run->stopping && most > 0 && counts_failures(run->counts) >= most) {
		run->counts->gave_up = true;
		stop_starting(run);
	}
	for (struct job *job; (job = job_list_take(batch)) != NULL;)
		end_job(run, job);
	fill(run);
}

static void at_turn_end(void *context)
{
	struct delivery_run *run = context;
	struct delivery_state state = {
		.counts = run->counts,
		.now_ns = loop_now(run->loop),
		.in_flight = pool_outstanding(run->pool),
		.under_way = run->under_way,
		.exhausted = run->exhausted,
		.waiting = run->source_io.fd >= 0,
		.stopping = run->stopping,
	};
	int64_t due = run->observer->turn_end(run->observer->context, &state);
	if (due <= 0)
		loop_timer_cancel(run->loop, &run->observer_timer);
	else if (!run->observer_timer.is_set || run->observer_timer.due != due)
		loop_timer_set(run->loop, &run->observer_timer, due);
}

static int set_up(struct delivery_run *run, struct error *err)
{
	const struct deliver_policy *policy = run->policy;
	/* How many jobs may be under way. */
	run->limit = policy->concurrency > 0 ? policy->concurrency : 1;
	if (policy->threads > 1)
		run->limit += run->limit / READY_SHARE + 1;
	run->most = run->limit * KEYED_SHARE + KEYED_LEAST;
	random_seed_fresh(&run->random);
	run->source_io = (struct loop_io){ .fd = -1, .ready = on_source, .context = run };
	run->due_timer = (struct loop_timer){ .fire = fill, .context = run };
	run->yield_timer = (struct loop_timer){ .fire = fill, .context = run };
	run->loop = loop_new(err);
	if (!run->loop)
		return -1;
	loop_set_clock(run->loop, policy->clock);
	run->pool = pool_new(run->loop, policy, on_done, run, err);
	if (!run->pool)
		return -1;
	if (policy->signals) {
		run->signal_io = (struct loop_io){ .fd = policy->signals->fd, .ready = on_signal, .context = run };
		if (loop_add(run->loop, &run->signal_io, LOOP_READ, err) < 0)
			return -1;
	}
	if (journal_start(run->policy->journal, run->most + 1, err) < 0)
		return -1;
	return loop_at_turn_end(run->loop, at_turn_end, run, err);
}

/* Asks the source whether there was more: a run that was ended took only what it could start. */
static void look_further(struct delivery_run *run)
{
	struct error unused;
	run->unsent |= run->is_searching;
	if (run->source_ended || run->is_searching || run->failed ||
	    (run->cut_short && journal_has_rest(run->policy->journal, false)))
		return;
	struct job *job = take_job(run);
	if (!job)
		return;
	enum job_got got = run->source->next(run->source->context, job, &unused);
	run->source_ended = got == JOB_NONE;
	run->unsent |= got == JOB_FILLED || got == JOB_YIELD;
}

/* Whether all there was to send has had its last attempt. */
static bool is_through(const struct delivery_run *run)
{
	return run->source_ended && !run->cut_short && !run->failed;
}

static int deliver_all(struct delivery_run *run, struct delivery_result *result, struct error *err)
{
	run->counts->started_ns = loop_now(run->loop);
	/* Accounts for what the resumed run had in flight. */
	run->counts->outcomes[OUTCOME_UNKNOWN] = journal_unknown(run->policy->journal);
	fill(run);
	if (loop_run(run->loop, err) < 0)
		return -1;
	run->counts->ended_ns = loop_now(run->loop);
	look_further(run);
	result->unsent = run->unsent;
	result->rest = journal_has_rest(run->policy->journal, is_through(run));
	struct error problem;
	if (journal_finish(run->policy->journal, is_through(run), &problem) < 0)
		fail(run, &problem);
	if (!run->failed)
		return 0;
	*err = run->error;
	return -1;
}

int run_deliveries(const struct deliver_policy *policy, const struct job_source *source,
                   const struct delivery_observer *observer, struct delivery_result *result, struct error *err)
{
	struct delivery_run *run = calloc(1, sizeof *run);
	*result = (struct delivery_result){ .rest = false };
	if (!run)
		return error_no_memory(err);
	run->policy = policy;
	run->source = source;
	run->observer = observer;
	run->counts = &result->counts;
	int code = set_up(run, err);
	if (code == 0)
		code = deliver_all(run, result, err);
	pool_free(run->pool);
	struct error unused;
	journal_finish(run->policy->journal, is_through(run), &unused); /* unless that was done */
	loop_free(run->loop);
	while (run->all_jobs) {
		struct job *next = run->all_jobs->next_of_all;
		job_free(run->all_jobs);
		run->all_jobs = next;
	}
	free(run);
	return code;
}
