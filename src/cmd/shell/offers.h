/* What Tab can offer: each kind of word, from the table or the place that it comes from. */
#ifndef CREDHOOK_CMD_SHELL_OFFERS_H
#define CREDHOOK_CMD_SHELL_OFFERS_H

#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "ui/choices.h"

/* The word being completed. */
struct offer {
	const struct shell *shell;
	const struct line *line; /* all words up to the cursor */
	struct choices *choices;
	const char *stem; /* what candidates have to begin with; a caller may move it on, past "user-created," say */
};

/* Offers for an argument as synopses and option rows call it: EVENT[:N], FILE, WHERE, PATH=TEXT ... `name` is the
 * option's name, or NULL for an operand. */
void offer_argument(struct offer *offer, const char *argument, const char *name);
void offer_commands(struct offer *offer);

#endif
