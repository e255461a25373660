#include "payload/variants.h"

#include "base/utf8.h"
#include "json/pointer.h"
#include "json/splice.h"

#include <stdio.h>
#include <string.h>

#define SHORT_LENGTH 8

static const struct {
	const char *name;
	enum json_style style;
} forms[] = {
	{ "key-order", JSON_REVERSED },
	{ "whitespace", JSON_PRETTY },
	{ "escapes", JSON_ESCAPED_STRINGS },
};
#define FORMS (sizeof forms / sizeof forms[0])

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
	*variant = (struct variant){ .style = forms[index - values].style };
	snprintf(variant->name, sizeof variant->name, "%s", forms[index - values].name);
}

/* Appends a value made of the present one, a string. */
static void derive(enum catalog_other_use use, const struct json_doc *doc, uint32_t token, struct buffer *json)
{
	LOCAL_BUFFER text = BUFFER_FOR(json);
	json_string_decode(doc, token, &text);
	if (use == CATALOG_SHORTENED && text.length > SHORT_LENGTH)
		buffer_consume_end(&text, text.length - utf8_begin_of(text.data, SHORT_LENGTH));
	for (size_t i = 0; use == CATALOG_UPPER_CASE && i < text.length; i++)
		if (text.data[i] >= 'a' && text.data[i] <= 'z')
			text.data[i] -= 'a' - 'A';
	json_append_string(json, buffer_text(&text), text.length);
}

static int set_value(const struct variant *v, const struct json_doc *doc, struct buffer *out, struct error *err)
{
	LOCAL_BUFFER value = BUFFER_INIT, pointer = BUFFER_INIT;
	LOCAL(json_doc_release) struct json_doc added = JSON_DOC_INIT;
	const char *text = v->other->text;
	buffer_append_text(&pointer, v->pointer);
	if (!text) {
		uint32_t token = json_resolve(doc, v->pointer);
		if (!json_is(doc, token, JSON_STRING)) {
			buffer_append(out, doc->text, doc->length);
			return 0;
		}
		derive(v->other->use, doc, token, &value);
	} else if (v->other->use == CATALOG_ADDED) { /* its one member */
		struct json_fault fault = { 0, NULL };
		if (!json_read(&added, text, strlen(text), &fault) || added.count < 3)
			return json_fault_is_memory(&fault) ? error_no_memory(err)
			                                    : error_set(err, EXIT_CODE_INTERNAL,
			                                                "%s is not an object with a member", v->name);
		const struct json_token *key = &added.tokens[1], *its = &added.tokens[2];
		json_append_pointer_key(&pointer, text + key->start + 1, key->end - key->start - 2);
		buffer_append(&value, text + its->start, its->end - its->start);
	} else if (v->member->type == CATALOG_INTEGER || v->member->type == CATALOG_OBJECT) {
		buffer_append_text(&value, text);
	} else {
		json_append_string(&value, text, strlen(text));
	}
	if (value.failed || pointer.failed)
		return error_no_memory(err);
	return json_splice_set(doc, buffer_text(&pointer), buffer_text(&value), value.length, out, err);
}

int variant_apply(const struct variant *variant, const char *text, size_t length, struct buffer *out, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	if (!json_read(&doc, text, length, &fault))
		return json_fault_is_memory(&fault)
		               ? error_no_memory(err)
		               : error_set(err, EXIT_CODE_INTERNAL, "a payload that is not JSON has no variants");
	if (variant->member)
		return set_value(variant, &doc, out, err);
	json_print(&doc, 0, variant->style, out);
	return out->failed ? error_no_memory(err) : 0;
}
