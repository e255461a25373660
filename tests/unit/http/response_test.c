/* The bytes of answers: framed by the server, whatever fields it is given. */
#include "http/connection.h"
#include "test.h"

#include <string.h>

#define DATE "Date: D\r\n"

static const struct header fields[] = {
	HEADER("X-A", "1"),
	HEADER("Content-Length", "7"),
	HEADER("connection", "upgrade"),
	HEADER("Transfer-Encoding", "chunked"),
	HEADER("X-Split", "a\r\nX-Evil: 1"),
	HEADER("X Name", "1"),
	HEADER("", "1"),
	HEADER("X-A", "2"),
};
static const struct header own[] = { HEADER("date", "X"), HEADER("content-type", "a/b") };

TEST(answers_are_framed)
{
	static const struct {
		struct http_response response;
		struct http_framing framing;
		const char *bytes;
		const char *body;
	} rows[] = {
		{ { .status = 200, .content_type = "text/plain", .body = "hello", .body_length = 5 },
		  { 1, false, true },
		  "HTTP/1.1 200 OK\r\n" DATE "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\n",
		  "hello" },
		{ { .status = 404 },
		  { 1, false, false },
		  "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 0\r\nConnection: close\r\n\r\n",
		  "" },
		{ { .status = 200 },
		  { 0, false, true },
		  "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\nConnection: keep-alive\r\n\r\n",
		  "" },
		{ { .status = 200, .body = "hello", .body_length = 5 },
		  { 1, true, true },
		  "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 5\r\n\r\n",
		  "" },
		{ { .status = 204, .content_type = "text/plain", .body = "hello", .body_length = 5 },
		  { 1, false, true },
		  "HTTP/1.1 204 No Content\r\n" DATE "\r\n",
		  "" },
		{ { .status = 99 },
		  { 1, false, true },
		  "HTTP/1.1 500 Internal Server Error\r\n" DATE "Content-Length: 0\r\n\r\n",
		  "" },
		{ { .status = 200, .fields = fields, .field_count = 8 },
		  { 1, false, true },
		  "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\nX-A: 1\r\nX-A: 2\r\n\r\n",
		  "" },
		{ { .status = 200,
		    .fields = own,
		    .field_count = 2,
		    .content_type = "c/d",
		    .body = "x",
		    .body_length = 1 },
		  { 1, false, true },
		  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\ndate: X\r\ncontent-type: a/b\r\n\r\n",
		  "x" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		struct buffer wanted = BUFFER_INIT;
		buffer_append_text(&wanted, rows[i].bytes);
		buffer_append_text(&wanted, rows[i].body);
		assert_int_equal(http_response_append(&out, &rows[i].response, &rows[i].framing, "D"),
		                 strlen(rows[i].bytes));
		assert_string_equal(buffer_text(&out), buffer_text(&wanted));
		buffer_release(&out);
		buffer_release(&wanted);
	}
}

TEST(a_date_is_that_of_rfc_9110)
{
	struct http_date date = { 0 };
	assert_string_equal(http_date_text(&date, 0), "Thu, 01 Jan 1970 00:00:00 GMT");
	assert_string_equal(http_date_text(&date, INT64_C(784111777) * 1000000), "Sun, 06 Nov 1994 08:49:37 GMT");
	assert_string_equal(http_date_text(&date, INT64_C(784111777) * 1000000 + 999999),
	                    "Sun, 06 Nov 1994 08:49:37 GMT");
	assert_string_equal(http_date_text(&date, INT64_C(784111778) * 1000000), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST(statuses_have_phrases)
{
	assert_string_equal(http_status_phrase(200), "OK");
	assert_string_equal(http_status_phrase(422), "Unprocessable Content");
	assert_string_equal(http_status_phrase(299), "Unknown");
	assert_string_equal(http_status_phrase(-1), "Unknown");
}
