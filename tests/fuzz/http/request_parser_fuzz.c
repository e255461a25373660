/* Any bytes, in any split, give what they give as a whole: the same events, the same request, the same refusal. */
#include "../fuzz.h"
#include "http/request_parser.h"

static const struct http_limits limits = { .request_line = 64, .head = 256, .fields = 5, .body = 64 };

static void check_text(const char *text, size_t length)
{
	require(strlen(text) == length && !strpbrk(text, "\r\n"));
}

static void check_request(const struct http_request *request)
{
	check_text(request->message.method.text, request->message.method.length);
	check_text(request->message.target.text, request->message.target.length);
	require(request->message.method.length > 0 && request->message.target.length > 0);
	require(request->message.header_count <= limits.fields && request->message.body.length <= limits.body);
	require(!(request->chunked && request->content_length > 0));
	require(request->chunked || request->message.body.length == request->content_length);
	require(request->minor_version == 0 || message_header(&request->message, "host"));
	for (size_t i = 0; i < request->message.header_count; i++) {
		check_text(request->message.headers[i].name.text, request->message.headers[i].name.length);
		check_text(request->message.headers[i].value.text, request->message.headers[i].value.length);
	}
}

/* Feeds `bytes` in pieces whose sizes `seed` decides (0: one piece); returns how many were used. */
static size_t parse(struct http_request_parser *parser, const char *bytes, size_t length, uint32_t seed,
                    unsigned *heads)
{
	size_t at = 0;
	enum http_parsed event = HTTP_PARSED_MORE;
	*heads = 0;
	http_request_parser_init(parser, &limits);
	do {
		size_t piece = length - at;
		seed = seed * 1664525u + 1013904223u * (seed != 0);
		if (seed != 0 && piece > 1 + (seed >> 24) % 9)
			piece = 1 + (seed >> 24) % 9;
		char *copy = malloc(piece + (piece == 0));
		require(copy != NULL);
		memcpy(copy, bytes + at, piece);
		size_t used;
		event = http_request_parser_feed(parser, copy, piece, &used);
		free(copy);
		require(used <= piece && (event != HTTP_PARSED_MORE || used == piece));
		at += used;
		*heads += event == HTTP_PARSED_HEAD;
	} while (event == HTTP_PARSED_HEAD || (event == HTTP_PARSED_MORE && at < length));
	if (event == HTTP_PARSED_WHOLE)
		check_request(&parser->request);
	if (event == HTTP_PARSED_REFUSED)
		require(parser->reason && parser->status >= 400 && parser->status <= 505 && parser->status != 500);
	return at;
}

static void compare(const struct http_request *a, const struct http_request *b)
{
	require(strcmp(a->message.method.text, b->message.method.text) == 0 &&
	        strcmp(a->message.target.text, b->message.target.text) == 0);
	require(a->minor_version == b->minor_version && a->message.header_count == b->message.header_count);
	require(a->keep_alive == b->keep_alive && a->expect_continue == b->expect_continue && a->chunked == b->chunked);
	require(a->content_length == b->content_length && a->message.body.length == b->message.body.length);
	require(memcmp(a->message.body.text, b->message.body.text, a->message.body.length) == 0);
	for (size_t i = 0; i < a->message.header_count; i++)
		require(strcmp(a->message.headers[i].name.text, b->message.headers[i].name.text) == 0 &&
		        strcmp(a->message.headers[i].value.text, b->message.headers[i].value.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request_parser whole, split;
	unsigned whole_heads, split_heads;
	if (size < 1)
		return 0;
	const char *bytes = (const char *)data + 1;
	size_t whole_used = parse(&whole, bytes, size - 1, 0, &whole_heads);
	size_t split_used = parse(&split, bytes, size - 1, data[0] + 1u, &split_heads);
	require(whole.status == split.status && whole.reason == split.reason && whole_heads == split_heads);
	require((whole.request.message.body.text != NULL) == (split.request.message.body.text != NULL));
	if (whole.request.message.body.text) {
		require(whole_used == split_used);
		compare(&whole.request, &split.request);
	}
	http_request_parser_release(&whole);
	http_request_parser_release(&split);
	return 0;
}
