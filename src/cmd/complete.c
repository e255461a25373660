#include "cmd/complete.h"

#include "base/text.h"
#include "cmd/cmd.h"

#include <string.h>

void complete_offer(struct completion *to, const char *candidate, const char *meaning)
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
	if (to->program_words > 0)
		buffer_printf(out, ":command %zu\n", to->program_words);
	else if (to->files != COMPLETION_NO_FILES)
		buffer_printf(out, ":%s %.*s\n", to->files == COMPLETION_FILES ? "files" : "folders", (int)to->fixed,
		              to->word);
}

/* A line of one command, read word by word. */
struct command_line {
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count;
	size_t operand_count;
	bool only_operands;           /* behind "--" */
	const struct option *lacking; /* the option whose argument comes next */
};

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

/* A word that begins with '-' and is not a value. */
static void read_option(struct completion *to, struct command_line *line, const char *word)
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

static void read_word(struct completion *to, struct command_line *line, const char *word)
{
	if (line->lacking) {
		note_value(to, line->lacking, word);
		line->lacking = NULL;
	} else if (!line->only_operands && strcmp(word, "--") == 0) {
		line->only_operands = true;
	} else if (!line->only_operands && word[0] == '-' && word[1]) {
		read_option(to, line, word);
	} else {
		line->operand_count++;
		note_event(to, word);
	}
}

static void offer_value(struct completion *to, const struct option *option)
{
	const char *bar = strrchr(option->argument, '|');
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		complete_offer(to, option->choices[i], NULL);
	if (option->complete == COMPLETE_WORD)
		complete_offer(to, bar ? bar + 1 : option->argument, NULL);
	else
		complete_operand(to, option->complete);
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
				const struct option *option = &line->groups[g].options[i];
				LOCAL_BUFFER name = BUFFER_INIT;
				buffer_printf(&name, "--%s", option->name);
				complete_offer(to, buffer_text(&name), option->help);
				buffer_append_byte(&name, '=');
				if (option->argument_optional)
					complete_offer(to, buffer_text(&name), option->help);
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
	line.groups[0] = global_option_group;
	for (size_t i = 0; i + 1 < words->count; i++) {
		to->program_words += line.only_operands && command && command->runs_command;
		read_word(to, &line, words->items[i]);
		if (command || line.operand_count == 0)
			continue;
		command = command_named(to->commands, words->items[i], &unused);
		if (!command)
			return;
		const struct command *like = command->like ? command_named(to->commands, command->like, &unused) : NULL;
		line.group_count = command_groups(like ? like : command, line.groups);
		to->kind_count = 0; /* its name is not an event */
	}
	to->word = words->count > 0 ? words->items[words->count - 1] : "";
	if (line.only_operands && command && command->runs_command) {
		to->program_words++;
		return;
	}
	if (complete_option(to, &line))
		return;
	for (size_t i = 0; !command && to->commands[i]; i++)
		complete_offer(to, to->commands[i]->name, to->commands[i]->phrase);
	if (command)
		complete_operand(to, command->complete);
	if (command && to->offer_of_session)
		to->offer_of_session(to, command->complete);
}

/* completion: the script that makes a shell complete credhook's command lines. */

static const struct {
	const char *shell;
	const char *script;
} scripts[] = {
	{ "bash", completion_script_credhook_bash },
	{ "fish", completion_script_credhook_fish },
	{ "zsh", completion_script__credhook },
};
#define SCRIPTS (sizeof scripts / sizeof scripts[0])

const char *completion_shell_at(size_t index)
{
	return index < SCRIPTS ? scripts[index].shell : NULL;
}

static int run_completion(struct context *context, void *args, struct error *err)
{
	const struct text_list *names = context->operands;
	(void)args;
	for (size_t i = 0; names->count == 1 && i < SCRIPTS; i++) {
		if (strcmp(scripts[i].shell, names->items[0]) != 0)
			continue;
		terminal_write(context->terminal, scripts[i].script, strlen(scripts[i].script));
		return EXIT_CODE_OK;
	}
	if (names->count == 1)
		error_set(err, EXIT_CODE_USAGE, "no completion for '%s'", names->items[0]);
	else
		error_set(err, EXIT_CODE_USAGE, names->count == 0 ? "missing SHELL" : "completion takes one SHELL");
	return error_hint(err, "write bash, fish or zsh");
}

static const struct help_example examples[] = {
	{ "credhook completion bash >credhook.bash", "then in ~/.bashrc: . /path/to/credhook.bash" },
	{ "credhook completion zsh >_credhook", "in a folder of $fpath" },
	{ "credhook completion fish >credhook.fish", "in ~/.config/fish/completions" },
	{ NULL, NULL },
};

const struct command command_completion = {
	.name = "completion",
	.group = COMMAND_OTHER,
	.phrase = "print the completion script of a shell",
	.operands = "SHELL",
	.complete = COMPLETE_SHELL,
	.summary = "Print the script that completes credhook's commands, options and events in bash, fish or zsh.",
	.args_size = sizeof(struct global_options),
	.run = run_completion,
	.examples = examples,
};
