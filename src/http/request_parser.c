#include "http/request_parser.h"

#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

#define BLANK_LINES 4 /* allowed before a request line: RFC 9112, section 2.2 */

enum state {
	BLANK, /* before the request line */
	BLANK_LF,
	REQUEST_LINE,
	FIELD_LINE,
	BODY,
	CHUNKED_BODY,
	WHOLE,
	REFUSED,
};

enum seen {
	SEEN_HOST = 1,
	SEEN_CONTENT_LENGTH = 2,
	SEEN_TRANSFER_ENCODING = 4,
	SEEN_EXPECT = 8,
	SEEN_CLOSE = 16, /* in a Connection field */
	SEEN_KEEP_ALIVE = 32,
};

void http_request_parser_init(struct http_request_parser *parser, const struct http_limits *limits)
{
	*parser = (struct http_request_parser){ .limits = *limits, .state = BLANK };
	/* A request line that is too long must always give 414, not 431. */
	if (parser->limits.head < 2)
		parser->limits.head = 2;
	if (parser->limits.request_line > parser->limits.head - 2)
		parser->limits.request_line = parser->limits.head - 2;
}

void http_request_parser_release(struct http_request_parser *parser)
{
	buffer_release(&parser->head);
	buffer_release(&parser->body);
	free(parser->headers);
	parser->headers = NULL;
	parser->header_capacity = 0;
}

void http_request_parser_reset(struct http_request_parser *parser, size_t keep)
{
	parser->request = (struct http_request){ 0 };
	parser->status = 0;
	parser->reason = NULL;
	parser->state = BLANK;
	parser->blank_lines = 0;
	parser->seen = 0;
	parser->line_start = 0;
	parser->header_count = 0;
	buffer_clear(&parser->head);
	if (parser->body.capacity > keep)
		buffer_release(&parser->body);
	else
		buffer_clear(&parser->body);
}

bool http_request_parser_has_begun(const struct http_request_parser *parser)
{
	return parser->state != BLANK && parser->state != BLANK_LF;
}

static enum http_parsed refuse(struct http_request_parser *p, int status, const char *reason)
{
	p->status = status;
	p->reason = reason;
	p->state = REFUSED;
	return HTTP_PARSED_REFUSED;
}

/* Notes the field. True: it was noted before. */
static bool is_repeated(struct http_request_parser *p, unsigned field)
{
	bool repeated = (p->seen & field) != 0;
	p->seen |= field;
	return repeated;
}

static enum http_parsed take_content_length(struct http_request_parser *p, const char *value, size_t length)
{
	uint64_t number = 0;
	if (is_repeated(p, SEEN_CONTENT_LENGTH))
		return refuse(p, 400, "the Content-Length field is repeated");
	if (length == 0)
		return refuse(p, 400, "the Content-Length field is empty");
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9')
			return refuse(p, 400, "the Content-Length field is not a decimal number");
		unsigned digit = (unsigned)(value[i] - '0');
		/* A number that overflows is over every limit. */
		number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
	}
	p->request.content_length = number;
	return HTTP_PARSED_MORE;
}

static enum http_parsed take_field(struct http_request_parser *p, const struct header *f)
{
	const char *value = f->value.text;
	size_t length = f->value.length;
	if (header_is(f, "Host")) {
		if (is_repeated(p, SEEN_HOST))
			return refuse(p, 400, "the Host field is repeated");
		if (!http_is_host(value, length))
			return refuse(p, 400, "the Host field is not HOST[:PORT]");
	} else if (header_is(f, "Expect")) {
		/* RFC 9110, section 10.1.1: ignored in HTTP/1.0. */
		bool counts = p->request.minor_version > 0;
		if (counts && !http_is_word(value, length, "100-continue"))
			return refuse(p, 417, "only Expect: 100-continue is supported");
		p->seen |= counts ? SEEN_EXPECT : 0;
	} else if (header_is(f, "Content-Length")) {
		return take_content_length(p, value, length);
	} else if (header_is(f, "Transfer-Encoding")) {
		if (is_repeated(p, SEEN_TRANSFER_ENCODING) || !http_is_word(value, length, "chunked"))
			return refuse(p, 501, "only Transfer-Encoding: chunked is supported");
	} else if (header_is(f, "Connection")) {
		p->seen |= http_list_has(value, length, "close") ? SEEN_CLOSE : 0;
		p->seen |= http_list_has(value, length, "keep-alive") ? SEEN_KEEP_ALIVE : 0;
	}
	return HTTP_PARSED_MORE;
}

/* Checks the fields together, and sets the framing. */
static enum http_parsed end_fields(struct http_request_parser *p)
{
	struct http_request *request = &p->request;
	bool has_length = (p->seen & SEEN_CONTENT_LENGTH) != 0;
	request->chunked = (p->seen & SEEN_TRANSFER_ENCODING) != 0;
	if (request->minor_version == 1 && !(p->seen & SEEN_HOST))
		return refuse(p, 400, "the Host field is missing");
	if (request->chunked && has_length)
		return refuse(p, 400, "both Content-Length and Transfer-Encoding are given");
	if (request->chunked && request->minor_version == 0)
		return refuse(p, 400, "HTTP/1.0 has no Transfer-Encoding");
	if (!request->chunked && !has_length && message_method_is(&request->message, "POST"))
		return refuse(p, 411, "POST requires Content-Length or Transfer-Encoding: chunked");
	if (request->content_length > p->limits.body)
		return refuse(p, 413, "the body is too large");
	request->keep_alive = !(p->seen & SEEN_CLOSE) && (request->minor_version == 1 || (p->seen & SEEN_KEEP_ALIVE));
	request->expect_continue = (p->seen & SEEN_EXPECT) != 0 && (request->chunked || request->content_length > 0);
	return HTTP_PARSED_MORE;
}

static enum http_parsed take_version(struct http_request_parser *p, const char *text, size_t length)
{
	bool well_formed = length == 8 && memcmp(text, "HTTP/", 5) == 0 && ascii_is_digit(text[5]) && text[6] == '.' &&
	                   ascii_is_digit(text[7]);
	if (!well_formed)
		return refuse(p, 400, "the request line does not end with an HTTP version");
	if (text[5] == '2')
		return refuse(p, 505, "the client speaks HTTP/2; turn that off there (http:// instead of h2c://)");
	if (text[5] != '1')
		return refuse(p, 505, "the HTTP version is not HTTP/1.x");
	/* RFC 9110, section 2.5: treat a higher minor version as the highest one known. */
	p->request.minor_version = text[7] != '0';
	return HTTP_PARSED_MORE;
}

/* method SP request-target SP HTTP-version, each separated by exactly one space. */
static enum http_parsed take_request_line(struct http_request_parser *p, const char *line, size_t length)
{
	const char *end = line + length;
	const char *space = memchr(line, ' ', length);
	if (http_is_proxy_protocol(line, length))
		return refuse(p, 400, HTTP_PROXY_PROTOCOL);
	if (!http_is_value(line, length))
		return refuse(p, 400, "the request line contains a control character");
	if (!space || !http_is_token(line, (size_t)(space - line)))
		return refuse(p, 400, "the request line does not start with a method and a space");
	p->request.message.method.length = (size_t)(space - line);
	const char *target = space + 1;
	space = memchr(target, ' ', (size_t)(end - target));
	if (!space)
		return refuse(p, 400, "the request line does not end with an HTTP version");
	p->request.message.target.length = (size_t)(space - target);
	if (take_version(p, space + 1, (size_t)(end - space - 1)) == HTTP_PARSED_REFUSED)
		return HTTP_PARSED_REFUSED;
	if (!http_is_target(line, p->request.message.method.length, target, p->request.message.target.length))
		return refuse(p, 400, "the request target is not a path, an http URL, or * for OPTIONS");
	p->state = FIELD_LINE;
	return HTTP_PARSED_MORE;
}

static enum http_parsed take_field_line(struct http_request_parser *p, const char *line, size_t length)
{
	struct header f;
	if (line[0] == ' ' || line[0] == '\t')
		return refuse(p, 400, "a field is folded over two lines");
	if (!header_read(line, length, &f) || !http_is_token(f.name.text, f.name.length))
		return refuse(p, 400, "a field does not start with a valid name and a colon");
	if (p->header_count == p->limits.fields)
		return refuse(p, 431, "too many header fields");
	if (!http_is_value(line + f.name.length + 1, length - f.name.length - 1))
		return refuse(p, 400, "the value of a field contains a control character");
	if (!ARRAY_ROOM(p->headers, p->header_capacity, p->header_count + 1))
		return refuse(p, 500, "out of memory");
	p->headers[p->header_count++] = f;
	return take_field(p, &f);
}

/* The bytes after texts become NULs. */
static enum http_parsed end_head(struct http_request_parser *p)
{
	char *head = p->head.data;
	p->request.message.method.text = head;
	p->request.message.target.text = head + p->request.message.method.length + 1;
	if (end_fields(p) == HTTP_PARSED_REFUSED)
		return HTTP_PARSED_REFUSED;
	for (size_t i = 0; i < p->header_count; i++) {
		const struct header *f = &p->headers[i];
		head[f->name.text - head + (ptrdiff_t)f->name.length] = '\0';
		head[f->value.text - head + (ptrdiff_t)f->value.length] = '\0';
	}
	head[p->request.message.method.length] = '\0';
	head[p->request.message.method.length + 1 + p->request.message.target.length] = '\0';
	p->request.message.headers = p->headers;
	p->request.message.header_count = p->header_count;
	p->body_left = p->request.content_length;
	if (p->request.chunked)
		http_chunked_init(&p->chunked, p->limits.body, p->limits.head, p->limits.fields);
	p->state = p->request.chunked ? CHUNKED_BODY : BODY;
	return HTTP_PARSED_HEAD;
}

static enum http_parsed feed_head(struct http_request_parser *p, const char *bytes, size_t length, size_t *used)
{
	const char *lf = memchr(bytes, '\n', length);
	size_t take = lf ? (size_t)(lf - bytes) + 1 : length;
	size_t room = p->limits.head + 1 - p->head.length;
	if (take > room)
		take = room;
	/* At once, so that texts within it stay where they are. */
	if (p->head.capacity == 0)
		buffer_reserve(&p->head, p->limits.head + 1);
	buffer_append(&p->head, bytes, take);
	*used = take;
	if (p->head.failed)
		return refuse(p, 500, "out of memory");
	/* The current line without its end. A CR at the very end may be half of a CRLF. */
	const char *line = p->head.data + p->line_start;
	size_t line_length = p->head.length - p->line_start;
	bool is_whole = line[line_length - 1] == '\n';
	line_length -= is_whole;
	if (line_length > 0 && line[line_length - 1] == '\r')
		line_length--;
	if (p->state == REQUEST_LINE && line_length > p->limits.request_line)
		return refuse(p, 414, "the request line is too long");
	if (p->head.length > p->limits.head)
		return refuse(p, 431, "the header fields are too long");
	if (!is_whole)
		return HTTP_PARSED_MORE;
	p->line_start = p->head.length;
	if (line[line_length] != '\r')
		return refuse(p, 400, "a line ends with LF alone");
	if (p->state == REQUEST_LINE)
		return take_request_line(p, line, line_length);
	return line_length > 0 ? take_field_line(p, line, line_length) : end_head(p);
}

static enum http_parsed feed_blank(struct http_request_parser *p, char byte, size_t *used)
{
	*used = 1;
	if (p->state == BLANK_LF) {
		if (byte != '\n')
			return refuse(p, 400, "there is a CR without LF before the request line");
		p->state = BLANK;
		return HTTP_PARSED_MORE;
	}
	if (byte == '\r') {
		if (++p->blank_lines > BLANK_LINES)
			return refuse(p, 400, "too many empty lines before the request line");
		p->state = BLANK_LF;
		return HTTP_PARSED_MORE;
	}
	if (byte == 0x16)
		return refuse(p, 400, "the client uses TLS, but this is plain HTTP");
	/* Behind two empty lines a NUL is the fifth byte of version 2. */
	if (byte == '\0' && p->blank_lines == 2)
		return refuse(p, 400, HTTP_PROXY_PROTOCOL);
	if (!http_is_token(&byte, 1))
		return refuse(p, 400, "the request line does not start with a method");
	*used = 0;
	p->state = REQUEST_LINE;
	return HTTP_PARSED_MORE;
}

static enum http_parsed whole(struct http_request_parser *p)
{
	if (!buffer_reserve(&p->body, 0))
		return refuse(p, 500, "out of memory");
	p->body.data[p->body.length] = '\0';
	p->request.message.body = (struct text){ p->body.data, p->body.length };
	p->state = WHOLE;
	return HTTP_PARSED_WHOLE;
}

static enum http_parsed feed_chunked(struct http_request_parser *p, const char *bytes, size_t length, size_t *used)
{
	const char *data;
	size_t data_length;
	switch (http_chunked_feed(&p->chunked, bytes, length, used, &data, &data_length)) {
	case HTTP_CHUNK_DATA:
		buffer_append(&p->body, data, data_length);
		return HTTP_PARSED_MORE;
	case HTTP_CHUNK_END:
		return whole(p);
	case HTTP_CHUNK_REFUSED:
		return refuse(p, p->chunked.status, p->chunked.reason);
	case HTTP_CHUNK_MORE:
		break;
	}
	return HTTP_PARSED_MORE;
}

enum http_parsed http_request_parser_feed(struct http_request_parser *p, const char *bytes, size_t length, size_t *used)
{
	enum http_parsed event = HTTP_PARSED_MORE;
	*used = 0;
	if (p->state == WHOLE || p->state == REFUSED)
		return p->state == WHOLE ? HTTP_PARSED_WHOLE : HTTP_PARSED_REFUSED;
	/* An empty body ends without further bytes. */
	bool without_bytes = p->state == BODY && p->body_left == 0;
	while (event == HTTP_PARSED_MORE && (*used < length || without_bytes)) {
		const char *at = bytes + *used;
		size_t left = length - *used, step;
		if (p->state == BLANK || p->state == BLANK_LF) {
			event = feed_blank(p, *at, &step);
		} else if (p->state == CHUNKED_BODY) {
			event = feed_chunked(p, at, left, &step);
		} else if (p->state == BODY) {
			step = left < p->body_left ? left : (size_t)p->body_left;
			buffer_append(&p->body, at, step);
			p->body_left -= step;
			event = p->body_left == 0 ? whole(p) : HTTP_PARSED_MORE;
		} else {
			event = feed_head(p, at, left, &step);
		}
		*used += step;
	}
	return event;
}
