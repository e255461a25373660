/* Help texts, written from the rows of commands and options, and words laid out to the terminal's width. */
#ifndef CREDHOOK_UI_HELP_H
#define CREDHOOK_UI_HELP_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/signals.h"
#include "ui/options.h"
#include "ui/terminal.h"

#include <stdbool.h>

/* An example: a command line that works, and what it does. */
struct help_example {
	const char *command;
	const char *meaning;
};

struct help_page {
	const char *command;  /* "send" */
	const char *operands; /* "EVENT...|all [--file FILE]..." */
	const char *summary;
	const struct option_group *groups;
	size_t group_count;
	const struct option_initial *initials; /* as for options_init() */
	const char *const *common;             /* names of the options of a short page; NULL at its end, or instead */
	const struct help_example
	        *examples; /* ends with a NULL command, or NULL; a short page shows HELP_EXAMPLES_MAX */
};

#define HELP_EXAMPLES_MAX 3

/* The common options and some examples, for one screen; and all of both. */
void help_append_short(struct buffer *out, const struct help_page *page, int width, bool color);
void help_append_page(struct buffer *out, const struct help_page *page, int width, bool color);

/* Appends a term and its explanation as a row of two columns. */
void help_append_row(struct buffer *out, const char *term, const char *text, int term_width, int width);

/* Writes a text to stdout. Where that is a terminal with fewer lines, it goes through $PAGER (a command line for
 * /bin/sh; empty or "cat": none), or else through less; where no pager can be started, it is written as it is. A pager
 * that the user leaves early is not an error. Ctrl-C is the pager's while it runs. */
void pager_show(struct terminal *t, const struct buffer *text);

/* Shows a page of section 7 of the manual by man(1): the one that came with this program, else the one that man finds.
 * What man prints goes to stdout; may_page: on a terminal through the pager that man uses. EXIT_CODE_IO: there is no
 * man, or no such page. `signals` may be NULL. */
int manual_show(struct terminal *t, const char *page, bool may_page, struct signals *signals, struct error *err);

#endif
