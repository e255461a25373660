/* Which events and elements the inputs hold, and which of them a run demands. */
#ifndef CREDHOOK_CMD_VALIDATE_COVERAGE_H
#define CREDHOOK_CMD_VALIDATE_COVERAGE_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVERAGE_UNKNOWN 64 /* a test holds the number of kinds to it */

struct coverage {
	size_t counts[COVERAGE_UNKNOWN + 1][2]; /* by catalog_kind_index(), of invalid and valid ones */
};

/* What --require asks for, a bit for each; an event with elements is covered by any of them where it is named without
 * one. */
struct requirement {
	uint64_t kinds;  /* by catalog_kind_index() */
	uint64_t events; /* by their place in the catalogue */
};

/* Reads EVENT,...|all into a struct requirement. */
int requirement_parse(void *requirement, const char *text, struct error *err);

void coverage_add(struct coverage *coverage, struct catalog_kind kind, bool valid);

/* An event or element that is demanded, and whether a valid payload covers it. */
struct demanded {
	char name[CATALOG_KIND_NAME_SIZE];
	bool is_covered;
};
#define DEMANDED_MAX (2 * COVERAGE_UNKNOWN)
/* In the catalogue's order. Returns how many. */
size_t coverage_demanded(const struct coverage *coverage, const struct requirement *requirement,
                         struct demanded list[DEMANDED_MAX]);

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out);
/* "coverage":[{"event","valid_count","invalid_count"},...],"unidentified":{...} */
void coverage_append_members(const struct coverage *coverage, struct buffer *out);
/* "; no valid payload covers bureau-alert", of those required, or of all where none is; nothing: all are covered, or
 * where none is required nothing is. */
void coverage_append_uncovered(const struct coverage *coverage, const struct requirement *requirement,
                               struct buffer *out);
/* An object of these and "missing":[...], and a newline. */
void coverage_append_json(const struct coverage *coverage, const struct requirement *requirement, struct buffer *out);

#endif
