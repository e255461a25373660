#include "payload/variants.h"

#include "base/utf8.h"
#include "json/located.h"
#include "payload/build.h"
#include "payload/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_LENGTH 8

static const char *const form_names[] = {
	[VARIANT_KEY_ORDER] = "key-order",
	[VARIANT_WHITESPACE] = "whitespace",
	[VARIANT_ESCAPES] = "escapes",
};
#define FORMS (sizeof form_names / sizeof form_names[0] - 1)

/* Counts the values of the members, and fills in the one of that index. Returns the count. */
static size_t walk_values(const struct catalog_member *members, size_t count, const char *parent, size_t index,
                          struct variant *found)
{
	size_t walked = 0;
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		const struct catalog_others *others = catalog_others_of(&members[i]);
		char pointer[VARIANT_POINTER_SIZE];
		/* The rows' names fit, as their test says. */
		snprintf(pointer, sizeof pointer, "%s/%.40s", parent, field->name);
		for (size_t v = 0; others && v < others->count; v++, walked++) {
			if (walked != index)
				continue;
			*found = (struct variant){ .member = &members[i], .other = &others->values[v] };
			snprintf(found->name, sizeof found->name, "%s=%s", field->name, found->other->name);
			memcpy(found->pointer, pointer, sizeof pointer);
		}
		walked += walk_values(field->members, field->member_count, pointer, index - walked, found);
	}
	return walked;
}

static size_t walk(struct catalog_kind kind, size_t index, struct variant *found)
{
	return walk_values(kind.event->details, kind.event->detail_count, "/details", index, found);
}

size_t variant_count(struct catalog_kind kind)
{
	struct variant unused;
	return walk(kind, SIZE_MAX, &unused) + FORMS;
}

void variant_at(struct catalog_kind kind, size_t index, struct variant *variant)
{
	size_t values = walk(kind, index, variant);
	if (index < values)
		return;
	*variant = (struct variant){ .form = (enum variant_form)(VARIANT_VALUE + 1 + index - values) };
	snprintf(variant->name, sizeof variant->name, "%s", form_names[variant->form]);
}

/* A text with other spelling. */
struct spelling {
	const struct json_doc *doc;
	struct buffer *out;
	enum variant_form form;
};

static void append_escape(struct buffer *out, uint32_t unit)
{
	buffer_printf(out, "\\u%04x", (unsigned)unit);
}

/* Each character, those past U+FFFF as a pair of surrogates (RFC 8259, section 7). */
static void append_escaped(const struct spelling *s, uint32_t token)
{
	struct buffer decoded = BUFFER_INIT;
	uint32_t code_point = 0;
	json_string_decode(s->doc, token, &decoded);
	buffer_append_byte(s->out, '"');
	for (size_t at = 0; at < decoded.length;) {
		at += utf8_decode(decoded.data + at, decoded.length - at, &code_point);
		if (code_point > 0xFFFF) {
			append_escape(s->out, 0xD800 + ((code_point - 0x10000) >> 10));
			append_escape(s->out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
		} else {
			append_escape(s->out, code_point);
		}
	}
	buffer_append_byte(s->out, '"');
	s->out->failed |= decoded.failed;
	buffer_release(&decoded);
}

static void append_value(const struct spelling *s, uint32_t token);

static void append_children(const struct spelling *s, uint32_t container)
{
	const struct json_token *tokens = s->doc->tokens;
	bool is_object = tokens[container].type == JSON_OBJECT;
	bool reversed = is_object && s->form == VARIANT_KEY_ORDER;
	size_t count = 0, capacity = 0;
	uint32_t *children = NULL;
	for (uint32_t at = container + 1; at < tokens[container].next; at = tokens[is_object ? at + 1 : at].next) {
		if (!ARRAY_ROOM(children, capacity, count + 1)) {
			s->out->failed = true;
			break;
		}
		children[count++] = at;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t child = children[reversed ? count - 1 - i : i];
		if (i > 0)
			buffer_append_byte(s->out, ',');
		append_value(s, child);
		if (is_object) {
			buffer_append_byte(s->out, ':');
			append_value(s, child + 1);
		}
	}
	free(children);
}

/* Recursive, but no deeper than the reader lets a text be nested. */
static void append_value(const struct spelling *s, uint32_t token)
{
	const struct json_token *t = &s->doc->tokens[token];
	const char *text = s->doc->text;
	if (t->type == JSON_ARRAY || t->type == JSON_OBJECT) {
		buffer_append_byte(s->out, text[t->start]);
		append_children(s, token);
		buffer_append_byte(s->out, text[t->end - 1]);
	} else if (t->type == JSON_STRING && s->form == VARIANT_ESCAPES) {
		append_escaped(s, token);
	} else {
		buffer_append(s->out, text + t->start, t->end - t->start);
	}
}

/* The edits below borrow their texts. */
static struct edit edit_to(enum edit_kind kind, const struct variant *v, const struct buffer *value)
{
	return (struct edit){ kind, (char *)(uintptr_t)v->name, (char *)(uintptr_t)v->pointer, value->data };
}

/* A value made of the present one, as JSON. False: the present one is not a string. */
static bool derive(const struct variant *v, const struct json_doc *doc, struct buffer *json)
{
	struct buffer text = BUFFER_INIT;
	uint32_t token = json_resolve(doc, v->pointer);
	if (token == JSON_NONE || doc->tokens[token].type != JSON_STRING)
		return false;
	json_string_decode(doc, token, &text);
	if (v->other->use == CATALOG_SHORTENED && text.length > SHORT_LENGTH) {
		size_t length = SHORT_LENGTH;
		while ((text.data[length] & 0xC0) == 0x80) /* never within a character */
			length--;
		buffer_consume_end(&text, text.length - length);
	}
	for (size_t i = 0; v->other->use == CATALOG_UPPER_CASE && i < text.length; i++)
		if (text.data[i] >= 'a' && text.data[i] <= 'z')
			text.data[i] -= 'a' - 'A';
	json_append_string(json, buffer_text(&text), text.length);
	json->failed |= text.failed;
	buffer_release(&text);
	return true;
}

/* A merge patch, with objects all the way to the members. */
static void append_patch(const struct variant *v, struct buffer *patch)
{
	size_t depth = 0;
	for (const char *part = v->pointer; *part; depth++) {
		size_t length = strcspn(++part, "/");
		buffer_printf(patch, "{\"%.*s\":", (int)length, part);
		part += length;
	}
	buffer_append_text(patch, v->other->text);
	buffer_append_repeat(patch, '}', depth);
}

static int set_value(const struct variant *v, struct catalog_kind kind, const struct json_doc *doc, struct buffer *out,
                     struct error *err)
{
	struct buffer value = BUFFER_INIT;
	struct edit edit;
	struct edits edits = { &edit, 1, 1 };
	enum edit_kind how = EDIT_SET_TEXT;
	if (v->other->use == CATALOG_OTHER_TEXT) {
		buffer_append_text(&value, v->other->text);
	} else if (v->other->use == CATALOG_ADDED) {
		append_patch(v, &value);
		how = EDIT_MERGE;
	} else {
		how = EDIT_SET_JSON;
		edits.count = derive(v, doc, &value) ? 1 : 0;
	}
	edit = edit_to(how, v, &value);
	int result =
	        value.failed ? error_no_memory(err) : edits_apply(&edits, kind.event, doc->text, doc->length, out, err);
	buffer_release(&value);
	return result;
}

int variant_apply(const struct variant *variant, struct catalog_kind kind, const char *text, size_t length,
                  struct buffer *out, struct error *err)
{
	struct json_doc doc;
	struct json_fault fault;
	int result = 0;
	json_doc_init(&doc);
	if (!json_read(&doc, text, length, &fault))
		result = error_set(err, EXIT_CODE_INTERNAL, "a payload that is not JSON has no variants");
	else if (variant->form == VARIANT_VALUE)
		result = set_value(variant, kind, &doc, out, err);
	else if (variant->form == VARIANT_WHITESPACE)
		result = build_pretty(text, length, out, err);
	else
		append_value(&(struct spelling){ &doc, out, variant->form }, 0);
	json_doc_release(&doc);
	return result < 0 || !out->failed ? result : error_no_memory(err);
}
