/* --report FORMAT=FILE, of every command that has it. */
#ifndef CREDHOOK_CMD_REPORT_OPTIONS_H
#define CREDHOOK_CMD_REPORT_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define REPORTS_MAX 8

struct report_format;

struct report_wish {
	const struct report_format *format;
	const char *path; /* borrowed from the command line; "-": stdout */
};

struct report_wishes {
	struct report_wish list[REPORTS_MAX];
	size_t count;
};

/* Adds FORMAT=FILE to a struct report_wishes: any format, or one of those that hold cases of any kind. */
int report_parse_payloads(void *wishes, const char *text, struct error *err);
int report_parse_cases(void *wishes, const char *text, struct error *err);

/* Whether one goes to stdout, which then has nothing else. */
bool report_wishes_stdout(const struct report_wishes *wishes);
/* Usage errors: two reports of one name, or one on stdout where `other` (an option; NULL: none) writes too. */
int report_wishes_check(const struct report_wishes *wishes, const char *other, struct error *err);

#endif
