/* What Tab offers: candidates for the word being typed, the text it inserts, and the list it shows. */
#ifndef CREDHOOK_UI_CHOICES_H
#define CREDHOOK_UI_CHOICES_H

#include "base/buffer.h"

#define CHOICES_MAX 2000 /* further ones are left out */

/* Chooses of the texts offered, each with its NUL, those that begin with `stem`. Appends to *insert what can be added
 * behind it without a doubt: what all choices share, and for a single one a closing quote and a space behind it, unless
 * it ends in '=', '/', ':' or '.'. `quote` is the one that is open, or 0: then characters that would end the word get a
 * backslash. When nothing can be added, the choices go to *list, sorted, in columns of at most `width`. */
void choices_complete(const struct buffer *offered, const char *stem, char quote, int width, struct buffer *insert,
                      struct buffer *list);

#endif
