/*
 * --distinct: of all notifications that are chosen the first of each shape (payload/shape.h), and the first with each
 * value of a code (bureau, productCode, alertType, enrollmentCode), of which CODE_VALUES_MAX are told apart for
 * each kind. So what is left has whatever the inputs have. It takes 48 to 64 bytes for each shape.
 */
#ifndef CREDHOOK_CMD_ARGS_DISTINCT_H
#define CREDHOOK_CMD_ARGS_DISTINCT_H

#include "base/buffer.h"
#include "base/error.h"
#include "payload/codes.h"
#include "payload/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct distinct;
struct distinct *distinct_new(struct error *err); /* NULL: *err */
void distinct_free(struct distinct *distinct);    /* NULL is allowed */

/* What a notification was taken for: a new shape; or with a shape that is taken already, new values of codes. Neither:
 * what it is was withheld. */
struct distinct_taken {
	uint32_t shape; /* these are indices, in the order in which they came */
	uint32_t values[CODES_MAX];
	uint8_t value_count;
	bool is_for_shape;
};

/* Asks for one notification after the other; `number` is for the summary. 1: it is taken, and *taken says
 * for what; 0: it is not; -1: out of memory. */
int distinct_takes(struct distinct *distinct, const struct verdict *verdict, uint64_t number,
                   struct distinct_taken *taken, struct error *err);
/* The one taken last was of no use: the next one like it is taken. */
void distinct_untake(struct distinct *distinct);

/* Whether all shapes and values are taken, none of them untaken. */
bool distinct_is_complete(const struct distinct *distinct);

/* How many of those that were asked about have what one was taken for: its shape, and *code is NULL; or the rarest of
 * the values, which is one of *code. */
uint64_t distinct_count(const struct distinct *distinct, const struct distinct_taken *taken,
                        const struct catalog_field **code);
/* Appends what was taken of all that were asked about: "37 of 412,306 records, one of each shape and code; the rarest
 * came once: #20417"; or if they are `only_first` of all, no more than that. */
void distinct_append_summary(const struct distinct *distinct, bool only_first, struct buffer *out);
/* Appends the codes that have more values than are told apart, "bureau of bureau-alert, productCode of
 * credit-report-ordered". Returns how many. */
size_t distinct_append_full(const struct distinct *distinct, struct buffer *out);

#endif
