/*
 * The formats of files: ours, those of other tools, which are read as captures or refused by name, and files of our own
 * that hold no payloads. They are recognised by their content, whatever the name, so that nobody sends a HAR file with
 * all its cookies as one notification.
 *
 * To add one: a row in format.c, what recognises it there, its name in the lists of those that are read or written, and
 * a file with its reader and writer, a file in tests/fuzz/corpus/format, and a line in
 * tests/unit/capture/format_test.c. The first row that matches is the format, so a row whose signs others may have,
 * too, stands behind theirs. A row must not match a notification, not even a broken one; that is why an object with a
 * member `service` or `details`, or an array that begins with one, is compared with no row. Recorded requests in such
 * a document are looked for at any depth.
 */
#ifndef CREDHOOK_CAPTURE_FORMAT_H
#define CREDHOOK_CAPTURE_FORMAT_H

#include "base/error.h"
#include "capture/record.h"
#include "capture/source.h"

#include <stdbool.h>
#include <stddef.h>

#define FORMAT_LOOK_MAX ((size_t)64 << 10) /* bytes examined at the beginning of a file */
#define FORMAT_ENDS_MAX 2

/* What was written, and what of it was lost. Zero-initialise. */
struct format_written {
	uint64_t records;
	uint64_t senders, faults, headers; /* that the format cannot hold */
	uint64_t undated;                  /* records without a time */
	uint64_t left_out;                 /* records that the format cannot hold ... */
	const char *why;                   /* ... and what is wrong with the first; a constant */
};

struct format_writer {
	const char *begin, *separator, *end; /* around all records, and between two */
	/* Appends the record and counts what of it is lost. NULL, or why the format cannot hold it: a constant. */
	const char *(*append)(const struct capture_record *record, struct format_written *written, struct buffer *out);
};

struct format_reader;
extern const struct format_reader format_har_reader;
extern const struct format_writer format_har_writer;

struct format {
	const char *name;
	const char *words; /* to follow the name of the file: is a HAR file */
	const char *hint;  /* of a file that is refused: what to do; NULL: none */
	bool is_data;      /* contains data that a user may not want to lose, so credhook does not replace it */
	bool is_records;   /* recorded requests, not as lines of a capture: looked for beside a notification's details,
	                      too */
	/* By what it is known: a document, which may be only the beginning of the file's, or the first bytes. */
	const char *signs;   /* of a document, see format.c */
	bool is_array;       /* the signs are those of an array alone */
	const char *pattern; /* of the first bytes: an extended regular expression */
	bool (*is_bytes)(const char *bytes, size_t length);
	/* What can be done with it. */
	const struct format_reader *reader;    /* capture/entries.h; NULL: such a file is refused */
	const char *ends[FORMAT_ENDS_MAX + 1]; /* of names into which it is written: ".har"; none: it is not written */
	bool is_gzipped;                       /* also with .gz behind them */
	const struct format_writer *writer;    /* of records one by one; NULL: it is not made of these alone (a page) */
};

extern const struct format capture_formats[];
extern const size_t capture_format_count;
/* Those that can be read, as --from takes them: "auto" (as recognised), then names; ends with NULL. */
extern const char *const format_input_names[];
/* Those that can be written, as --format takes them: "auto" (as the name of the file says), then names. */
extern const char *const format_output_names[];

/* The format of that name, or NULL. FORMAT_RECORD is our own: its files are recognised line by line, as records. */
const struct format *format_named(const char *name);
#define FORMAT_RECORD "ndjson"
/* The format that is written into a file of that name, or NULL. */
const struct format *format_of_name(const char *name);
/* Appends what such names may end with: ".ndjson[.gz], .jsonl[.gz], .har[.gz], .html". */
void format_append_ends(struct buffer *out);

/* The format of a document, or NULL. */
const struct format *format_of_document(const struct json_doc *doc);

/* The format of a file that begins with these bytes, or NULL; `whole`: they are the whole file; `type`: how it is read,
 * SOURCE_DETECT where that is not known yet. *more: undecided, call again with more bytes (never with FORMAT_LOOK_MAX
 * of them). */
const struct format *format_of_beginning(const char *bytes, size_t length, bool whole, enum source_type type,
                                         bool *more);

/* Examines a source from which nothing was read yet, and takes nothing from it. SOURCE_ITEM: *found is the format or
 * NULL. Else as source_next(): SOURCE_ERROR with *err, SOURCE_LATER, SOURCE_INTERRUPTED. */
enum source_result format_look(struct source *source, const struct format **found, struct error *err);
/* The format of a text that is not JSON, as far as its beginning and its words show: one that is broken, behind a byte
 * order mark or the words of a log, in UTF-16. NULL: none. */
const struct format *format_of_text(const char *text, size_t length);

/* EXIT_CODE_IO: 'x' is a Postman collection; credhook cannot read it. */
int format_refuse(const struct format *format, const struct mend_file *file, struct error *err);

/* Appends one record, or counts that it cannot be held. */
void format_write(const struct format *format, const struct capture_record *record, struct format_written *written,
                  struct buffer *out);
/* Appends "har cannot hold senders; 3 headers left out", or nothing. */
void format_append_losses(const struct format *format, const struct format_written *written, struct buffer *out);

#endif
