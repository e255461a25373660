/* Whoever waits is woken, once for any number of wake-ups, and also by one that came before it waited. */
#include "base/wake.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static bool is_awake(const struct wake *wake)
{
	return poll(&(struct pollfd){ .fd = wake->fd, .events = POLLIN }, 1, 0) == 1;
}

static void open_wake(struct wake *wake)
{
	struct error err;
	assert_int_equal(wake_open(wake, &err), 0);
	assert_true(wake->is_open);
}

TEST(any_number_of_wake_ups_are_one)
{
	struct wake wake;
	open_wake(&wake);
	assert_false(is_awake(&wake));
	for (int i = 0; i < 3; i++)
		wake_up(&wake);
	assert_true(is_awake(&wake));
	wake_clear(&wake);
	assert_false(is_awake(&wake));
	wake_clear(&wake); /* does not wait for one */
	wake_up(&wake);
	assert_true(is_awake(&wake));
	wake_close(&wake);
}

/* Of a pipe that is more than it holds: nobody waits, and all of them are cleared at once. */
TEST(a_wake_up_never_waits)
{
	struct wake wake;
	open_wake(&wake);
	for (int i = 0; i < 100000; i++)
		wake_up(&wake);
	assert_true(is_awake(&wake));
	wake_clear(&wake);
	assert_false(is_awake(&wake));
	wake_close(&wake);
}

TEST(closing_twice_closes_nobody_elses)
{
	struct wake wake;
	open_wake(&wake);
	int fd = wake.fd;
	wake_close(&wake);
	assert_false(wake.is_open);
	assert_int_equal(dup2(STDERR_FILENO, fd), fd);
	wake_close(&wake);
	assert_int_equal(close(fd), 0);
	struct wake never = { .is_open = false };
	wake_close(&never);
	assert_true(poll(&(struct pollfd){ .fd = STDIN_FILENO }, 1, 0) >= 0);
}

static void *wake_it(void *wake)
{
	wake_up(wake);
	return NULL;
}

TEST(another_thread_wakes_who_waits)
{
	struct wake wake;
	pthread_t thread;
	open_wake(&wake);
	assert_int_equal(pthread_create(&thread, NULL, wake_it, &wake), 0);
	assert_int_equal(poll(&(struct pollfd){ .fd = wake.fd, .events = POLLIN }, 1, -1), 1);
	pthread_join(thread, NULL);
	wake_close(&wake);
}
