/* A connection that neither comes about nor is refused, since the listener's backlog is full: the time given ends it,
 * and so does a signal. */
#include "base/clock.h"
#include "http/raw.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS   4
#define LITTLE_NS (300 * CLOCK_NS_PER_MS)
#define LONG_NS   (600 * CLOCK_NS_PER_S)
#define MOST_NS   (5 * CLOCK_NS_PER_S) /* a busy machine may need that long for what takes no time */

static int listening, clients[CLIENTS];
static char url[64];
static struct deliver_options options = { .url = url };
static struct exchange exchange;

static int full_backlog(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	(void)state;
	listening = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&address, size) < 0 || listen(listening, 0) < 0 ||
	    getsockname(listening, (struct sockaddr *)&address, &size) < 0)
		return -1;
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(clients[i], (struct sockaddr *)&address, size);
	}
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	close(listening);
	for (int i = 0; i < CLIENTS; i++)
		close(clients[i]);
	exchange_release(&exchange);
	return 0;
}

TEST_WITH(test_the_time_to_wait_ends_the_connection, full_backlog, close_all)
{
	int64_t began = clock_monotonic_ns();
	assert_int_equal(raw_wait(&options, LITTLE_NS, NULL, &exchange), 0);
	int64_t took = clock_monotonic_ns() - began;
	assert_true(took >= LITTLE_NS && took < MOST_NS);
	assert_string_equal(exchange.message, "the connection timed out");
}

TEST_WITH(test_a_look_says_why_there_is_no_connection, full_backlog, close_all)
{
	assert_false(raw_look(&options, LITTLE_NS, NULL, &exchange));
	assert_int_equal(exchange.failure, DELIVER_TIMED_OUT);
	exchange_release(&exchange);
	close(listening);
	listening = -1;
	assert_false(raw_look(&options, MOST_NS, NULL, &exchange));
	assert_int_equal(exchange.failure, DELIVER_REFUSED);
}

TEST_WITH(test_the_time_of_an_exchange_ends_the_connection, full_backlog, close_all)
{
	const struct raw_script script = { .text = BUFFER_INIT, .max_time_ns = LITTLE_NS };
	struct error err;
	int64_t began = clock_monotonic_ns();
	assert_int_equal(raw_exchange(&options, &script, NULL, &exchange, &err), 0);
	assert_true(clock_monotonic_ns() - began < MOST_NS);
	assert_true(exchange.outcome == DELIVER_FAILED && exchange.failure == DELIVER_TIMED_OUT);
}

TEST_WITH(test_the_time_of_an_attempt_ends_a_look_at_the_certificate, full_backlog, close_all)
{
	struct deliver_options bounded = options;
	int64_t end, began = clock_monotonic_ns();
	bounded.max_time_ns = LITTLE_NS;
	assert_int_equal(raw_certificate_end(&bounded, NULL, &exchange, &end), 0);
	assert_true(clock_monotonic_ns() - began < MOST_NS);
	assert_string_equal(exchange.message, "the connection timed out");
}

/* It waits already: what waits for more looks at it while a connection is being made. */
TEST_WITH(test_a_signal_ends_the_connection, full_backlog, close_all)
{
	const struct raw_script script = { .text = BUFFER_INIT, .max_time_ns = LONG_NS };
	struct signals signals;
	struct error err;
	int64_t end, began = clock_monotonic_ns();
	assert_int_equal(signals_open(&signals, &err), 0);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(raw_wait(&options, LONG_NS, &signals, &exchange), -1);
	assert_int_equal(raw_exchange(&options, &script, &signals, &exchange, &err), 0);
	assert_string_equal(exchange.message, "interrupted");
	assert_int_equal(raw_certificate_end(&options, &signals, &exchange, &end), -1);
	assert_true(clock_monotonic_ns() - began < MOST_NS);
	assert_int_equal(signals_take(&signals), SIGTERM);
	signals_close(&signals);
}
