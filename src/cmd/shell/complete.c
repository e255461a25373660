/* Tab: what the completion of cmd/complete.h knows of the ordinary commands, and what only a session knows. */
#include "cmd/complete.h"

#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "ui/choices.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 1024

static void take_lines(struct choices *choices, const struct completion *from)
{
	const char *at = buffer_text(&from->lines);
	while (*at) {
		struct buffer candidate = BUFFER_INIT;
		buffer_append(&candidate, at, strcspn(at, "\t\n"));
		choices_offer(choices, buffer_text(&candidate), from->word);
		buffer_release(&candidate);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
}

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Names of files behind what stands fixed in the word ("--file=", "@"). */
static void offer_files(struct choices *choices, const struct completion *to)
{
	const char *typed = to->word + to->fixed;
	const char *slash = strrchr(typed, '/');
	size_t folder_length = slash ? (size_t)(slash - typed) + 1 : 0;
	const char *begin = typed + folder_length;
	char folder[PATH_SIZE];
	if (folder_length >= sizeof folder)
		return;
	memcpy(folder, typed, folder_length);
	folder[folder_length] = '\0';
	DIR *open = opendir(folder_length > 0 ? folder : ".");
	const struct dirent *entry;
	while (open && (entry = readdir(open))) {
		struct buffer path = BUFFER_INIT, word = BUFFER_INIT;
		buffer_printf(&path, "%s%s", folder, entry->d_name);
		bool folder_too = is_folder(buffer_text(&path));
		buffer_append(&word, to->word, to->fixed);
		buffer_printf(&word, "%s%s", buffer_text(&path), folder_too ? "/" : "");
		bool hidden = entry->d_name[0] == '.' && begin[0] != '.';
		if (!hidden && (folder_too || to->files == COMPLETION_FILES))
			choices_offer(choices, buffer_text(&word), to->word);
		buffer_release(&path);
		buffer_release(&word);
	}
	if (open)
		closedir(open);
}

static void take(struct choices *choices, struct completion *to)
{
	take_lines(choices, to);
	if (to->files != COMPLETION_NO_FILES)
		offer_files(choices, to);
	completion_release(to);
}

/* A line of an ordinary command, as the command line would have it; `from` is where its words begin. */
static void offer_ordinary(struct choices *choices, const struct shell *s, const char *command, const struct line *line,
                           size_t from)
{
	const struct global_options *global = s->context->global;
	struct text_list words = TEXT_LIST_INIT;
	struct completion to;
	struct error ignored;
	int result = 0;
	if (global->no_config)
		result = text_list_add(&words, "--no-config", &ignored);
	if (global->config &&
	    (text_list_add(&words, "--config", &ignored) < 0 || text_list_add(&words, global->config, &ignored) < 0))
		result = -1;
	if (result == 0)
		result = text_list_add(&words, command, &ignored);
	for (size_t i = from; result == 0 && i < line->count; i++)
		result = text_list_add(&words, line->words[i], &ignored);
	if (result == 0) {
		complete_words(&to, &words);
		take(choices, &to);
	}
	text_list_release(&words);
}

static void offer_commands(struct choices *choices, const char *word)
{
	for (size_t i = 0; i < shell_command_count; i++)
		choices_offer(choices, shell_commands[i].name, word);
	for (size_t i = 0; i < command_count; i++)
		if (commands[i] != &command_shell)
			choices_offer(choices, commands[i]->name, word);
}

static void offer_numbers(struct choices *choices, const struct shell *s, const char *word)
{
	char number[32];
	for (size_t i = 0; i < s->received->count; i++) {
		snprintf(number, sizeof number, "%llu", (unsigned long long)s->received->items[i]->number);
		choices_offer(choices, number, word);
	}
	if (s->received->count > 0)
		choices_offer(choices, "last", word);
}

/* What the words of a synopsis mean; what is not a session's own is the command line's. */
static void offer_argument(struct choices *choices, const struct shell *s, const char *argument, const char *word)
{
	struct completion to = { .word = word };
	if (strcmp(argument, "N") == 0 || strcmp(argument, "N|all") == 0) {
		offer_numbers(choices, s, word);
		if (argument[1] != '\0')
			choices_offer(choices, "all", word);
	} else if (strcmp(argument, "COMMAND") == 0) {
		offer_commands(choices, word);
	} else if (strcmp(argument, "PORT|stop") == 0) {
		choices_offer(choices, "stop", word);
	} else if (strcmp(argument, "DEFAULT") == 0) {
		for (size_t i = 0; i < s->default_count; i++)
			choices_offer(choices, s->defaults[i].path, word);
	} else {
		to.config = s->context->global->config;
		to.no_config = s->context->global->no_config;
		complete_argument(&to, argument);
		if (strcmp(argument, "WHERE") == 0 && s->receiver)
			choices_offer(choices, "listener", word);
		take(choices, &to);
	}
}

/* The word of the synopsis for the operand at this place: of "N FILE" the second, "N..." for all that follow; without
 * the brackets around it and its dots. */
static void operand_at(const char *synopsis, size_t place, struct buffer *out)
{
	size_t length = strcspn(synopsis, " ");
	while (place > 0 && synopsis[length] != '\0' && strncmp(synopsis + length, " [OPTION", 8) != 0) {
		synopsis += length + 1;
		length = strcspn(synopsis, " ");
		place--;
	}
	bool bracketed = synopsis[0] == '[';
	if (length > 3 && memcmp(synopsis + length - 3, "...", 3) == 0)
		length -= 3;
	if (bracketed && length >= 2)
		buffer_append(out, synopsis + 1, length - 2);
	else
		buffer_append(out, synopsis, length);
}

static void offer_operand(struct choices *choices, const struct shell *s, const struct shell_command *own, size_t place,
                          const char *word)
{
	struct buffer argument = BUFFER_INIT;
	operand_at(own->operands, place, &argument);
	if (argument.length > 0)
		offer_argument(choices, s, buffer_text(&argument), word);
	buffer_release(&argument);
}

static void offer_option_names(struct choices *choices, const struct option_group *group, const char *word)
{
	for (size_t i = 0; group && i < group->count; i++) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "--%s", group->options[i].name);
		choices_offer(choices, buffer_text(&name), word);
		buffer_release(&name);
	}
}

/* The option whose argument the word after this one is; NULL: it is none. */
static const struct option *lacking(const struct shell_command *own, const char *word)
{
	const struct option *option = NULL;
	if (own->options && strncmp(word, "--", 2) == 0)
		option = options_find(own->options, 1, 0, word + 2, strlen(word + 2));
	return option && option->argument ? option : NULL;
}

static void offer_own(struct choices *choices, const struct shell *s, const struct shell_command *own,
                      const struct line *line)
{
	const char *word = line->words[line->count - 1];
	const struct option *open = NULL;
	size_t place = 0, first_option = 0;
	for (size_t i = 1; i + 1 < line->count; i++) {
		bool is_option = !open && line->words[i][0] == '-';
		first_option = is_option && first_option == 0 ? i : first_option;
		place += !open && !is_option;
		open = open ? NULL : lacking(own, line->words[i]);
	}
	if (own->like && (first_option > 0 || word[0] == '-')) {
		offer_ordinary(choices, s, own->like->name, line, first_option > 0 ? first_option : line->count - 1);
	} else if (open) {
		for (size_t i = 0; open->choices && open->choices[i]; i++)
			choices_offer(choices, open->choices[i], word);
	} else if (word[0] == '-') {
		offer_option_names(choices, own->options, word);
		offer_option_names(choices, &shell_common_options, word);
	} else {
		offer_operand(choices, s, own, place, word);
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
	const struct shell *s = context;
	struct line line = { .words = NULL };
	struct choices choices = { NULL, 0, 0 };
	if (!s->asking && split_for_completion(&line, text, length) == 0 && line.count > 0 && !line.in_comment) {
		const struct shell_command *own = shell_command_named(line.words[0]);
		const char *word = line.words[line.count - 1];
		if (line.count == 1)
			offer_commands(&choices, word);
		else if (own)
			offer_own(&choices, s, own, &line);
		else
			offer_ordinary(&choices, s, line.words[0], &line, 1);
		choices_complete(&choices, word, line.quote, terminal_width(), insert, list);
	}
	choices_release(&choices);
	line_release(&line);
}
