#include "base/error.h"

#include "base/url.h"
#include "base/utf8.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A quoted text may contain a URL with a password. */
static void append_quoted(struct buffer *out, const char *text, size_t length)
{
	LOCAL_BUFFER masked = BUFFER_FOR(out);
	size_t at = 0;
	url_append_masked_text(&masked, text, length);
	for (int count = 0; count < ERROR_QUOTED_MAX && at < masked.length; count++) {
		uint32_t code_point;
		size_t size = utf8_decode(masked.data + at, masked.length - at, &code_point);
		at += size > 0 ? size : 1;
	}
	buffer_append(out, buffer_text(&masked), at);
	buffer_append_text(out, at < masked.length ? "..." : "");
}

/* va_list may be an array type, which cannot be passed by pointer; a struct can. */
struct arguments {
	va_list list;
};

/* A whole number of the type that the conversion names: l, ll, z or none. */
static void append_number(struct buffer *out, struct arguments *arguments, size_t longs, char type, bool is_size)
{
	if (type == 'u') {
		buffer_append_number(out, is_size      ? va_arg(arguments->list, size_t)
		                          : longs == 0 ? va_arg(arguments->list, unsigned)
		                          : longs == 1 ? va_arg(arguments->list, unsigned long)
		                                       : va_arg(arguments->list, unsigned long long));
		return;
	}
	long long number = longs == 0   ? va_arg(arguments->list, int)
	                   : longs == 1 ? va_arg(arguments->list, long)
	                                : va_arg(arguments->list, long long);
	buffer_append_text(out, number < 0 ? "-" : "");
	buffer_append_number(out, number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number);
}

/* printf() with the conversions that error_set() has; quoted arguments and places are masked and shortened. */
static void append_format(struct buffer *out, const char *format, struct arguments *arguments)
{
	bool quoted = false;
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			/* A quote after a letter is an apostrophe and opens nothing. */
			bool behind_letter = at > format && isalpha((unsigned char)at[-1]);
			quoted = quoted != (*at == '\'' && (quoted || !behind_letter));
			buffer_append_byte(out, *at);
			continue;
		}
		bool is_cut = at[1] == '.' && at[2] == '*';
		int most = is_cut ? va_arg(arguments->list, int) : INT_MAX;
		at += is_cut ? 3 : 1;
		size_t longs = strspn(at, "l");
		bool is_size = at[longs] == 'z';
		at += longs + is_size;
		if (*at == 's') {
			const char *text = va_arg(arguments->list, const char *);
			text = text ? text : "(null)";
			size_t length = strnlen(text, (size_t)most);
			if (quoted || at[1] == ':')
				append_quoted(out, text, length);
			else
				buffer_append(out, text, length);
		} else if (*at == 'd' || *at == 'u') {
			append_number(out, arguments, longs, *at, is_size);
		} else {
			buffer_append_byte(out, *at == 'c' ? (char)va_arg(arguments->list, int) : *at);
		}
	}
}

/* Formats into a line of its own first: an argument may be the message that is being replaced. */
__attribute__((format(printf, 3, 0))) static void set_text(char *out, size_t size, const char *format, va_list args)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	struct arguments arguments;
	va_copy(arguments.list, args);
	append_format(&line, format, &arguments);
	va_end(arguments.list);
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
	set_text(err->message, sizeof err->message, format, args);
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
	set_text(err->hint, sizeof err->hint, format, args);
	va_end(args);
	err->asks = false;
	return -1;
}

int error_ask(struct error *err, const char *format, ...)
{
	char meant[ERROR_HINT_SIZE];
	va_list args;
	va_start(args, format);
	set_text(meant, sizeof meant, format, args);
	va_end(args);
	error_hint(err, "did you mean %s?", meant);
	err->asks = true;
	return -1;
}

void error_words(char *out, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(out, size, format, args);
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
