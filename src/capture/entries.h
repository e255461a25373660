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
	ENTRY_BAD,          /* entry->problem: EXIT_CODE_FAILED */
};

/* Everything is borrowed until the next call. */
struct entry {
	enum entry_kind kind;
	uint64_t number;  /* in its file, from 1 */
	const char *text; /* as in the file; its first byte is at */
	size_t length, line, column;
	struct capture_record record;
	const struct json_doc *doc; /* of the text, for struct body_map */
	bool compressed;            /* the body has a Content-Encoding */
	bool is_syntax;             /* of a bad entry: the text and its place are where it is not JSON */
	struct error problem;
};

/* What was read so far. */
struct entry_counts {
	uint64_t entries, notifications, others, bad;
	uint64_t compressed; /* notifications whose body has a Content-Encoding */
	bool is_disordered;  /* a notification is older than one before it */
};
/* Appends "14 entries: 1 notification, 13 others". */
void entry_counts_append(const struct entry_counts *counts, struct buffer *out);

struct entry_draft;

/* How a format is read. */
struct format_reader {
	const char *const *path; /* the keys that lead to the entries, see json/elements.h */
	/* Fills the draft from its entry (capture/entry_draft.h). */
	void (*read)(struct entry_draft *draft);
};

struct entries;

/* Reads from the source, which is borrowed and must be at its beginning. Bodies have at most `limit` bytes. */
struct entries *entries_new(struct source *source, const struct format *format, size_t limit, struct error *err);
void entries_free(struct entries *entries); /* NULL is allowed */

/* As source_next(). */
enum source_result entries_next(struct entries *entries, struct entry *entry, struct error *err);

const struct entry_counts *entries_counts(const struct entries *entries);

#endif
