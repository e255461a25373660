/* Records written in another tool's format. */
#ifndef CREDHOOK_CAPTURE_FORMAT_WRITE_H
#define CREDHOOK_CAPTURE_FORMAT_WRITE_H

#include "base/buffer.h"
#include "capture/format.h"
#include "capture/record.h"

/* What a format may have no place for. */
enum format_loss {
	FORMAT_LOSS_SENDER,
	FORMAT_LOSS_FAULT,
	FORMAT_LOSS_HEADER, /* one that the format cannot hold */
	FORMAT_LOSSES,
};

/* What was written, and what of it was lost. Zero-initialise. */
struct format_written {
	uint64_t records;
	uint64_t losses[FORMAT_LOSSES];
	uint64_t undated;  /* records without a time, in a format that needs one */
	uint64_t left_out; /* records that the format cannot hold ... */
	uint64_t not_utf8; /* ... of which the body is not UTF-8 ... */
	const char *why;   /* ... and what is wrong with the first of the others; a constant */
};

struct format_writer {
	const char *begin, *separator, *end; /* around all records, and between two */
	/* Appends the record and counts losses that `keeps_no` does not name. NULL, or why the format cannot hold it: a
	 * constant, with nothing appended. */
	const char *(*append)(const struct capture_record *record, struct format_written *written, struct buffer *out);
	unsigned keeps_no; /* bits 1 << enum format_loss: nothing of these is kept */
	bool needs_time;
};

void format_write_begin(const struct format *format, struct buffer *out);
/* Appends one record, or counts that it cannot be held. */
void format_write(const struct format *format, const struct capture_record *record, struct format_written *written,
                  struct buffer *out);
void format_write_end(const struct format *format, struct buffer *out);

/* Appends "vegeta keeps no time; 3 headers left out", or nothing. */
void format_append_losses(const struct format *format, const struct format_written *written, struct buffer *out);

/* For writers. */
bool format_is_utf8(struct text text);

#endif
