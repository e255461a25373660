/*
 * A thread that syncs a capture file, so that the thread that writes it does not wait for the disk.
 *
 * One sync at a time: start(), then the descriptor becomes readable, then take(). Of the writer the thread uses only
 * what capture_writer_sync() reads.
 */
#ifndef CREDHOOK_CAPTURE_SYNCER_H
#define CREDHOOK_CAPTURE_SYNCER_H

#include "base/error.h"
#include "capture/writer.h"

struct capture_syncer;

/* Starts the thread, which inherits the caller's signal mask. */
struct capture_syncer *capture_syncer_new(struct error *err);
/* Waits for a running sync, and ends the thread. NULL is allowed. */
void capture_syncer_free(struct capture_syncer *syncer);

/* Readable once the sync has ended. */
int capture_syncer_fd(const struct capture_syncer *syncer);
/* After capture_writer_begin(). The writer must stay until take(). */
void capture_syncer_start(struct capture_syncer *syncer, const struct capture_writer *writer);
/* The result of capture_writer_sync(), for capture_writer_finish(). Waits for the sync if necessary. Once per start().
 */
int capture_syncer_take(struct capture_syncer *syncer);

#endif
