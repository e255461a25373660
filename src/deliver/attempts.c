#include "deliver/run_internal.h"

void run_fail(struct delivery_run *run, const struct error *err)
{
	if (!run->failed)
		run->error = *err;
	run->failed = run->exhausted = true;
}

static enum outcome outcome_of(const struct delivery_run *run, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	if (d->outcome == DELIVER_FAILED)
		return OUTCOME_FAILED;
	if (d->outcome != DELIVER_RESPONDED)
		return OUTCOME_UNKNOWN;
	const struct status_set *expected = job->has_expected ? &job->expected : &run->policy->expected;
	return status_set_contains(expected, d->status) ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
}

void run_start(struct delivery_run *run, struct job *job)
{
	job->attempt++;
	journal_number(run->journal, job);
	pool_submit(run->pool, job);
}

/* Its results have no final line: --resume sends it again. */
void run_give_up(struct delivery_run *run, struct job *job)
{
	counts_add_delivery(run->counts, job);
	if (run->observer->given_up)
		run->observer->given_up(run->observer->context, job, false);
}

void run_drop(struct delivery_run *run, struct job *job)
{
	run->unsent |= job->attempt == 0;
	job->attempt = 0;
	run->under_way--;
	run->held_bytes -= job->body.length;
	run->cut_short |= !job->final;
	job_list_add(&run->free_jobs, job);
}

/* The job is over, one way or the other; the next of its key may go. */
void run_let_go(struct delivery_run *run, struct job *job)
{
	struct job *successor = keys_leave(&run->keys, job);
	run_drop(run, job);
	if (!successor)
		return;
	run->behind--;
	run_start(run, successor);
}

/* Those that wait for its key never had an attempt: they are dropped. */
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
	run_start(run, job);
	pool_push(run->pool);
}

static void wait_for_retry(struct delivery_run *run, struct job *job)
{
	job->waiting = true;
	job->retry_timer = (struct loop_timer){ .fire = on_retry, .context = job };
	loop_timer_set(run->loop, &job->retry_timer, job->delivery.finished_ns + job->retry_ns);
}

/* One attempt is over: reported, counted and added to the results. False: nobody reads the reports any more. */
static bool end_attempt(struct delivery_run *run, struct job *job)
{
	const struct deliver_policy *policy = run->policy;
	job->outcome = outcome_of(run, job);
	job->late = job->outcome == OUTCOME_ACCEPTED && policy->expect_within_ns > 0 &&
	            job->delivery.latency_ns > policy->expect_within_ns;
	if (job->attempt == 1)
		job->first_ns = job->delivery.started_ns;
	job->final = run->stopping || !retry_wanted(&policy->retry, job, &run->random);
	counts_add_attempt(run->counts, job);
	if (job->final)
		counts_add_delivery(run->counts, job);
	journal_add(run->journal, job);
	return run->observer->attempt(run->observer->context, job);
}

bool run_failed_too_often(const struct delivery_run *run)
{
	return run->policy->gives_up_at > 0 && counts_failures(run->counts) >= run->policy->gives_up_at;
}

void run_end_batch(struct delivery_run *run, struct job_list *batch)
{
	for (struct job *job; (job = job_list_take(batch)) != NULL;) {
		journal_end(job);
		if (!job->final && !run->stopping) {
			wait_for_retry(run, job);
			continue;
		}
		if (!job->final) /* the run was ended by one beside it: it has had its last attempt */
			run_give_up(run, job);
		if (run->stopping)
			run_drop_behind(run, job);
		run_let_go(run, job);
	}
}

int run_end_attempts(struct delivery_run *run, const struct job_list *batch)
{
	struct error err;
	for (struct job *job = batch->first; job; job = job->next)
		if (!end_attempt(run, job))
			run->exhausted = true;
	if (journal_flush(run->journal, &err) == 0)
		return 0;
	run_fail(run, &err);
	return -1;
}
