/*
 * The entries of another tool's capture, one after another: requests that may be notifications, as records.
 *
 * A file of any length is read with the memory of its longest entry: the window of the source, a table of its tokens
 * and its decoded texts, about four times its length. An entry that cannot be read is reported with its number and
 * skipped; where the file itself is broken, the rest of it is one bad entry.
 *
 * A notification is a POST of a JSON type (or of none) whose body has a key `service` or `details`. Other requests, of
 * other sites for example, are only counted.
 */
#ifndef CREDHOOK_CAPTURE_ENTRIES_H
#define CREDHOOK_CAPTURE_ENTRIES_H

#include "capture/format.h"
#include "capture/record.h"
#include "json/elements.h"

enum entry_kind {
	ENTRY_NOTIFICATION, /* entry->record */
	ENTRY_OTHER,        /* another request */
	ENTRY_RESPONSE,     /* of a request that came before (entry->pair), with its status in the record */
	ENTRY_BAD,          /* entry->problem: EXIT_CODE_FAILED */
};

/* Everything is borrowed until the next call. */
struct entry {
	enum entry_kind kind;
	uint64_t number;  /* in its file, from 1 */
	const char *text; /* as in the file; its first byte is at */
	size_t length, line, column;
	uint64_t offset; /* bytes, of compressed files those of the decompressed one */
	struct capture_record record;
	const struct json_doc *doc; /* of the text, for body_map.h; NULL: the text is not JSON ... */
	size_t body_at;             /* ... and the body begins at this byte of it ... */
	bool body_is_raw;           /* ... as it is, not chunked */
	uint64_t pair;              /* what a request and its response share; 0: nothing */
	bool compressed;            /* the body has a Content-Encoding */
	bool is_syntax;             /* of a bad entry: the text and its place are where it is not JSON */
	struct error problem;
};

/* What was read so far. */
struct entry_counts {
	uint64_t entries, notifications, others, bad;
	uint64_t compressed; /* notifications whose body has a Content-Encoding */
	bool is_disordered;  /* a notification is older than one before it */
	bool is_sorted;      /* and was handed out in its place */
};
/* Appends "14 entries: 1 notification, 13 others". */
void entry_counts_append(const struct entry_counts *counts, struct buffer *out);

struct entry_draft;

/* How entries that are not in the order of time are put into it (capture/reader.h does). */
enum entry_order {
	ENTRY_ORDER_FILE,   /* they are not: there is no time */
	ENTRY_ORDER_INDEX,  /* the file is read twice */
	ENTRY_ORDER_WINDOW, /* the next hundred or so are held back, which also pairs them with their responses */
};

/* How a format is read. */
struct format_reader {
	const char *const *path; /* JSON: the keys that lead to the entries, see json/elements.h; NULL: not JSON */
	/* Of another format: as json_elements_next(), with the public members of the cursor and `inner`, which is 0 at
	 * the beginning of an entry. */
	enum json_elements_found (*find)(struct json_elements *cursor, const char *window, size_t length, bool whole);
	/* Fills the draft from its entry (capture/entry_draft.h). */
	void (*read)(struct entry_draft *draft);
	enum entry_order order;
};

struct entries;

/* Reads from the source, which is borrowed and must be at its beginning. Bodies have at most `limit` bytes. */
struct entries *entries_new(struct source *source, const struct format *format, size_t limit, struct error *err);
void entries_free(struct entries *entries); /* NULL is allowed */

/* As source_next(). */
enum source_result entries_next(struct entries *entries, struct entry *entry, struct error *err);

const struct entry_counts *entries_counts(const struct entries *entries);

/* Reads an entry whose text, place (line 0: unknown) and number are set already, and does not count it. -1: out of
 * memory. */
int entries_read(struct entries *entries, struct entry *entry, struct error *err);

/* Moves the text of an entry, and its place, forward. */
void entry_move(struct entry *entry, size_t offset);

/* The hash of the first entry, whatever it is: what the file is known by. 0: nothing was read yet. */
uint64_t entries_first_hash(const struct entries *entries);

#endif
