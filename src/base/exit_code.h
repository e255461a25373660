/* The exit codes of credhook: one row each, read by help, manual and tests. */
#ifndef CREDHOOK_BASE_EXIT_CODE_H
#define CREDHOOK_BASE_EXIT_CODE_H

#include <stddef.h>

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_IO = 3,
	EXIT_CODE_UNDELIVERED = 4,
	EXIT_CODE_INTERNAL = 5,
	EXIT_CODE_INTERRUPTED = 130,
};

struct exit_code_row {
	enum exit_code code;
	const char *meaning;
};

extern const struct exit_code_row exit_code_rows[];
extern const size_t exit_code_row_count;

/* The code of a run to which both apply: 130 before 5, 2, 3, 4, 1, 0. */
enum exit_code exit_code_worse(enum exit_code a, enum exit_code b);

#endif
