#include "probe/play/requests.h"

#include "http/head.h"
#include "http/raw.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/raw_request.h"
#include "probe/play/recovery.h"
#include "probe/play/verdict.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_REQUESTS_MAX 2

unsigned requests_of(const struct probe_check *check)
{
	return check->row->requests > 0 ? check->row->requests : 1;
}

int request_make(struct player *p, const struct probe_check *check, unsigned number, struct job *job, struct error *err)
{
	p->maker.check = check;
	p->maker.number = number;
	p->maker.job = job;
	return check->row->make(&p->maker, err);
}

struct sending {
	struct player *player;
	request_next *next;
	request_ended *on_attempt;
	void *context;
	struct deliver_policy *policy;
	bool is_first; /* after a start: it alone is sent */
	bool is_made;
	unsigned in_flight;
};

static enum job_got next_of(void *context, struct job *job, struct error *err)
{
	struct sending *s = context;
	if (s->is_first && s->is_made)
		return JOB_NONE;
	/* Whoever asks over what it has ended, and sends on, has all responses: none is taken for a later one's. */
	if (s->in_flight > 0 && presence_is_doubtful(s->player))
		return JOB_NONE;
	s->is_made = true;
	enum job_got got = s->next(s->context, job, err);
	s->in_flight += got == JOB_FILLED;
	return got;
}

static bool on_attempt(void *context, const struct job *job)
{
	struct sending *s = context;
	s->in_flight -= job->final;
	if (s->is_first && recovery_takes(s->player, job, &s->policy->retry))
		return true;
	page_responses_add(&s->player->summary->pages, &job->exchange);
	return s->on_attempt(s->context, job);
}

static void on_interrupted(void *context, size_t in_flight)
{
	const struct sending *s = context;
	s->player->observer->interrupted(s->player->observer->context, in_flight);
}

int64_t requests_show_progress(const struct player *p, int64_t now_ns)
{
	const struct probe_plan *plan = p->options->plan;
	size_t ended = 0;
	for (size_t i = 0; i < p->at; i++)
		ended += plan->checks[i].chosen && !plan->checks[i].aside;
	const struct probe_check *at = p->at < plan->count ? &plan->checks[p->at] : NULL;
	return p->observer->progress(p->observer->context, ended, p->total, at, now_ns);
}

static int64_t on_turn_end(void *context, const struct delivery_state *state)
{
	return requests_show_progress(((const struct sending *)context)->player, state->now_ns);
}

/* One run of deliveries. */
static int deliver(struct player *p, struct sending *sending, const struct deliver_options *http, unsigned connections,
                   struct error *err)
{
	struct delivery_observer observer = { on_attempt, on_interrupted, on_turn_end, NULL, sending };
	struct job_source source = { next_of, NULL, sending };
	struct deliver_policy policy = { .concurrency = connections,
		                         .http = http,
		                         .signals = p->options->signals,
		                         .deliverer = p->options->world.deliverer,
		                         .clock = p->options->world.clock };
	struct delivery_result *result = calloc(1, sizeof *result);
	if (!result)
		return error_no_memory(err);
	if (sending->is_first)
		policy.retry = recovery_retry;
	sending->policy = &policy;
	int code = run_deliveries(&policy, &source, &observer, result, err);
	if (code == 0 && result->counts.interrupted)
		p->summary->stop = PROBE_INTERRUPTED;
	free(result);
	return code;
}

int requests_send(struct player *p, request_next *next, request_ended *ended, void *context, unsigned connections,
                  const char *header, struct error *err)
{
	struct sending sending = { .player = p, .next = next, .on_attempt = ended, .context = context };
	struct deliver_options http = *p->options->http;
	struct header *headers = calloc(http.header_count + 1, sizeof *headers);
	int code = headers ? 0 : error_no_memory(err);
	for (size_t i = 0; code == 0 && i < http.header_count; i++)
		headers[i] = http.headers[i];
	if (code == 0 && header)
		code = header_read_option(header, strlen(header), &headers[http.header_count++], err);
	http.headers = headers;
	http.fresh_connections = true;
	if (code == 0 && recovery_interrupts(p)) {
		sending.is_first = p->recovery.is_under_way = true;
		code = deliver(p, &sending, &http, 1, err);
		sending.is_first = p->recovery.is_under_way = false;
	}
	if (code == 0 && !player_is_over(p))
		code = deliver(p, &sending, &http, connections, err);
	free(headers);
	return code;
}

/* Makes and exchanges them once. */
static int exchange_script(struct player *p, const struct probe_check *check, struct job *const *jobs,
                           struct error *err)
{
	struct raw_script script = { .step_count = 0 };
	int code = 0;
	for (unsigned i = 0; code == 0 && i < requests_of(check); i++) {
		job_clear(jobs[i]);
		code = request_make(p, check, i, jobs[i], err);
	}
	if (code == 0)
		code = probe_script(check->row, p->options->http, jobs, &script, err);
	if (code == 0)
		code = raw_exchange(p->options->http, &script, p->options->signals, &jobs[0]->exchange, err);
	buffer_release(&script.text);
	/* A signal that no delivery took ends the run here: what it has cut short is not the listener's. */
	int number = p->options->signals ? signals_take(p->options->signals) : 0;
	if (number == SIGINT || number == SIGTERM)
		p->summary->stop = PROBE_INTERRUPTED;
	return code;
}

int requests_send_script(struct player *p, struct probe_check *check, request_ended *ended, void *context,
                         struct error *err)
{
	struct job *jobs[SCRIPT_REQUESTS_MAX] = { calloc(1, sizeof *jobs[0]), calloc(1, sizeof *jobs[0]) };
	struct retry_policy retry = recovery_retry;
	bool is_again = recovery_interrupts(p), is_over = false;
	int code = jobs[0] && jobs[1] ? 0 : error_no_memory(err);
	for (unsigned times = 1; code == 0 && !is_over; times++) {
		code = exchange_script(p, check, jobs, err);
		jobs[0]->attempt = times;
		jobs[0]->final = jobs[0]->exchange.status != retry.only || retry.attempts == 0;
		is_over = player_is_over(p) || !is_again || code < 0 || !recovery_takes(p, jobs[0], &retry);
		if (!is_over)
			player_wait(p, retry.delay_ns);
	}
	if (code == 0 && !player_is_over(p)) {
		jobs[0]->record = (size_t)(check - p->options->plan->checks) + 1;
		job_request(jobs[0]);
		ended(context, jobs[0]);
	}
	for (unsigned i = 0; i < SCRIPT_REQUESTS_MAX; i++)
		job_free(jobs[i]);
	return code;
}

bool request_can_be_sent_again(const struct probe_check *check)
{
	return check->row->make && (!check->row->play || check->row->framing);
}

/* A check that is sent again. */
struct again {
	struct player *player;
	struct probe_check *check;
	unsigned number;
	struct request_outcome *outcome;
};

static enum job_got next_again(void *context, struct job *job, struct error *err)
{
	struct again *a = context;
	if (player_is_over(a->player) || a->number == (a->check->after ? 1 : requests_of(a->check)))
		return JOB_NONE;
	if (request_make(a->player, a->check, a->number++, job, err) == 0)
		return JOB_FILLED;
	job_clear(job);
	return err->code == EXIT_CODE_USAGE ? JOB_NONE : JOB_FAILED;
}

static bool on_again(void *context, const struct job *job)
{
	struct request_outcome *outcome = ((struct again *)context)->outcome;
	const struct exchange *x = &job->exchange;
	outcome->is_refused |= x->failure == DELIVER_REFUSED;
	outcome->is_accepted &= probe_was_accepted(x);
	return true;
}

int requests_send_again(struct player *p, struct probe_check *check, struct request_outcome *outcome, struct error *err)
{
	const struct probe_row *row = check->row;
	const struct probe_session kept = p->maker.session;
	const struct page_responses pages = p->summary->pages;
	struct again again = { p, check, 0, outcome };
	*outcome = (struct request_outcome){ .is_accepted = true };
	int code = row->framing ? requests_send_script(p, check, on_again, &again, err)
	                        : requests_send(p, next_again, on_again, &again, row->connections, row->header, err);
	if (row->framing && code < 0 && err->code == EXIT_CODE_USAGE) /* it cannot be made: what is known of it stays */
		code = 0;
	p->maker.session = kept;
	p->summary->pages = pages; /* they are counted already */
	return code;
}
