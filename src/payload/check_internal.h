/*
 * What the files of the checker share: check.c leads, check_envelope.c and check_members.c walk, report.c words the
 * findings.
 */
#ifndef CREDHOOK_PAYLOAD_CHECK_INTERNAL_H
#define CREDHOOK_PAYLOAD_CHECK_INTERNAL_H

#include "payload/check.h"
#include "payload/identify.h"

#define CHECK_MEMBERS_MAX 32 /* keys of one object in the catalogue; a test holds the rows to it */

/* Flags of our own in the token table: on a key that stood earlier in its object; on an object whose keys were compared
 * with each other. */
#define CHECK_KEY_REPEATED    0x80
#define CHECK_OBJECT_COMPARED 0x40

/* An ignored place in the document: its object and its value, JSON_NONE where they are not there. */
struct ignored_seat {
	uint32_t object;
	uint32_t value;
};

struct checker {
	struct json_doc doc;
	struct verdict verdict;
	struct identity identity;
	struct buffer scratch;                        /* a decoded string */
	uint8_t (*detail_lengths)[CHECK_MEMBERS_MAX]; /* of the names of each event's details; a row per event */
	bool out_of_memory;
	bool strict;
	const struct ignored *ignored;
	struct ignored_seat *seats; /* of ignored->places in this document */
};

/* The keys that an object ought to have. */
struct key_list {
	const struct catalog_member *members;
	size_t count;
};

/* Compares the object's keys with each other, once. */
void check_repeated_keys(struct checker *c, uint32_t object);
void check_envelope(struct checker *c);
void check_details(struct checker *c);
void check_report_missing(struct checker *c, uint32_t object, const char *name, struct key_list list);
/* `where` names what does not list the key. */
void check_report_unknown_key(struct checker *c, uint32_t key, uint32_t object, struct key_list list,
                              const char *where);
struct finding *check_report_wrong_type(struct checker *c, uint32_t value, const struct catalog_member *member);

/* Finds the ignored places in the document. */
void report_find_ignored(struct checker *c);
/* Whether --ignore names the missing key of the object. */
bool report_ignores_missing(const struct checker *c, uint32_t object, const char *key);
/* Adds a finding that marks [start, end) and is about `token`. */
struct finding *report_add(struct checker *c, enum finding_id id, uint32_t token, size_t start, size_t end);
/* The message of a finding just added (or one that memory or the limit swallowed: NULL is fine). */
void report_message(struct checker *c, struct finding *f, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void report_hint(struct checker *c, struct finding *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A finding about a value that marks all of it. */
struct finding *report_token(struct checker *c, enum finding_id id, uint32_t token);
/* The same about a key of the object. */
struct finding *report_key(struct checker *c, enum finding_id id, uint32_t object, uint32_t key);
/* The text of a string token for a message: decoded, safe to print, cut at 60 characters. Valid until the next call. */
const char *report_quoted(struct checker *c, uint32_t token);
/* "a number", "a string", ... */
const char *report_type_of(const struct json_doc *doc, uint32_t token);

#endif
