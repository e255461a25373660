/*
 * Any edit of any document. The input is three lines: a pointer, a value, and the document (the rest, which may hold
 * more). After a set the text reads again, its pointer leads to the value, and nothing else changed; after an unset it
 * leads nowhere.
 */
#include "../fuzz.h"
#include "json/pointer.h"
#include "json/splice.h"

/* How many bytes the two texts share, at their beginnings and at their ends. */
static size_t shared(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t shorter = a_length < b_length ? a_length : b_length, prefix = 0, suffix = 0;
	while (prefix < shorter && a[prefix] == b[prefix])
		prefix++;
	while (suffix < shorter - prefix && a[a_length - 1 - suffix] == b[b_length - 1 - suffix])
		suffix++;
	return prefix + suffix;
}

/* The pointer of what was set: '-' at the end of an array has become an index. */
static uint32_t resolve_last(const struct json_doc *doc, const char *pointer)
{
	uint32_t at = 0;
	while (*pointer) {
		size_t length = 1 + strcspn(pointer + 1, "/");
		char *part = strndup(pointer, length);
		struct json_doc inner;
		struct json_fault fault;
		const struct json_token *t = &doc->tokens[at];
		require(part);
		inner = JSON_DOC_INIT;
		require(json_read(&inner, doc->text + t->start, t->end - t->start, &fault));
		if (t->type == JSON_ARRAY && strcmp(part, "/-") == 0) {
			uint32_t last = JSON_NONE;
			for (uint32_t i = 0, e; (e = json_element(doc, at, i)) != JSON_NONE; i++)
				last = e;
			at = last;
		} else {
			uint32_t found = json_resolve(&inner, part);
			at = found == JSON_NONE ? JSON_NONE : at + found;
		}
		json_doc_release(&inner);
		free(part);
		if (at == JSON_NONE)
			break;
		pointer += length;
	}
	return at;
}

static void check_set(const struct json_doc *doc, const char *pointer, const struct json_doc *value)
{
	struct buffer out = BUFFER_INIT;
	struct error err = { .code = EXIT_CODE_OK };
	struct json_doc again;
	struct json_fault fault;
	uint32_t replaced = json_resolve(doc, pointer);
	again = JSON_DOC_INIT;
	if (json_splice_set(doc, pointer, value->text, value->length, &out, &err) == 0) {
		require(json_read(&again, buffer_text(&out), out.length, &fault));
		uint32_t there = resolve_last(&again, pointer);
		require(there != JSON_NONE);
		const struct json_token *t = &again.tokens[there], *v = &value->tokens[0];
		require(t->end - t->start == v->end - v->start);
		require(memcmp(again.text + t->start, value->text + v->start, t->end - t->start) == 0);
		size_t kept = doc->length;
		if (replaced != JSON_NONE)
			kept -= doc->tokens[replaced].end - doc->tokens[replaced].start;
		require(shared(doc->text, doc->length, out.data, out.length) >= kept);
	} else {
		require(err.code == EXIT_CODE_USAGE);
	}
	json_doc_release(&again);
	buffer_release(&out);
}

static void check_unset(const struct json_doc *doc, const char *pointer)
{
	struct buffer out = BUFFER_INIT;
	struct error err = { .code = EXIT_CODE_OK };
	struct json_doc again;
	struct json_fault fault;
	bool removed = json_resolve(doc, pointer) != JSON_NONE;
	again = JSON_DOC_INIT;
	if (json_splice_unset(doc, pointer, &out, &err) == 0) {
		require(json_read(&again, buffer_text(&out), out.length, &fault));
		require(removed ? out.length < doc->length : out.length == doc->length);
		require(removed ? again.count < doc->count : memcmp(out.data, doc->text, doc->length) == 0);
		const char *last = strrchr(pointer, '/');
		char *around = strndup(pointer, (size_t)(last - pointer));
		require(around);
		uint32_t container = json_resolve(&again, around);
		if (removed && again.tokens[container].type == JSON_OBJECT)
			require(json_resolve(&again, pointer) == JSON_NONE);
		free(around);
	} else {
		require(err.code == EXIT_CODE_USAGE && out.length == 0);
	}
	json_doc_release(&again);
	buffer_release(&out);
}

/* Cuts the first line off *text, without its end; NULL where there is none. */
static char *take_line(const char **text, size_t *length)
{
	const char *end = *length > 0 ? memchr(*text, '\n', *length) : NULL;
	if (!end)
		return NULL;
	char *line = strndup(*text, (size_t)(end - *text));
	*length -= (size_t)(end + 1 - *text);
	*text = end + 1;
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct json_doc doc, value_doc;
	struct json_fault fault;
	char *pointer = take_line(&text, &size), *value = take_line(&text, &size);
	doc = JSON_DOC_INIT;
	value_doc = JSON_DOC_INIT;
	if (pointer && value && json_read(&doc, text, size, &fault)) {
		if (json_read(&value_doc, value, strlen(value), &fault))
			check_set(&doc, pointer, &value_doc);
		check_unset(&doc, pointer);
	}
	json_doc_release(&doc);
	json_doc_release(&value_doc);
	free(pointer);
	free(value);
	return 0;
}
