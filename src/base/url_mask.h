/*
 * URLs as they are printed: *** replaces a password, a user without a password (likely a token), the values of the
 * query, a part of the query without '=' (?TOKEN), and the fragment.
 *
 * error_set() and error_hint() apply this to whatever they quote.
 */
#ifndef CREDHOOK_BASE_URL_MASK_H
#define CREDHOOK_BASE_URL_MASK_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends a URL. Without a scheme, everything up to the last '@' counts as user and password. */
void url_append_masked(struct buffer *out, const char *url);
/* For a text that is not a valid URL: everything up to the last '@' may be a password. */
void url_append_masked_unparsed(struct buffer *out, const char *text);
/* For the value of a Location: a URL, //HOST/PATH or /PATH. */
void url_append_masked_reference(struct buffer *out, const char *reference);
/* For any text: masks from the first SCHEME:// on; without one, nothing. */
void url_append_masked_text(struct buffer *out, const char *text, size_t length);
/* Whether url_append_masked() would mask a part of the URL. */
bool url_is_secret(const char *url);

#endif
