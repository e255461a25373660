/* The notifications of a session: what its shell has opened, and what its listeners got. */
#ifndef CREDHOOK_CMD_LIST_SESSION_LIST_H
#define CREDHOOK_CMD_LIST_SESSION_LIST_H

#include "base/error.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/list/spool.h"

#include <stdint.h>

struct session_list {
	struct spool *spool; /* of what it has opened, and of what arrived */
	uint64_t tail;       /* for people only the last ones are listed, this many; 0: all */
};
/* Copies the notifications of the captures into the list, and says so. Returns an exit code: there may be bad records
 * among them, or a signal came, or there was no room for all; what was copied stays. -1: nothing was. */
int session_list_open(struct session_list *list, struct context *context, const struct text_list *captures,
                      struct error *err);

/* When the last one was received; 0: it is not known, or there is none. */
int64_t session_list_last_us(const struct session_list *list);

#endif
