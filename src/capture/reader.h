/*
 * Payloads from captures and payload files, for replay and `send --file`: each item is a body to send.
 *
 * Of a capture record it is the record's body; any other document is a body itself. In a capture (the first document is
 * a record), and in a line that begins like one ({"v":), anything else is a bad record, not a payload. The output of
 * `listen --json -v` is a capture too: its ready line and summary are skipped. An event line without a body is an
 * error.
 *
 * Of another tool's capture that can be read (capture/entries.h) the notifications are records; in the order of the
 * file.
 */
#ifndef CREDHOOK_CAPTURE_READER_H
#define CREDHOOK_CAPTURE_READER_H

#include "capture/entries.h"
#include "capture/record.h"
#include "capture/source.h"

enum capture_item_kind {
	CAPTURE_ITEM_RECORD,
	CAPTURE_ITEM_PAYLOAD,
	CAPTURE_ITEM_BAD, /* a torn or invalid record, or a payload over the limit; see `problem` */
};

struct capture_item {
	enum capture_item_kind kind;
	size_t line;                  /* of another tool's capture the number of the entry */
	const struct format *format;  /* another tool's; NULL: a record or payload of its own */
	struct source_item source;    /* the line, document or entry as written in the input */
	struct capture_record record; /* of a PAYLOAD only the body is set, of a BAD item nothing */
	bool is_json;                 /* the line or document is JSON */
	struct error problem;         /* CAPTURE_ITEM_BAD: code EXIT_CODE_FAILED */
};

/* What may be a payload. The body of a record may be anything. */
enum capture_accepted {
	CAPTURE_ACCEPTS_JSON,  /* other text is a bad item; files of formats that are not read (capture/format.h) are
	                          refused */
	CAPTURE_ACCEPTS_TEXT,  /* any text; foreign files are refused */
	CAPTURE_ACCEPTS_BYTES, /* anything */
};

struct capture_reader;

/* As source_open(), with its options. The path is borrowed. */
struct capture_reader *capture_reader_open(const char *path, const struct source_options *options,
                                           enum capture_accepted accepted, struct error *err);
void capture_reader_close(struct capture_reader *reader); /* NULL is allowed */

/* Before anything is read: the input is of this format, whatever it looks like. */
void capture_reader_force(struct capture_reader *reader, const struct format *format);

/* As source_next(); SOURCE_ERROR also when the input is refused. The item is borrowed until the next call. */
enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err);

/* As source_set_wait(). */
void capture_reader_set_wait(struct capture_reader *reader, bool wait);

/* The source, for poll(). */
const struct source *capture_reader_source(const struct capture_reader *reader);
/* Bytes of the input that were handed out, as source_position(). */
uint64_t capture_reader_position(const struct capture_reader *reader);

/* What another tool's capture held so far; NULL: it is not one. */
const struct entry_counts *capture_reader_counts(const struct capture_reader *reader);

#endif
