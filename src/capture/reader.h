/*
 * Payloads from captures and payload files alike, for replay and `send --file`: each item is a body to send.
 *
 * A line that is a capture record gives the record's body; any other document is a body itself, whatever it holds.
 * In a file whose first document is a record, and for a line that begins as a record does ({"v":), what cannot be read
 * as a record is a bad record and not a payload. So it is in what `listen --json -v` prints, whose event lines are
 * records; its ready line and its summary are skipped, and an event line without its body ends the reading with an
 * error.
 */
#ifndef CREDHOOK_CAPTURE_READER_H
#define CREDHOOK_CAPTURE_READER_H

#include "capture/record.h"
#include "capture/source.h"

enum capture_item_kind {
	CAPTURE_ITEM_RECORD,
	CAPTURE_ITEM_PAYLOAD,
	CAPTURE_ITEM_BAD, /* a torn or faulty record, or a payload over the limit: `problem` says what is wrong */
};

struct capture_item {
	enum capture_item_kind kind;
	size_t line;
	struct source_item source;    /* the line or document as it stands in the input */
	struct capture_record record; /* PAYLOAD: only the body is set, method is absent, body_token is JSON_NONE; BAD:
	                               * nothing is set */
	bool is_json;                 /* the line or document is JSON */
	struct error problem;         /* CAPTURE_ITEM_BAD: code EXIT_CODE_FAILED */
};

/* What may be a payload. Records may hold anything. */
enum capture_accepted {
	CAPTURE_ACCEPTS_JSON,  /* other text is a bad item; a file of another kind (capture/foreign.h) is refused */
	CAPTURE_ACCEPTS_TEXT,  /* a file of another kind is refused */
	CAPTURE_ACCEPTS_BYTES, /* whatever it is */
};

struct capture_reader;

/* As source_open(), with its options; the path stays the caller's. */
struct capture_reader *capture_reader_open(const char *path, const struct source_options *options,
                                           enum capture_accepted accepted, struct error *err);
void capture_reader_close(struct capture_reader *reader); /* NULL is allowed */

/* As source_next(); SOURCE_ERROR also where the input is refused. What the item holds is borrowed until the next call.
 */
enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err);

/* As source_set_wait(). */
void capture_reader_set_wait(struct capture_reader *reader, bool wait);

/* The source, for poll(). */
const struct source *capture_reader_source(const struct capture_reader *reader);

#endif
