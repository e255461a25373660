/*
 * Any bytes to the strict reader. What it refuses, it refuses at a place up to which the text could have gone on. What
 * it accepts has a table in order, is the same document to json-c, and so is what is printed of it.
 *
 * json-c is known to differ, and not asked, in: keys with a NUL (cut there), integers outside of 64 bits (clamped), and
 * -0 (the integer 0).
 */
#include "../fuzz.h"
#include "json/pointer.h"
#include "json/print.h"

#include <errno.h>
#include <json-c/json_object.h>
#include <json-c/json_tokener.h>

struct findings {
	const struct json_doc *doc;
	bool repeated;
	bool key_with_nul;
};

static void note_repeated(void *context, uint32_t key, uint32_t earlier)
{
	struct findings *findings = context;
	struct buffer name = BUFFER_INIT;
	json_string_decode(findings->doc, earlier, &name);
	require(key > earlier && json_string_is(findings->doc, key, buffer_text(&name), name.length));
	buffer_release(&name);
	findings->repeated = true;
}

/* What a container holds stands in order, inside its brackets, and in an object as keys and values by turns. */
static void check_container(struct findings *findings, uint32_t container)
{
	const struct json_token *tokens = findings->doc->tokens, *c = &tokens[container];
	bool in_object = c->type == JSON_OBJECT, key_due = in_object;
	uint32_t from = c->start + 1;
	require(findings->doc->text[c->start] == (in_object ? '{' : '['));
	require(findings->doc->text[c->end - 1] == (in_object ? '}' : ']'));
	require(json_repeated_keys(findings->doc, container, note_repeated, findings));
	for (uint32_t at = container + 1; at < c->next; at = tokens[at].next) {
		bool is_key = (tokens[at].flags & JSON_KEY) != 0;
		require(tokens[at].start >= from && tokens[at].start < tokens[at].end && tokens[at].end < c->end);
		require(tokens[at].next > at && tokens[at].next <= c->next);
		require(is_key == key_due && (!is_key || tokens[at].type == JSON_STRING));
		key_due = in_object && !is_key;
		from = tokens[at].end;
	}
}

static void check_table(struct findings *findings)
{
	const struct json_doc *doc = findings->doc;
	require(doc->count > 0 && doc->tokens[0].next == doc->count && doc->tokens[0].end <= doc->length);
	require(doc->count <= doc->capacity && doc->capacity * sizeof *doc->tokens <= 8 * doc->length + 1024);
	for (uint32_t i = 0; i < doc->count; i++) {
		const struct json_token *t = &doc->tokens[i];
		if (t->type >= JSON_ARRAY) {
			check_container(findings, i);
			continue;
		}
		require(t->next == i + 1);
		if (t->flags & JSON_KEY) {
			struct buffer key = BUFFER_INIT;
			json_string_decode(doc, i, &key);
			findings->key_with_nul |= strlen(buffer_text(&key)) < key.length;
			buffer_release(&key);
		}
	}
}

/* Where no key repeats, every value's pointer leads back to it. */
static void check_pointers(const struct findings *findings)
{
	struct json_pointer_walk walk;
	if (findings->repeated || findings->key_with_nul)
		return;
	json_pointer_walk_init(&walk, findings->doc);
	for (uint32_t i = 0; i < findings->doc->count && i < 100; i++) {
		struct buffer pointer = BUFFER_INIT;
		require(json_pointer_walk_append(&walk, i, SIZE_MAX, &pointer));
		bool is_key = (findings->doc->tokens[i].flags & JSON_KEY) != 0;
		require(json_resolve(findings->doc, buffer_text(&pointer)) == i + is_key);
		buffer_release(&pointer);
	}
}

static void check_number(const struct json_doc *doc, const struct json_token *t, struct json_object *value)
{
	struct buffer text = BUFFER_INIT;
	buffer_append(&text, doc->text + t->start, t->end - t->start);
	if (t->flags & (JSON_FRACTION | JSON_EXPONENT)) {
		double expected = strtod(text.data, NULL), got = json_object_get_double(value);
		require(json_object_is_type(value, json_type_double));
		require(memcmp(&expected, &got, sizeof got) == 0);
	} else if (strcmp(text.data, "-0") != 0) {
		errno = 0;
		long long expected = strtoll(text.data, NULL, 10);
		require(errno != 0 || json_object_is_type(value, json_type_int));
		require(errno != 0 || json_object_get_int64(value) == expected);
	}
	buffer_release(&text);
}

static void check_same(const struct json_doc *doc, uint32_t token, struct json_object *value);

static void check_same_members(const struct json_doc *doc, uint32_t container, struct json_object *value)
{
	const struct json_token *tokens = doc->tokens;
	size_t count = 0;
	require(json_object_is_type(value, json_type_object));
	for (uint32_t key = container + 1; key < tokens[container].next; key = tokens[key + 1].next) {
		struct buffer name = BUFFER_INIT;
		json_string_decode(doc, key, &name);
		/* Only the last of repeated ones is still there. */
		if (json_member(doc, container, buffer_text(&name), name.length) == key + 1) {
			struct json_object *member;
			require(json_object_object_get_ex(value, buffer_text(&name), &member));
			check_same(doc, key + 1, member);
			count++;
		}
		buffer_release(&name);
	}
	require((size_t)json_object_object_length(value) == count);
}

static void check_same(const struct json_doc *doc, uint32_t token, struct json_object *value)
{
	const struct json_token *t = &doc->tokens[token];
	struct buffer text = BUFFER_INIT;
	size_t index = 0;
	switch ((enum json_token_type)t->type) {
	case JSON_NULL:
		require(value == NULL);
		break;
	case JSON_FALSE:
	case JSON_TRUE:
		require(json_object_is_type(value, json_type_boolean));
		require(json_object_get_boolean(value) == (t->type == JSON_TRUE));
		break;
	case JSON_NUMBER:
		check_number(doc, t, value);
		break;
	case JSON_STRING:
		json_string_decode(doc, token, &text);
		require(json_object_is_type(value, json_type_string));
		require((size_t)json_object_get_string_len(value) == text.length);
		require(memcmp(json_object_get_string(value), buffer_text(&text), text.length) == 0);
		break;
	case JSON_ARRAY:
		require(json_object_is_type(value, json_type_array));
		for (uint32_t at = token + 1; at < t->next; at = doc->tokens[at].next)
			check_same(doc, at, json_object_array_get_idx(value, index++));
		require(json_object_array_length(value) == index);
		break;
	case JSON_OBJECT:
		check_same_members(doc, token, value);
		break;
	}
	buffer_release(&text);
}

/* json-c parses the same text by itself (with the NUL behind it, which tells it that a number has ended). */
static void check_against_json_c(const struct json_doc *doc)
{
	char *text = malloc(doc->length + 1);
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
	require(text && tokener);
	memcpy(text, doc->text, doc->length);
	text[doc->length] = '\0';
	struct json_object *value = json_tokener_parse_ex(tokener, text, (int)doc->length + 1);
	require(json_tokener_get_error(tokener) == json_tokener_success);
	check_same(doc, 0, value);
	json_object_put(value);
	json_tokener_free(tokener);
	free(text);
}

/* What is printed is the same document, and printed again the same text. */
static void check_printed(const struct json_doc *doc)
{
	struct json_doc again;
	struct json_fault fault;
	struct buffer text = BUFFER_INIT, second = BUFFER_INIT;
	again = JSON_DOC_INIT;
	for (enum json_style style = JSON_COMPACT; style <= JSON_ESCAPED_STRINGS; style++) {
		buffer_clear(&text);
		buffer_clear(&second);
		json_print(doc, 0, style, &text);
		require(json_read(&again, text.data, text.length, &fault) && again.count == doc->count);
		check_against_json_c(&again);
		json_print(&again, 0, style, &second);
		require(text.length == second.length);
		require(style == JSON_REVERSED || memcmp(text.data, second.data, text.length) == 0);
	}
	json_doc_release(&again);
	buffer_release(&text);
	buffer_release(&second);
}

/* Up to its fault a text is a document, or the beginning of one: nothing before the fault is at fault. */
static void check_fault(const char *text, size_t length, const struct json_fault *fault)
{
	struct json_doc doc;
	struct json_fault earlier;
	require(fault->offset <= length && fault->reason && !json_fault_is_memory(fault));
	char *beginning = malloc(fault->offset > 0 ? fault->offset : 1);
	require(beginning);
	if (fault->offset > 0)
		memcpy(beginning, text, fault->offset);
	doc = JSON_DOC_INIT;
	require(json_read(&doc, beginning, fault->offset, &earlier) || earlier.offset == fault->offset);
	json_doc_release(&doc);
	free(beginning);
}

static void check_place(const char *text, size_t length, size_t offset)
{
	struct json_place place = json_place_of(text, length, offset);
	require(place.line >= 1 && place.column >= 1 && place.line + place.column <= offset + 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct json_doc doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	if (json_read(&doc, text, size, &fault)) {
		struct findings findings = { .doc = &doc };
		check_table(&findings);
		check_pointers(&findings);
		check_place(text, size, doc.tokens[doc.count - 1].end);
		if (!findings.key_with_nul) {
			check_against_json_c(&doc);
			check_printed(&doc);
		}
	} else {
		require(doc.count == 0);
		check_fault(text, size, &fault);
		check_place(text, size, fault.offset);
	}
	json_doc_release(&doc);
	return 0;
}
