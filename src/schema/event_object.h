/* An event of the catalogue for programs, as `events` and `explain` write it with --json. */
#ifndef CREDHOOK_SCHEMA_EVENT_OBJECT_H
#define CREDHOOK_SCHEMA_EVENT_OBJECT_H

#include "base/buffer.h"
#include "catalog/catalog.h"

/* Appends one JSON object in one line: name, title, service, ... details with their types. */
void event_append_object(struct buffer *out, const struct catalog_event *event);

#endif
