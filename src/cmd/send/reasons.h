/* Why deliveries were not accepted: of one in words, and of a run each distinct reason once. */
#ifndef CREDHOOK_CMD_SEND_REASONS_H
#define CREDHOOK_CMD_SEND_REASONS_H

#include "base/buffer.h"
#include "cmd/send/run.h"
#include "cmd/send/send_causes.h"
#include "deliver/job.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REASONS_MAX 1000 /* that are told apart, and stand in a page */

struct send_reason {
	uint64_t key; /* a hash of what it says, without numbers and identifiers */
	uint64_t count;
	uint64_t number;       /* of the first delivery (send_causes.h) */
	uint64_t without_line; /* of them, those that are not on the screen */
	bool unsent;
	struct buffer status; /* "500", "200, expected 422", "---" */
	struct buffer first;  /* the first delivery: its event, and its place where it came from a file */
	struct buffer words;  /* lines: the message, the head and tail of the response */
	struct buffer hint;
};

/* Zero-initialise. Those beyond REASONS_MAX are only counted. */
struct send_reasons {
	struct send_reason items[REASONS_MAX];
	size_t count;
	size_t last; /* the place of the one that was added last, from 1; 0: it is not told apart */
	uint64_t others;
};

void send_reasons_release(struct send_reasons *reasons);
/* `number`: as in send_causes.h. `has_line`: the delivery stands on the screen, or is not to. */
void send_reasons_add(struct send_reasons *reasons, const struct send_run *run, const struct job *job, uint64_t number,
                      bool has_line);
/* On stdout: what kept deliveries without a line from being sent. */
void send_reasons_print_unsent(const struct send_reasons *reasons, struct terminal *terminal);
/* On stderr: the reasons, unless the line of the only one said it all, with their causes; then the hints. */
void send_reasons_print(const struct send_reasons *reasons, const struct send_causes *causes,
                        struct terminal *terminal);

/* "200"; "---" where no whole response came. */
void send_append_status(struct buffer *out, const struct job *job);
/* "expected 422", "recorded 200"; nothing where no status in particular was expected. */
void send_append_expected(struct buffer *out, const struct send_run *run, const struct job *job);
/* Lines: the head and the tail of a response that was not accepted, or is an error's. */
void send_append_response(struct buffer *out, const struct job *job);
/* "connection refused: nothing listens at 127.0.0.1:3000"; nothing where a response came in time. */
void send_append_message(struct buffer *out, const struct send_run *run, const struct job *job);

#endif
