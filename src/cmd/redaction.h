/*
 * Redaction of capture records, for convert: a record goes in, its redacted form comes out, proven to hold none of its
 * original values. Counts and the words of the summary are here too. One redaction per thread.
 */
#ifndef CREDHOOK_CMD_REDACTION_H
#define CREDHOOK_CMD_REDACTION_H

#include "base/text.h"
#include "capture/format_write.h"
#include "capture/record.h"

#include <stdbool.h>
#include <stdint.h>

struct terminal;

/* What the options say. Zero-initialise. */
struct redaction_args {
	bool given;            /* --redact */
	struct text_list keep; /* --keep: paths */
	const char *key_file;  /* --redact-key; NULL: a random key */
};

struct redaction_counts {
	uint64_t records;  /* redacted */
	uint64_t already;  /* were redacted before, and passed unchanged */
	uint64_t withheld; /* bodies that are not JSON or not UTF-8; of `records` */
	uint64_t unproven; /* records left out, since a value of them would be left */
};

struct redaction;

/* Reads the key. The args are borrowed. EXIT_CODE_USAGE: --keep has not a path; a key file that others can read, or of
 * less than 16 bytes. EXIT_CODE_IO: it cannot be read. */
struct redaction *redaction_open(const struct redaction_args *args, const struct signals *signals, struct error *err);
void redaction_close(struct redaction *redaction); /* NULL is allowed */

/* Whether a record was redacted before; such a one is counted, and passes unchanged. */
bool redaction_passes(struct redaction *redaction, const struct capture_record *record);
/* Appends the redacted form of a record in this format. The proof sees what is appended, and the record, in which texts
 * are least encoded. Returns 0; 1 with *err (EXIT_CODE_FAILED) that names the place of an original value that would be
 * left: the record is counted as unproven, and nothing is appended; -1: out of memory. */
int redaction_write(struct redaction *redaction, const struct capture_record *record, const struct format *format,
                    struct format_written *written, struct buffer *out, struct error *err);

const struct redaction_counts *redaction_counts(const struct redaction *redaction);
/* "verified: 1,338 original values, none found in the output", and what could not be checked, was withheld or left
 * out. */
void redaction_print_summary(const struct redaction *redaction, struct terminal *terminal);

#endif
