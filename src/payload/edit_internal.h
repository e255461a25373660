/* What edit.c and edit_check.c share. */
#ifndef CREDHOOK_PAYLOAD_EDIT_INTERNAL_H
#define CREDHOOK_PAYLOAD_EDIT_INTERNAL_H

#include "payload/edit.h"

/* Appends the JSON text that the edit's text becomes for the member's type; false: it does not fit. */
bool edit_convert(const struct edit *edit, const struct catalog_member *member, struct buffer *json);
/* The usage error for a text that does not fit, which names what does. Returns -1. */
int edit_refuse_text(const struct edit *edit, const struct catalog_member *member, const struct catalog_event *event,
                     struct error *err);

#endif
