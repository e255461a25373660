#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf cuts at a byte; a character cut in half would reach the terminal as rubbish. */
static void drop_half_character(char *text, size_t size)
{
	size_t length = strlen(text);
	if (length + 1 < size)
		return;
	while (length > 0 && ((unsigned char)text[length - 1] & 0xC0) == 0x80)
		length--;
	if (length > 0 && ((unsigned char)text[length - 1] & 0x80) != 0)
		length--;
	text[length] = '\0';
}

int error_set(struct error *err, enum exit_code code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	drop_half_character(err->message, sizeof err->message);
	err->code = code;
	err->hint[0] = '\0';
	return -1;
}

int error_hint(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->hint, sizeof err->hint, format, args);
	va_end(args);
	drop_half_character(err->hint, sizeof err->hint);
	return -1;
}

int error_no_memory(struct error *err)
{
	return error_set(err, EXIT_CODE_INTERNAL, "out of memory");
}
