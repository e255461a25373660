/* Running a command line: from main(), and from within a session. */
#include "capture/source_files.h"
#include "cmd/args/typed_word.h"
#include "cmd/cmd.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "cmd/words/unknown_option.h"
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

static void apply_global(struct terminal *terminal, const struct global_options *global)
{
	terminal->quiet = global->quiet;
	terminal->verbose = global->verbose;
	terminal->json = global->json;
	terminal_set_color(terminal, (enum color_choice)global->color);
}

/* Even a command line that cannot be read says in which form its error is wanted. */
static void apply_json_early(struct terminal *terminal, int argc, char *const *argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			terminal->json = true;
}

/* The files that the options name, but for those that are put in the place of others. */
static int add_named_files(const struct option_words *words, struct source_files *files, struct error *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct option_word *word = &words->items[i];
		enum completion_type type = word->option && word->value ? word->option->complete : COMPLETE_UNSET;
		bool is_at_file = type == COMPLETE_AT_FILE && word->value[0] == '@';
		if ((type == COMPLETE_FILE || is_at_file) &&
		    source_files_add_path(files, word->value + is_at_file, err) < 0)
			return -1;
	}
	return 0;
}

/* credhook send help: no operand of any command, where no file is called so. */
static bool asks_help(const struct command *command, const struct text_list *operands)
{
	return operands->count == 1 && strcmp(operands->items[0], "help") == 0 &&
	       command->complete != COMPLETE_COMMAND && command->complete != COMPLETE_TOPIC && !word_is_file("help");
}

/* `outer`: the session it is run within, or one without signals: nobody looks at them yet. */
static int run_command(const struct context *outer, const struct command *command, void *args,
                       const struct text_list *operands, const struct option_words *words, struct error *err)
{
	struct terminal *terminal = outer->terminal;
	struct global_options *global = args;
	bool in_session = outer->signals != NULL;
	apply_global(terminal, global);
	if (global->help)
		return command_show_help(terminal, command, (enum option_help)global->help, !in_session);
	if (global->version)
		return command_show_version(terminal);
	struct signals signals = SIGNALS_INIT;
	LOCAL(source_files_release) struct source_files in_use = { .also_in_use = outer->in_use };
	struct option_group groups[COMMAND_GROUPS_MAX];
	if (options_check(groups, command_groups(command, groups), words, err) < 0 ||
	    misplaced_value(command, words, err) < 0)
		return -1;
	if (asks_help(command, operands)) {
		error_set(err, EXIT_CODE_USAGE, "'help' comes before the command");
		return error_hint(err, "write credhook help %s, or credhook %s --help", command->name, command->name);
	}
	if (!command->operands[0] && operands->count > 0) {
		error_set(err, EXIT_CODE_USAGE, "unexpected argument '%s'", operands->items[0]);
		return command->instead ? error_hint(err, "%s", command->instead) : -1;
	}
	struct context context = *outer;
	context.global = global;
	context.operands = operands;
	context.signals = in_session ? outer->signals : &signals;
	context.command = command->name;
	context.words = words;
	context.reports = NULL;
	context.in_use = &in_use;
	/* What asks before anything goes to production, the prompt too, goes by the session's configuration. */
	if (in_session && (global->no_config != outer->global->no_config || global->config != outer->global->config)) {
		error_set(err, EXIT_CODE_USAGE, "a session has one configuration, that of its beginning");
		return error_hint(err, "write credhook shell --config FILE, or --no-config");
	}
	if (global->config && !global->no_config && config_check(global->config, err) < 0)
		return -1;
	if (!in_session && signals_open(&signals, err) < 0)
		return -1;
	enum config_origin origin;
	LOCAL(release_text) char *path = config_find_path(global->config, &origin);
	int code = -1;
	if ((!path || source_files_add_path(&in_use, path, err) == 0) && add_named_files(words, &in_use, err) == 0)
		code = command->run(&context, args, err);
	if (code < 0 && err->code == EXIT_CODE_INTERRUPTED)
		signals_take(&signals); /* the error says so */
	if (!in_session)
		terminal_flush(terminal); /* while a signal still ends what nobody reads, as pid 1, too */
	signals_close(&signals);
	return code;
}

/* Leaves out the options before the command's name, which are the first words, that are given again behind it. */
static void drop_replaced(struct option_words *words, size_t before)
{
	size_t kept = 0;
	for (size_t i = 0; i < words->count; i++) {
		bool is_replaced = false;
		for (size_t j = before; i < before && j < words->count; j++)
			is_replaced |= words->items[j].option == words->items[i].option;
		if (!is_replaced)
			words->items[kept++] = words->items[i];
	}
	words->count = kept;
}

/* The help that has the last option that was read, which is the one that is wrong. */
static const char *help_with(const struct command *command, const struct option_words *words)
{
	const struct option *last = words->count > 0 ? words->items[words->count - 1].option : NULL;
	bool is_common = !last;
	for (const char *const *name = command->common; !is_common && name && *name; name++)
		is_common = strcmp(*name, last->name) == 0;
	return is_common ? "-h" : "--help";
}

/* The command's own arguments: those given before its name, which are in `words`, hold for it, too, unless
 * they are given again. */
static int parse_and_run(const struct context *outer, const struct command *command, int argc, char *const *argv,
                         struct option_words *words, struct error *err)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count = command_groups(command, groups), before = words->count;
	LOCAL(text_list_release) struct text_list operands = { 0 };
	void *args = calloc(1, command->args_size);
	int code = -1;
	if (!args)
		return error_no_memory(err);
	bool is_help = argc == 1 && (strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0);
	int read = options_init(groups, group_count, command->initials, args, err);
	memcpy(args, outer->global, sizeof *outer->global);
	if (read == 0 && command->like && !is_help)
		read = text_list_add_all(&operands, (const char *const *)argv, (size_t)argc, err);
	else if (read == 0)
		read = options_parse(groups, group_count, args, argc, argv, &operands, words, false, err);
	if (read >= 0) {
		drop_replaced(words, before);
		code = run_command(outer, command, args, &operands, words, err);
	} else if (words->unknown.name[0] && !(command->runs_command && operands.count > 1))
		unknown_option_hint(outer->commands, command, &words->unknown, err);
	else if (command->runs_command && operands.count > 1 && !words->has_dashes &&
	         misplaced_header_value(words, operands.items[1], err) == 0)
		error_hint(err, "to run '%s' while it listens, write -- before it", operands.items[1]); /* sh -c */
	else if (err->code == EXIT_CODE_USAGE && err->hint[0] == '\0')
		error_hint(err, "credhook %s %s shows its options", command->name, help_with(command, words));
	options_release(groups, group_count, args);
	free(args);
	return code;
}

static int run_line(struct terminal *terminal, const struct command *const *commands, int argc, char *const *argv,
                    struct option_words *words, struct error *err)
{
	struct global_options global = { 0 };
	apply_json_early(terminal, argc, argv);
	int used = options_parse(&global_option_group, 1, &global, argc - 1, argv + 1, NULL, words, true, err);
	if (used < 0 && words->unknown.name[0])
		unknown_option_hint(commands, NULL, &words->unknown, err);
	if (used < 0)
		return -1;
	bool json = terminal->json;
	apply_global(terminal, &global);
	terminal->json = json; /* until the command's own arguments are read, which may hold it */
	int at = 1 + used;
	if (global.version)
		return command_show_version(terminal);
	if (at >= argc)
		return command_show_overview(terminal, commands);
	const struct command *command = command_named(commands, argv[at], err);
	if (!command) {
		misplaced_command_hint(commands, argv[at], err);
		return -1;
	}
	const struct context outer = { .terminal = terminal, .global = &global, .commands = commands };
	return parse_and_run(&outer, command, argc - at - 1, argv + at + 1, words, err);
}

int cmd_main(struct terminal *terminal, const struct command *const *commands, int argc, char *const *argv,
             struct error *err)
{
	struct option_words words = { .items = NULL };
	int code = run_line(terminal, commands, argc, argv, &words, err);
	free(words.items);
	return code;
}

int command_run_words(struct context *outer, int argc, char *const *argv)
{
	struct terminal *terminal = outer->terminal;
	struct terminal kept = *terminal;
	struct error err = { .code = EXIT_CODE_OK };
	struct option_words words = { .items = NULL };
	apply_json_early(terminal, argc, argv);
	const struct command *command = command_named(outer->commands, argv[0], &err);
	int code = -1;
	if (!command)
		misplaced_command_hint(outer->commands, argv[0], &err);
	else
		code = parse_and_run(outer, command, argc - 1, argv + 1, &words, &err);
	free(words.items);
	signals_keep_second(outer->signals);
	terminal_flush(terminal);
	if (code >= 0 && terminal->lost.failed)
		code = error_no_memory(&err);
	if (code < 0) {
		print_error(terminal, &err);
		code = (int)err.code;
	}
	kept.write_errno = terminal->write_errno;
	*terminal = kept;
	return code;
}
