#include "capture/entry_draft.h"

#include "base/text.h"
#include "http/head.h"

#include <string.h>
#include <strings.h>

/* Decoded texts of an entry take at most this many times its length: a percent-encoded query three times its own, and
 * a URL or a type is read twice. */
#define TEXTS_FACTOR 4
#define TEXTS_EXTRA  1024

bool entry_draft_is_bad(struct entry_draft *d, int failed)
{
	d->entry->kind = ENTRY_BAD;
	return failed == 0;
}

void entry_draft_begin(struct entry_draft *d)
{
	size_t length = d->entry->length;
	d->entry->kind = ENTRY_NOTIFICATION;
	d->entry->record = (struct capture_record){ .body_token = JSON_NONE };
	d->entry->compressed = false;
	d->body_size = ENTRY_SIZE_UNKNOWN;
	capture_scratch_begin(d->scratch, length > SIZE_MAX / 8 ? SIZE_MAX : TEXTS_FACTOR * length + TEXTS_EXTRA);
}

struct text entry_draft_text(struct entry_draft *d, uint32_t token)
{
	return capture_scratch_text(d->scratch, &d->scratch->doc, token);
}

struct text entry_draft_member(struct entry_draft *d, uint32_t object, const char *key)
{
	return entry_draft_text(d, entry_draft_find(d, object, key));
}

uint32_t entry_draft_find(const struct entry_draft *d, uint32_t object, const char *key)
{
	return json_member(&d->scratch->doc, object, key, strlen(key));
}

bool entry_draft_is(const struct entry_draft *d, uint32_t token, enum json_token_type type)
{
	return token != JSON_NONE && d->scratch->doc.tokens[token].type == type;
}

void entry_draft_header(struct entry_draft *d, struct text name, struct text value)
{
	capture_scratch_header(d->scratch, &d->entry->record.request, name, value);
}

static struct text copied(struct entry_draft *d, const char *text, size_t length)
{
	size_t start = d->scratch->bytes.length;
	buffer_append(&d->scratch->bytes, text, length);
	return capture_scratch_since(d->scratch, start);
}

static const char *first_of(const char *text, size_t length, const char *set)
{
	for (const char *at = text; at < text + length; at++)
		if (*at != '\0' && strchr(set, *at))
			return at;
	return text + length;
}

/* Whether the URL's host is that of the request, which has it from the URL where no header says it. */
static bool is_at_host(struct entry_draft *d, const char *authority, size_t length)
{
	static const struct text name = { "Host", 4 };
	const struct text *host = message_header(&d->entry->record.request, "Host");
	if (host)
		return host->length == length && strncasecmp(host->text, authority, length) == 0;
	if (length > 0)
		entry_draft_header(d, name, copied(d, authority, length));
	return true;
}

void entry_draft_url(struct entry_draft *d, struct text url)
{
	struct buffer *bytes = &d->scratch->bytes;
	if (!url.text)
		return;
	const char *end = first_of(url.text, url.length, "#"), *target = url.text;
	const char *scheme = memmem(url.text, (size_t)(end - url.text), "://", 3), *authority = NULL;
	if (scheme && url.text[0] != '/') {
		authority = scheme + 3;
		target = first_of(authority, (size_t)(end - authority), "/?");
		for (const char *at; (at = memchr(authority, '@', (size_t)(target - authority))) != NULL;)
			authority = at + 1; /* not the password */
	}
	bool is_whole = authority && !is_at_host(d, authority, (size_t)(target - authority));
	size_t start = bytes->length;
	if (is_whole) {
		buffer_append(bytes, url.text, (size_t)(scheme + 3 - url.text));
		buffer_append(bytes, authority, (size_t)(target - authority));
	}
	if (target == end || *target != '/')
		buffer_append_byte(bytes, '/');
	buffer_append(bytes, target, (size_t)(end - target));
	d->entry->record.request.target = capture_scratch_since(d->scratch, start);
}

bool entry_draft_body(struct entry_draft *d, uint32_t token, bool is_base64)
{
	struct capture_record *record = &d->entry->record;
	if (!entry_draft_is(d, token, JSON_STRING))
		return entry_draft_fail(d, "its body is not a string");
	record->body_token = token;
	record->body_base64 = is_base64;
	if (!is_base64)
		record->request.body = entry_draft_text(d, token);
	else if (!capture_scratch_base64(d->scratch, &d->scratch->doc, token, &record->request.body))
		return entry_draft_fail(d, "its body is not base64");
	return true;
}

/* Removes the headers of that name. */
static void remove_header(struct entry_draft *d, const char *name)
{
	struct header *headers = d->scratch->headers;
	size_t kept = 0;
	for (size_t i = 0; i < d->entry->record.request.header_count; i++)
		if (!http_is_word(headers[i].name.text, headers[i].name.length, name))
			headers[kept++] = headers[i];
	d->entry->record.request.header_count = kept;
}

static bool check_headers(struct entry_draft *d)
{
	const struct capture_record *record = &d->entry->record;
	for (size_t i = 0; i < record->request.header_count; i++) {
		const struct header *h = &record->request.headers[i];
		if (!h->name.text || !h->value.text || !http_is_token(h->name.text, h->name.length) ||
		    !http_is_value(h->value.text, h->value.length))
			return entry_draft_fail(d, "its header %zu is not one of HTTP", i + 1);
	}
	return true;
}

static bool check_target(struct entry_draft *d)
{
	const struct text *target = &d->entry->record.request.target;
	for (size_t i = 0; i < target->length; i++)
		if ((unsigned char)target->text[i] <= ' ' || target->text[i] == 0x7F)
			return entry_draft_fail(d, "its URL has a blank or a control character");
	return target->length > 0 || entry_draft_fail(d, "it has no URL");
}

/* Bytes that were not UTF-8 are U+FFFD in a file of JSON; then only the right length shows that the character was
 * there before. */
static bool check_length(struct entry_draft *d)
{
	static const char replacement[] = "\xEF\xBF\xBD";
	const struct capture_record *record = &d->entry->record;
	const struct text *header = message_header(&record->request, "Content-Length");
	int64_t length = (int64_t)record->request.body.length;
	uint64_t said = (uint64_t)d->body_size;
	if (header && !count_read(header->text, INT64_MAX, &said))
		return entry_draft_fail(d, "its Content-Length is not a number");
	if (length == (int64_t)said || length == d->body_size)
		return true;
	if (!record->body_base64 &&
	    memmem(record->request.body.text, record->request.body.length, replacement, sizeof replacement - 1))
		return entry_draft_fail(d, "its body has lost the bytes that are not UTF-8");
	return (int64_t)said == ENTRY_SIZE_UNKNOWN ||
	       entry_draft_fail(d, "its body has %lld bytes here, and had %s", (long long)length,
	                        (int64_t)said > length ? "more" : "fewer");
}

/* Whether the request may be a notification by its head. */
static bool is_candidate(struct entry_draft *d)
{
	static const struct text name = { "Content-Type", 12 };
	struct capture_record *record = &d->entry->record;
	if (!message_method_is(&record->request, "POST"))
		return false;
	const struct text *type = message_header(&record->request, "Content-Type");
	if (!type && d->type.text && d->type.length > 0) {
		entry_draft_header(d, name, d->type);
		type = &d->type;
	}
	if (!type || !type->text)
		return true;
	/* application/json, text/json or anything +json, with or without parameters. */
	static const char suffix[] = "+json";
	size_t length = (size_t)(first_of(type->text, type->length, "; \t") - type->text), end = sizeof suffix - 1;
	return http_is_word(type->text, length, "application/json") || http_is_word(type->text, length, "text/json") ||
	       (length > end && strncasecmp(type->text + length - end, suffix, end) == 0);
}

/* A body with a Content-Encoding is kept as it is, unless the exporter has decoded it. */
static bool check_coding(struct entry_draft *d, bool is_readable)
{
	const struct text *coding = message_header(&d->entry->record.request, "Content-Encoding");
	if (!coding || !coding->text || http_is_word(coding->text, coding->length, "identity"))
		return check_length(d);
	if (is_readable) {
		remove_header(d, "Content-Encoding");
		remove_header(d, "Content-Length");
		return true;
	}
	d->entry->compressed = true;
	return check_length(d);
}

/* Of a text that is not JSON: whether it names a key of a notification. */
static bool is_text_meant(const struct text *body)
{
	static const char service[] = "\"service\"", details[] = "\"details\"";
	return memmem(body->text, body->length, service, sizeof service - 1) ||
	       memmem(body->text, body->length, details, sizeof details - 1);
}

void entry_draft_finish(struct entry_draft *d)
{
	struct entry *entry = d->entry;
	struct json_fault fault;
	if (d->scratch->bytes.failed || (entry->kind == ENTRY_BAD && !entry->record.request.method.text))
		return;
	if (!is_candidate(d)) {
		entry->kind = ENTRY_OTHER;
		return;
	}
	if (entry->kind == ENTRY_BAD)
		return;
	if (d->body_is_missing) {
		entry_draft_fail(d, "its body is not in the file: the exporter left it out");
		return;
	}
	if (!entry->record.request.body.text)
		entry->record.request.body = copied(d, "", 0);
	if (entry->record.request.body.length > d->limit) {
		entry_draft_fail(d, "the payload is longer than %zu bytes", d->limit);
		return;
	}
	if (d->scratch->bytes.failed)
		return;
	const struct text *body = &entry->record.request.body;
	bool is_readable = json_read(d->body_doc, body->text, body->length, &fault);
	bool is_meant = is_readable ? entry_is_notification(d->body_doc, 0) : is_text_meant(body);
	if (!is_meant && !message_header(&entry->record.request, "Content-Encoding")) {
		entry->kind = ENTRY_OTHER;
		return;
	}
	if (check_target(d) && check_headers(d))
		check_coding(d, is_readable);
}

bool entry_is_notification(const struct json_doc *doc, uint32_t token)
{
	return json_member(doc, token, "service", 7) != JSON_NONE || json_member(doc, token, "details", 7) != JSON_NONE;
}
