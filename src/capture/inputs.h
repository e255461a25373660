/*
 * One input, item after item; and files, directories and standard input, read one after the other as one stream of
 * payloads and records.
 *
 * The payload of a capture record is its body; any other document is a payload itself. In a capture (the first document
 * is a record), and in a line that begins like one ({"v":), anything else is a bad record, not a payload. The output of
 * `listen --json -v` is a capture too: its ready line and summary are skipped. An event line without a body is an
 * error.
 *
 * The notifications of another tool's capture (capture/entries.h) are records, in the order of the file.
 */
#ifndef CREDHOOK_CAPTURE_INPUTS_H
#define CREDHOOK_CAPTURE_INPUTS_H

#include "base/signals.h"
#include "capture/entries.h"
#include "capture/source_files.h"

#include <stdbool.h>
#include <stdint.h>

/* One input: lines or documents, each a record, a payload or bad, or the notifications of another tool's capture. */
struct capture_reader {
	const char *path;            /* borrowed; "-": standard input */
	struct source *source;       /* owned; NULL: not open */
	struct entries *entries;     /* owned; NULL: not another tool's capture, or not looked at */
	const struct format *forced; /* set it to one that the input is of, whatever it looks like */
	bool is_looked_at;           /* set it to take the input for lines or documents, whatever it looks like */
	bool takes_bytes;            /* set it to refuse another tool's capture that could be read, too */
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

/* What may be a payload. The body of a record may be anything. */
enum capture_accepted {
	/* An object with `service` or `details`. Another document is refused as a whole file or in its first line, and
	 * a bad item in a later one. */
	CAPTURE_ACCEPTS_NOTIFICATIONS,
	/* Any JSON; the first document of a file that is not one of those is reported. Other text is a bad item. */
	CAPTURE_ACCEPTS_JSON,
	CAPTURE_ACCEPTS_TEXT,  /* any text. As above, files of formats that are not read are refused (format.h) */
	CAPTURE_ACCEPTS_BYTES, /* the same, and those that are read are refused, too: no payload is taken out of them */
};

enum inputs_got {
	INPUTS_FAILED = -1,
	INPUTS_NONE, /* the end, or a signal is waiting */
	INPUTS_ITEM,
	INPUTS_LATER, /* nothing can be read now; only with `no_wait` */
};

struct inputs_observer {
	void (*problem)(void *context, const struct error *problem); /* with a file or a record */
	void (*opening)(void *context, const char *path);            /* before a file is read; "-": standard input */
	/* After another tool's capture was read to its end. */
	void (*counted)(void *context, const char *path, const struct entry_counts *counts);
	void *context;
};

struct inputs {
	const struct inputs_observer *observer; /* NULL: nobody looks on */
	struct signals *signals;                /* interrupt the reading; NULL: none */
	struct source_files files;
	enum capture_accepted accepted;
	const struct format *forced; /* set it to one that the inputs are of, whatever they look like */
	size_t at;                   /* the next file to open */
	size_t limit;                /* bytes of one payload */
	/* The file under way; between two, and behind the last, its path is NULL. */
	struct capture_reader reader;
	struct capture_scratch scratch;
	uint64_t before; /* the number at its beginning */
	bool has_any;    /* a document was read */
	bool is_capture; /* the first document was a record */
	/* What inputs_check() has read of a pipe. */
	struct capture_item held; /* maybe a bad one */
	bool is_held;
	bool is_checking; /* it is being read */
	/* All of them. */
	uint64_t number;            /* of the last item, over all files: in the first one, its line or entry */
	struct evp_md_ctx_st *hash; /* of inputs_id(); NULL: not asked for yet */
	bool no_wait;      /* set it to get INPUTS_LATER where an input (a pipe) has no data yet, in place of waiting */
	bool needs_bodies; /* set it to skip, as bad, records whose body redaction withheld */
	enum exit_code code; /* of the problems so far: FAILED for bad records, IO for files */
	uint64_t bad;        /* records skipped */
	uint64_t whole;      /* bytes of all files; 0: unknown */
	uint64_t passed;     /* bytes of the files before the current one */
};

/* Takes the arguments (a path, a directory or "-"). `observer` and `signals` are borrowed. */
int inputs_init(struct inputs *inputs, const struct text_list *arguments, enum capture_accepted accepted,
                const struct inputs_observer *observer, struct signals *signals, struct error *err);
/* Before anything is sent or written. EXIT_CODE_IO: a file is not there or may not be read, or, by the beginning of a
 * regular file, is of a format that is not read (capture/format.h) or not of what is accepted. Opens no FIFO, unless
 * only notifications are accepted and it is the first file: then this waits for its first item. */
int inputs_check(struct inputs *inputs, struct error *err);
void inputs_release(struct inputs *inputs);

/* The next payload, borrowed until the next call. Unreadable files and bad records are reported to the observer,
 * remembered in `code`, and skipped. After INPUTS_LATER, source_fd() of the reader's source is to be polled. */
enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err);

/* The id of a record: of its bytes without the blanks and line ends around them, since it depends on the name of a file
 * whether these are read along. EXIT_CODE_INTERNAL. */
int inputs_id(struct inputs *inputs, const struct capture_item *item, struct capture_id *id, struct error *err);
/* Whether all inputs were read to the end. */
bool inputs_ended(const struct inputs *inputs);

/* Progress in bytes of the files. *whole is 0 unless all are regular files. */
void inputs_measure(const struct inputs *inputs, uint64_t *done, uint64_t *whole);

#endif
