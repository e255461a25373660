/*
 * The catalogue as a document for other tools: JSON Schema 2020-12 or OpenAPI 3.1.
 *
 * To add a format: a function as openapi() in schema.c, and its name in the enumeration.
 */
#ifndef CREDHOOK_SCHEMA_SCHEMA_H
#define CREDHOOK_SCHEMA_SCHEMA_H

#include "base/buffer.h"
#include "catalog/catalog.h"

enum schema_format {
	SCHEMA_TYPES,      /* JSON Schema with oneOf, for generators and editors */
	SCHEMA_VALIDATORS, /* JSON Schema with if and then, so that one defect is one place */
	SCHEMA_OPENAPI,
};

/* Appends the document for these events in their order, in one line or indented; the same bytes each time. */
void schema_write(enum schema_format format, const struct catalog_event *const *events, size_t count, bool pretty,
                  struct buffer *out);

/* event_object.c: an event of the catalogue for programs, as `events` and `explain` write it with --json. */

/* Appends one JSON object in one line: name, title, service, ... details with their types. */
void event_append_object(struct buffer *out, const struct catalog_event *event);

#endif
