/* convert --redact: records without the people in them, each with the proof that none of its values is left. */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_REDACT_H
#define CREDHOOK_CMD_SHOW_CONVERT_REDACT_H

#include "base/text.h"
#include "capture/format.h"
#include "capture/inputs.h"
#include "redact/redact.h"
#include "ui/terminal.h"

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

#endif
