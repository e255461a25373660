/* Tab: which word is being typed, and what may stand there. */
#include "cmd/shell/offers.h"

#include <stdlib.h>
#include <string.h>

/* The option rows of a command of either kind. */
struct rows {
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count;
	const char *operands;
};

static bool find_rows(const char *name, struct rows *rows)
{
	const struct shell_command *own = shell_command_named(name);
	rows->count = 0;
	if (own) {
		rows->operands = own->operands;
		if (own->options)
			rows->groups[rows->count++] = *own->options;
		if (own->like)
			rows->count = command_groups(own->like, rows->groups);
		else
			rows->groups[rows->count++] = shell_common_options;
		return true;
	}
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(commands[i]->name, name) == 0) {
			rows->operands = commands[i]->operands;
			rows->count = command_groups(commands[i], rows->groups);
			return true;
		}
	}
	return false;
}

/* The option that a word is: --name or -x as a whole. */
static const struct option *option_of(const struct rows *rows, const char *word, size_t length)
{
	for (size_t g = 0; g < rows->count; g++) {
		for (size_t i = 0; i < rows->groups[g].count; i++) {
			const struct option *o = &rows->groups[g].options[i];
			if (length > 2 && strlen(o->name) == length - 2 && memcmp(o->name, word + 2, length - 2) == 0)
				return o;
			if (length == 2 && o->letter && o->letter == word[1])
				return o;
		}
	}
	return NULL;
}

static void offer_value(struct offer *offer, const struct option *option)
{
	if (option->choices)
		for (size_t i = 0; option->choices[i]; i++)
			choices_offer(offer->choices, option->choices[i], offer->stem);
	else if (option->argument)
		offer_argument(offer, option->argument, option->name);
}

static void offer_options(struct offer *offer, const struct rows *rows)
{
	for (size_t g = 0; g < rows->count; g++) {
		for (size_t i = 0; i < rows->groups[g].count; i++) {
			struct buffer text = BUFFER_INIT;
			buffer_printf(&text, "--%s", rows->groups[g].options[i].name);
			choices_offer(offer->choices, buffer_text(&text), offer->stem);
			buffer_release(&text);
		}
	}
}

/* The synopsis of an operand by its place: "N FILE" has two, "EVENT...|all" one that repeats. */
static void offer_operand(struct offer *offer, const struct rows *rows, size_t place)
{
	const char *at = rows->operands;
	size_t length;
	struct buffer one = BUFFER_INIT;
	for (;;) {
		length = strcspn(at, " ");
		bool last = at[length] == '\0' || strncmp(at + length, " [OPTION", 8) == 0;
		if (place == 0 || last)
			break;
		place--;
		at += length + 1;
	}
	if (*at == '[')
		at++, length--;
	buffer_append(&one, at, length);
	if (length > 0)
		offer_argument(offer, buffer_text(&one), NULL);
	buffer_release(&one);
}

static void offer_for(struct offer *offer, const struct line *line)
{
	struct rows rows;
	const char *word = offer->stem;
	size_t place = 0;
	if (line->count == 1) {
		offer_commands(offer);
		return;
	}
	if (!find_rows(line->words[0], &rows))
		return;
	const struct option *open = NULL; /* the option that the word before is, and whose value comes now */
	for (size_t i = 1; i + 1 < line->count; i++) {
		const char *before = line->words[i];
		bool is_option = !open && before[0] == '-' && before[1] != '\0';
		place += !open && !is_option;
		const struct option *found = is_option ? option_of(&rows, before, strlen(before)) : NULL;
		open = found && found->argument && !found->argument_optional ? found : NULL;
	}
	size_t name_length = strcspn(word, "=");
	if (open) {
		offer_value(offer, open);
	} else if (strncmp(word, "--", 2) == 0 && word[name_length] == '=') {
		const struct option *option = option_of(&rows, word, name_length);
		offer->stem = word + name_length + 1;
		if (option)
			offer_value(offer, option);
	} else if (word[0] == '-') {
		offer_options(offer, &rows);
	} else {
		offer_operand(offer, &rows, place);
	}
}

/* Behind a blank, a new and empty word begins. */
static int split_for_completion(struct line *line, const char *text, size_t length)
{
	struct error ignored;
	struct buffer with_word = BUFFER_INIT;
	int result = line_split(line, text, length, true, &ignored);
	if (result == 0 && !line->in_word && !line->in_comment) {
		buffer_append(&with_word, text, length);
		buffer_append_text(&with_word, "''");
		result = line_split(line, buffer_text(&with_word), with_word.length, true, &ignored);
	}
	buffer_release(&with_word);
	return result;
}

void shell_complete(void *context, const char *text, size_t length, struct buffer *insert, struct buffer *list)
{
	struct shell *s = context;
	struct line line = { .words = NULL };
	struct choices choices = { NULL, 0, 0 };
	if (!s->asking && split_for_completion(&line, text, length) == 0 && line.count > 0 && !line.in_comment) {
		struct offer offer = { s, &line, &choices, line.words[line.count - 1] };
		offer_for(&offer, &line);
		choices_complete(&choices, offer.stem, line.quote, terminal_width(), insert, list);
	}
	choices_release(&choices);
	line_release(&line);
}
