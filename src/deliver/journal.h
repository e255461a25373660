/*
 * The journal of a run: what it has sent and what of that has ended, so that a run that was interrupted or killed can
 * be continued. Its rules:
 *
 *   F            --results: a line of JSON per attempt, never changed but for "ended" and "lines"
 *   F.inflight   beside it, as long as F is unfinished: a mark per attempt in flight
 *
 * A record is known by its content. Its id is the first 16 bytes of the SHA-256, in hex, of its bytes as read:
 * decompressed; a line; of a HAR array the element; of a document the whole of it; always without the blanks and line
 * ends around it. Names, order and number of the files do not matter: they may be renamed, rotated, appended to. What
 * send makes has none.
 *
 *   {"number","input","record","id"|null,"attempt","final","event"|null,"outcome","status"|null,"recorded_status"?,
 *    "due"|null,"sent"|null,"latency_ms","bytes","error"?}   and in the first line of F
 * "selection","seed"|null,"ended", "lines"|null
 *
 * A line says: the attempt `number` of F has ended, as `outcome`; `final`: and with it the delivery. `number` counts
 * the attempts of F, over all runs that add to it, and no two have the same. `due` is when it was to begin (where
 * nothing sets a pace: when it began), `sent` when the request went out. `selection` has the options that chose the
 * records, `seed` is that of --fresh-ids; F.inflight has both until there is a line. `ended`: all that was asked for is
 * done, and there are no marks beside it; `lines`: how many F had then. One that has fewer lost some: it is refused
 * like an unfinished one that is not to be trusted.
 *
 * A line that says something else where that decides about a delivery, or has a key twice, was edited or is damaged: it
 * is reported and ignored, and so is one with the number of an open mark of another record. A first line of that kind
 * is refused.
 *
 * A mark says: the attempt `number`, of the record `id`, may have been sent. It is made before the first byte is sent,
 * and has a checksum. A mark whose number has a line is over, any other is open.
 *
 * After kill -9 at any moment F and F.inflight hold together: a mark is in the file, as the kernel sees it, before the
 * first byte is sent, and the line is in F before the mark goes. So all that was sent is in a line or in an open mark.
 * When the run is continued, each open mark is reported and gets its line, "unknown", before F.inflight is made again;
 * killed in between, the mark is over by its line. A restart of the machine may lose what was not synced: F.inflight
 * names the boot it was written in. It also counts the lines of F, which may have been shortened. Where one of these
 * is wrong, a checksum does not match, or F.inflight is missing, the run is not to be trusted: it is refused, unless
 * --retry-unknown says that records may arrive twice. Both files, and their names, are synced before anything is sent,
 * F again when the run ends. F.inflight appears under its name whole; a run that cannot make it leaves F empty, which
 * means nothing. A new run begins in no file that has something in it, be it the results of a run that has ended.
 *
 * What remains is counted by id: as many deliveries as the inputs hold of it, less its final lines, less its open
 * marks. A delivery that was to be repeated when the run was killed has lines, none of them final: it remains.
 *
 * --resume skips a record while more of its id have ended, or are open, than have come by, and sends the rest: no
 * second look at the inputs is needed, and they may grow. --failed-only sends of an id as many as have a final line
 * that is not "accepted". What the options do with each other is in credhook-replay(1).
 *
 * Another selection than F's is refused. Records of F that did not come by are counted: an unfinished run stays so
 * then, since what else their inputs hold is not known.
 *
 * On stdout and in a FIFO there is no F.inflight, and "ended" stays false: whoever keeps such lines as a file can use
 * them with --failed-only, and with --resume only as what is not to be trusted.
 *
 *   journal.c         opening, beginning and ending; the lines, written
 *   journal_line.c    a line, read
 *   journal_read.c    the lines, read, and what has ended by id
 *   journal_marks.c   F.inflight
 *   past_results.c    the lines of another run, to compare with
 */
#ifndef CREDHOOK_DELIVER_JOURNAL_H
#define CREDHOOK_DELIVER_JOURNAL_H

#include "base/random.h"
#include "base/signals.h"
#include "deliver/job.h"

struct journal;

/* What the journal has noticed of an earlier run; texts are borrowed for the call. */
enum journal_notice_type {
	JOURNAL_BAD_LINES,       /* `count` lines of F are torn or not results, the first at line `record` */
	JOURNAL_WAS_IN_FLIGHT,   /* record `record` of `input` (NULL: send made it): its outcome is unknown */
	JOURNAL_IN_FLIGHT_COUNT, /* how many of those there were, after the last */
	JOURNAL_NOT_TRUSTED,     /* but used: F.inflight `doubt` */
	JOURNAL_LOST_LINES,      /* likewise: the run has ended, and `count` lines of it are gone */
};
struct journal_notice {
	enum journal_notice_type type;
	const char *path; /* F */
	const char *input;
	uint64_t record;
	uint64_t count;
	bool again;        /* with the count: they are sent again */
	const char *doubt; /* "is missing", ... */
};

/* All borrowed. */
struct journal_options {
	const char *results;     /* the file of a new run; "-": stdout, by way of write(); NULL: none */
	const char *resume;      /* the file of the run to be continued, and added to; `results` is the same or NULL */
	const char *failed_only; /* the file whose records that did not end accepted are wanted */
	const char *selection;   /* the options that choose the records, as words */
	struct seed *seed;  /* of --fresh-ids, if any; becomes that of the runs that are read. NULL: there is none */
	bool retry_unknown; /* send again what was in flight, and go on where the state is not trusted */
	const struct signals *signals; /* end the reading, and the wait for the reader of a FIFO; NULL: none */
	bool read_only;                /* a dry run: nothing is written */
	bool has_inputs; /* some of what is sent comes from inputs, which can be read again: a run that is cut short
	                  * before it gets to them can be continued, too */
	void (*notice)(void *context, const struct journal_notice *notice); /* NULL: none */
	void (*write)(void *context, const char *text, size_t length);
	void *context;
};

/* Reads what `resume` and `failed_only` name. *journal is NULL where the options want none; all that take a journal
 * take NULL. EXIT_CODE_IO; EXIT_CODE_USAGE: not a file of results; another run writes it; of another selection; not to
 * be trusted. *journal is the caller's to close even then. `options` is copied. */
int journal_open(struct journal **journal, const struct journal_options *options, struct error *err);
void journal_close(struct journal *journal);

/* Makes the files, or opens them for writing on; at most `jobs` jobs exist at once. EXIT_CODE_USAGE: F has something in
 * it, and is not continued; another run writes it; F.inflight is not ours. What is refused is left unchanged. */
int journal_start(struct journal *journal, size_t jobs, struct error *err);

/* Why a record is not sent again: the run to be continued has it; or with --failed-only its line says that it was
 * accepted, or that it may have been; or it has no final line more. */
enum journal_skip {
	JOURNAL_FINISHED,
	JOURNAL_UNKNOWN,
	JOURNAL_ACCEPTED,
	JOURNAL_NOT_FINISHED,
	JOURNAL_SKIPS,
	JOURNAL_WANTED = JOURNAL_SKIPS /* none: it is to be sent */
};

/* Whether the record is to be sent, or why not. To be asked once for each time it comes by. */
enum journal_skip journal_ask(struct journal *journal, const struct capture_id *id);
/* How many records of the runs that were read have not come by. */
uint64_t journal_missing(const struct journal *journal);
/* Whether the run to be continued had not come to its end. */
bool journal_was_unfinished(const struct journal *journal);

/* A job's way: its place for marks, once per struct; its next attempt has a number; begins, in the worker's thread; has
 * ended, in memory until the flush; its mark is removed. */
void journal_enter(struct journal *journal, struct job *job);
void journal_number(struct journal *journal, struct job *job);
void journal_begin(const struct job *job);
void journal_add(struct journal *journal, const struct job *job);
int journal_flush(struct journal *journal, struct error *err); /* -1: EXIT_CODE_IO; the marks must stay */
void journal_end(const struct job *job);

/* The run has ended; `through`: with all that was asked for. F is synced, and F.inflight removed unless the run can be
 * continued. EXIT_CODE_IO. */
int journal_finish(struct journal *journal, bool through, struct error *err);
/* Whether a run that has ended so can be continued. */
bool journal_has_rest(const struct journal *journal, bool through);

/* The options by which the run had chosen whose records are sent again; empty: it took all, or it is not known. */
const char *journal_failed_selection(const struct journal *journal);
/* How many were in flight when the run was killed that is continued, and stay unknown. */
uint64_t journal_unknown(const struct journal *journal);
/* How many final lines of the run to be continued are not "accepted"; and how many of these have an id: what send made
 * is not sent again. */
uint64_t journal_not_accepted(const struct journal *journal);
uint64_t journal_failed_records(const struct journal *journal);
/* How many were skipped so far, by enum journal_skip. */
const uint64_t *journal_skipped(const struct journal *journal);

#endif
