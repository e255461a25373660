/* What text that is not JSON may be instead, and how it becomes JSON. */
#ifndef CREDHOOK_JSON_OTHER_TEXT_H
#define CREDHOOK_JSON_OTHER_TEXT_H

#include "json/tree.h"

#include <stddef.h>

/* Where a document stands: that says what can be done about it. */
enum json_depth {
	JSON_RECEIVED, /* it was received, or recorded: there is no file to mend */
	JSON_LINE,     /* in a line behind the first of a file */
	JSON_FIRST,    /* in the first line of a file of lines */
	JSON_WHOLE,    /* it is a file */
};

static inline enum json_depth json_depth_of(bool is_line, size_t line)
{
	return !is_line ? JSON_WHOLE : line == 1 ? JSON_FIRST : JSON_LINE;
}

/* A hint, by its first bytes or by what is wrong with it, for base/mend.h; NULL: nothing is known. Of what was received
 * it only says what came. */
const char *json_other_text(const char *text, size_t length, const struct json_fault *fault, enum json_depth depth);

#endif
