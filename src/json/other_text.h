/* What text that is not JSON may be instead, and how it becomes JSON. */
#ifndef CREDHOOK_JSON_OTHER_TEXT_H
#define CREDHOOK_JSON_OTHER_TEXT_H

#include "json/tree.h"

#include <stddef.h>

/* A hint, by its first bytes or by what is wrong with it; NULL: nothing is known. */
const char *json_other_text(const char *text, size_t length, const struct json_fault *fault);

#endif
