/*
 * Edits JSON text in place: only the bytes of the edited value change.
 *
 * The first two functions take a document that json_read() has accepted and append the whole edited text to *out, which
 * must not be the buffer of the document's text. After an error the contents of *out are unspecified.
 */
#ifndef CREDHOOK_JSON_SPLICE_H
#define CREDHOOK_JSON_SPLICE_H

#include "base/error.h"
#include "json/located.h"

/* Sets `value` (JSON text that json_read() accepts) at the pointer. It replaces what is there (of duplicate keys the
 * last), or becomes a new last member of its object, or, with the index '-' or the length of the array, a new last
 * element. Missing objects on the path are created. "" replaces the whole document. A new member gets the white space
 * of the member before it, so that a pretty text stays pretty.
 * EXIT_CODE_USAGE: not a JSON Pointer; the path leads through a string, number, boolean or null; not an index, or an
 * index past the end; the result would be too deep or too long for json_read(). */
int json_splice_set(const struct json_doc *doc, const char *pointer, const char *value, size_t value_length,
                    struct buffer *out, struct error *err);

/* Removes the member (all duplicates of its key) or element at the pointer, with its comma; if there is none, the text
 * is appended unchanged. EXIT_CODE_USAGE: the root, or not a JSON Pointer. */
int json_splice_unset(const struct json_doc *doc, const char *pointer, struct buffer *out, struct error *err);

/* Edits the text that the buffer holds, which json_read() accepts (else EXIT_CODE_INTERNAL): sets `value` at the
 * pointer, or removes what is there (NULL). After an error it is as it was. */
int json_splice_text(struct buffer *text, const char *pointer, const char *value, struct error *err);

#endif
