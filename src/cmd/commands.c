/* The table of subcommands, and how one is found and run. */
#include "base/nearest.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/mistakes.h"
#include "cmd/report_error.h"
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
	&command_events, &command_explain, &command_build, &command_validate, &command_send,
	&command_listen, &command_replay,  &command_shell, &command_config,   &command_help,
};
const size_t command_count = sizeof commands / sizeof commands[0];

static const char *const color_choices[] = { "auto", "always", "never", NULL };

#define GLOBAL(field) offsetof(struct global_options, field)
static const struct option global_options[] = {
	{ 'h', "help", NULL, "show this help", OPTION_FLAG, .offset = GLOBAL(help) },
	{ 'V', "version", NULL, "show version, libraries and features", OPTION_FLAG, .offset = GLOBAL(version) },
	{ 'q', "quiet", NULL, "no notes on stderr, only errors", OPTION_FLAG, .offset = GLOBAL(quiet) },
	{ 'v', "verbose", NULL, "say more", OPTION_FLAG, .offset = GLOBAL(verbose) },
	{ 0, "json", NULL, "results as NDJSON on stdout, errors as one JSON object on stderr", OPTION_FLAG,
	  .offset = GLOBAL(json) },
	{ 0, "color", "WHEN", "colour", OPTION_CHOICE, .offset = GLOBAL(color), .choices = color_choices },
	{ 0, "config", "FILE", "read this configuration file", OPTION_TEXT, COMPLETE_FILE, .offset = GLOBAL(config) },
	{ 0, "no-config", NULL, "read no configuration file", OPTION_FLAG, .offset = GLOBAL(no_config) },
};
const struct option_group global_option_group = OPTION_GROUP("Everywhere", global_options, 0);

size_t command_groups(const struct command *command, struct option_group groups[COMMAND_GROUPS_MAX])
{
	size_t count = 0;
	for (; count < command->use_count && count < COMMAND_GROUPS_MAX - 1; count++) {
		groups[count] = *command->uses[count].group;
		groups[count].offset += command->uses[count].offset;
	}
	groups[count] = global_option_group;
	return count + 1;
}

const struct command *command_named(const char *name, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
		nearest_offer(&near, commands[i]->name);
	}
	error_set(err, EXIT_CODE_USAGE, "unknown command '%s'", name);
	if (mistake_hint_command(name, err))
		return NULL;
	if (nearest_result(&near))
		error_hint(err, "did you mean '%s'?", nearest_result(&near));
	else
		error_hint(err, "'credhook help' lists the commands");
	return NULL;
}

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

/* outer: of the signals; NULL: nobody looks at them yet. */
static int run_command(struct terminal *terminal, struct signals *outer, const struct command *command, void *args,
                       const struct text_list *operands, struct error *err)
{
	struct global_options *global = args;
	apply_global(terminal, global);
	if (global->help)
		return command_show_help(terminal, command, true);
	if (global->version)
		return command_show_version(terminal);
	struct signals signals = SIGNALS_INIT;
	struct context context = { terminal, global, operands, outer ? outer : &signals };
	if (global->config && !global->no_config && config_check(global->config, err) < 0)
		return -1;
	if (!outer && signals_open(&signals, err) < 0)
		return -1;
	int code = command->run(&context, args, err);
	signals_close(&signals);
	return code;
}

/* The command's own arguments: those given before its name hold for it too. */
static int parse_and_run(struct terminal *terminal, struct signals *outer, const struct command *command,
                         const struct global_options *before, int argc, char *const *argv, struct error *err)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count = command_groups(command, groups);
	struct text_list operands = TEXT_LIST_INIT;
	void *args = calloc(1, command->args_size);
	int code = -1;
	if (!args)
		return error_no_memory(err);
	if (command->defaults)
		command->defaults(args);
	memcpy(args, before, sizeof *before);
	if (options_parse(groups, group_count, args, argc, argv, &operands, false, err) >= 0)
		code = run_command(terminal, outer, command, args, &operands, err);
	else if (err->code == EXIT_CODE_USAGE && err->hint[0] == '\0')
		error_hint(err, "'credhook %s -h' shows the options", command->name);
	if (command->release)
		command->release(args);
	free(args);
	text_list_release(&operands);
	return code;
}

int cmd_main(struct terminal *terminal, int argc, char *const *argv, struct error *err)
{
	struct global_options global = { 0 };
	apply_json_early(terminal, argc, argv);
	int used = options_parse(&global_option_group, 1, &global, argc - 1, argv + 1, NULL, true, err);
	if (used < 0)
		return -1;
	bool json = terminal->json;
	apply_global(terminal, &global);
	terminal->json = json; /* until the command's own arguments are read, which may hold it */
	int at = 1 + used;
	if (global.version)
		return command_show_version(terminal);
	if (at >= argc) {
		if (!global.help) {
			error_set(err, EXIT_CODE_USAGE, "no command given");
			return error_hint(
			        err,
			        "'credhook help' lists the commands; the first to try: credhook build user-created");
		}
		return command_show_help(terminal, NULL, true);
	}
	const struct command *command = command_named(argv[at], err);
	if (!command)
		return -1;
	return parse_and_run(terminal, NULL, command, &global, argc - at - 1, argv + at + 1, err);
}

int command_run_words(struct context *outer, int argc, char *const *argv)
{
	struct terminal *terminal = outer->terminal;
	struct terminal kept = *terminal;
	struct error err = { .code = EXIT_CODE_OK };
	apply_json_early(terminal, argc, argv);
	const struct command *command = command_named(argv[0], &err);
	int code = -1;
	signals_keep_second(outer->signals, false);
	if (command)
		code = parse_and_run(terminal, outer->signals, command, outer->global, argc - 1, argv + 1, &err);
	signals_keep_second(outer->signals, true);
	terminal_flush(terminal);
	if (code < 0) {
		report_error(terminal, &err);
		code = (int)err.code;
	}
	kept.write_errno = terminal->write_errno;
	*terminal = kept;
	return code;
}
