/* The headers of a request as it goes out, and what is kept of a response. */
#include "base/url.h"
#include "http/deliver_internal.h"
#include "http/head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELD_SHOWN   512  /* bytes of a value */
#define HEADERS_ADDED 3    /* at most */
#define HEAD_KEPT     8192 /* bytes, and the field that exceeds them */

/* The URL of a recorded request must not lead to another server than the one that was checked for all deliveries. */
static int check_own_url(const struct deliver_options *options, struct text target, struct error *err)
{
	struct url all, own;
	bool is_cut = strlen(target.text) < target.length; /* by a NUL of a record */
	const char *why = is_cut ? "it contains a space or a control character" : url_parse(target.text, &own);
	bool same = !why && url_parse(options->url, &all) == NULL && strcmp(all.scheme, own.scheme) == 0 &&
	            all.port == own.port && host_is_equal(&all.host, &own.host);
	if (same)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "cannot send to '%s': %s", target.text,
	                 why ? why : "not the server of the destination");
}

int deliver_check(const struct deliver_options *options, const struct message *request, struct error *err)
{
	const struct text *method = &request->method;
	if (request->target.text && check_own_url(options, request->target, err) < 0)
		return -1;
	if (method->text && (!http_is_token(method->text, method->length) || message_method_is(request, "HEAD")))
		return error_set(err, EXIT_CODE_USAGE, "cannot send a body with method '%s'", method->text);
	for (size_t i = 0; i < request->header_count; i++)
		if (header_check(&request->headers[i], err) < 0)
			return -1;
	return 0;
}

static bool is_set(const struct deliver_options *options, const struct text *name)
{
	for (size_t i = 0; i < options->header_count; i++)
		if (options->headers[i].name.length == name->length &&
		    strncasecmp(options->headers[i].name.text, name->text, name->length) == 0)
			return true;
	return false;
}

int deliver_request(const struct deliver_options *options, const struct message *request, struct header **headers,
                    struct message *out)
{
	static const struct header type = HEADER("Content-Type", DELIVER_TYPE);
	static const struct header expect = { TEXT("Expect"), { NULL, 0 } };
	static const struct header agent = HEADER("User-Agent", "credhook/" CREDHOOK_VERSION);
	struct header *next = calloc(options->header_count + request->header_count + HEADERS_ADDED, sizeof *next);
	bool has_type = is_set(options, &type.name), has_agent = is_set(options, &agent.name);
	*headers = next;
	if (!next)
		return -1;
	for (size_t i = 0; i < options->header_count; i++)
		*next++ = options->headers[i];
	/* An Expect for large bodies only, since each line costs time. */
	if (request->body.length > EXPECT_ABOVE && !is_set(options, &expect.name))
		*next++ = expect;
	for (size_t i = 0; i < request->header_count; i++) {
		const struct header *h = &request->headers[i];
		if (http_is_hop_by_hop(h->name.text, h->name.length) || is_set(options, &h->name))
			continue;
		has_type = has_type || header_is(h, "Content-Type");
		has_agent = has_agent || header_is(h, "User-Agent");
		*next++ = *h;
	}
	if (!has_type)
		*next++ = type;
	/* Not CURLOPT_USERAGENT, which formats the line again for each request. */
	if (!has_agent)
		*next++ = agent;
	*out = *request;
	out->method = request->method.text ? request->method : (struct text)TEXT("POST");
	out->target = request->target.text ? request->target : text_of(options->url);
	out->headers = *headers;
	out->header_count = (size_t)(next - *headers);
	return 0;
}

void exchange_keep_field(struct exchange *x, const struct header *field)
{
	static const char *const wanted[] = { "Content-Type", "Location", "Retry-After" };
	bool keeps = x->keep_head;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && x->kept_head.length < HEAD_KEPT; i++)
		keeps = keeps || header_is(field, wanted[i]);
	if (!keeps)
		return;
	buffer_append(&x->kept_head, field->name.text, field->name.length);
	buffer_append_byte(&x->kept_head, ':');
	buffer_append(&x->kept_head, field->value.text, field->value.length);
	buffer_append_byte(&x->kept_head, '\n');
}

void exchange_keep_body(struct exchange *x, const char *bytes, size_t length, size_t most)
{
	size_t room = most - x->kept_body.length;
	buffer_append(&x->kept_body, bytes, length < room ? length : room);
	x->response_length += length;
	x->response_cut |= length > room || x->kept_body.failed;
}

void exchange_set_response(struct exchange *x)
{
	const char *at = buffer_text(&x->kept_head), *end = at + x->kept_head.length;
	struct header field;
	size_t count = 0;
	while (http_head_next(&at, end, &field)) {
		if (!ARRAY_ROOM(x->fields, x->field_capacity, count + 1)) {
			x->kept_head.failed = true;
			break;
		}
		if (!x->keep_head && field.value.length > FIELD_SHOWN)
			field.value.length = FIELD_SHOWN;
		x->kept_head.data[field.name.text + field.name.length - x->kept_head.data] = '\0';
		x->kept_head.data[field.value.text + field.value.length - x->kept_head.data] = '\0';
		x->fields[count++] = field;
	}
	x->response = (struct message){ .headers = x->fields,
		                        .header_count = count,
		                        .body = { buffer_text(&x->kept_body), x->kept_body.length } };
	x->response_cut |= x->kept_head.failed;
}

const char *exchange_field(const struct exchange *x, const char *name)
{
	const struct text *value = message_header(&x->response, name);
	return value ? value->text : "";
}

void exchange_release(struct exchange *exchange)
{
	buffer_release(&exchange->kept_head);
	buffer_release(&exchange->kept_body);
	free(exchange->fields);
	buffer_release(&exchange->trace);
}
