#include "http/secrets.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/head.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Headers about the format and the sender of a message, and identifiers for logs. The first four are not even masked
 * in echoes. */
static const char *const harmless[] = {
	"Accept",        "Content-Type",      "Host",           "User-Agent",   "Accept-Encoding", "Accept-Language",
	"Cache-Control", "Connection",        "Content-Length", "Date",         "Expect",          "Content-Encoding",
	"Server",        "Transfer-Encoding", "Retry-After",    "X-Request-Id", "traceparent",
};
#define HARMLESS_IN_ECHOES 4

static bool is_among(const char *name, size_t length, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (http_is_word(name, length, harmless[i]))
			return true;
	return false;
}

bool header_name_is_secret(const char *name, size_t length)
{
	return !is_among(name, length, sizeof harmless / sizeof harmless[0]);
}

bool header_is_secret(const struct header *h)
{
	return h->value.length > 0 && header_name_is_secret(h->name.text, h->name.length);
}

static void append_text(struct text text, bool safe, struct buffer *out)
{
	if (safe)
		utf8_append_safe(out, text.text, text.length);
	else
		buffer_append(out, text.text, text.length);
}

void message_append_head(const struct message *m, bool masked, struct buffer *out)
{
	static const struct text unknown = TEXT("?"), mask = TEXT(SECRET_MASK);
	LOCAL_BUFFER target = BUFFER_FOR(out);
	struct text shown = m->target.text ? m->target : unknown;
	append_text(m->method.text ? m->method : unknown, masked, out);
	buffer_append_byte(out, ' ');
	if (masked) {
		url_append_masked_reference(&target, shown);
		shown = (struct text){ buffer_text(&target), target.length };
	}
	append_text(shown, masked, out);
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < m->header_count; i++) {
		const struct header *h = &m->headers[i];
		if (!h->value.text)
			continue;
		append_text(h->name, masked, out);
		buffer_append_text(out, h->value.length > 0 ? ": " : ":");
		append_text(masked && header_is_secret(h) ? mask : h->value, masked, out);
		buffer_append_byte(out, '\n');
	}
}

void secrets_append_request(const struct deliver_options *options, const struct message *request, struct buffer *out)
{
	struct header *headers;
	struct message whole;
	if (deliver_request(options, request, &headers, &whole) < 0) {
		buffer_fail_if(out, true);
		return;
	}
	message_append_head(&whole, true, out);
	buffer_consume_end(out, 1);
	free(headers);
}

void secrets_append_response(const struct exchange *d, struct buffer *out)
{
	if (d->status > 0)
		buffer_printf(out, "%d", d->status);
	if (d->status > 0 && *exchange_field(d, "Content-Type"))
		buffer_printf(out, "\nContent-Type: %s", exchange_field(d, "Content-Type"));
}

static void add_spelling(struct echoes *e, const char *text, size_t length)
{
	const char *begin = buffer_text(&e->spellings), *at = begin, *end = at + e->spellings.length;
	for (; at < end && strlen(at) >= length; at += strlen(at) + 1)
		if (strlen(at) == length && memcmp(at, text, length) == 0)
			return;
	if (length < ECHO_LEAST)
		return;
	size_t place = (size_t)(at - begin), shorter = (size_t)(end - at);
	buffer_append(&e->spellings, text, length);
	buffer_append_byte(&e->spellings, '\0');
	if (e->spellings.failed || shorter == 0)
		return;
	memmove(e->spellings.data + place + length + 1, e->spellings.data + place, shorter);
	memcpy(e->spellings.data + place, text, length);
	e->spellings.data[place + length] = '\0';
}

/* RFC 3986, 2.3 */
static void add_percent_encoded(struct echoes *e, const char *value, size_t length, const char *digits,
                                const char *space)
{
	LOCAL_BUFFER out = BUFFER_FOR(&e->spellings);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)value[i];
		if (ascii_is_unreserved(value[i]))
			buffer_append_byte(&out, value[i]);
		else if (c == ' ')
			buffer_append_text(&out, space);
		else
			buffer_printf(&out, "%%%c%c", digits[c >> 4], digits[c & 15]);
	}
	add_spelling(e, buffer_text(&out), out.length);
}

/* A byte and what is written for it, each; the last one is empty. */
static const char *const json[] = { "\"\\\"", "\\\\\\", "\t\\t", "" };
static const char *const json_slash[] = { "\"\\\"", "\\\\\\", "/\\/", "" };
static const char *const html[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;", "" };
static const char *const html_python[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#x27;", "" };
static const char *const html_number[] = { "&&amp;", "<&lt;", ">&gt;", "\"&#34;", "'&#x27;", "" };
/* A literal of Python, Ruby or Rust; in the second where the quotes around it are ' and it has both. */
static const char *const literal[] = { "\\\\\\", "\t\\t", "" };
static const char *const literal_quote[] = { "\\\\\\", "\t\\t", "'\\'", "" };

/* How what is not ASCII is written. */
enum spelled {
	AS_IT_IS,
	AS_BYTES,   /* \xC3, a byte each */
	AS_UTF8,    /* \u00E9, a character each */
	AS_LATIN_1, /* \u00C3, a byte each: they were taken for Latin-1, as frameworks take headers */
};

static void append_spelled(struct buffer *out, const char *value, size_t *at, size_t length, enum spelled spelled)
{
	uint32_t c = (unsigned char)value[*at];
	size_t size = spelled == AS_UTF8 ? utf8_decode(value + *at, length - *at, &c) : 1;
	*at += size > 0 ? size : 1;
	if (spelled == AS_BYTES)
		buffer_printf(out, "\\x%02x", (unsigned)c);
	else if (c > 0xFFFF)
		buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (c >> 10)), (unsigned)(0xDC00 + (c & 0x3FF)));
	else
		buffer_printf(out, "\\u%04x", (unsigned)c);
}

static void append_escaped(struct buffer *out, const char *value, size_t length, const char *const *escapes,
                           enum spelled spelled)
{
	for (size_t at = 0; at < length;) {
		const char *const *escape = escapes;
		while ((*escape)[0] && (*escape)[0] != value[at])
			escape++;
		if (!(*escape)[0] && spelled != AS_IT_IS && (value[at] & 0x80)) {
			append_spelled(out, value, &at, length, spelled);
			continue;
		}
		if ((*escape)[0])
			buffer_append_text(out, *escape + 1);
		else
			buffer_append_byte(out, value[at]);
		at++;
	}
}

static void add_escaped(struct echoes *e, const char *value, size_t length, const char *const *escapes,
                        enum spelled spelled)
{
	LOCAL_BUFFER out = BUFFER_FOR(&e->spellings);
	append_escaped(&out, value, length, escapes, spelled);
	add_spelling(e, buffer_text(&out), out.length);
}

/* A literal as a log has it, and as a response in JSON has it. */
static void add_literal(struct echoes *e, const char *value, size_t length, const char *const *escapes,
                        enum spelled spelled)
{
	LOCAL_BUFFER out = BUFFER_FOR(&e->spellings);
	append_escaped(&out, value, length, escapes, spelled);
	add_spelling(e, buffer_text(&out), out.length);
	add_escaped(e, buffer_text(&out), out.length, json, AS_IT_IS);
}

/* Bytes that were taken for Latin-1 and are printed in UTF-8. */
static void add_taken_for_latin_1(struct echoes *e, const char *value, size_t length)
{
	LOCAL_BUFFER out = BUFFER_FOR(&e->spellings);
	for (size_t i = 0; i < length; i++) {
		char bytes[4];
		buffer_append(&out, bytes, utf8_encode((unsigned char)value[i], bytes));
	}
	add_literal(e, buffer_text(&out), out.length, literal, AS_IT_IS);
	add_literal(e, buffer_text(&out), out.length, literal_quote, AS_IT_IS);
}

/* Adds what is the same wherever in the encoded text the value begins: the digits that hold bits of it alone. */
static void add_base64(struct echoes *e, const char *value, size_t length)
{
	for (size_t before = 0; before < 3; before++) {
		LOCAL_BUFFER in = BUFFER_FOR(&e->spellings), out = BUFFER_FOR(&e->spellings);
		size_t skipped = before == 0 ? 0 : before + 1;
		buffer_append(&in, "\0\0", before);
		buffer_append(&in, value, length);
		if (in.failed)
			return;
		buffer_append_base64(&out, in.data, (before + length) / 3 * 3);
		if (out.failed)
			return;
		add_spelling(e, out.data + skipped, out.length - skipped);
		for (char *c = out.data; *c; c++) /* RFC 4648, 5 */
			*c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
		add_spelling(e, out.data + skipped, out.length - skipped);
	}
}

static void add_value(struct echoes *e, const char *value, size_t length)
{
	while (length > 0 && isspace((unsigned char)value[length - 1]))
		length--;
	if (length < ECHO_LEAST)
		return;
	add_spelling(e, value, length);
	add_percent_encoded(e, value, length, ASCII_HEX_UPPER, "%20");
	add_percent_encoded(e, value, length, ASCII_HEX, "+");
	for (enum spelled spelled = AS_IT_IS; spelled <= AS_LATIN_1; spelled++) {
		add_escaped(e, value, length, json, spelled);
		add_literal(e, value, length, literal, spelled);
		add_literal(e, value, length, literal_quote, spelled);
	}
	add_taken_for_latin_1(e, value, length);
	add_escaped(e, value, length, json_slash, AS_IT_IS);
	add_escaped(e, value, length, html, AS_IT_IS);
	add_escaped(e, value, length, html_python, AS_IT_IS);
	add_escaped(e, value, length, html_number, AS_IT_IS);
	add_base64(e, value, length);
}

void echoes_add_header(struct echoes *e, const struct header *h)
{
	struct text value = h->value;
	const char *space =
	        value.length > 0 && header_is(h, "Authorization") ? memchr(value.text, ' ', value.length) : NULL;
	if (is_among(h->name.text, h->name.length, HARMLESS_IN_ECHOES))
		return;
	for (; space && *space == ' '; space++)
		value = (struct text){ space + 1, (size_t)(h->value.text + h->value.length - space - 1) };
	add_value(e, value.text, value.length);
}

void echoes_add_url(struct echoes *e, const char *url)
{
	const char *begin = strstr(url, "://");
	begin = begin ? begin + 3 : url;
	size_t authority = strcspn(begin, "/?#");
	const char *at = find_last(begin, authority, '@'),
	           *colon = at ? memchr(begin, ':', (size_t)(at - begin)) : NULL;
	if (at)
		add_value(e, begin, (size_t)(at - begin));
	if (colon)
		add_value(e, colon + 1, (size_t)(at - colon - 1));
	const char *query = begin + authority + strcspn(begin + authority, "?#");
	while (*query == '?' || *query == '&') {
		query++;
		size_t length = strcspn(query, "&#"), key = strcspn(query, "=&#");
		key = key < length ? key + 1 : 0;
		add_value(e, query + key, length - key);
		query += length;
	}
}

/* How many bytes at the end of the text are the beginning of the spelling, or at its beginning the end. */
static size_t cut_part(const struct buffer *text, const char *spelling, bool is_behind)
{
	size_t length = strlen(spelling);
	for (size_t n = length - 1 < text->length ? length - 1 : text->length; n > 0; n--)
		if (is_behind ? memcmp(text->data + text->length - n, spelling, n) == 0
		              : memcmp(text->data, spelling + length - n, n) == 0)
			return n;
	return 0;
}

/* Removes the longest part that may be one of a secret. */
static void remove_part(const struct echoes *e, struct buffer *text, bool is_behind)
{
	const char *end = buffer_text(&e->spellings) + e->spellings.length;
	size_t most = 0;
	for (const char *at = buffer_text(&e->spellings); at < end; at += strlen(at) + 1) {
		size_t part = cut_part(text, at, is_behind);
		most = part > most ? part : most;
	}
	if (is_behind)
		buffer_consume_end(text, most);
	else
		buffer_consume(text, most);
}

static void mask_one(struct buffer *text, const char *spelling)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	const char *from = text->data, *end = from + text->length, *found;
	size_t length = strlen(spelling);
	while ((found = find_text(from, (size_t)(end - from), spelling, length)) != NULL) {
		buffer_append(&masked, from, (size_t)(found - from));
		buffer_append_text(&masked, SECRET_MASK);
		from = found + length;
	}
	if (from == text->data)
		return;
	buffer_append(&masked, from, (size_t)(end - from));
	buffer_clear(text);
	if (!masked.failed)
		buffer_append(text, masked.data, masked.length);
}

void echoes_mask(const struct echoes *e, struct buffer *text, unsigned cuts)
{
	if (text->length == 0)
		return;
	if (cuts & ECHOES_CUT_BEFORE)
		remove_part(e, text, false);
	if (cuts & ECHOES_CUT_BEHIND)
		remove_part(e, text, true);
	const char *end = buffer_text(&e->spellings) + e->spellings.length;
	for (const char *at = buffer_text(&e->spellings); at < end && text->length > 0; at += strlen(at) + 1)
		mask_one(text, at);
	if (e->spellings.failed)
		buffer_clear(text);
}

void echoes_release(struct echoes *e)
{
	buffer_release(&e->spellings);
}

void echoes_collect(const struct deliver_options *options, struct echoes *echoes)
{
	for (size_t i = 0; i < options->header_count; i++)
		echoes_add_header(echoes, &options->headers[i]);
	echoes_add_url(echoes, options->url);
	if (options->proxy)
		echoes_add_url(echoes, options->proxy);
}

static void mask_results(const struct echoes *echoes, struct exchange *exchange)
{
	echoes_mask(echoes, &exchange->kept_body, exchange->response_cut ? ECHOES_CUT_BEHIND : 0);
	echoes_mask(echoes, &exchange->kept_head, 0);
	echoes_mask(echoes, &exchange->trace, 0);
	LOCAL_BUFFER message = BUFFER_INIT;
	const size_t size = sizeof exchange->message;
	if (exchange->message[0] == '\0' || (echoes->spellings.length == 0 && !echoes->spellings.failed))
		return;
	buffer_append_text(&message, exchange->message);
	echoes_mask(echoes, &message, message.length + 1 == size ? ECHOES_CUT_BEHIND : 0);
	snprintf(exchange->message, size, "%.*s", (int)size - 1, buffer_text(&message));
}

void echoes_mask_exchange(const struct deliver_options *options, const struct echoes *echoes, struct exchange *exchange)
{
	if (options->keep_echoes)
		return;
	mask_results(echoes, exchange);
	const struct message *request = &exchange->request;
	if (request->header_count == 0 && !request->target.text)
		return;
	struct echoes own = { .spellings = BUFFER_INIT };
	for (size_t i = 0; i < request->header_count; i++)
		echoes_add_header(&own, &request->headers[i]);
	if (request->target.text)
		echoes_add_url(&own, request->target.text);
	mask_results(&own, exchange);
	echoes_release(&own);
}
