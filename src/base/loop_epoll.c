#include "base/clock.h"
#include "base/loop_poller.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define BATCH    256
#define LEAST_NS 1000 /* that a timer is set to: 0 disarms it, also where what fakes the time divides it */

const size_t loop_most = SIZE_MAX; /* what is not ready costs a turn nothing */

struct poller {
	int epoll_fd;
	int timer_fd;
	int64_t armed;                   /* when timer_fd fires; POLLER_FOREVER: disarmed */
	struct epoll_event batch[BATCH]; /* of the current turn; data.ptr NULL: removed since */
	int batch_count;
};

static const struct {
	uint32_t ours, theirs;
} names[] = {
	{ LOOP_READ, EPOLLIN },    { LOOP_WRITE, EPOLLOUT }, { LOOP_PEER_CLOSED, EPOLLRDHUP },
	{ LOOP_HANGUP, EPOLLHUP }, { LOOP_ERROR, EPOLLERR },
};

static uint32_t to_epoll(uint32_t events)
{
	uint32_t theirs = 0;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		theirs |= events & names[i].ours ? names[i].theirs : 0;
	return theirs;
}

static uint32_t from_epoll(uint32_t events)
{
	uint32_t ours = 0;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		ours |= events & names[i].theirs ? names[i].ours : 0;
	return ours;
}

struct poller *poller_new(struct error *err)
{
	struct poller *p = calloc(1, sizeof *p);
	if (!p)
		return error_no_memory_null(err);
	p->armed = POLLER_FOREVER;
	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	/* Not epoll's timeout: it counts whole milliseconds and adds the kernel's timer slack, while replay must start
	 * within 200 us. */
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = p };
	if (p->epoll_fd < 0 || p->timer_fd < 0 || epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->timer_fd, &event) < 0) {
		error_set(err, EXIT_CODE_INTERNAL, "cannot create an event loop: %s", strerror(errno));
		poller_free(p);
		return NULL;
	}
	return p;
}

void poller_free(struct poller *p)
{
	if (!p)
		return;
	if (p->epoll_fd >= 0)
		close(p->epoll_fd);
	if (p->timer_fd >= 0)
		close(p->timer_fd);
	free(p);
}

int poller_add(struct poller *p, struct loop_io *io, uint32_t events, struct error *err)
{
	struct epoll_event event = { .events = to_epoll(events), .data.ptr = io };
	if (epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, io->fd, &event) < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot watch descriptor %d: %s", io->fd, strerror(errno));
	return 0;
}

void poller_change(struct poller *p, struct loop_io *io, uint32_t events)
{
	struct epoll_event event = { .events = to_epoll(events), .data.ptr = io };
	epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, io->fd, &event);
}

void poller_remove(struct poller *p, struct loop_io *io)
{
	epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, io->fd, NULL);
	for (int i = 0; i < p->batch_count; i++)
		if (p->batch[i].data.ptr == io)
			p->batch[i].data.ptr = NULL;
}

/* Sets the timer, which is not relied upon where time is up already. Relative: a program whose time is faked
 * (libfaketime) has another one than the kernel. */
static int arm(struct poller *p, int64_t due, int64_t left, struct error *err)
{
	if (due == p->armed)
		return 0;
	left = left > LEAST_NS ? left : LEAST_NS;
	struct itimerspec when = { .it_value = { .tv_sec = left / CLOCK_NS_PER_S, .tv_nsec = left % CLOCK_NS_PER_S } };
	if (due == POLLER_FOREVER)
		when = (struct itimerspec){ .it_value = { .tv_sec = 0 } }; /* disarms */
	if (timerfd_settime(p->timer_fd, 0, &when, NULL) < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot set a timer: %s", strerror(errno));
	p->armed = due;
	return 0;
}

int poller_wait(struct poller *p, int64_t due, struct error *err)
{
	int64_t left = due == POLLER_LOOKS ? 0 : due == POLLER_FOREVER ? INT64_MAX : due - clock_monotonic_ns();
	if (left > 0 && arm(p, due, left, err) < 0)
		return -1;
	int count = epoll_wait(p->epoll_fd, p->batch, BATCH, left > 0 ? -1 : 0);
	if (count < 0 && errno != EINTR)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot wait for events: %s", strerror(errno));
	p->batch_count = count < 0 ? 0 : count;
	for (int i = 0; i < p->batch_count; i++) {
		struct epoll_event *event = &p->batch[i];
		if (event->data.ptr == p) {
			uint64_t expirations;
			p->armed = POLLER_FOREVER;
			if (read(p->timer_fd, &expirations, sizeof expirations) < 0)
				continue;
		} else if (event->data.ptr) {
			struct loop_io *io = event->data.ptr;
			io->ready(io->context, from_epoll(event->events));
		}
	}
	p->batch_count = 0;
	return count != 0;
}
