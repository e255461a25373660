#include "cmd/shell_text.h"

#include <ctype.h>
#include <string.h>

void shell_append_quoted(struct buffer *out, const char *text, size_t length)
{
	buffer_append_byte(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			buffer_append_text(out, "'\\''");
		else
			buffer_append_byte(out, text[i]);
	}
	buffer_append_byte(out, '\'');
}

void shell_append(struct buffer *out, const char *text, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-";
	bool is_plain = length > 0;
	for (size_t i = 0; i < length && is_plain; i++)
		is_plain = memchr(plain, text[i], sizeof plain - 1) != NULL;
	if (is_plain)
		buffer_append(out, text, length);
	else
		shell_append_quoted(out, text, length);
}

void shell_append_option(struct buffer *out, const char *option, const char *value)
{
	buffer_printf(out, " %s ", option);
	shell_append(out, value, strlen(value));
}

void shell_append_printf(struct buffer *out, const char *bytes, size_t length)
{
	buffer_append_text(out, "printf '");
	for (size_t i = 0; i < length; i++)
		if (bytes[i] == ' ' || isalnum((unsigned char)bytes[i]))
			buffer_append_byte(out, bytes[i]);
		else
			buffer_printf(out, "\\%03o", (unsigned)(unsigned char)bytes[i]);
	buffer_append_byte(out, '\'');
}
