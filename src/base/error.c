#include "base/error.h"

#include "base/url.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct line {
	char text[ERROR_MESSAGE_SIZE];
	size_t size; /* bytes of it that may be used */
	size_t length;
	bool cut;
};

static void append(struct line *line, const char *bytes, size_t length)
{
	size_t room = line->size - 1 - line->length;
	line->cut = line->cut || length > room;
	if (length > room)
		length = room;
	memcpy(line->text + line->length, bytes, length);
	line->length += length;
}

static void append_shortened(struct line *line, const char *text, size_t length)
{
	size_t at = 0;
	for (int count = 0; count < ERROR_QUOTED_MAX && at < length; count++) {
		uint32_t code_point;
		size_t size = utf8_decode(text + at, length - at, &code_point);
		at += size > 0 ? size : 1;
	}
	append(line, text, at);
	if (at < length)
		append(line, "...", 3);
}

/* A quoted text may contain a URL with a password. */
static void append_quoted(struct line *line, const char *text, size_t length)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked_text(&masked, text, length);
	append_shortened(line, masked.failed ? "***" : buffer_text(&masked), masked.failed ? 3 : masked.length);
}

static void append_number(struct line *line, bool negative, unsigned long long number)
{
	char digits[32];
	int length = snprintf(digits, sizeof digits, "%s%llu", negative ? "-" : "", number);
	append(line, digits, (size_t)length);
}

/* One conversion of a format: the subset of printf() that errors use. */
struct conversion {
	bool has_precision, precision_is_argument;
	int precision; /* bytes of a string */
	int longs;     /* number of l before the type */
	bool is_size;  /* z */
	char type;
};

/* Reads the conversion after its %. Returns what follows it. */
static const char *read_conversion(const char *at, struct conversion *c)
{
	*c = (struct conversion){ .has_precision = *at == '.' };
	at += c->has_precision;
	c->precision_is_argument = c->has_precision && *at == '*';
	at += c->precision_is_argument;
	for (; *at >= '0' && *at <= '9'; at++)
		c->precision = c->precision * 10 + (*at - '0');
	for (; *at == 'l'; at++)
		c->longs++;
	c->is_size = *at == 'z';
	at += c->is_size;
	c->type = *at;
	return *at ? at + 1 : at;
}

/* va_list may be an array type, which cannot be passed by pointer; a struct can. */
struct arguments {
	va_list list;
};

/* A quote after a letter is an apostrophe and opens nothing. */
static bool quotes_change(const char *format, const char *at, bool quoted)
{
	bool behind_letter = at > format && ((at[-1] | 0x20) >= 'a' && (at[-1] | 0x20) <= 'z');
	return *at == '\'' && (quoted || !behind_letter);
}

/* printf(), except that quoted arguments ('%s') and places (%s:) are masked and shortened. False: a conversion that
 * read_conversion() does not support. */
static bool append_format(struct line *line, const char *format, struct arguments *arguments)
{
	bool quoted = false;
	for (const char *at = format; *at;) {
		struct conversion c;
		if (*at != '%') {
			quoted = quoted != quotes_change(format, at, quoted);
			append(line, at++, 1);
			continue;
		}
		at = read_conversion(at + 1, &c);
		if (c.type == 's') {
			int precision = c.precision_is_argument ? va_arg(arguments->list, int) : c.precision;
			const char *text = va_arg(arguments->list, const char *);
			text = text ? text : "(null)";
			size_t length =
			        c.has_precision && precision >= 0 ? strnlen(text, (size_t)precision) : strlen(text);
			if (quoted || *at == ':')
				append_quoted(line, text, length);
			else
				append(line, text, length);
		} else if (c.type == 'd' || c.type == 'u') {
			if (c.is_size) {
				append_number(line, false, va_arg(arguments->list, size_t));
			} else if (c.type == 'u') {
				append_number(line, false,
				              c.longs == 0   ? va_arg(arguments->list, unsigned)
				              : c.longs == 1 ? va_arg(arguments->list, unsigned long)
				                             : va_arg(arguments->list, unsigned long long));
			} else {
				long long number = c.longs == 0   ? va_arg(arguments->list, int)
				                   : c.longs == 1 ? va_arg(arguments->list, long)
				                                  : va_arg(arguments->list, long long);
				append_number(line, number < 0,
				              number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number);
			}
		} else if (c.type == 'c') {
			append(line, &(char){ (char)va_arg(arguments->list, int) }, 1);
		} else if (c.type == '%') {
			append(line, "%", 1);
		} else {
			return false;
		}
	}
	return true;
}

/* Formats into a line of its own first: an argument may be the message that is being replaced. */
__attribute__((format(printf, 3, 0))) static void set_text(char *out, size_t size, const char *format, va_list args)
{
	struct line line = { .size = size };
	struct arguments arguments;
	va_copy(arguments.list, args);
	bool done = append_format(&line, format, &arguments);
	va_end(arguments.list);
	if (!done) {
		int length = vsnprintf(line.text, size, format, args);
		line.cut = length >= 0 && (size_t)length >= size;
		line.length = length < 0 ? 0 : line.cut ? size - 1 : (size_t)length;
	}
	line.text[line.length] = '\0';
	if (line.cut) {
		/* vsnprintf() cuts at a byte, perhaps inside a character. */
		size_t start = line.length;
		while (start > 0 && line.length - start < 3 && ((unsigned char)line.text[start - 1] & 0xC0) == 0x80)
			start--;
		uint32_t code_point;
		if (start > 0 && (unsigned char)line.text[start - 1] >= 0xC0 &&
		    utf8_decode(line.text + start - 1, line.length - (start - 1), &code_point) == 0)
			line.text[start - 1] = '\0';
	}
	memcpy(out, line.text, strlen(line.text) + 1);
}

int error_set(struct error *err, enum exit_code code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(err->message, sizeof err->message, format, args);
	va_end(args);
	err->code = code;
	err->hint[0] = '\0';
	return -1;
}

int error_hint(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	set_text(err->hint, sizeof err->hint, format, args);
	va_end(args);
	return -1;
}

int error_no_memory(struct error *err)
{
	return error_set(err, EXIT_CODE_INTERNAL, "out of memory");
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
