/*
 * --set, --unset and --merge: changes that a user asks for, to payloads that were built or that came from outside.
 *
 * A set or unset changes the bytes of its value and no others; a merge patch (RFC 7396) writes the whole payload again.
 */
#ifndef CREDHOOK_PAYLOAD_EDIT_H
#define CREDHOOK_PAYLOAD_EDIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>

enum edit_type {
	EDIT_SET_TEXT, /* PATH=TEXT: converted to the field's type */
	EDIT_SET_JSON, /* PATH:=JSON */
	EDIT_UNSET,
	EDIT_MERGE,
};

struct edit {
	enum edit_type type;
	char *source;  /* owned: as the user wrote it, for messages */
	char *pointer; /* owned: JSON Pointer; NULL for EDIT_MERGE */
	char *value;   /* owned: text, JSON text, or the text of the merge patch; NULL for EDIT_UNSET */
};

/* Empty where it is zero. */
struct edits {
	struct edit *list; /* in the order in which they are applied */
	size_t count;
	size_t capacity;
};

void edits_release(void *edits); /* a struct edits; for LOCAL() and struct option */

/* Each reads what the user wrote and adds it. Usage errors: no '=', an empty path, text behind ':=' or in the patch
 * that is not JSON (with line and column), a pointer with a bad escape. */
int edits_add_set(struct edits *edits, const char *assignment, struct error *err);
int edits_add_unset(struct edits *edits, const char *path, struct error *err);
int edits_add_merge(struct edits *edits, const char *what, const char *text, size_t length, struct error *err);

/* Turns details.appKey or /details/appKey into a JSON Pointer. A usage error when it is neither. */
int edit_pointer(const char *path, struct buffer *pointer, struct error *err);

/* The same for a place in payloads from outside, which may be any place. A usage error names the field where the path
 * is only the end of its path: clientKey, of details.clientKey. The JSON Pointer /clientKey is taken. */
int edit_place(const char *path, struct buffer *pointer, struct error *err);

/* Appends a pointer as a path: details.appKey; as it is where a key has a character that a path cannot hold. */
void edit_append_path(const char *pointer, struct buffer *out);

/* Appends the path (details.bureau) that was probably meant by a pointer which no event lists. False: some event lists
 * it, or there is none like it. */
bool edit_guess_path(const char *pointer, struct buffer *path);

/* The usage error for a path that no event lists; names what was probably meant. */
int edit_refuse_path(const char *path, const char *pointer, struct error *err);

/* Whether a payload of the event may have what the pointer names: listed, or in an object with open members. Else a
 * usage error that names the nearest field. */
int edit_check_field(const char *pointer, const struct catalog_event *event, struct error *err);

/* Before anything is built. Each EDIT_SET_TEXT has to name a field that at least one of the kinds lists, and its text
 * to convert to the type it has there; each EDIT_UNSET has to name something that one of them lists, or that an edit
 * before it may have put there. kinds NULL: payloads from outside, which may be of any kind. Usage errors name the
 * nearest field and the way out, PATH:=JSON. */
int edits_check(const struct edits *edits, const struct catalog_kind *kinds, size_t kind_count, struct error *err);

/* Applies all of them to a payload, *out getting the result. `event` is what the payload is, for the types of
 * EDIT_SET_TEXT: those of fields the event does not list are ignored. NULL, for a payload that is not a known event:
 * such a text then becomes a string. */
int edits_apply(const struct edits *edits, const struct catalog_event *event, const char *text, size_t length,
                struct buffer *out, struct error *err);

/* What the pointer names in a payload of the event, or NULL when the event lists no such field. The envelope's keys
 * count too (path only where the event has one). *open (may be NULL): it is in an object that may have any key. */
const struct catalog_member *edit_member(const struct catalog_event *event, const char *pointer, bool *open);

#endif
