/* The options of validate, and its coverage: which events and elements the inputs hold, and which a run demands. */
#ifndef CREDHOOK_CMD_VALIDATE_VALIDATE_H
#define CREDHOOK_CMD_VALIDATE_VALIDATE_H

#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/report_files.h"
#include "payload/ignore.h"
#include "report/report_format.h"

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
void coverage_merge(struct coverage *to, const struct coverage *from);

/* Each demanded event or element in the catalogue's order: its name, and whether a valid payload covers it. */
void coverage_each(const struct coverage *coverage, const struct requirement *requirement,
                   void (*found)(void *context, const char *name, bool covered), void *context);

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out);
/* "coverage":[{"event","valid_count","invalid_count"},...],"unidentified":{...} */
void coverage_append_members(const struct coverage *coverage, struct buffer *out);
/* An object of these and "missing":[...], and a newline. */
void coverage_append_json(const struct coverage *coverage, const struct requirement *requirement, struct buffer *out);

struct validate_args {
	struct global_options global;
	bool lines;
	bool strict;
	bool expect_invalid;
	bool coverage;
	bool is_text; /* stdout is for people: there is no --json, and no report */
	struct catalog_kind event;
	struct ignored ignored;
	struct requirement requirement;
	struct report_requests reports;
};

#endif
