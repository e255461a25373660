#include "capture/recorded.h"

#include "base/find.h"
#include "base/text.h"

#include <ctype.h>
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

static const char *object_format(const struct json_doc *doc, uint32_t object)
{
	const struct json_token *tokens = doc->tokens;
	unsigned has = 0;
	for (uint32_t key = object + 1; key < tokens[object].next; key = tokens[key + 1].next)
		for (int n = 0; n < RECORDED_NAMES; n++)
			if (json_string_is(doc, key, recorded_names[n], strlen(recorded_names[n])))
				has |= NAME(n);
	for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
		if ((has & recorded[i].names) == recorded[i].names)
			return recorded[i].format;
	return NULL;
}

/* Whether a name stands in a text as a key: of JSON, however often it is escaped, of YAML, a column or an element. */
static bool has_key(const char *text, size_t length, const char *name)
{
	static const char ends[] = { '"', '\'', '\\', ':', ',', '>' };
	size_t size = strlen(name);
	const char *end = text + length;
	for (const char *at = text; (at = find_text(at, (size_t)(end - at), name, size)) != NULL; at += size) {
		bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
		if (begins && at + size < end && memchr(ends, at[size], sizeof ends))
			return true;
	}
	return false;
}

const char *recorded_words(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
		int n = 0;
		while (n < RECORDED_NAMES &&
		       (!(recorded[i].names & NAME(n)) || has_key(text, length, recorded_names[n])))
			n++;
		if (n == RECORDED_NAMES)
			return RECORDS_AMONG;
	}
	return NULL;
}

/* Whether there may be a key in a string, which needs quotes: most have none, and are not decoded. */
static bool may_hold_key(const struct json_doc *doc, uint32_t string)
{
	const struct json_token *t = &doc->tokens[string];
	const char *text = doc->text + t->start;
	size_t length = t->end - t->start;
	return t->flags & JSON_ESCAPED &&
	       (find_text(text, length, "\\\"", 2) != NULL || find_text(text, length, "\\u0022", 6) != NULL);
}

/* The row of a recorded request in a document, or NULL. What may have one of its strings is appended to `inside`, with
 * a NUL behind each. */
static const char *document_format(const struct json_doc *doc, struct buffer *inside)
{
	const char *found = NULL;
	for (uint32_t at = 0; at < doc->count && !found; at++) {
		if (at % 4096 == 4095 && json_is_stopped(doc))
			return NULL;
		if (json_is(doc, at, JSON_OBJECT))
			found = object_format(doc, at);
		if (!json_is(doc, at, JSON_STRING) || !may_hold_key(doc, at))
			continue;
		LOCAL_BUFFER decoded = BUFFER_FOR(inside);
		struct text text = json_string_text(doc, at, &decoded);
		for (size_t i = 0; i < text.length; i++)
			buffer_append_byte(inside, text.text[i] != '\0' ? text.text[i] : ' ');
		buffer_append_byte(inside, '\0');
	}
	return found;
}

const char *recorded_in(const struct json_doc *doc)
{
	LOCAL_BUFFER outer = BUFFER_INIT, inside = BUFFER_INIT;
	const char *found = document_format(doc, &inside);
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
			json_read_beginning(&inner, at, (size_t)(stop - at), &fault);
			found = document_format(&inner, &inside);
			if (!found && fault.reason)
				found = recorded_words(at, (size_t)(stop - at));
			lacks_memory |= inside.failed || json_fault_is_memory(&fault);
		}
	}
	return found || !lacks_memory ? found : RECORDS_INSIDE;
}
