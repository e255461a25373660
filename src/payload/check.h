/*
 * Checking a payload: every finding with its place, never only the first.
 *
 * A checker owns the memory that checking needs and uses it again for the next payload: once it has grown, checking a
 * valid payload allocates nothing. One checker per thread.
 */
#ifndef CREDHOOK_PAYLOAD_CHECK_H
#define CREDHOOK_PAYLOAD_CHECK_H

#include "base/error.h"
#include "base/mend.h"
#include "catalog/catalog.h"
#include "json/located.h"
#include "json/other_text.h"
#include "json/pointer.h"
#include "payload/finding.h"

#include <stdbool.h>
#include <stddef.h>

#define CHECK_PAYLOAD_MAX  ((size_t)64 << 20) /* bytes; a longer payload is too-long */
#define CHECK_FINDINGS_MAX 1000               /* listed per payload; further ones are only counted */

#define FINDING_NO_PLACE SIZE_MAX

struct finding {
	enum finding_id id;
	enum severity severity;
	size_t start; /* byte offsets into the payload; end is one past what a caret line marks */
	size_t end;
	size_t message; /* use verdict_message() and verdict_hint() */
	size_t hint;
	/* What it is about, for the pointer: a value, a key, or the object that misses a key; JSON_NONE. */
	uint32_t token;
	const char *missing; /* missing-key: the key; else NULL */
	bool is_value;       /* unseen: of the value of a code */
	size_t earlier;      /* duplicate-key: the byte offset of the key before it; else FINDING_NO_PLACE */
};

/* Everything in it is valid until the checker's next payload. */
struct verdict {
	const struct json_doc *doc; /* its text is what was checked; count 0 when that is not JSON */
	struct catalog_kind kind;   /* what the payload is to be called; event NULL: unknown */
	bool valid;                 /* no finding of level error */
	bool is_compared;           /* it has no error of its own, so that what is new in it was looked for */
	bool has_foreign_keys;      /* an object with keys that no envelope has: it may be something else altogether */
	bool has_unlisted;          /* it may have other keys or types than the catalogue lists for it */
	struct finding *findings;   /* by place; finding_count of them */
	size_t finding_count;
	size_t finding_capacity;
	size_t unlisted;                 /* findings past CHECK_FINDINGS_MAX; there is an error among those listed */
	size_t warnings;                 /* how many of all are of level warning */
	size_t counts[FINDING_ID_COUNT]; /* of all; set where there is any */
	struct buffer text;
};

struct check_options {
	struct catalog_kind expected; /* --as: what the payload has to be; event NULL: anything of the catalogue */
	bool checks_content_type; /* a live request or a record: content_type is its header, NULL when it had none */
	const char *content_type;
	const char *content_encoding; /* its header; NULL: it had none */
	/* Where the text stands in a file, for hints that mend it. */
	enum json_depth depth;
	const struct mend_file *file; /* borrowed; NULL where the text was received */
};

struct ignored; /* payload/ignore.h */
struct seen;    /* payload/seen.h */
struct checker;
struct checker *checker_new(struct error *err);
void checker_free(struct checker *checker);
/* For all further verdicts: strict makes warnings errors; what is `ignored` (borrowed; NULL: nothing) is not reported.
 * What check_refused() says is never ignored. */
void checker_set_rules(struct checker *checker, bool strict, const struct ignored *ignored);
/* For all further verdicts: a valid payload is compared with what others have (borrowed; NULL: with nothing), called
 * `name`; what is new is unseen instead of unknown-key, and what is known is neither. */
void checker_set_seen(struct checker *checker, struct seen *seen, const char *name);
/* For all further payloads: what ends the checking of one that takes long. */
void checker_set_stop(struct checker *checker, struct json_stop stop);
/* Gives back the memory that a long payload needed. */
void checker_trim(struct checker *checker);

/* Checks `length` bytes of text, which must stay in place as long as the verdict is used. options may be NULL. The
 * verdict is the checker's; NULL: no memory, or EXIT_CODE_INTERRUPTED: its stop ended it. */
const struct verdict *check_payload(struct checker *checker, const char *text, size_t length,
                                    const struct check_options *options, struct error *err);
/* The verdict on a payload of which only its beginning was kept because it is longer than CHECK_PAYLOAD_MAX. */
const struct verdict *check_too_long(struct checker *checker, struct error *err);
/* A verdict of one finding, at the beginning, for what could not be checked as a payload. hint may be empty. */
const struct verdict *check_refused(struct checker *checker, enum finding_id id, const char *message, const char *hint,
                                    struct error *err);

/* What was checked has moved; its bytes are the same. */
void checker_moved(struct checker *checker, const char *text);

/* The nth of its findings, from 0, if errors go before warnings: the first one says why the payload is invalid. */
const struct finding *verdict_finding(const struct verdict *verdict, size_t nth);
const char *verdict_message(const struct verdict *verdict, const struct finding *finding);
const char *verdict_hint(const struct verdict *verdict, const struct finding *finding); /* NULL: none */
/* Appends the JSON Pointer of what the finding is about; for missing-key that of the absent value. Keys are the
 * payload's, as long as it is: of more than VERDICT_POINTER_MAX bytes it is the beginning and "...". `walk` is
 * that of verdict->doc: findings one after another cost one pass over it. */
#define VERDICT_POINTER_MAX 1024
void verdict_append_pointer(const struct verdict *verdict, const struct finding *finding,
                            struct json_pointer_walk *walk, struct buffer *out);

#endif
