#include "cmd/deliver/shell_text.h"

#include "cmd/secrets.h"
#include "config/address.h"

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

static uint64_t hash(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return hash;
}

/* Which of the variable's values this is, from 1. */
static uint64_t number_of(struct shell_secrets *s, const struct buffer *name, const char *value, bool *fresh)
{
	struct shell_secret secret = { hash(name->data, name->length), hash(value, strlen(value)) };
	uint64_t number = 1;
	*fresh = false;
	for (size_t i = 0; i < s->count; i++) {
		if (s->seen[i].name != secret.name)
			continue;
		if (s->seen[i].value == secret.value)
			return number;
		number++;
	}
	*fresh = true;
	if (s->count == SHELL_SECRETS_MAX)
		return SHELL_SECRETS_MAX + ++s->beyond;
	s->seen[s->count++] = secret;
	return number;
}

/* $NAME, with the number that tells its value from others. */
static void append_variable(struct buffer *out, struct buffer *name, const char *value, struct shell_secrets *secrets)
{
	bool fresh = false;
	uint64_t number = secrets && !name->failed ? number_of(secrets, name, value, &fresh) : 1;
	if (number > 1)
		buffer_printf(name, "_%llu", (unsigned long long)number);
	buffer_printf(out, "$%s", buffer_text(name));
	if (!secrets)
		return;
	secrets->any = true;
	if (fresh && number > 1)
		buffer_printf(&secrets->fresh, "%s$%s", secrets->fresh.length > 0 ? ", " : "", buffer_text(name));
}

void shell_append_header(struct buffer *out, const char *line, struct shell_secrets *secrets)
{
	size_t length = strcspn(line, ":;");
	if (line[0] == '@' || line[length] == '\0' || !secret_is_header(line, length)) {
		shell_append_option(out, "-H", line);
		return;
	}
	struct buffer name = BUFFER_INIT;
	for (size_t i = 0; i < length; i++) {
		char c = line[i];
		buffer_append_byte(&name, !is_letter_or_digit(c) ? '_' : c >= 'a' ? (char)(c - 'a' + 'A') : c);
	}
	const char *value = line + length + 1;
	buffer_printf(out, " -H \"%.*s: ", (int)length, line);
	append_variable(out, &name, value + strspn(value, " \t"), secrets);
	buffer_append_byte(out, '"');
	buffer_release(&name);
}

void shell_append_url(struct buffer *out, const char *url, const char *name, struct shell_secrets *secrets)
{
	struct buffer masked = BUFFER_INIT, variable = BUFFER_INIT;
	address_append_masked(&masked, url);
	if (strcmp(buffer_text(&masked), url) != 0) {
		buffer_append_text(&variable, name);
		buffer_append_byte(out, '"');
		append_variable(out, &variable, url, secrets);
		buffer_append_byte(out, '"');
	} else {
		shell_append(out, url, strlen(url));
	}
	buffer_release(&masked);
	buffer_release(&variable);
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
