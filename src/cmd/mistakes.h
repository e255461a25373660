/* What was probably meant by a word that is out of place. */
#ifndef CREDHOOK_CMD_MISTAKES_H
#define CREDHOOK_CMD_MISTAKES_H

#include "base/error.h"
#include "base/text_list.h"

#include <stdbool.h>

/* Refuses (-1, a usage error) an operand of "send" or "build" that is not an event, but a file or a destination. 0: the
 * operands may be events. */
int mistake_among_events(const char *command, const struct text_list *operands, struct error *err);
/* Refuses (-1, EXIT_CODE_IO as for any other missing file) an operand of "replay" that is not a file, but a
 * destination. 0: the operands may be files. */
int mistake_among_files(const char *command, const struct text_list *operands, struct error *err);

/* Adds to the error about an unknown event those that have the word in their name or path. False: none, or too many. */
bool mistake_hint_event(const char *word, struct error *err);

#endif
