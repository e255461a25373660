/* Words that are in anybody's requests: they stay. */
#ifndef CREDHOOK_REDACT_REDACT_PUBLIC_H
#define CREDHOOK_REDACT_REDACT_PUBLIC_H

#include <stdbool.h>
#include <stddef.h>

enum redact_words_kind {
	REDACT_METHODS,
	REDACT_HEADERS, /* names of header fields */
	REDACT_VALUES,  /* values of header fields, or their parts between separators */
	REDACT_KINDS,
};

/* Whether the text is one of these words, in any case. */
bool redact_is_public(enum redact_words_kind kind, const char *text, size_t length);

#endif
