#include "cmd/deliver/run.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

const char *const outcome_names[OUTCOME_COUNT] = { "accepted", "rejected", "failed", "unknown" };

struct delivery_run {
	struct context *context;
	const struct delivery_plan *plan;
	const struct job_source *source;
	struct loop *loop;
	struct deliverer *deliverer;
	struct delivery_counts counts;
	struct job *free_jobs;
	struct job *held; /* taken from the source, and not due yet */
	struct buffer out;
	bool exhausted; /* the source has no more, or must not be asked any more */
	bool interrupted;
	bool failed; /* *error is for main */
	bool filling;
	struct error error;
	struct loop_io signal_io;
	struct loop_timer due_timer;
	int64_t next_start; /* --rate: when the next one may start */
};

void job_clear(struct job *job)
{
	buffer_clear(&job->body);
	buffer_clear(&job->content_type);
	buffer_clear(&job->url);
	buffer_clear(&job->header_text);
	job->headers.count = 0;
	job->name[0] = '\0';
	job->input = NULL;
	job->record = 0;
	job->due_ns = 0;
	job->late = false;
}

bool job_add_header(struct job *job, const char *name, size_t name_length, const char *value, size_t value_length)
{
	/* Offsets first: the text moves while it grows. */
	struct error err;
	size_t at = job->header_text.length;
	buffer_append(&job->header_text, name, name_length);
	buffer_append_text(&job->header_text, value_length > 0 ? ": " : ";");
	buffer_append(&job->header_text, value, value_length);
	buffer_append_byte(&job->header_text, '\0');
	if (job->header_text.failed || text_list_add(&job->headers, NULL, &err) < 0)
		return false;
	for (size_t i = 0, offset = 0; i < job->headers.count; i++) {
		job->headers.items[i] = job->header_text.data + offset;
		offset += strlen(job->header_text.data + offset) + 1;
	}
	return at < job->header_text.length;
}

static void job_free(struct job *job)
{
	if (!job)
		return;
	delivery_release(&job->delivery);
	buffer_release(&job->body);
	buffer_release(&job->content_type);
	buffer_release(&job->url);
	buffer_release(&job->header_text);
	text_list_release(&job->headers);
	free(job);
}

static struct job *take_job(struct delivery_run *run)
{
	struct job *job = run->free_jobs;
	if (job) {
		run->free_jobs = job->next_free;
		job_clear(job);
	} else {
		job = calloc(1, sizeof *job);
	}
	if (job)
		job->run = run;
	return job;
}

static void give_back(struct delivery_run *run, struct job *job)
{
	job->next_free = run->free_jobs;
	run->free_jobs = job;
}

static void fail(struct delivery_run *run, const struct error *err)
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
	return status_set_contains(&run->plan->options->expect_status.set, d->status) ? OUTCOME_ACCEPTED
	                                                                              : OUTCOME_REJECTED;
}

static void count(struct delivery_run *run, const struct job *job)
{
	struct delivery_counts *c = &run->counts;
	c->outcomes[job->outcome]++;
	c->late += job->late;
	c->bytes += job->delivery.body_length;
	if (job->delivery.status > 0 && job->delivery.status < 600)
		c->statuses[job->delivery.status]++;
	if (job->delivery.outcome == DELIVER_ANSWERED)
		latency_record(&c->latency, job->delivery.latency_ns);
}

static void fill(struct delivery_run *run);

static void on_done(void *context, struct delivery *delivery)
{
	struct job *job = context;
	struct delivery_run *run = job->run;
	int64_t within = run->plan->options->expect_within;
	job->outcome = judge(run, job);
	job->late = job->outcome == OUTCOME_ACCEPTED && within > 0 && delivery->latency_ns > within;
	count(run, job);
	delivery_tell_job(run->context, run->plan, job, &run->out);
	give_back(run, job);
	if (terminal_is_closed(run->context->terminal) && run->context->global->json)
		run->exhausted = true; /* nobody reads the results any more */
	fill(run);
}

static int submit(struct delivery_run *run, struct job *job, struct error *err)
{
	struct delivery *d = &job->delivery;
	d->body = buffer_text(&job->body);
	d->body_length = job->body.length;
	d->content_type = job->content_type.length > 0 ? buffer_text(&job->content_type) : NULL;
	d->url = job->url.length > 0 ? buffer_text(&job->url) : NULL;
	d->headers = (struct deliver_list){ job->headers.items, job->headers.count };
	d->done = on_done;
	d->context = job;
	return deliverer_submit(run->deliverer, d, err);
}

/* The next job, and when it may start; NULL: there is none, or it failed. */
static struct job *next_job(struct delivery_run *run)
{
	struct error err;
	struct job *job = run->held ? run->held : take_job(run);
	if (run->held) {
		run->held = NULL;
		return job;
	}
	int got = -1;
	if (!job)
		error_no_memory(&err);
	else
		got = run->source->next(run->source->context, job, &err);
	if (got > 0)
		return job;
	if (got < 0)
		fail(run, &err);
	run->exhausted = true;
	if (job)
		give_back(run, job);
	return NULL;
}

/* Whether the job has to wait for its time; the timer rings then. */
static bool wait_for_time(struct delivery_run *run, struct job *job)
{
	struct error err;
	int64_t due = job->due_ns > run->next_start ? job->due_ns : run->next_start;
	if (due == 0 || due <= clock_monotonic_ns())
		return false;
	run->held = job;
	if (loop_timer_set(run->loop, &run->due_timer, due, &err) < 0)
		fail(run, &err);
	return true;
}

static void start(struct delivery_run *run, struct job *job)
{
	struct error err;
	int64_t interval = run->plan->options->rate.interval_ns;
	if (interval > 0)
		run->next_start = (run->next_start ? run->next_start : clock_monotonic_ns()) + interval;
	if (submit(run, job, &err) < 0) {
		fail(run, &err);
		give_back(run, job);
	}
}

/* Starts as many as may be in flight; ends the loop when all is done. */
static void fill(struct delivery_run *run)
{
	if (run->filling)
		return;
	run->filling = true;
	while (!run->exhausted || run->held) {
		unsigned busy = deliverer_in_flight(run->deliverer) + (unsigned)deliverer_queued(run->deliverer);
		if (busy >= run->plan->options->concurrency || (run->held && run->due_timer.place != 0))
			break;
		if (run->exhausted && run->held) {
			give_back(run, run->held);
			run->held = NULL;
			loop_timer_cancel(run->loop, &run->due_timer);
			break;
		}
		struct job *job = next_job(run);
		if (!job || wait_for_time(run, job))
			break;
		start(run, job);
	}
	run->filling = false;
	if (run->exhausted && !run->held && deliverer_idle(run->deliverer))
		loop_stop(run->loop);
}

static void on_due(void *context)
{
	fill(context);
}

static void on_signal(void *context, uint32_t events)
{
	struct delivery_run *run = context;
	(void)events;
	int number = signals_take(run->context->signals, false);
	if (number != SIGINT && number != SIGTERM)
		return;
	run->interrupted = run->exhausted = true;
	loop_timer_cancel(run->loop, &run->due_timer);
	if (deliverer_in_flight(run->deliverer) > 0)
		terminal_note(run->context->terminal, "interrupted: waiting for %u in flight; Ctrl-C again gives up",
		              deliverer_in_flight(run->deliverer));
	fill(run);
}

static void flush_results(void *context)
{
	struct delivery_run *run = context;
	if (run->context->terminal->out_is_tty || run->plan->options->concurrency == 1)
		terminal_flush(run->context->terminal);
}

static int exit_code_of(const struct delivery_run *run)
{
	const struct delivery_counts *c = &run->counts;
	uint64_t answered = c->outcomes[OUTCOME_ACCEPTED] + c->outcomes[OUTCOME_REJECTED];
	uint64_t unanswered = c->outcomes[OUTCOME_FAILED] + c->outcomes[OUTCOME_UNKNOWN];
	if (run->interrupted)
		return EXIT_CODE_INTERRUPTED;
	if (unanswered > 0 && answered == 0)
		return EXIT_CODE_UNDELIVERED;
	return unanswered > 0 || c->outcomes[OUTCOME_REJECTED] > 0 || c->late > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static int set_up(struct delivery_run *run, struct error *err)
{
	run->loop = loop_new(err);
	run->deliverer = run->loop ? deliverer_new(run->loop, &run->plan->http, err) : NULL;
	run->signal_io = (struct loop_io){ run->context->signals->fd, on_signal, run };
	run->due_timer = (struct loop_timer){ .ring = on_due, .context = run };
	if (!run->deliverer || loop_add(run->loop, &run->signal_io, EPOLLIN, err) < 0)
		return -1;
	return loop_at_turn_end(run->loop, flush_results, run, err);
}

static void tear_down(struct delivery_run *run)
{
	deliverer_free(run->deliverer);
	loop_free(run->loop);
	job_free(run->held);
	while (run->free_jobs) {
		struct job *next = run->free_jobs->next_free;
		job_free(run->free_jobs);
		run->free_jobs = next;
	}
	buffer_release(&run->out);
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
	if (check_plan(plan, err) < 0)
		return -1;
	struct job *job = calloc(1, sizeof *job);
	int got = job ? 1 : error_no_memory(err);
	while (got > 0 && !terminal_is_closed(context->terminal)) {
		job_clear(job);
		got = source->next(source->context, job, err);
		if (got > 0)
			delivery_tell_dry_run(context, plan, job);
	}
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
	run->source = source;
	int code = set_up(run, err);
	if (code == 0) {
		run->counts.started_ns = clock_monotonic_ns();
		fill(run);
		code = loop_run(run->loop, err);
		run->counts.ended_ns = clock_monotonic_ns();
	}
	if (code == 0) {
		terminal_flush(context->terminal);
		delivery_tell_summary(context, &run->counts, run->interrupted);
		code = exit_code_of(run);
		if (run->failed) {
			*err = run->error;
			code = -1;
		}
	}
	tear_down(run);
	free(run);
	return code;
}
