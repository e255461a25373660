#include "base/buffer.h"
#include "base/clock.h"
#include "base/loop_poller.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

const size_t loop_most = 4096; /* each turn looks at all */

struct poller {
	struct pollfd *fds;
	struct loop_io **ios; /* of them; NULL: removed in this turn */
	size_t count;
	size_t fd_capacity, io_capacity;
	bool dispatches; /* places must not move */
};

struct poller *poller_new(struct error *err)
{
	struct poller *p = calloc(1, sizeof *p);
	return p ? p : error_no_memory_null(err);
}

void poller_free(struct poller *p)
{
	if (!p)
		return;
	free(p->fds);
	free(p->ios);
	free(p);
}

/* poll(2) has no event of its own for a peer that sends no more: reading returns 0 then. */
static short to_poll(uint32_t events)
{
	return (short)((events & (LOOP_READ | LOOP_PEER_CLOSED) ? POLLIN : 0) | (events & LOOP_WRITE ? POLLOUT : 0));
}

int poller_add(struct poller *p, struct loop_io *io, uint32_t events, struct error *err)
{
	if (!ARRAY_ROOM(p->fds, p->fd_capacity, p->count + 1) || !ARRAY_ROOM(p->ios, p->io_capacity, p->count + 1))
		return error_no_memory(err);
	io->place = p->count++;
	io->watched = events;
	p->ios[io->place] = io;
	p->fds[io->place] = (struct pollfd){ .fd = io->fd, .events = to_poll(events) };
	return 0;
}

static bool is_in(const struct poller *p, const struct loop_io *io)
{
	return io->place < p->count && p->ios[io->place] == io;
}

void poller_change(struct poller *p, struct loop_io *io, uint32_t events)
{
	if (!is_in(p, io))
		return;
	io->watched = events;
	p->fds[io->place].events = to_poll(events);
}

/* The last one takes the place. */
static void take_out(struct poller *p, size_t place)
{
	p->count--;
	p->fds[place] = p->fds[p->count];
	p->ios[place] = p->ios[p->count];
	if (p->ios[place])
		p->ios[place]->place = place;
}

void poller_remove(struct poller *p, struct loop_io *io)
{
	if (!is_in(p, io))
		return;
	if (!p->dispatches) {
		take_out(p, io->place);
		return;
	}
	p->ios[io->place] = NULL;
	p->fds[io->place].fd = -1;
}

/* Whether the peer sends no more. What it has sent, and is not to be read yet, hides its end: nothing but a broken
 * connection is looked for from then on. */
static bool has_closed(struct pollfd *fd)
{
	char byte;
	ssize_t got = recv(fd->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (got > 0)
		fd->events &= (short)~POLLIN;
	return got == 0;
}

static uint32_t events_of(const struct loop_io *io, struct pollfd *fd)
{
	uint32_t events = (fd->revents & POLLOUT ? LOOP_WRITE : 0) | (fd->revents & POLLHUP ? LOOP_HANGUP : 0) |
	                  (fd->revents & (POLLERR | POLLNVAL) ? LOOP_ERROR : 0);
	if (fd->revents & POLLIN && io->watched & LOOP_READ)
		events |= LOOP_READ;
	else if (fd->revents & POLLIN && has_closed(fd))
		events |= LOOP_PEER_CLOSED;
	return events;
}

static void dispatch(struct poller *p)
{
	size_t watched = p->count; /* others are added behind them */
	p->dispatches = true;
	for (size_t i = 0; i < watched; i++) {
		struct loop_io *io = p->ios[i];
		uint32_t events = io && p->fds[i].revents ? events_of(io, &p->fds[i]) : 0;
		if (events)
			io->ready(io->context, events);
	}
	p->dispatches = false;
	for (size_t i = 0; i < p->count;) {
		if (p->ios[i])
			i++;
		else
			take_out(p, i);
	}
}

int poller_wait(struct poller *p, int64_t due, struct error *err)
{
	int64_t left = due == POLLER_LOOKS ? 0 : due == POLLER_FOREVER ? -1 : due - clock_monotonic_ns();
	int timeout = left / CLOCK_NS_PER_MS < INT_MAX ? (int)(left / CLOCK_NS_PER_MS) : INT_MAX;
	if (due != POLLER_FOREVER && left < 0)
		timeout = 0;
	int count = poll(p->fds, (nfds_t)p->count, due == POLLER_FOREVER ? -1 : timeout);
	if (count < 0 && errno != EINTR)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot wait for events: %s", strerror(errno));
	if (count > 0)
		dispatch(p);
	/* It counts whole milliseconds: the rest of one. */
	if (count == 0 && due != POLLER_FOREVER && left > 0 && left < CLOCK_NS_PER_MS)
		nanosleep(&(struct timespec){ .tv_nsec = (long)left }, NULL);
	return count != 0;
}
