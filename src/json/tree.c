#include "json/tree.h"

#include "json/json_line.h"

#include <json-c/json_visit.h>
#include <stdarg.h>

json_object *tree_text(const char *text)
{
	return text ? json_object_new_string(text) : tree_spelled("null");
}

json_object *tree_text_of(const struct buffer *text)
{
	return text->failed ? NULL : tree_text(buffer_text(text));
}

/* json-c has no object for null, and keeps how a number is written only where it gets the text. */
json_object *tree_spelled(const char *json)
{
	return json_object_new_double_s(0, json);
}

json_object *tree_object(const char *key, ...)
{
	json_object *object = tree_empty();
	va_list members;
	va_start(members, key);
	for (; key; key = va_arg(members, const char *))
		object = tree_set(object, key, va_arg(members, json_object *));
	va_end(members);
	return object;
}

/* json-c asserts that there is something to add to, and takes nothing that it cannot add. */
static json_object *grown(json_object *parent, json_object *child, bool is_added)
{
	if (is_added)
		return parent;
	json_object_put(parent);
	json_object_put(child);
	return NULL;
}

json_object *tree_set(json_object *object, const char *key, json_object *value)
{
	return grown(object, value, object && value && json_object_object_add(object, key, value) == 0);
}

json_object *tree_add(json_object *list, json_object *value)
{
	return grown(list, value, list && value && json_object_array_add(list, value) == 0);
}

struct printer {
	struct buffer *out;
	bool is_pretty;
	size_t depth;
};

/* A container is visited a second time behind what it holds. */
static int print(json_object *value, int flags, json_object *parent, const char *key, size_t *index, void *context)
{
	struct printer *p = context;
	enum json_type type = json_object_get_type(value);
	bool is_end = flags & JSON_C_VISIT_SECOND, is_object = type == json_type_object;
	bool is_filled =
	        is_end && (is_object ? json_object_object_length(value) > 0 : json_object_array_length(value) > 0);
	(void)index;
	p->depth -= is_end;
	if (parent && !is_end)
		json_line_comma(p->out);
	if (p->is_pretty && (is_end ? is_filled : parent != NULL)) {
		buffer_append_byte(p->out, '\n');
		buffer_append_repeat(p->out, ' ', 2 * p->depth);
	}
	if (key && !is_end) {
		json_line_string(p->out, key, strlen(key));
		buffer_append_text(p->out, p->is_pretty ? ": " : ":");
	}
	if (is_object || type == json_type_array)
		buffer_append_byte(p->out, is_end ? (is_object ? '}' : ']') : (is_object ? '{' : '['));
	else if (type == json_type_string)
		json_line_string(p->out, json_object_get_string(value), (size_t)json_object_get_string_len(value));
	else if (type == json_type_boolean)
		buffer_append_text(p->out, json_object_get_boolean(value) ? "true" : "false");
	else
		buffer_append_text(p->out, json_object_get_userdata(value)); /* as it is spelled */
	p->depth += !is_end && (is_object || type == json_type_array);
	return JSON_C_VISIT_RETURN_CONTINUE;
}

void tree_append(json_object *tree, enum json_style style, struct buffer *out)
{
	struct printer p = { .out = out, .is_pretty = style == JSON_PRETTY };
	buffer_fail_if(out, !tree || json_c_visit(tree, 0, print, &p) < 0);
	json_object_put(tree);
}
