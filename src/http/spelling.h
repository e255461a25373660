/* A secret in a text, however its bytes are escaped there: each as it is, or as JSON, HTML, a URL or a literal of a
 * language has it. */
#ifndef CREDHOOK_HTTP_SPELLING_H
#define CREDHOOK_HTTP_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes at the beginning of the text stand for `value`, a C string that is not empty; 0: they do not.
 *
 * A byte may be itself, %XX, \xXX, \uXXXX (of more than one byte: the character, or each byte taken for Latin-1), \n
 * and the like, a sign behind a backslash, &#N;, &#xN; or a name of HTML. A blank and '+' are the same, as in a form.
 * What is escaped may be escaped again: JSON in a string of JSON has twice as many backslashes, a URL in a query %252B.
 * `is_cut` is set where the text ends within the value, and otherwise left. */
size_t spelling_match(const char *text, size_t length, const char *value, bool *is_cut);

/* Whether a text that stands for `value` may begin with this byte: quick, and true in doubt. */
bool spelling_may_begin(const char *value, char byte);

#endif
