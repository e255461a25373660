/* show and convert: notifications of captures in a list, in full, compared, and in other forms. */
#ifndef CREDHOOK_CMD_SHOW_SHOW_H
#define CREDHOOK_CMD_SHOW_SHOW_H

#include "base/text.h"
#include "capture/format.h"
#include "capture/inputs.h"
#include "capture/record.h"
#include "capture/replace.h"
#include "cmd/args/selection.h"
#include "cmd/cmd.h"
#include "cmd/list/arrival.h"
#include "cmd/list/listing.h"
#include "payload/check.h"
#include "receive/notification.h"
#include "redact/redact.h"
#include "report/report_format.h"
#include "ui/terminal.h"

/* show_diff.c: show --diff: two notifications value by value. */

/* Prints what differs between the two that are selected, a line each. EXIT_CODE_USAGE: these are not two.
 * EXIT_CODE_FAILED: one of them is not JSON. */
int diff_selected(struct listing *listing, struct error *err);

/* show_distinct.c: show --distinct: each line says how many there are like it, which is known only at the end of the
 * inputs: of its shape, or with the value of a code that it was taken for, which it names then. */

/* Reads all that are chosen, and then appends and prints the line of each. What listing_next() said at the end. */
enum selection_answer show_distinct(struct listing *listing, struct error *err);

/* convert_redact.c: convert --redact: records without the people in them, each with the proof that none of its values
 * is left. */

/* Zero-initialise, and set the format. */
struct convert_redaction {
	const struct format *format; /* in which the records are written, which the proof looks at */
	struct redactor *redactor;   /* NULL: nothing is redacted */
	bool has_random_key;
	uint64_t redacted;   /* records */
	uint64_t already;    /* were redacted before, and pass unchanged; the caller counts */
	uint64_t withheld;   /* bodies that are not JSON or not UTF-8; of `redacted` */
	uint64_t unproven;   /* records left out, since a value of them may be left */
	unsigned place;      /* where it may be in the last of these; REDACT_PLACES: that cannot be said */
	struct buffer forms; /* of the record at hand: what the proof looks at */
	struct text form;    /* of these, how the record is written */
	char stamp[REDACT_STAMP_SIZE];
};

/* `keep` has the paths of --keep; key_file NULL: a random key. -1: *err, as redaction_key_read(), redactor_keep(). */
int convert_redaction_begin(struct convert_redaction *r, const struct text_list *keep, const char *key_file,
                            const struct signals *signals, struct error *err);
void convert_redaction_release(struct convert_redaction *r);

/* Makes *redacted of the record, which has no people in it, and proves it: 1: that record, and r->form, which is how it
 * is written after *written, hold none of the values; both are valid until the next call, and it is counted as written.
 * 0: one may be left, and *written is as it was. -1: out of memory. */
int convert_redact(struct convert_redaction *r, const struct capture_record *record, struct capture_record *redacted,
                   struct format_written *written, struct error *err);
/* Says why the last one was left out, and where it stood; of the first ones. */
void convert_redact_warn(const struct convert_redaction *r, const struct capture_item *item, const char *path,
                         struct terminal *terminal);

/* Says what was redacted, and what was proven of it. */
void convert_redaction_report(const struct convert_redaction *r, struct terminal *terminal);

/*
 * convert_files.c: convert -o DIR/: the bodies as payload files, byte for byte.
 *
 * With --distinct a file is named by the shape of what is in it (payload/shape.h) and the values of its codes, whatever
 * else there is. What files of such names in the folder have is no longer new: of a further notification a file is
 * written only if its shape, or the value of one of its codes, is in none of them. So what is known stays as it is,
 * in whatever order it comes. Otherwise files are numbered for each event, bureau-alert-1.json, and what is there is
 * replaced by the rule of -o (capture/replace.h).
 */

#define CONVERT_FILES_MOST 10000 /* that are numbered */

struct convert_files;

bool convert_files_is_folder(const char *path);
/* `folder` is made by the first file; with `distinct`, what it has is read with the checker. `output` has the rule of
 * -o, but no path. All but `checker`, which is used only here, is borrowed. NULL: *err. */
struct convert_files *convert_files_new(const char *folder, bool distinct, const struct output_file *output,
                                        struct checker *checker, struct error *err);
void convert_files_free(struct convert_files *files); /* NULL is allowed */

/* Writes the body, which was checked, unless it is known. EXIT_CODE_USAGE: a file is there that is not replaced, or
 * there are too many. */
int convert_files_add(struct convert_files *files, struct text body, const struct verdict *verdict, struct error *err);
/* How many files were written, without those that were there. */
uint64_t convert_files_count(const struct convert_files *files);
/* Says how many were written, and how many were there, as a note. */
void convert_files_note(const struct convert_files *files, struct terminal *terminal);

/* convert_page.c: the page of convert --format html: the notifications of a capture. */

/* All records are counted, and its cases are the first that are invalid or got a status that is not 2xx, and the first
 * and the last of the others. */
#define CONVERT_PAGE_BAD  2000
#define CONVERT_PAGE_WELL 100

/* Zero-initialise but for the repeats. */
struct convert_page {
	struct page page;
	struct repeats *repeats; /* for free() */
	uint64_t number;         /* of the record to be added, as `show` counts, */
	struct repeat repeat;    /* and whether it came before */
	uint64_t bad, well;
	struct arrival_counts counts;
	struct buffer last[CONVERT_PAGE_WELL]; /* cases of those that went well */
	size_t written;                        /* bytes */
};

/* Appends a notification, checked again. */
int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err);
/* NULL: they are redacted, and a file's name may be that of a person. */
void convert_page_set_inputs(struct convert_page *page, const struct text_list *inputs);
/* It has a part of the `read` records. `given`: the options that chose; NULL: their values may be of people, whom the
 * page does not have. */
void convert_page_set_part(struct convert_page *page, const char *given, const struct selection *selection,
                           uint64_t read);
/* `why`: lines that say why some failed. */
void convert_page_end(struct convert_page *page, const struct buffer *why, struct buffer *out);
void convert_page_free(struct convert_page *page); /* NULL is allowed */

#endif
