/*
 * A line of the shell as words.
 *
 * Blanks separate words; '...' keeps everything, "..." everything but \" and \\; a backslash outside quotes takes the
 * next character as it is; # at the beginning of a word starts a comment. There is no redirection and no pipe.
 */
#ifndef CREDHOOK_CMD_SHELL_SHELL_LINE_H
#define CREDHOOK_CMD_SHELL_SHELL_LINE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. */
struct line {
	char **words; /* count of them and a NULL */
	size_t count;
	size_t capacity;
	struct buffer text; /* the words, each with a NUL after it */
	char quote;         /* the one that was not closed, or 0 */
	bool in_word;       /* the text ends in its last word (not after it, nor in a comment) */
	bool in_comment;
};

/* Replaces what *line holds. With `unfinished`, for completion, an open quote is not an error. Usage errors: an
 * unclosed quote, a NUL character. */
int line_split(struct line *line, const char *text, size_t length, bool unfinished, struct error *err);
void line_release(struct line *line);

/* Whether the text contains a secret: the value of a header (-H), a password or token in a URL. Such a line is neither
 * kept nor shown. */
bool line_holds_secret(const char *text, size_t length);

#endif
