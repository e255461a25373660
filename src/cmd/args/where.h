/* --where PATH=VALUE, --expect EVENT,PATH=VALUE: which payloads are meant, by their values. */
#ifndef CREDHOOK_CMD_ARGS_WHERE_H
#define CREDHOOK_CMD_ARGS_WHERE_H

#include "base/error.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>

enum where_operator {
	WHERE_IS,       /* = */
	WHERE_IS_NOT,   /* != */
	WHERE_CONTAINS, /* ~ */
};

struct where {
	char *pointer; /* owned: JSON Pointer */
	enum where_operator how;
	char *value;   /* owned */
	bool is_shown; /* nothing in it, as it was typed, is a secret */
};

struct where_list {
	struct where *items;
	size_t count;
	size_t capacity;
};

/* Reads details.appKey=x, details.bureau!=x or /details/email~@example.com and adds it. The path ends at the first of
 * the operators; in a JSON Pointer, ~0 and ~1 belong to the path. Usage errors: no operator, a path that is none.
 * For struct option: the field is a struct where_list. */
int where_add(void *field, const char *text, struct error *err);
void where_release(void *field);
/* Appends it as it would be typed. */
void where_append(struct buffer *out, const struct where *where);

/* Whether all of them hold. A text is compared as it is meant (escapes resolved), anything else as it is written. What
 * is absent equals nothing and contains nothing. `value` is room to work in. */
bool where_matches(const struct where_list *list, const struct json_doc *doc, struct buffer *value);
bool where_holds(const struct where *where, const struct json_doc *doc, struct buffer *value); /* one of them */

/* Appends the value that the pointer names as where_matches() compares it; false: it is absent. */
bool where_value(const struct json_doc *doc, const char *pointer, struct buffer *out);

#define WHERE_CODE_MAX 40 /* bytes of a code that messages have */

/* Whether what the pointer names is a code, and so says nothing of a person: only such values stand in messages that
 * nobody asked for. */
bool where_is_code(const char *pointer);

#endif
