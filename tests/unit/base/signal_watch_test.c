/* Signals of a terminal are read one by one, and none is lost when nobody looks any more. */
#include "base/signal_watch.h"
#include "test.h"

#include <poll.h>
#include <unistd.h>

static void block(int how, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	sigaddset(set, SIGCONT);
	pthread_sigmask(how, set, NULL);
}

static int take(struct signal_watch *w)
{
	assert_int_equal(poll(&(struct pollfd){ .fd = w->fd, .events = POLLIN }, 1, 10000), 1);
	return signal_watch_take(w);
}

TEST(each_is_taken_once)
{
	struct signal_watch w = { .is_open = false };
	struct signal_watch_policy how = { .wake = SIGUSR1 };
	struct error err;
	block(SIG_BLOCK, &how.set);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(signal_watch_open(&w, &how, &err), 0);
		assert_int_equal(signal_watch_take(&w), 0);
		kill(getpid(), SIGWINCH);
		assert_int_equal(take(&w), SIGWINCH);
		kill(getpid(), SIGCONT);
		assert_int_equal(take(&w), SIGCONT);
		assert_int_equal(signal_watch_take(&w), 0);
		signal_watch_close(&w);
		signal_watch_close(&w);
	}
	block(SIG_UNBLOCK, &how.set);
}

static volatile sig_atomic_t arrived;

static void note(int number)
{
	arrived = number;
}

TEST(one_that_nobody_took_arrives_later)
{
	struct signal_watch w = { .is_open = false };
	struct signal_watch_policy how = { .wake = SIGUSR1 };
	struct error err;
	signal(SIGWINCH, note);
	block(SIG_BLOCK, &how.set);
	assert_int_equal(signal_watch_open(&w, &how, &err), 0);
	kill(getpid(), SIGWINCH);
	assert_int_equal(poll(&(struct pollfd){ .fd = w.fd, .events = POLLIN }, 1, 10000), 1);
	signal_watch_close(&w);
	assert_int_equal(arrived, 0);
	block(SIG_UNBLOCK, &how.set);
	assert_int_equal(arrived, SIGWINCH);
	signal(SIGWINCH, SIG_DFL);
}
