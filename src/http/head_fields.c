#include "http/head_fields.h"

#include "http/request_parser.h"
#include "http/syntax.h"

#include <string.h>

enum seen {
	SEEN_HOST = 1,
	SEEN_CONTENT_LENGTH = 2,
	SEEN_TRANSFER_ENCODING = 4,
	SEEN_EXPECT = 8,
};

static bool refuse(struct http_request_parser *parser, int status, const char *reason)
{
	parser->status = status;
	parser->reason = reason;
	return false;
}

/* Notes the field. True: it was noted before. */
static bool is_repeated(struct http_request_parser *parser, unsigned field)
{
	bool repeated = (parser->seen & field) != 0;
	parser->seen |= field;
	return repeated;
}

static bool take_host(struct http_request_parser *parser, const char *value, size_t length)
{
	if (is_repeated(parser, SEEN_HOST))
		return refuse(parser, 400, "the Host field is repeated");
	if (!http_is_host(value, length))
		return refuse(parser, 400, "the Host field is not HOST[:PORT]");
	return true;
}

static bool take_content_length(struct http_request_parser *parser, const char *value, size_t length)
{
	uint64_t number = 0;
	if (is_repeated(parser, SEEN_CONTENT_LENGTH))
		return refuse(parser, 400, "the Content-Length field is repeated");
	if (length == 0)
		return refuse(parser, 400, "the Content-Length field is empty");
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9')
			return refuse(parser, 400, "the Content-Length field is not a decimal number");
		unsigned digit = (unsigned)(value[i] - '0');
		/* A number that overflows is over every limit. */
		number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
	}
	parser->request.content_length = number;
	return true;
}

static bool take_transfer_encoding(struct http_request_parser *parser, const char *value, size_t length)
{
	if (is_repeated(parser, SEEN_TRANSFER_ENCODING) || !http_is_word(value, length, "chunked"))
		return refuse(parser, 501, "only Transfer-Encoding: chunked is supported");
	return true;
}

static bool take_expect(struct http_request_parser *parser, const char *value, size_t length)
{
	/* RFC 9110, section 10.1.1: ignored in HTTP/1.0. */
	if (parser->request.minor_version == 0)
		return true;
	parser->seen |= SEEN_EXPECT;
	if (!http_is_word(value, length, "100-continue"))
		return refuse(parser, 417, "only Expect: 100-continue is supported");
	return true;
}

bool http_head_field_take(struct http_request_parser *parser, const char *name, size_t name_length, const char *value,
                          size_t value_length)
{
	switch (name_length) {
	case 4:
		if (http_is_word(name, name_length, "Host"))
			return take_host(parser, value, value_length);
		break;
	case 6:
		if (http_is_word(name, name_length, "Expect"))
			return take_expect(parser, value, value_length);
		break;
	case 10:
		if (!http_is_word(name, name_length, "Connection"))
			break;
		parser->wants_close = parser->wants_close || http_list_has(value, value_length, "close");
		parser->wants_keep_alive = parser->wants_keep_alive || http_list_has(value, value_length, "keep-alive");
		break;
	case 14:
		if (http_is_word(name, name_length, "Content-Length"))
			return take_content_length(parser, value, value_length);
		break;
	case 17:
		if (http_is_word(name, name_length, "Transfer-Encoding"))
			return take_transfer_encoding(parser, value, value_length);
		break;
	default:
		break;
	}
	return true;
}

bool http_head_fields_end(struct http_request_parser *parser)
{
	struct http_request *request = &parser->request;
	bool has_length = (parser->seen & SEEN_CONTENT_LENGTH) != 0;
	request->chunked = (parser->seen & SEEN_TRANSFER_ENCODING) != 0;
	if (request->minor_version == 1 && !(parser->seen & SEEN_HOST))
		return refuse(parser, 400, "the Host field is missing");
	if (request->chunked && has_length)
		return refuse(parser, 400, "both Content-Length and Transfer-Encoding are given");
	if (request->chunked && request->minor_version == 0)
		return refuse(parser, 400, "HTTP/1.0 has no Transfer-Encoding");
	if (!request->chunked && !has_length && request->message.method.length == 4 &&
	    memcmp(request->message.method.text, "POST", 4) == 0)
		return refuse(parser, 411, "POST requires Content-Length or Transfer-Encoding: chunked");
	if (request->content_length > parser->limits.body)
		return refuse(parser, 413, "the body is too large");
	request->keep_alive = !parser->wants_close && (request->minor_version == 1 || parser->wants_keep_alive);
	request->expect_continue =
	        (parser->seen & SEEN_EXPECT) != 0 && (request->chunked || request->content_length > 0);
	return true;
}
