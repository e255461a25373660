/*
 * --distinct: of all notifications that are chosen the first of each shape (payload/shape.h), and the first with each
 * value of a code (bureau, productCode, alertType, enrollmentCode), of which CODE_VALUES_MAX are told apart for
 * each kind. So what is left has whatever the inputs have. It takes 44 to 60 bytes for each shape.
 */
#ifndef CREDHOOK_CMD_ARGS_DISTINCT_H
#define CREDHOOK_CMD_ARGS_DISTINCT_H

#include "base/buffer.h"
#include "base/error.h"
#include "payload/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct distinct;
struct distinct *distinct_new(struct error *err); /* NULL: *err */
void distinct_free(struct distinct *distinct);    /* NULL is allowed */

/* What a notification was taken for. */
struct distinct_taken {
	uint32_t shape;                   /* from 0, in the order in which the shapes came */
	const struct catalog_field *code; /* a new value of it, in a shape that is taken already; NULL: a new shape */
};

/* Asks for one notification after the other; `number` is for the summary. 1: it is taken, and *taken says
 * for what; 0: it is not; -1: out of memory. */
int distinct_takes(struct distinct *distinct, const struct verdict *verdict, uint64_t number,
                   struct distinct_taken *taken, struct error *err);
/* The one taken last was of no use: the next one like it is taken. */
void distinct_untake(struct distinct *distinct);

/* Whether all shapes and values are taken, none of them untaken. */
bool distinct_is_complete(const struct distinct *distinct);

/* How many there are of a shape, taken or not. */
uint64_t distinct_count(const struct distinct *distinct, uint32_t shape);
/* Appends what was taken of all that were asked about: "37 of 412,306 records, one of each shape and code; the rarest
 * came once: #20417". */
void distinct_append_summary(const struct distinct *distinct, struct buffer *out);

#endif
