/*
 * A document in one piece as a tree of json-c: schemas, events, help, the configuration. A line of a stream is text
 * (json_line.h), and bytes from outside are read by located.h: of json-c neither the parser is used nor the printer,
 * which take more than JSON, differ between versions, and cut what they have no memory for.
 *
 * NULL is "out of memory", and travels upwards: each function takes it, releases what else it was given, and returns
 * NULL. Only tree_append() asks. Trees grow from their leaves: what is a part of another one is not touched again.
 */
#ifndef CREDHOOK_JSON_TREE_H
#define CREDHOOK_JSON_TREE_H

#include "base/buffer.h"
#include "json/print.h"

#include <json-c/json_object.h>

#define tree_bool  json_object_new_boolean
#define tree_list  json_object_new_array
#define tree_empty json_object_new_object
json_object *tree_text(const char *text);             /* UTF-8; NULL: null */
json_object *tree_text_of(const struct buffer *text); /* NULL where that has failed */
json_object *tree_spelled(const char *json);          /* a number, or null: JSON as it is written */

/* An object of keys and their values: tree_object("name", tree_text(name), "open", tree_bool(false), NULL). */
json_object *tree_object(const char *key, ...) __attribute__((sentinel));
/* The same object or list with one more. */
json_object *tree_set(json_object *object, const char *key, json_object *value);
json_object *tree_add(json_object *list, json_object *value);

/* Appends the tree, JSON_COMPACT or JSON_PRETTY, with json_line.h's escapes, and releases it. */
void tree_append(json_object *tree, enum json_style style, struct buffer *out);

#endif
