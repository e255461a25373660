/* What can be found wrong with a payload: one row each, read by the checker, explain, --break, help and manual. */
#ifndef CREDHOOK_PAYLOAD_FINDING_H
#define CREDHOOK_PAYLOAD_FINDING_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum finding_id {
	FINDING_JSON_SYNTAX,
	FINDING_TOO_LONG,
	FINDING_DUPLICATE_KEY,
	FINDING_WRONG_TYPE,
	FINDING_MISSING_KEY,
	FINDING_UNEXPECTED_PATH,
	FINDING_UNKNOWN_EVENT,
	FINDING_BAD_FORMAT,
	FINDING_BAD_VALUE,
	FINDING_UNKNOWN_KEY,
	FINDING_EMPTY_STRING,
	FINDING_NOT_INTEGER_LITERAL,
	FINDING_UNSEEN,
	FINDING_CONTENT_TYPE,
	FINDING_ID_COUNT,
};

enum severity {
	SEVERITY_WARNING,
	SEVERITY_ERROR,
};

struct finding_row {
	const char *name; /* json-syntax; a promise to whoever reads reports */
	enum severity severity;
	const char *summary; /* when it is found */
	const char *origin;  /* who defines it: the specification's section, an RFC, or credhook */
	const char *own;     /* what of it is credhook's rule and not theirs; NULL: nothing, or all */
	/* How --break makes it: in the members of details of these types, bits by enum catalog_type, and with this JSON
	 * value; NULL: break.c knows how. */
	unsigned types;
	const char *value;
	bool unquoted; /* its place shows nothing of it: no source line is printed below */
};
#define FINDING_EVERY_TYPE (~0u)

extern const struct finding_row finding_rows[FINDING_ID_COUNT];

const char *severity_name(enum severity severity); /* error, warning */
/* Reads the name of a finding. A usage error where there is none of that name; it names the nearest. */
int finding_parse(const char *name, size_t length, enum finding_id *id, struct error *err);

#endif
