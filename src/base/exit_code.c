#include "base/exit_code.h"

const struct exit_code_row exit_code_rows[] = {
	{ EXIT_CODE_OK, "all good" },
	{ EXIT_CODE_FAILED, "the command ran, but something failed: an invalid payload, an unexpected status, "
	                    "an unmet expectation" },
	{ EXIT_CODE_USAGE, "wrong usage or configuration, or refused by the production guard" },
	{ EXIT_CODE_IO, "an input cannot be read, or an output cannot be written" },
	{ EXIT_CODE_UNDELIVERED, "no delivery got an HTTP response (DNS, refused, TLS, timeout)" },
	{ EXIT_CODE_INTERNAL, "internal error" },
	{ EXIT_CODE_INTERRUPTED, "interrupted by Ctrl-C after finishing what was in flight "
	                         "(a first Ctrl-C is the normal end of listen)" },
};
const size_t exit_code_row_count = sizeof exit_code_rows / sizeof exit_code_rows[0];

static int severity(enum exit_code code)
{
	switch (code) {
	case EXIT_CODE_OK:
		return 0;
	case EXIT_CODE_FAILED:
		return 1;
	case EXIT_CODE_UNDELIVERED:
		return 2;
	case EXIT_CODE_IO:
		return 3;
	case EXIT_CODE_USAGE:
		return 4;
	case EXIT_CODE_INTERNAL:
		return 5;
	case EXIT_CODE_INTERRUPTED:
		return 6;
	}
	return 5;
}

enum exit_code exit_code_worse(enum exit_code a, enum exit_code b)
{
	return severity(a) >= severity(b) ? a : b;
}
