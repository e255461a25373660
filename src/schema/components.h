/* The schemas that every format is made of, each with a name. For src/schema only. */
#ifndef CREDHOOK_SCHEMA_COMPONENTS_H
#define CREDHOOK_SCHEMA_COMPONENTS_H

#include "catalog/catalog.h"

#include <json-c/json_object.h>
#include <stdbool.h>

/* Members of a JSON document that is being made. Zero-initialise. Once memory has run out nothing more is added, and
 * `failed` stays. */
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

#define COMPONENT_NAME_SIZE 96

/* UserCreated, or with a suffix UserCreatedDetails: generators make types of these names. */
void component_name(const struct catalog_event *event, const char *suffix, char out[COMPONENT_NAME_SIZE]);

/* Into `to`: the schema of each event (service, event, method and path are constants), of its details, and of the
 * objects within them. `where` is what references to them begin with ("#/$defs/"). */
void components_make(struct making *m, struct json_object *to, const char *where,
                     const struct catalog_event *const *events, size_t count);

/* Only the schemas of the details and of what is within them. */
void components_make_details(struct making *m, struct json_object *to, const char *where,
                             const struct catalog_event *const *events, size_t count);

/* {"type":"string","const":...}, or an enumeration where the event has elements and the column is its path. */
enum envelope_column { COLUMN_SERVICE, COLUMN_PATH, COLUMN_METHOD, COLUMN_EVENT, COLUMN_COUNT };
extern const char *const envelope_keys[COLUMN_COUNT];
/* The event's value in a column; NULL: it has no path. */
const char *envelope_value(const struct catalog_event *event, enum envelope_column column);
/* Adds the values to an array: one, or the path of each element. */
void envelope_append_values(struct making *m, struct json_object *array, const struct catalog_event *event,
                            enum envelope_column column);

/* "Sent when ... (section 6)", and the note on it. */
void component_describe_event(struct making *m, struct json_object *to, const struct catalog_event *event);

#endif
