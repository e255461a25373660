/*
 * The capture record: one received notification as one line of NDJSON.
 *
 *   {"v":1,"seq":1,"received_at":"2026-01-02T03:04:05.123456Z","remote":"127.0.0.1:5123","method":"POST",
 *    "target":"/hook?x=1","headers":[["Content-Type","application/json"]],"body":"exact text","event":"user-created",
 *    "valid":true,"response":{"status":200}}
 *
 * A response that is not 2xx may have the beginning of its body, `text`, and its Content-Type, `type`:
 * {"status":422,"type":"application/json","text":"{\"error\":..."}; `text_base64` where it is not UTF-8.
 *
 * Behind a trusted proxy `remote` is the address of the sender alone, and `via`, after it, the proxy's and its port.
 *
 * Everything received is kept exactly. A body in UTF-8 is the JSON string `body`; any other (or one whose string would
 * be more than twice as long, for its control characters) is `body_base64`. Another text that is not UTF-8 (a header
 * value, the target) becomes an object: {"base64":"..."}. `event` is null for an unknown payload, `valid` is null when
 * it was not checked, `response` is {"status":N}, {"fault":"reset"} or null.
 *
 * A record whose request was redacted has `redacted` before `response`, an object that says how: the `key` that it was
 * done with (eight digits that are the same for the same key), and `withheld` where the body is not in it, and why.
 *
 * A reader requires v, received_at, and body or body_base64. Other keys may be missing, and unknown keys are ignored.
 * The last of duplicate keys counts.
 */
#ifndef CREDHOOK_CAPTURE_RECORD_H
#define CREDHOOK_CAPTURE_RECORD_H

#include "base/buffer.h"
#include "base/error.h"
#include "http/message.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a record is known by: the beginning of the SHA-256 of its bytes, as written in its input. */
struct capture_id {
	unsigned char bytes[16];
};

enum capture_verdict {
	CAPTURE_UNCHECKED,
	CAPTURE_INVALID,
	CAPTURE_VALID,
};

/* All texts are borrowed. Those of a record that was read are followed by a NUL. */
struct capture_record {
	uint64_t seq;            /* 0: none */
	int64_t received_us;     /* microseconds since 1970 */
	struct text received_at; /* as written in the record; when writing absent means received_us */
	struct text remote;
	struct text via;        /* absent: remote was the client itself */
	bool is_https;          /* it came by TLS; false: not, or that is not known */
	struct message request; /* its body: exact bytes; never absent after reading */
	struct text event;
	enum capture_verdict valid;
	int status;        /* of the response, 100 to 999; 0: none */
	struct text fault; /* injected instead of a response; absent: none */
	/* Content-Type and beginning of the body of a response that is not 2xx, without secrets; absent: not recorded.
	 */
	struct text response_type, response_text;
	struct text redacted; /* JSON: the object that says how; absent: it was not */
	/* Set by reading only, for struct body_map. */
	uint32_t body_token; /* the token of body or body_base64 in the document read */
	bool body_base64;
};

bool capture_text_is_utf8(struct text text);
/* Bytes of a response's body that are recorded. */
#define CAPTURE_RESPONSE_MOST 256
/* The beginning of the text that is recorded: cut between two characters if it is UTF-8. */
struct text capture_response_cut(struct text text);
/* Appends the members of `response` behind its status: a comma, and type and text; nothing where none is recorded. */
void capture_response_append(const struct capture_record *record, struct buffer *out);
/* Appends the record as one line, LF included, with its keys in the order above. */
void capture_record_append(const struct capture_record *record, struct buffer *out);
/* Appends only the members `v` to `valid` (or `redacted`), without brackets, for a line that has further members. */
void capture_record_append_members(const struct capture_record *record, bool with_body, struct buffer *out);

/* Stands in a URL where the Host is none: no server has that name (RFC 6761). */
#define CAPTURE_NO_HOST "invalid"
/* Whether a Host header can stand in a URL; NULL: it cannot. */
bool capture_is_host(const struct text *host);
/* Appends where the request was sent: the scheme, HOST and the target, unless that is a URL. */
void capture_record_append_url(const struct capture_record *record, struct buffer *out);

/* Memory for reading records. Reuse it, so that reading many allocates nothing. */
struct capture_scratch {
	struct json_doc doc;
	struct buffer bytes; /* decoded texts, with a NUL behind each; `failed`: out of memory */
	const char *fixed;   /* where they are: they must not move */
	struct header *headers;
	size_t header_capacity;
};

#define CAPTURE_SCRATCH_INIT                                                                                           \
	(struct capture_scratch)                                                                                       \
	{                                                                                                              \
		.doc = {.text = "" }                                                                                   \
	}
void capture_scratch_release(struct capture_scratch *scratch);

/* For readers. Makes room for `room` bytes of texts, and drops those before. False: out of memory. */
bool capture_scratch_begin(struct capture_scratch *scratch, size_t room);
/* What was appended to scratch->bytes since it had that length. */
struct text capture_scratch_since(struct capture_scratch *scratch, size_t start);
/* The text of a string token of scratch->doc; absent if it is none. */
struct text capture_scratch_text(struct capture_scratch *scratch, uint32_t token);
/* The bytes of a string token of scratch->doc in base64. False: it is not base64. */
bool capture_scratch_base64(struct capture_scratch *scratch, uint32_t token, struct text *out);
/* Adds a header to the request. */
void capture_scratch_header(struct capture_scratch *scratch, struct message *request, struct text name,
                            struct text value);

/* The first bytes of every record. A line that begins so is taken for a record even if it is torn. */
#define CAPTURE_RECORD_START "{\"v\":"
bool capture_begins_as_record(const char *text, size_t length);

/* What a line, a document or an entry of an input is. */
enum capture_item_type {
	CAPTURE_ITEM_RECORD,   /* an object with v, received_at, and body or body_base64; or an entry */
	CAPTURE_ITEM_PAYLOAD,  /* none of the others */
	CAPTURE_ITEM_SKIP,     /* the ready line or the summary of `listen --json`, or a cause: to be skipped */
	CAPTURE_ITEM_BODILESS, /* its event without a body (-v adds it): to be refused */
	CAPTURE_ITEM_BAD,      /* a torn or invalid record or entry, or a payload over the limit */
};
/* What a document is by its keys; never BAD, since the values are not examined. */
enum capture_item_type capture_line_of(const struct json_doc *doc);
/* Whether text begins as one that is not a payload, as credhook writes it. */
bool capture_begins_as_line(const char *text, size_t length);

/* Reads the record in scratch->doc. Everything in *record is borrowed from *scratch until its next use.
 * EXIT_CODE_FAILED: not a record; the message has the key: record key 'seq' is not an integer of 0 or more. */
int capture_record_from_doc(struct capture_scratch *scratch, struct capture_record *record, struct error *err);

/* The same for a line, with or without its line end. scratch->doc stays valid as long as the line. */
int capture_record_parse(struct capture_scratch *scratch, const char *line, size_t length,
                         struct capture_record *record, struct error *err);

/* Whether redaction withheld its body, which is then empty. */
bool capture_record_is_withheld(const struct capture_record *record);

/* Maps a byte of the body of a record to its place in the line. */
struct body_map {
	const char *text; /* the body as a JSON string in the line, after its opening quote */
	size_t start;     /* offset of that text in the line */
	size_t end;       /* offset of the closing quote */
	size_t decoded;   /* where the next walk begins: bytes of the body ... */
	size_t quoted;    /* ... and of the quoted text */
	bool base64;      /* every place maps to the beginning, since an editor cannot jump into base64 */
};

/* The document must be the line of the record. Both must outlive the map. */
void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record);
/* The offset in the line. context is a struct body_map. keep: no smaller offset will follow, so that ascending offsets
 * take one walk in all. */
size_t body_map_offset(void *context, size_t offset, bool keep);

#endif
