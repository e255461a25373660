/* The request around a payload: where it came from, its target, its headers. */
#include "base/ascii.h"
#include "base/text.h"
#include "base/url.h"
#include "http/head.h"
#include "redact/redact_internal.h"

#include <string.h>
#include <strings.h>

/* Words that are in anybody's requests: they stay. A list ends with an empty one. */
static const struct text public_methods[] = {
	TEXT("POST"), TEXT("GET"), TEXT("HEAD"), TEXT("PUT"), TEXT("PATCH"), TEXT("DELETE"), TEXT("OPTIONS"), TEXT(""),
};
static const struct text public_headers[] = {
	TEXT("Accept"),
	TEXT("Accept-Encoding"),
	TEXT("Accept-Language"),
	TEXT("Authorization"),
	TEXT("Cache-Control"),
	TEXT("Connection"),
	TEXT("Content-Encoding"),
	TEXT("Content-Length"),
	TEXT("Content-Type"),
	TEXT("Cookie"),
	TEXT("Date"),
	TEXT("Expect"),
	TEXT("Forwarded"),
	TEXT("Host"),
	TEXT("Idempotency-Key"),
	TEXT("Keep-Alive"),
	TEXT("Origin"),
	TEXT("Pragma"),
	TEXT("Proxy-Authorization"),
	TEXT("Referer"),
	TEXT("TE"),
	TEXT("traceparent"),
	TEXT("tracestate"),
	TEXT("Trailer"),
	TEXT("Transfer-Encoding"),
	TEXT("Upgrade"),
	TEXT("User-Agent"),
	TEXT("Via"),
	TEXT("X-Api-Key"),
	TEXT("X-Correlation-Id"),
	TEXT("X-Forwarded-For"),
	TEXT("X-Forwarded-Host"),
	TEXT("X-Forwarded-Port"),
	TEXT("X-Forwarded-Proto"),
	TEXT("X-Real-Ip"),
	TEXT("X-Request-Id"),
	TEXT(""),
};
static const struct text public_values[] = {
	TEXT("*/*"),        TEXT("application/json"),
	TEXT("text/plain"), TEXT("charset"),
	TEXT("utf-8"),      TEXT("gzip"),
	TEXT("deflate"),    TEXT("br"),
	TEXT("zstd"),       TEXT("identity"),
	TEXT("chunked"),    TEXT("close"),
	TEXT("keep-alive"), TEXT("no-cache"),
	TEXT("no-store"),   TEXT("100-continue"),
	TEXT("http"),       TEXT("https"),
	TEXT("q"),          TEXT("0.5"),
	TEXT("0.8"),        TEXT("0.9"),
	TEXT("trailers"),   TEXT(""),
};

/* Whether the text is one of these words, in any case. Most words have another length. */
static bool is_public(const struct text *words, const char *text, size_t length)
{
	for (const struct text *word = words; word->length > 0; word++)
		if (word->length == length && strncasecmp(word->text, text, length) == 0)
			return true;
	return false;
}

/* Notes a value whose fake begins in r->texts at `from`. */
static void note(struct redactor *r, unsigned place, struct text value, size_t from)
{
	redact_note(r, value, place, false, (struct text){ buffer_text(&r->texts) + from, r->texts.length - from });
}

/* Appends as it is what everybody may know. */
static void keep(struct redactor *r, unsigned place, struct text text)
{
	buffer_append(&r->texts, text.text, text.length);
	redact_note_kept(r, place, text.text, text.length);
}

/* A host name that nobody has (RFC 2606), the same for the same host in any case. */
static void make_host(struct faker *f, const char *host, size_t length, struct buffer *out)
{
	unsigned char b[HMAC_SIZE];
	char lower[256];
	if (length > sizeof lower)
		length = sizeof lower;
	for (size_t i = 0; i < length; i++)
		lower[i] = ascii_lower(host[i]);
	fake_bytes(f, DOMAIN_HOST, 0, lower, length, out, b);
	buffer_printf(out, "host-%02x%02x%02x%02x.example", b[0], b[1], b[2], b[3]);
}

static void append_host(struct redactor *r, struct text host)
{
	size_t from = r->texts.length;
	fake_cached(&r->faker, make_host, host.text, host.length, &r->texts);
	note(r, REDACT_HOST, host, from);
}

/* Ends the text that was appended to r->texts since the last one; its place is known once all are there. */
static size_t end_text(struct redactor *r)
{
	size_t length = r->texts.length - r->text_start;
	buffer_append_byte(&r->texts, '\0');
	r->text_start = r->texts.length;
	return length;
}

/* The host of 192.0.2.7:80, 192.0.2.7, [2001:db8::1]:80 or 2001:db8::1; *port: what follows it and its bracket. */
static struct text host_of(struct text remote, size_t *port)
{
	const char *text = remote.text, *colon = memchr(text, ':', remote.length);
	*port = remote.length;
	if (text[0] == '[') {
		const char *end = memchr(text, ']', remote.length);
		*port = end ? (size_t)(end + 1 - text) : remote.length;
		return (struct text){ text + 1, *port - (end ? 2 : 1) };
	}
	if (colon && !memchr(colon + 1, ':', (size_t)(text + remote.length - colon - 1)))
		*port = (size_t)(colon - text);
	return (struct text){ text, *port };
}

/* An address of a range for documentation (RFC 5737, and RFC 3849 for IPv6). */
static void make_remote(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	static const char *const ranges[] = { "192.0.2", "198.51.100", "203.0.113" };
	unsigned char b[HMAC_SIZE];
	size_t port;
	struct text host = host_of((struct text){ text, length }, &port);
	bool has_brackets = text[0] == '[';
	fake_bytes(f, DOMAIN_REMOTE, 0, host.text, host.length, out, b);
	if (memchr(host.text, ':', host.length))
		buffer_printf(out, "%s2001:db8::%02x%02x:%02x%02x:%02x%02x%s", has_brackets ? "[" : "", b[0], b[1],
		              b[2], b[3], b[4], b[5], has_brackets ? "]" : "");
	else
		buffer_printf(out, "%s.%u", ranges[b[0] % 3], 1 + b[1] % 254u);
	fake_bytes(f, DOMAIN_REMOTE, 0, text, length, out, b);
	if (port < length)
		buffer_printf(out, ":%u", 1024u + ((unsigned)b[0] << 8 | b[1]) % 64000u);
}

/* Returns the length of what was appended. */
static size_t append_remote(struct redactor *r, struct text remote)
{
	size_t from = r->texts.length, port;
	if (remote.length == 0)
		return end_text(r);
	fake_cached(&r->faker, make_remote, remote.text, remote.length, &r->texts);
	note(r, REDACT_REMOTE, host_of(remote, &port), from);
	note(r, REDACT_REMOTE, remote, from);
	return end_text(r);
}

/* Appends part of a target: decoded, made a fake, and encoded again. */
static void append_part(struct redactor *r, const char *text, size_t length, unsigned place)
{
	struct buffer *decoded = &r->segment;
	buffer_clear(decoded);
	buffer_clear(&r->fake);
	for (size_t i = 0; i < length; i++) {
		bool is_encoded =
		        text[i] == '%' && i + 2 < length && ascii_is_hex(text[i + 1]) && ascii_is_hex(text[i + 2]);
		buffer_append_byte(decoded,
		                   is_encoded ? (char)(ascii_hex_value(text[i + 1]) << 4 | ascii_hex_value(text[i + 2]))
		                              : text[i]);
		i += is_encoded ? 2 : 0;
	}
	size_t from = r->texts.length;
	LOCAL_BUFFER original = BUFFER_INIT;
	buffer_append(&original, buffer_text(decoded), decoded->length);
	/* Bytes that are not UTF-8 would be taken for characters of a wrong length. */
	for (size_t i = 0; i < decoded->length; i++)
		if (decoded->data[i] & 0x80)
			decoded->data[i] = 'x';
	fake_identifier(&r->faker, buffer_text(decoded), decoded->length, &r->fake);
	for (size_t i = 0; i < r->fake.length; i++)
		url_append_encoded(&r->texts, r->fake.data[i]);
	r->texts.failed |= decoded->failed || r->fake.failed || original.failed;
	note(r, place, (struct text){ buffer_text(&original), original.length }, from);
	if (original.length != length)
		note(r, place, (struct text){ text, length }, from);
}

/* The length up to the first of these characters. */
static size_t length_to(const char *text, size_t length, const char *stops)
{
	for (size_t i = 0; i < length; i++)
		for (const char *stop = stops; *stop; stop++)
			if (text[i] == *stop)
				return i;
	return length;
}

/* Parts between separators. */
static void append_parts(struct redactor *r, const char *text, size_t length, const char *separators, unsigned place)
{
	for (size_t i = 0; i < length;) {
		size_t part = length_to(text + i, length - i, separators);
		if (part > 0)
			append_part(r, text + i, part, place);
		i += part;
		if (i < length)
			buffer_append_byte(&r->texts, text[i++]);
	}
}

/* Appends a target in origin-form, or in absolute-form with a host. */
static void append_target(struct redactor *r, struct text target)
{
	if (target.length == 0)
		return;
	size_t scheme = http_scheme_length(target.text, target.length);
	const char *at = target.text + scheme, *end = target.text + target.length;
	buffer_append(&r->texts, target.text, scheme);
	if (scheme > 0) {
		size_t host = length_to(at, (size_t)(end - at), "/?#");
		append_host(r, (struct text){ at, host });
		at += host;
	}
	size_t path = length_to(at, (size_t)(end - at), "?#");
	append_parts(r, at, path, "/", REDACT_PATH);
	append_parts(r, at + path, (size_t)(end - at) - path, "?#&;=", REDACT_QUERY);
}

static bool is_public_value(struct text value)
{
	for (size_t i = 0; i < value.length;) {
		size_t part = length_to(value.text + i, value.length - i, " ,;=\"");
		if (part > 0 && !is_public(public_values, value.text + i, part))
			return false;
		i += part + 1;
	}
	return true;
}

/* Bytes outside ASCII that are not characters would be taken for some of a wrong length. */
static void append_bytes_as_text(struct redactor *r, struct text value, struct buffer *out)
{
	buffer_clear(&r->segment);
	for (size_t i = 0; i < value.length; i++)
		buffer_append_byte(&r->segment, value.text[i] & 0x80 ? 'x' : value.text[i]);
	fake_text(&r->faker, buffer_text(&r->segment), r->segment.length, out);
	out->failed |= r->segment.failed;
}

/* Its name may be public, or not. */
static void append_value(struct redactor *r, const struct header *h, bool is_public_name, const struct message *in)
{
	struct text value = h->value;
	if (value.length == 0)
		return;
	uint64_t said;
	size_t from = r->texts.length, type_length = 0;
	if (header_is(h, "Content-Length") && count_read(value.text, SIZE_MAX, &said) && said == in->body.length) {
		buffer_printf(&r->texts, "%zu", r->body.length);
		redact_note_kept(r, REDACT_HEADER_VALUE, buffer_text(&r->texts) + from, r->texts.length - from);
		return;
	}
	if (header_is(h, "Host")) {
		append_host(r, value);
		return;
	}
	if (is_public_name && is_public_value(value)) {
		keep(r, REDACT_HEADER_VALUE, value);
		return;
	}
	/* Parameters do not matter to a checker, but whether it is JSON does. */
	if (header_is(h, "Content-Type"))
		type_length = length_to(value.text, value.length, " \t;");
	if (http_is_word(value.text, type_length, "application/json"))
		keep(r, REDACT_HEADER_VALUE, (struct text){ value.text, type_length });
	else
		append_bytes_as_text(r, value, &r->texts);
	note(r, REDACT_HEADER_VALUE, value, from);
}

/* Appends a word. True: it is one of these, and stays. */
static bool append_word(struct redactor *r, const struct text *words, struct text word)
{
	size_t from = r->texts.length;
	if (is_public(words, word.text, word.length)) {
		keep(r, REDACT_PLACES, word);
		return true;
	}
	append_bytes_as_text(r, word, &r->texts);
	note(r, REDACT_HEADER_NAME, word, from);
	return false;
}

/* A cut between characters leaves up to three bytes less. */
#define CUT_LESS 3

int redact_response(struct redactor *r, size_t most, struct text *type, struct text *text, struct error *err)
{
	buffer_clear(&r->response);
	size_t type_length = 0, text_length = 0;
	if (type->text && is_public_value(*type)) {
		buffer_append(&r->response, type->text, type->length);
		redact_note_kept(r, REDACT_RESPONSE, type->text, type->length);
	} else if (type->text) {
		append_bytes_as_text(r, *type, &r->response);
		redact_note(r, *type, REDACT_RESPONSE, false,
		            (struct text){ buffer_text(&r->response), r->response.length });
	}
	type_length = r->response.length;
	buffer_append_byte(&r->response, '\0');
	size_t from = r->response.length;
	if (text->text) {
		append_bytes_as_text(r, *text, &r->response);
		text_length = r->response.length - from;
		if (text->length + CUT_LESS >= most)
			proof_add_split(&r->proof, *text, REDACT_RESPONSE);
		redact_note(r, *text, REDACT_RESPONSE, false,
		            (struct text){ buffer_text(&r->response) + from, text_length });
	}
	buffer_append_byte(&r->response, '\0');
	if (r->response.failed)
		return error_no_memory(err);
	if (type->text)
		*type = (struct text){ buffer_text(&r->response), type_length };
	if (text->text)
		*text = (struct text){ buffer_text(&r->response) + from, text_length };
	return 0;
}

static const char *place_text(struct text *text, const char *at)
{
	text->text = at;
	return at + text->length + 1;
}

int redact_message(struct redactor *r, const struct message *in, struct message *out, struct text *remote,
                   struct text *via, enum redact_withheld *withheld, struct error *err)
{
	*out = (struct message){ .header_count = in->header_count };
	buffer_clear(&r->body);
	buffer_clear(&r->texts);
	r->text_start = 0;
	proof_begin(&r->proof);
	if (!ARRAY_ROOM(r->headers, r->header_capacity, in->header_count + 1))
		return error_no_memory(err);
	*withheld = REDACT_NOT_WITHHELD; /* of an empty body there is nothing to withhold */
	if (in->body.length > 0 && redact_payload(r, in->body.text, in->body.length, &r->body, withheld, err) < 0)
		return -1;
	if (*withheld != REDACT_NOT_WITHHELD)
		redact_note(r, in->body, REDACT_UNLISTED_VALUE, false, text_of(""));
	remote->length = append_remote(r, *remote);
	if (via->text)
		via->length = append_remote(r, *via);
	append_word(r, public_methods, in->method);
	out->method.length = end_text(r);
	append_target(r, in->target);
	out->target.length = end_text(r);
	for (size_t i = 0; i < in->header_count; i++) {
		bool is_public_name = append_word(r, public_headers, in->headers[i].name);
		r->headers[i].name.length = end_text(r);
		append_value(r, &in->headers[i], is_public_name, in);
		r->headers[i].value.length = end_text(r);
	}
	if (r->texts.failed)
		return error_no_memory(err);
	/* The texts in the order in which they were appended. */
	const char *at = place_text(remote, buffer_text(&r->texts));
	at = via->text ? place_text(via, at) : at;
	at = place_text(&out->method, at);
	at = place_text(&out->target, at);
	for (size_t i = 0; i < out->header_count; i++) {
		at = place_text(&r->headers[i].name, at);
		at = place_text(&r->headers[i].value, at);
	}
	out->headers = r->headers;
	out->body = (struct text){ buffer_text(&r->body), r->body.length };
	return 0;
}
