/* Where a program broke, by the stack that its framework prints: JavaScript, Python, PHP, Ruby, Java, .NET, Go, Rust.
 */
#ifndef CREDHOOK_HTTP_STACK_H
#define CREDHOOK_HTTP_STACK_H

#include "base/text.h"

#include <stdbool.h>

#define STACK_PLACE_SIZE 96

struct stack {
	struct text error;            /* the line that says what went wrong, without the place; borrowed */
	char place[STACK_PLACE_SIZE]; /* of the application's own frame, "app.js:11:21"; empty: none is known */
};

/* Looks for a stack in lines of text. Of its frames the one counts that is the application's own and nearest to the
 * error: the last one of Python, else the first, with its file's name alone; a library's only where there is no other.
 * Where an error has a cause, the cause counts. `is_page`: the lines were HTML, and say nothing by their indentation.
 * False: there is none. */
bool stack_find(struct text text, bool is_page, struct stack *stack);

/* Whether the line says which error it was: "KeyError: 'path'", not "Internal Server Error". */
bool stack_names_error(struct text line);

#endif
