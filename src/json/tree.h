/*
 * The json-c side: documents to be made. A tree is only ever made from text that the located reader has accepted, by
 * walking its tokens, so that both sides see the same document: numbers keep their exact spelling, the last of
 * repeated keys wins, and a key with a NUL (which json-c cannot hold) is an error and not another key.
 */
#ifndef CREDHOOK_JSON_TREE_H
#define CREDHOOK_JSON_TREE_H

#include "base/error.h"
#include "json/located.h"

#include <json-c/json_object.h>

/* The tree of a token and all inside it in *tree (NULL is JSON null); the caller puts it. Integers that fit are int64;
 * every other number is a double that prints as it was spelled. EXIT_CODE_FAILED: a key with a NUL. */
int tree_from_doc(const struct json_doc *doc, uint32_t token, struct json_object **tree, struct error *err);

/* Reads text strictly and makes its tree; an error (EXIT_CODE_FAILED) names `what`, a file's name, say, with line and
 * column: "what:3:7: a trailing comma". */
int tree_parse(const char *text, size_t length, const char *what, struct json_object **tree, struct error *err);

/* RFC 7396: patches *target, which may be replaced by another object; patch stays the caller's, unchanged and not
 * shared. Where memory runs out, *target may be half patched. */
int tree_merge_patch(struct json_object **target, struct json_object *patch, struct error *err);

/* Appends the tree as JSON text: compact ({"a":1}), or pretty (two spaces a level, ": " after a key, no newline at the
 * end; nothing is written inside empty containers). '/' is not escaped, and non-ASCII stays as it is. */
void tree_append_text(struct json_object *tree, bool pretty, struct buffer *out);

#endif
