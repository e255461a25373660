/* JSON Pointers (RFC 6901) taken apart. Private to src/json. */
#ifndef CREDHOOK_JSON_POINTER_H
#define CREDHOOK_JSON_POINTER_H

#include "json/located.h"

/* One reference token as it is spelled: what stands between two slashes, with ~0 and ~1 in it. */
struct json_pointer_part {
	const char *text;
	size_t length;
};

/* Whether the text is a pointer: "" or one that begins with '/', with '~' only in ~0 and ~1, in UTF-8. */
bool json_pointer_is_valid(const char *pointer);
/* Takes the next part off a valid pointer, which then begins behind it; false: there is none. */
bool json_pointer_take(const char **pointer, struct json_pointer_part *part);
/* The part as the index of an array: digits without a leading zero. */
bool json_pointer_index(const struct json_pointer_part *part, size_t *index);
/* Whether the part names this key. */
bool json_pointer_names(const struct json_doc *doc, uint32_t key, const struct json_pointer_part *part);
/* The value of the member the part names, the last one where the key repeats, or JSON_NONE. */
uint32_t json_pointer_member(const struct json_doc *doc, uint32_t object, const struct json_pointer_part *part);
void json_pointer_decode(const struct json_pointer_part *part, struct buffer *out);

#endif
