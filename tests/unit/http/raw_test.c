/* Responses read from a stream: where each ends, whatever pieces they come in. */
#include "http/raw.h"
#include "test.h"

#include <string.h>

static struct exchange exchange;
static struct raw_reader reader;

static void begin(bool without_body)
{
	exchange = (struct exchange){ .outcome = DELIVER_PENDING };
	reader = (struct raw_reader){ .exchange = &exchange, .without_body = without_body };
}

static int tear_down(void **state)
{
	(void)state;
	exchange_release(&exchange);
	buffer_release(&reader.head);
	return 0;
}

static void feed(const char *text)
{
	raw_reader_feed(&reader, text, strlen(text));
}

static void check(unsigned responses, int status, const char *body)
{
	assert_int_equal(reader.responses, responses);
	assert_int_equal(exchange.status, status);
	assert_string_equal(buffer_text(&exchange.kept_body), body);
	assert_false(reader.refused);
}

TEST(test_a_length_and_chunks_end_a_body)
{
	begin(false);
	feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type:  text/plain \r\n\r\nok");
	check(1, 200, "ok");
	assert_string_equal(buffer_text(&exchange.kept_head), "Content-Type:text/plain\n");
	feed("HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
	check(2, 500, "abc");
	feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	check(3, 500, "abc");
	tear_down(NULL);
}

/* RFC 9112, section 6.3: a length that is none cannot end a body. */
TEST(test_a_length_that_is_none)
{
	static const struct {
		const char *head;
		bool refused;
	} rows[] = {
		{ "200 OK\r\nContent-Length: 18446744073709551614", false },
		{ "200 OK\r\nContent-Length: 18446744073709551615", true },
		{ "200 OK\r\nContent-Length: 99999999999999999999999", true },
		{ "200 OK\r\nContent-Length: ", true },
		{ "200 OK\r\nContent-Length: -1", true },
		{ "200 OK\r\nContent-Length: 5 bytes", true },
		{ "200 OK\r\nContent-Length: 5\r\nContent-Length: 6", true },
		{ "200 OK\r\nContent-Length: 5\r\nContent-Length: 5", false },
		/* where it says nothing of the body */
		{ "204 No Content\r\nContent-Length: -1", false },
		{ "200 OK\r\nContent-Length: -1\r\nTransfer-Encoding: chunked", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin(false);
		feed("HTTP/1.1 ");
		feed(rows[i].head);
		feed("\r\n\r\n");
		if (reader.refused != rows[i].refused)
			fail_msg("%s", rows[i].head);
		tear_down(NULL);
	}
}

TEST(test_byte_by_byte_it_is_the_same)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\n\nHTTP/1.0 404 No\r\n\r\nno";
	begin(false);
	for (size_t i = 0; i + 1 < sizeof text; i++)
		raw_reader_feed(&reader, text + i, 1);
	check(1, 404, "no");
	assert_true(raw_reader_is_within(&reader));
	raw_reader_end(&reader);
	check(2, 404, "no");
	tear_down(NULL);
}

TEST(test_a_response_to_head_has_no_body)
{
	begin(true);
	feed("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
	check(2, 200, "");
	tear_down(NULL);
}

TEST(test_what_is_not_http_is_refused)
{
	static const char *const texts[] = { "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 xx\r\n\r\n",
		                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n" };
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		begin(false);
		feed(texts[i]);
		assert_true(reader.refused);
		assert_int_equal(reader.responses, 0);
		tear_down(NULL);
	}
}

TEST(test_a_last_response_says_so)
{
	begin(false);
	feed("HTTP/1.1 204 None\r\nConnection: keep-alive\r\n\r\n");
	assert_false(reader.closes);
	feed("HTTP/1.1 204 None\r\nConnection: Close\r\n\r\n");
	assert_true(reader.closes);
	check(2, 204, "");
	tear_down(NULL);
}

TEST(test_memory_is_bounded)
{
	static char piece[65536];
	memset(piece, 'x', sizeof piece);
	begin(false);
	for (int i = 0; i < 100 && !reader.refused; i++)
		raw_reader_feed(&reader, piece, sizeof piece);
	assert_true(reader.refused && reader.head.length <= DELIVER_HEAD_READ + sizeof piece);
	tear_down(NULL);
	begin(false);
	feed("HTTP/1.1 200 OK\r\n\r\n");
	for (int i = 0; i < 100 && !reader.refused; i++)
		raw_reader_feed(&reader, piece, sizeof piece);
	assert_true(reader.refused && exchange.kept_body.length == DELIVER_RESPONSE_KEEP && exchange.response_cut);
	tear_down(NULL);
}
