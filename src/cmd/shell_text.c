#include "cmd/shell_text.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!is_letter_or_digit(text[i]) && (text[i] == '\0' || !strchr("_./:@%+,-", text[i])))
			return false;
	return length > 0;
}

/* The bytes of the next character, 0 at the end; *shown: a terminal shows it, and does nothing else. */
static size_t next_character(const char *text, size_t length, bool *shown)
{
	uint32_t c;
	size_t size = utf8_decode(text, length, &c);
	*shown = size > 0 && !utf8_is_unsafe(c);
	return size > 0 || length == 0 ? size : 1;
}

/* But for what `allowed` holds. */
static bool is_shown(const char *text, size_t length, const char *allowed)
{
	bool shown = true;
	for (size_t at = 0; at < length && shown;) {
		size_t size = next_character(text + at, length - at, &shown);
		shown = shown || (text[at] != '\0' && strchr(allowed, text[at]));
		at += size;
	}
	return shown;
}

bool shell_is_shown(const char *text, size_t length)
{
	return is_shown(text, length, "\n\t");
}

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
	size_t end = length;
	if (is_plain(text, length)) {
		buffer_append(out, text, length);
		return;
	}
	if (is_shown(text, length, "")) {
		shell_append_quoted(out, text, length);
		return;
	}
	while (end > 0 && text[end - 1] == '\n')
		end--;
	buffer_append_text(out, "\"$(");
	shell_append_printf(out, text, end);
	buffer_append_text(out, ")\"");
	if (end < length) /* which $(...) would remove */
		shell_append_quoted(out, text + end, length - end);
}

void shell_append_option(struct buffer *out, const char *option, const char *value)
{
	buffer_printf(out, " %s ", option);
	shell_append(out, value, strlen(value));
}

/* An exclamation mark means something to a shell that is typed to, even in the quotes of "$(printf '...')". */
static bool is_literal(const char *bytes, size_t at)
{
	return !strchr("'%\\!", bytes[at]) && (bytes[at] != '-' || at > 0);
}

/* In octal what is not shown, and what printf or the shell would not leave as it is. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length)
{
	buffer_append_text(out, "printf '");
	for (size_t at = 0; at < length;) {
		bool shown;
		size_t size = next_character(bytes + at, length - at, &shown);
		if (shown && is_literal(bytes, at))
			buffer_append(out, bytes + at, size);
		else
			for (size_t i = 0; i < size; i++)
				buffer_printf(out, "\\%03o", (unsigned)(unsigned char)bytes[at + i]);
		at += size;
	}
	buffer_append_byte(out, '\'');
}
