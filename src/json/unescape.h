/* For the files of json/: the bytes of a string token one by one, escapes resolved, without a copy. */
#ifndef CREDHOOK_JSON_UNESCAPE_H
#define CREDHOOK_JSON_UNESCAPE_H

#include "json/located.h"

struct json_unescape {
	const char *at;
	const char *end;
	char pending[4]; /* the decoded character of an escape */
	size_t length, used;
};

static inline struct json_unescape json_unescape_begin(const struct json_doc *doc, uint32_t string)
{
	const struct json_token *t = &doc->tokens[string];
	return (struct json_unescape){ .at = doc->text + t->start + 1, .end = doc->text + t->end - 1 };
}

/* The next byte, 0 to 255, or -1 at the end. */
static inline int json_unescape_next(struct json_unescape *u)
{
	if (u->used < u->length)
		return (unsigned char)u->pending[u->used++];
	if (u->at == u->end)
		return -1;
	if (*u->at != '\\')
		return (unsigned char)*u->at++;
	u->at = json_unescape_one(u->at, u->pending, &u->length);
	u->used = 1;
	return (unsigned char)u->pending[0];
}

#endif
