/* Which event a payload is: by its envelope, and where that leaves a doubt by the keys of its details. */
#ifndef CREDHOOK_PAYLOAD_IDENTIFY_H
#define CREDHOOK_PAYLOAD_IDENTIFY_H

#include "catalog/catalog.h"
#include "json/located.h"

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

/* Which of the envelope's keys a key token is, or ENVELOPE_COUNT; `likely` is tried first. */
enum envelope_key identify_envelope_key(const struct json_doc *doc, uint32_t key, enum envelope_key likely);

/* Whether the envelope value has this kind's text; true too where it is absent or of another type. */
bool identify_agrees(const struct json_doc *doc, const struct identity *identity, enum envelope_key key,
                     struct catalog_kind kind);
const char *identify_expected(enum envelope_key key, struct catalog_kind kind); /* NULL: an alert's path */

#endif
