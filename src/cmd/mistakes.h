/* What was probably meant by a word that is out of place. */
#ifndef CREDHOOK_CMD_MISTAKES_H
#define CREDHOOK_CMD_MISTAKES_H

#include "base/error.h"
#include "base/text_list.h"

#include <stdbool.h>

/* Refuses (-1, a usage error) an operand of "send" or "build" that is not an event, but a file, a destination or
 * another word that an option takes. 0: the operands may be events. */
int mistake_among_events(const char *command, const struct text_list *operands, struct error *err);
/* Refuses (-1, EXIT_CODE_IO as for any other missing file) an operand of "validate", "replay" or "convert" that is not
 * a file, but an event, a destination or JSON. 0: the operands may be files. */
int mistake_among_files(const char *command, const struct text_list *operands, struct error *err);

/* Adds to the error about an unknown event those that have the word in their name or path. False: none, or too many. */
bool mistake_hint_event(const char *word, struct error *err);

/* Adds to the error about an unknown command what the name is instead: an event, or another tool's name for one of our
 * commands. False: neither. */
bool mistake_hint_command(const char *name, struct error *err);

#endif
