/*
 * What the files of the checker share: check.c leads, check_document.c walks, check_findings.c words the findings.
 */
#ifndef CREDHOOK_PAYLOAD_CHECK_INTERNAL_H
#define CREDHOOK_PAYLOAD_CHECK_INTERNAL_H

#include "json/pointer.h"
#include "payload/check.h"
#include "payload/identify.h"

#define CHECK_MEMBERS_MAX 32 /* keys of one object in the catalogue; a test holds the rows to it */

#define CHECK_OBJECTS_MAX 8 /* objects with unknown keys that are kept; of further ones they are reported at once */

/* An object with keys that its list does not have. */
struct unknown_keys {
	uint32_t object;
	const struct catalog_member *members;
	size_t count;
	const char *where; /* what does not list them */
};

struct checker {
	struct json_doc doc;
	struct verdict verdict;
	struct identity identity;
	struct buffer scratch; /* a decoded string */
	bool out_of_memory;
	bool is_stopped; /* by doc.stop */
	bool strict;
	const struct ignored *ignored;
	enum json_depth depth;         /* JSON_RECEIVED where `file` is NULL */
	const struct mend_file *file;  /* of the payload at hand; NULL: it was received */
	struct seen *seen;             /* NULL: nothing */
	const char *seen_in;           /* what it is called */
	struct json_pointer_walk walk; /* of doc, for them */
	struct unknown_keys unknown[CHECK_OBJECTS_MAX];
	size_t unknown_count;
};

/* Checks what checker->doc was read from. */
void check_document(struct checker *c, struct catalog_kind expected);

/* Reports what the payload, which is valid, has that is not in checker->seen. */
void check_unseen(struct checker *c);

/* Adds a finding, its severity and `earlier` set; NULL: it is ignored, beyond the limit, or there was no memory for it.
 */
struct finding *add_finding(struct checker *c, struct finding finding);
/* The same of one about a value or a key, which marks all of it. */
struct finding *add_token_finding(struct checker *c, enum finding_id id, uint32_t token);
/* Sets the text of a finding just added; NULL is fine. */
void set_message(struct checker *c, struct finding *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
void set_hint(struct checker *c, struct finding *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a line that mends the file, see base/mend.h; there is one. */
void set_mend_hint(struct checker *c, struct finding *f, const char *hint, const struct mend_file *file);
/* The text of a string token for a message: decoded, safe to print, cut at 60 characters. Valid until the next call. */
const char *quote_token(struct checker *c, uint32_t token);

#endif
