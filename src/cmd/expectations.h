/* Expected notifications: --expect EVENT[:N],... and the shell's `expect`. */
#ifndef CREDHOOK_CMD_EXPECTATIONS_H
#define CREDHOOK_CMD_EXPECTATIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event with elements is met by any of them. */
struct expectation {
	struct catalog_kind kind;
	uint64_t wanted;
	uint64_t arrived; /* valid ones only */
	uint64_t invalid; /* these do not count */
};

/* Zero-initialise. */
struct expectations {
	struct expectation *list;
	size_t count;
	size_t capacity;
	bool in_order;     /* one counts only when those before it are met */
	bool out_of_order; /* one arrived too early: */
	size_t early;      /* this one, */
	uint64_t early_seq;
	size_t awaited; /* in place of this one */
};

/* For struct option: adds to a struct expectations. */
int expectations_parse(void *field, const char *value, struct error *err);
int expectations_copy(struct expectations *to, const struct expectations *from, struct error *err);
void expectations_release(struct expectations *expected);

/* Whether a notification of this kind is one of those. */
bool expectation_is_of(const struct expectation *expectation, struct catalog_kind kind);
/* Counts a notification that was checked. */
void expectations_count(struct expectations *expected, struct catalog_kind kind, bool valid, uint64_t seq);
bool expectations_met(const struct expectations *expected);
/* "bureau-alert (1 of 3; 2 invalid)", for each that is missing; empty: none. */
void expectations_append_missing(struct buffer *out, const struct expectations *expected);
/* "#4 was bureau-alert, expected user-created (0 of 1)"; nothing if all arrived in order. */
void expectations_append_disorder(struct buffer *out, const struct expectations *expected);

#endif
