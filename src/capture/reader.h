/*
 * One input, item after item: lines or documents, each a record, a payload or bad, or the notifications of another
 * tool's capture.
 */
#ifndef CREDHOOK_CAPTURE_READER_H
#define CREDHOOK_CAPTURE_READER_H

#include "capture/entries.h"
#include "capture/record.h"
#include "capture/source.h"
#include "capture/source_files.h"

struct capture_reader {
	const char *path;            /* borrowed; "-": standard input */
	struct source *source;       /* owned; NULL: not open */
	struct entries *entries;     /* owned; NULL: not another tool's capture, or not looked at */
	const struct format *forced; /* set it to one that the input is of, whatever it looks like */
	bool is_looked_at;           /* set it to take the input for lines or documents, whatever it looks like */
	size_t limit;                /* bytes of one payload */
};

/* `options` as for source_open(), whose errors these are. */
int capture_reader_open(struct capture_reader *reader, const struct source_file *file,
                        const struct source_options *options, struct error *err);
void capture_reader_close(struct capture_reader *reader); /* one that is not open, too */

/* Examines what the input is, once, before anything is read from it. SOURCE_ITEM: it can be read. Else as
 * source_next(); EXIT_CODE_IO also for a format that is not read (capture/format.h). */
enum source_result capture_reader_look(struct capture_reader *reader, struct error *err);

/* The next item, after such a look. Only the entry of another tool's capture (item->format) is read already; a line or
 * document has its text and its place, for capture_item_read(). Errors as above. */
enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err);

/* Reads the text of a line or document, and sets what it is; everything is borrowed from *scratch until its next use.
 * Out of memory it is BAD, its problem's code EXIT_CODE_INTERNAL. False: it is not JSON. */
bool capture_item_read(struct capture_scratch *scratch, struct capture_item *item, struct json_fault *fault);
/* Takes the text for a payload, whatever it is. */
void capture_item_as_payload(struct capture_item *item);

#endif
