/* What a client sees of the server when something goes wrong: faults on demand, ends, and too many at once. */
#include "http/server_fixture.h"
#include "test.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

#define TEN_BYTES "0123456789"

static void ask_for_fault(struct fixture *f, struct client *c, enum http_fault fault)
{
	struct http_server_options options = http_server_defaults;
	options.drip_interval = MS / 10;
	fixture_init(f, &options);
	f->answer = (struct http_response){ .status = 200, .body = TEN_BYTES, .body_length = 10, .fault = fault };
	client_init(c, f);
	client_send(c, POST_ABC);
}

static void release(struct fixture *f, struct client *c)
{
	assert_int_equal(f->abandoned, 0);
	client_release(c);
	fixture_release(f);
}

TEST(reset_is_an_rst)
{
	struct fixture f;
	struct client c;
	ask_for_fault(&f, &c, HTTP_FAULT_RESET);
	AWAIT(&f, c.ended);
	assert_int_equal(c.error, ECONNRESET);
	assert_int_equal(c.got.length, 0);
	release(&f, &c);
}

TEST(empty_is_an_end_without_a_byte)
{
	struct fixture f;
	struct client c;
	ask_for_fault(&f, &c, HTTP_FAULT_EMPTY);
	AWAIT(&f, c.ended);
	assert_int_equal(c.error, 0);
	assert_int_equal(c.got.length, 0);
	release(&f, &c);
}

TEST(truncate_is_half_of_the_body)
{
	struct fixture f;
	struct client c;
	ask_for_fault(&f, &c, HTTP_FAULT_TRUNCATE);
	AWAIT(&f, c.ended);
	assert_int_equal(c.error, 0);
	assert_true(client_got(&c, "Content-Length: 10\r\n\r\n01234"));
	assert_false(client_got(&c, "012345"));
	release(&f, &c);
}

TEST(truncate_without_a_body_is_half_of_the_head)
{
	struct fixture f;
	struct client c;
	fixture_init(&f, &http_server_defaults);
	f.answer = (struct http_response){ .status = 204, .fault = HTTP_FAULT_TRUNCATE };
	client_init(&c, &f);
	client_send(&c, POST_ABC);
	AWAIT(&f, c.ended);
	assert_true(client_got(&c, "HTTP/1.1 204 "));
	assert_false(client_got(&c, "\r\n\r\n"));
	release(&f, &c);
}

TEST(drip_comes_byte_by_byte_and_whole)
{
	struct fixture f;
	struct client c;
	ask_for_fault(&f, &c, HTTP_FAULT_DRIP);
	AWAIT(&f, c.got.length > 0);
	assert_true(c.got.length < 20);
	AWAIT(&f, client_got(&c, "\r\n\r\n" TEN_BYTES));
	/* Then the connection is as good as any. */
	f.answer.fault = HTTP_FAULT_NONE;
	client_send(&c, POST_ABC);
	AWAIT(&f, client_count(&c, OK_LINE) == 2);
	release(&f, &c);
}

TEST(hang_lasts_until_the_client_goes)
{
	struct http_server_options options = http_server_defaults;
	struct fixture f;
	struct client c, other;
	options.idle_timeout = options.send_timeout = options.head_timeout = options.body_timeout = 20 * MS;
	fixture_init(&f, &options);
	f.answer.fault = HTTP_FAULT_HANG;
	client_init(&c, &f);
	client_send(&c, POST_ABC POST_ABC);
	AWAIT(&f, f.requests == 1);
	/* Longer than every deadline: another client is closed for its silence. */
	client_init(&other, &f);
	AWAIT(&f, other.ended);
	assert_false(c.ended);
	assert_int_equal(c.got.length, 0);
	assert_int_equal(fixture_open(&f), 1);
	shutdown(c.io.fd, SHUT_WR);
	AWAIT(&f, fixture_open(&f) == 0);
	assert_int_equal(f.requests, 1);
	client_release(&other);
	release(&f, &c);
}

TEST(a_delay_comes_before_the_answer)
{
	struct fixture f;
	struct client c;
	fixture_init(&f, &http_server_defaults);
	f.answer.delay_ns = 30 * MS;
	client_init(&c, &f);
	int64_t start = clock_monotonic_ns();
	client_send(&c, POST_ABC);
	client_send(&c, POST_HEAD("3") "Connection: close\r\n\r\ndef");
	AWAIT(&f, client_got(&c, "\r\n\r\nabc"));
	assert_true(clock_monotonic_ns() - start >= 30 * MS);
	AWAIT(&f, c.ended);
	assert_true(clock_monotonic_ns() - start >= 60 * MS);
	assert_true(client_got(&c, "\r\n\r\ndef"));
	release(&f, &c);
}

TEST(a_client_that_resets_abandons_its_exchange)
{
	struct fixture f;
	struct client c;
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	fixture_init(&f, &http_server_defaults);
	f.hold = true;
	client_init(&c, &f);
	client_send(&c, POST_ABC);
	AWAIT(&f, f.held_count == 1);
	setsockopt(c.io.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	client_release(&c);
	AWAIT(&f, f.abandoned == 1);
	assert_null(f.held[0]);
	assert_int_equal(fixture_open(&f), 0);
	assert_int_equal(http_server_counts(f.server)->abandoned, 1);
	fixture_release(&f);
}

TEST(the_end_of_the_server_abandons_what_is_held)
{
	struct fixture f;
	struct client c;
	fixture_init(&f, &http_server_defaults);
	f.hold = true;
	client_init(&c, &f);
	client_send(&c, POST_ABC);
	AWAIT(&f, f.held_count == 1);
	http_server_free(f.server);
	f.server = NULL;
	assert_int_equal(f.abandoned, 1);
	client_release(&c);
	fixture_release(&f);
}

TEST(draining_finishes_what_has_begun)
{
	struct fixture f;
	struct client idle, held, half, hanging;
	fixture_init(&f, &http_server_defaults);
	client_init(&idle, &f);
	client_send(&idle, POST_ABC);
	AWAIT(&f, client_got(&idle, "abc"));
	f.answer.fault = HTTP_FAULT_HANG;
	client_init(&hanging, &f);
	client_send(&hanging, POST_ABC);
	AWAIT(&f, f.requests == 2);
	f.answer.fault = HTTP_FAULT_NONE;
	f.hold = true;
	client_init(&held, &f);
	client_send(&held, POST_ABC POST_ABC);
	client_init(&half, &f);
	client_send(&half, POST_HEAD("3") "\r\nab");
	AWAIT(&f, f.held_count == 1 && f.heads == 4);

	http_server_drain(f.server, clock_monotonic_ns() + TOO_LATE);
	assert_int_equal(f.drained, 0);
	AWAIT(&f, idle.ended && hanging.ended);
	assert_false(held.ended || half.ended);
	f.hold = false;
	f.end_in_drained = true;
	fixture_answer(&f, f.held[0]);
	client_send(&half, "c");
	AWAIT(&f, held.ended && half.ended && f.drained == 1);
	assert_true(client_got(&held, "\r\nConnection: close\r\n\r\nabc"));
	assert_true(client_got(&half, "\r\nConnection: close\r\n\r\nabc"));
	assert_int_equal(client_count(&held, OK_LINE), 1);
	assert_int_equal(f.abandoned, 0);
	client_release(&idle);
	client_release(&held);
	client_release(&half);
	client_release(&hanging);
	fixture_release(&f);
}

TEST(draining_ends_at_its_deadline)
{
	struct fixture f;
	struct client c;
	fixture_init(&f, &http_server_defaults);
	f.hold = true;
	client_init(&c, &f);
	client_send(&c, POST_ABC);
	AWAIT(&f, f.held_count == 1);
	http_server_drain(f.server, clock_monotonic_ns() + 20 * MS);
	AWAIT(&f, f.drained == 1);
	assert_int_equal(f.abandoned, 1);
	AWAIT(&f, c.ended);
	client_release(&c);
	fixture_release(&f);
}

TEST(draining_nobody_ends_in_the_next_turn)
{
	struct fixture f;
	fixture_init(&f, &http_server_defaults);
	http_server_drain(f.server, clock_monotonic_ns() + TOO_LATE);
	assert_int_equal(f.drained, 0);
	fixture_turn(&f);
	assert_int_equal(f.drained, 1);
	fixture_release(&f);
}

TEST(one_connection_too_many_is_turned_away)
{
	struct http_server_options options = http_server_defaults;
	struct fixture f;
	struct client clients[3];
	options.max_connections = 2;
	fixture_init(&f, &options);
	for (int i = 0; i < 3; i++)
		client_init(&clients[i], &f);
	AWAIT(&f, clients[2].ended);
	assert_int_equal(clients[2].got.length, 0);
	assert_int_equal(http_server_counts(f.server)->turned_away, 1);
	assert_int_equal(fixture_open(&f), 2);
	client_release(&clients[0]);
	AWAIT(&f, fixture_open(&f) == 1);
	client_release(&clients[2]);
	client_init(&clients[2], &f);
	client_send(&clients[2], POST_ABC);
	AWAIT(&f, client_got(&clients[2], "abc"));
	client_release(&clients[1]);
	client_release(&clients[2]);
	fixture_release(&f);
}

static void note_ring(void *context)
{
	*(bool *)context = true;
}

TEST(accepting_pauses_without_descriptors_and_goes_on)
{
	struct fixture f;
	struct client c;
	struct rlimit before, none;
	bool rang = false;
	struct loop_timer timer = { .fire = note_ring, .context = &rang };
	fixture_init(&f, &http_server_defaults);
	client_init(&c, &f);
	client_send(&c, POST_ABC);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)c.io.fd + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	f.turns = 0;
	loop_timer_set(f.loop, &timer, clock_monotonic_ns() + 150 * MS);
	AWAIT(&f, rang);
	assert_int_equal(f.requests, 0);
	assert_true(f.turns < 10); /* else it spins */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	AWAIT(&f, client_got(&c, "abc"));
	client_release(&c);
	fixture_release(&f);
}

TEST(the_limit_of_open_files_is_raised)
{
	struct fixture f;
	struct rlimit before, low, now;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	fixture_init(&f, &http_server_defaults);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_true(now.rlim_cur > http_server_defaults.max_connections || now.rlim_cur == now.rlim_max);
	setrlimit(RLIMIT_NOFILE, &before);
	fixture_release(&f);
}

TEST(a_port_in_use_is_an_error_with_a_hint)
{
	struct fixture f;
	struct http_server_handler handler = { .on_request = fixture_on_request };
	struct error err;
	char message[128];
	fixture_init(&f, &http_server_defaults);
	struct http_server *second = http_server_new(f.loop, &http_server_defaults, &handler, &err);
	assert_non_null(second);
	assert_string_equal(http_server_url(second), "");
	assert_int_equal(http_server_listen(second, http_server_url(f.server) + strlen("http://"), &err), -1);
	snprintf(message, sizeof message, "cannot listen on '127.0.0.1:%u': Address already in use", fixture_port(&f));
	assert_string_equal(err.message, message);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_true(err.hint[0] != '\0');
	/* A failure leaves nothing behind that a second try would stumble over. */
	assert_int_equal(http_server_listen(second, "127.0.0.1:0", &err), 0);
	http_server_free(second);
	fixture_release(&f);
}
