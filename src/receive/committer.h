/*
 * Records to disk, and only then responses: group commit.
 *
 * Whatever waits for its record is an entry in a queue. An entry is complete when its record is on disk, or never will
 * be; without a capture, at the end of the turn. While a thread syncs one batch, the loop goes on and the next one
 * fills; where no thread can be started the loop itself syncs. Knows records, and nothing of HTTP.
 */
#ifndef CREDHOOK_RECEIVE_COMMITTER_H
#define CREDHOOK_RECEIVE_COMMITTER_H

#include "base/error.h"
#include "base/loop.h"
#include "receive/notification.h"
#include "receive/receiver.h"

#include <stdbool.h>
#include <stdint.h>

/* Part of what waits, which stays in place until it is complete. */
struct commit_entry {
	struct commit_entry *next;
	uint64_t seq; /* of its record, set by committer_enqueue(); 0: it could not be added */
};

/* Called in the order of committer_enqueue(). status: 0: the record is on disk; else it is not, nothing is accepted any
 * more, and this is the HTTP status that says so. */
typedef void commit_complete(void *context, struct commit_entry *entry, int status);

struct committer;

/* `path` NULL: nothing is written. All is borrowed. */
struct committer *committer_new(struct loop *loop, const char *path, const struct receive_observer *observer,
                                commit_complete *complete, void *context, struct error *err);
/* What was not completed by committer_close() is dropped. NULL is allowed. */
void committer_free(struct committer *committer);

bool committer_writes(const struct committer *committer); /* there is a capture, and it has not failed */
bool committer_failed(const struct committer *committer);
uint64_t committer_lost_records(const struct committer *committer);

/* Adds the record, whose number is then the entry's, and lets the entry wait. Where nothing is written, the record may
 * be NULL, and the entry keeps its number. */
void committer_enqueue(struct committer *committer, struct commit_entry *entry, const struct capture_record *record);
/* To be called at the end of each turn of the loop: begins what can be begun, completes what may be completed. */
void committer_turn(struct committer *committer);
/* The capture is to be opened again by its name. */
void committer_reopen(struct committer *committer);
/* At the very end: brings what was added to disk, completes all, and closes the file. */
void committer_close(struct committer *committer);

#endif
