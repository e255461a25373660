/* What the files of the checker share: check.c walks, report.c words the findings, hints.c guesses the slip. */
#ifndef CREDHOOK_PAYLOAD_CHECK_INTERNAL_H
#define CREDHOOK_PAYLOAD_CHECK_INTERNAL_H

#include "payload/check.h"
#include "payload/identify.h"

struct checker {
	struct json_doc doc;
	struct verdict verdict;
	struct identity identity;
	struct buffer scratch; /* a decoded string */
	bool out_of_memory;
};

/* Adds a finding that marks [start, end) and is about `token`; later words append to its message and hint. */
struct finding *report_add(struct checker *c, enum finding_id id, uint32_t token, size_t start, size_t end);
/* The message of a finding just added (or one that memory or the limit swallowed: NULL is fine). */
void report_message(struct checker *c, struct finding *f, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void report_hint(struct checker *c, struct finding *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A finding about a token that marks all of it. */
struct finding *report_token(struct checker *c, enum finding_id id, uint32_t token);
/* The text of a string token for a message: decoded, safe to print, cut at 60 characters. Valid until the next call. */
const char *report_quoted(struct checker *c, uint32_t token);
/* "a number", "a string", ... */
const char *report_type_of(const struct json_doc *doc, uint32_t token);

/* What may lie behind a finding; each adds a hint where it knows one. */
void hint_wrong_type(struct checker *c, struct finding *f, uint32_t value, const struct catalog_member *member);
void hint_root_type(struct checker *c, struct finding *f);
void hint_unknown_event(struct checker *c, struct finding *f, enum envelope_key key);
void hint_bad_format(struct checker *c, struct finding *f, enum catalog_type type, const char *text, size_t length);
void hint_bad_choice(struct checker *c, struct finding *f, const struct catalog_field *field, const char *text,
                     size_t length);
/* key stands in `object`, whose listed members are given (NULL with count 0: the envelope). */
void hint_unknown_key(struct checker *c, struct finding *f, uint32_t key, uint32_t object,
                      const struct catalog_member *members, size_t count);
void hint_missing_key(struct checker *c, struct finding *f, const char *name, uint32_t object,
                      const struct catalog_member *members, size_t count);

#endif
