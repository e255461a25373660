/*
 * A streaming reader of payloads: one input (a file, or standard input), handed out one document after another.
 *
 * It reads in blocks into one window, which grows to the longest document and no further: an item's text is a place in
 * that window, borrowed until the next call. A document over the limit is flagged and never held whole. So an input
 * costs its longest document, up to twice that while it grows; who reads it with json_read() holds up to eight bytes a
 * byte more: nine times the longest line in all for `validate` (text such as [1,1,1,...), about three for a
 * notification.
 *
 * An input that begins as gzip does (RFC 1952), or has a name in .gz, is unpacked while it is read; the same limits
 * hold for what comes out of it.
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_H
#define CREDHOOK_CAPTURE_SOURCE_H

#include "base/error.h"
#include "base/signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest payload: 64 MiB. A line that begins as a capture record does, {"v": , may be longer, since it quotes its
 * payload; what capture_record_append() makes of a payload up to the limit fits. */
#define SOURCE_PAYLOAD_MAX  ((size_t)64 << 20)
#define SOURCE_RECORD_EXTRA ((size_t)1 << 20) /* a record's line: at most twice the payload limit and this */

#define SOURCE_LIMIT_MIN ((size_t)4)

enum source_kind {
	SOURCE_DETECT, /* by the name (a .gz behind it aside; in either case): .json single, .ndjson and .jsonl lines;
	                * of any other the first line that is not blank decides: lines if it is a whole document (or
	                * over the limit), else single */
	SOURCE_LINES,  /* one document per line (LF or CRLF); blank lines are skipped and counted */
	SOURCE_SINGLE, /* the whole input is one document; always exactly one item, be it empty */
};

struct source_options {
	enum source_kind kind;
	size_t limit;                  /* bytes of one payload, at least SOURCE_LIMIT_MIN; 0: SOURCE_PAYLOAD_MAX */
	size_t block;                  /* bytes read at least at a time; 0: 256 KiB (tests set small ones) */
	const struct signals *signals; /* borrowed; NULL: reading cannot be interrupted */
};

/* One document. text is not NUL-terminated and does not include the line end. */
struct source_item {
	const char *text;
	size_t length;
	size_t line;   /* of its first byte, from 1 */
	bool too_long; /* over the limit; text is its beginning, and the rest is skipped */
	bool torn;     /* SOURCE_LINES: the last line, with no LF behind it */
};

enum source_result {
	SOURCE_ERROR = -1, /* *err says why: EXIT_CODE_IO */
	SOURCE_END,
	SOURCE_ITEM,
	SOURCE_INTERRUPTED, /* a signal waits; calling again goes on where reading stopped */
	SOURCE_LATER, /* nothing can be read right now: the same, once source_fd() can be; see source_set_wait() */
};

struct source;

/* Opens a file; "-" is standard input. A path that cannot be opened, or is a directory, is EXIT_CODE_IO: cannot open
 * 'x': No such file or directory. Opening a FIFO does not wait for its writer; the first read does. NULL: failed. */
struct source *source_open(const char *path, const struct source_options *options, struct error *err);
/* Reads from an open descriptor, which stays the caller's. `name` is for messages, and for SOURCE_DETECT. */
struct source *source_open_fd(int fd, const char *name, const struct source_options *options, struct error *err);
void source_close(struct source *source); /* NULL is allowed */

enum source_result source_next(struct source *source, struct source_item *item, struct error *err);

/* What is read and not handed out, borrowed until the next call: at least `wanted` bytes of it, or all that is left,
 * which *whole says. SOURCE_ITEM; else as source_next(), and nothing is lost. */
enum source_result source_peek(struct source *source, size_t wanted, const char **text, size_t *length, bool *whole,
                               struct error *err);

/* Whether source_next() waits for an input that has nothing yet (a pipe, say): it does unless told otherwise. */
void source_set_wait(struct source *source, bool wait);
int source_fd(const struct source *source); /* what it reads from, for poll() */
/* How many bytes of the input are handed out; where it is packed, of the packed ones, about. */
uint64_t source_position(const struct source *source);
size_t source_blank_lines(const struct source *source);
/* What SOURCE_DETECT came to; SOURCE_DETECT before the first item. */
enum source_kind source_kind_found(const struct source *source);
/* Whether there is nothing in it but what is space to JSON. */
bool source_is_blank(const char *text, size_t length);
/* SOURCE_SINGLE, SOURCE_LINES, or SOURCE_DETECT where the name does not tell. */
enum source_kind source_kind_of_name(const char *path);

/*
 * Many lines at once, for whoever judges them in another thread while the source reads on: a block takes the window
 * with it, and gives the source its own memory for the next. A document alone in its input, and a line that is long
 * beyond measure, is a block by itself.
 */
struct source_block {
	char *memory; /* owned: free() it */
	size_t capacity;
	size_t start, length; /* of the text in memory */
	size_t line;          /* of the text's first byte; source_block_next() counts on */
	size_t blank;         /* blank lines that source_block_next() skipped */
	size_t handed;        /* bytes that source_block_next() is past */
	bool lines;           /* whole lines; else one document */
	bool too_long;        /* as in source_item */
	bool spent;
};

/* Fills the block, whose memory (NULL at first) is traded. Not to be mixed with source_next(). */
enum source_result source_next_block(struct source *source, struct source_block *block, struct error *err);
/* The next document of the block that is no blank line; false: there is none. */
bool source_block_next(struct source_block *block, struct source_item *item);
/* Whether source_next_block() can go on at once; false too where lines are left but no input is. */
bool source_is_ready(const struct source *source);

#endif
