/*
 * What could end a command line, from the rows that the parser reads: for the completion scripts of the shells, which
 * ask `credhook help --complete -- WORD...`.
 *
 * What an option's argument may be is told by its name in the row: FILE, EVENT, PATH=TEXT... (complete_values.c has the
 * list; a test fails on a name that is not in it). A part in lower case ("all", "max") stands for itself.
 */
#ifndef CREDHOOK_CMD_COMPLETE_H
#define CREDHOOK_CMD_COMPLETE_H

#include "base/buffer.h"
#include "base/text_list.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

enum completion_files {
	COMPLETION_NO_FILES,
	COMPLETION_FILES,
	COMPLETION_FOLDERS,
};

struct completion {
	struct buffer lines;         /* "CANDIDATE<tab>MEANING<newline>" each; a candidate replaces the whole word */
	enum completion_files files; /* whether files go here too */
	const char *word;            /* what is typed of the last word; borrowed */
	size_t fixed;                /* so many of its bytes stand before what is completed: "--to=", "a,b,", "@" */
	/* What the line says so far. */
	const char *config; /* --config's */
	bool no_config;
	size_t kind_count; /* events named; 0: none */
	struct catalog_kind kinds[32];
};

/* Completes the last of the words, those before it being the command line so far (without "credhook"). No words: the
 * first is still to be typed. */
void complete_words(struct completion *to, const struct text_list *words);
void completion_release(struct completion *to);

/* As one text: a line per candidate, then ":files PREFIX" or ":folders PREFIX" where names of files go too, behind
 * PREFIX, which is part of the word. */
void completion_append(struct buffer *out, const struct completion *to);

/* For complete_values.c and complete.c: a candidate, if it goes on from what is typed. */
void complete_offer(struct completion *to, const char *candidate, const char *meaning);
/* Offers what an argument of that name may be, "FILE" or "EVENT...|all". False: a part of the name is unknown. */
bool complete_argument(struct completion *to, const char *argument);

#endif
