#include "http/secrets.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/head.h"
#include "http/spelling.h"

#include <ctype.h>
#include <limits.h>
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

void secrets_append_response(const struct exchange *x, struct buffer *out)
{
	if (x->status > 0)
		buffer_printf(out, "%d", x->status);
	if (x->status > 0 && *exchange_field(x, "Content-Type"))
		buffer_printf(out, "\nContent-Type: %s", exchange_field(x, "Content-Type"));
}

/* Adds what is not yet there. A C string has no NUL in it. */
static void add_spelling(struct echoes *e, const char *text, size_t length)
{
	const char *at = buffer_text(&e->spellings), *end = at + e->spellings.length;
	if (length < ECHO_LEAST || memchr(text, '\0', length))
		return;
	for (; at < end; at += strlen(at) + 1)
		if (strlen(at) == length && memcmp(at, text, length) == 0)
			return;
	buffer_append(&e->spellings, text, length);
	buffer_append_byte(&e->spellings, '\0');
}

/* Adds digits of base64, as both alphabets have them (RFC 4648, 5). */
static void add_digits(struct echoes *e, struct buffer *digits, size_t from, size_t to)
{
	add_spelling(e, digits->data + from, to - from);
	for (char *c = digits->data; *c; c++)
		*c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
	add_spelling(e, digits->data + from, to - from);
}

/* Adds what is the same wherever in the encoded text the value begins: the digits that hold bits of it alone; and all
 * to the end, for where nothing follows it. */
static void add_base64(struct echoes *e, const char *value, size_t length)
{
	for (size_t before = 0; before < 3; before++) {
		LOCAL_BUFFER in = BUFFER_FOR(&e->spellings), inner = BUFFER_FOR(&e->spellings),
		             out = BUFFER_FOR(&e->spellings);
		size_t skipped = before == 0 ? 0 : before + 1;
		buffer_append(&in, "\0\0", before);
		buffer_append(&in, value, length);
		if (in.failed)
			return;
		buffer_append_base64(&inner, in.data, (before + length) / 3 * 3);
		buffer_append_base64(&out, in.data, before + length);
		if (inner.failed || out.failed)
			return;
		size_t unpadded = strcspn(out.data, "=");
		add_digits(e, &inner, skipped, inner.length);
		add_digits(e, &out, skipped, unpadded);
		add_digits(e, &out, skipped, out.length);
	}
}

static void add_value(struct echoes *e, const char *value, size_t length)
{
	while (length > 0 && isspace((unsigned char)value[length - 1]))
		length--;
	if (length < ECHO_LEAST)
		return;
	add_spelling(e, value, length);
	add_base64(e, value, length);
}

/* A value of a URL, also as it is read there. */
static void add_url_value(struct echoes *e, const char *value, size_t length)
{
	LOCAL_BUFFER decoded = BUFFER_FOR(&e->spellings);
	add_value(e, value, length);
	for (size_t i = 0; i < length; i++) {
		bool is_escape =
		        value[i] == '%' && i + 2 < length && ascii_is_hex(value[i + 1]) && ascii_is_hex(value[i + 2]);
		if (is_escape)
			buffer_append_byte(&decoded,
			                   (char)(ascii_hex_value(value[i + 1]) << 4 | ascii_hex_value(value[i + 2])));
		else
			buffer_append_byte(&decoded, value[i]);
		i += is_escape ? 2 : 0;
	}
	add_value(e, buffer_text(&decoded), decoded.length);
}

/* "user:password" of Basic in base64, and the password. */
static void add_credentials(struct echoes *e, struct text encoded)
{
	LOCAL_BUFFER decoded = BUFFER_FOR(&e->spellings);
	if (!buffer_decode_base64(&decoded, encoded.text, encoded.length))
		return;
	const char *text = buffer_text(&decoded), *colon = memchr(text, ':', decoded.length);
	add_value(e, text, decoded.length);
	if (colon)
		add_value(e, colon + 1, decoded.length - (size_t)(colon + 1 - text));
}

/* The values of "a=VALUE; b=VALUE". */
static void add_cookies(struct echoes *e, struct text cookies)
{
	const char *end = cookies.text + cookies.length;
	for (const char *at = cookies.text, *behind; at < end; at = behind + 1) {
		behind = memchr(at, ';', (size_t)(end - at));
		behind = behind ? behind : end;
		const char *equals = memchr(at, '=', (size_t)(behind - at));
		if (equals)
			add_value(e, equals + 1, (size_t)(behind - equals - 1));
	}
}

void echoes_add_header(struct echoes *e, const struct header *h)
{
	static const struct text basic = TEXT("Basic ");
	struct text value = h->value;
	bool has_scheme = header_is(h, "Authorization") || header_is(h, "Proxy-Authorization");
	bool is_basic = has_scheme && value.length > basic.length && http_is_word(value.text, basic.length, basic.text);
	const char *space = has_scheme && value.length > 0 ? memchr(value.text, ' ', value.length) : NULL;
	if (is_among(h->name.text, h->name.length, HARMLESS_IN_ECHOES))
		return;
	for (; space && *space == ' '; space++)
		value = (struct text){ space + 1, (size_t)(h->value.text + h->value.length - space - 1) };
	add_value(e, value.text, value.length);
	if (is_basic)
		add_credentials(e, value);
	if (header_is(h, "Cookie"))
		add_cookies(e, value);
}

void echoes_add_message(struct echoes *e, const struct message *m)
{
	for (size_t i = 0; i < m->header_count; i++)
		if (header_is_secret(&m->headers[i]))
			echoes_add_header(e, &m->headers[i]);
	if (m->target.text)
		echoes_add_url(e, m->target.text);
}

void echoes_add_url(struct echoes *e, const char *url)
{
	size_t scheme = strcspn(url, ":/?#"); /* a target has none, but one may stand in its query */
	const char *begin = url + scheme;
	begin = strncmp(begin, "://", 3) == 0 ? begin + 3 : url;
	size_t authority = strcspn(begin, "/?#");
	const char *at = find_last(begin, authority, '@'),
	           *colon = at ? memchr(begin, ':', (size_t)(at - begin)) : NULL;
	if (at)
		add_url_value(e, begin, (size_t)(at - begin));
	if (colon)
		add_url_value(e, colon + 1, (size_t)(at - colon - 1));
	const char *query = begin + authority + strcspn(begin + authority, "?#");
	while (*query == '?' || *query == '&') {
		query++;
		size_t length = strcspn(query, "&#"), key = strcspn(query, "=&#");
		key = key < length ? key + 1 : 0;
		add_url_value(e, query + key, length - key);
		query += length;
	}
}

#define ESCAPE_MOST 12 /* bytes of \uXXXX\uXXXX */

/* How many bytes at the beginning of the text are the end of the spelling, which may begin within an escape. */
static size_t end_of_spelling(const struct buffer *text, const char *spelling)
{
	bool ignored = false;
	for (const char *rest = spelling + 1; *rest; rest++) {
		size_t length = spelling_match(text->data, text->length, rest, &ignored);
		for (size_t i = 1; length == 0 && i < ESCAPE_MOST && i < text->length && strlen(rest) >= ECHO_LEAST;
		     i++) {
			length = spelling_match(text->data + i, text->length - i, rest, &ignored);
			length += length > 0 ? i : 0;
		}
		if (length > 0)
			return length;
	}
	return 0;
}

/* Removes the longest end of one that the text may begin with. */
static void remove_end(const struct echoes *e, struct buffer *text)
{
	const char *end = buffer_text(&e->spellings) + e->spellings.length;
	size_t most = 0;
	for (const char *at = buffer_text(&e->spellings); at < end; at += strlen(at) + 1) {
		size_t part = end_of_spelling(text, at);
		most = part > most ? part : most;
	}
	buffer_consume(text, most);
}

/* Which bytes a spelling may begin with: few places of a long text have to be looked at; in a short one, all. */
static void note_beginnings(const struct echoes *e, size_t length, bool begins[UCHAR_MAX + 1])
{
	const char *end = buffer_text(&e->spellings) + e->spellings.length;
	memset(begins, length <= UCHAR_MAX, UCHAR_MAX + 1);
	for (const char *at = buffer_text(&e->spellings); at < end && length > UCHAR_MAX; at += strlen(at) + 1)
		for (int byte = 0; byte <= UCHAR_MAX; byte++)
			begins[byte] |= spelling_may_begin(at, (char)byte);
}

/* The length of the longest one that begins there. */
static size_t longest_match(const struct echoes *e, const char *text, size_t length, bool *is_cut)
{
	const char *end = buffer_text(&e->spellings) + e->spellings.length;
	size_t longest = 0;
	for (const char *at = buffer_text(&e->spellings); at < end; at += strlen(at) + 1) {
		size_t found = spelling_may_begin(at, *text) ? spelling_match(text, length, at, is_cut) : 0;
		longest = found > longest ? found : longest;
	}
	return longest;
}

/* Those that overlap are one. */
static void append_masked(const struct echoes *e, const struct buffer *text, bool is_cut_behind, struct buffer *out)
{
	bool begins[UCHAR_MAX + 1];
	size_t masked = 0; /* up to there */
	note_beginnings(e, text->length, begins);
	for (size_t at = 0; at < text->length; at++) {
		bool is_cut = false;
		size_t length = begins[(unsigned char)text->data[at]]
		                        ? longest_match(e, text->data + at, text->length - at, &is_cut)
		                        : 0;
		if (is_cut && is_cut_behind)
			return;
		if (length > 0 && at >= masked)
			buffer_append_text(out, SECRET_MASK);
		if (at + length > masked && length > 0)
			masked = at + length;
		if (at >= masked)
			buffer_append_byte(out, text->data[at]);
	}
}

void echoes_mask(const struct echoes *e, struct buffer *text, unsigned cuts)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	if (text->length == 0 || (e->spellings.length == 0 && !e->spellings.failed))
		return;
	if (cuts & ECHOES_CUT_BEFORE)
		remove_end(e, text);
	append_masked(e, text, cuts & ECHOES_CUT_BEHIND, &masked);
	buffer_clear(text);
	if (!masked.failed && !e->spellings.failed)
		buffer_append(text, buffer_text(&masked), masked.length);
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
	if (options->secrets) {
		const struct buffer *more = &options->secrets->spellings;
		buffer_append(&echoes->spellings, buffer_text(more), more->length);
		buffer_fail_if(&echoes->spellings, more->failed);
	}
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
