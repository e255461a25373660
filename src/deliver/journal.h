/*
 * The journal of a run: what it has sent, what of that has ended, and of which inputs, kept so that a run that was
 * interrupted or killed can be continued.
 *
 *   F            --results: a line of JSON per attempt, never changed but for the word in "ended" (below)
 *   F.inflight   as long as F can be continued: a mark per delivery in flight, and the inputs that are not done with
 *
 *   {"input","record","attempt","final","event","outcome","status"|null,"due","sent"|null,"latency_ms","bytes",
 *    "error"?,"hash"?,"ended"?}
 *
 * `due` is when it was to begin (where nothing sets a pace: when it began), `sent` when the request went out. `input`
 * is null for what send made, and `record` then its number. With --compare, `recorded_status` too.
 *
 * An input is known by its content, whatever its name: `hash` is INPUT-RECORD, 16 hex digits each, the hashes of the
 * first record of the input and of this one. Where another input begins with the same record its INPUT is one more.
 * A record is the same one if INPUT and its place are the same; that the last one dealt with still stands at its place
 * shows that the input is the same. A record that is named or looped several times counts as often as it has ended.
 * What goes to stdout or into a pipe has no `hash`: nobody can resume from it.
 *
 * `ended` stands in the first line only: whether all that was asked for is done. While it is false the state is F and
 * F.inflight together, and one without the other is not trusted.
 *
 * What holds after a crash of the process: a line is written before its mark goes, and a mark is made before the first
 * byte is sent, so that all that was sent is in a line or in a mark. Where it is in both, the mark has the number of
 * the line: two deliveries of one record may be in flight together, so that nothing else shows which of them it ended.
 * After a crash of the machine neither holds for what was not synced; F.inflight names the boot it was written in, so
 * that this is noticed. Both files, and their names, are synced before anything is sent, and F when the run ends.
 *
 *   journal.c           opening, beginning and ending
 *   journal_lines.c     the lines, written
 *   journal_read.c      the lines, read
 *   journal_marks.c     F.inflight
 *   journal_match.c     which inputs those are, and what is still to be sent of them
 *   journal_inputs.c    inputs, known by content
 *   journal_records.c   which records have ended, in little memory
 *   journal_notice.c    what is noticed, and errors that several of them have
 */
#ifndef CREDHOOK_DELIVER_JOURNAL_H
#define CREDHOOK_DELIVER_JOURNAL_H

#include "capture/source_files.h"
#include "deliver/job.h"

struct journal;
struct journal_input;

/* Why the state of an unfinished run is not trusted. */
enum journal_doubt {
	JOURNAL_TRUSTED,
	JOURNAL_MISSING,   /* F.inflight is not there */
	JOURNAL_EMPTY,     /* it has no byte */
	JOURNAL_ZEROED,    /* it has nothing but zeros */
	JOURNAL_TRUNCATED, /* some of it is missing */
	JOURNAL_VERSION,   /* another version of credhook made it */
	JOURNAL_RESTARTED, /* the machine has restarted since */
	JOURNAL_SHORTENED, /* F has fewer lines than it had */
};
/* "is missing", ...: what F.inflight is. */
extern const char *const journal_doubt_words[];

/* What the journal has noticed of an earlier run; texts are borrowed for the call. */
enum journal_notice_kind {
	JOURNAL_TORN_LINE,       /* F ends within a line: `count` bytes of it */
	JOURNAL_BAD_LINES,       /* `count` lines of F are not results, the first at line `record` */
	JOURNAL_WAS_IN_FLIGHT,   /* record `record` of `input` (NULL: send made it): its outcome is unknown */
	JOURNAL_IN_FLIGHT_COUNT, /* how many of those there were, after the last */
	JOURNAL_IN_DOUBT,        /* the state is not trusted (`doubt`), but used */
};
struct journal_notice {
	enum journal_notice_kind kind;
	const char *path; /* F */
	const char *input;
	uint64_t record;
	uint64_t count;
	bool again; /* with the count: they are sent again */
	enum journal_doubt doubt;
};

/* All borrowed. */
struct journal_options {
	const char *results;     /* the file of a new run; "-": stdout, by way of write(); NULL: none */
	const char *resume;      /* the file of the run to be continued, and added to; NULL: none */
	const char *failed_only; /* the file whose records that did not end accepted are wanted; may be `results` too */
	bool retry_unknown;      /* send again what was in flight, and go on where the state is not trusted */
	bool read_only;          /* a dry run: nothing is written */
	void (*notice)(void *context, const struct journal_notice *notice);
	void (*write)(void *context, const char *text, size_t length);
	void *context;
};

/* Reads what `resume` or `failed_only` name, and looks whether `files` are the inputs it is of. *journal is NULL where
 * the options want none; all that take a journal take NULL. EXIT_CODE_IO; EXIT_CODE_USAGE: not a file of
 * results; another run writes it; of other inputs; not to be trusted. *journal is the caller's to close even then.
 * `options` is copied, `files` must stay. */
int journal_open(struct journal **journal, const struct journal_options *options, const struct source_files *files,
                 struct error *err);
void journal_close(struct journal *journal);

/* Makes the files, or opens them for writing on; at most `jobs` jobs exist at once. EXIT_CODE_USAGE: F is not a file of
 * results, is of an unfinished run or of other inputs, or another run writes it; F.inflight is not ours. What is
 * refused is left unchanged. */
int journal_start(struct journal *journal, size_t jobs, struct error *err);

/* An input was opened: `first` is the hash of its first record, which stands at line `line`. The one opened before was
 * read to its end. *input is the journal's. EXIT_CODE_USAGE: the run to be continued is of other inputs. */
int journal_begin_input(struct journal *journal, const char *name, int fd, uint64_t first, uint64_t line,
                        struct journal_input **input, struct error *err);
/* 1: the record is to be sent; 0: it is not; -1: the input has changed (EXIT_CODE_USAGE). Once for each time it comes
 * along. `hash` is the record's. */
int journal_wants(struct journal *journal, struct journal_input *input, uint64_t record, uint64_t hash,
                  struct error *err);
/* All inputs were read to their end. EXIT_CODE_USAGE: one of the unfinished run was not among them. */
int journal_end_inputs(struct journal *journal, struct error *err);

/* A job's way: its mark, once per struct; taken from the source; begun, in the worker's thread; its attempt ended, in
 * memory until the flush; its mark is removed; let go, be it final or not. */
void journal_enter(struct journal *journal, struct job *job);
void journal_take(struct journal *journal, const struct job *job);
void journal_begin(const struct job *job);
void journal_add(struct journal *journal, const struct job *job);
int journal_flush(struct journal *journal, struct error *err); /* -1: EXIT_CODE_IO; the marks must stay */
void journal_end(const struct job *job);
void journal_let_go(struct journal *journal, const struct job *job);

/* The run has ended; `through`: with all that was asked for. F is synced, and F.inflight removed unless the run can be
 * continued. EXIT_CODE_IO. */
int journal_finish(struct journal *journal, bool through, struct error *err);

/* What is to be said of a run that has ended so. */
enum journal_rest {
	JOURNAL_DONE,         /* nothing is left */
	JOURNAL_LEFT,         /* not all was sent; it can be continued */
	JOURNAL_LEFT_EARLIER, /* all was sent that was asked for, but the run whose failures these were has a rest */
};
enum journal_rest journal_rest(const struct journal *journal, bool through);

/* How many were in flight when the run was killed that is continued, and stay unknown. */
uint64_t journal_unknown(const struct journal *journal);
/* How many of those that --resume has skipped so far did not end accepted. */
uint64_t journal_not_accepted(const struct journal *journal);
/* How many of those that --failed-only has skipped so far have no line: nothing says that they were sent. */
uint64_t journal_without_line(const struct journal *journal);

#endif
