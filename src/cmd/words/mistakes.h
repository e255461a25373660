/* What was meant by a word that is out of place. */
#ifndef CREDHOOK_CMD_WORDS_MISTAKES_H
#define CREDHOOK_CMD_WORDS_MISTAKES_H

#include "base/error.h"
#include "cmd/cmd.h"

#include <stddef.h>

enum operand_type {
	OPERAND_EVENT,
	OPERAND_FILE,
	OPERAND_CAPTURE, /* or numbers of notifications */
	OPERAND_CHECK,
	OPERAND_ADDRESS,
};

/* Refuses (-1) an operand from number `first` on that is not of the type, but what the command takes as an option: a
 * usage error; *err may be filled without one. 0: they may be what the command takes. */
int mistake_among(const struct context *context, enum operand_type type, size_t first, struct error *err);

#endif
