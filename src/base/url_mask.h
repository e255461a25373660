/*
 * What of a URL is printed: a password becomes ***, and so do a user without one (a token), the values of its query, a
 * part of the query that has no '=' (?TOKEN), and its fragment.
 *
 * error_set() and error_hint() apply this to whatever they quote, so that an error needs no masking of its own.
 */
#ifndef CREDHOOK_BASE_URL_MASK_H
#define CREDHOOK_BASE_URL_MASK_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends a URL for printing. Of what has no scheme, all up to the last '@' is user and password. */
void url_append_masked(struct buffer *out, const char *url);
/* The same for what could not be read, of which all up to the last '@' may be a password. */
void url_append_masked_unparsed(struct buffer *out, const char *text);
/* The same for what a Location holds, a URL or a reference to another place of the same server: //HOST/PATH, /PATH. */
void url_append_masked_reference(struct buffer *out, const char *reference);
/* Of any text, as somebody typed it: what begins with SCHEME:// somewhere in it is masked; without one nothing is. */
void url_append_masked_text(struct buffer *out, const char *text, size_t length);
/* Whether url_append_masked() hides anything of the URL. */
bool url_is_secret(const char *url);

#endif
