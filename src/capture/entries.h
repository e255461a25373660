/*
 * The entries of another tool's capture, one after another: requests that may be notifications, as records.
 *
 * A file of any length is read with the memory of its longest entry: the window of the source, a table of its tokens
 * and its decoded texts, about four times its length. An entry that cannot be read is reported with its number and
 * skipped; where the file itself is broken, the rest of it is one bad entry.
 *
 * A notification is a POST of a JSON type (or of none) whose body has a key `service` or `details`, or may have one
 * when it is unwrapped, decoded or unpacked. Other requests, of other sites for example, are only counted.
 */
#ifndef CREDHOOK_CAPTURE_ENTRIES_H
#define CREDHOOK_CAPTURE_ENTRIES_H

#include "capture/format.h"
#include "capture/record.h"
#include "capture/source.h"

/* A part of an input. Everything is borrowed until the next call. */
struct capture_item {
	enum capture_item_type type;
	size_t line;                 /* of another tool's capture the number of the entry, from 1 */
	const struct format *format; /* another tool's; NULL: a record or payload of its own */
	struct source_item source; /* the line, document or entry as written in the input, from where it is not JSON */
	struct capture_record record; /* of a PAYLOAD only the body is set, of a BAD item nothing */
	struct error problem;         /* what is wrong with a BAD or BODILESS one: code EXIT_CODE_FAILED */
	size_t column;                /* of the first byte of source.text, from 1 */
	struct json_place fault;      /* where a BAD one that stands by itself is not JSON; line 0: elsewhere */
	const struct json_doc *doc;   /* of the text, for struct body_map; NULL: it is not JSON, or not read yet */
};

/* What was read so far. */
struct entry_counts {
	uint64_t entries, notifications, others, bad;
	bool is_disordered; /* a notification is older than one before it */
};
/* Appends "14 entries: 1 notification, 13 others". */
void entry_counts_append(const struct entry_counts *counts, struct buffer *out);

struct entries;

/* Reads from the source, which is borrowed and must be at its beginning. Bodies have at most `limit` bytes. */
struct entries *entries_new(struct source *source, const struct format *format, size_t limit, struct error *err);
void entries_free(struct entries *entries); /* NULL is allowed */

/* The next notification or bad entry. As source_next(); EXIT_CODE_IO also for a file of another kind. */
enum source_result entries_next(struct entries *entries, struct capture_item *item, struct error *err);

const struct entry_counts *entries_counts(const struct entries *entries);

#endif
