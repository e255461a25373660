/* What a client sees of the server when something goes wrong: faults on requirement, ends, and too many at once. */
#include "http/server_fixture.h"
#include "test.h"

#include <sys/resource.h>

#define TEN_BYTES "0123456789"

static struct client *ask_for_fault(struct fixture *f, enum http_fault fault)
{
	f->options.drip_interval = MS / 10;
	f->answer = (struct http_response){ .status = 200, .body = TEN_BYTES, .body_length = 10, .fault = fault };
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	return c;
}

SERVER_TEST(reset_is_an_rst)
{
	struct fixture *f = *state;
	struct client *c = ask_for_fault(f, HTTP_FAULT_RESET);
	AWAIT(f, c->ended);
	assert_int_equal(c->error, ECONNRESET);
	assert_int_equal(c->got.length, 0);
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(empty_is_an_end_without_a_byte)
{
	struct fixture *f = *state;
	struct client *c = ask_for_fault(f, HTTP_FAULT_EMPTY);
	AWAIT(f, c->ended);
	assert_int_equal(c->error, 0);
	assert_int_equal(c->got.length, 0);
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(truncate_is_half_of_the_body)
{
	struct fixture *f = *state;
	struct client *c = ask_for_fault(f, HTTP_FAULT_TRUNCATE);
	AWAIT(f, c->ended);
	assert_int_equal(c->error, 0);
	assert_true(client_got(c, "Content-Length: 10\r\n\r\n01234"));
	assert_false(client_got(c, "012345"));
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(truncate_without_a_body_is_half_of_the_head)
{
	struct fixture *f = *state;
	f->answer = (struct http_response){ .status = 204, .fault = HTTP_FAULT_TRUNCATE };
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	AWAIT(f, c->ended);
	assert_true(client_got(c, "HTTP/1.1 204 "));
	assert_false(client_got(c, "\r\n\r\n"));
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(drip_comes_byte_by_byte_and_whole)
{
	struct fixture *f = *state;
	struct client *c = ask_for_fault(f, HTTP_FAULT_DRIP);
	AWAIT(f, c->got.length > 0);
	assert_true(c->got.length < 20);
	AWAIT(f, client_got(c, "\r\n\r\n" TEN_BYTES));
	/* Then the connection is as good as any. */
	f->answer.fault = HTTP_FAULT_NONE;
	client_send(c, POST_ABC);
	AWAIT(f, client_count(c, OK_LINE) == 2);
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(hang_lasts_until_the_client_goes)
{
	struct fixture *f = *state;
	struct client other;
	f->options.idle_timeout = f->options.send_timeout = f->options.head_timeout = f->options.body_timeout = 20 * MS;
	f->answer.fault = HTTP_FAULT_HANG;
	struct client *c = begin(f);
	client_send(c, POST_ABC POST_ABC);
	AWAIT(f, f->requests == 1);
	/* Longer than every deadline: another client is closed for its silence. */
	client_init(&other, f);
	AWAIT(f, other.ended);
	assert_false(c->ended);
	assert_int_equal(c->got.length, 0);
	assert_int_equal(fixture_open(f), 1);
	shutdown(c->io.fd, SHUT_WR);
	AWAIT(f, fixture_open(f) == 0);
	assert_int_equal(f->requests, 1);
	client_release(&other);
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(a_delay_comes_before_the_answer)
{
	struct fixture *f = *state;
	f->answer.delay_ns = 30 * MS;
	struct client *c = begin(f);
	int64_t start = clock_monotonic_ns();
	client_send(c, POST_ABC);
	client_send(c, POST_HEAD("3") "Connection: close\r\n\r\ndef");
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
	assert_true(clock_monotonic_ns() - start >= 30 * MS);
	AWAIT(f, c->ended);
	assert_true(clock_monotonic_ns() - start >= 60 * MS);
	assert_true(client_got(c, "\r\n\r\ndef"));
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(a_client_that_resets_abandons_its_exchange)
{
	struct fixture *f = *state;
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	AWAIT(f, f->held_count == 1);
	setsockopt(c->io.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	client_release(c);
	AWAIT(f, f->abandoned == 1);
	assert_null(f->held[0]);
	assert_int_equal(fixture_open(f), 0);
}

SERVER_TEST(the_end_of_the_server_abandons_what_is_held)
{
	struct fixture *f = *state;
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	AWAIT(f, f->held_count == 1);
	http_server_free(f->server);
	f->server = NULL;
	assert_int_equal(f->abandoned, 1);
}

SERVER_TEST(draining_finishes_what_has_begun)
{
	struct fixture *f = *state;
	struct client held, half, hanging;
	struct client *idle = begin(f);
	client_send(idle, POST_ABC);
	AWAIT(f, client_got(idle, "abc"));
	f->answer.fault = HTTP_FAULT_HANG;
	client_init(&hanging, f);
	client_send(&hanging, POST_ABC);
	AWAIT(f, f->requests == 2);
	f->answer.fault = HTTP_FAULT_NONE;
	f->hold = true;
	client_init(&held, f);
	client_send(&held, POST_ABC POST_ABC);
	client_init(&half, f);
	client_send(&half, POST_HEAD("3") "\r\nab");
	AWAIT(f, f->held_count == 1 && f->heads == 4);

	http_server_drain(f->server, clock_monotonic_ns() + TOO_LATE);
	assert_int_equal(f->drained, 0);
	AWAIT(f, idle->ended && hanging.ended);
	assert_false(held.ended || half.ended);
	f->hold = false;
	f->end_in_drained = true;
	fixture_answer(f, f->held[0]);
	client_send(&half, "c");
	AWAIT(f, held.ended && half.ended && f->drained == 1);
	assert_true(client_got(&held, "\r\nConnection: close\r\n\r\nabc"));
	assert_true(client_got(&half, "\r\nConnection: close\r\n\r\nabc"));
	assert_int_equal(client_count(&held, OK_LINE), 1);
	assert_int_equal(f->abandoned, 0);
	client_release(&held);
	client_release(&half);
	client_release(&hanging);
}

SERVER_TEST(draining_ends_at_its_deadline)
{
	struct fixture *f = *state;
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	AWAIT(f, f->held_count == 1);
	http_server_drain(f->server, clock_monotonic_ns() + 20 * MS);
	AWAIT(f, f->drained == 1);
	assert_int_equal(f->abandoned, 1);
	AWAIT(f, c->ended);
}

SERVER_TEST(draining_nobody_ends_in_the_next_turn)
{
	struct fixture *f = *state;
	fixture_serve(f);
	http_server_drain(f->server, clock_monotonic_ns() + TOO_LATE);
	assert_int_equal(f->drained, 0);
	fixture_turn(f);
	assert_int_equal(f->drained, 1);
}

SERVER_TEST(one_connection_too_many_is_turned_away)
{
	struct fixture *f = *state;
	struct client clients[3];
	f->options.max_connections = 2;
	fixture_serve(f);
	for (int i = 0; i < 3; i++)
		client_init(&clients[i], f);
	AWAIT(f, clients[2].ended);
	assert_int_equal(clients[2].got.length, 0);
	assert_int_equal(http_server_state(f->server)->turned_away, 1);
	assert_int_equal(fixture_open(f), 2);
	client_release(&clients[0]);
	AWAIT(f, fixture_open(f) == 1);
	client_release(&clients[2]);
	client_init(&clients[2], f);
	client_send(&clients[2], POST_ABC);
	AWAIT(f, client_got(&clients[2], "abc"));
	client_release(&clients[1]);
	client_release(&clients[2]);
}

static void note_ring(void *context)
{
	*(bool *)context = true;
}

SERVER_TEST(accepting_pauses_without_descriptors_and_goes_on)
{
	struct fixture *f = *state;
	struct rlimit before, none;
	bool rang = false;
	struct loop_timer timer = { .fire = note_ring, .context = &rang };
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)c->io.fd + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	f->turns = 0;
	loop_timer_set(f->loop, &timer, clock_monotonic_ns() + 150 * MS);
	AWAIT(f, rang);
	assert_int_equal(f->requests, 0);
	assert_true(f->turns < 10); /* else it spins */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	AWAIT(f, client_got(c, "abc"));
}

SERVER_TEST(the_limit_of_open_files_is_raised)
{
	struct fixture *f = *state;
	struct rlimit before, low, now;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	fixture_serve(f);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_true(now.rlim_cur > 4096 || now.rlim_cur == now.rlim_max);
	setrlimit(RLIMIT_NOFILE, &before);
}

SERVER_TEST(a_port_in_use_is_an_error_with_a_hint)
{
	struct fixture *f = *state;
	struct http_server_handler handler = { .on_request = fixture_on_request };
	struct error err;
	char message[128];
	fixture_serve(f);
	struct http_server *second = http_server_new(f->loop, &http_server_defaults, &handler, &err);
	assert_non_null(second);
	assert_string_equal(http_server_state(second)->url, "");
	assert_int_equal(http_server_listen(second, http_server_state(f->server)->url + strlen("http://"), &err), -1);
	snprintf(message, sizeof message, "cannot listen on '127.0.0.1:%u': Address already in use", fixture_port(f));
	assert_string_equal(err.message, message);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_true(err.hint[0] != '\0');
	/* A failure leaves nothing behind that a second try would stumble over. */
	assert_int_equal(http_server_listen(second, "127.0.0.1:0", &err), 0);
	http_server_free(second);
}
