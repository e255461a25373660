#include "cmd/words/again.h"

#include "base/quoted.h"
#include "base/shell_text.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>

void again_append_masked(struct buffer *out, const struct echoes *secrets, const char *word, const char *before)
{
	LOCAL_BUFFER masked = BUFFER_FOR(out);
	quoted_append_argument(&masked, word, before);
	if (secrets)
		echoes_mask(secrets, &masked, 0);
	buffer_append(out, buffer_text(&masked), masked.length);
}

void again_append_word(struct buffer *out, const struct echoes *secrets, const char *word, const char *before)
{
	LOCAL_BUFFER masked = BUFFER_FOR(out), shown = BUFFER_FOR(out);
	again_append_masked(&masked, secrets, word, before);
	const char *text = buffer_text(&masked), *value = strchr(word, '=');
	size_t name = value ? (size_t)(value - word) + 1 : 0;
	if (strcmp(text, word) == 0)
		buffer_append_text(&shown, word);
	else if (name > 0 && strncmp(text, word, name) == 0)
		buffer_printf(&shown, "%.*s...", (int)name, word);
	else
		buffer_append_text(&shown, "VALUE");
	shell_append(out, buffer_text(&shown), shown.length);
}

/* Whether a NAME=VALUE in it is not a secret for its name: a key is what an identifier is called in payloads, and an ID
 * is a check's. */
static bool is_public(const struct option *option, const char *value)
{
	char name[CATALOG_KIND_NAME_SIZE];
	size_t path = strcspn(value, ":="), begin = path;
	while (begin > 0 && !strchr("./", value[begin - 1]))
		begin--;
	snprintf(name, sizeof name, "%.*s", (int)(path - begin), value + begin);
	return option->is_public ||
	       (option->complete == COMPLETE_ASSIGNMENT && catalog_field_named(name) && !strstr(name, "Token"));
}

void again_append_option(struct buffer *out, const struct echoes *secrets, const struct option_word *word)
{
	const struct option *option = word->option;
	LOCAL_BUFFER name = BUFFER_FOR(out);
	if (option->letter)
		buffer_printf(&name, "-%c", option->letter);
	else
		buffer_printf(&name, "--%s", option->name);
	buffer_printf(out, " %s", buffer_text(&name));
	for (size_t part = 0; part < 2; part++) {
		const char *value = part == 0 ? word->value : word->more;
		if (!value)
			continue;
		LOCAL_BUFFER masked = BUFFER_FOR(out);
		if (is_public(option, value))
			quoted_append(&masked, value, strlen(value));
		else
			quoted_append_argument(&masked, value, buffer_text(&name));
		if (secrets)
			echoes_mask(secrets, &masked, 0);
		bool is_whole = strcmp(buffer_text(&masked), value) == 0;
		buffer_append_byte(out, option->argument_optional && part == 0 ? '=' : ' ');
		shell_append(out, is_whole ? value : "VALUE", is_whole ? strlen(value) : strlen("VALUE"));
	}
}
