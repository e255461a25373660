#include "base/shell_text.h"

#include "base/utf8.h"

#include <string.h>

bool shell_can_quote(const char *text, size_t length)
{
	bool is_quotable = true;
	for (size_t at = 0; at < length && is_quotable;) {
		uint32_t c;
		size_t size = utf8_decode(text + at, length - at, &c);
		is_quotable = size > 0 && c != '\\' && (c == '\n' || !utf8_is_unsafe(c));
		at += size;
	}
	return is_quotable;
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

static bool is_plain(const char *text, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-";
	for (size_t i = 0; i < length; i++)
		if (!memchr(plain, text[i], sizeof plain - 1))
			return false;
	return length > 0;
}

static void append_printed(struct buffer *out, const char *text, size_t length)
{
	buffer_append_text(out, "\"$(");
	shell_append_printf(out, text, length);
	buffer_append_text(out, ")\"");
}

void shell_append(struct buffer *out, const char *text, size_t length)
{
	if (is_plain(text, length)) {
		buffer_append(out, text, length);
	} else if (shell_can_quote(text, length)) {
		shell_append_quoted(out, text, length);
	} else {
		append_printed(out, text, length);
	}
}

void shell_append_assignment(struct buffer *out, const char *text, size_t length)
{
	const char *sign = memchr(text, '=', length);
	size_t name = sign ? (size_t)(sign - text) : 0;
	if (sign && is_plain(text, name) && is_plain(sign + 1, length - name - 1))
		buffer_append(out, text, length);
	else
		shell_append(out, text, length);
}

static void append_path(struct buffer *out, const char *path)
{
	bool is_number = path[0] != '\0' && path[strspn(path, "0123456789")] == '\0';
	bool is_other = path[0] == '-' || is_number || strcmp(path, "last") == 0;
	buffer_printf(out, "%s%s", is_other ? "./" : "", path);
}

void shell_append_file(struct buffer *out, const char *path)
{
	LOCAL_BUFFER name = BUFFER_FOR(out);
	append_path(&name, path);
	if (memchr(path, '\n', strlen(path)))
		append_printed(out, buffer_text(&name), name.length);
	else
		shell_append(out, buffer_text(&name), name.length);
}

void shell_append_quoted_file(struct buffer *out, const char *path)
{
	LOCAL_BUFFER name = BUFFER_FOR(out);
	append_path(&name, path);
	shell_append_quoted(out, buffer_text(&name), name.length);
}

void shell_append_option(struct buffer *out, const char *option, const char *value)
{
	buffer_printf(out, " %s ", option);
	shell_append(out, value, strlen(value));
}

void shell_append_printf(struct buffer *out, const char *bytes, size_t length)
{
	buffer_append_text(out, "printf '");
	for (size_t at = 0; at < length;) {
		uint32_t c;
		size_t size = utf8_decode(bytes + at, length - at, &c);
		/* '-' as the first would begin an option; fish reads \\ in quotes as one, and csh ! as history. */
		bool is_octal =
		        size == 0 || utf8_is_unsafe(c) || c == '\'' || c == '\\' || c == '!' || (c == '-' && at == 0);
		size = size > 0 ? size : 1;
		if (c == '%' && !is_octal)
			buffer_append_text(out, "%%");
		else if (!is_octal)
			buffer_append(out, bytes + at, size);
		for (size_t i = 0; i < size && is_octal; i++)
			buffer_printf(out, "\\%03o", (unsigned)(unsigned char)bytes[at + i]);
		at += size;
	}
	buffer_append_byte(out, '\'');
}
