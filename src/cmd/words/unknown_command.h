/* What may have been meant by a word in a command's place. */
#ifndef CREDHOOK_CMD_WORDS_UNKNOWN_COMMAND_H
#define CREDHOOK_CMD_WORDS_UNKNOWN_COMMAND_H

#include "base/error.h"
#include "cmd/cmd.h"

/* Gives the error that a word is not a command its hint: other tools' words (command.also), the command that takes a
 * file, address, event, check or topic, or the nearest. */
void unknown_command_hint(const struct command *const *commands, const char *word, struct error *err);

#endif
