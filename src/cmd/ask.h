/* Asking a person for the fields of a payload, for build -i and send -i. */
#ifndef CREDHOOK_CMD_ASK_H
#define CREDHOOK_CMD_ASK_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "payload/edit.h"

/* Asks for each field of `details`, on stderr, with its meaning; an empty answer takes what the payload has. Each
 * answer is checked at once and asked for again where it does not fit. Without a terminal, answers are lines of
 * standard input, one that does not fit is an error (EXIT_CODE_USAGE), and at its end the rest stays as it is. Answers
 * go to *answers. 1; 0: standard input was at its end already; -1: *err, with Ctrl-C or Ctrl-D EXIT_CODE_INTERRUPTED. */
int ask_fields(struct catalog_kind kind, const struct buffer *payload, struct context *context, struct edits *answers,
               struct error *err);

#endif
