/*
 * Documents as json-c trees. A tree is made only from the tokens of a text that json_read() has accepted, so that both
 * see the same document: numbers keep their spelling, the last of duplicate keys wins, and a key with a NUL, which
 * json-c cannot store, is an error.
 */
#ifndef CREDHOOK_JSON_TREE_H
#define CREDHOOK_JSON_TREE_H

#include "base/error.h"
#include "json/located.h"

#include <json-c/json_object.h>

/* Makes the tree of a token and its contents; NULL is JSON null. The caller releases it with json_object_put().
 * Integers that fit are int64; other numbers are doubles that print as they were written. EXIT_CODE_FAILED: a key with
 * a NUL. */
int tree_from_doc(const struct json_doc *doc, uint32_t token, struct json_object **tree, struct error *err);

/* Reads text strictly and makes its tree. EXIT_CODE_FAILED: not JSON; the message begins with `what`, the name of a
 * file for example, line and column: "what:3:7: a trailing comma". */
int tree_parse(const char *text, size_t length, const char *what, struct json_object **tree, struct error *err);

/* JSON Merge Patch (RFC 7396): changes *target, which may become another object. The patch is neither changed nor
 * shared. When out of memory, *target may be patched in part. */
int tree_merge_patch(struct json_object **target, struct json_object *patch, struct error *err);

/* How a text spells a document; strings in their shortest form unless it says otherwise. */
enum tree_style {
	TREE_COMPACT,
	TREE_PRETTY,   /* two spaces per level, without a final newline */
	TREE_REVERSED, /* compact, the last member of each object first */
	TREE_ESCAPED,  /* compact, every character of every string as \uXXXX */
};
/* Appends the tree as JSON text. Neither '/' nor, but for TREE_ESCAPED, non-ASCII characters are escaped. */
void tree_append_text(struct json_object *tree, enum tree_style style, struct buffer *out);

#endif
