/* Words that are in anybody's requests and records: they stay, and say nothing if they are found. */
#ifndef CREDHOOK_REDACT_REDACT_PUBLIC_H
#define CREDHOOK_REDACT_REDACT_PUBLIC_H

#include <stdbool.h>
#include <stddef.h>

enum redact_words_kind {
	REDACT_METHODS,
	REDACT_HEADERS, /* names of header fields */
	REDACT_VALUES,  /* values of header fields, or their parts between separators */
	REDACT_MEMBERS, /* keys of a capture record, and its words */
	REDACT_KINDS,
};

/* Whether the text is one of these words, in any case. */
bool redact_is_public(enum redact_words_kind kind, const char *text, size_t length);
/* Whether the text is part of the word, in any case. NULL: there is no word. An empty text is not. */
bool redact_is_part(const char *word, const char *text, size_t length);
/* Whether it is part of one of them, of a path, or of a word of the catalogue: it is there whatever the values are. */
bool redact_is_common(const char *text, size_t length);

#endif
