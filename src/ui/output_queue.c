#include "ui/output_queue.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/find.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/wake.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT ((size_t)1 << 20) /* of the memory that a burst took */

struct output_queue {
	int fd;
	pthread_t thread;
	struct wake wake;      /* the thread: there is something to write, or it is to end */
	struct wake broken;    /* for good: nothing can be written any more */
	struct wake done;      /* whoever drains it */
	uint64_t dropped;      /* the adding thread's, as is the next */
	bool gave_up;          /* draining it took too long */
	pthread_mutex_t mutex; /* of what follows */
	struct buffer bytes;
	size_t written;  /* of these */
	uint64_t pieces; /* so far */
	int failed;      /* errno; 0: none */
	bool is_idle;    /* the thread waits to be woken */
	bool is_drained; /* somebody waits for `done` */
	bool is_writing; /* the thread is, for as long as the reader likes */
	bool is_ending;
	bool is_left; /* to the thread: it was writing when the queue was freed */
};

/* With the lock held: nothing waits any more. */
static void finish(struct output_queue *q)
{
	q->written = 0;
	if (q->is_drained)
		wake_up(&q->done);
}

static void fail(struct output_queue *q, int errnum)
{
	q->failed = errnum;
	buffer_release(&q->bytes);
	finish(q);
	wake_up(&q->broken);
}

/* With the lock held, as it is on return. Waits on the descriptor too: a reader that goes away is seen at once. */
static void idle(struct output_queue *q)
{
	struct pollfd wait[2] = { { .fd = q->wake.fd, .events = POLLIN }, { .fd = q->failed ? -1 : q->fd } };
	q->is_idle = true;
	pthread_mutex_unlock(&q->mutex);
	int ready = poll(wait, 2, -1);
	wake_clear(&q->wake);
	pthread_mutex_lock(&q->mutex);
	q->is_idle = false;
	if (ready > 0 && wait[1].revents)
		fail(q, EPIPE);
}

/* Returns an errno, or 0. */
static int write_some(int fd, const char *bytes, size_t length, size_t *written)
{
	ssize_t result = write(fd, bytes, length);
	int failed = result < 0 ? errno : 0;
	/* Another process that shares the file has set O_NONBLOCK. */
	if (failed == EAGAIN)
		poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
	*written = result > 0 ? (size_t)result : 0;
	return failed == EINTR || failed == EAGAIN ? 0 : failed;
}

/* With the lock held, as it is on return. */
static void write_next(struct output_queue *q)
{
	char piece[PIPE_BUF]; /* what a pipe takes whole or not at all, */
	size_t left = q->bytes.length - q->written, length = left < PIPE_BUF ? left : PIPE_BUF, written;
	memcpy(piece, q->bytes.data + q->written, length);
	const char *lf = left > PIPE_BUF ? find_last(piece, PIPE_BUF, '\n') : NULL;
	if (lf) /* and of that whole lines, so that an end in between tears none */
		length = (size_t)(lf - piece) + 1;
	q->is_writing = true;
	pthread_mutex_unlock(&q->mutex);
	int failed = write_some(q->fd, piece, length, &written);
	pthread_mutex_lock(&q->mutex);
	q->is_writing = false;
	q->written += written;
	q->pieces++;
	if (failed) {
		fail(q, failed);
	} else if (q->written == q->bytes.length) {
		if (q->bytes.capacity > KEPT)
			buffer_release(&q->bytes);
		buffer_clear(&q->bytes);
		finish(q);
	} else if (q->written > q->bytes.length / 2) { /* each byte moves once on an average, 8 MiB at most */
		buffer_consume(&q->bytes, q->written);
		q->written = 0;
	}
}

static void release(struct output_queue *q)
{
	wake_close(&q->wake);
	wake_close(&q->broken);
	wake_close(&q->done);
	pthread_mutex_destroy(&q->mutex);
	buffer_release(&q->bytes);
	free(q);
}

static void *run(void *context)
{
	struct output_queue *q = context;
	pthread_mutex_lock(&q->mutex);
	while (!q->is_ending) {
		if (q->bytes.length > 0)
			write_next(q);
		else
			idle(q);
	}
	bool is_left = q->is_left;
	pthread_mutex_unlock(&q->mutex);
	if (is_left)
		release(q);
	return NULL;
}

struct output_queue *output_queue_new(int fd, struct error *err)
{
	struct output_queue *q = calloc(1, sizeof *q);
	if (!q)
		return error_no_memory_null(err);
	q->fd = fd;
	pthread_mutex_init(&q->mutex, NULL);
	if (wake_open(&q->wake, err) == 0 && wake_open(&q->broken, err) == 0 && wake_open(&q->done, err) == 0) {
		int failed = thread_start(&q->thread, run, q);
		if (!failed)
			return q;
		error_set(err, EXIT_CODE_INTERNAL, "cannot start the thread that prints: %s", strerror(failed));
	}
	release(q);
	return NULL;
}

void output_queue_free(struct output_queue *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->mutex);
	bool is_left = q->is_writing;
	q->is_ending = true;
	q->is_left = is_left;
	if (is_left)
		pthread_detach(q->thread);
	pthread_mutex_unlock(&q->mutex);
	if (is_left)
		return;
	wake_up(&q->wake);
	pthread_join(q->thread, NULL);
	release(q);
}

void output_queue_add(struct output_queue *q, const char *lines, size_t length, bool is_needed)
{
	pthread_mutex_lock(&q->mutex);
	size_t left = q->bytes.length - q->written;
	bool fits = is_needed || left == 0 || (left <= OUTPUT_QUEUE_MOST && length <= OUTPUT_QUEUE_MOST - left);
	if (!q->failed && fits && buffer_reserve(&q->bytes, length))
		buffer_append(&q->bytes, lines, length);
	else if (!q->failed)
		q->dropped += text_count_lines(lines, length);
	q->bytes.failed = false; /* there may be memory for the next one */
	pthread_mutex_unlock(&q->mutex);
}

void output_queue_flush(struct output_queue *q)
{
	pthread_mutex_lock(&q->mutex);
	bool wake = q->is_idle && q->bytes.length > 0;
	if (wake)
		q->is_idle = false; /* it is woken once */
	pthread_mutex_unlock(&q->mutex);
	if (wake)
		wake_up(&q->wake);
}

void output_queue_drain(struct output_queue *q, int64_t timeout_ns, bool is_patient)
{
	int64_t end = clock_monotonic_ns() + timeout_ns, left;
	if (q->gave_up)
		return;
	output_queue_flush(q);
	pthread_mutex_lock(&q->mutex);
	wake_clear(&q->done);
	q->is_drained = true;
	while (q->bytes.length > 0 && !q->gave_up) {
		uint64_t pieces = q->pieces;
		pthread_mutex_unlock(&q->mutex);
		left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS + 1;
		bool is_late =
		        poll(&(struct pollfd){ .fd = q->done.fd, .events = POLLIN }, 1, left > 0 ? (int)left : 0) == 0;
		pthread_mutex_lock(&q->mutex);
		if (is_late && is_patient && q->pieces != pieces)
			end = clock_monotonic_ns() + timeout_ns;
		else
			q->gave_up = is_late;
	}
	q->is_drained = false;
	if (q->bytes.length > 0)
		q->dropped += text_count_lines(q->bytes.data + q->written, q->bytes.length - q->written);
	else
		q->gave_up = false;
	pthread_mutex_unlock(&q->mutex);
}

uint64_t output_queue_dropped(const struct output_queue *q)
{
	return q->dropped;
}

int output_queue_errno(struct output_queue *q)
{
	pthread_mutex_lock(&q->mutex);
	int failed = q->failed;
	pthread_mutex_unlock(&q->mutex);
	return failed;
}

int output_queue_errno_fd(const struct output_queue *q)
{
	return q->broken.fd;
}
