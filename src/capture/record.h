/*
 * The capture record: one received notification as one line of NDJSON.
 *
 *   {"v":1,"seq":1,"received_at":"2026-01-02T03:04:05.123456Z","remote":"127.0.0.1:5123","method":"POST",
 *    "target":"/hook?x=1","headers":[["Content-Type","application/json"]],"body":"exact text","event":"user-created",
 *    "valid":true,"response":{"status":200}}
 *
 * Nothing that was received is altered. A body that is well-formed UTF-8 is the JSON string `body`; any other (and one
 * of so many control characters that its string would be over twice its size) is `body_base64` instead. Where another
 * text is no UTF-8 (a header's value, the target), an object takes the string's place: {"base64":"..."}.
 * `event` is null for a payload that nobody knows, `valid` null where it was not judged, and `response` is
 * {"status":N}, {"fault":"reset"} or null.
 *
 * Reading asks for v, received_at and body or body_base64; what else is absent has its default, and unknown keys are
 * ignored. Of a repeated key the last one counts.
 */
#ifndef CREDHOOK_CAPTURE_RECORD_H
#define CREDHOOK_CAPTURE_RECORD_H

#include "base/buffer.h"
#include "base/error.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of any kind, counted; text NULL: absent. */
struct capture_text {
	const char *text;
	size_t length;
};

struct capture_header {
	struct capture_text name;
	struct capture_text value;
};

enum capture_verdict {
	CAPTURE_UNCHECKED,
	CAPTURE_INVALID,
	CAPTURE_VALID,
};

/* All texts are borrowed. Those of a record that was read have a NUL behind them. */
struct capture_record {
	uint64_t seq;                    /* 0: none */
	int64_t received_us;             /* since the epoch */
	struct capture_text received_at; /* as it was written; absent when making one: received_us is written */
	struct capture_text remote;
	struct capture_text method;
	struct capture_text target;
	const struct capture_header *headers;
	size_t header_count;
	struct capture_text body; /* exact bytes; read: never absent */
	struct capture_text event;
	enum capture_verdict valid;
	int status;                /* of the response, 100 to 999; 0: none */
	struct capture_text fault; /* what was done instead of answering; absent: none */
	/* Set by reading only, for mapping a position in the body to one in the line. */
	uint32_t body_token; /* the token of body or body_base64 in the document read */
	bool body_base64;
};

/* Appends the record as one line, LF included, its keys in the order above. */
void capture_record_append(const struct capture_record *record, struct buffer *out);
/* Of those keys with their values v to valid, and no brackets around them: for a line that is a record and says more.
 */
void capture_record_append_members(const struct capture_record *record, bool with_body, struct buffer *out);

/* What reading records needs; reused from one to the next, so that reading many allocates nothing. */
struct capture_scratch {
	struct json_doc doc;
	struct buffer bytes;
	struct capture_header *headers;
	size_t header_capacity;
};

void capture_scratch_init(struct capture_scratch *scratch);
void capture_scratch_release(struct capture_scratch *scratch);

/* How the writer begins a record. What begins so is meant as one, even where it is no JSON: torn, say. */
#define CAPTURE_RECORD_START "{\"v\":"
bool capture_begins_as_record(const char *text, size_t length);

/* Whether the document is an object with v, received_at and body or body_base64: a record, be it a faulty one. */
bool capture_looks_like_record(const struct json_doc *doc);

/* What else stands in the lines of `listen --json`, which are records with -v. */
enum capture_stream_line {
	CAPTURE_STREAM_NONE,     /* it is none of them */
	CAPTURE_STREAM_ASIDE,    /* the ready line or the summary: readers skip it */
	CAPTURE_STREAM_BODILESS, /* an event without its body: readers refuse it with the two texts below */
};
enum capture_stream_line capture_stream_line_of(const struct json_doc *doc);
#define CAPTURE_BODILESS_MESSAGE "an event of 'listen --json' without its body"
#define CAPTURE_BODILESS_HINT    "'listen --json -v' prints whole records"
/* How such a line begins, as it is written. */
#define CAPTURE_STREAM_START "{\"type\":\""

/* Whether the document looks like a record of another version than this one (v is not 1). */
bool capture_is_other_version(const struct json_doc *doc);

/* Reads the record that a document holds. Everything in *record is borrowed from *scratch, until its next use. An error
 * (EXIT_CODE_FAILED) names the key and what is wrong with it: record key 'seq' is no integer from 0 up. */
int capture_record_from_doc(const struct json_doc *doc, struct capture_scratch *scratch, struct capture_record *record,
                            struct error *err);

/* The same for a line (with or without its line end), read into scratch->doc, which stays valid as long as the line. */
int capture_record_parse(struct capture_scratch *scratch, const char *line, size_t length,
                         struct capture_record *record, struct error *err);

/* The first header of that name (letter case ignored), or NULL. */
const struct capture_text *capture_record_header(const struct capture_record *record, const char *name);

#endif
