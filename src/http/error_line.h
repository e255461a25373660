/* What a server says went wrong: one line of its response's body. */
#ifndef CREDHOOK_HTTP_ERROR_LINE_H
#define CREDHOOK_HTTP_ERROR_LINE_H

#include "base/buffer.h"

#include <stddef.h>

#define ERROR_LINE_MAX 300 /* bytes */

/* Appends the first line that is not blank; of a Python traceback the last one, of HTML the first text outside tags, of
 * a JSON object or array all of it. Blanks in a row become one. Nothing is appended where there is none. The bytes are
 * as hostile as the body. */
void error_line_append(struct buffer *out, const char *body, size_t length);

#endif
