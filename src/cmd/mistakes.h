/* What was meant by a word that is out of place. */
#ifndef CREDHOOK_CMD_MISTAKES_H
#define CREDHOOK_CMD_MISTAKES_H

#include "base/error.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stddef.h>

enum operand_type {
	OPERAND_EVENT,
	OPERAND_FILE,
	OPERAND_CHECK,
	OPERAND_ADDRESS,
};

/* Refuses (-1) an operand from number `first` on that is not of the type, but what the command takes as an option: a
 * usage error. 0: they may be what the command takes. */
int mistake_among(const struct context *context, enum operand_type type, size_t first, struct error *err);

/* What a word looks like, wherever it stands. */
bool word_is_folder(const char *word);
/* It is there, or its name ends as captures and payloads do. */
bool word_is_file(const char *word);
/* A URL, localhost, or what ends in a port; a host's name alone is a misspelt event more often. */
bool word_is_destination(const char *word);

#endif
