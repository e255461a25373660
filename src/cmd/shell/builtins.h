/* The commands that only the shell has, with rows like those of all other commands. */
#ifndef CREDHOOK_CMD_SHELL_BUILTINS_H
#define CREDHOOK_CMD_SHELL_BUILTINS_H

#include "cmd/cmd.h"

extern const struct command shell_commands[]; /* the last has no name */

#endif
