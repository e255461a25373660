#include "json/tree.h"

#include "base/utf8.h"

#include <errno.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	const struct json_doc *doc;
	struct buffer scratch; /* json-c needs strings that end in a NUL */
	struct error *err;
};

/* An int64 if the number fits (-0 does not), else a double that keeps the spelling, so that no digit is lost. */
static struct json_object *make_number(struct builder *b, const struct json_token *t)
{
	buffer_clear(&b->scratch);
	buffer_append(&b->scratch, b->doc->text + t->start, t->end - t->start);
	if (b->scratch.failed)
		return NULL;
	const char *text = buffer_text(&b->scratch);
	errno = 0;
	if ((t->flags & (JSON_FRACTION | JSON_EXPONENT)) == 0 && strcmp(text, "-0") != 0) {
		long long value = strtoll(text, NULL, 10);
		if (errno == 0)
			return json_object_new_int64(value);
	}
	return json_object_new_double_s(strtod(text, NULL), text);
}

static struct json_object *make_string(struct builder *b, uint32_t token)
{
	buffer_clear(&b->scratch);
	json_string_decode(b->doc, token, &b->scratch);
	if (b->scratch.failed)
		return NULL;
	return json_object_new_string_len(buffer_text(&b->scratch), (int)b->scratch.length);
}

static int make(struct builder *b, uint32_t token, struct json_object **made);

static int add_member(struct builder *b, struct json_object *object, uint32_t key)
{
	struct json_object *value;
	if (make(b, key + 1, &value) != 0)
		return -1;
	buffer_clear(&b->scratch);
	json_string_decode(b->doc, key, &b->scratch);
	const char *name = buffer_text(&b->scratch);
	if (!b->scratch.failed && strlen(name) < b->scratch.length) {
		json_object_put(value);
		return error_set(b->err, EXIT_CODE_FAILED,
		                 "keys with a NUL character (\\u0000) are not supported here");
	}
	if (b->scratch.failed || json_object_object_add(object, name, value) != 0) {
		json_object_put(value);
		return error_no_memory(b->err);
	}
	return 0;
}

static int add_element(struct builder *b, struct json_object *array, uint32_t token)
{
	struct json_object *value;
	if (make(b, token, &value) != 0)
		return -1;
	if (json_object_array_add(array, value) == 0)
		return 0;
	json_object_put(value);
	return error_no_memory(b->err);
}

static int fill(struct builder *b, uint32_t container, struct json_object *made)
{
	const struct json_token *tokens = b->doc->tokens;
	uint32_t in_object = tokens[container].type == JSON_OBJECT;
	for (uint32_t at = container + 1; at < tokens[container].next; at = tokens[at + in_object].next)
		if ((in_object ? add_member(b, made, at) : add_element(b, made, at)) != 0)
			return -1;
	return 0;
}

/* Recursive, limited by JSON_DEPTH_MAX. */
static int make(struct builder *b, uint32_t token, struct json_object **made)
{
	const struct json_token *t = &b->doc->tokens[token];
	*made = NULL;
	switch ((enum json_token_type)t->type) {
	case JSON_NULL:
		return 0;
	case JSON_FALSE:
	case JSON_TRUE:
		*made = json_object_new_boolean(t->type == JSON_TRUE);
		break;
	case JSON_NUMBER:
		*made = make_number(b, t);
		break;
	case JSON_STRING:
		*made = make_string(b, token);
		break;
	case JSON_ARRAY:
		*made = json_object_new_array();
		break;
	case JSON_OBJECT:
		*made = json_object_new_object();
		break;
	}
	if (!*made)
		return error_no_memory(b->err);
	if (t->type < JSON_ARRAY || fill(b, token, *made) == 0)
		return 0;
	json_object_put(*made);
	*made = NULL;
	return -1;
}

int tree_from_doc(const struct json_doc *doc, uint32_t token, struct json_object **tree, struct error *err)
{
	struct builder b = { .doc = doc, .scratch = BUFFER_INIT, .err = err };
	*tree = NULL;
	if (token >= doc->count)
		return error_set(err, EXIT_CODE_INTERNAL, "no such JSON value");
	int result = make(&b, token, tree);
	buffer_release(&b.scratch);
	return result;
}

int tree_parse(const char *text, size_t length, const char *what, struct json_object **tree, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	*tree = NULL;
	if (json_read(&doc, text, length, &fault))
		return tree_from_doc(&doc, 0, tree, err);
	if (json_fault_is_memory(&fault))
		return error_no_memory(err);
	struct json_place place = json_place_of(text, length, fault.offset);
	return error_set(err, EXIT_CODE_FAILED, "%s:%zu:%zu: %s", what, place.line, place.column, fault.reason);
}

/* A patch that is not an object replaces the target: *target becomes a copy of it. */
static int replace(struct json_object **target, struct json_object *patch, struct error *err)
{
	struct json_object *copy = NULL;
	if (patch && json_object_deep_copy(patch, &copy, NULL) != 0)
		return error_no_memory(err);
	json_object_put(*target);
	*target = copy;
	return 0;
}

static int merge_member(struct json_object *object, const char *key, struct json_object *patch, struct error *err)
{
	struct json_object *old = NULL;
	json_object_object_get_ex(object, key, &old);
	struct json_object *value = json_object_get(old);
	if (tree_merge_patch(&value, patch, err) != 0) {
		json_object_put(value);
		return -1;
	}
	if (value == old) {
		json_object_put(value);
		return 0;
	}
	if (json_object_object_add(object, key, value) == 0)
		return 0;
	json_object_put(value);
	return error_no_memory(err);
}

int tree_merge_patch(struct json_object **target, struct json_object *patch, struct error *err)
{
	if (!json_object_is_type(patch, json_type_object))
		return replace(target, patch, err);
	if (!json_object_is_type(*target, json_type_object)) {
		struct json_object *object = json_object_new_object();
		if (!object)
			return error_no_memory(err);
		json_object_put(*target);
		*target = object;
	}
	json_object_object_foreach(patch, key, value)
	{
		if (!value)
			json_object_object_del(*target, key);
		else if (merge_member(*target, key, value, err) != 0)
			return -1;
	}
	return 0;
}

/* json-c's printer keeps a copy of the text in every object, does not report out of memory, and passes on invalid
 * UTF-8. */
struct printer {
	struct buffer *out;
	enum tree_style style;
	size_t depth;
};

static void print_line(struct printer *p)
{
	if (p->style != TREE_PRETTY)
		return;
	buffer_append_byte(p->out, '\n');
	buffer_append_repeat(p->out, ' ', 2 * p->depth);
}

static void print_string(struct printer *p, const char *text, size_t length)
{
	if (p->style != TREE_ESCAPED) {
		json_append_string(p->out, text, length);
		return;
	}
	buffer_append_byte(p->out, '"');
	for (size_t at = 0, size; at < length; at += size) {
		uint32_t code_point = 0xFFFD;
		size = utf8_decode(text + at, length - at, &code_point);
		size += size == 0;
		if (code_point > 0xFFFF) /* a pair of surrogates (RFC 8259, section 7) */
			buffer_printf(p->out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code_point >> 10)),
			              (unsigned)(0xDC00 | (code_point & 0x3FF)));
		else
			buffer_printf(p->out, "\\u%04x", (unsigned)code_point);
	}
	buffer_append_byte(p->out, '"');
}

static void print(struct printer *p, struct json_object *value);

static void print_object(struct printer *p, struct json_object *object)
{
	const struct lh_table *members = json_object_get_object(object);
	bool reversed = p->style == TREE_REVERSED;
	const struct lh_entry *next = reversed ? members->tail : members->head;
	p->depth++;
	buffer_append_byte(p->out, '{');
	for (const struct lh_entry *e = next; e; e = next) {
		const char *key = e->k;
		print_line(p);
		print_string(p, key, strlen(key));
		buffer_append_text(p->out, p->style == TREE_PRETTY ? ": " : ":");
		print(p, (struct json_object *)(uintptr_t)e->v);
		next = reversed ? e->prev : e->next;
		if (next)
			buffer_append_byte(p->out, ',');
	}
	p->depth--;
	if (json_object_object_length(object) > 0)
		print_line(p);
	buffer_append_byte(p->out, '}');
}

static void print_array(struct printer *p, struct json_object *array)
{
	size_t count = json_object_array_length(array);
	p->depth++;
	buffer_append_byte(p->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_byte(p->out, ',');
		print_line(p);
		print(p, json_object_array_get_idx(array, i));
	}
	p->depth--;
	if (count > 0)
		print_line(p);
	buffer_append_byte(p->out, ']');
}

static void print(struct printer *p, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_object:
		print_object(p, value);
		break;
	case json_type_array:
		print_array(p, value);
		break;
	case json_type_string:
		print_string(p, json_object_get_string(value), (size_t)json_object_get_string_len(value));
		break;
	case json_type_null:
	case json_type_boolean:
	case json_type_int:
	case json_type_double: {
		const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
		buffer_append_text(p->out, text ? text : "");
		p->out->failed |= !text;
		break;
	}
	}
}

void tree_append_text(struct json_object *tree, enum tree_style style, struct buffer *out)
{
	struct printer p = { .out = out, .style = style, .depth = 0 };
	print(&p, tree);
}
