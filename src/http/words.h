/* What the body of a response says, without the markup around it. At most its first 64 KiB are looked at. */
#ifndef CREDHOOK_HTTP_WORDS_H
#define CREDHOOK_HTTP_WORDS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

#define WORDS_READ_MAX ((size_t)64 << 10) /* bytes of a body that are looked at */
#define WORDS_LINE_MAX 300                /* bytes of a line that read well */

/* Where the body is, or has in HTML or JSON, the stack of an error (http/stack.h), all of these append the error and
 * the application's own frame. */

/* Appends the first and the last lines of the body and the one of the error, each made safe, cut and ended by a
 * newline, with a line "..." where something is left out. Of HTML only what a browser would show. `is_cut`: more of the
 * body came.
 */
void words_append_lines(struct buffer *out, const char *body, size_t length, bool is_cut);

/* Appends the one line that says what went wrong, `most` bytes of it with "..." where it is cut, which is not within a
 * path: of a JSON object or array all of it, of a Python traceback the last, else the first that names an error, else
 * the first of that level, else the first. Blanks in a row become one. The bytes are as hostile as the body. Of a stack
 * "TypeError: x is undefined (app.js:11:21)". */
void words_append_line(struct buffer *out, const char *body, size_t length, size_t most);
/* The same, where a line names an error or has that level. False: none does, and nothing is appended. */
bool words_append_error(struct buffer *out, const char *text, size_t length, size_t most);

/* The line, and of a page of HTML the sentences below its title: "403 Forbidden: CSRF verification failed. ...". */
void words_append_page(struct buffer *out, const char *body, size_t length, size_t most);

/* Appends the title of a page of HTML, or the first line that a browser would show: `most` bytes of it, as hostile. */
void words_append_title(struct buffer *out, const char *body, size_t length, size_t most);

#endif
