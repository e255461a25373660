/*
 * What the files of the checker share: check.c leads, check_envelope.c and check_members.c walk, check_report.c words
 * the findings.
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

struct checker {
	struct json_doc doc;
	struct verdict verdict;
	struct identity identity;
	struct buffer scratch; /* a decoded string */
	bool out_of_memory;
	bool strict;
	const struct ignored *ignored;
	struct json_pointer_walk walk; /* of doc, for them */
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
/* Whether the value is a string with an object in it. */
bool check_is_quoted_json(const struct checker *c, uint32_t value);
struct finding *check_report_missing(struct checker *c, uint32_t object, const char *name, struct key_list list);
/* `where` names what does not list the key. */
void check_report_unknown_key(struct checker *c, uint32_t key, uint32_t object, struct key_list list,
                              const char *where);
struct finding *check_report_wrong_type(struct checker *c, uint32_t value, const struct catalog_member *member);

/* Each adds a finding; NULL: it is ignored, beyond the limit, or there was no memory for it. This one is about no
 * value, and marks [start, end). */
struct finding *report_at(struct checker *c, enum finding_id id, size_t start, size_t end);
/* About a value or a key, and marks all of it. */
struct finding *report_token(struct checker *c, enum finding_id id, uint32_t token);
/* missing-key, with its message; it marks the brace of the object. */
struct finding *report_missing(struct checker *c, uint32_t object, const char *key);
/* Sets the text of a finding just added; NULL is fine. */
void report_message(struct checker *c, struct finding *f, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void report_hint(struct checker *c, struct finding *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The text of a string token for a message: decoded, safe to print, cut at 60 characters. Valid until the next call. */
const char *report_quoted(struct checker *c, uint32_t token);
/* "a number", "a string", ... */
const char *report_type_of(const struct json_doc *doc, uint32_t token);

#endif
