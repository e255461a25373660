/* Signals read as events. Each case runs in a child of its own, since it changes what signals do to a process. */
#include "base/signals.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What a child does, a letter for each step:
 *   . waits until the same signal again is another one
 *   x n y Q b before: SIGINT is ignored as in a background command, SIGHUP as by nohup, SIGUSR2, SIGQUIT, or all are
 * blocked O R K C open, reload at SIGHUP, keep the second, close i t h u q SIGINT, SIGTERM, SIGHUP, SIGUSR2 or SIGQUIT
 * is sent;   I T H   taken;   a   arrives, and stays;   -   nothing is there F       SIGTERM again and again;   W waits
 * to be ended */
static int play(const char *steps)
{
	static const char sent[] = "ithuq", taken[] = "ITH";
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGQUIT };
	struct signals s;
	sigset_t mask;
	alarm(10);
	for (const char *step = steps; *step; step++) {
		const char *is_sent = strchr(sent, *step), *is_taken = strchr(taken, *step);
		if (is_sent)
			send(numbers[is_sent - sent]);
		else if (is_taken)
			EXPECT(take(&s) == numbers[is_taken - taken]);
		switch (*step) {
		case 'x':
		case 'n':
		case 'y':
			signal(*step == 'x' ? SIGINT : *step == 'n' ? SIGHUP : SIGUSR2, SIG_IGN);
			break;
		case 'Q':
			signal(SIGQUIT, SIG_IGN);
			break;
		case 'b':
			sigfillset(&mask);
			sigdelset(&mask, SIGALRM);
			sigprocmask(SIG_SETMASK, &mask, NULL);
			break;
		case 'O':
			EXPECT(open_them(&s) == 0);
			break;
		case 'R':
			signals_reload_at_hangup(&s);
			break;
		case 'K':
			signals_keep_second(&s);
			break;
		case 'C':
			signals_close(&s);
			break;
		case 'a':
			EXPECT(arrives(&s));
			break;
		case '-':
			EXPECT(signals_take(&s) == 0);
			break;
		case '.':
			nanosleep(&(struct timespec){ .tv_nsec = SIGNALS_SAME_MS * 1500000L }, NULL);
			break;
		case 'F':
			for (;; send(SIGTERM)) /* it merges with one that is pending */
				nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		case 'W':
			for (;;)
				pause();
		}
	}
	return 0;
}

/* More than the pipe has room for. */
static int a_flood_of_hangups_hides_no_stop(void)
{
	struct signals s;
	EXPECT(open_them(&s) == 0);
	signals_keep_second(&s);
	signals_reload_at_hangup(&s);
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

/* Of somebody else's, as SIGWINCH is the prompt's. */
static int others_signals_reach_them(void)
{
	int number;
	alarm(10);
	struct signals s;
	sigset_t set;
	EXPECT(open_them(&s) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 100; i++) {
		send(SIGWINCH);
		EXPECT(sigwait(&set, &number) == 0 && number == SIGWINCH);
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
	EXPECT(signals_wait_input(&s, ends[0], -1));
	send(SIGTERM);
	EXPECT(arrives(&s) && !signals_wait_input(&s, ends[0], -1)); /* both: the signal is told */
	char byte;
	EXPECT(read(ends[0], &byte, 1) == 1);
	EXPECT(!signals_wait_input(&s, ends[0], -1));
	EXPECT(take(&s) == SIGTERM);
	close(ends[1]);
	EXPECT(signals_wait_input(&s, ends[0], -1)); /* its end */
	close(ends[0]);
	EXPECT(signals_wait_input(&s, ends[0], -1)); /* no descriptor at all: read() tells */
	signals_close(&s);
	struct signals closed = SIGNALS_INIT;
	int zero = open_them(&s) == 0 && pipe(ends) == 0 && write(ends[1], "x", 1) == 1;
	EXPECT(zero && signals_wait_input(&closed, ends[0], -1));
	signals_close(&s);
	return 0;
}

static const struct {
	const char *what;
	const char *steps; /* NULL: */
	int (*child)(void);
	int killed_by; /* 0: it ends by itself */
} rows[] = {
	{ "each signal is taken once", "OR-hH-tT-hH-C", NULL, 0 },
	{ "SIGTERM after a taken SIGINT kills", "OiItW", NULL, SIGTERM },
	{ "SIGINT after a taken SIGTERM kills", "OtTiW", NULL, SIGINT },
	{ "a hangup that reloads is no first stop", "ORhHtTC", NULL, 0 },
	{ "a hangup is taken as SIGTERM, once", "OhT-hh-C", NULL, 0 },
	{ "SIGTERM after a hangup kills", "OhTtW", NULL, SIGTERM },
	{ "a hangup after a taken SIGINT kills", "OiIhW", NULL, SIGHUP },
	{ "closing lets a hangup act that nobody took", "OhaC", NULL, SIGHUP },
	{ "SIGQUIT kills at once", "OKqW", NULL, SIGQUIT },
	{ "SIGQUIT is ignored where it was before", "QOqtTC", NULL, 0 },
	{ "the second SIGINT kills even where a shell had it ignored", "xOiI.iW", NULL, SIGINT },
	{ "keep_second keeps all", "OKiItTiItTiItTC", NULL, 0 },
	{ "the same twice kills though nobody took the first", "Ota.tW", NULL, SIGTERM },
	{ "the same twice at once is one", "OttT-.-C", NULL, 0 },
	{ "the same at once behind one that was taken is that one", "OtTt.-C", NULL, 0 },
	{ "keep_second: the same at once is one, and a later one the second", "OKtTt.-tT-C", NULL, 0 },
	{ "the second kills though nobody took the first", "OiatW", NULL, SIGTERM },
	{ "keep_second keeps two that nobody took", "OKtaiTIC", NULL, 0 },
	{ "the second that is kept and not taken kills after a while", "OKiItW", NULL, SIGTERM },
	{ "the third that nobody took kills even so", "OKiaiF", NULL, SIGTERM },
	{ "the second kills in a write that nobody reads", NULL, stuck_in_a_write, SIGTERM },
	{ "they arrive even where the parent had them blocked", "bOiItW", NULL, SIGTERM },
	{ "closing lets one act that nobody took", "OiaC", NULL, SIGINT },
	{ "a flood of hangups hides no stop", NULL, a_flood_of_hangups_hides_no_stop, 0 },
	{ "they can be kept again, as the shell does around a command", "OiIK.iItTC", NULL, 0 },
	{ "other signals reach whom they are for", NULL, others_signals_reach_them, 0 },
	{ "nohup is respected", "nOh-tTC", NULL, 0 },
	{ "SIGUSR2 kills as anywhere", "OuW", NULL, SIGUSR2 },
	{ "SIGUSR2 is ignored where it was before", "yOuiItW", NULL, SIGTERM },
	{ "closing and opening again", "OCOiICOtTC", NULL, 0 },
	{ "SIGPIPE is ignored", NULL, a_closed_pipe_is_an_error_to_read, 0 },
	{ "closing puts actions and mask back", NULL, closing_puts_all_back, SIGTERM },
	{ "waiting ends for input or a signal", NULL, waiting_ends_for_input_or_a_signal, 0 },
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
			_exit(rows[i].steps ? play(rows[i].steps) : rows[i].child());
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
		bool well = open_them(&s) == 0 && write(ready[1], "r", 1) == 1 &&
		            !signals_wait_input(&s, input[0], -1) && take(&s) == SIGINT &&
		            write(ready[1], "r", 1) == 1 && signals_wait_input(&s, input[0], -1);
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
