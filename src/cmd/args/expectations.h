/* Expected notifications: --expect EVENT[:N][,PATH=VALUE...] and the shell's `expect`. */
#ifndef CREDHOOK_CMD_ARGS_EXPECTATIONS_H
#define CREDHOOK_CMD_ARGS_EXPECTATIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "cmd/args/where.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPECTATION_INSTEAD 3 /* different ones that are remembered */

/* The values by which valid notifications missed an expectation, as they would be typed: "details.bureau=xyz". Of what
 * is not a code only the path: "other details.clientKey". */
struct expectation_instead {
	struct buffer values;
	uint64_t count;
};

struct expectation {
	struct catalog_kind kind;                                /* as catalog_kind_is() compares it */
	struct where_list where;                                 /* what the payload has to hold; owned */
	uint64_t wanted;                                         /* it is met by that many that arrived */
	uint64_t arrived;                                        /* valid ones only */
	uint64_t invalid;                                        /* these do not count, */
	uint64_t others;                                         /* nor do valid ones that hold other values: */
	struct expectation_instead instead[EXPECTATION_INSTEAD]; /* the first of them, while count > 0; owned */
};

/* Zero-initialise. */
struct expectations {
	struct expectation *list;
	size_t count;
	size_t capacity;
};

/* For struct option: adds to a struct expectations. Usage errors name the nearest event or field. */
int expectations_parse(void *field, const char *value, struct error *err);
void expectations_release(void *expected); /* a struct expectations */

/* Whether a payload of this kind holds the expected values. */
bool expectation_holds(const struct expectation *expectation, const char *body, size_t length);
/* Counts a notification that was checked. */
void expectations_count(struct expectations *expected, const struct notification *notification);

bool expectations_met(const struct expectations *expected);
/* "bureau-alert,details.bureau=abc": as it would be typed, with_number where that is not 1. */
void expectation_append_name(struct buffer *out, const struct expectation *expectation, bool with_number);
/* "details.bureau=xyz, 3 times; details.bureau=q, once; 1 invalid": what came that does not count; nothing: no such. */
void expectation_append_instead(struct buffer *out, const struct expectation *expectation);

#endif
