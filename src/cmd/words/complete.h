/*
 * What could end a command line, from the rows that the parser reads: for the completion scripts of the shells, which
 * ask `credhook help --complete -- WORD...`, and for the prompt of `credhook shell`. The `complete` of an option's or a
 * command's row says what is offered for an argument or an operand.
 */
#ifndef CREDHOOK_CMD_WORDS_COMPLETE_H
#define CREDHOOK_CMD_WORDS_COMPLETE_H

#include "base/buffer.h"
#include "base/text.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stddef.h>

struct completion {
	/* To be set before: all commands there are (ends with NULL), and whose environments are offered. */
	const struct command *const *commands;
	const char *config;
	bool no_config;
	struct buffer lines; /* "CANDIDATE<tab>MEANING<newline>" each; a candidate replaces the whole word */
	bool files;          /* whether names of files and folders go here too */
	const char *word;    /* what is typed of the last word; borrowed */
	size_t fixed;        /* bytes of it before what is completed: "--to=", "a,b,", "@" */
};

/* Completes the last of the words, those before it being the command line so far (without "credhook"). No words: the
 * first is still to be typed. */
void complete_words(struct completion *to, const struct text_list *words);
void completion_release(struct completion *to);

/* As one text: a line per candidate, then ":files PREFIX" where names of files go too, behind PREFIX, which is part of
 * the word. */
void completion_append(struct buffer *out, const struct completion *to);

#endif
