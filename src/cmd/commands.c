/* The table of subcommands. */
#include "cmd/cmd.h"

const struct command *const all_commands[] = {
	&command_events, &command_explain, &command_build,  &command_validate, &command_send, &command_listen,
	&command_replay, &command_shell,   &command_config, &command_help,     NULL,
};
