#include "capture/entry.h"

#include "base/find.h"
#include "base/text.h"
#include "http/head.h"
#include "json/unwrap.h"

#include <string.h>

struct text entry_text(struct entry *e, uint32_t token)
{
	return capture_scratch_text(e->scratch, token);
}

struct text entry_member(struct entry *e, uint32_t object, const char *key)
{
	return entry_text(e, entry_find(e, object, key));
}

uint32_t entry_find(const struct entry *e, uint32_t object, const char *key)
{
	return json_member(e->doc, object, key, strlen(key));
}

void entry_header(struct entry *e, struct text name, struct text value)
{
	capture_scratch_header(e->scratch, e->request, name, value);
}

bool entry_body(struct entry *e, uint32_t token, bool is_base64)
{
	struct capture_record *record = e->record;
	if (!json_is(e->doc, token, JSON_STRING))
		return entry_fail(e, "its body is not a string");
	record->body_token = token;
	record->body_base64 = is_base64;
	if (!is_base64)
		record->request.body = entry_text(e, token);
	else if (!capture_scratch_base64(e->scratch, token, &record->request.body))
		return entry_fail(e, "its body is not base64");
	return true;
}

/* Checks the target and the headers. */
static bool check_head(struct entry *e)
{
	const struct text *target = &e->request->target;
	for (size_t i = 0; i < target->length; i++)
		if ((unsigned char)target->text[i] <= ' ' || target->text[i] == 0x7F)
			return entry_fail(e, "its URL contains a space or a control character");
	if (target->length == 0)
		return entry_fail(e, "it has no URL");
	for (size_t i = 0; i < e->request->header_count; i++) {
		const struct header *h = &e->request->headers[i];
		if (!h->name.text || !h->value.text || !http_is_token(h->name.text, h->name.length) ||
		    !http_is_value(h->value.text, h->value.length))
			return entry_fail(e, "its header %zu is not a valid HTTP header", i + 1);
	}
	return true;
}

/* Bytes that were not UTF-8 are U+FFFD in a file of JSON; then only the right length shows that the character was
 * there before. */
static bool check_length(struct entry *e)
{
	static const char replacement[] = "\xEF\xBF\xBD";
	const struct text *header = message_header(e->request, "Content-Length"), *body = &e->request->body;
	uint64_t said = e->body_size;
	if (header && !count_read(header->text, INT64_MAX, &said))
		return entry_fail(e, "its Content-Length is not a number");
	if (body->length == said || body->length == e->body_size)
		return true;
	if (!e->record->body_base64 && find_text(body->text, body->length, replacement, sizeof replacement - 1))
		return entry_fail(e, "its body has lost the bytes that are not UTF-8");
	return said == ENTRY_SIZE_UNKNOWN || entry_fail(e, "its body has %zu bytes, %s than were captured",
	                                                body->length, said > body->length ? "fewer" : "more");
}

/* Whether the request may be a notification by its head. */
static bool is_candidate(struct entry *e)
{
	if (!message_method_is(e->request, "POST"))
		return false;
	if (!message_header(e->request, "Content-Type") && e->type.length > 0)
		entry_header(e, text_of("Content-Type"), e->type);
	const struct text *type = message_header(e->request, "Content-Type");
	if (!type || !type->text)
		return true;
	/* application/json, text/json or anything +json, with or without parameters. */
	size_t length = strcspn(type->text, "; \t");
	return http_is_word(type->text, length, "application/json") || http_is_word(type->text, length, "text/json") ||
	       (length > strlen("+json") && text_ends_with(type->text, length, "+json"));
}

/* Removes the headers of a coding that the exporter has decoded. */
static void remove_coding(struct entry *e)
{
	struct header *headers = e->scratch->headers;
	size_t kept = 0;
	for (size_t i = 0; i < e->request->header_count; i++)
		if (!header_is(&headers[i], "Content-Encoding") && !header_is(&headers[i], "Content-Length"))
			headers[kept++] = headers[i];
	e->request->header_count = kept;
}

/* Whether a body that is not JSON may be meant for a notification: it names a key of one, in UTF-16 or percent-encoded,
 * too; or nobody can see that before it is unpacked. */
static bool is_meant_text(struct text body)
{
	static const char *const keys[] = { "\"service\"", "\"details\"", "%22service%22", "%22details%22" };
	LOCAL_BUFFER plain = BUFFER_INIT;
	bool is_wide = body.length >= 2 && memchr(body.text, '\0', body.length < 4 ? body.length : 4);
	for (size_t i = 0; i < body.length && is_wide; i++)
		if (body.text[i] != '\0')
			buffer_append_byte(&plain, body.text[i]);
	if (is_wide)
		body = (struct text){ buffer_text(&plain), plain.length };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (find_text(body.text, body.length, keys[i], strlen(keys[i])))
			return true;
	return body.length >= 2 && memcmp(body.text, "\x1F\x8B", 2) == 0;
}

bool entry_finish(struct entry *e)
{
	struct text *body = &e->request->body;
	if (e->scratch->bytes.failed || (e->is_bad && !e->request->method.text))
		return true;
	if (!is_candidate(e))
		return e->is_bad = false;
	if (e->is_bad)
		return true;
	if (e->body_is_missing && e->body_is_elsewhere) {
		entry_fail(e, "its body is in another file, as are those of other entries");
		error_hint(e->problem, "record it with content: 'embed', as Playwright calls it");
		return true;
	}
	if (e->body_is_missing)
		return entry_fail(e, "its body is not in the file: the exporter left it out");
	if (!body->text)
		*body = (struct text)TEXT("");
	if (body->length > e->limit)
		return entry_fail(e, "the payload is longer than %zu bytes", e->limit);
	bool is_readable = json_read(e->body_doc, body->text, body->length, NULL);
	const struct text *coding = message_header(e->request, "Content-Encoding");
	bool is_coded = coding && coding->text && !http_is_word(coding->text, coding->length, "identity");
	/* One that stands deeper in it was wrapped, or encoded twice. */
	bool is_meant = !is_readable ? is_meant_text(*body)
	                             : entry_is_notification(e->body_doc, 0) ||
	                                       (json_names_key(e->body_doc, entry_notification_names[0]) &&
	                                        json_names_key(e->body_doc, entry_notification_names[1]));
	if (!coding && !is_meant)
		return false;
	if (!check_head(e))
		return true;
	if (is_coded && is_readable)
		remove_coding(e);
	else
		check_length(e);
	return true;
}

const char *const entry_notification_names[2] = { "service", "details" };

bool entry_is_notification(const struct json_doc *doc, uint32_t token)
{
	return json_member(doc, token, "service", 7) != JSON_NONE || json_member(doc, token, "details", 7) != JSON_NONE;
}
