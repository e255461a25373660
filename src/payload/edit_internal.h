/* What the files of edits share: edit.c reads and applies them, edit_check.c looks at them before. */
#ifndef CREDHOOK_PAYLOAD_EDIT_INTERNAL_H
#define CREDHOOK_PAYLOAD_EDIT_INTERNAL_H

#include "payload/edit.h"

/* Appends the JSON text that a user's text becomes for the member's type; false: it does not fit. */
bool edit_convert(const struct catalog_member *member, const char *text, struct buffer *json);
/* Appends what a text has to be for the member: "an integer". */
void edit_append_expectation(const struct catalog_member *member, struct buffer *out);

#endif
