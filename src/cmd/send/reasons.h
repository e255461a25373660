/* Why deliveries were not accepted: each distinct reason once, with how many there were and which was the first. */
#ifndef CREDHOOK_CMD_SEND_REASONS_H
#define CREDHOOK_CMD_SEND_REASONS_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "deliver/job.h"

#define REASONS_MAX 12

struct delivery_reason {
	uint64_t key; /* a hash of what it says, without numbers and identifiers */
	uint64_t count;
	bool unsent;
	struct buffer status; /* "500", "200, expected 422", "---" */
	struct buffer first;  /* the first delivery: its event, and its place where it came from a file */
	struct buffer words;  /* lines: the message, the head and tail of the response */
	struct buffer hint;
};

/* Zero-initialise. Those beyond REASONS_MAX are only counted. */
struct delivery_reasons {
	struct delivery_reason items[REASONS_MAX];
	size_t count;
	uint64_t others;
};

void delivery_reasons_release(struct delivery_reasons *reasons);
/* Whether its reason is a new one. */
bool delivery_reasons_add(struct delivery_reasons *reasons, const struct delivery_plan *plan, const struct job *job);
/* On stderr: the reasons, unless the line of the only one said it all; then the hints. */
void delivery_reasons_print(const struct delivery_reasons *reasons, struct terminal *terminal);

/* A note on stderr, on a terminal broken between words. The text is safe to print. */
void delivery_note(struct terminal *terminal, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "200"; "---" where no whole response came. */
void delivery_append_status(struct buffer *out, const struct job *job);
/* "expected 422", "recorded 200"; nothing where no status in particular was expected. */
void delivery_append_expected(struct buffer *out, const struct delivery_plan *plan, const struct job *job);
/* Lines: the head and the tail of a response that was not accepted, or is an error's. */
void delivery_append_response(struct buffer *out, const struct job *job);
/* "connection refused: nothing listens at 127.0.0.1:3000"; nothing where a response came in time. */
void delivery_append_message(struct buffer *out, const struct delivery_plan *plan, const struct job *job);

#endif
