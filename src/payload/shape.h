/*
 * The shape of a notification: what it is and how it is built, without the values of people. Two notifications have one
 * shape where no listener could tell them apart but by their values: the same event and element, the same findings at
 * the same places, and the same places (payload/places.h) with values of the same types. For fields whose values the
 * catalogue closes, the value belongs to the shape: disputeStatus, offCycle, and the sign of change (section 2.2).
 *
 * A shape is known by the beginning of SHA-256 over its one form, so that nobody can hide a notification behind
 * another one. It is the same on every machine and in every version that knows the same events.
 */
#ifndef CREDHOOK_PAYLOAD_SHAPE_H
#define CREDHOOK_PAYLOAD_SHAPE_H

#include "base/error.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_ID_SIZE 16

/* Owns the memory that shapes need, and uses it again. One per thread. NULL: *err. */
struct shaper;
struct shaper *shaper_new(struct error *err);
void shaper_free(struct shaper *shaper); /* NULL is allowed */

/* The shape of what was checked. -1: out of memory. */
int shape_of(struct shaper *shaper, const struct verdict *verdict, unsigned char id[SHAPE_ID_SIZE], struct error *err);

/* The nth code, from 0, that the payload has as a string: its field, and its value with escapes resolved, valid until
 * the next call. False: there is no further one. */
bool shape_code(struct shaper *shaper, const struct verdict *verdict, size_t nth, const struct catalog_field **field,
                struct text *value);

/* What stands for a shape with one value of a code, or for that with another one; `out` may be `id`. A file is named by
 * its shape with all of them. -1: out of memory. */
int shape_with_code(struct shaper *shaper, const unsigned char id[SHAPE_ID_SIZE], const struct catalog_field *field,
                    struct text value, unsigned char out[SHAPE_ID_SIZE], struct error *err);

/* The name of a payload file for a shape: bureau-alert-9f3c21aa.json, with as many hexadecimal digits of the id (even,
 * up to 2 * SHAPE_ID_SIZE); unknown-9f3c21aa.json where there is no event. The '/' before an element is a '-'. */
#define SHAPE_FILE_DIGITS    8
#define SHAPE_FILE_NAME_SIZE (CATALOG_KIND_NAME_SIZE + 2 * SHAPE_ID_SIZE + sizeof "-.json")
void shape_file_name(struct catalog_kind kind, const unsigned char id[SHAPE_ID_SIZE], size_t digits,
                     char out[SHAPE_FILE_NAME_SIZE]);
/* Whether a file's name, without its folders, is one of those. */
bool shape_is_file_name(const char *name);

#endif
