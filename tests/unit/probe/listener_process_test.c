/* The waits for a listener's process, on a clock of their own: the process is a table of times. */
#include "base/clock.h"
#include "probe/play/listener_process.h"
#include "probe/play/world.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS     CLOCK_NS_PER_MS
#define WAIT   (5 * CLOCK_NS_PER_S)
#define NEVER  (INT64_C(1) << 60)
#define LOOKS  MS /* a look takes */
#define AT_ONE (100 * MS)

/* Times are counted from its start. */
struct process {
	int64_t now_ns, started_ns;
	int64_t listens_ns, ends_ns;
	int64_t other_listens_ns; /* whatever its start: something else does, at the same place */
	int64_t elsewhere_ns;     /* it listens somewhere else: at one port, and 2 s later at another one */
	unsigned starts, last_start_listens, said;
	int not_run, signal;
	bool begins_meanwhile; /* while it is looked up where it listens, it begins to */
	bool is_silent;        /* where it does not listen, nothing is refused either */
	char where[64];
	struct loop_clock clock;
	struct probe_world world;
	struct listener_control control;
	struct listener listener;
};

static int64_t now(void *context)
{
	return ((const struct process *)context)->now_ns;
}

static void wait_until(void *context, int64_t due)
{
	struct process *p = context;
	p->now_ns = due > p->now_ns ? due : p->now_ns;
}

static int64_t age(const struct process *p)
{
	return p->now_ns - p->started_ns;
}

static bool runs(void *context)
{
	const struct process *p = context;
	return p->starts > 0 && p->signal == 0 && age(p) < p->ends_ns;
}

static enum world_look look(void *context)
{
	struct process *p = context;
	p->now_ns += LOOKS;
	bool listens = runs(p) && age(p) >= p->listens_ns && p->starts >= p->last_start_listens;
	return listens || p->now_ns >= p->other_listens_ns ? WORLD_ACCEPTS
	       : p->is_silent                              ? WORLD_SILENT
	                                                   : WORLD_REFUSES;
}

static int start(void *context)
{
	struct process *p = context;
	p->starts++;
	p->started_ns = p->now_ns;
	p->signal = 0;
	return p->not_run;
}

static void end(void *context, int number)
{
	((struct process *)context)->signal = number;
}

static void append_listening(void *context, struct buffer *out)
{
	struct process *p = context;
	if (p->begins_meanwhile)
		p->listens_ns = age(p);
	if (age(p) >= p->elsewhere_ns)
		buffer_printf(out, "node listens at 127.0.0.1:%d",
		              age(p) < p->elsewhere_ns + 2 * CLOCK_NS_PER_S ? 1 : 2);
}

static void on_elsewhere(void *context, const char *where)
{
	struct process *p = context;
	p->said++;
	snprintf(p->where, sizeof p->where, "%s", where);
}

static struct process *process_that(int64_t listens_ns, int64_t ends_ns)
{
	static struct process p;
	p = (struct process){ .now_ns = CLOCK_NS_PER_S,
		              .listens_ns = listens_ns,
		              .ends_ns = ends_ns,
		              .other_listens_ns = NEVER,
		              .elsewhere_ns = NEVER };
	p.clock = (struct loop_clock){ now, wait_until, &p };
	p.world = (struct probe_world){ .clock = &p.clock, .look = look, .context = &p };
	p.control = (struct listener_control){ start, end, runs, append_listening, &p };
	p.listener = (struct listener){ .wait_ns = WAIT,
		                        .world = &p.world,
		                        .control = &p.control,
		                        .listens_elsewhere = on_elsewhere,
		                        .context = &p };
	return &p;
}

/* Starts it; *took is how long that was. */
static enum listener_state started(struct process *p, int64_t *took)
{
	struct error err;
	int64_t began = p->now_ns;
	enum listener_state state = listener_start(&p->listener, &err);
	*took = p->now_ns - began;
	return state;
}

static enum listener_state restarted(struct process *p, int64_t *took)
{
	struct error err;
	int64_t began = p->now_ns;
	enum listener_state state = listener_restart(&p->listener, &err);
	*took = p->now_ns - began;
	return state;
}

static void assert_between(int64_t ns, int64_t least, int64_t most)
{
	if (ns < least || ns > most)
		fail_msg("%s, not from %s to %s", DURATION_TEXT(ns), DURATION_TEXT(least), DURATION_TEXT(most));
}

TEST(test_it_is_waited_for)
{
	int64_t took;
	assert_int_equal(started(process_that(0, NEVER), &took), LISTENER_READY);
	assert_between(took, LOOKS, LOOKS);
	assert_int_equal(started(process_that(3 * CLOCK_NS_PER_S, NEVER), &took), LISTENER_READY);
	assert_between(took, 3 * CLOCK_NS_PER_S, 3 * CLOCK_NS_PER_S + 30 * MS);
	assert_int_equal(started(process_that(WAIT - 50 * MS, NEVER), &took), LISTENER_READY);
}

TEST(test_the_wait_has_an_end)
{
	int64_t took;
	assert_int_equal(started(process_that(WAIT + 50 * MS, NEVER), &took), LISTENER_DEAF);
	assert_between(took, WAIT, WAIT + 30 * MS);
	struct process *p = process_that(NEVER, NEVER);
	p->is_silent = true;
	assert_int_equal(started(p, &took), LISTENER_DEAF);
	assert_between(took, WAIT, WAIT + 30 * MS);
	p = process_that(NEVER, NEVER);
	assert_int_equal(restarted(p, &took), LISTENER_DEAF);
	assert_int_equal(p->starts, 1); /* it runs */
}

TEST(test_what_cannot_be_run_is_not_waited_for)
{
	int64_t took;
	struct process *p = process_that(0, NEVER);
	p->not_run = ENOENT;
	assert_int_equal(started(p, &took), LISTENER_NOT_RUN);
	assert_int_equal(p->listener.not_run, ENOENT);
	assert_int_equal(took, 0);
}

TEST(test_one_that_ends_early_is_started_once)
{
	int64_t took;
	struct process *p = process_that(NEVER, AT_ONE);
	assert_int_equal(started(p, &took), LISTENER_ENDED);
	assert_between(took, AT_ONE, AT_ONE + 30 * MS);
	assert_int_equal(p->starts, 1);
}

/* Its port may be taken a while longer. */
TEST(test_one_that_ends_early_is_started_again)
{
	int64_t took;
	struct process *p = process_that(0, AT_ONE);
	p->last_start_listens = 4;
	assert_int_equal(restarted(p, &took), LISTENER_READY);
	assert_int_equal(p->starts, 4);
	assert_between(took, 3 * (AT_ONE + 200 * MS), 3 * (AT_ONE + 240 * MS));
}

TEST(test_starting_it_again_has_an_end)
{
	int64_t took;
	struct process *p = process_that(NEVER, AT_ONE);
	assert_int_equal(restarted(p, &took), LISTENER_ENDED);
	assert_between(took, WAIT, WAIT + AT_ONE + 240 * MS);
	assert_between(p->starts, 15, 17);
}

/* What is left of the one before may listen. */
TEST(test_the_one_before_is_ended_first)
{
	int64_t took;
	struct process *p = process_that(0, NEVER);
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_int_equal(restarted(p, &took), LISTENER_READY);
	assert_int_equal(p->starts, 2);
	assert_true(runs(p));
	listener_kill(&p->listener);
	assert_int_equal(p->signal, SIGKILL);
	assert_true(listener_is_gone(&p->listener));
	assert_int_equal(restarted(p, &took), LISTENER_READY);
	listener_close(&p->listener);
	assert_int_equal(p->signal, SIGTERM);
	assert_false(p->listener.is_open);
}

/* It has ended, and something listens: a process that it has left, or that was there. */
TEST(test_what_listens_behind_it_is_not_ours)
{
	int64_t took;
	struct process *p = process_that(NEVER, AT_ONE);
	p->other_listens_ns = 0;
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_false(p->listener.is_detached);
	p->now_ns += AT_ONE;
	assert_false(listener_is_gone(&p->listener));
	assert_true(p->listener.is_detached);
	p->other_listens_ns = NEVER;
	assert_false(listener_is_gone(&p->listener)); /* it is not watched any more */
	p = process_that(NEVER, 0);
	p->other_listens_ns = 0;
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_true(p->listener.is_detached);
}

TEST(test_its_end_is_seen)
{
	int64_t took;
	struct process *p = process_that(0, CLOCK_NS_PER_S);
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_false(listener_is_gone(&p->listener));
	p->now_ns += CLOCK_NS_PER_S;
	assert_true(listener_is_gone(&p->listener));
}

/* From one second on, and each other place once. */
TEST(test_where_else_it_listens_is_said)
{
	int64_t took;
	struct process *p = process_that(900 * MS, NEVER);
	p->elsewhere_ns = 0;
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_int_equal(p->said, 0);
	p = process_that(NEVER, NEVER);
	p->elsewhere_ns = CLOCK_NS_PER_S + 500 * MS;
	assert_int_equal(started(p, &took), LISTENER_DEAF);
	assert_int_equal(p->said, 2);
	assert_string_equal(p->where, "node listens at 127.0.0.1:2");
	p = process_that(NEVER, NEVER);
	p->elsewhere_ns = 0;
	p->begins_meanwhile = true;
	assert_int_equal(started(p, &took), LISTENER_READY);
	assert_int_equal(p->said, 0);
	p = process_that(NEVER, NEVER);
	p->elsewhere_ns = 0;
	p->is_silent = true; /* somebody has the port */
	assert_int_equal(started(p, &took), LISTENER_DEAF);
	assert_int_equal(p->said, 0);
}

static enum world_look look_as_told(void *context)
{
	return *(enum world_look *)context;
}

/* A script that has left a listener has ended, and that is alive: one that is too busy to accept is not gone. */
TEST(test_who_is_left_may_be_busy)
{
	static const char *const words[] = { "sh", "-c", "sleep 60 & exit 3", NULL };
	enum world_look told = WORLD_ACCEPTS;
	struct probe_world world = { .look = look_as_told, .context = &told };
	struct signals signals = SIGNALS_INIT;
	struct listener l = { .words = words, .wait_ns = WAIT, .world = &world, .signals = &signals };
	struct error err;
	assert_int_equal(signals_open(&signals, &err), 0);
	assert_int_equal(listener_start(&l, &err), LISTENER_READY);
	assert_true(child_wait(&l.child, -1));
	told = WORLD_SILENT;
	assert_false(listener_is_gone(&l));
	told = WORLD_ACCEPTS;
	assert_false(listener_is_gone(&l));
	told = WORLD_REFUSES;
	assert_true(listener_is_gone(&l));
	told = WORLD_SILENT;
	kill(-l.child.known.pid, SIGKILL);
	while (!listener_is_gone(&l))
		world_wait(NULL, NULL, MS);
	listener_close(&l);
	signals_close(&signals);
}

/* Whoever goes on in a group of its own may print: into a pipe that is closed, whose number another file may have. */
TEST(test_what_goes_on_is_not_read_any_more)
{
	static const char *const words[] = { "sh", "-c", "setsid sh -c 'echo $$; exec sleep 60' & exec sleep 60",
		                             NULL };
	enum world_look told = WORLD_ACCEPTS;
	struct probe_world world = { .look = look_as_told, .context = &told };
	const struct echoes none = { 0 };
	struct signals signals = SIGNALS_INIT;
	struct listener l = { .words = words, .wait_ns = WAIT, .world = &world, .signals = &signals, .secrets = &none };
	struct error err;
	LOCAL_BUFFER printed = BUFFER_INIT;
	char bytes[8];
	int ends[2];
	assert_int_equal(signals_open(&signals, &err), 0);
	assert_int_equal(listener_start(&l, &err), LISTENER_READY);
	while (!strchr(buffer_text(&printed), '\n')) {
		world_wait(NULL, NULL, MS);
		buffer_clear(&printed);
		listener_append_printed(&l, 0, 100, &printed);
	}
	pid_t left = (pid_t)strtol(buffer_text(&printed), NULL, 10);
	int number = l.child.pipe_fd;
	listener_stop(&l);
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	assert_int_equal(write(ends[1], "other", 5), 5);
	if (ends[0] != number)
		assert_int_equal(dup2(ends[0], number), number);
	kill(left, SIGKILL);
	while (kill(left, 0) == 0)
		world_wait(NULL, NULL, MS);
	listener_close(&l);
	assert_int_equal(read(number, bytes, sizeof bytes), 5);
	close(number);
	if (ends[0] != number)
		close(ends[0]);
	close(ends[1]);
	signals_close(&signals);
}

TEST(test_a_signal_ends_the_wait)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	int64_t took;
	struct process *p = process_that(NEVER, NEVER);
	assert_int_equal(signals_open(&signals, &err), 0);
	p->listener.signals = &signals;
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	signals_wait_input(&signals, -1, -1);
	assert_int_equal(started(p, &took), LISTENER_INTERRUPTED);
	assert_between(took, 0, 30 * MS);
	p = process_that(NEVER, 0);
	p->listener.signals = &signals;
	assert_int_equal(restarted(p, &took), LISTENER_INTERRUPTED);
	assert_int_equal(signals_take(&signals), SIGTERM); /* it was not taken */
	signals_close(&signals);
}
