/*
 * Redaction for the commands: --redact and --redact-key, and capture records in their redacted form.
 *
 * A record goes in, its redacted form comes out, proven to hold none of its original values. Counts and the words of
 * the summary are here too. One redaction per thread.
 */
#ifndef CREDHOOK_CMD_REDACTION_H
#define CREDHOOK_CMD_REDACTION_H

#include "capture/format_write.h"
#include "capture/record.h"
#include "redact/redact.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stdint.h>

struct terminal;

/* What the options say. Zero-initialise. */
struct redaction_args {
	bool given;           /* --redact */
	const char *policy;   /* its file; NULL: none */
	const char *key_file; /* --redact-key; NULL: a random key */
};

/* The rows of --redact and --redact-key, of a struct redaction_args at this offset. */
#define REDACTION_OPTIONS(at)                                                                                          \
	{ 0,                                                                                                           \
	  "redact",                                                                                                    \
	  "POLICY",                                                                                                    \
	  "replace personal data, and prove that none is left",                                                        \
	  OPTION_CALL,                                                                                                 \
	  COMPLETE_FILE,                                                                                               \
	  .offset = (at),                                                                                              \
	  .parse = redaction_parse,                                                                                    \
	  .argument_optional = true },                                                                                 \
	{                                                                                                              \
		0, "redact-key", "FILE", "key of --redact (default: random)", OPTION_TEXT, COMPLETE_FILE,              \
		        .offset = (at) + offsetof(struct redaction_args, key_file)                                     \
	}

/* The parser of --redact[=POLICY], whose field is a struct redaction_args. */
int redaction_parse(void *field, const char *value, struct error *err);
/* A usage error: --redact-key without --redact. */
int redaction_args_check(const struct redaction_args *args, struct error *err);

struct redaction_counts {
	uint64_t records;  /* redacted */
	uint64_t already;  /* were redacted before, and passed unchanged */
	uint64_t withheld; /* bodies that are not JSON or not UTF-8; of `records` */
	uint64_t unproven; /* records whose request is not in them, since a value of it would be left; of `records` */
};

struct redaction;

/* Reads the policy and the key. `kept_path` (NULL: none) is a path whose segments are kept. EXIT_CODE_USAGE: a mistake
 * in the policy; a key file that others can read, or of less than 16 bytes. EXIT_CODE_IO: a file cannot be read. */
struct redaction *redaction_open(const struct redaction_args *args, const char *kept_path, struct error *err);
void redaction_close(struct redaction *redaction); /* NULL is allowed */

/* Makes the redacted form of a record, borrowed until the next call (one that was redacted before is that record).
 * Returns 0; 1 with *err (EXIT_CODE_FAILED) that names the place if an original value would be left: *redacted is then
 * the record without its request; -1: out of memory. `redaction` is a struct redaction. */
int redaction_record(void *redaction, const struct capture_record *record, struct capture_record *redacted,
                     struct error *err);

/* Whether a record was redacted before; such a one is counted, and passes unchanged. */
bool redaction_passes(struct redaction *redaction, const struct capture_record *record);
/* Appends the redacted form of a record in this format. The proof sees what is appended, and the record, in which texts
 * are least encoded. Returns as redaction_record(); nothing is appended unless it is 0. */
int redaction_write(struct redaction *redaction, const struct capture_record *record, const struct format *format,
                    struct format_written *written, struct buffer *out, struct error *err);

const struct redaction_counts *redaction_counts(const struct redaction *redaction);
/* What a preview shows: how many values were kept and replaced, by place (redact_append_place()), and how often each
 * rule of the policy applied (redact_rule_name()). */
const struct redact_counts *redaction_value_counts(const struct redaction *redaction);
const struct redact_policy *redaction_policy(const struct redaction *redaction);
/* That as a table of this width, or as JSON: a line per place and rule, and a summary. */
void redaction_append_table(const struct redaction *redaction, struct buffer *out, int width, bool color);
void redaction_append_json(const struct redaction *redaction, struct buffer *out);
/* Where the key is random, a note that these fakes match no other file. */
void redaction_note_key(const struct redaction *redaction, struct terminal *terminal);
/* "verified: 1,338 original values, none found in the output", and what could not be checked or was withheld. */
void redaction_print_summary(const struct redaction *redaction, struct terminal *terminal);

#endif
