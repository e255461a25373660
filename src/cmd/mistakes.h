/* Events and elements by the names that are typed, and what was meant by a word that is out of place. */
#ifndef CREDHOOK_CMD_MISTAKES_H
#define CREDHOOK_CMD_MISTAKES_H

#include "base/error.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <stdbool.h>

/* Refuses (-1, a usage error) an operand of "send" or "build" that is not an event, but a file or a destination. 0: the
 * operands may be events. */
int mistake_among_events(const char *command, const struct text_list *operands, struct error *err);
/* Refuses (-1, EXIT_CODE_IO as for any other missing file) an operand of "replay" that is not a file, but a
 * destination. 0: the operands may be files. */
int mistake_among_files(const char *command, const struct text_list *operands, struct error *err);

/* A kind from an operand or option value: a usage error names the nearest event or element. */
int kind_find(const char *name, struct catalog_kind *kind, struct error *err);
/* The same where "all" may stand for every event: 1 for that word. */
int kind_find_or_all(const char *name, struct catalog_kind *kind, struct error *err);

#endif
