/*
 * The line a person types, on libedit's native interface.
 *
 * libedit edits, draws and remembers; its bytes come from here (EL_GETCFN), where the caller's event loop waits for
 * them, so that something can be shown above a line that is half typed. While a line is read SIGTSTP, SIGCONT and
 * SIGWINCH are blocked and handled here; SIGINT and SIGTERM are the caller's to notice in wait().
 */
#ifndef CREDHOOK_UI_PROMPT_H
#define CREDHOOK_UI_PROMPT_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum prompt_event {
	PROMPT_INPUT,     /* a key or a signal of the terminal can be read */
	PROMPT_SHOW,      /* prompt_show_above() was called: show it now */
	PROMPT_INTERRUPT, /* Ctrl-C: the line is to be cleared */
	PROMPT_LEAVE,     /* the process is to end */
	PROMPT_TIME,      /* what a prompt does not wait for has passed */
};

struct prompt_handler {
	void *context;
	/* Waits until standard input or `signals`, a descriptor, can be read, or for what else there is to notice.
	 * Where `input_only`, a key's sequence is under way: PROMPT_SHOW has to wait. */
	enum prompt_event (*wait)(void *context, int signals, bool input_only);
	/* Tab: appends what is to be inserted at the end of the `length` bytes typed up to the cursor, or what is to be
	 * shown above the line. */
	void (*complete)(void *context, const char *line, size_t length, struct buffer *insert, struct buffer *list);
};

struct prompt;

/* Takes a copy of the handler. */
struct prompt *prompt_new(const struct prompt_handler *handler, struct error *err);
void prompt_free(struct prompt *prompt); /* NULL is allowed; the terminal is as it was before */

enum prompt_result {
	PROMPT_FAILED = -1, /* *err */
	PROMPT_LINE,        /* *line is what was typed, without a newline */
	PROMPT_CLEARED,     /* Ctrl-C */
	PROMPT_END,         /* Ctrl-D on an empty line; PROMPT_LEAVE; or the terminal is gone */
};
/* Reads a line after `words`, in which bytes between \1 and \1 (colour) take no columns. */
enum prompt_result prompt_read(struct prompt *prompt, const char *words, struct buffer *line, struct error *err);

/* Hands over lines (each with its newline) to be shown above the line being typed; wait() then returns PROMPT_SHOW.
 * The words of the prompt may change with it; NULL: they stay. */
void prompt_show_above(struct prompt *prompt, const char *lines, size_t length, const char *words);

/* Up and down walk through these, the latest first; the same line twice running is there once. */
void prompt_remember(struct prompt *prompt, const char *line);

#endif
