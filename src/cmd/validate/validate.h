/* validate: payloads of files checked, in text, as JSON or in reports. */
#ifndef CREDHOOK_CMD_VALIDATE_VALIDATE_H
#define CREDHOOK_CMD_VALIDATE_VALIDATE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "base/worker_pool.h"
#include "capture/inputs.h"
#include "capture/source_files.h"
#include "catalog/catalog.h"
#include "cmd/args/report_files.h"
#include "cmd/cmd.h"
#include "payload/check.h"
#include "payload/finding.h"
#include "payload/ignore.h"
#include "payload/seen.h"
#include "ui/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* coverage.c: which events and elements the inputs hold, and which of them a run demands. */

#define COVERAGE_UNKNOWN 64 /* a test holds the number of kinds to it */

struct coverage {
	size_t counts[COVERAGE_UNKNOWN + 1][2]; /* by catalog_kind_index(), of invalid and valid ones */
	size_t compared[COVERAGE_UNKNOWN + 1];  /* of those, with the payloads of --against */
};

/* What --require asks for, a bit for each; an event with elements is covered by any of them where it is named without
 * one. */
struct requirement {
	uint64_t kinds;  /* by catalog_kind_index() */
	uint64_t events; /* by their place in the catalogue */
};

/* Reads EVENT,...|all into a struct requirement. */
int requirement_parse(void *requirement, const char *text, struct error *err);

void coverage_add(struct coverage *coverage, const struct verdict *verdict);

/* An event or element that is demanded, and whether a valid payload covers it. */
struct demanded {
	char name[CATALOG_KIND_NAME_SIZE];
	bool is_covered;
};
#define DEMANDED_MAX (2 * COVERAGE_UNKNOWN)
/* In the catalogue's order. Returns how many. */
size_t coverage_demanded(const struct coverage *coverage, const struct requirement *requirement,
                         struct demanded list[DEMANDED_MAX]);

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out);
/* "coverage":[{"event","valid_count","invalid_count"},...],"unidentified":{...} */
void coverage_append_members(const struct coverage *coverage, struct buffer *out);
/* "; no valid payload covers bureau-alert", of those required, or of all where none is; nothing: all are covered, or
 * where none is required nothing is. */
void coverage_append_uncovered(const struct coverage *coverage, const struct requirement *requirement,
                               struct buffer *out);
/* An object of these and "missing":[...], and a newline. */
void coverage_append_json(const struct coverage *coverage, const struct requirement *requirement, struct buffer *out);

/* validate.c: what is asked for. */

struct validate_args {
	struct global_options global;
	bool lines;
	bool strict;
	bool expect_invalid;
	bool coverage;
	bool is_text; /* stdout is for people: there is no --json, and no report */
	struct catalog_kind event;
	struct ignored ignored;
	struct requirement requirement;
	struct report_requests reports;
	const char *against; /* NULL: nothing */
	struct seen *seen;   /* what is there; NULL: nothing, or not yet */
	bool collects;       /* this is the run that reads it */
};

/*
 * finding_groups.c: the same finding in many payloads is said once: findings are told apart by what they are and the
 * place.
 *
 * The first ones of a group are printed, the rest is counted and said at the end, with the names of their files. What
 * is kept does not grow with the inputs: groups beyond FINDING_GROUPS_MAX are one, and FINDING_GROUP_FILES are named.
 */

#define FINDING_GROUPS_MAX  1000 /* that are told apart */
#define FINDING_GROUP_SHOWN 3    /* findings of a group that are printed */
#define FINDING_GROUP_FILES 10   /* files of the others that are named */

struct finding_group {
	enum finding_id id;
	enum severity severity;
	uint64_t events;          /* of the payloads, by place in catalog_events; bit 63: unknown ones */
	struct catalog_kind kind; /* of the first; its element NULL where others have another one */
	char *place;              /* a JSON Pointer, owned, and its length */
	size_t length;
	uint64_t hash;
	uint64_t count;
	unsigned shown;        /* of them, printed */
	uint64_t values;       /* of them, warnings of unseen values of codes */
	unsigned values_shown; /* of those, printed */
	/* Files that have it, but none that was printed: the first of their names, borrowed from the list of inputs. */
	const char *files[FINDING_GROUP_FILES];
	uint64_t file_count;
	const char *last_file; /* in which it was found, by its address. NULL: none */
};

/* Zero-initialise. */
struct finding_groups {
	struct finding_group *items;
	size_t count, capacity;
	uint64_t others;                        /* findings that are in none of them */
	bool without_values;                    /* what is said of them leaves out unseen values of codes */
	uint16_t slots[4 * FINDING_GROUPS_MAX]; /* a hash table of their numbers, from 1 */
};

void finding_groups_release(struct finding_groups *groups);
void finding_groups_clear(struct finding_groups *groups);

/* The group of the same id and place, which is made, without counts, events and files, where there is none and there
 * are fewer than `most` (twice FINDING_GROUPS_MAX at most). NULL: there are as many; then the finding is one of the
 * others, for the caller to count. Also NULL, and *no_memory set: out of memory. Valid until the next call. */
struct finding_group *finding_groups_get(struct finding_groups *groups, const struct finding_group *like,
                                         struct text place, size_t most, bool *no_memory);
/* The group's place, for that. */
static inline struct text finding_group_place(const struct finding_group *group)
{
	return (struct text){ group->place, group->length };
}
/* The finding is in a payload of that kind (event NULL: unknown). */
void finding_group_add_kind(struct finding_group *group, struct catalog_kind kind);
/* It was found in that file, and printed or not. */
void finding_group_add_file(struct finding_group *group, const char *file, bool is_shown);
/* Adds the counts, events and files of `more` to those of FINDING_GROUPS_MAX groups. False: out of memory. */
bool finding_groups_add(struct finding_groups *groups, const struct finding_groups *more);

/* How many unseen values of codes there are, and in how many groups. */
uint64_t finding_groups_values(const struct finding_groups *groups, size_t *group_count);
/* Appends the places of these groups: "details.bureau, details.alertType". */
void finding_groups_append_values(const struct finding_groups *groups, struct buffer *out);

/* How many groups are of that level. */
size_t finding_groups_of(const struct finding_groups *groups, enum severity severity);

/* Appends the member "reasons": of each group how many there are, the most frequent first, what the table of
 * finding_groups_append() says of it, and by what a page finds its cases: their pointer and finding. */
void finding_groups_append_member(const struct finding_groups *groups, struct buffer *json);

/* Appends what is to be said behind the findings: for one group how many were not printed; for several, where there are
 * more than three findings, how many there are of each, the most frequent first. Below each, the files that have it and
 * were not printed. `all`: every finding was printed, and
 * every group is to be listed. Nothing where neither is the case. */
void finding_groups_append(const struct finding_groups *groups, bool all, int width, bool color, struct buffer *out);

/* batch.c: what is checked at a time, in any thread, and what came of it. */

/* After a longer document what checking it needed is given back. */
#define BATCH_LONG_DOCUMENT ((size_t)2 << 20)

struct tally {
	size_t payloads;
	size_t invalid;
	size_t failed; /* counted against the inputs: the invalid ones, or with --expect-invalid the valid ones */
	size_t by_finding[FINDING_ID_COUNT];
	size_t blank_lines;
	struct coverage coverage;
};

/* A finding in what is for people, which is printed unless its group has been often enough. */
struct batch_text {
	size_t end;    /* where its text ends in `out` */
	size_t group;  /* its place among the batch's; BATCH_NO_GROUP: it is always printed */
	bool is_value; /* a warning of the unseen value of a code */
};
#define BATCH_NO_GROUP SIZE_MAX

/* The payloads of one input in a row, or an input that could not be read. */
struct batch_part {
	const char *file; /* borrowed from the list of inputs */
	/* Where it begins in `out` and in `reports`. */
	size_t at, reports_at[REPORTS_MAX];
	size_t texts_at; /* its first one of the batch's */
	struct report_counts counts;
	struct error *problem; /* owned; NULL: payloads */
	bool is_foreign;       /* another tool's capture, which was read, and had these */
	struct entry_counts entries;
};

/*
 * What one worker checks at a time, and what came of it: some files, or a block of lines of a long one.
 *
 * A batch is filled, checked (perhaps in several goes, so that its output stays within bounds) and emptied. Nothing in
 * it is shared, so that only the pool has to lock.
 */
struct batch {
	/* What to check. */
	const struct source_file *files; /* file_count of them; NULL: the block */
	size_t file_count;
	const char *file;     /* the block's */
	struct source *block; /* NULL at first */
	size_t bytes;         /* of input, about */
	uint64_t consumed;    /* bytes of its files, as they are on disk */
	/* How far it was checked. */
	size_t file_at;
	struct capture_reader reader; /* of the file at file_at, while it is being read */
	bool finished;
	bool no_memory;
	bool is_stopped; /* by a signal, within a payload: it is finished, and what is behind it was not checked */
	/* What came of it since it was last emptied. */
	struct buffer out;
	struct buffer reports[REPORTS_MAX];
	struct batch_part *parts;
	size_t part_count, part_capacity;
	struct batch_text *texts; /* all that `out` consists of, where it is for people */
	size_t text_count, text_capacity;
	struct finding_groups groups;
	struct tally tally;
};

/* What a thread checks with. */
struct check_thread {
	const struct validate_args *args;
	const struct signals *signals; /* interrupt what it reads */
	bool color;
	int width;
	bool wraps;     /* lines are broken to fit a terminal */
	bool shows_all; /* findings, however many there are of a group */
	bool errors_only;
	size_t output_max; /* bytes: a go ends behind the payload that reaches it */
	struct checker *checker;
	struct capture_scratch scratch;
	struct seen *seen; /* where it collects: owned */
	int64_t began_ns;  /* when the payload at hand came; kept where there are reports */
	/* Here and not on the stack, where each payload would have them cleared. */
	struct capture_item item;
	struct error problem;
};

int check_thread_init(struct check_thread *thread, const struct validate_args *args, struct error *err);
void check_thread_release(struct check_thread *thread);

/* Checks on, until the batch is finished or its output is full. */
void batch_check(struct check_thread *thread, struct batch *batch);

/* Appends what is to be printed of a part that is for people: of each group no more than FINDING_GROUP_SHOWN, of which
 * `all` says how many there were before; unless `shows_all`. To *without the same, but for unseen values of codes;
 * NULL: not wanted. False: out of memory. */
bool batch_append_part(const struct batch *batch, size_t index, struct finding_groups *all, bool shows_all,
                       struct buffer *out, struct buffer *without);

/* Forgets what came of it. */
void batch_empty(struct batch *batch);
void batch_release(struct batch *batch);

/* run.c: the run over all inputs: batches are filled here, checked by the workers, and written out in input order. */

#define RUN_BATCHES_MAX (WORKER_POOL_THREADS_MAX + 2)

/* Zero-initialise; the first three are to be set. */
struct validate_run {
	struct context *context;
	const struct validate_args *args;
	struct source_files *files; /* borrowed */
	struct worker_pool *pool;
	struct check_thread
	        threads[WORKER_POOL_THREADS_MAX + 1]; /* one per worker, and for what a full batch has left */
	size_t thread_count;
	struct batch batches[RUN_BATCHES_MAX], *idle[RUN_BATCHES_MAX];
	size_t idle_count;
	size_t bytes_pending; /* of input in batches that are out */
	struct report_files reports;
	uint64_t whole; /* bytes of all files, where progress is shown; 0: not known */
	uint64_t over;  /* of them, checked and reported */
	struct progress progress;
	struct tally tally;
	/* Where codes are compared: what is for people, until it is known whether one of the codes is known; and the
	 * same without those that are not. */
	bool holds;
	struct buffer held, held_without;
	struct finding_groups groups; /* what is for people: of all that was listed */
	size_t file_at;
	size_t problems; /* inputs that could not be read */
	enum exit_code code;
	bool interrupted;
	bool is_cut; /* within a payload */
};

/* EXIT_CODE_USAGE: a report would replace one of the files. */
int validate_run_init(struct validate_run *run, struct error *err);
void validate_run_release(struct validate_run *run);
/* Checks them all. -1: no memory; what is wrong with an input is reported at once. */
int validate_run_files(struct validate_run *run, struct error *err);
/* At the end: prints what was held. Whether none of the codes is known, though there are many: then they were not
 * printed, and nothing says more of them. */
bool validate_run_codes_differ(struct validate_run *run);

/* against.c: the other side of --against: what its valid payloads have, and what of it no compared payload had. */

/* Zero-initialise. */
struct against {
	struct source_files files;
	struct seen *seen; /* NULL: not asked for */
};

/* Adds its files, before anything is read. EXIT_CODE_USAGE: they and the inputs are both standard input. */
int against_init(struct against *against, const struct context *context, const struct validate_args *args,
                 struct error *err);
void against_release(struct against *against);

/* Reads them as the run would, with as many threads, and says what of them is not compared. Returns 0; the exit code of
 * a run that ends here, EXIT_CODE_INTERRUPTED; -1: *err: not all of it could be read, or none of it is valid. */
int against_read(struct against *against, struct context *context, const struct validate_args *args, struct error *err);

/* Notes of the codes that were not compared, and of what no payload of the run had; with -v of all of it. */
void against_note(const struct against *against, struct terminal *terminal, const struct coverage *coverage);

/* The same of codes of which none is known: which they are, and what may be the reason. */
void against_note_codes(const char *name, struct terminal *terminal, const struct finding_groups *groups);

#endif
