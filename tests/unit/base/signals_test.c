/* Signals read as events. Each case runs in a child of its own, since it changes what signals do to a process. */
#include "base/signals.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

/* Not raise(): that is for the calling thread only. */
static void send(int number)
{
	kill(getpid(), number);
}

static bool arrives(const struct signals *s)
{
	struct pollfd wait = { .fd = s->fd, .events = POLLIN };
	return poll(&wait, 1, 10000) == 1;
}

/* Takes what was just sent. */
static int take(struct signals *s)
{
	return arrives(s) ? signals_take(s) : 0;
}

static int open_them(struct signals *s)
{
	struct error err;
	return signals_open(s, &err);
}

static int each_is_taken_once(void)
{
	static const int numbers[] = { SIGHUP, SIGTERM, SIGHUP };
	struct signals s;
	EXPECT(open_them(&s) == 0);
	EXPECT(signals_take(&s) == 0);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		send(numbers[i]);
		EXPECT(take(&s) == numbers[i]);
		EXPECT(signals_take(&s) == 0);
	}
	signals_close(&s);
	return 0;
}

static int second_kills(int first, int second)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(first);
	EXPECT(take(&s) == first);
	send(second);
	alarm(10);
	for (;;)
		pause();
}

static int term_after_int(void)
{
	return second_kills(SIGINT, SIGTERM);
}

static int int_after_term(void)
{
	return second_kills(SIGTERM, SIGINT);
}

static int term_after_hangup(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(SIGHUP);
	EXPECT(take(&s) == SIGHUP);
	send(SIGTERM);
	EXPECT(take(&s) == SIGTERM);
	signals_close(&s);
	return 0;
}

/* A shell without job control starts background commands so. */
static int int_ignored_by_the_shell(void)
{
	signal(SIGINT, SIG_IGN);
	return second_kills(SIGINT, SIGINT);
}

static int second_is_kept(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s, true);
	for (int i = 0; i < 3; i++) {
		send(SIGINT);
		EXPECT(take(&s) == SIGINT);
		send(SIGTERM);
		EXPECT(take(&s) == SIGTERM);
	}
	signals_close(&s);
	return 0;
}

/* Nobody looks at the signals: the process is busy, or stuck. */
static int second_of_two_untaken(int first, int second)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(first);
	EXPECT(arrives(&s));
	send(second);
	alarm(10);
	for (;;)
		pause();
}

static int the_same_twice_untaken(void)
{
	return second_of_two_untaken(SIGTERM, SIGTERM);
}

static int two_untaken(void)
{
	return second_of_two_untaken(SIGINT, SIGTERM);
}

static int two_untaken_are_kept(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s, true);
	send(SIGTERM);
	EXPECT(arrives(&s));
	send(SIGINT);
	EXPECT(take(&s) == SIGTERM);
	EXPECT(take(&s) == SIGINT);
	signals_close(&s);
	return 0;
}

static int second_of_two_kept_untaken(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s, true);
	send(SIGINT);
	EXPECT(take(&s) == SIGINT);
	send(SIGTERM);
	alarm(10);
	for (;;)
		pause();
}

static int third_of_three_untaken(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s, true);
	send(SIGINT);
	EXPECT(arrives(&s));
	send(SIGINT);
	alarm(10);
	for (;;) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		send(SIGTERM); /* it merges with one that is pending */
	}
}

static int one_that_nobody_took(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(SIGINT);
	EXPECT(arrives(&s));
	signals_close(&s);
	return 0;
}

/* More than the pipe has room for. */
static int a_flood_of_hangups_hides_no_stop(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s, true);
	for (int i = 0; i < 100000; i++)
		send(SIGHUP);
	send(SIGTERM);
	EXPECT(take(&s) == SIGHUP);
	int second = take(&s); /* one that came while the first was taken */
	EXPECT((second == SIGHUP ? take(&s) : second) == SIGTERM);
	send(SIGHUP);
	EXPECT(take(&s) == SIGHUP);
	signals_close(&s);
	return 0;
}

/* As the shell does around a command. */
static int kept_again_after_the_first_was_taken(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(SIGINT);
	EXPECT(take(&s) == SIGINT);
	signals_keep_second(&s, true);
	send(SIGINT);
	EXPECT(take(&s) == SIGINT);
	send(SIGTERM);
	EXPECT(take(&s) == SIGTERM);
	signals_close(&s);
	return 0;
}

/* A signalfd of somebody else's, as the prompt has one for SIGWINCH. */
static int others_signals_reach_them(void)
{
	struct signals s;
	sigset_t set;
	EXPECT(open_them(&s) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 100; i++) {
		send(SIGWINCH);
		EXPECT(sigtimedwait(&set, NULL, &(struct timespec){ .tv_sec = 10 }) == SIGWINCH);
	}
	signals_close(&s);
	return 0;
}

static int stuck_in_a_write(void)
{
	struct signals s;
	char block[4096] = { 0 };
	int ends[2];
	EXPECT(open_them(&s) == 0 && pipe(ends) == 0);
	pid_t sender = fork();
	if (sender == 0) {
		/* Until the other has ended, and this one has another parent. */
		for (pid_t parent = getppid(); getppid() == parent;) {
			kill(parent, SIGTERM);
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		}
		_exit(0);
	}
	while (write(ends[1], block, sizeof block) > 0)
		continue;
	return 1; /* EINTR */
}

static int blocked_by_the_parent(void)
{
	sigset_t mask;
	sigfillset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return second_kills(SIGINT, SIGTERM);
}

static int hangup_ignored_by_nohup(void)
{
	signal(SIGHUP, SIG_IGN);
	struct signals s;
	EXPECT(open_them(&s) == 0);
	send(SIGHUP);
	EXPECT(signals_take(&s) == 0);
	send(SIGTERM);
	EXPECT(take(&s) == SIGTERM);
	signals_close(&s);
	return 0;
}

static int a_closed_pipe_is_an_error_to_read(void)
{
	struct signals s;
	int ends[2];
	EXPECT(open_them(&s) == 0 && pipe(ends) == 0);
	close(ends[0]);
	EXPECT(write(ends[1], "x", 1) == -1 && errno == EPIPE);
	signals_close(&s);
	return 0;
}

static int closing_puts_all_back(void)
{
	sigset_t mask;
	struct sigaction action;
	sigemptyset(&mask);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	signal(SIGINT, SIG_IGN);
	struct signals s = SIGNALS_INIT;
	signals_close(&s); /* not open: nothing happens */
	EXPECT(signals_take(&s) == 0);
	EXPECT(open_them(&s) == 0 && s.fd >= 0);
	signals_close(&s);
	EXPECT(s.fd == -1);
	signals_close(&s);
	EXPECT(signals_take(&s) == 0);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	EXPECT(sigismember(&mask, SIGHUP) == 1 && sigismember(&mask, SIGINT) == 0 && sigismember(&mask, SIGTERM) == 0);
	EXPECT(sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
	send(SIGTERM);
	return 0;
}

static int waiting_ends_for_input_or_a_signal(void)
{
	struct signals s;
	int ends[2];
	EXPECT(open_them(&s) == 0 && pipe(ends) == 0);
	EXPECT(write(ends[1], "x", 1) == 1);
	EXPECT(signals_wait_input(&s, ends[0]));
	send(SIGTERM);
	EXPECT(arrives(&s) && !signals_wait_input(&s, ends[0])); /* both: the signal is told */
	char byte;
	EXPECT(read(ends[0], &byte, 1) == 1);
	EXPECT(!signals_wait_input(&s, ends[0]));
	EXPECT(take(&s) == SIGTERM);
	close(ends[1]);
	EXPECT(signals_wait_input(&s, ends[0])); /* its end */
	close(ends[0]);
	EXPECT(signals_wait_input(&s, ends[0])); /* no descriptor at all: read() tells */
	signals_close(&s);
	struct signals closed = SIGNALS_INIT;
	int zero = open_them(&s) == 0 && pipe(ends) == 0 && write(ends[1], "x", 1) == 1;
	EXPECT(zero && signals_wait_input(&closed, ends[0]));
	signals_close(&s);
	return 0;
}

static const struct row {
	const char *what;
	int (*child)(void);
	int killed_by; /* 0: it ends by itself */
} rows[] = {
	{ "each signal is taken once", each_is_taken_once, 0 },
	{ "SIGTERM after a taken SIGINT kills", term_after_int, SIGTERM },
	{ "SIGINT after a taken SIGTERM kills", int_after_term, SIGINT },
	{ "a hangup is no first stop", term_after_hangup, 0 },
	{ "the second SIGINT kills even where a shell had it ignored", int_ignored_by_the_shell, SIGINT },
	{ "keep_second keeps all", second_is_kept, 0 },
	{ "the same twice kills though nobody took the first", the_same_twice_untaken, SIGTERM },
	{ "the second kills though nobody took the first", two_untaken, SIGTERM },
	{ "keep_second keeps two that nobody took", two_untaken_are_kept, 0 },
	{ "the second that is kept and not taken kills after a while", second_of_two_kept_untaken, SIGTERM },
	{ "the third that nobody took kills even so", third_of_three_untaken, SIGTERM },
	{ "the second kills in a write that nobody reads", stuck_in_a_write, SIGTERM },
	{ "they arrive even where the parent had them blocked", blocked_by_the_parent, SIGTERM },
	{ "closing lets one act that nobody took", one_that_nobody_took, SIGINT },
	{ "a flood of hangups hides no stop", a_flood_of_hangups_hides_no_stop, 0 },
	{ "they can be kept again", kept_again_after_the_first_was_taken, 0 },
	{ "other signals reach whom they are for", others_signals_reach_them, 0 },
	{ "nohup is respected", hangup_ignored_by_nohup, 0 },
	{ "SIGPIPE is ignored", a_closed_pipe_is_an_error_to_read, 0 },
	{ "closing puts actions and mask back", closing_puts_all_back, SIGTERM },
	{ "waiting ends for input or a signal", waiting_ends_for_input_or_a_signal, 0 },
};

/* Whoever runs the tests may have left signals blocked or ignored: a child starts from the defaults. */
static void reset_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		signal(numbers[i], SIG_DFL);
}

TEST(children_end_as_told)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fflush(NULL);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			reset_signals();
			_exit(rows[i].child());
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		bool as_told = rows[i].killed_by ? WIFSIGNALED(status) && WTERMSIG(status) == rows[i].killed_by
		                                 : WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (!as_told)
			fail_msg("%s: wait status 0x%x", rows[i].what, (unsigned)status);
	}
}

/* The parent sends while the child waits, rather than the child to itself. */
TEST(a_signal_from_outside_wakes_a_waiting_process)
{
	int ready[2], input[2];
	assert_int_equal(pipe(ready) + pipe(input), 0);
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		reset_signals();
		struct signals s;
		bool well = open_them(&s) == 0 && write(ready[1], "r", 1) == 1 && !signals_wait_input(&s, input[0]) &&
		            take(&s) == SIGINT && write(ready[1], "r", 1) == 1 && signals_wait_input(&s, input[0]);
		_exit(well ? 0 : 1);
	}
	char byte;
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(pid, SIGINT);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(write(input[1], "x", 1), 1);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(ready[0]);
	close(input[0]);
	close(input[1]);
}
