#include "capture/recorded.h"

#include "base/find.h"
#include "base/text.h"
#include "json/scan.h"

#include <string.h>

/* Members by which an object is known to be a recorded request, also one that is cut off. */
enum recorded_name { RECEIVED_AT, V, HEADERS, METHOD, TARGET, STARTED, REQUEST, URL, HTTP, RECORDED_NAMES };
static const char *const recorded_names[RECORDED_NAMES] = {
	[RECEIVED_AT] = "received_at", [V] = "v",           [HEADERS] = "headers",
	[METHOD] = "method",           [TARGET] = "target", [STARTED] = "startedDateTime",
	[REQUEST] = "request",         [URL] = "url",       [HTTP] = "httpVersion",
};
#define NAME(name) (1u << (name))
static const struct {
	unsigned names;
	const char *format;
} recorded[] = {
	{ NAME(RECEIVED_AT) | NAME(HEADERS), RECORDS_INSIDE },
	{ NAME(RECEIVED_AT) | NAME(V), RECORDS_INSIDE },
	{ NAME(METHOD) | NAME(TARGET) | NAME(HEADERS), RECORDS_INSIDE },
	{ NAME(STARTED) | NAME(REQUEST), HAR_ENTRIES },
	{ NAME(METHOD) | NAME(URL) | NAME(HTTP), HAR_ENTRIES },
};

static const struct format *recorded_as(const struct json_doc *doc, uint32_t object)
{
	const struct json_token *tokens = doc->tokens;
	unsigned has = 0;
	for (uint32_t key = object + 1; key < tokens[object].next; key = tokens[key + 1].next)
		for (int n = 0; n < RECORDED_NAMES; n++)
			if (json_string_is(doc, key, recorded_names[n], strlen(recorded_names[n])))
				has |= NAME(n);
	for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
		if ((has & recorded[i].names) == recorded[i].names)
			return format_named(recorded[i].format);
	return NULL;
}

/* Whether an object, an array or a string may stand in a string, by its first byte: most have none, and are not
 * decoded.
 */
static bool may_hold_json(const struct json_doc *doc, uint32_t string)
{
	char first = doc->text[doc->tokens[string].start + 1];
	return first && strchr("{[\\ \t\r\n", first);
}

/* The row of a recorded request in a document, or NULL. What may be JSON in its strings is appended to `inside`, with a
 * NUL behind each. */
static const struct format *recorded_at(const struct json_doc *doc, struct buffer *inside)
{
	const struct format *found = NULL;
	for (uint32_t at = 0; at < doc->count && !found; at++) {
		if (at % 4096 == 4095 && json_is_stopped(doc))
			return NULL;
		if (json_is(doc, at, JSON_OBJECT))
			found = recorded_as(doc, at);
		if (!json_is(doc, at, JSON_STRING) || !may_hold_json(doc, at))
			continue;
		LOCAL_BUFFER decoded = BUFFER_FOR(inside);
		struct text text = json_string_text(doc, at, &decoded);
		const char *end = text.text + text.length, *first = json_skip_space(text.text, end);
		if (first == end || !strchr("{[\"", *first))
			continue;
		buffer_append(inside, first, (size_t)(end - first));
		buffer_append_byte(inside, '\0');
	}
	return found;
}

const struct format *recorded_in(const struct json_doc *doc)
{
	LOCAL_BUFFER outer = BUFFER_INIT, inside = BUFFER_INIT;
	const struct format *found = recorded_at(doc, &inside);
	bool lacks_memory = inside.failed;
	while (!found && inside.length > 0 && !json_is_stopped(doc)) {
		struct buffer emptied = outer;
		outer = inside;
		inside = emptied;
		buffer_clear(&inside);
		const char *at = outer.data, *end = at + outer.length;
		for (const char *stop; at < end && !found; at = stop + 1) {
			LOCAL(json_doc_release) struct json_doc inner = JSON_DOC_INIT;
			struct json_fault fault;
			stop = memchr(at, '\0', (size_t)(end - at));
			stop = stop ? stop : end; /* without memory */
			inner.stop = doc->stop;
			bool is_cut = !json_read_beginning(&inner, at, (size_t)(stop - at), &fault);
			found = recorded_at(&inner, &inside);
			lacks_memory |= inside.failed || (is_cut && json_fault_is_memory(&fault));
		}
	}
	return found || !lacks_memory ? found : format_named(RECORDS_INSIDE);
}
