#include "base/loop.h"

#include "base/clock.h"
#include "base/loop_poller.h"

#include <stdlib.h>

struct loop {
	struct poller *poller;
	bool stopped;
	const struct loop_clock *clock; /* NULL: the system's */
	struct loop_timer *timers;      /* root of the heap; NULL: none is set */
	size_t timer_count;
	struct {
		void (*done)(void *context);
		void *context;
	} turn_ends[LOOP_TURN_ENDS];
	size_t turn_end_count;
};

struct loop *loop_new(struct error *err)
{
	struct loop *loop = calloc(1, sizeof *loop);
	if (!loop)
		return error_no_memory_null(err);
	loop->poller = poller_new(err);
	if (loop->poller)
		return loop;
	free(loop);
	return NULL;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	poller_free(loop->poller);
	free(loop);
}

int loop_add(struct loop *loop, struct loop_io *io, uint32_t events, struct error *err)
{
	return poller_add(loop->poller, io, events, err);
}

void loop_change(struct loop *loop, struct loop_io *io, uint32_t events)
{
	poller_change(loop->poller, io, events);
}

void loop_remove(struct loop *loop, struct loop_io *io)
{
	poller_remove(loop->poller, io);
}

/* The timers are a pairing heap: setting one takes constant time, removing the earliest logarithmic time, amortised. */

/* Merges two heaps; either may be NULL. */
static struct loop_timer *meld(struct loop_timer *a, struct loop_timer *b)
{
	if (!a || !b)
		return a ? a : b;
	struct loop_timer *top = b->due < a->due ? b : a, *below = top == a ? b : a;
	below->next = top->child;
	below->back = top;
	if (top->child)
		top->child->back = below;
	top->child = below;
	return top;
}

/* Merges a list of siblings: in pairs from the first to the last, then the pairs from the last to the first. */
static struct loop_timer *meld_all(struct loop_timer *first)
{
	struct loop_timer *pairs = NULL, *all = NULL;
	while (first) {
		struct loop_timer *second = first->next, *rest = second ? second->next : NULL;
		first->next = first->back = NULL;
		if (second)
			second->next = second->back = NULL;
		struct loop_timer *pair = meld(first, second);
		pair->next = pairs;
		pairs = pair;
		first = rest;
	}
	while (pairs) {
		struct loop_timer *rest = pairs->next;
		pairs->next = NULL;
		all = meld(all, pairs);
		pairs = rest;
	}
	return all;
}

void loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
	if (!timer->is_set)
		return;
	struct loop_timer *below = meld_all(timer->child);
	if (timer == loop->timers) {
		loop->timers = below;
	} else {
		*(timer->back->child == timer ? &timer->back->child : &timer->back->next) = timer->next;
		if (timer->next)
			timer->next->back = timer->back;
		loop->timers = meld(loop->timers, below);
	}
	timer->child = timer->next = timer->back = NULL;
	timer->is_set = false;
	loop->timer_count--;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due)
{
	loop_timer_cancel(loop, timer);
	timer->due = due;
	timer->is_set = true;
	loop->timers = meld(loop->timers, timer);
	loop->timer_count++;
}

int loop_at_turn_end(struct loop *loop, void (*done)(void *context), void *context, struct error *err)
{
	if (loop->turn_end_count == LOOP_TURN_ENDS)
		return error_set(err, EXIT_CODE_INTERNAL, "too many callbacks at the end of a turn");
	loop->turn_ends[loop->turn_end_count].done = done;
	loop->turn_ends[loop->turn_end_count++].context = context;
	return 0;
}

void loop_cancel_turn_end(struct loop *loop, void (*done)(void *context), const void *context)
{
	size_t kept = 0;
	for (size_t i = 0; i < loop->turn_end_count; i++)
		if (loop->turn_ends[i].done != done || loop->turn_ends[i].context != context)
			loop->turn_ends[kept++] = loop->turn_ends[i];
	loop->turn_end_count = kept;
}

void loop_set_clock(struct loop *loop, const struct loop_clock *clock)
{
	loop->clock = clock;
}

int64_t loop_now(const struct loop *loop)
{
	return loop->clock ? loop->clock->now(loop->clock->context) : clock_monotonic_ns();
}

static void fire_due_timers(struct loop *loop)
{
	if (!loop->timers)
		return;
	int64_t now = loop_now(loop);
	/* Bounded by the number of timers, so that a timer that sets itself in the past cannot block the loop. */
	for (size_t left = loop->timer_count; left > 0 && loop->timers; left--) {
		struct loop_timer *timer = loop->timers;
		if (timer->due > now)
			break;
		loop_timer_cancel(loop, timer);
		if (timer->fire)
			timer->fire(timer->context);
	}
}

int loop_turn(struct loop *loop, struct error *err)
{
	int64_t due = loop->timers ? loop->timers->due : POLLER_FOREVER;
	bool only_looks = loop->clock && loop->timers;
	int was_ready = poller_wait(loop->poller, only_looks ? POLLER_LOOKS : due, err);
	if (was_ready < 0)
		return -1;
	if (!was_ready && only_looks && loop->timers->due > loop_now(loop))
		loop->clock->wait_until(loop->clock->context, loop->timers->due);
	fire_due_timers(loop);
	for (size_t i = 0; i < loop->turn_end_count; i++)
		loop->turn_ends[i].done(loop->turn_ends[i].context);
	return 0;
}

int loop_run(struct loop *loop, struct error *err)
{
	while (!loop->stopped)
		if (loop_turn(loop, err) < 0)
			return -1;
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
