/* What replay makes of a record: its body with --fresh-ids and edits. */
#ifndef CREDHOOK_CMD_SEND_OUTGOING_H
#define CREDHOOK_CMD_SEND_OUTGOING_H

#include "capture/record.h"
#include "cmd/delivery_plan.h"
#include "cmd/send/replay_options.h"
#include "redact/redact.h"

struct outgoing {
	const struct replay_args *args;   /* borrowed */
	const struct delivery_plan *plan; /* borrowed */
	struct redactor *fresh;           /* --fresh-ids; NULL: none */
	struct buffer body;
};

/* With --fresh-ids the plan has the seed that decides the identifiers. */
int outgoing_init(struct outgoing *outgoing, const struct replay_args *args, const struct delivery_plan *plan,
                  struct error *err);
void outgoing_release(struct outgoing *outgoing);

/* Appends the body to send. `event` as for edits_apply(). */
int outgoing_append_body(struct outgoing *outgoing, const struct capture_record *record,
                         const struct catalog_event *event, struct buffer *out, struct error *err);

#endif
