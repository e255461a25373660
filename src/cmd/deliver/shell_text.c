#include "cmd/deliver/shell_text.h"

#include "cmd/secrets.h"
#include "config/address.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!is_letter_or_digit(text[i]) && (text[i] == '\0' || !strchr("_./:@%+,-", text[i])))
			return false;
	return length > 0;
}

void shell_append(struct buffer *out, const char *text, size_t length)
{
	if (is_plain(text, length)) {
		buffer_append(out, text, length);
		return;
	}
	buffer_append_byte(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			buffer_append_text(out, "'\\''");
		else
			buffer_append_byte(out, text[i]);
	}
	buffer_append_byte(out, '\'');
}

void shell_append_option(struct buffer *out, const char *option, const char *value)
{
	buffer_printf(out, " %s ", option);
	shell_append(out, value, strlen(value));
}

void shell_append_edits(struct buffer *out, const struct edits *edits)
{
	static const char *const options[] = {
		[EDIT_SET_TEXT] = "--set", [EDIT_SET_JSON] = "--set", [EDIT_UNSET] = "--unset", [EDIT_MERGE] = "--merge"
	};
	for (size_t i = 0; i < edits->count; i++)
		shell_append_option(out, options[edits->list[i].kind], edits->list[i].source);
}

/* The variable that stands for the value of a header: X_TOKEN of X-Token. */
static void append_variable(struct buffer *out, const char *name, size_t length)
{
	buffer_append_text(out, is_digit(name[0]) ? "\"$_" : "\"$");
	for (size_t i = 0; i < length; i++) {
		char c = name[i];
		buffer_append_byte(out, !is_letter_or_digit(c) ? '_' : c >= 'a' ? (char)(c - 'a' + 'A') : c);
	}
	buffer_append_byte(out, '"');
}

bool shell_append_header(struct buffer *out, const char *line)
{
	size_t name = strcspn(line, ":;");
	if (line[0] == '@' || line[name] == '\0' || !secret_is_header(line, name)) {
		shell_append_option(out, "-H", line);
		return false;
	}
	/* A name may hold ` and $ (RFC 9110, 5.6.2), and be a stranger's. */
	struct buffer shown = BUFFER_INIT;
	buffer_printf(&shown, "%.*s: ", (int)name, line);
	out->failed |= shown.failed;
	buffer_append_text(out, " -H ");
	shell_append(out, buffer_text(&shown), shown.length);
	append_variable(out, line, name);
	buffer_release(&shown);
	return true;
}

bool shell_append_url(struct buffer *out, const char *url, const char *name)
{
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, url);
	bool is_secret = strcmp(buffer_text(&masked), url) != 0;
	if (is_secret)
		buffer_printf(out, "\"$%s\"", name);
	else
		shell_append(out, url, strlen(url));
	buffer_release(&masked);
	return is_secret;
}

/* Everything but plain characters in octal: no quote, no percent sign, no backslash of the body's own is left. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length)
{
	buffer_append_text(out, "printf '");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c >= 0x80 || (c >= ' ' && c != 0x7f && c != '\'' && c != '%' && c != '\\' && (c != '-' || i > 0)))
			buffer_append_byte(out, (char)c);
		else
			buffer_printf(out, "\\%03o", c);
	}
	buffer_append_byte(out, '\'');
}
