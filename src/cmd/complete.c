#include "cmd/complete.h"

#include "cmd/cmd.h"

#include <string.h>

/* The command line so far, read word by word. */
struct line {
	const struct command *command; /* NULL: not named yet */
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count;
	bool unknown;                 /* the command is none: there is nothing to say */
	bool only_operands;           /* behind "--" */
	const struct option *lacking; /* the option whose argument comes next */
};

void complete_offer(struct completion *to, const char *candidate, const char *meaning)
{
	const char *typed = to->word + to->fixed;
	if (strncmp(candidate, typed, strlen(typed)) != 0)
		return;
	struct buffer line = BUFFER_INIT;
	buffer_append(&line, to->word, to->fixed);
	buffer_printf(&line, "%s\t", candidate);
	const char *there = to->lines.length > 0 ? strstr(to->lines.data, buffer_text(&line)) : NULL;
	if (!there || (there > to->lines.data && there[-1] != '\n'))
		buffer_printf(&to->lines, "%s%s\n", buffer_text(&line), meaning ? meaning : "");
	buffer_release(&line);
}

void completion_release(struct completion *to)
{
	buffer_release(&to->lines);
}

void completion_append(struct buffer *out, const struct completion *to)
{
	buffer_append(out, buffer_text(&to->lines), to->lines.length);
	if (to->files != COMPLETION_NO_FILES)
		buffer_printf(out, ":%s %.*s\n", to->files == COMPLETION_FILES ? "files" : "folders", (int)to->fixed,
		              to->word);
}

static void note_event(struct completion *to, const char *name)
{
	const char *nearest;
	struct catalog_kind kind;
	if (to->kind_count < sizeof to->kinds / sizeof to->kinds[0] &&
	    catalog_find_kind(name, &kind, &nearest) == CATALOG_FOUND)
		to->kinds[to->kind_count++] = kind;
}

static void note_value(struct completion *to, const struct option *option, const char *value)
{
	if (strcmp(option->name, "config") == 0)
		to->config = value;
	else if (strcmp(option->name, "event") == 0)
		note_event(to, value);
}

/* A word that begins with '-' and is no value. */
static void read_option(struct completion *to, struct line *line, const char *word)
{
	const struct option *option = NULL;
	const char *value = NULL;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		option = options_find(line->groups, line->group_count, 0, word + 2, length);
		value = word[2 + length] == '=' ? word + 3 + length : NULL;
	}
	for (const char *letter = word + 1; word[1] != '-' && *letter; letter++) {
		option = options_find(line->groups, line->group_count, *letter, NULL, 0);
		if (option && option->argument) {
			value = letter[1] ? letter + 1 : NULL;
			break;
		}
	}
	if (!option)
		return;
	to->no_config |= strcmp(option->name, "no-config") == 0;
	if (value)
		note_value(to, option, value);
	else if (option->argument && !option->argument_optional)
		line->lacking = option;
}

static void read_word(struct completion *to, struct line *line, const char *word)
{
	if (line->lacking) {
		note_value(to, line->lacking, word);
		line->lacking = NULL;
	} else if (!line->only_operands && strcmp(word, "--") == 0) {
		line->only_operands = true;
	} else if (!line->only_operands && word[0] == '-' && word[1]) {
		read_option(to, line, word);
	} else if (line->command) {
		note_event(to, word);
	} else {
		struct error unused;
		line->command = command_named(word, &unused);
		line->unknown = !line->command;
		if (line->command)
			line->group_count = command_groups(line->command, line->groups);
	}
}

static void offer_value(struct completion *to, const struct option *option)
{
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		complete_offer(to, option->choices[i], NULL);
	if (!option->choices)
		complete_argument(to, option->argument);
}

static void offer_option(struct completion *to, const struct option *option)
{
	struct buffer name = BUFFER_INIT;
	buffer_printf(&name, "--%s", option->name);
	complete_offer(to, buffer_text(&name), option->help);
	for (size_t i = 0; option->argument_optional && option->choices && option->choices[i]; i++) {
		buffer_clear(&name);
		buffer_printf(&name, "--%s=%s", option->name, option->choices[i]);
		complete_offer(to, buffer_text(&name), option->help);
	}
	if (option->argument_optional && !option->choices) {
		buffer_append_byte(&name, '=');
		complete_offer(to, buffer_text(&name), option->help);
	}
	buffer_release(&name);
}

static void offer_options(struct completion *to, const struct line *line)
{
	size_t length = strcspn(to->word, "=");
	if (to->word[length] == '=' && length > 2) {
		const struct option *option =
		        options_find(line->groups, line->group_count, 0, to->word + 2, length - 2);
		to->fixed = length + 1;
		if (option && option->argument)
			offer_value(to, option);
		return;
	}
	for (size_t g = 0; g < line->group_count; g++)
		for (size_t i = 0; i < line->groups[g].count; i++)
			offer_option(to, &line->groups[g].options[i]);
}

/* Of "[EVENT...|all]" and "[FILE|DIR|-]..." what stands between brackets and dots. */
static void offer_operands(struct completion *to, const struct command *command)
{
	struct buffer name = BUFFER_INIT;
	for (const char *at = command->operands; *at; at++) {
		if (*at != '[' && *at != ']' && strncmp(at, "...", 3) != 0)
			buffer_append_byte(&name, *at);
		else if (*at == '.')
			at += 2;
	}
	complete_argument(to, buffer_text(&name));
	buffer_release(&name);
}

void complete_words(struct completion *to, const struct text_list *words)
{
	struct line line = { .group_count = 1 };
	memset(to, 0, sizeof *to);
	line.groups[0] = global_option_group;
	for (size_t i = 0; i + 1 < words->count; i++)
		read_word(to, &line, words->items[i]);
	to->word = words->count > 0 ? words->items[words->count - 1] : "";
	if (line.unknown)
		return;
	if (line.lacking) {
		offer_value(to, line.lacking);
		return;
	}
	if (to->word[0] == '-' && !line.only_operands) {
		offer_options(to, &line);
		if (to->word[1] != '\0') /* "-" alone may be standard input */
			return;
	}
	for (size_t i = 0; !line.command && i < command_count; i++)
		complete_offer(to, commands[i]->name, commands[i]->summary);
	if (line.command)
		offer_operands(to, line.command);
}
