#include "cmd/words/complete.h"

#include "catalog/catalog.h"
#include "config/config.h"
#include "payload/finding.h"

#include <string.h>

/* Offers one candidate, if it begins with what is typed. */
static void offer(struct completion *to, const char *candidate, const char *meaning)
{
	const char *typed = to->word + to->fixed;
	if (strncmp(candidate, typed, strlen(typed)) != 0)
		return;
	LOCAL_BUFFER line = BUFFER_INIT;
	buffer_append(&line, to->word, to->fixed);
	buffer_printf(&line, "%s\t", candidate);
	const char *there = to->lines.length > 0 ? strstr(to->lines.data, buffer_text(&line)) : NULL;
	if (!there || (there > to->lines.data && there[-1] != '\n'))
		buffer_printf(&to->lines, "%s%s\n", buffer_text(&line), meaning ? meaning : "");
}

void completion_release(struct completion *to)
{
	buffer_release(&to->lines);
}

void completion_append(struct buffer *out, const struct completion *to)
{
	buffer_append(out, buffer_text(&to->lines), to->lines.length);
	if (to->files)
		buffer_printf(out, ":files %.*s\n", (int)to->fixed, to->word);
}

static void offer_events(struct completion *to, bool or_all)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		offer(to, catalog_events[i].name, catalog_events[i].title);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind at = catalog_kind_at(i);
		offer(to, KIND_NAME(at), at.element ? at.element->title : at.event->title);
	}
	if (or_all)
		offer(to, "all", "every event and element");
}

/* The fields and those within them. */
static void offer_members(struct completion *to, const struct catalog_member *members, size_t count, const char *prefix,
                          const char *suffix)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		LOCAL_BUFFER path = BUFFER_INIT, candidate = BUFFER_INIT;
		buffer_printf(&path, "%s.%s", prefix, field->name);
		buffer_printf(&candidate, "%s%s", buffer_text(&path), suffix);
		offer(to, buffer_text(&candidate), field->meaning);
		offer_members(to, field->members, field->member_count, buffer_text(&path), suffix);
	}
}

static void offer_details(struct completion *to, const char *suffix)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		offer_members(to, catalog_events[i].details, catalog_events[i].detail_count, "details", suffix);
}

/* Offers what a kind of argument or operand may be. Of a list, only what follows the last comma is completed. */
static void offer_type(struct completion *to, enum completion_type kind)
{
	const char *comma = strrchr(to->word + to->fixed, ',');
	LOCAL(config_release) struct config config = CONFIG_INIT;
	struct error unused;
	bool is_list = kind == COMPLETE_EVENTS || kind == COMPLETE_FINDINGS;
	if (comma && is_list)
		to->fixed = (size_t)(comma + 1 - to->word);
	switch (kind) {
	case COMPLETE_UNSET:
	case COMPLETE_NOTHING:
		break;
	case COMPLETE_AT_FILE:
		to->files = to->word[to->fixed] == '@';
		to->fixed += to->files;
		break;
	case COMPLETE_FILE:
	case COMPLETE_OUTPUT:
		to->files = true;
		break;
	case COMPLETE_EVENT:
	case COMPLETE_EVENTS:
		offer_events(to, kind == COMPLETE_EVENTS);
		break;
	case COMPLETE_FINDINGS:
		for (size_t i = 0; i < FINDING_ID_COUNT; i++)
			offer(to, finding_rows[i].name, finding_rows[i].summary);
		break;
	case COMPLETE_ASSIGNMENT:
		offer_details(to, "=");
		break;
	case COMPLETE_TOPIC:
		offer_events(to, false);
		/* fall through */
	case COMPLETE_FIELD:
		offer_details(to, "");
		for (size_t i = 0; i < catalog_envelope_count; i++)
			offer(to, catalog_envelope[i]->name, catalog_envelope[i]->meaning);
		break;
	case COMPLETE_ENVIRONMENT:
		if (config_load(&config, to->config, to->no_config, &unused) < 0)
			break;
		for (size_t i = 0; i < config.environment_count; i++)
			if (config.environments[i].name[strcspn(config.environments[i].name, "\t\n\r\033")] == '\0')
				offer(to, config.environments[i].name, NULL);
		break;
	case COMPLETE_COMMAND:
		for (size_t i = 0; to->commands[i]; i++)
			offer(to, to->commands[i]->name, to->commands[i]->phrase);
		break;
	}
}

/* A line of one command, read word by word. */
struct command_line {
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count;
	size_t operand_count;
	bool only_operands;           /* behind "--" */
	const struct option *lacking; /* the option whose argument comes next */
};

/* A word that begins with '-' and is not a value. */
static void read_option(struct command_line *line, const char *word)
{
	const struct option *option = NULL;
	bool has_value = false;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		option = options_find(line->groups, line->group_count, 0, word + 2, length);
		has_value = word[2 + length] == '=';
	}
	for (const char *letter = word + 1; word[1] != '-' && *letter && !(option && option->argument); letter++) {
		option = options_find(line->groups, line->group_count, *letter, NULL, 0);
		has_value = letter[1] != '\0';
	}
	if (option && option->argument && !option->argument_optional && !has_value)
		line->lacking = option;
}

static void offer_value(struct completion *to, const struct option *option)
{
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		offer(to, option->choices[i], NULL);
	offer_type(to, option->complete);
}

/* Offers what to->word may be behind the words read, where that is an option or its argument. False: it is, or may also
 * be, an operand. */
static bool complete_option(struct completion *to, const struct command_line *line)
{
	size_t length = strcspn(to->word, "=");
	if (line->lacking) {
		offer_value(to, line->lacking);
		return true;
	}
	if (to->word[0] != '-' || line->only_operands)
		return false;
	if (to->word[length] == '\0') {
		for (size_t g = 0; g < line->group_count; g++) {
			for (size_t i = 0; i < line->groups[g].count; i++) {
				LOCAL_BUFFER name = BUFFER_INIT;
				buffer_printf(&name, "--%s", line->groups[g].options[i].name);
				offer(to, buffer_text(&name), line->groups[g].options[i].help);
			}
		}
		return to->word[1] != '\0'; /* "-" alone may be standard input */
	}
	if (length > 2) {
		const struct option *option =
		        options_find(line->groups, line->group_count, 0, to->word + 2, length - 2);
		to->fixed = length + 1;
		if (option && option->argument)
			offer_value(to, option);
	}
	return true;
}

void complete_words(struct completion *to, const struct text_list *words)
{
	struct command_line line = { .group_count = 1 };
	const struct command *command = NULL;
	struct error unused;
	to->word = words->count > 0 ? words->items[words->count - 1] : "";
	line.groups[0] = global_option_group;
	for (size_t i = 0; i + 1 < words->count; i++) {
		if (line.lacking)
			line.lacking = NULL;
		else if (!line.only_operands && strcmp(words->items[i], "--") == 0)
			line.only_operands = true;
		else if (!line.only_operands && words->items[i][0] == '-' && words->items[i][1])
			read_option(&line, words->items[i]);
		else
			line.operand_count++;
		if (command || line.operand_count == 0)
			continue;
		command = command_named(to->commands, words->items[i], &unused);
		if (!command)
			return;
		const struct command *like = command->like ? command_named(to->commands, command->like, &unused) : NULL;
		line.group_count = command_groups(like ? like : command, line.groups);
	}
	if (!complete_option(to, &line))
		offer_type(to, command ? command->complete : COMPLETE_COMMAND);
}
