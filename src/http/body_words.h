/* What the body of a response says, without the markup around it. */
#ifndef CREDHOOK_HTTP_BODY_WORDS_H
#define CREDHOOK_HTTP_BODY_WORDS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

#define ERROR_LINE_MAX 300 /* bytes */

/* Appends the first and the last lines of the body, each made safe, cut and ended by a newline, with a line "..."
 * between them where something is left out. Of HTML only what a browser would show. `is_cut`: more of the body came. */
void body_words_append(struct buffer *out, const char *body, size_t length, bool is_cut);

/* Appends the one line that says what went wrong: the first that is not blank; of a Python traceback the last, of a
 * JSON object or array all of it. Blanks in a row become one. The bytes are as hostile as the body. */
void error_line_append(struct buffer *out, const char *body, size_t length);

#endif
