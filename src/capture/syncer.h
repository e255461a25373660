/*
 * A thread that syncs a capture file, so that whoever writes it can go on reading meanwhile.
 *
 * One sync at a time: start(), then the descriptor becomes readable, then take(). The thread does nothing else, and
 * touches nothing of the writer but what capture_writer_sync() reads.
 */
#ifndef CREDHOOK_CAPTURE_SYNCER_H
#define CREDHOOK_CAPTURE_SYNCER_H

#include "base/error.h"
#include "capture/writer.h"

struct capture_syncer;

/* Starts the thread, which inherits the caller's signal mask. */
struct capture_syncer *capture_syncer_new(struct error *err);
/* Waits for the sync under way, and ends the thread. NULL is allowed. */
void capture_syncer_free(struct capture_syncer *syncer);

/* Readable once the sync that was started has ended. */
int capture_syncer_fd(const struct capture_syncer *syncer);
/* After capture_writer_begin(): the writer must stay until take(). */
void capture_syncer_start(struct capture_syncer *syncer, const struct capture_writer *writer);
/* What capture_writer_sync() returned, for capture_writer_finish(); waits for it where it has not ended. Once for each
 * start(). */
int capture_syncer_take(struct capture_syncer *syncer);

#endif
