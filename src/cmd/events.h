/* The catalogue's events for programs. */
#ifndef CREDHOOK_CMD_EVENTS_H
#define CREDHOOK_CMD_EVENTS_H

#include "base/buffer.h"
#include "catalog/catalog.h"

/* Appends a JSON object: name, title, service, ... details. */
void event_append_object(struct buffer *out, const struct catalog_event *event);

#endif
