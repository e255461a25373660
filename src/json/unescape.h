/* The bytes of a string token one by one, escapes resolved. Private to src/json. */
#ifndef CREDHOOK_JSON_UNESCAPE_H
#define CREDHOOK_JSON_UNESCAPE_H

#include "json/located.h"

struct json_unescape {
	const char *at;
	const char *end;
	char pending[4]; /* the decoded character of an escape */
	uint8_t length;
	uint8_t used;
};

void json_unescape_init(struct json_unescape *u, const struct json_doc *doc, uint32_t string);
/* The next byte, 0 to 255, or -1 at the end. */
int json_unescape_next(struct json_unescape *u);

/* The bytes between the quotes, escapes not resolved. */
static inline const char *json_inside(const struct json_doc *doc, uint32_t string, size_t *length)
{
	const struct json_token *t = &doc->tokens[string];
	*length = t->end - t->start - 2;
	return doc->text + t->start + 1;
}

static inline bool json_is_escaped(const struct json_doc *doc, uint32_t string)
{
	return (doc->tokens[string].flags & JSON_ESCAPED) != 0;
}

#endif
