/*
 * A listener that is a function, and the world around it: waiting takes no time, and what it keeps is a table. For
 * tests of what a run finds out about a listener by what that keeps.
 *
 * A kind of keeper says what it does at the beginning of a request and at its end, which is a while later: on several
 * connections the beginnings come before the ends. What is kept is seen from `due_ns` on, and survives the end of the
 * process where it `is_on_disk`, or was seen already.
 */
#ifndef CREDHOOK_TESTS_PROBE_KEEPER_H
#define CREDHOOK_TESTS_PROBE_KEEPER_H

#include "base/clock.h"
#include "failing_memory.h"
#include "http/deliver.h"
#include "probe/probe_run.h"
#include "probe/unit.h"

#include <signal.h>
#include <stdio.h>

#define MS             CLOCK_NS_PER_MS
#define BODY_SIZE      768
#define KEPT_MOST      4000
#define VISITS_MOST    32
#define KEEPER_BEGAN_S INT64_C(1700000000) /* since 1970, when its clock showed 0 */
#define KEEPER_CHECKS  512                 /* a list of them */

struct keeper;

struct entry {
	char body[BODY_SIZE]; /* or another text */
	int64_t due_ns;       /* it is seen from then on */
	int64_t done_ns;      /* work on it is known to be done from then on; 0: at once */
	bool is_on_disk;
	unsigned times; /* that it came */
};

/* A request that is being served. */
struct visit {
	char body[BODY_SIZE];
	bool is_known;
	size_t seen; /* entries at its beginning */
	bool is_up;
	unsigned starts;
	struct keeper *keeper;
	struct exchange *exchange;
	struct loop_timer timer;
};

struct keeper_kind {
	const char *name;
	void (*begin)(struct keeper *keeper, struct visit *visit); /* NULL: nothing */
	int (*end)(struct keeper *keeper, struct visit *visit);    /* returns the status */
	void (*show)(struct keeper *keeper, struct buffer *out);
	void (*start)(struct keeper *keeper); /* NULL: nothing */
	int64_t takes_ns;                     /* a request; 0: 1 ms */
};

struct keeper {
	const struct keeper_kind *kind;
	struct entry *kept;
	size_t count;
	char (*known)[BODY_SIZE]; /* which have been marked */
	size_t known_count;
	int64_t now_ns;
	bool is_up;
	bool drops_at_sigterm; /* what came in the last second */
	bool is_supervised;    /* somebody starts it again a second after its end */
	int64_t ended_ns;
	unsigned starts, requests, looks;
	int64_t look_takes_ns;      /* behind what it shows; 0: 2 ms before that */
	unsigned dies_at, fails_at; /* the request that ends it, the look from which on it cannot be seen; 0: none */
	const char *dies_of;        /* each request with this in its body does; NULL: none */
	/* 503 for so long after each start; 0 for the longer one: behind the first start, the same. */
	int64_t started_ns, recovers_ns, recovers_longer_ns;
	int64_t slower_ns;       /* by which each entry that is kept makes each request slower */
	const char *slow_behind; /* so does each request behind one with this in its body, by 300 ms; NULL: none */
	bool is_slow;
	/* Each request with this in its body ends it so long after its beginning; and where it is kept, each start
	 * does. */
	const char *poison;
	int64_t poison_ns, poison_due_ns;
	bool breaks; /* such a request does not end it: what follows gets a 500 */
	bool is_broken;
	unsigned customers_most; /* probe_options' */
	struct deliver_options http;
	struct loop_clock clock;
	struct probe_world world;
	struct listener_control control;
	struct listener listener;
};

/* What keepers do. */

/* The value of the key, where it stands first in the body. */
static inline const char *value_of(const char *body, const char *key, char out[BODY_SIZE])
{
	char quoted[64];
	size_t length = 0;
	snprintf(quoted, sizeof quoted, "\"%s\"", key);
	const char *at = strstr(body, quoted);
	if (at) {
		at += strlen(quoted);
		at += strspn(at, ": \"");
		length = strcspn(at, "\",}");
	}
	snprintf(out, BODY_SIZE, "%.*s", (int)length, at ? at : "");
	return out;
}

static inline bool is_seen(const struct keeper *k, const struct entry *e)
{
	return e->due_ns <= k->now_ns;
}

static inline struct entry *find(struct keeper *k, const char *body)
{
	for (size_t i = 0; i < k->count; i++)
		if (strcmp(k->kept[i].body, body) == 0)
			return &k->kept[i];
	return NULL;
}

static inline struct entry *add(struct keeper *k, const char *body, int64_t in_ns, bool is_on_disk)
{
	assert_true(k->count < KEPT_MOST);
	struct entry *e = &k->kept[k->count++];
	*e = (struct entry){ .due_ns = k->now_ns + in_ns, .is_on_disk = is_on_disk, .times = 1 };
	snprintf(e->body, sizeof e->body, "%s", body);
	return e;
}

/* Returns whether it was not known. */
static inline bool mark(struct keeper *k, const char *text)
{
	for (size_t i = 0; i < k->known_count; i++)
		if (strcmp(k->known[i], text) == 0)
			return false;
	assert_true(k->known_count < KEPT_MOST);
	snprintf(k->known[k->known_count++], BODY_SIZE, "%s", text);
	return true;
}

static inline void show_rows(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (is_seen(k, &k->kept[i]))
			buffer_printf(out, "%zu|%s\n", i + 1, k->kept[i].body);
}

static inline void show_number(struct keeper *k, struct buffer *out)
{
	size_t count = 0;
	for (size_t i = 0; i < k->count; i++)
		count += is_seen(k, &k->kept[i]);
	buffer_printf(out, "%zu\n", count);
}

static inline int keep(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 0, true);
	return 200;
}

/* Its process. */

static inline void keeper_die(struct keeper *k)
{
	size_t left = 0;
	k->is_up = false;
	k->ended_ns = k->now_ns;
	for (size_t i = 0; i < k->count; i++)
		if (k->kept[i].is_on_disk || is_seen(k, &k->kept[i]))
			k->kept[left++] = k->kept[i];
	k->count = left;
}

static inline void keeper_start(struct keeper *k)
{
	k->is_up = true;
	k->is_broken = false;
	k->starts++;
	k->started_ns = k->listener.started_ns = k->now_ns;
	k->poison_due_ns = 0;
	for (size_t i = 0; k->poison && i < k->count; i++)
		if (strstr(k->kept[i].body, k->poison))
			k->poison_due_ns = k->now_ns + k->poison_ns;
	if (k->kind->start)
		k->kind->start(k);
}

static inline int keeper_start_process(void *context)
{
	struct keeper *k = context;
	k->now_ns += 50 * MS;
	keeper_start(k);
	return 0;
}

static inline void keeper_signal(void *context, int number)
{
	struct keeper *k = context;
	assert_true(number == SIGTERM || number == SIGKILL);
	for (size_t i = 0; k->is_up && k->drops_at_sigterm && number == SIGTERM && i < k->count; i++)
		if (k->kept[i].due_ns + CLOCK_NS_PER_S > k->now_ns)
			k->kept[i--] = k->kept[--k->count];
	if (k->is_up)
		keeper_die(k);
}

static inline bool keeper_runs(void *context)
{
	return ((const struct keeper *)context)->is_up;
}

/* Time. Whoever supervises it looks whenever some has passed. */

static inline int64_t keeper_now(void *context)
{
	return ((const struct keeper *)context)->now_ns;
}

static inline void keeper_wait_until(void *context, int64_t due)
{
	struct keeper *k = context;
	k->now_ns = due > k->now_ns ? due : k->now_ns;
	if (k->is_up && k->poison_due_ns > 0 && k->now_ns >= k->poison_due_ns)
		keeper_die(k);
	if (!k->is_up && k->is_supervised && k->now_ns >= k->ended_ns + CLOCK_NS_PER_S)
		keeper_start(k);
}

static inline enum world_look keeper_look(void *context)
{
	struct keeper *k = context;
	keeper_wait_until(k, k->now_ns + MS);
	return k->is_up ? WORLD_ACCEPTS : WORLD_REFUSES;
}

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
		e->outcome = e->status > 0 ? DELIVER_RESPONDED : v->is_up ? DELIVER_UNKNOWN : DELIVER_FAILED;
		e->failure = v->is_up ? DELIVER_NO_FAILURE : DELIVER_REFUSED;
		e->transient = !v->is_up;
		snprintf(e->message, sizeof e->message, "%s",
		         is_there   ? ""
		         : v->is_up ? "the server closed the connection without a response"
		                    : "connection refused");
		e->response.body = text_of("");
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
	int64_t takes = (k->kind->takes_ns > 0 ? k->kind->takes_ns : MS) + (int64_t)k->count * k->slower_ns;
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

/* A run. */

struct keeper_run {
	struct probe_plan plan;
	struct probe_summary summary;
	struct error err;
	int code;
	size_t ended; /* checks, as the observer was told */
};

static inline void on_causes(void *context, const struct cause *causes, size_t count)
{
	(void)context, (void)causes, (void)count;
}

static inline void on_check(void *context, const struct probe_check *check)
{
	((struct keeper_run *)context)->ended += check->chosen;
}

static inline void on_group(void *context, const char *group)
{
	(void)context, (void)group;
}

static inline void on_interrupted(void *context, size_t in_flight)
{
	(void)context, (void)in_flight;
}

static inline void on_unended(void *context, const struct probe_check *check)
{
	(void)context, (void)check;
}

static inline int64_t on_progress(void *context, size_t ended, size_t total, const struct probe_check *at, int64_t now)
{
	(void)context, (void)ended, (void)total, (void)at, (void)now;
	return 0;
}

static const struct probe_observer keeper_observer = { on_causes,  on_check,    on_group, on_interrupted,
	                                               on_unended, on_progress, NULL };

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

/* A plan takes longer to make than many a run takes. So the last one is made once, of the checks that are chosen and of
 * those of `deliver`, by whose choice the run knows what is delivered anyway; a run has a copy. */
struct keeper_plan {
	char checks[KEEPER_CHECKS];
	bool is_ours;
	struct probe_plan made;
};

static inline void keeper_make_plan(struct keeper_plan *kept, const char *checks, bool is_ours)
{
	char words[KEEPER_CHECKS], unwanted[] = "still-up";
	struct probe_plan *plan = &kept->made;
	struct error err;
	size_t left = 0;
	probe_plan_release(plan);
	snprintf(kept->checks, sizeof kept->checks, "%s", checks);
	snprintf(words, sizeof words, "%s", checks);
	kept->is_ours = is_ours;
	struct text_list wanted = words_of(words), none = { 0 },
	                 skipped = strstr(checks, "still-up") ? none : words_of(unwanted);
	struct probe_choice choice = { .wanted = &wanted,
		                       .skipped = &skipped,
		                       .expected = &none,
		                       .level = PROBE_NORMAL,
		                       .invalid = PROBE_INVALID_AUTO,
		                       .observes = true,
		                       .starts = is_ours };
	assert_int_equal(probe_plan_init(plan, &choice, &err), 0);
	text_list_release(&wanted);
	text_list_release(&skipped);
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i], last = plan->checks[left];
		if (!check->chosen && check->row->expansion != PROBE_KINDS)
			continue;
		plan->checks[left++] = *check;
		*check = last;
	}
	for (size_t i = left; i < plan->count; i++) {
		free(plan->checks[i].id);
		buffer_release(&plan->checks[i].expected.text);
	}
	plan->count = left;
}

static inline struct probe_options keeper_options(struct keeper *k, struct probe_plan *plan, bool is_ours)
{
	return (struct probe_options){ .plan = plan,
		                       .http = &k->http,
		                       .seed = 7,
		                       .store = { keeper_read, k },
		                       .listener = is_ours ? &k->listener : NULL,
		                       .customers_most = k->customers_most,
		                       .named = true,
		                       .world = k->world };
}

/* A plan for the run. */
static inline void keeper_plan(struct keeper_run *run, const char *checks, bool is_ours)
{
	static struct keeper_plan last;
	if (strcmp(last.checks, checks) != 0 || last.is_ours != is_ours)
		keeper_make_plan(&last, checks, is_ours);
	*run = (struct keeper_run){ .plan = last.made };
	run->plan.checks = calloc(last.made.count, sizeof *run->plan.checks);
	assert_non_null(run->plan.checks);
	memcpy(run->plan.checks, last.made.checks, last.made.count * sizeof *run->plan.checks);
}

/* Plays the checks, separated by spaces. `is_ours`: its process is. Release the run. */
static inline void keeper_play(struct keeper *k, const char *checks, bool is_ours, struct keeper_run *run)
{
	struct probe_observer own = keeper_observer;
	unsigned long failing = fail_at;
	fail_at = 0;
	keeper_plan(run, checks, is_ours);
	own.context = run;
	struct probe_options options = keeper_options(k, &run->plan, is_ours);
	allocations = 0;
	fail_at = failing;
	run->code = probe_run(&options, &own, &run->summary, &run->err);
	fail_at = 0;
}

static inline void keeper_run_release(struct keeper_run *run)
{
	probe_summary_release(&run->summary);
	for (size_t i = 0; i < run->plan.count; i++) {
		struct probe_result *r = &run->plan.checks[i].result;
		struct buffer *all[] = { &r->log, &r->request.head, &r->request.body, &r->response.head,
			                 &r->response.body };
		for (size_t b = 0; b < sizeof all / sizeof all[0]; b++)
			buffer_release(all[b]);
	}
	free(run->plan.checks);
}

static inline bool has_failed(const struct probe_check *check)
{
	enum grade bad = check->level == PROBE_MUST ? GRADE_FAIL : GRADE_WARN;
	return check->chosen && check->level != PROBE_NOTE && check->result.ended && check->result.verdict == bad;
}

/* Whether the id is one of the words, or begins with one. */
static inline bool is_one_of(const char *id, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		if (length > 0 && strncmp(id, at, length) == 0)
			return true;
		at += length;
	}
	return false;
}

#endif
