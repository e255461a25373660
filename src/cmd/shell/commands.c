/* A line becomes a command: one of the shell's own, or an ordinary one with what the session adds to it. */
#include "base/nearest.h"
#include "cmd/mistakes.h"
#include "cmd/report_error.h"
#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "json/json_line.h"

#include <stdlib.h>
#include <string.h>

const struct shell_command *shell_command_named(const char *name)
{
	for (size_t i = 0; i < shell_command_count; i++)
		if (strcmp(shell_commands[i].name, name) == 0)
			return &shell_commands[i];
	return NULL;
}

static const struct command *ordinary_named(const struct shell *s, const char *name)
{
	for (const struct command *const *at = s->context->commands; *at; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

/* What other prompts call what is ours. */
static const struct {
	const char *name;
	const char *ours;
} others[] = {
	{ "q", "exit" },           { "bye", "exit" },         { "logout", "exit" }, { "?", "help" },
	{ "sleep", "wait" },       { "cat", "show" },         { "ls", "received" }, { "list", "received" },
	{ "stop", "listen stop" }, { "environments", "use" }, { "env", "use" },
};

static bool hint_other(const char *name, struct error *err)
{
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (strcmp(others[i].name, name) != 0)
			continue;
		error_hint(err, "did you mean '%s'?", others[i].ours);
		return true;
	}
	return false;
}

static int refuse_unknown(const struct shell *s, const char *name, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < shell_command_count; i++)
		nearest_offer(&near, shell_commands[i].name);
	for (const struct command *const *at = s->context->commands; *at; at++)
		nearest_offer(&near, (*at)->name);
	error_set(err, EXIT_CODE_USAGE, "unknown command '%s'", name);
	if (hint_other(name, err) || mistake_hint_command(name, err))
		return -1;
	if (nearest_result(&near))
		return error_hint(err, "did you mean '%s'?", nearest_result(&near));
	return error_hint(err, "'help' lists the commands");
}

static bool has_option(const struct command *command, const char *name)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = command_groups(command, groups);
	for (size_t g = 0; g < count; g++)
		for (size_t i = 0; i < groups[g].count; i++)
			if (strcmp(groups[g].options[i].name, name) == 0)
				return true;
	return false;
}

/* What the session adds stands in front: what the line says itself comes later, and counts. */
static int add_session_words(const struct shell *s, const struct command *command, bool allowed,
                             struct text_list *words, struct error *err)
{
	const char *target = shell_target(s);
	int result = 0;
	if (target && has_option(command, "to") &&
	    (text_list_add(words, "--to", err) < 0 || text_list_add(words, target, err) < 0))
		return -1;
	for (size_t i = 0; result == 0 && has_option(command, "default") && i < s->default_count; i++)
		if (text_list_add(words, "--default", err) < 0 ||
		    text_list_add(words, s->defaults[i].assignment, err) < 0)
			return -1;
	if (allowed)
		result = text_list_add(words, "--allow-production", err);
	return result;
}

static int run_ordinary(struct shell *s, const struct command *command, int argc, char *const *argv, struct error *err)
{
	struct text_list words = TEXT_LIST_INIT;
	int allowed = 0, code = -1;
	if (command == &command_shell)
		return error_set(err, EXIT_CODE_USAGE, "this is a shell already");
	if (has_option(command, "to") && shell_check_target(s, argc, argv, err) < 0)
		return -1;
	if (has_option(command, "to") && has_option(command, "allow-production"))
		allowed = shell_ask_for_protected(s, argc, argv, err);
	if (allowed >= 0 && text_list_add(&words, argv[0], err) == 0 &&
	    add_session_words(s, command, allowed == 1, &words, err) == 0) {
		int i = 1;
		while (i < argc && text_list_add(&words, argv[i], err) == 0)
			i++;
		if (i == argc)
			code = command_run_words(s->context, (int)words.count, (char *const *)(uintptr_t)words.items);
	}
	text_list_release(&words);
	return code;
}

static void append_help(const struct shell_command *command, struct buffer *out)
{
	const struct option_group *groups[] = { command->options, &shell_common_options };
	int width = terminal_width();
	buffer_printf(out, "usage: %s%s%s\n", command->name, command->operands[0] ? " " : "", command->operands);
	help_append_wrapped(out, command->summary, 0, 0, width < 100 ? width : 100);
	buffer_append_byte(out, '\n');
	for (size_t g = 0; g < 2; g++) {
		for (size_t i = 0; groups[g] && i < groups[g]->count; i++) {
			struct buffer term = BUFFER_INIT;
			options_append_synopsis(&term, &groups[g]->options[i]);
			help_append_row(out, buffer_text(&term), groups[g]->options[i].help, 26, width);
			buffer_release(&term);
		}
	}
	if (command->like)
		buffer_printf(out, "Further options are those of '%s': '%s -h' shows them.\n", command->like,
		              command->like);
}

void shell_append_command_json(const char *name, const char *operands, const char *summary, struct buffer *out)
{
	json_line_begin(out);
	json_line_text(out, "type", "command");
	json_line_text(out, "name", name);
	json_line_text(out, "operands", operands);
	json_line_text(out, "summary", summary);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static int show_help(struct shell *s, const struct shell_command *command)
{
	struct buffer text = BUFFER_INIT;
	if (s->context->terminal->json)
		shell_append_command_json(command->name, command->operands, command->summary, &text);
	else
		append_help(command, &text);
	terminal_write(s->context->terminal, buffer_text(&text), text.length);
	buffer_release(&text);
	return EXIT_CODE_OK;
}

static int check_operands(const struct shell_command *command, size_t count, struct error *err)
{
	if (count >= command->least && count <= command->most)
		return 0;
	error_set(err, EXIT_CODE_USAGE, count < command->least ? "%s lacks an operand" : "%s has too many operands",
	          command->name);
	return error_hint(err, "write %s%s%s", command->name, command->operands[0] ? " " : "", command->operands);
}

static bool asks_for_help(int argc, char *const *argv)
{
	return argc == 1 && (strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0);
}

/* One of the shell's own commands may have the name of an ordinary one, and not all of its options. */
static int refuse_ordinary_option(const struct shell *s, const struct shell_command *command,
                                  const struct option_group *own, size_t own_count, int argc, char *const *argv,
                                  struct error *err)
{
	const struct command *ordinary = ordinary_named(s, command->name);
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = ordinary ? command_groups(ordinary, groups) : 0;
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		const char *name = argv[i] + 2;
		int length = (int)strcspn(name, "=");
		if (options_find(own, own_count, 0, name, (size_t)length) ||
		    !options_find(groups, count, 0, name, (size_t)length))
			continue;
		error_set(err, EXIT_CODE_USAGE, "the shell's own %s has no --%.*s", command->name, length, name);
		return error_hint(err, "in another terminal: credhook %s --%.*s ...", command->name, length, name);
	}
	return 0;
}

static int run_own(struct shell *s, const struct shell_command *command, int argc, char *const *argv, struct error *err)
{
	struct shell_options options = { .help = false };
	struct text_list operands = TEXT_LIST_INIT;
	struct option_group groups[2] = { shell_common_options };
	struct shell_call call = { &options, &operands, argc - 1, argv + 1 };
	size_t group_count = 1;
	int code = -1;
	receive_args_defaults(&options.listen);
	if (asks_for_help(argc - 1, argv + 1))
		return show_help(s, command);
	if (command->options)
		groups[group_count++] = *command->options;
	bool reads_options = !command->like;
	if (reads_options &&
	    (refuse_ordinary_option(s, command, groups, group_count, argc - 1, argv + 1, err) < 0 ||
	     options_parse(groups, group_count, &options, argc - 1, argv + 1, &operands, NULL, false, err) < 0)) {
		if (!err->hint[0])
			error_hint(err, "'%s -h' shows the options", command->name);
	} else if (reads_options && options.help) {
		code = show_help(s, command);
	} else if (!reads_options || check_operands(command, operands.count, err) == 0) {
		options.json = options.json || s->context->terminal->json;
		code = command->run(s, &call, err);
	}
	receive_args_release(&options.listen);
	text_list_release(&operands);
	return code;
}

int shell_run_words(struct shell *s, int argc, char *const *argv)
{
	/* A line may be one of a script outside. */
	if (argc > 1 && strcmp(argv[0], "credhook") == 0) {
		argc--;
		argv++;
	}
	const struct shell_command *own = shell_command_named(argv[0]);
	const struct command *ordinary = own ? NULL : ordinary_named(s, argv[0]);
	struct error err = { .code = EXIT_CODE_OK };
	int code;
	if (own)
		code = run_own(s, own, argc, argv, &err);
	else if (ordinary)
		code = run_ordinary(s, ordinary, argc, argv, &err);
	else
		code = refuse_unknown(s, argv[0], &err);
	terminal_flush(s->context->terminal);
	if (code < 0) {
		report_error(s->context->terminal, &err);
		code = (int)err.code;
	}
	shell_take_arrivals(s);
	return code;
}

int shell_run_line(struct shell *s, const char *text, size_t length)
{
	struct line line = { .words = NULL };
	struct error err;
	int code = EXIT_CODE_OK;
	if (line_split(&line, text, length, false, &err) < 0) {
		report_error(s->context->terminal, &err);
		code = (int)err.code;
	} else if (line.count > 0) {
		code = shell_run_words(s, (int)line.count, line.words);
	}
	line_release(&line);
	return code;
}
