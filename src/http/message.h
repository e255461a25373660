/*
 * An HTTP request wherever it stands: received, recorded, redacted, delivered.
 *
 * All texts are spans of bytes that somebody else owns: their owner says how long they last, and whether a NUL follows
 * them.
 */
#ifndef CREDHOOK_HTTP_MESSAGE_H
#define CREDHOOK_HTTP_MESSAGE_H

#include "base/text.h"

struct header {
	struct text name;  /* as it was written */
	struct text value; /* without whitespace around it */
};
/* A header of literal text: HEADER("Allow", "POST, GET, HEAD"). */
#define HEADER(name, value)                                                                                            \
	{                                                                                                              \
		TEXT(name), TEXT(value)                                                                                \
	}

struct message {
	struct text method;
	struct text target; /* /path?query, http://host/path or * */
	const struct header *headers;
	size_t header_count;
	struct text body;
};

/* Methods are case-sensitive. */
bool message_method_is(const struct message *message, const char *method);
/* The value of the first header of that name (in any case), or NULL. */
const struct text *message_header(const struct message *message, const char *name);

#endif
