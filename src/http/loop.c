#include "http/loop.h"

#include "base/buffer.h"
#include "base/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define BATCH 256

struct loop {
	int epoll_fd;
	int timer_fd;
	int64_t armed; /* what timer_fd is set to; 0: nothing */
	bool stopped;
	struct epoll_event batch[BATCH]; /* of the turn under way; data.ptr NULL: removed meanwhile */
	int batch_count;
	struct loop_timer **heap; /* from index 1; the earliest first */
	size_t heap_count;
	size_t heap_capacity;
	struct {
		void (*done)(void *context);
		void *context;
	} turn_ends[LOOP_TURN_ENDS];
	size_t turn_end_count;
};

struct loop *loop_new(struct error *err)
{
	struct loop *loop = calloc(1, sizeof *loop);
	if (!loop) {
		error_no_memory(err);
		return NULL;
	}
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	/* timerfd, not epoll's own timeout: that counts whole milliseconds, and replay starts within one. */
	loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = loop };
	if (loop->epoll_fd < 0 || loop->timer_fd < 0 ||
	    epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->timer_fd, &event) < 0) {
		error_set(err, EXIT_CODE_INTERNAL, "cannot make an event loop: %s", strerror(errno));
		loop_free(loop);
		return NULL;
	}
	return loop;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	if (loop->timer_fd >= 0)
		close(loop->timer_fd);
	free(loop->heap);
	free(loop);
}

int loop_add(struct loop *loop, struct loop_io *io, uint32_t events, struct error *err)
{
	struct epoll_event event = { .events = events, .data.ptr = io };
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, io->fd, &event) < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot watch descriptor %d: %s", io->fd, strerror(errno));
	return 0;
}

void loop_change(struct loop *loop, struct loop_io *io, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = io };
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, io->fd, &event);
}

void loop_remove(struct loop *loop, struct loop_io *io)
{
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
	for (int i = 0; i < loop->batch_count; i++)
		if (loop->batch[i].data.ptr == io)
			loop->batch[i].data.ptr = NULL;
}

static void heap_put(struct loop *loop, size_t place, struct loop_timer *timer)
{
	loop->heap[place] = timer;
	timer->place = place;
}

static void heap_move_up(struct loop *loop, size_t place, struct loop_timer *timer)
{
	while (place > 1 && loop->heap[place / 2]->due > timer->due) {
		heap_put(loop, place, loop->heap[place / 2]);
		place /= 2;
	}
	heap_put(loop, place, timer);
}

static void heap_move_down(struct loop *loop, size_t place, struct loop_timer *timer)
{
	for (;;) {
		size_t child = place * 2;
		if (child > loop->heap_count)
			break;
		if (child < loop->heap_count && loop->heap[child + 1]->due < loop->heap[child]->due)
			child++;
		if (loop->heap[child]->due >= timer->due)
			break;
		heap_put(loop, place, loop->heap[child]);
		place = child;
	}
	heap_put(loop, place, timer);
}

int loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due, struct error *err)
{
	if (timer->place != 0) {
		int64_t before = timer->due;
		timer->due = due;
		if (due < before)
			heap_move_up(loop, timer->place, timer);
		else
			heap_move_down(loop, timer->place, timer);
		return 0;
	}
	struct loop_timer **grown =
	        array_grow(loop->heap, &loop->heap_capacity, loop->heap_count + 2, sizeof(struct loop_timer *));
	if (!grown)
		return error_no_memory(err);
	loop->heap = grown;
	timer->due = due;
	heap_move_up(loop, ++loop->heap_count, timer);
	return 0;
}

void loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
	size_t place = timer->place;
	if (place == 0)
		return;
	timer->place = 0;
	struct loop_timer *last = loop->heap[loop->heap_count--];
	if (last == timer)
		return;
	if (place > 1 && loop->heap[place / 2]->due > last->due)
		heap_move_up(loop, place, last);
	else
		heap_move_down(loop, place, last);
}

int loop_at_turn_end(struct loop *loop, void (*done)(void *context), void *context, struct error *err)
{
	if (loop->turn_end_count == LOOP_TURN_ENDS)
		return error_set(err, EXIT_CODE_INTERNAL, "too many duties at the end of a turn");
	loop->turn_ends[loop->turn_end_count].done = done;
	loop->turn_ends[loop->turn_end_count++].context = context;
	return 0;
}

void loop_not_at_turn_end(struct loop *loop, void (*done)(void *context), const void *context)
{
	size_t kept = 0;
	for (size_t i = 0; i < loop->turn_end_count; i++)
		if (loop->turn_ends[i].done != done || loop->turn_ends[i].context != context)
			loop->turn_ends[kept++] = loop->turn_ends[i];
	loop->turn_end_count = kept;
}

static void ring_due_timers(struct loop *loop)
{
	if (loop->heap_count == 0)
		return;
	int64_t now = clock_monotonic_ns();
	/* Bounded by the timers set now, so that one which sets itself anew in the past cannot hold the loop. */
	for (size_t left = loop->heap_count; left > 0 && loop->heap_count > 0; left--) {
		struct loop_timer *timer = loop->heap[1];
		if (timer->due > now)
			break;
		loop_timer_cancel(loop, timer);
		timer->ring(timer->context);
	}
}

static void arm(struct loop *loop)
{
	int64_t due = loop->heap_count > 0 ? loop->heap[1]->due : 0;
	if (loop->heap_count > 0 && due <= 0)
		due = 1; /* 0 would disarm */
	if (due == loop->armed)
		return;
	struct itimerspec when = { .it_value = { .tv_sec = due / CLOCK_NS_PER_S, .tv_nsec = due % CLOCK_NS_PER_S } };
	timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
	loop->armed = due;
}

static void handle_batch(struct loop *loop)
{
	for (int i = 0; i < loop->batch_count; i++) {
		struct epoll_event *event = &loop->batch[i];
		if (event->data.ptr == loop) {
			uint64_t rings;
			loop->armed = 0;
			if (read(loop->timer_fd, &rings, sizeof rings) < 0)
				continue;
		} else if (event->data.ptr) {
			struct loop_io *io = event->data.ptr;
			io->ready(io->context, event->events);
		}
	}
	loop->batch_count = 0;
}

int loop_turn(struct loop *loop, struct error *err)
{
	arm(loop);
	int count = epoll_wait(loop->epoll_fd, loop->batch, BATCH, -1);
	if (count < 0 && errno != EINTR)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot wait for events: %s", strerror(errno));
	loop->batch_count = count < 0 ? 0 : count;
	handle_batch(loop);
	ring_due_timers(loop);
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
