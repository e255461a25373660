/* Making valid payloads from the catalogue's rows. */
#ifndef CREDHOOK_PAYLOAD_BUILD_H
#define CREDHOOK_PAYLOAD_BUILD_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/random.h"
#include "catalog/catalog.h"

/* Appends a valid payload of the kind as compact JSON text, keys in the specification's order, identifiers from
 * `random`: the same random state gives the same bytes. An event with elements and none chosen gets its first one. What
 * the specification leaves open gets a value that is plainly a sample. */
int build_payload(struct catalog_kind kind, struct random *random, struct buffer *out, struct error *err);

/* Appends JSON text that json_read() accepts in the form people read: two spaces a level. Values keep their bytes. */
int build_pretty(const char *text, size_t length, struct buffer *out, struct error *err);

#endif
