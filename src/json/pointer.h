/* JSON Pointers (RFC 6901), parsed. */
#ifndef CREDHOOK_JSON_POINTER_H
#define CREDHOOK_JSON_POINTER_H

#include "json/located.h"

/* One reference token as written, with ~0 and ~1 not decoded. */
struct json_pointer_part {
	const char *text;
	size_t length;
};

/* Whether the text is a pointer: empty, or beginning with '/'; '~' only in ~0 and ~1; in UTF-8. */
bool json_pointer_is_valid(const char *pointer);
/* Takes the next part from a valid pointer and moves the pointer past it. False: there is no part left. */
bool json_pointer_take(const char **pointer, struct json_pointer_part *part);
/* The part as an array index. False: not digits, or a leading zero. */
bool json_pointer_index(const struct json_pointer_part *part, size_t *index);
/* Whether the part refers to this key. */
bool json_pointer_names(const struct json_doc *doc, uint32_t key, const struct json_pointer_part *part);
/* The member (of duplicate keys the last) or element that the part refers to, or JSON_NONE. */
uint32_t json_pointer_child(const struct json_doc *doc, uint32_t container, const struct json_pointer_part *part);
void json_pointer_decode(const struct json_pointer_part *part, struct buffer *out);

#endif
