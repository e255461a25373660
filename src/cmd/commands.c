/* The table of subcommands, in the order of the overview. */
#include "cmd/cmd.h"

const struct command *const all_commands[] = {
	&command_send,
	&command_replay,
	&command_test,
	&command_listen,
	&command_validate,
	&command_show,
	&command_build,
	&command_schema,
	&command_convert,
	&command_events,
	&command_explain,
	&command_shell,
	&command_config,
	&command_help,
	&command_completion,
	&command_version,
	NULL,
};
