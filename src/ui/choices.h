/* What Tab offers: candidates for the word being typed, the text it inserts, and the list it shows. */
#ifndef CREDHOOK_UI_CHOICES_H
#define CREDHOOK_UI_CHOICES_H

#include "base/buffer.h"

#include <stddef.h>

#define CHOICES_MAX 2000 /* further ones are left out */

/* Zero-initialise. */
struct choices {
	char **items; /* owned */
	size_t count;
	size_t capacity;
};

void choices_release(struct choices *choices);
/* Copies the text, when it begins with `stem`; one that memory cannot hold is left out. */
void choices_offer(struct choices *choices, const char *text, const char *stem);

/* Appends to *insert what can be added behind `stem` without a doubt: what all choices share, and for a single one a
 * closing quote and a space behind it, unless it ends in '=', '/', ':' or '.'. `quote` is the one that is open, or 0:
 * then characters that would end the word get a backslash. When nothing can be added, the choices go to *list, in
 * columns of at most `width`. Sorts. */
void choices_complete(struct choices *choices, const char *stem, char quote, int width, struct buffer *insert,
                      struct buffer *list);

#endif
