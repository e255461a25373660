#include "json/splice.h"

#include "json/pointer.h"
#include "json/scan.h"

/* Where a pointer leads: to the value `there`, or to a new child of `container` with the key or index `part`; `rest` is
 * then the path below that child. */
struct destination {
	uint32_t there;
	uint32_t container;
	struct json_pointer_part part;
	const char *rest;
};

static int not_a_pointer(const char *pointer, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a JSON Pointer", pointer);
	return error_hint(err, "write it like /details/appKey, with ~0 for '~' and ~1 for '/' inside a key");
}

/* Sets *child to the element that the part refers to, or to JSON_NONE for one after the last. */
static int find_element(const struct json_doc *doc, uint32_t array, const char *pointer,
                        const struct json_pointer_part *part, uint32_t *child, struct error *err)
{
	size_t index, count = 0;
	*child = JSON_NONE;
	if (part->length == 1 && *part->text == '-')
		return 0;
	if (!json_pointer_part_index(part, &index))
		return error_set(err, EXIT_CODE_USAGE,
		                 "cannot set '%s': '%.*s' is not an array index (a number, or - for the end)", pointer,
		                 (int)part->length, part->text);
	for (uint32_t at = array + 1; at < doc->tokens[array].next; at = doc->tokens[at].next)
		if (count++ == index)
			*child = at;
	if (index > count)
		return error_set(err, EXIT_CODE_USAGE, "cannot set '%s': index %zu is past the end of an array of %zu",
		                 pointer, index, count);
	return 0;
}

static int find_destination(const struct json_doc *doc, const char *pointer, struct destination *d, struct error *err)
{
	*d = (struct destination){ .rest = pointer };
	while (json_pointer_take_part(&d->rest, &d->part)) {
		enum json_token_type type = doc->tokens[d->there].type;
		size_t passed = (size_t)(d->part.text - 1 - pointer);
		if (type < JSON_ARRAY && passed == 0)
			return error_set(err, EXIT_CODE_USAGE, "cannot set '%s': the document is %s", pointer,
			                 json_type_name(type));
		if (type < JSON_ARRAY)
			return error_set(err, EXIT_CODE_USAGE, "cannot set '%s': '%.*s' is %s and has no members",
			                 pointer, (int)passed, pointer, json_type_name(type));
		d->container = d->there;
		if (type == JSON_OBJECT)
			d->there = json_pointer_child(doc, d->container, &d->part);
		else if (find_element(doc, d->container, pointer, &d->part, &d->there, err) != 0)
			return -1;
		if (d->there == JSON_NONE)
			break;
	}
	return 0;
}

static void append_range(const struct json_doc *doc, size_t from, size_t to, struct buffer *out)
{
	buffer_append(out, doc->text + from, to - from);
}

static void append_key(const struct json_pointer_part *part, struct buffer *out)
{
	LOCAL_BUFFER key = BUFFER_FOR(out);
	json_pointer_decode_part(part, &key);
	json_append_string(out, buffer_text(&key), key.length);
}

/* A new last member or element, with the white space of its neighbour before it and around its colon; the value is
 * wrapped in the missing objects on its path. */
static void append_new(const struct json_doc *doc, const struct destination *d, const char *value, size_t value_length,
                       struct buffer *out)
{
	const struct json_token *tokens = doc->tokens, *container = &tokens[d->container], *neighbour = NULL;
	uint32_t in_object = container->type == JSON_OBJECT;
	size_t at = container->start + 1, made = 0;
	for (uint32_t child = d->container + 1; child < container->next; child = tokens[child + in_object].next)
		neighbour = &tokens[child];
	if (neighbour)
		at = neighbour[in_object].end;
	append_range(doc, 0, at, out);
	if (neighbour) {
		size_t space = neighbour->start;
		while (json_is_space(doc->text[space - 1]))
			space--;
		buffer_append_byte(out, ',');
		append_range(doc, space, neighbour->start, out);
	}
	if (in_object) {
		append_key(&d->part, out);
		if (neighbour)
			append_range(doc, neighbour->end, neighbour[1].start, out);
		else
			buffer_append_byte(out, ':');
	}
	struct json_pointer_part part;
	for (const char *rest = d->rest; json_pointer_take_part(&rest, &part); made++) {
		buffer_append_byte(out, '{');
		append_key(&part, out);
		buffer_append_byte(out, ':');
	}
	buffer_append(out, value, value_length);
	buffer_append_repeat(out, '}', made);
	append_range(doc, at, doc->length, out);
}

int json_splice_set(const struct json_doc *doc, const char *pointer, const char *value, size_t value_length,
                    struct buffer *out, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc made = JSON_DOC_INIT;
	struct json_fault fault;
	struct destination d;
	size_t before = out->length;
	if (!json_pointer_is_valid(pointer))
		return not_a_pointer(pointer, err);
	if (find_destination(doc, pointer, &d, err) != 0)
		return -1;
	if (d.there == JSON_NONE) {
		append_new(doc, &d, value, value_length, out);
	} else {
		append_range(doc, 0, doc->tokens[d.there].start, out);
		buffer_append(out, value, value_length);
		append_range(doc, doc->tokens[d.there].end, doc->length, out);
	}
	if (out->failed)
		return error_no_memory(err);
	/* The result may be nested too deep now, or too long. */
	if (json_read(&made, out->data + before, out->length - before, &fault))
		return 0;
	return json_fault_is_memory(&fault)
	               ? error_no_memory(err)
	               : error_set(err, EXIT_CODE_USAGE, "cannot set '%s': the result cannot be read: %s", pointer,
	                           fault.reason);
}

/* Appends the text without the members that the part refers to, or without the element `gone`. The first child left
 * keeps the white space after the bracket, each other one the comma before it. */
static void append_without(const struct json_doc *doc, uint32_t container, const struct json_pointer_part *part,
                           uint32_t gone, struct buffer *out)
{
	const struct json_token *tokens = doc->tokens;
	uint32_t in_object = tokens[container].type == JSON_OBJECT, first = container + 1;
	size_t behind = 0; /* end of the previous child */
	bool any_left = false;
	append_range(doc, 0, tokens[container].start + 1, out);
	for (uint32_t at = first; at < tokens[container].next; at = tokens[at + in_object].next) {
		size_t end = tokens[at + in_object].end;
		bool goes = in_object ? json_pointer_part_is_key(doc, at, part) : at == gone;
		if (!goes && any_left) {
			append_range(doc, behind, end, out);
		} else if (!goes) {
			append_range(doc, tokens[container].start + 1, tokens[first].start, out);
			append_range(doc, tokens[at].start, end, out);
			any_left = true;
		}
		behind = end;
	}
	append_range(doc, any_left ? behind : tokens[container].end - 1, doc->length, out);
}

int json_splice_unset(const struct json_doc *doc, const char *pointer, struct buffer *out, struct error *err)
{
	if (!json_pointer_is_valid(pointer))
		return not_a_pointer(pointer, err);
	if (*pointer == '\0')
		return error_set(err, EXIT_CODE_USAGE, "cannot unset the whole document");
	uint32_t container = JSON_NONE, there = 0;
	struct json_pointer_part part;
	while (there != JSON_NONE && json_pointer_take_part(&pointer, &part)) {
		container = there;
		there = json_pointer_child(doc, container, &part);
	}
	if (there != JSON_NONE)
		append_without(doc, container, &part, there, out);
	else
		append_range(doc, 0, doc->length, out);
	return out->failed ? error_no_memory(err) : 0;
}

int json_splice_text(struct buffer *text, const char *pointer, const char *value, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault = { 0, NULL };
	struct buffer edited = BUFFER_INIT;
	int result;
	if (!json_read(&doc, buffer_text(text), text->length, &fault))
		result = json_fault_is_memory(&fault)
		                 ? error_no_memory(err)
		                 : error_set(err, EXIT_CODE_INTERNAL, "not JSON: %s", fault.reason);
	else if (value)
		result = json_splice_set(&doc, pointer, value, strlen(value), &edited, err);
	else
		result = json_splice_unset(&doc, pointer, &edited, err);
	if (result == 0 && edited.failed)
		result = error_no_memory(err);
	if (result == 0)
		buffer_swap(text, &edited);
	buffer_release(&edited);
	return result;
}
