/* Which event a payload is: by its envelope, and where that leaves a doubt by the keys of its details. */
#ifndef CREDHOOK_PAYLOAD_IDENTIFY_H
#define CREDHOOK_PAYLOAD_IDENTIFY_H

#include "catalog/catalog.h"
#include "json/located.h"

#include <string.h>

#define IDENTIFY_FIELDS_MAX 64 /* rows of catalog_fields; a test holds them to it */

/* The values an event is known by, in the order in which they are compared. */
enum envelope_key {
	ENVELOPE_SERVICE,
	ENVELOPE_EVENT,
	ENVELOPE_METHOD,
	ENVELOPE_PATH,
	ENVELOPE_KEYED, /* how many there are */
	ENVELOPE_DETAILS = ENVELOPE_KEYED,
	ENVELOPE_COUNT,
};

struct identity {
	uint32_t values[ENVELOPE_COUNT]; /* tokens; JSON_NONE: absent */
	struct catalog_kind kind; /* the event, or the nearest one; event is NULL when the payload is not an object */
	bool expected;            /* the kind is what was asked for, whatever the payload is like */
	bool exact;               /* service, event, method and path are this event's */
	bool clear;               /* the details are to be checked as this event's */
	bool decided;             /* no other event is as near: the payload may be called by this name */
	bool unknown;             /* the payload has keys that no envelope has */
	bool repeated;            /* a duplicate key in the envelope */
	unsigned differs;         /* bit per envelope_key that has a value which is not this event's */
};

/* Values that are absent or of another type agree with every event: their own finding says what is wrong with them. A
 * numeric `event` counts by its digits. In an alert a `path` agrees too. */
void identify(const struct json_doc *doc, struct identity *identity);

/* The index of the listed member that a key token is of, or `count`. Keys usually come in the catalogue's order, so
 * `likely` (below count) is tried first. */
static inline size_t identify_member(const struct json_doc *doc, uint32_t key, const struct catalog_member *members,
                                     size_t count, size_t likely)
{
	const struct json_token *t = &doc->tokens[key];
	const char *text = doc->text + t->start + 1;
	size_t length = t->end - t->start - 2;
	for (size_t tried = 0, i = likely; tried < count; tried++, i = i + 1 < count ? i + 1 : 0) {
		const struct catalog_field *field = members[i].field;
		if (t->flags & JSON_ESCAPED ? json_string_is(doc, key, field->name, field->name_length)
		                            : length == field->name_length && memcmp(text, field->name, length) == 0)
			return i;
	}
	return count;
}

/* How the keys of an object match a list of members. */
struct key_matches {
	size_t listed; /* members that are there */
	bool unknown;  /* a key is not listed */
	bool repeated; /* a listed key is there more than once */
};
/* Sets values[i] to the value of the member of that index, of duplicate keys the last; JSON_NONE: absent. */
struct key_matches identify_keys(const struct json_doc *doc, uint32_t object, const struct catalog_member *members,
                                 size_t count, uint32_t *values);

/* Whether the envelope value has this kind's text; true too where it is absent or of another type. */
bool identify_agrees(const struct json_doc *doc, const struct identity *identity, enum envelope_key key,
                     struct catalog_kind kind);
const char *identify_expected(enum envelope_key key, struct catalog_kind kind); /* NULL: an alert's path, details */

#endif
