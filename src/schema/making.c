#include "schema/making.h"

#include <stdio.h>

static struct json_object *add_member(struct making *m, struct json_object *to, const char *key,
                                      struct json_object *value)
{
	if (value && to && json_object_object_add(to, key, value) == 0)
		return value;
	json_object_put(value);
	m->failed = true;
	return NULL;
}

static struct json_object *add_item(struct making *m, struct json_object *array, struct json_object *value)
{
	if (value && array && json_object_array_add(array, value) == 0)
		return value;
	json_object_put(value);
	m->failed = true;
	return NULL;
}

void put_text(struct making *m, struct json_object *to, const char *key, const char *text)
{
	add_member(m, to, key, json_object_new_string(text));
}

void put_bool(struct making *m, struct json_object *to, const char *key, bool value)
{
	add_member(m, to, key, json_object_new_boolean(value));
}

struct json_object *put_object(struct making *m, struct json_object *to, const char *key)
{
	return add_member(m, to, key, json_object_new_object());
}

struct json_object *put_array(struct making *m, struct json_object *to, const char *key)
{
	return add_member(m, to, key, json_object_new_array());
}

void append_text(struct making *m, struct json_object *array, const char *text)
{
	add_item(m, array, json_object_new_string(text));
}

void append_integer(struct making *m, struct json_object *array, long long value)
{
	add_item(m, array, json_object_new_int64(value));
}

struct json_object *append_object(struct making *m, struct json_object *array)
{
	return add_item(m, array, json_object_new_object());
}

void put_reference(struct making *m, struct json_object *to, const char *where, const char *name)
{
	char text[256];
	snprintf(text, sizeof text, "%s%s", where, name);
	put_text(m, to, "$ref", text);
}
