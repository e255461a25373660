/*
 * An HTTP request wherever it stands: received, recorded, redacted, delivered.
 *
 * All texts are spans of bytes that somebody else owns: their owner says how long they last, and whether a NUL follows
 * them.
 */
#ifndef CREDHOOK_HTTP_MESSAGE_H
#define CREDHOOK_HTTP_MESSAGE_H

#include <stddef.h>

/* Any bytes; text NULL: absent. */
struct text {
	const char *text;
	size_t length;
};
/* Literal text: TEXT("POST"). */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

struct header {
	struct text name; /* as it was written */
	struct text value;
};

struct message {
	struct text method;
	struct text target; /* /path?query, http://host/path or * */
	const struct header *headers;
	size_t header_count;
	struct text body;
};

/* The text up to its NUL; NULL: absent. */
struct text text_of(const char *text);
/* The value of the first header of that name (in any case), or NULL. */
const struct text *message_header(const struct message *message, const char *name);

#endif
