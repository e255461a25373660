/*
 * Editing JSON text in place: only the bytes of the edited value change, every other byte stays as it was.
 *
 * Both functions take a document that json_read() has accepted and append the whole edited text to *out, which is not
 * the buffer that holds the document's text. Where they fail, nothing of use was appended.
 */
#ifndef CREDHOOK_JSON_SPLICE_H
#define CREDHOOK_JSON_SPLICE_H

#include "base/error.h"
#include "json/located.h"

/* Puts `value` (JSON text that json_read() accepts) where the pointer says: in place of what is there, or as a new
 * member at the end of its object (objects that lack on the way are made), or, for an array, in place of the element
 * of that index or behind the last one for the index that equals its length or '-'. Where a key repeats, the last one
 * is the one replaced. The root pointer "" replaces the document's value. What is new is spaced as the member before
 * it is, so that a pretty text stays pretty.
 * EXIT_CODE_USAGE: a text that is no JSON Pointer; a path that leads through a string, number, boolean or null (the
 * message names the part of the path that is no container); an array index that is none or past the end; a result
 * that json_read() would refuse as too deep or too long. */
int json_splice_set(const struct json_doc *doc, const char *pointer, const char *value, size_t value_length,
                    struct buffer *out, struct error *err);

/* Takes away the member or element the pointer names, with one comma; every one where a key repeats. *removed says
 * whether anything was there; where nothing was, the text is appended unchanged. Removing the root is a usage error,
 * and so is a text that is no JSON Pointer. */
int json_splice_unset(const struct json_doc *doc, const char *pointer, struct buffer *out, bool *removed,
                      struct error *err);

#endif
