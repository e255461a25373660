#include "base/buffer.h"
#include "base/clock.h"
#include "base/system.h"
#include "http/deliver_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Rounds of work at the end of one turn, so that other descriptors are not starved. */
#define ROUNDS 8

static unsigned multi_count(const struct deliverer *d)
{
	return (d->concurrency + MULTI_WIDTH - 1) / MULTI_WIDTH;
}

static CURLM *make_handle(struct multi *multi);

static void drain(struct multi *multi)
{
	struct deliverer *d = multi->deliverer;
	int left;
	for (CURLMsg *message; (message = curl_multi_info_read(multi->handle, &left));) {
		char *attempt = NULL;
		if (message->msg != CURLMSG_DONE)
			continue;
		/* Removing the handle frees the message. */
		CURLcode code = message->data.result;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &attempt);
		deliver_finish((struct attempt *)(void *)attempt, code);
	}
	if (d->warm && !d->ready) {
		d->ready = true;
		if (d->options->ready)
			d->options->ready(d->options->ready_context);
	}
}

/* Ends those that are lost. done() may start others. */
static void end_lost(struct deliverer *d, CURLcode code)
{
	for (struct attempt *attempt = d->live; attempt;) {
		bool is_lost = attempt->lost;
		if (is_lost)
			deliver_finish(attempt, code);
		attempt = is_lost ? d->live : attempt->next;
	}
}

/* Gives the multi a new handle, with what is not lost of the old one, which is not to be called again: an entry of a
 * socket for which there was no memory stays in it half made. */
static void renew(struct multi *multi)
{
	CURLM *broken = multi->handle;
	multi->handle = make_handle(multi); /* NULL: nothing can be added */
	for (struct attempt *attempt = multi->deliverer->live; attempt; attempt = attempt->next) {
		if (attempt->multi != multi)
			continue;
		curl_multi_remove_handle(broken, attempt->easy);
		if (!attempt->lost)
			attempt->lost = curl_multi_add_handle(multi->handle, attempt->easy) != CURLM_OK;
	}
	curl_multi_cleanup(broken);
}

/* Any call may complete a transfer, so check for completed ones after each. One that fails (out of memory) leaves out
 * sockets and timers, and does not say of which transfers: none of the handle's would be certain to end. */
static void act(struct multi *multi, curl_socket_t fd, int events)
{
	int running;
	bool has_failed = curl_multi_socket_action(multi->handle, fd, events, &running) != CURLM_OK;
	for (struct attempt *attempt = multi->deliverer->live; has_failed && attempt; attempt = attempt->next)
		attempt->lost = attempt->multi == multi;
	drain(multi); /* done() may start others */
	if (!has_failed)
		return;
	renew(multi);
	end_lost(multi->deliverer, CURLE_OUT_OF_MEMORY);
}

static void unwatch(struct watch *watch)
{
	if (watch->applied != 0)
		loop_remove(watch->deliverer->loop, &watch->io);
	watch->applied = 0;
	watch->wanted = 0;
}

static void on_ready(void *context, uint32_t events)
{
	struct watch *watch = context;
	if (watch->wanted == 0) {
		unwatch(watch); /* usually the server closed an idle connection */
		return;
	}
	int mask = 0;
	if (events & (LOOP_READ | LOOP_HANGUP | LOOP_PEER_CLOSED))
		mask |= CURL_CSELECT_IN;
	if (events & LOOP_WRITE)
		mask |= CURL_CSELECT_OUT;
	if (events & LOOP_ERROR)
		mask |= CURL_CSELECT_ERR;
	act(watch->multi, watch->io.fd, mask);
}

static struct watch *watch_of(struct deliverer *d, int fd)
{
	size_t place = (size_t)fd;
	if (place >= d->watch_count) {
		if (!ARRAY_ROOM(d->watches, d->watch_capacity, place + 1))
			return NULL;
		while (d->watch_count <= place)
			d->watches[d->watch_count++] = NULL;
	}
	if (!d->watches[place]) {
		struct watch *watch = calloc(1, sizeof *watch);
		if (!watch)
			return NULL;
		watch->io = (struct loop_io){ .fd = fd, .ready = on_ready, .context = watch };
		watch->deliverer = d;
		d->watches[place] = watch;
	}
	return d->watches[place];
}

/* Has a turn come to its end. Within a turn, its end cancels this timer before it reaches the kernel. */
static void wake(struct deliverer *d)
{
	if (!d->wake.is_set)
		loop_timer_set(d->loop, &d->wake, 1);
}

static void add_dirty(struct watch *watch)
{
	if (watch->dirty)
		return;
	watch->dirty = true;
	watch->next_dirty = watch->deliverer->dirty;
	watch->deliverer->dirty = watch;
	wake(watch->deliverer);
}

static void apply_changes(struct deliverer *d)
{
	struct watch *watch = d->dirty;
	d->dirty = NULL;
	while (watch) {
		struct watch *next = watch->next_dirty;
		struct error ignored;
		watch->dirty = false;
		/* An idle connection stays in the loop until something happens on it: usually it is reused first. */
		if (watch->wanted != 0 && watch->applied == 0) {
			if (loop_add(d->loop, &watch->io, watch->wanted, &ignored) == 0)
				watch->applied = watch->wanted;
			else
				add_dirty(watch); /* out of kernel memory: try again in the next turn */
		} else if (watch->wanted != 0 && watch->applied != watch->wanted) {
			loop_change(d->loop, &watch->io, watch->wanted);
			watch->applied = watch->wanted;
		}
		watch = next;
	}
}

/* A CURLMOPT_SOCKETFUNCTION. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *unused)
{
	(void)easy;
	(void)unused;
	struct multi *multi = context;
	struct watch *watch = watch_of(multi->deliverer, fd);
	if (!watch)
		return -1;
	watch->multi = multi;
	watch->wanted = 0;
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		watch->wanted |= LOOP_READ;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		watch->wanted |= LOOP_WRITE;
	/* A socket that was never connected, or the resolver's, may be closed without a callback, and its number reused
	 * by the end of the turn. */
	if (watch->wanted == 0 && !watch->settled)
		unwatch(watch);
	else if (watch->wanted != watch->applied)
		add_dirty(watch);
	return 0;
}

static void on_multi_timer(void *context)
{
	struct multi *multi = context;
	if (multi->due == 0)
		return;
	if (multi->due > clock_monotonic_ns()) {
		loop_timer_set(multi->deliverer->loop, &multi->timer, multi->due);
		return;
	}
	multi->due = 0;
	act(multi, CURL_SOCKET_TIMEOUT, 0);
}

/* A CURLMOPT_TIMERFUNCTION. A timer that would move to a later time stays set, which saves a system call per request
 * (most calls move the timeout of another request); on_multi_timer() sets it again. */
static int on_timer(CURLM *handle, long timeout_ms, void *context)
{
	(void)handle;
	struct multi *multi = context;
	multi->due = 0;
	if (timeout_ms < 0)
		return 0;
	if (timeout_ms == 0) {
		multi->kicked = true;
		wake(multi->deliverer);
		return 0;
	}
	multi->due = clock_monotonic_ns() + (int64_t)timeout_ms * CLOCK_NS_PER_MS;
	if (!multi->timer.is_set || multi->timer.due > multi->due)
		loop_timer_set(multi->deliverer->loop, &multi->timer, multi->due);
	return 0;
}

static void at_turn_end(void *context)
{
	struct deliverer *d = context;
	bool again = true;
	for (int round = 0; again && round < ROUNDS; round++) {
		again = false;
		for (unsigned i = 0; i < d->multi_count; i++) {
			if (!d->multis[i].kicked)
				continue;
			d->multis[i].kicked = false;
			again = true;
			act(&d->multis[i], CURL_SOCKET_TIMEOUT, 0);
		}
	}
	apply_changes(d);
	bool more = d->dirty != NULL;
	for (unsigned i = 0; i < d->multi_count; i++)
		more = more || d->multis[i].kicked;
	if (more)
		wake(d);
	else
		loop_timer_cancel(d->loop, &d->wake);
}

curl_socket_t engine_open_socket(struct deliverer *d, int family, int type, int protocol)
{
	int fd = system_socket(family, type, protocol, true);
	if (fd < 0)
		return CURL_SOCKET_BAD;
	struct watch *watch = watch_of(d, fd);
	if (!watch) {
		close(fd);
		return CURL_SOCKET_BAD;
	}
	/* A socket with this number that was never connected may have been closed without a callback, and libcurl may
	 * not call on_socket() if it needs the same events for the new one. */
	uint32_t wanted = watch->wanted;
	unwatch(watch);
	watch->settled = false;
	watch->wanted = wanted;
	if (wanted != 0)
		add_dirty(watch);
	return fd;
}

int engine_close_socket(void *deliverer, curl_socket_t fd)
{
	struct deliverer *d = deliverer;
	if ((size_t)fd < d->watch_count && d->watches[fd]) {
		unwatch(d->watches[fd]);
		d->watches[fd]->settled = false;
	}
	return close(fd);
}

void engine_settle(struct deliverer *d, curl_socket_t fd)
{
	if (fd >= 0 && (size_t)fd < d->watch_count && d->watches[fd])
		d->watches[fd]->settled = true;
}

/* NULL: out of memory. */
static CURLM *make_handle(struct multi *multi)
{
	const struct deliverer *d = multi->deliverer;
	CURLM *handle = curl_multi_init();
	if (!handle)
		return NULL;
	curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, multi);
	curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(handle, CURLMOPT_TIMERDATA, multi);
	/* Else libcurl keeps four per handle now in use, and closes connections whenever few are. */
	curl_multi_setopt(handle, CURLMOPT_MAXCONNECTS, (long)((d->concurrency + multi_count(d) - 1) / multi_count(d)));
	curl_multi_setopt(handle, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	return handle;
}

int engine_init(struct deliverer *d, struct error *err)
{
	unsigned count = multi_count(d);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot initialise libcurl");
	d->curl_ready = true;
	d->share = curl_share_init();
	d->multis = calloc(count, sizeof *d->multis);
	if (!d->share || !d->multis)
		return error_no_memory(err);
	curl_share_setopt(d->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
	for (; d->multi_count < count; d->multi_count++) {
		struct multi *multi = &d->multis[d->multi_count];
		multi->deliverer = d;
		multi->timer = (struct loop_timer){ .fire = on_multi_timer, .context = multi };
		multi->handle = make_handle(multi);
		if (!multi->handle)
			return error_no_memory(err);
	}
	return loop_at_turn_end(d->loop, at_turn_end, d, err);
}

void engine_release(struct deliverer *d)
{
	for (unsigned i = 0; i < d->multi_count; i++) {
		struct multi *multi = &d->multis[i];
		/* First: connections that are kept may call for the attempt that made them (on_context()). */
		curl_multi_cleanup(multi->handle);
		while (multi->free) {
			struct attempt *attempt = multi->free;
			multi->free = attempt->next;
			attempt_free(attempt);
		}
		loop_timer_cancel(d->loop, &multi->timer);
	}
	curl_share_cleanup(d->share);
	for (size_t i = 0; i < d->watch_count; i++) {
		if (d->watches[i])
			unwatch(d->watches[i]);
		free(d->watches[i]);
	}
	free(d->watches);
	free(d->multis);
	loop_timer_cancel(d->loop, &d->wake);
	loop_cancel_turn_end(d->loop, at_turn_end, d);
	if (d->curl_ready)
		curl_global_cleanup();
}
