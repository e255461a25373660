/* The world around a keeper: what sends to it, and what --observe prints. */
#ifndef CREDHOOK_TESTS_PROBE_KEEPER_WORLD_H
#define CREDHOOK_TESTS_PROBE_KEEPER_WORLD_H

#include "failing_memory.h"
#include "keeper.h"

#define VISITS_MOST 64

/* What sends. */

struct deliverer {
	struct loop *loop;
	struct keeper *keeper;
	unsigned concurrency, in_flight;
	struct visit visits[VISITS_MOST];
};

static inline struct deliverer *keeper_make(struct loop *loop, const struct deliver_options *options, struct error *err)
{
	struct deliverer *d = calloc(1, sizeof *d);
	if (!d)
		return error_no_memory_null(err);
	d->loop = loop;
	d->concurrency = options->concurrency;
	d->keeper = (struct keeper *)(uintptr_t)options->may_connect_context;
	return d;
}

static inline void keeper_free(struct deliverer *d)
{
	for (size_t i = 0; d && i < VISITS_MOST; i++)
		loop_timer_cancel(d->loop, &d->visits[i].timer);
	free(d);
}

static inline unsigned keeper_room(const struct deliverer *d)
{
	return d->concurrency - d->in_flight;
}

static inline void keeper_respond(void *context)
{
	struct deliverer *d = context;
	struct keeper *k = d->keeper;
	for (size_t i = 0; i < VISITS_MOST; i++) {
		struct visit *v = &d->visits[i];
		struct exchange *e = v->exchange;
		if (!e || v->timer.is_set)
			continue;
		bool is_there = v->is_up && k->is_up && v->starts == k->starts;
		if (is_there && k->breaks && k->dies_of && strstr(v->body, k->dies_of))
			k->is_broken = true;
		bool is_payload = strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {");
		bool is_longer = k->starts > 1 && k->recovers_longer_ns > 0;
		bool is_busy = k->now_ns < k->started_ns + (is_longer ? k->recovers_longer_ns : k->recovers_ns);
		e->status = !is_there ? 0 : is_busy ? 503 : k->is_broken ? 500 : k->kind->end(k, v);
		e->status = e->status == 200 && !is_payload ? 400 : e->status;
		e->outcome = v->is_endless             ? DELIVER_UNKNOWN
		             : e->status > 0           ? DELIVER_RESPONDED
		             : v->is_up && !v->is_late ? DELIVER_UNKNOWN
		                                       : DELIVER_FAILED;
		e->failure = v->is_late || v->is_endless ? DELIVER_TIMED_OUT
		             : v->is_up                  ? DELIVER_NO_FAILURE
		                                         : DELIVER_REFUSED;
		e->transient = !v->is_up;
		snprintf(e->message, sizeof e->message, "%s",
		         is_there   ? ""
		         : v->is_up ? "the server closed the connection without a response"
		                    : "connection refused");
		e->response.body = text_of(v->words ? v->words : "");
		e->finished_ns = k->now_ns;
		e->latency_ns = e->finished_ns - e->started_ns;
		v->exchange = NULL;
		d->in_flight--;
		e->done(e->context, e);
	}
}

static inline bool keeper_submit(struct deliverer *d, struct exchange *e)
{
	struct keeper *k = d->keeper;
	struct visit *v = d->visits;
	while (v->exchange)
		v++;
	*v = (struct visit){ .exchange = e, .timer = { .fire = keeper_respond, .context = d }, .keeper = k };
	assert_true(v < d->visits + VISITS_MOST && e->request.body.length < BODY_SIZE);
	for (size_t i = 0; i < e->request.body.length; i++)
		v->body[i] = e->request.body.text[i] == '\n' ? ' ' : e->request.body.text[i];
	e->outcome = DELIVER_PENDING;
	e->status = 0;
	e->message[0] = '\0';
	e->started_ns = k->now_ns;
	d->in_flight++;
	v->is_up = k->is_up;
	v->starts = k->starts;
	e->sent_ns = k->is_up ? k->now_ns : 0;
	k->requests += k->is_up;
	bool dies =
	        k->is_up && (k->requests == k->dies_at || (!k->breaks && k->dies_of && strstr(v->body, k->dies_of)));
	if (k->is_up && k->poison && strstr(v->body, k->poison))
		k->poison_due_ns = k->now_ns + k->poison_ns;
	if (dies)
		keeper_die(k);
	else if (k->is_up && k->kind->begin)
		k->kind->begin(k, v);
	int64_t usual = k->takes_ns > 0 ? k->takes_ns : k->kind->takes_ns > 0 ? k->kind->takes_ns : MS;
	int64_t takes = usual + (int64_t)k->count * k->slower_ns;
	loop_timer_set(d->loop, &v->timer, k->now_ns + takes + (k->is_slow ? 300 * MS : 0));
	k->is_slow |= k->slow_behind && strstr(v->body, k->slow_behind);
	return true;
}

static const struct pool_deliverer keeper_deliverer = { keeper_make, keeper_room, keeper_submit, keeper_free };

/* What --observe prints. */
static inline int keeper_read(void *context, struct buffer *text, struct error *err)
{
	struct keeper *k = context;
	if (k->look_takes_ns == 0)
		keeper_wait_until(k, k->now_ns + 2 * MS);
	if (++k->looks >= k->fails_at && k->fails_at > 0)
		return error_set(err, EXIT_CODE_IO, "the command failed with exit code 7");
	k->kind->show(k, text);
	keeper_wait_until(k, k->now_ns + k->look_takes_ns);
	return text->failed ? error_no_memory(err) : 0;
}

/* Memory that a run has given back is not given back to the system, which would take longer than many a run. */
#ifdef __GLIBC__
#include <malloc.h>
__attribute__((constructor)) static void keep_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 26);
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	mallopt(M_TOP_PAD, 1 << 24);
}
#endif

static inline void keeper_open(struct keeper *k, const struct keeper_kind *kind)
{
	static struct entry kept[KEPT_MOST]; /* of one at a time; what is behind their counts is not read */
	static char known[KEPT_MOST][BODY_SIZE];
	fail_at = 0;
	*k = (struct keeper){ .kind = kind, .kept = kept, .known = known };
	k->now_ns = CLOCK_NS_PER_S;
	k->http = (struct deliver_options){ .url = "http://127.0.0.1:1/hook",
		                            .max_time_ns = 10 * CLOCK_NS_PER_S,
		                            .may_connect_context = k };
	k->clock = (struct loop_clock){ keeper_now, keeper_wait_until, k };
	k->control = (struct listener_control){ keeper_start_process, keeper_signal, keeper_runs, NULL, k };
	k->world = (struct probe_world){ .clock = &k->clock,
		                         .began_s = KEEPER_BEGAN_S,
		                         .deliverer = &keeper_deliverer,
		                         .look = keeper_look,
		                         .context = k };
	k->listener.control = &k->control;
	k->listener.world = &k->world;
	k->listener.http = &k->http;
	k->listener.wait_ns = 5 * CLOCK_NS_PER_S;
	keeper_start(k);
}

#endif
