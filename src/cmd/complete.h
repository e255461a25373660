/*
 * What could end a command line, from the rows that the parser reads: for the completion scripts of the shells, which
 * ask `credhook help --complete -- WORD...`, and for the prompt of `credhook shell`. The `complete` of an option's or a
 * command's row says what is offered for an argument or an operand.
 */
#ifndef CREDHOOK_CMD_COMPLETE_H
#define CREDHOOK_CMD_COMPLETE_H

#include "base/buffer.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stddef.h>

enum completion_files {
	COMPLETION_NO_FILES,
	COMPLETION_FILES,
	COMPLETION_FOLDERS,
};

struct completion {
	const struct command *const *commands; /* all there are; ends with NULL. To be set before */
	struct buffer lines;         /* "CANDIDATE<tab>MEANING<newline>" each; a candidate replaces the whole word */
	enum completion_files files; /* whether files go here too */
	const char *word;            /* what is typed of the last word; borrowed */
	size_t program_words;        /* the last ones are the command line of another program; 0: they are ours */
	size_t fixed;                /* bytes of it before what is completed: "--to=", "a,b,", "@" */
	/* What the line says so far; a session sets the first two before. */
	const char *config; /* --config's */
	bool no_config;
	size_t kind_count; /* events named; 0: none */
	struct catalog_kind kinds[32];
	/* Offers what only a session knows of a kind of operand; NULL: there is no session. */
	void (*offer_of_session)(struct completion *to, enum completion_kind kind);
	const struct shell *session;
};

/* Completes the last of the words, those before it being the command line so far (without "credhook"). No words: the
 * first is still to be typed. */
void complete_words(struct completion *to, const struct text_list *words);
void completion_release(struct completion *to);

/* As one text: a line per candidate, then ":files PREFIX" or ":folders PREFIX" where names of files go too, behind
 * PREFIX, which is part of the word; or only ":command N" where the last N words are to be completed as a command line
 * of their own. */
void completion_append(struct buffer *out, const struct completion *to);

/* Offers what a kind of argument may be; nothing for those that only a session knows. */
void complete_operand(struct completion *to, enum completion_kind kind);
/* Offers one candidate, if it begins with what is typed. */
void complete_offer(struct completion *to, const char *candidate, const char *meaning);

/* The shell of that index, for `credhook completion SHELL`; NULL: no more. */
const char *completion_shell_at(size_t index);

/* The files of completions/, written by CMake. */
extern const char completion_script_credhook_bash[], completion_script_credhook_fish[], completion_script__credhook[];

#endif
