/*
 * JSON Pointers (RFC 6901): from a pointer to a token of a document, from tokens to their pointers, and the parts that
 * a pointer consists of.
 */
#ifndef CREDHOOK_JSON_POINTER_H
#define CREDHOOK_JSON_POINTER_H

#include "json/located.h"

/* Whether the text is a JSON Pointer (RFC 6901): empty, or beginning with '/'; '~' only in ~0 and ~1; in UTF-8. */
bool json_pointer_is_valid(const char *pointer);
/* The token that a JSON Pointer refers to, or JSON_NONE. Of duplicate keys the last counts. */
uint32_t json_resolve(const struct json_doc *doc, const char *pointer);

/* The JSON Pointers of many tokens of one document: going forward visits only the tokens since the previous one, going
 * back restarts the container. Nothing to release. */
struct json_pointer_walk {
	const struct json_doc *doc; /* borrowed */
	unsigned depth;
	/* The path to the last token: each container, its child on the path, and the child's index. */
	struct json_pointer_step {
		uint32_t container;
		uint32_t child;
		uint32_t index;
	} steps[JSON_DEPTH_MAX];
};
void json_pointer_walk_init(struct json_pointer_walk *walk, const struct json_doc *doc);
/* Appends the pointer of a value, or of the value of a key; "" is the root. At most `most` bytes, cut at a character
 * boundary. False: it was cut. */
bool json_pointer_walk_append(struct json_pointer_walk *walk, uint32_t token, size_t most, struct buffer *out);
/* Appends one reference token of a JSON Pointer: '/', then the key with ~ and / escaped. */
void json_append_pointer_key(struct buffer *out, const char *key, size_t length);

/* One reference token as it is written, with ~0 and ~1 not decoded; borrowed. */
struct json_pointer_part {
	const char *text;
	size_t length;
};
/* Takes the next part from a valid pointer and moves the pointer past it. False: there is no part left. */
bool json_pointer_take_part(const char **pointer, struct json_pointer_part *part);
/* The part as an array index. False: not digits, or a leading zero (RFC 6901, section 4). */
bool json_pointer_part_index(const struct json_pointer_part *part, size_t *index);
/* Appends the key that the part means. */
void json_pointer_decode_part(const struct json_pointer_part *part, struct buffer *out);
/* Whether the part refers to this key. */
bool json_pointer_part_is_key(const struct json_doc *doc, uint32_t key, const struct json_pointer_part *part);
/* The member (of duplicate keys the last) or element that the part refers to, or JSON_NONE. */
uint32_t json_pointer_child(const struct json_doc *doc, uint32_t container, const struct json_pointer_part *part);

#endif
