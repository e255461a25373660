#include "base/error.h"

#include "base/quoted.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

/* Formats into a line of its own first: an argument may be the message that is being replaced. */
__attribute__((format(printf, 4, 0))) static void set_text(char *out, size_t size, enum quoted_use use,
                                                           const char *format, va_list args)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	quoted_printf(&line, use, format, args);
	const char *text = line.failed ? "out of memory" : buffer_text(&line);
	size_t length = strlen(text);
	if (length >= size)
		length = utf8_begin_of(text, size - 1);
	memcpy(out, text, length);
	out[length] = '\0';
}

int error_set(struct error *err, enum exit_code code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(err->message, sizeof err->message, QUOTED_TO_READ, format, args);
	va_end(args);
	err->code = code;
	err->hint[0] = '\0';
	err->asks = false;
	return -1;
}

int error_hint(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(err->hint, sizeof err->hint, QUOTED_TO_TYPE, format, args);
	va_end(args);
	err->asks = false;
	return -1;
}

int error_ask(struct error *err, const char *format, ...)
{
	char meant[ERROR_HINT_SIZE];
	va_list args;
	va_start(args, format);
	set_text(meant, sizeof meant, QUOTED_TO_TYPE, format, args);
	va_end(args);
	error_hint(err, "did you mean %s?", meant);
	err->asks = true;
	return -1;
}

int error_of_part(struct error *err, const char *word, const char *what)
{
	return quoted_hides(word, strlen(word)) ? error_set(err, err->code, "'%s' is not %s", word, what) : -1;
}

void error_words(char *out, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(out, size, QUOTED_TO_READ, format, args);
	va_end(args);
}

int error_no_memory(struct error *err)
{
	return error_set(err, EXIT_CODE_INTERNAL, "out of memory");
}

void *error_no_memory_null(struct error *err)
{
	error_no_memory(err);
	return NULL;
}

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

enum exit_code exit_code_worse(enum exit_code a, enum exit_code b)
{
	static const enum exit_code worst_first[] = { EXIT_CODE_INTERRUPTED, EXIT_CODE_INTERNAL,    EXIT_CODE_USAGE,
		                                      EXIT_CODE_IO,          EXIT_CODE_UNDELIVERED, EXIT_CODE_FAILED };
	for (size_t i = 0; i < sizeof worst_first / sizeof worst_first[0]; i++)
		if (a == worst_first[i] || b == worst_first[i])
			return worst_first[i];
	return a;
}
