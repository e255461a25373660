#include "base/child_output.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define PAUSE_MS  5                 /* between two looks at whether something came */
#define PIPE_MOST ((size_t)1 << 20) /* bytes: more than a pipe holds */

int child_output_init(struct child_output *o, struct error *err)
{
	*o = (struct child_output){ .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
	return wake_open(&o->end_wake, err);
}

void child_output_release(struct child_output *o)
{
	child_output_stop(o);
	buffer_release(&o->kept);
	wake_close(&o->end_wake);
}

static void keep(struct child_output *o, const char *bytes, size_t length)
{
	pthread_mutex_lock(&o->lock);
	buffer_append(&o->kept, bytes, length);
	if (o->kept.failed) {
		buffer_release(&o->kept); /* only what came last is lost */
		o->before = bytes[length - 1];
	} else if (o->kept.length > 2 * CHILD_OUTPUT_KEPT) {
		size_t dropped = o->kept.length - CHILD_OUTPUT_KEPT;
		o->before = o->kept.data[dropped - 1];
		buffer_consume(&o->kept, dropped);
	}
	o->end += length;
	o->last_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&o->lock);
}

static void *read_pipe(void *context)
{
	struct child_output *o = context;
	struct pollfd ready[] = { { o->fd, POLLIN, 0 }, { o->end_wake.fd, POLLIN, 0 } };
	char bytes[4096];
	/* What is in the pipe is taken before the thread ends, but not what a process without an end goes on to print.
	 */
	for (size_t since_end = 0; since_end < PIPE_MOST;) {
		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			break;
		ssize_t got = ready[0].revents ? read(o->fd, bytes, sizeof bytes) : 0;
		if (got > 0)
			keep(o, bytes, (size_t)got);
		else if (ready[0].revents || ready[1].revents)
			break;
		since_end += got > 0 && ready[1].revents ? (size_t)got : 0;
	}
	return NULL;
}

int child_output_read(struct child_output *o, int pipe_fd, struct error *err)
{
	o->fd = pipe_fd;
	int failed = thread_start(&o->thread, read_pipe, o);
	o->reads = !failed;
	if (!failed)
		return 0;
	return error_set(err, EXIT_CODE_INTERNAL, "cannot read what a command prints: %s", strerror(failed));
}

void child_output_stop(struct child_output *o)
{
	if (!o->reads)
		return;
	wake_up(&o->end_wake);
	pthread_join(o->thread, NULL);
	wake_clear(&o->end_wake);
	o->reads = false;
}

uint64_t child_output_end(struct child_output *o)
{
	pthread_mutex_lock(&o->lock);
	uint64_t end = o->end;
	pthread_mutex_unlock(&o->lock);
	return end;
}

void child_output_settle(struct child_output *o, int quiet_ms, int most_ms, const struct signals *signals)
{
	int64_t began = clock_monotonic_ns(), now = began, last;
	struct pollfd unread = { o->reads ? o->fd : -1, POLLIN, 0 };
	bool is_behind; /* the thread has not come to what was written already */
	do {
		if (!signals_wait_input(signals, -1, PAUSE_MS))
			return;
		pthread_mutex_lock(&o->lock);
		last = o->last_ns > began ? o->last_ns : began;
		pthread_mutex_unlock(&o->lock);
		now = clock_monotonic_ns();
		is_behind = poll(&unread, 1, 0) > 0 && (unread.revents & POLLIN);
	} while ((is_behind || now - last < quiet_ms * CLOCK_NS_PER_MS) && now - began < most_ms * CLOCK_NS_PER_MS);
}

unsigned child_output_append(struct child_output *o, uint64_t from, struct buffer *out)
{
	pthread_mutex_lock(&o->lock);
	uint64_t begin = o->end - o->kept.length;
	unsigned missing = from < begin ? CHILD_OUTPUT_LOST : 0;
	from = from < begin ? begin : from > o->end ? o->end : from;
	if (from > 0 && !missing && (from > begin ? o->kept.data[from - begin - 1] : o->before) != '\n')
		missing |= CHILD_OUTPUT_AMID;
	buffer_append(out, buffer_text(&o->kept) + (from - begin), (size_t)(o->end - from));
	pthread_mutex_unlock(&o->lock);
	return missing;
}
