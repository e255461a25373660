#include "cmd/deliver/retry.h"
#include "cmd/deliver/run_internal.h"

void run_fail(struct delivery_run *run, const struct error *err)
{
	if (!run->failed)
		run->error = *err;
	run->failed = run->exhausted = true;
}

static enum outcome judge(const struct delivery_run *run, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	if (d->outcome == DELIVER_FAILED)
		return OUTCOME_FAILED;
	if (d->outcome != DELIVER_ANSWERED)
		return OUTCOME_UNKNOWN;
	const struct delivery_options *o = run->plan->options;
	bool expected = job->recorded_status > 0 && !o->expect_status.text
	                        ? d->status == job->recorded_status
	                        : status_set_contains(&o->expect_status.set, d->status);
	return expected ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
}

void run_start(struct delivery_run *run, struct job *job)
{
	job->attempt++;
	pool_submit(run->pool, job);
}

void run_drop(struct delivery_run *run, struct job *job)
{
	run->under_way--;
	run->held_bytes -= job->body.length;
	run->cut_short |= !job->final;
	journal_let_go(run->journal, job);
	job_list_add(&run->free_jobs, job);
}

/* The job is over, one way or the other; the next of its key may go. */
void run_let_go(struct delivery_run *run, struct job *job)
{
	struct job *heir = keys_leave(&run->keys, job);
	run_drop(run, job);
	if (!heir)
		return;
	run->behind--;
	run_start(run, heir);
}

/* Those that wait for their key never had an attempt: they are dropped. */
void run_drop_behind(struct delivery_run *run, struct job *job)
{
	struct job_list dropped = { NULL, NULL, 0 };
	keys_drop(job, &dropped);
	for (struct job *other; (other = job_list_take(&dropped)) != NULL;) {
		run->behind--;
		run_drop(run, other);
	}
}

static void on_retry(void *context)
{
	struct job *job = context;
	struct delivery_run *run = job->run;
	job->waiting = false;
	run->waiting--;
	run_start(run, job);
	pool_push(run->pool);
}

static void wait_for_retry(struct delivery_run *run, struct job *job)
{
	job->waiting = true;
	run->waiting++;
	job->retry_timer = (struct loop_timer){ .ring = on_retry, .context = job };
	loop_timer_set(run->loop, &job->retry_timer, job->delivery.finished_ns + job->retry_ns);
}

/* One attempt is over: judged, told, counted and added to the results. */
static void end_attempt(struct delivery_run *run, struct job *job)
{
	const struct delivery_options *o = run->plan->options;
	job->outcome = judge(run, job);
	job->late =
	        job->outcome == OUTCOME_ACCEPTED && o->expect_within > 0 && job->delivery.latency_ns > o->expect_within;
	if (job->attempt == 1)
		job->first_ns = job->delivery.started_ns;
	job->final = run->stopping || !retry_wanted(o, job, &run->random);
	counts_add_attempt(&run->counts, job);
	if (job->final)
		counts_add_delivery(&run->counts, job);
	tell_attempt(&run->teller, job);
	journal_add(run->journal, job);
}

/* --max-failures, --fail-fast. A share is asked for once a hundred have ended. */
static bool too_many_failures(const struct delivery_run *run)
{
	const struct delivery_options *o = run->plan->options;
	double failures = (double)counts_failures(&run->counts), total = (double)counts_total(&run->counts);
	if (o->fail_fast)
		return failures > 0;
	if (!o->max_failures.given)
		return false;
	if (o->max_failures.is_percent)
		return total >= 100 && failures * 100 > o->max_failures.value * total;
	return failures > o->max_failures.value;
}

static void end_batch(struct delivery_run *run, struct job_list *batch)
{
	for (struct job *job; (job = job_list_take(batch)) != NULL;) {
		journal_end(job);
		if (job->recalled && job->attempt > 1)
			counts_add_delivery(&run->counts, job); /* with its attempt before */
		if (run->stopping)
			run_drop_behind(run, job);
		if (job->recalled || job->final)
			run_let_go(run, job);
		else
			wait_for_retry(run, job);
	}
}

void run_on_begin(void *context, const struct job *job)
{
	const struct delivery_run *run = context;
	journal_begin(run->journal, job);
}

void run_on_done(void *context, struct job_list *batch)
{
	struct delivery_run *run = context;
	struct error err;
	if (pool_check(run->pool, &err) < 0) {
		run_fail(run, &err);
		loop_stop(run->loop);
		return;
	}
	for (struct job *job = batch->first; job; job = job->next)
		if (!job->recalled)
			end_attempt(run, job);
	if (journal_flush(run->journal, &err) < 0) {
		/* What cannot be recorded is not sent; the marks of what was in flight stay. */
		run_fail(run, &err);
		loop_stop(run->loop);
		return;
	}
	if (!run->stopping && too_many_failures(run)) {
		run->counts.gave_up = true;
		run_wind_down(run);
	}
	end_batch(run, batch);
	if (terminal_is_closed(run->context->terminal) && (run->context->global->json || run->teller.silent))
		run->exhausted = true; /* nobody reads the results any more */
	run_fill(run);
}
