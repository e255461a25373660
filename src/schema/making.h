/* Members of a JSON document that is being made. For src/schema only. */
#ifndef CREDHOOK_SCHEMA_MAKING_H
#define CREDHOOK_SCHEMA_MAKING_H

#include <json-c/json_object.h>
#include <stdbool.h>

/* Zero-initialise. Once memory has run out nothing more is added, and `failed` stays. */
struct making {
	bool failed;
};

/* Each adds to `to`, which owns what is added; `to` NULL is what a call that found no memory returned. */
void put_text(struct making *m, struct json_object *to, const char *key, const char *text);
void put_bool(struct making *m, struct json_object *to, const char *key, bool value);
struct json_object *put_object(struct making *m, struct json_object *to, const char *key);
struct json_object *put_array(struct making *m, struct json_object *to, const char *key);
/* The same at the end of an array. */
void append_text(struct making *m, struct json_object *array, const char *text);
void append_integer(struct making *m, struct json_object *array, long long value);
struct json_object *append_object(struct making *m, struct json_object *array);
/* "$ref" to the schema of that name below `where` ("#/$defs/"). */
void put_reference(struct making *m, struct json_object *to, const char *where, const char *name);

#endif
