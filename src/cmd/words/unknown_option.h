/* What may have been meant by an option that a command does not have: from the rows of all commands. */
#ifndef CREDHOOK_CMD_WORDS_UNKNOWN_OPTION_H
#define CREDHOOK_CMD_WORDS_UNKNOWN_OPTION_H

#include "base/error.h"
#include "cmd/cmd.h"

#include <stdbool.h>

/* Gives the error of options_parse() a hint: what to type instead. `command` NULL: it stood before a command's name.
 * Rows that are unsafe are named only where the words are theirs. */
void unknown_option_hint(const struct command *const *commands, const struct command *command,
                         const struct option_unknown *unknown, struct error *err);

/* Gives the error of an operand that is out of place its hint, where it is the name of an option or a value of one.
 * False: it is neither. */
bool option_word_hint(const struct command *const *commands, const struct command *command, const char *word,
                      struct error *err);

#endif
