#include "base/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf cuts at a byte; a character cut in half would reach the terminal as rubbish. */
static void drop_half_character(char *text, size_t length)
{
	size_t start = length;
	while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	uint32_t code_point;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xC0 &&
	    utf8_decode(text + start - 1, length - (start - 1), &code_point) == 0)
		text[start - 1] = '\0';
}

/* The text is made aside, since the arguments may well be the message that is to be replaced. */
__attribute__((format(printf, 3, 0))) static void set_text(char *out, size_t size, const char *format, va_list args)
{
	char text[ERROR_MESSAGE_SIZE];
	int length = vsnprintf(text, size, format, args);
	if (length < 0)
		text[0] = '\0';
	else if ((size_t)length >= size)
		drop_half_character(text, size - 1);
	memcpy(out, text, strlen(text) + 1);
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
