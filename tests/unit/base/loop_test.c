/* The loop tells what is ready, rings timers in order, and survives being changed from within. */
#include "base/clock.h"
#include "base/loop.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

struct bell {
	struct loop_timer timer;
	struct loop *loop;
	char letter;
	char *log;
	struct loop_timer *cancels; /* when it rings; NULL: none */
	int again;                  /* how often it sets itself anew */
};

static void ring(void *context)
{
	struct bell *bell = context;
	size_t length = strlen(bell->log);
	bell->log[length] = bell->letter;
	bell->log[length + 1] = '\0';
	if (bell->cancels)
		loop_timer_cancel(bell->loop, bell->cancels);
	if (bell->again-- > 0)
		loop_timer_set(bell->loop, &bell->timer, 0);
}

static void init_bell(struct bell *bell, struct loop *loop, char letter, char *log)
{
	*bell = (struct bell){ .loop = loop, .letter = letter, .log = log };
	bell->timer = (struct loop_timer){ .fire = ring, .context = bell };
}

static struct loop *new_loop(void)
{
	struct error err;
	struct loop *loop = loop_new(&err);
	assert_non_null(loop);
	return loop;
}

static void turn(struct loop *loop)
{
	struct error err;
	assert_int_equal(loop_turn(loop, &err), 0);
}

TEST(a_timer_moves_and_is_cancelled)
{
	struct loop *loop = new_loop();
	struct bell bells[5];
	char log[16] = "";
	for (int i = 0; i < 5; i++) {
		init_bell(&bells[i], loop, (char)('a' + i), log);
		loop_timer_set(loop, &bells[i].timer, 100 + i);
	}
	loop_timer_set(loop, &bells[0].timer, 200);
	loop_timer_set(loop, &bells[4].timer, 50);
	loop_timer_cancel(loop, &bells[2].timer);
	loop_timer_cancel(loop, &bells[2].timer);
	bells[1].cancels = &bells[3].timer;
	turn(loop);
	assert_string_equal(log, "eba");
	assert_false(bells[0].timer.is_set);
	loop_free(loop);
}

/* Whatever is set, moved and cancelled before: what rings is what is set, the earliest first. */
TEST(timers_ring_in_order_after_any_changes)
{
	struct loop *loop = new_loop();
	struct bell bells[40];
	int64_t due[40] = { 0 };
	char log[64] = "", expected[64] = "";
	uint32_t random = 1;
	for (int i = 0; i < 40; i++)
		init_bell(&bells[i], loop, (char)('0' + i), log);
	for (int step = 0; step < 20000; step++) {
		random = random * 1664525 + 1013904223;
		int i = (int)(random >> 16) % 40;
		due[i] = random >> 31 ? (int64_t)(random >> 4 & 0xffff) * 64 + i + 1 : 0;
		if (due[i] > 0)
			loop_timer_set(loop, &bells[i].timer, due[i]);
		else
			loop_timer_cancel(loop, &bells[i].timer);
		if (step % 50 != 49)
			continue;
		for (int64_t last = 0, earliest = 0; earliest < INT64_MAX; last = earliest) {
			earliest = INT64_MAX;
			for (int k = 0; k < 40; k++)
				earliest = due[k] > last && due[k] < earliest ? due[k] : earliest;
			if (earliest < INT64_MAX)
				strncat(expected, &bells[(earliest - 1) % 64].letter, 1);
		}
		if (expected[0])
			turn(loop);
		assert_string_equal(log, expected);
		memset(due, 0, sizeof due);
		log[0] = expected[0] = '\0';
	}
	loop_free(loop);
}

TEST(a_timer_rings_when_it_is_due)
{
	struct loop *loop = new_loop();
	struct bell bell;
	char log[4] = "";
	init_bell(&bell, loop, 'a', log);
	int64_t due = clock_monotonic_ns() + 3 * CLOCK_NS_PER_MS;
	loop_timer_set(loop, &bell.timer, due);
	while (log[0] == '\0')
		turn(loop);
	assert_true(clock_monotonic_ns() >= due);
	loop_free(loop);
}

TEST(a_timer_in_the_past_does_not_hold_the_loop)
{
	struct loop *loop = new_loop();
	struct bell bell;
	char log[16] = "";
	init_bell(&bell, loop, 'a', log);
	bell.again = 3;
	loop_timer_set(loop, &bell.timer, 0);
	turn(loop);
	assert_string_equal(log, "a");
	turn(loop);
	assert_string_equal(log, "aa");
	loop_free(loop);
}

struct pipe_end {
	struct loop_io io;
	struct loop *loop;
	int out;
	int rings;
	struct pipe_end *removes; /* when it is ready; NULL: none */
};

static void end_ready(void *context, uint32_t events)
{
	struct pipe_end *end = context;
	assert_true(events & LOOP_READ);
	end->rings++;
	if (end->removes)
		loop_remove(end->loop, &end->removes->io);
}

static void init_pipe(struct pipe_end *end, struct loop *loop)
{
	int fds[2];
	struct error err;
	assert_int_equal(pipe(fds), 0);
	*end = (struct pipe_end){ .loop = loop, .out = fds[1] };
	end->io = (struct loop_io){ .fd = fds[0], .ready = end_ready, .context = end };
	assert_int_equal(loop_add(loop, &end->io, LOOP_READ, &err), 0);
}

static void release_pipe(struct pipe_end *end)
{
	close(end->io.fd);
	close(end->out);
}

TEST(what_is_removed_in_a_batch_is_not_told)
{
	struct loop *loop = new_loop();
	struct pipe_end a, b;
	init_pipe(&a, loop);
	init_pipe(&b, loop);
	a.removes = &b;
	b.removes = &a;
	assert_int_equal(write(a.out, "x", 1), 1);
	assert_int_equal(write(b.out, "x", 1), 1);
	turn(loop);
	assert_int_equal(a.rings + b.rings, 1);
	loop_free(loop);
	release_pipe(&a);
	release_pipe(&b);
}

TEST(what_is_watched_can_change)
{
	struct loop *loop = new_loop();
	struct pipe_end a, b;
	init_pipe(&a, loop);
	init_pipe(&b, loop);
	assert_int_equal(write(a.out, "x", 1), 1);
	assert_int_equal(write(b.out, "x", 1), 1);
	loop_change(loop, &a.io, 0);
	turn(loop);
	assert_int_equal(a.rings, 0);
	assert_int_equal(b.rings, 1);
	loop_change(loop, &a.io, LOOP_READ);
	turn(loop);
	assert_int_equal(a.rings, 1);
	loop_free(loop);
	release_pipe(&a);
	release_pipe(&b);
}

static void end_of_turn(void *context)
{
	char *log = context;
	strcat(log, ".");
}

TEST(a_turn_ends_after_all_that_was_ready)
{
	struct loop *loop = new_loop();
	struct bell bells[2];
	struct error err;
	char log[16] = "";
	assert_int_equal(loop_at_turn_end(loop, end_of_turn, log, &err), 0);
	for (int i = 0; i < 2; i++) {
		init_bell(&bells[i], loop, (char)('a' + i), log);
		loop_timer_set(loop, &bells[i].timer, i);
	}
	turn(loop);
	assert_string_equal(log, "ab.");
	for (int i = 1; i < LOOP_TURN_ENDS; i++)
		assert_int_equal(loop_at_turn_end(loop, end_of_turn, log, &err), 0);
	assert_int_equal(loop_at_turn_end(loop, end_of_turn, log, &err), -1);
	loop_free(loop);
}
