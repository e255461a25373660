/*
 * A listener that is a function: waiting takes no time, and what it keeps is a table. For tests of what a run finds out
 * about a listener by what that keeps. The world around it is keeper_world.h, a run in front of it keeper_run.h.
 *
 * A kind of keeper says what it does at the beginning of a request and at its end, which is a while later: on several
 * connections the beginnings come before the ends. What is kept is seen from `due_ns` on, and survives the end of the
 * process where it `is_on_disk`, or was seen already.
 */
#ifndef CREDHOOK_TESTS_PROBE_KEEPER_H
#define CREDHOOK_TESTS_PROBE_KEEPER_H

#include "base/clock.h"
#include "http/deliver.h"
#include "probe/probe_run.h"
#include "probe/unit.h"

#include <signal.h>
#include <stdio.h>

#define MS             CLOCK_NS_PER_MS
#define BODY_SIZE      768
#define KEPT_MOST      4000
#define KEEPER_BEGAN_S INT64_C(1700000000) /* since 1970, when its clock showed 0 */

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
	bool is_late;      /* no connection is accepted in time */
	bool is_endless;   /* the response has a head, and nothing that says where it ends */
	const char *words; /* of the response; NULL: none */
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
	int64_t takes_ns;        /* each request; 0: as its kind says */
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
	bool is_deep;            /* the same */
	const struct edits *edits;
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

#endif
