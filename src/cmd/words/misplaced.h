/*
 * A word that stands where something else belongs: in a command's place, among the operands, or as an option's value.
 * One table says what it is there, and what is written instead.
 */
#ifndef CREDHOOK_CMD_WORDS_MISPLACED_H
#define CREDHOOK_CMD_WORDS_MISPLACED_H

#include "base/error.h"
#include "cmd/cmd.h"

#include <stddef.h>

/* Gives the error that a word is not a command its hint: the command that other tools call so (command.also), what the
 * table has for it, or the nearest one. */
void misplaced_command_hint(const struct command *const *commands, const char *word, struct error *err);

enum operand_type {
	OPERAND_EVENT,
	OPERAND_FILE,
	OPERAND_CAPTURE, /* or numbers of notifications */
	OPERAND_CHECK,
	OPERAND_ADDRESS,
};

/* Refuses (-1) an operand from number `first` on that is not of the type, but something that the table has: a usage
 * error; *err may be filled without one. 0: they may be what the command takes. */
int misplaced_operand(const struct context *context, enum operand_type type, size_t first, struct error *err);

/* Refuses (-1) an operand that is the value of the header before it, whose quotes were forgotten: -H X-Api-Key: VALUE.
 * It is not shown, as it may be a secret. 0: it is another word. */
int misplaced_header_value(const struct option_words *words, const char *word, struct error *err);

/* Gives the error of a word that was refused the hint that the table has for it in that place; without one the error
 * keeps its own. Returns -1. */
int misplaced_hint(const char *place, const char *word, struct error *err);

/* Refuses (-1) the value of an option that the table has there. */
int misplaced_value(const struct command *command, const struct option_words *words, struct error *err);

#endif
