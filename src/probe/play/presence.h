/* Whether the listener is there, what it prints, and what it got last. */
#ifndef CREDHOOK_PROBE_PLAY_PRESENCE_H
#define CREDHOOK_PROBE_PLAY_PRESENCE_H

#include "probe/play/probe_check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct player;
struct probe_sent;

/* A check begins: what the listener prints from here on is about it. */
void presence_note_log(struct player *p);
/* Keeps what the listener has printed since then, where its process is ours. */
void presence_keep_log(struct player *p, struct probe_check *check);
/* The position in what it prints, and what it has printed since then; 0 and nothing, where its process is not ours. */
uint64_t presence_log_position(const struct player *p);
void presence_read_log(const struct player *p, uint64_t from, struct buffer *log);

/* Notes whether the listener is there. Ends the run where nobody listens: nothing that is sent next would fare better.
 */
void presence_note(struct player *p, const struct probe_sent *sent);
/* Whether it may have ended: that is to be looked at before more is sent. */
bool presence_is_doubtful(const struct player *p);
/* Waits until it accepts a connection, for 5 s at most. False: it does not, or its process has ended. */
bool presence_wait(struct player *p);
/* Whether nothing listens any more. */
bool presence_has_ended(const struct player *p);
/* Ends the run, since nothing listens. */
void presence_end_gone(struct player *p);
/* Fails the check whose request ended the listener, even one that is only noted or got a response; `how` it ended may
 * be empty. What it ended by is not known yet. */
void presence_blame(struct probe_check *check, int64_t at_ns, const char *how);

#endif
