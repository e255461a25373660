/* Lines for a reader who reads, who does not, and who goes away: adding them never waits. */
#include "test.h"
#include "ui/output_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOON    (INT64_C(20) * 1000 * 1000)   /* ns; for what is not going to happen */
#define PATIENT (INT64_C(1000) * 1000 * 1000) /* ns */
#define MANY    100000                        /* lines that no pipe takes */
#define LONG    (INT64_C(20) * 1000 * 1000 * 1000)

struct reader {
	struct output_queue *queue;
	int ends[2];
};

static void open_queue(struct reader *r)
{
	struct error err;
	assert_int_equal(pipe(r->ends), 0);
	r->queue = output_queue_new(r->ends[1], &err);
	assert_non_null(r->queue);
}

static void close_queue(struct reader *r)
{
	output_queue_free(r->queue);
	close(r->ends[1]);
	if (r->ends[0] >= 0)
		close(r->ends[0]);
}

static void add_numbers(struct output_queue *queue, unsigned from, unsigned to)
{
	char line[16];
	for (unsigned i = from; i < to; i++) {
		int length = snprintf(line, sizeof line, "%u\n", i);
		output_queue_add(queue, line, (size_t)length, false);
	}
	output_queue_flush(queue);
}

/* The next line is this number. False: there is none now, since the writing end is closed or nothing is in the pipe. */
static bool reads_number(int fd, unsigned expected)
{
	char line[16];
	size_t length = 0;
	do {
		if (read(fd, &line[length], 1) != 1) {
			assert_int_equal(length, 0);
			return false;
		}
	} while (line[length++] != '\n' && length < sizeof line);
	line[length - 1] = '\0';
	assert_int_equal(strtoul(line, NULL, 10), expected);
	return true;
}

TEST(what_nobody_reads_is_counted_and_torn_nowhere)
{
	struct reader r;
	unsigned count = 0;
	open_queue(&r);
	add_numbers(r.queue, 0, MANY);
	/* The first piece is there, and the next one does not fit. */
	assert_int_equal(poll(&(struct pollfd){ .fd = r.ends[0], .events = POLLIN }, 1, 20000), 1);
	output_queue_drain(r.queue, SOON, true);
	output_queue_drain(r.queue, LONG, true); /* which does not wait any more */
	uint64_t dropped = output_queue_dropped(r.queue);
	output_queue_free(r.queue);
	r.queue = NULL;
	assert_int_equal(fcntl(r.ends[0], F_SETFL, O_NONBLOCK), 0);
	while (reads_number(r.ends[0], count))
		count++;
	assert_true(count > 0 && dropped > 0);
	/* The piece in which the thread was held up counts, and may come yet. */
	assert_in_range(count + dropped, MANY, MANY + PIPE_BUF / 2);
	close_queue(&r);
}

/* Takes a piece each 10 ms, which is longer for all of them than PATIENT. */
static void *read_slowly(void *context)
{
	const struct reader *r = context;
	char piece[PIPE_BUF];
	for (ssize_t got; (got = read(r->ends[0], piece, sizeof piece)) > 0;)
		poll(NULL, 0, 10);
	return NULL;
}

TEST(who_still_reads_is_waited_for)
{
	for (int patient = 0; patient < 2; patient++) {
		struct reader r;
		pthread_t thread;
		open_queue(&r);
		assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
		add_numbers(r.queue, 0, MANY);
		output_queue_drain(r.queue, patient ? PATIENT : SOON, patient);
		assert_int_equal(output_queue_dropped(r.queue) > 0, !patient);
		output_queue_free(r.queue);
		close(r.ends[1]);
		pthread_join(thread, NULL);
		close(r.ends[0]);
	}
}

TEST(so_much_waits_and_no_more)
{
	static const size_t mib = (size_t)1 << 20;
	char *line = malloc(mib);
	struct reader r;
	assert_non_null(line);
	memset(line, 'x', mib);
	line[mib - 1] = '\n';
	open_queue(&r);
	for (size_t i = 0; i < OUTPUT_QUEUE_MOST / mib; i++)
		output_queue_add(r.queue, line, mib, false);
	assert_int_equal(output_queue_dropped(r.queue), 0);
	output_queue_add(r.queue, line, mib, false);
	assert_int_equal(output_queue_dropped(r.queue), 1);
	line[0] = '\n';
	output_queue_add(r.queue, line, mib, false);
	assert_int_equal(output_queue_dropped(r.queue), 3);
	output_queue_add(r.queue, "needed\n", 7, true);
	assert_int_equal(output_queue_dropped(r.queue), 3);
	output_queue_drain(r.queue, SOON, true);
	assert_int_equal(output_queue_dropped(r.queue), 3 + OUTPUT_QUEUE_MOST / mib + 1);
	close_queue(&r);
	free(line);
}

static void wait_errno(struct output_queue *queue, int expected)
{
	struct pollfd wait = { .fd = output_queue_errno_fd(queue), .events = POLLIN };
	assert_int_equal(poll(&wait, 1, 20000), 1);
	assert_int_equal(output_queue_errno(queue), expected);
	add_numbers(queue, 0, 10); /* nobody wants them */
	output_queue_drain(queue, LONG, true);
	assert_int_equal(output_queue_dropped(queue), 0);
}

TEST(a_failure_is_kept)
{
	struct error err;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(full >= 0);
	struct output_queue *queue = output_queue_new(full, &err);
	assert_non_null(queue);
	output_queue_add(queue, "x\n", 2, true);
	output_queue_flush(queue);
	wait_errno(queue, ENOSPC);
	output_queue_free(queue);
	close(full);
}

/* As Node.js, say, makes the pipes that it shares. */
TEST(a_pipe_that_somebody_made_nonblocking_works_too)
{
	struct reader r;
	open_queue(&r);
	assert_int_equal(fcntl(r.ends[1], F_SETFL, O_NONBLOCK), 0);
	add_numbers(r.queue, 0, MANY);
	for (unsigned i = 0; i < MANY; i++)
		assert_true(reads_number(r.ends[0], i));
	close_queue(&r);
}
