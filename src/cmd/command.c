/* A command's row: how it is found, and what options it has. */
#include "base/text.h"
#include "cmd/cmd.h"

#include <string.h>

static const char *const color_choices[] = { "auto", "always", "never", NULL };

#define GLOBAL(field) offsetof(struct global_options, field)
static const struct option global_options[] = {
	{ 'h', "help", NULL, "common options with -h, all with --help", OPTION_HELP, .offset = GLOBAL(help) },
	{ 'V', "version", NULL, "show the version, libraries and features", OPTION_FLAG, .offset = GLOBAL(version) },
	{ 'q', "quiet", NULL, "errors only", OPTION_FLAG, .offset = GLOBAL(quiet) },
	{ 'v', "verbose", NULL, "more detail", OPTION_FLAG, .offset = GLOBAL(verbose) },
	{ 0, "json", NULL, "NDJSON on stdout, errors as a JSON object on stderr", OPTION_FLAG, .offset = GLOBAL(json) },
	{ 0, "color", "WHEN", "use colours", OPTION_CHOICE, .offset = GLOBAL(color), .choices = color_choices },
	{ 0, "config", "FILE", "read this configuration file", OPTION_TEXT, COMPLETE_FILE, .offset = GLOBAL(config) },
	{ 0, "no-config", NULL, "read no configuration file", OPTION_FLAG, .offset = GLOBAL(no_config) },
};
const struct option_group global_option_group = OPTION_GROUP("Global options", global_options, 0);

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

const struct command *command_named(const struct command *const *commands, const char *name, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
		nearest_offer(&near, commands[i]->name);
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a command", name);
	if (nearest_result(&near))
		error_hint(err, "did you mean %s?", nearest_result(&near));
	else
		error_hint(err, "credhook help lists the commands");
	return NULL;
}
