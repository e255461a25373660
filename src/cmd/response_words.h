/* What the body of a response says, as a few lines for a person. */
#ifndef CREDHOOK_CMD_RESPONSE_WORDS_H
#define CREDHOOK_CMD_RESPONSE_WORDS_H

#include "base/buffer.h"

/* Appends the first and the last lines of the body, each made safe, cut and ended by a newline, with a line "..."
 * between them where something is left out. Of HTML only what a browser would show. `is_cut`: more of the body came. */
void response_words_append(struct buffer *out, const char *body, size_t length, bool is_cut);

#endif
