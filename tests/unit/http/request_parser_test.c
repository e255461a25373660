/* Each rule of the parser with what it refuses and the nearest thing that it accepts, fed whole and in every split. */
#include "http/request_parser.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small, so that a case fits a line. */
static const struct http_limits limits = { .request_line = 60, .head = 400, .fields = 6, .body = 20 };

#define OK      0 /* the request is whole, and all bytes were used */
#define MORE    (-1)
#define CASE(s) (s), sizeof(s) - 1
#define HOST    "Host: h\r\n"
#define GET     "GET / HTTP/1.1\r\n" HOST
#define POST    "POST / HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define TEN(s)  s s s s s s s s s s
#define FIVE(s) s s s s s
#define BYTES98 TEN("aaaaaaaaa") "aaaaaaaa"
/* Extensions of 100 bytes, and a trailer field of 100. */
#define EXTENDED "1;" BYTES98 "a\r\nx\r\n"
#define TRAILER  "A:" BYTES98 "\r\n"

struct parse_case {
	const char *name;
	const char *bytes;
	size_t length;
	int status; /* OK, MORE, or that of the refusal */
};

static const struct parse_case cases[] = {
	{ "the plainest request", CASE(GET "\r\n"), OK },
	{ "nothing yet", CASE(""), MORE },
	{ "a head without its end", CASE(GET), MORE },

	{ "empty lines before the request line", CASE("\r\n\r\n\r\n\r\n" GET "\r\n"), OK },
	{ "too many of them", CASE("\r\n\r\n\r\n\r\n\r\n" GET "\r\n"), 400 },
	{ "an empty line of LF alone", CASE("\n" GET "\r\n"), 400 },
	{ "a CR alone before the request line", CASE("\r" GET "\r\n"), 400 },
	{ "a space before the request line", CASE(" " GET "\r\n"), 400 },
	{ "TLS spoken to a plain port", CASE("\x16\x03\x01"), 400 },
	{ "the PROXY protocol", CASE("PROXY TCP4 10.0.0.1 10.0.0.2 5 80\r\n"), 400 },
	{ "its version 2", CASE("\r\n\r\n\0\r\nQUIT\n"), 400 },
	{ "a method that only begins so", CASE("PROXY: / HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "neither HTTP nor anything known", CASE("hello\r\n\r\n"), 400 },

	{ "LF alone after the request line", CASE("GET / HTTP/1.1\n" HOST "\r\n"), 400 },
	{ "LF alone after a field", CASE("GET / HTTP/1.1\r\nHost: h\n\r\n"), 400 },
	{ "LF alone as the end of the head", CASE(GET "\n"), 400 },
	{ "CR CR LF", CASE("GET / HTTP/1.1\r\nHost: h\r\r\n\r\n"), 400 },
	{ "a CR inside a value", CASE(GET "A: b\rc\r\n\r\n"), 400 },

	{ "any token is a method", CASE("m-Search! / HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "a method that is no token", CASE("GE(T / HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "no method", CASE(" / HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "two spaces before the target", CASE("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "two spaces before the version", CASE("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a space after the version", CASE("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400 },
	{ "a tab instead of a space", CASE("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "HTTP/0.9", CASE("GET /\r\n"), 400 },
	{ "a request line of one word", CASE("GET\r\n"), 400 },
	{ "a NUL in the request line", CASE("GET /\0 HTTP/1.1\r\n" HOST "\r\n"), 400 },

	{ "HTTP/1.0", CASE("GET / HTTP/1.0\r\n\r\n"), OK },
	{ "HTTP/1.2", CASE("GET / HTTP/1.2\r\n" HOST "\r\n"), OK },
	{ "HTTP/1.2 without a Host", CASE("GET / HTTP/1.2\r\n\r\n"), 400 },
	{ "HTTP/2.0", CASE("PRI * HTTP/2.0\r\n\r\n"), 505 },
	{ "HTTP/0.9 in full", CASE("GET / HTTP/0.9\r\n\r\n"), 505 },
	{ "a version of two digits", CASE("GET / HTTP/1.10\r\n" HOST "\r\n"), 400 },
	{ "a version without its minor", CASE("GET / HTTP/1\r\n" HOST "\r\n"), 400 },
	{ "a lower-case protocol", CASE("GET / http/1.1\r\n" HOST "\r\n"), 400 },

	{ "a path and a query", CASE("GET /a%20b;c/?x[]=1&y=~ HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "an absolute target", CASE("GET http://h:80/p?q HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "an absolute target of IPv6", CASE("GET HTTPS://[::1]?q HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "an absolute target without a host", CASE("GET http:///p HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "an absolute target with a user", CASE("GET http://u@h/ HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a target of another scheme", CASE("GET ftp://h/ HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "* of OPTIONS", CASE("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "* of another method", CASE("GET * HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "the authority form", CASE("CONNECT h:80 HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a relative target", CASE("GET a HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a fragment", CASE("GET /#a HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a target beyond ASCII", CASE("GET /\xC3\xA4 HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "half a percent-encoding", CASE("GET /%2 HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a percent-encoding that is none", CASE("GET /%2x HTTP/1.1\r\n" HOST "\r\n"), 400 },
	{ "a quotation mark in the target", CASE("GET /\" HTTP/1.1\r\n" HOST "\r\n"), 400 },

	{ "the longest request line", CASE("GET /" TEN("aaaa") "abcdef HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "one byte more", CASE("GET /" TEN("aaaa") "abcdefg HTTP/1.1\r\n" HOST "\r\n"), 414 },
	{ "far more, and no end", CASE("GET /" TEN(TEN("aaaaaa"))), 414 },
	{ "an endless method", CASE(TEN(TEN("A"))), 414 },

	{ "no Host in HTTP/1.1", CASE("GET / HTTP/1.1\r\n\r\n"), 400 },
	{ "two Hosts", CASE(GET HOST "\r\n"), 400 },
	{ "two Hosts in HTTP/1.0", CASE("GET / HTTP/1.0\r\n" HOST "hOST: h\r\n\r\n"), 400 },
	{ "an empty Host", CASE("GET / HTTP/1.1\r\nHost:\r\n\r\n"), OK },
	{ "Host with a port", CASE("GET / HTTP/1.1\r\nHost: a.b-c_d:65535\r\n\r\n"), OK },
	{ "Host with an empty port", CASE("GET / HTTP/1.1\r\nHost: h:\r\n\r\n"), OK },
	{ "Host with a space", CASE("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400 },
	{ "Host with an encoded byte", CASE("GET / HTTP/1.1\r\nHost: a%20\r\n\r\n"), 400 },
	{ "Host beyond ASCII", CASE("GET / HTTP/1.1\r\nHost: \xC3\xA4\r\n\r\n"), 400 },
	{ "Host with a port that is none", CASE("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"), 400 },
	{ "Host with a name as port", CASE("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"), 400 },
	{ "Host with a port only", CASE("GET / HTTP/1.1\r\nHost: :80\r\n\r\n"), 400 },
	{ "Host of IPv6", CASE("GET / HTTP/1.1\r\nHost: [::ffff:1.2.3.4]:80\r\n\r\n"), OK },
	{ "Host of IPv6 without an end", CASE("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"), 400 },
	{ "Host of IPv6 that is none", CASE("GET / HTTP/1.1\r\nHost: [::g]\r\n\r\n"), 400 },
	{ "Host of IPv6 without brackets", CASE("GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"), 400 },
	{ "something behind the brackets", CASE("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n"), 400 },
	{ "Host with a path", CASE("GET / HTTP/1.1\r\nHost: h/p\r\n\r\n"), 400 },
	{ "Host with a user", CASE("GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"), 400 },
	{ "two hosts in one", CASE("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400 },

	{ "a field without whitespace", CASE(GET "A:b\r\n\r\n"), OK },
	{ "a field with much of it", CASE(GET "A:\t b c \t\r\n\r\n"), OK },
	{ "a tab inside a value", CASE(GET "A: b\tc\r\n\r\n"), OK },
	{ "a name of all kinds of characters", CASE(GET "!#$%&'*+-.^_`|~: b\r\n\r\n"), OK },
	{ "an empty value", CASE(GET "A: \r\n\r\n"), OK },
	{ "no value at all", CASE(GET "A:\r\n\r\n"), OK },
	{ "a value beyond ASCII", CASE(GET "A: \xC3\xA4\xFF\r\n\r\n"), OK },
	{ "whitespace before the colon", CASE(GET "A : b\r\n\r\n"), 400 },
	{ "no colon", CASE(GET "A\r\n\r\n"), 400 },
	{ "no name", CASE(GET ": b\r\n\r\n"), 400 },
	{ "a name that is no token", CASE(GET "A@: b\r\n\r\n"), 400 },
	{ "a name beyond ASCII", CASE(GET "\xC3\xA4: b\r\n\r\n"), 400 },
	{ "a folded field", CASE(GET "A: b\r\n c\r\n\r\n"), 400 },
	{ "a folded field, by a tab", CASE(GET "A: b\r\n\tc\r\n\r\n"), 400 },
	{ "whitespace before the first field", CASE("GET / HTTP/1.1\r\n " HOST "\r\n"), 400 },
	{ "a NUL in a value", CASE(GET "A: b\0c\r\n\r\n"), 400 },
	{ "a NUL in a name", CASE(GET "A\0: b\r\n\r\n"), 400 },
	{ "an escape in a value", CASE(GET "A: \x1B[31m\r\n\r\n"), 400 },
	{ "DEL in a value", CASE(GET "A: \x7F\r\n\r\n"), 400 },
	{ "as many fields as allowed", CASE(GET FIVE("A: b\r\n") "\r\n"), OK },
	{ "one more", CASE(GET FIVE("A: b\r\n") "A: b\r\n\r\n"), 431 },
	{ "a head as long as allowed", CASE(GET "A: " TEN(TEN("aaa")) TEN("aaaaaa") "abcdefgh\r\n\r\n"), OK },
	{ "one byte more", CASE(GET "A: " TEN(TEN("aaa")) TEN("aaaaaa") "abcdefghi\r\n\r\n"), 431 },
	{ "a field without an end", CASE(GET "A: " TEN(TEN(TEN("a")))), 431 },

	{ "POST with a body", CASE(POST "Content-Length: 5\r\n\r\nhello"), OK },
	{ "a body that is not whole", CASE(POST "Content-Length: 5\r\n\r\nhell"), MORE },
	{ "POST with an empty body", CASE(POST "Content-Length: 0\r\n\r\n"), OK },
	{ "leading zeros", CASE(POST "Content-Length: 0005\r\n\r\nhello"), OK },
	{ "a body of any bytes", CASE(POST "Content-Length: 5\r\n\r\n\0\r\n\xFF\n"), OK },
	{ "POST without a length", CASE(POST "\r\n"), 411 },
	{ "POST without a length in HTTP/1.0", CASE("POST / HTTP/1.0\r\n\r\n"), 411 },
	{ "PUT without a length", CASE("PUT / HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "a method that is not POST", CASE("post / HTTP/1.1\r\n" HOST "\r\n"), OK },
	{ "two lengths", CASE(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"), 400 },
	{ "two lengths that differ", CASE(POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), 400 },
	{ "a list of lengths", CASE(POST "Content-Length: 5, 5\r\n\r\nhello"), 400 },
	{ "no length", CASE(POST "Content-Length:\r\n\r\nhello"), 400 },
	{ "a signed length", CASE(POST "Content-Length: +5\r\n\r\nhello"), 400 },
	{ "a negative length", CASE(POST "Content-Length: -5\r\n\r\nhello"), 400 },
	{ "a hexadecimal length", CASE(POST "Content-Length: 0x5\r\n\r\nhello"), 400 },
	{ "a length with a space", CASE(POST "Content-Length: 1 0\r\n\r\nhello"), 400 },
	{ "a fraction as length", CASE(POST "Content-Length: 5.0\r\n\r\nhello"), 400 },
	{ "the largest body", CASE(POST "Content-Length: 20\r\n\r\n01234567890123456789"), OK },
	{ "one byte more", CASE(POST "Content-Length: 21\r\n\r\n"), 413 },
	{ "a length of 2^64", CASE(POST "Content-Length: 18446744073709551616\r\n\r\n"), 413 },
	{ "a length that wraps around to 5", CASE(POST "Content-Length: 18446744073709551621\r\n\r\n"), 413 },
	{ "a body of GET", CASE("GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\nx"), OK },

	{ "chunks", CASE(CHUNKED "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"), OK },
	{ "no chunk but the last", CASE(CHUNKED "0\r\n\r\n"), OK },
	{ "chunks without the last one", CASE(CHUNKED "5\r\nhello\r\n"), MORE },
	{ "chunked in capitals", CASE(POST "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"), OK },
	{ "another coding", CASE(POST "Transfer-Encoding: gzip\r\n\r\n"), 501 },
	{ "another coding, then chunked", CASE(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501 },
	{ "chunked, then another coding", CASE(POST "Transfer-Encoding: chunked, gzip\r\n\r\n"), 501 },
	{ "chunked twice", CASE(POST "Transfer-Encoding: chunked, chunked\r\n\r\n"), 501 },
	{ "chunked in two fields", CASE(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 501 },
	{ "almost chunked", CASE(POST "Transfer-Encoding: xchunked\r\n\r\n"), 501 },
	{ "no coding", CASE(POST "Transfer-Encoding:\r\n\r\n"), 501 },
	{ "both framings", CASE(POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400 },
	{ "both, the other way round", CASE(POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), 400 },
	{ "chunked in HTTP/1.0", CASE("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400 },
	{ "a size in both cases, with zeros", CASE(CHUNKED "00a\r\n0123456789\r\n0A\r\n0123456789\r\n00\r\n\r\n"), OK },
	{ "no size", CASE(CHUNKED "\r\n"), 400 },
	{ "a size that is none", CASE(CHUNKED "x\r\n"), 400 },
	{ "a size with 0x", CASE(CHUNKED "0x5\r\nhello\r\n0\r\n\r\n"), 400 },
	{ "a signed size", CASE(CHUNKED "+5\r\nhello\r\n0\r\n\r\n"), 400 },
	{ "whitespace before a size", CASE(CHUNKED " 5\r\nhello\r\n0\r\n\r\n"), 400 },
	{ "whitespace after a size", CASE(CHUNKED "5 \r\nhello\r\n0\r\n\r\n"), 400 },
	{ "LF alone after a size", CASE(CHUNKED "5\nhello\r\n0\r\n\r\n"), 400 },
	{ "CR alone after a size", CASE(CHUNKED "5\rhello\r\n0\r\n\r\n"), 400 },
	{ "a chunk that is longer", CASE(CHUNKED "4\r\nhello\r\n0\r\n\r\n"), 400 },
	{ "a chunk that ends with CR alone", CASE(CHUNKED "5\r\nhello\rxx\r\n"), 400 },
	{ "a chunk that ends with LF alone", CASE(CHUNKED "5\r\nhello\n0\r\n\r\n"), 400 },
	{ "chunks as large as allowed", CASE(CHUNKED "14\r\n01234567890123456789\r\n0\r\n\r\n"), OK },
	{ "a chunk that is larger", CASE(CHUNKED "15\r\n"), 413 },
	{ "chunks that are larger together", CASE(CHUNKED "14\r\n01234567890123456789\r\n1\r\n"), 413 },
	{ "the largest size", CASE(CHUNKED "ffffffffffffffff\r\n"), 413 },
	{ "a size that wraps around to 0", CASE(CHUNKED "10000000000000000\r\n\r\n"), 413 },
	{ "an extension", CASE(CHUNKED "1;a=b;c=\"d\"\r\nx\r\n0 ; e\r\n\r\n"), OK },
	{ "a control character in an extension", CASE(CHUNKED "1;a\x01\r\nx\r\n0\r\n\r\n"), 400 },
	{ "LF alone in an extension", CASE(CHUNKED "1;a\nx\r\n0\r\n\r\n"), 400 },
	{ "a size line as long as allowed",
	  CASE(CHUNKED "1;" BYTES98 BYTES98 TEN("aaaaa") "aaaaaaaa\r\nx\r\n0\r\n\r\n"), OK },
	{ "a byte more", CASE(CHUNKED "1;" BYTES98 BYTES98 TEN("aaaaa") "aaaaaaaaa\r\nx\r\n0\r\n\r\n"), 400 },
	{ "extensions as long as allowed", CASE(CHUNKED EXTENDED EXTENDED EXTENDED EXTENDED "0\r\n\r\n"), OK },
	{ "a byte more of them", CASE(CHUNKED EXTENDED EXTENDED EXTENDED "1;" BYTES98 "aa\r\n"), 431 },
	{ "a trailer", CASE(CHUNKED "0\r\nA: b\r\nContent-Length: 7\r\n\r\n"), OK },
	{ "a folded trailer", CASE(CHUNKED "0\r\nA: b\r\n c\r\n\r\n"), 400 },
	{ "a trailer without a colon", CASE(CHUNKED "0\r\nA\r\n\r\n"), 400 },
	{ "whitespace before the colon of a trailer", CASE(CHUNKED "0\r\nA : b\r\n\r\n"), 400 },
	{ "a trailer without a name", CASE(CHUNKED "0\r\n: b\r\n\r\n"), 400 },
	{ "a control character in a trailer", CASE(CHUNKED "0\r\nA: \0\r\n\r\n"), 400 },
	{ "LF alone after a trailer", CASE(CHUNKED "0\r\nA: b\n\r\n"), 400 },
	{ "LF alone as the end of the trailers", CASE(CHUNKED "0\r\n\n"), 400 },
	{ "CR alone as the end of the trailers", CASE(CHUNKED "0\r\n\r\r"), 400 },
	{ "as many trailers as allowed", CASE(CHUNKED "0\r\n" FIVE("A: b\r\n") "A: b\r\n\r\n"), OK },
	{ "one more", CASE(CHUNKED "0\r\n" FIVE("A: b\r\n") "A: b\r\nA: b\r\n\r\n"), 431 },
	{ "trailers as long as allowed", CASE(CHUNKED "0\r\n" TRAILER TRAILER TRAILER TRAILER "\r\n"), OK },
	{ "a byte more of them", CASE(CHUNKED "0\r\n" TRAILER TRAILER TRAILER "A:" BYTES98 "a\r\n\r\n"), 431 },
	{ "another one", CASE(CHUNKED "0\r\n" TRAILER TRAILER TRAILER TRAILER "A:\r\n\r\n"), 431 },
	{ "extensions and trailers as long as allowed", CASE(CHUNKED EXTENDED EXTENDED "0\r\n" TRAILER TRAILER "\r\n"),
	  OK },
	{ "a byte more of both", CASE(CHUNKED EXTENDED EXTENDED "0\r\n" TRAILER "A:" BYTES98 "a\r\n\r\n"), 431 },
	{ "a trailer without an end", CASE(CHUNKED "0\r\nA: " TEN(TEN(TEN("a")))), 431 },

	{ "Expect", CASE(POST "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\nx"), OK },
	{ "another expectation", CASE(POST "Content-Length: 1\r\nExpect: wonders\r\n\r\nx"), 417 },
	{ "another expectation in HTTP/1.0", CASE("GET / HTTP/1.0\r\nExpect: wonders\r\n\r\n"), OK },
};

/* What came of it, as text: the events, and all that the parser says of the request. */
struct outcome {
	int status;
	size_t used;
	char text[4096];
};

static void describe(struct outcome *outcome, const char *event, const struct http_request *request)
{
	struct buffer b = BUFFER_INIT;
	buffer_append_text(&b, outcome->text);
	buffer_printf(&b, "%s: '%s' '%s' 1.%d keep %d expect %d chunked %d length %llu fields", event,
	              request->message.method.text, request->message.target.text, request->minor_version,
	              request->keep_alive, request->expect_continue, request->chunked,
	              (unsigned long long)request->content_length);
	for (size_t i = 0; i < request->message.header_count; i++)
		buffer_printf(&b, " '%s'='%s'", request->message.headers[i].name.text,
		              request->message.headers[i].value.text);
	buffer_printf(&b, " body %zu ", request->message.body.length);
	for (size_t i = 0; i < request->message.body.length; i++)
		buffer_printf(&b, "%02x", (unsigned char)request->message.body.text[i]);
	snprintf(outcome->text, sizeof outcome->text, "%s\n", buffer_text(&b));
	buffer_release(&b);
}

static void check_texts(const struct http_request *request)
{
	assert_int_equal(strlen(request->message.method.text), request->message.method.length);
	assert_int_equal(strlen(request->message.target.text), request->message.target.length);
	for (size_t i = 0; i < request->message.header_count; i++) {
		assert_int_equal(strlen(request->message.headers[i].name.text),
		                 request->message.headers[i].name.length);
		assert_int_equal(strlen(request->message.headers[i].value.text),
		                 request->message.headers[i].value.length);
	}
}

/* Feeds pieces that end at the given offsets; each from memory of its own, so that a read beyond it is seen. */
static void parse(const char *bytes, const size_t *ends, size_t pieces, struct outcome *outcome)
{
	struct http_request_parser parser;
	enum http_parsed event = HTTP_PARSED_MORE;
	size_t start = 0;
	*outcome = (struct outcome){ .status = MORE };
	http_request_parser_init(&parser, &limits);
	for (size_t i = 0; i < pieces && outcome->status == MORE; i++) {
		size_t length = ends[i] - start;
		char *piece = malloc(length + (length == 0));
		assert_non_null(piece);
		memcpy(piece, bytes + start, length);
		size_t at = 0;
		do {
			size_t used;
			event = http_request_parser_feed(&parser, piece + at, length - at, &used);
			at += used;
			outcome->used += used;
			if (event == HTTP_PARSED_HEAD)
				describe(outcome, "head", &parser.request);
		} while (event == HTTP_PARSED_HEAD || (event == HTTP_PARSED_MORE && at < length));
		free(piece);
		if (event == HTTP_PARSED_WHOLE) {
			outcome->status = OK;
			check_texts(&parser.request);
			describe(outcome, "whole", &parser.request);
		} else if (event == HTTP_PARSED_REFUSED) {
			outcome->status = parser.status;
			assert_non_null(parser.reason);
			strncat(outcome->text, parser.reason, sizeof outcome->text - strlen(outcome->text) - 1);
		}
		start = ends[i];
	}
	http_request_parser_release(&parser);
}

TEST(test_each_rule)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct parse_case *one = &cases[i];
		struct outcome outcome;
		parse(one->bytes, &one->length, 1, &outcome);
		if (outcome.status != one->status)
			fail_msg("%s: %d, not %d\n%s", one->name, outcome.status, one->status, outcome.text);
		if (one->status == OK && outcome.used != one->length)
			fail_msg("%s: %zu of %zu bytes used", one->name, outcome.used, one->length);
	}
}

static void compare(const struct parse_case *one, const struct outcome *whole, const struct outcome *split)
{
	if (split->status != whole->status || strcmp(split->text, whole->text) != 0)
		fail_msg("%s: split differently gives %d %s\nnot %d %s", one->name, split->status, split->text,
		         whole->status, whole->text);
	if (whole->status == OK && split->used != whole->used)
		fail_msg("%s: split differently uses %zu bytes, not %zu", one->name, split->used, whole->used);
}

TEST(test_every_split_is_like_the_whole)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct parse_case *one = &cases[i];
		struct outcome whole, split;
		size_t each[2048];
		assert_true(one->length <= sizeof each / sizeof each[0]);
		parse(one->bytes, &one->length, 1, &whole);
		for (size_t j = 0; j < one->length; j++)
			each[j] = j + 1;
		parse(one->bytes, each, one->length, &split);
		compare(one, &whole, &split);
		for (size_t cut = 0; cut <= one->length; cut++) {
			parse(one->bytes, (size_t[]){ cut, one->length }, 2, &split);
			compare(one, &whole, &split);
		}
	}
}

/* Feeds all; the request must be whole. Returns how many bytes it took. */
static size_t parse_whole(struct http_request_parser *parser, const char *text)
{
	size_t length = strlen(text), used, at = 0;
	enum http_parsed event;
	do {
		event = http_request_parser_feed(parser, text + at, length - at, &used);
		at += used;
	} while (event == HTTP_PARSED_HEAD);
	assert_int_equal(event, HTTP_PARSED_WHOLE);
	return at;
}

TEST(test_request_is_told_as_it_came)
{
	struct http_request_parser parser;
	http_request_parser_init(&parser, &limits);
	parse_whole(&parser, "POST http://h/a?b HTTP/1.1\r\nhOsT: h:1\r\nX-B: 1, 2 \r\nx-a:\t3\r\nX-B: 4\r\n"
	                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: t\r\n\r\n");
	const struct http_request *request = &parser.request;
	assert_string_equal(request->message.method.text, "POST");
	assert_string_equal(request->message.target.text, "http://h/a?b");
	assert_int_equal(request->message.header_count, 5);
	assert_string_equal(request->message.headers[0].name.text, "hOsT");
	assert_string_equal(request->message.headers[1].value.text, "1, 2");
	assert_string_equal(request->message.headers[2].name.text, "x-a");
	assert_string_equal(request->message.headers[2].value.text, "3");
	assert_string_equal(request->message.headers[3].value.text, "4");
	assert_true(request->chunked);
	assert_int_equal(request->content_length, 0);
	assert_int_equal(request->message.body.length, 5);
	assert_string_equal(request->message.body.text, "abcde");
	assert_ptr_equal(message_header(&request->message, "HOST"), &request->message.headers[0].value);
	assert_ptr_equal(message_header(&request->message, "x-b"), &request->message.headers[1].value);
	assert_null(message_header(&request->message, "T"));
	http_request_parser_release(&parser);
}

TEST(test_connection_persists_as_asked)
{
	static const struct {
		const char *head;
		bool keep_alive;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n" HOST "\r\n", true },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: TE , Close\r\n\r\n", false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n", false },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: closed\r\n\r\n", true },
		{ "GET / HTTP/1.0\r\n\r\n", false },
		{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true },
		{ "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct http_request_parser parser;
		http_request_parser_init(&parser, &limits);
		parse_whole(&parser, rows[i].head);
		if (parser.request.keep_alive != rows[i].keep_alive)
			fail_msg("%s", rows[i].head);
		http_request_parser_release(&parser);
	}
}

TEST(test_continue_is_expected_only_with_a_body_to_come)
{
	static const struct {
		const char *request;
		bool expects;
	} rows[] = {
		{ POST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx", true },
		{ POST "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true },
		{ POST "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n", false },
		{ "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct http_request_parser parser;
		http_request_parser_init(&parser, &limits);
		parse_whole(&parser, rows[i].request);
		if (parser.request.expect_continue != rows[i].expects)
			fail_msg("%s", rows[i].request);
		http_request_parser_release(&parser);
	}
}

TEST(test_next_request_starts_where_the_first_ends)
{
	const char *two = POST "Content-Length: 3\r\n\r\nabc" POST "Content-Length: 2\r\n\r\nde";
	struct http_request_parser parser;
	http_request_parser_init(&parser, &limits);
	assert_false(http_request_parser_has_begun(&parser));
	size_t used = parse_whole(&parser, two);
	assert_true(http_request_parser_has_begun(&parser));
	assert_string_equal(parser.request.message.body.text, "abc");
	http_request_parser_reset(&parser, 0);
	assert_false(http_request_parser_has_begun(&parser));
	used += parse_whole(&parser, two + used);
	assert_string_equal(parser.request.message.body.text, "de");
	assert_int_equal(parser.request.message.header_count, 2);
	assert_int_equal(used, strlen(two));
	http_request_parser_release(&parser);
}

TEST(test_refusal_stands)
{
	struct http_request_parser parser;
	size_t used;
	http_request_parser_init(&parser, &limits);
	assert_int_equal(http_request_parser_feed(&parser, "GET /\r\n", 7, &used), HTTP_PARSED_REFUSED);
	assert_int_equal(http_request_parser_feed(&parser, GET "\r\n", 27, &used), HTTP_PARSED_REFUSED);
	assert_int_equal(parser.status, 400);
	http_request_parser_release(&parser);
}
