/* Long texts at a terminal, through the user's pager. */
#ifndef CREDHOOK_UI_PAGER_H
#define CREDHOOK_UI_PAGER_H

#include "ui/terminal.h"

/* Writes a text to stdout. Where that is a terminal with fewer lines, it goes through $PAGER (a command line for
 * /bin/sh; empty or "cat": none), or else through less; where no pager can be started, it is written as it is. A pager
 * that the user leaves early is not an error. Ctrl-C is the pager's while it runs. */
void pager_show(struct terminal *t, const char *text, size_t length);

#endif
