/*
 * A streaming reader of payloads: one input (a file or standard input), one document after another.
 *
 * It reads blocks into one window, which grows to the longest document. The text of an item is in that window, borrowed
 * until the next call. A document over the limit is flagged and never held whole. So an input costs the memory of its
 * longest document, twice that while the window grows; json_read() adds up to eight bytes per byte: nine times the
 * longest line in the worst case ([1,1,1,...), about three for a notification.
 *
 * Gzip data (RFC 1952, by its first bytes) is decompressed, with the same limits for the result.
 *
 *   source.c         opening and closing
 *   source_bytes.c   the window: bytes read, and unpacked
 *   source_items.c   the documents in it
 *   source_block.c   or many of them at once
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_H
#define CREDHOOK_CAPTURE_SOURCE_H

#include "base/error.h"
#include "base/mend.h"
#include "base/signals.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest payload: 64 MiB. A line that begins like a capture record ({"v":) may be longer, enough for what
 * capture_record_append() writes for a payload of that length. */
#define SOURCE_PAYLOAD_MAX  ((size_t)64 << 20)
#define SOURCE_RECORD_EXTRA ((size_t)1 << 20) /* the line of a record: at most twice the payload limit plus this */

enum source_type {
	SOURCE_DETECT, /* by name, in any case and without .gz: .json is SINGLE, .ndjson and .jsonl are LINES. For other
	                * names the first line that is not blank decides: LINES if it is a whole document or over the
	                * limit, else SINGLE */
	SOURCE_LINES,  /* one document per line (LF or CRLF); blank lines are skipped and counted */
	SOURCE_SINGLE, /* the whole input is one document: always one item, even if empty */
};

struct source_options {
	enum source_type type;
	size_t limit; /* bytes of one payload, 4 or more, to recognise a record; 0: SOURCE_PAYLOAD_MAX */
	size_t block; /* bytes per read; 0: 256 KiB */
	const struct signals *signals; /* interrupt the reading, also of what is there; borrowed; NULL: none */
};

/* One document. text is not NUL-terminated and does not include the line end. */
struct source_item {
	const char *text;
	size_t length;
	size_t line;   /* of its first byte, from 1 */
	bool too_long; /* over the limit: text is only its beginning */
	bool torn;     /* SOURCE_LINES: the last line, without an LF */
};

enum source_result {
	SOURCE_ERROR = -1, /* EXIT_CODE_IO, or EXIT_CODE_INTERNAL when out of memory */
	SOURCE_END,
	SOURCE_ITEM,
	SOURCE_INTERRUPTED, /* a signal is waiting; the next call continues */
	SOURCE_LATER,       /* nothing can be read now; call again when source_fd() is readable (source_set_wait()) */
};

struct source;

/* Opens a file; "-" is standard input. EXIT_CODE_IO: it cannot be opened, or is a directory. Opening a FIFO does not
 * wait for its writer; the first read does. */
struct source *source_open(const char *path, const struct source_options *options, struct error *err);
/* Reads from an open descriptor, which is borrowed. `name` is for messages and for SOURCE_DETECT. */
struct source *source_open_fd(int fd, const char *name, const struct source_options *options, struct error *err);
void source_close(struct source *source); /* NULL is allowed */

/* What ends the reading of a long document (json/located.h) while one of these signals is waiting. NULL: nothing. */
struct json_stop source_stop(const struct signals *signals);

enum source_result source_next(struct source *source, struct source_item *item, struct error *err);

/* Looks at the bytes to come without consuming them: at least `wanted` of them, or all that are left (*whole).
 * Borrowed until the next call. SOURCE_ITEM, or else as source_next(). */
enum source_result source_peek(struct source *source, size_t wanted, const char **text, size_t *length, bool *whole,
                               struct error *err);

/* Consumes bytes that source_peek() has shown. Not to be mixed with source_next() after that. */
void source_take(struct source *source, size_t length);

/* Whether source_next() waits for an input (a pipe) that has no data yet. The default is to wait. */
void source_set_wait(struct source *source, bool wait);
int source_fd(const struct source *source); /* the descriptor, for poll() */
const char *source_name(const struct source *source);
/* Bytes of the input that were handed out; of compressed input the compressed bytes, approximately. */
uint64_t source_position(const struct source *source);
size_t source_blank_lines(const struct source *source);
/* The detected kind; SOURCE_DETECT before the first item. */
enum source_type source_type_found(const struct source *source);
/* The file that it is, for a hint about it. */
struct mend_file source_mend_file(const struct source *source, const char *path);
/* Whether the text is only JSON white space. */
bool source_is_blank(const char *text, size_t length);
/* SOURCE_SINGLE, SOURCE_LINES, or SOURCE_DETECT when the name does not decide. */
enum source_type source_type_of_name(const char *path);

/* The next block: many lines, to be checked in another thread while the source reads on. It is a source itself, of
 * memory that the two exchange; NULL at first, to be closed by the caller. A single document, or a line over the limit,
 * is a block of its own, of SOURCE_SINGLE. Not to be mixed with source_next(). */
enum source_result source_next_block(struct source *source, struct source **block, struct error *err);
/* Bytes that it still holds. */
size_t source_block_length(const struct source *block);
/* Whether the input can be read without waiting. */
bool source_is_ready(const struct source *source);

#endif
