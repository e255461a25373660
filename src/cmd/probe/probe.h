/*
 * test: the checks of probe/, played against a listener and put into words.
 *
 *   probe.c          the command: its options, and what it asks before it starts
 *   probe_words.c    what is said of a check and of its cause
 *   probe_repeat.c   how to play what failed again
 *   probe_report.c   the text for people: causes, and group by group
 *   probe_block.c    the blocks: of a cause, or of checks alone
 *   probe_screen.c   the same for a terminal, where it takes one screen
 *   probe_heading.c  the first words of a block there
 *   probe_frame.c    what is around the blocks there
 *   output.c         a check for programs: --json, the cases of --report, --list
 *   probe_summary.c  the end in all of these, and the exit code
 *   last_failed.c    --failed
 *   observe.c        --observe
 *   own_listener.c   COMMAND
 *   probe_log.c      what COMMAND printed, below a check
 */
#ifndef CREDHOOK_CMD_PROBE_PROBE_H
#define CREDHOOK_CMD_PROBE_PROBE_H

#include "cmd/args/make.h"
#include "cmd/args/program.h"
#include "cmd/args/report_files.h"
#include "cmd/args/route.h"
#include "cmd/cmd.h"
#include "probe/plan.h"
#include "probe/probe_run.h"
#include "ui/progress.h"

struct probe_args {
	struct global_options global;
	struct route_options route;
	bool yes;
	struct text_list skip;
	struct text_list expect;
	int level;   /* enum probe_depth */
	int invalid; /* enum probe_invalid */
	bool strict;
	struct edits edits;
	bool list;
	bool failed;
	const char *observe; /* NULL: none */
	struct report_requests reports;
};

#define PROBE_LOG_PREFIX "app> " /* before each line that COMMAND printed */
#define TEST_FIXES_MOST  3       /* checks to fix first that are named */

/* The text report while it grows: groups that have no failure of their own share lines at its end. */
struct probe_report {
	struct buffer out;
	bool is_hidden;      /* something else goes to stdout; what to fix first is found as well */
	struct buffer cells; /* these groups */
	bool noted;          /* in one of them something is for -v */
	int column;          /* of the last line of them */
	struct buffer fix;   /* "deliver/bureau-alert, repeat/again": of each must that fails for a reason of its own */
	size_t fix_count;    /* of them */
	bool has_said_log;   /* that the listener's log says why */
};

/* A run of the command. */
struct probe_command {
	struct context *context;
	const struct probe_args *args;
	struct route route;
	struct text_list wanted;  /* GROUP|ID; borrowed */
	struct program program;   /* COMMAND */
	struct listener listener; /* its process, where there is one */
	struct probe_plan checks;
	struct edits defaults;         /* the configuration's */
	bool observes;                 /* a chosen check looks at what --observe prints */
	bool observe_fails;            /* its command did, the last time */
	uint64_t observe_said;         /* a hash of what it wrote to stderr last; 0: nothing yet */
	bool has_observed;             /* it has printed something that was read; */
	size_t observed;               /* bytes of the last of that */
	struct owned_texts failed_ids; /* --failed: of the checks */
	bool is_failed_known;          /* what failed now is kept for it */
	bool is_screen;                /* what it came to goes to one screen */
	struct echoes secrets;         /* of what is sent and of COMMAND, from when the way is known */
	struct progress progress;
	const struct probe_check *progress_at; /* where it was displayed last, and since when it has been there */
	int64_t progress_since_ns;
	bool has_left_deliver; /* what the rest takes was said, where it is long */
	struct probe_report text;
	struct report_files reports;
	const struct cause *causes; /* the summary's, once the run is over */
	size_t cause_count;
	struct probe_block *blocks; /* owned: once the causes are known */
	size_t block_count;
};

/* What runs the checks of these ids (empty: all), which are written for a shell, again: "credhook test IDS --to WHERE",
 * at the level, with the options that were given, --observe where they read it, and COMMAND; a placeholder stands for a
 * secret. */
void probe_append_again(struct buffer *out, const struct probe_command *run, const char *ids, enum probe_depth level,
                        bool observes);
/* The same of one check. */
void probe_append_retry(struct buffer *out, const struct probe_command *run, const struct probe_check *check);
/* "500: WORDS", but for words that repeat the status. */
void probe_append_response(struct buffer *out, int status, const char *words);
/* "a check takes 303 ms; the rest about 1m44s, with --level quick about 20 s": after the first group it is known what a
 * request takes, and so what the checks that are left take. Nothing, where that is not long. */
void probe_append_slowness(struct buffer *out, const struct probe_command *run);
/* "expected 2xx, got 500: REASON", with this reason. */
void probe_append_outcome(struct buffer *out, const struct probe_check *check, const char *reason);

/* "the listener failed: its log at 12:01:02 says why". */
void probe_append_log_time(struct buffer *out, const struct probe_check *check);
/* What to do about it; empty: nothing. Where the listener failed, its log comes first. */
void probe_append_fix(struct buffer *out, const struct probe_command *run, const struct probe_check *check);

/* In probe_block.c. */

#define PROBE_BLOCK_NAMES 3 /* of checks, where more are counted */
/* What is said once: checks that have a cause in common, or of a group those that alone came to the same. */
struct probe_block {
	size_t cause;      /* from 1; 0: none */
	const char *group; /* NULL: of a cause */
	enum grade grade;  /* the worst of the checks; what was skipped is a note */
	const struct probe_check **checks;
	size_t count;      /* 1 at least */
	struct buffer key; /* of a group's: what the reasons have in common */
	bool varies;       /* they differ in the rest */
};
/* Makes the blocks of the run: of causes, worst first, then of each group. Without memory the text fails. */
void probe_blocks_make(struct probe_command *run);
void probe_blocks_release(struct probe_command *run);
/* Those of the group. */
const struct probe_block *probe_blocks_of(const struct probe_command *run, const char *group, size_t *count);
/* The first of the checks that are as bad as the block. */
const struct probe_check *probe_block_first(const struct probe_block *block);
/* Counts the musts that failed. */
size_t probe_block_musts(const struct probe_block *block);
/* Whether the listener ended over each of them. */
bool probe_block_has_ended_it(const struct probe_block *block);
/* Appends the names within their group, "again, later": some of them, or all. */
void probe_block_append_names(struct buffer *out, const struct probe_block *block, bool all);
/* Appends "deliver authentication-failed, user-created and 5 more; value 3": names within the first group, counts of
 * the others; or all names. */
void probe_block_append_groups(struct buffer *out, const struct probe_block *block, bool all);
/* Whether the same is to be done about all of them. */
bool probe_block_has_one_fix(const struct probe_block *block);
/* What to do about it. */
void probe_block_append_fix(struct buffer *out, const struct probe_command *run, const struct probe_block *block);
/* Whether the same is to be done about both. */
bool probe_has_same_fix(const struct probe_check *a, const struct probe_check *b);
/* " and 5 more", where `named` of `count` are. */
void probe_append_more(struct buffer *names, size_t count, size_t named);

/* In probe_heading.c. */

/* Appends "bureau-alert is lost", "user-created with zip=ZIP+4 is lost", "7 notifications are lost", what ends the
 * listener, or what was sent. */
void probe_block_append_loss(struct buffer *out, const struct probe_block *block);
/* Appends what came, as far as the first line has it: the status, or why there was none. Returns whether that is all of
 * it. */
bool probe_block_append_came(struct buffer *out, const struct probe_command *run, const struct probe_block *block);
/* Appends "deliver/bureau-alert", "9 checks, effect/distinct", "deliver 7, value 3". */
void probe_block_append_where(struct buffer *out, const struct probe_block *block);
/* Whether the response is why the check failed: its status alone may be right. */
bool probe_is_of_status(const struct probe_check *check, int status);

/* In probe_report.c. */

/* Columns of the text for people. */
int probe_report_width(const struct probe_command *run);
/* In probe_screen.c. */

/* What is around the blocks. Zero-initialise; the caller releases it. */
struct probe_screen {
	enum grade grade;
	struct buffer verdict; /* safe to print */
	struct buffer lines; /* below them, each broken at the width; the last rows are kept where they are too many */
	struct buffer next;  /* below these, the line to type: whole, since it is copied */
	size_t rows_behind;  /* of what is printed after all of it */
};
/* Whether stdout is a terminal that is large enough, and not all is asked for. */
bool probe_screen_fits(const struct terminal *t);
/* A note, on a screen in one row, of which the middle of a long one is cut: safe to print. */
void probe_screen_say(const struct probe_command *run, const char *text);
/* Appends what fits on a terminal of that many rows, on which lines stand already. */
void probe_screen_append(struct buffer *out, struct probe_command *run, const struct probe_screen *frame, size_t rows);
/* In probe_frame.c: fills it. */
void probe_frame_make(struct probe_screen *frame, const struct probe_command *run, const struct probe_summary *summary,
                      int64_t ns);

/* Prints what the report has come to so far. */
void probe_report_print(struct probe_command *run);
/* The failures that have a cause in common. */
void probe_report_causes(struct probe_command *run);
/* What is said of the cause of that number: of one of its checks, or of several. */
void probe_append_cause(struct buffer *out, const struct probe_command *run, size_t number, bool several);
/* What to do about it; of one whose cause was not found nothing. */
void probe_append_cause_fix(struct buffer *out, const struct probe_command *run, size_t number);
/* The checks of the group, which have ended. */
void probe_report_group(struct probe_command *run, const char *group);
/* What the run came to, in text, JSON, and on the page of --report, with the --level and the time that it took. Returns
 * the exit code; where nothing was graded, -1 and why. */
int probe_report_end(struct probe_command *run, const struct probe_summary *summary, const char *level, int64_t ns,
                     struct error *err);

/* Appends what is said before it, and the line to type that plays the checks of these ids again. */
void probe_append_repeat_of(struct buffer *out, const struct probe_command *run, const char *before, const char *ids,
                            enum probe_depth level, bool observes);
/* The same of what failed, or where musts did of these alone, and says so; nothing, where nothing did. */
void probe_append_repeat(struct buffer *out, const struct probe_command *run);
/* Whether all that was chosen was played, and what it has shown is known. */
static inline bool probe_is_whole(const struct probe_summary *s)
{
	return s->stop == PROBE_THROUGH && !s->uncounted && !s->untested;
}
/* Whether the listener is why the run ended early. */
static inline bool probe_is_stopped(const struct probe_summary *s)
{
	return s->stop == PROBE_GONE || s->stop == PROBE_NOT_READY;
}
/* Whichever of the words fits the musts that failed: something is lost over each of them, or over some, while what
 * comes over the others is kept twice, or it is over all. NULL: neither is known of any. */
const char *probe_harm_words(const struct probe_plan *plan, const char *lost, const char *either, const char *twice);

/* Appends which events were refused, and what may be set so that they are not; where more than one may, PATH stands for
 * those that are listed behind. The summary has some. */
void probe_append_refused(struct buffer *out, const struct probe_summary *summary);
/* Appends the line that says where a run was stopped, and why. */
void probe_append_stopped(struct buffer *out, const struct probe_summary *summary);

/* A struct probe_observer's: a line of JSON, and a case of the reports. */
void probe_check_ended(void *context, const struct probe_check *check);
int probe_list(const struct probe_command *run);

/* Adds to the secrets of the run what is masked in the words of COMMAND and of --observe, since these may print them.
 */
void probe_add_commands(struct probe_command *run);
/* Starts COMMAND, if there is one, and waits until it listens. EXIT_CODE_USAGE: something listens already;
 * EXIT_CODE_UNDELIVERED: it ended, or does not listen, and its last lines were printed. */
int probe_start_listener(struct probe_command *run, struct error *err);
/* After a first signal: says that COMMAND is still to end, where it runs. */
void probe_announce_end(struct probe_command *run);
/* Prints the last `most` lines of what a command printed (probe/play/printed.h), behind the prefix. */
void probe_print_lines(const struct probe_command *run, const char *prefix, const struct buffer *text, size_t most);
/* What it printed while the check ran: lines behind `indent` columns, within `width`; all of them, or the first and the
 * last ones of those that do not begin with a blank, as the frames of a stack do. */
void probe_append_log(struct buffer *out, const struct probe_check *check, bool all, int indent, int width);
/* Appends the one line of it that says most, behind the prefix. False: it printed nothing. */
bool probe_append_log_line(struct buffer *out, const struct probe_check *check, int width);

/* Adds the ids of what failed when it was played last at the destination to failed_ids, and sets *level to that of
 * those runs. EXIT_CODE_USAGE: no such run is known. */
int probe_failed_read(struct probe_command *run, int *level, struct error *err);
/* Keeps what has failed; nothing where that is nothing, of a run that is not whole: what was not played may fail, too.
 * False: it is not kept, or there is nowhere to keep it. */
bool probe_failed_write(const struct probe_command *run, bool is_whole);

/* A struct probe_store's: what --observe prints. */
int probe_observe(void *context, struct buffer *text, struct error *err);

#endif
