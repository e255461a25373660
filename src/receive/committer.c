#include "receive/committer.h"

#include "base/clock.h"
#include "base/wake.h"
#include "base/worker_pool.h"
#include "capture/writer.h"

#include <stdlib.h>
#include <string.h>

/*
 * Whoever was just responded to mostly sends again at once, so the next sync waits a moment for them. For how many
 * depends on the disk:
 *
 * - Where a sync takes longer than taking requests in and responding to them does, all: two alternating halves would
 * each wait for the other's sync.
 * - Where it takes less, a third: while one part is synced the other is worked upon, and nobody waits.
 */
#define COMMIT_DELAY_PART 2 /* of the last sync's time, */
#define COMMIT_DELAY_MOST (2 * CLOCK_NS_PER_MS)

#define REOPEN_EVERY (CLOCK_NS_PER_S / 2) /* after a failure, until it works */

struct committer {
	const char *path;
	const struct receive_observer *observer;
	commit_complete *complete;
	void *context; /* of it */
	struct loop *loop;

	struct capture_writer *writer; /* NULL: no capture */
	bool reopen;                   /* by its name, is due: on requirement, or after a failure */
	bool reopen_failed;            /* the last time */
	struct loop_timer retry;       /* sets `reopen` after that */
	uint64_t lost_records;         /* in a capture that was deleted or replaced; reported already */
	bool failed;                   /* reported already: no more writing */

	/* A thread that syncs, so that the one that writes does not wait for the disk: one sync at a time, whose end
	 * wakes `synced`. NULL: no capture. */
	struct worker_pool *syncer;
	struct wake synced;
	struct loop_io synced_io;
	int sync_errno; /* of the last sync */
	bool syncing;
	int64_t sync_began;
	size_t unsynced; /* records that no sync has begun for */
	struct commit_entry *first;
	struct commit_entry **last; /* the link that the next one gets */
	size_t waiting;

	struct loop_timer commit_delay; /* brings a turn, at whose end committer_turn() follows */
	int64_t delay_until;            /* the next sync begins then, if not `wanted` records came before */
	size_t wanted;
	bool sync_is_short; /* takes less than the work on what it holds */
};

/* In the thread of the syncer. */
static void sync_capture(void *context, size_t worker, void *job)
{
	struct committer *c = context;
	(void)worker;
	(void)job;
	c->sync_errno = capture_writer_sync(c->writer);
	wake_up(&c->synced);
}

/* The result of the sync that was begun. Waits for it if necessary. */
static int take_sync(struct committer *c)
{
	worker_pool_collect(c->syncer, true);
	wake_clear(&c->synced);
	c->syncing = false;
	return c->sync_errno;
}

/* Waits for a running sync, and ends the thread. */
static void release_syncer(struct committer *c)
{
	worker_pool_free(c->syncer);
	wake_close(&c->synced);
	c->syncer = NULL;
}

static void notify(const struct committer *c, struct receive_notice notice)
{
	c->observer->notice(c->observer->context, &notice);
}

static void on_retry(void *context)
{
	struct committer *c = context;
	c->reopen = true; /* the end of the turn follows, and with it reopen() */
}

/* A torn tail in a file that was opened again. */
static void report_torn(const struct committer *c)
{
	const struct capture_opened *found = capture_writer_found(c->writer);
	if (found->torn_bytes > 0)
		notify(c, (struct receive_notice){ .type = NOTICE_CAPTURE_OPENED, .opened = found });
}

/* Where the capture is, or was, deleted or replaced. */
static void report_lost(struct committer *c, bool is_reopened)
{
	uint64_t before = c->lost_records;
	c->lost_records = capture_writer_lost_records(c->writer);
	if (c->lost_records > before || is_reopened)
		notify(c, (struct receive_notice){ .type = NOTICE_CAPTURE_REPLACED,
		                                   .number = c->lost_records - before,
		                                   .is_reopened = is_reopened });
	if (is_reopened)
		report_torn(c);
}

static void reopen(struct committer *c)
{
	struct error err;
	int result = capture_writer_reopen(c->writer, &err);
	c->reopen = false;
	if (result < 0) {
		if (!c->reopen_failed)
			notify(c, (struct receive_notice){ .type = NOTICE_REOPEN_FAILED, .error = &err });
		c->reopen_failed = true;
		loop_timer_set(c->loop, &c->retry, clock_monotonic_ns() + REOPEN_EVERY);
		return;
	}
	loop_timer_cancel(c->loop, &c->retry);
	c->reopen_failed = false;
	if (result == 0)
		return;
	notify(c, (struct receive_notice){ .type = NOTICE_CAPTURE_REOPENED });
	report_torn(c);
	report_lost(c, false);
}

/* Senders get the status from now on. */
static void remember_failure(struct committer *c, const struct error *err, int status)
{
	if (!c->failed)
		notify(c, (struct receive_notice){ .type = NOTICE_CAPTURE_FAILED, .status = status, .error = err });
	c->failed = true;
}

static void finish_file(struct committer *c, int sync_errno)
{
	struct error err;
	int result = capture_writer_finish(c->writer, sync_errno, &err);
	if (result < 0)
		remember_failure(c, &err, capture_writer_status(c->writer));
	else if (result > 0)
		report_lost(c, true);
}

static void close_file(struct committer *c)
{
	struct error err;
	if (!c->writer)
		return;
	loop_timer_cancel(c->loop, &c->retry);
	report_lost(c, false);
	if (capture_writer_close(c->writer, &err) < 0)
		remember_failure(c, &err, 0);
	c->writer = NULL;
}

static void on_synced(void *context, uint32_t events);

static int open_capture(struct committer *c, struct error *err)
{
	struct capture_opened *opened = calloc(1, sizeof *opened);
	if (!opened)
		return error_no_memory(err);
	c->writer = capture_writer_open(c->path, opened, err);
	if (c->writer)
		notify(c, (struct receive_notice){ .type = NOTICE_CAPTURE_OPENED, .opened = opened });
	free(opened);
	if (!c->writer || wake_open(&c->synced, err) < 0)
		return -1;
	c->synced_io = (struct loop_io){ .fd = c->synced.fd, .ready = on_synced, .context = c };
	c->syncer = worker_pool_new(1, 1, sync_capture, c, err);
	return c->syncer ? loop_add(c->loop, &c->synced_io, LOOP_READ, err) : -1;
}

struct committer *committer_new(struct loop *loop, const char *path, const struct receive_observer *observer,
                                commit_complete *complete, void *context, struct error *err)
{
	struct committer *c = calloc(1, sizeof *c);
	if (!c)
		return error_no_memory_null(err);
	c->path = path;
	c->observer = observer;
	c->complete = complete;
	c->context = context;
	c->loop = loop;
	c->retry = (struct loop_timer){ .fire = on_retry, .context = c };
	if (!path || open_capture(c, err) == 0)
		return c;
	committer_free(c);
	return NULL;
}

void committer_free(struct committer *c)
{
	if (!c)
		return;
	release_syncer(c);
	close_file(c);
	free(c);
}

bool committer_writes(const struct committer *c)
{
	return c->writer && !c->failed;
}

bool committer_failed(const struct committer *c)
{
	return c->failed;
}

uint64_t committer_lost_records(const struct committer *c)
{
	return c->lost_records;
}

void committer_reopen(struct committer *c)
{
	c->reopen = c->writer != NULL;
}

/* Completes all whose record is on disk; where nothing is written (any more), all. Those that a sync has brought to
 * disk are accepted whatever became of the capture meanwhile: `failed` is from before. */
static void complete_all(struct committer *c, bool failed)
{
	int status = failed ? capture_writer_status(c->writer) : 0;
	if (failed && status == 0)
		status = 503;
	bool all = !c->writer || failed;
	while (c->first && (all || c->first->seq <= capture_writer_durable_seq(c->writer))) {
		struct commit_entry *entry = c->first;
		c->first = entry->next;
		c->waiting--;
		c->complete(c->context, entry, status);
	}
}

/* After a sync and the responses that followed it, with the time that each took. */
static void plan_delay(struct committer *c, int64_t sync_ns, size_t responses, int64_t responding_ns)
{
	int64_t delay = sync_ns / COMMIT_DELAY_PART;
	size_t all = c->waiting + responses;
	/* Taking a request in takes about as long as responding to it does; and hearing of a sync adds to its time. */
	c->sync_is_short = responses > 0 && 2 * sync_ns < 5 * responding_ns / (int64_t)responses * (int64_t)all;
	c->wanted = c->sync_is_short ? (all + 2) / 3 : all;
	c->delay_until = clock_monotonic_ns() + (delay < COMMIT_DELAY_MOST ? delay : COMMIT_DELAY_MOST);
}

static void begin_sync(struct committer *c)
{
	struct error err;
	if (c->failed)
		return;
	if (c->reopen || capture_writer_is_replaced(c->writer))
		reopen(c);
	int began = capture_writer_begin(c->writer, &err);
	if (began < 0)
		remember_failure(c, &err, capture_writer_status(c->writer));
	c->unsynced = 0;
	if (began <= 0)
		return;
	c->syncing = true;
	c->sync_began = clock_monotonic_ns();
	worker_pool_submit(c->syncer, c);
}

static void on_synced(void *context, uint32_t events)
{
	struct committer *c = context;
	(void)events;
	int sync_errno = take_sync(c);
	int64_t ended = clock_monotonic_ns(), took = ended - c->sync_began;
	size_t before = c->waiting;
	finish_file(c, sync_errno);
	/* Whose records this sync brought to the disk are accepted, whatever becomes of the next one. That begins
	 * before they are responded to, which takes its time. */
	bool failed = c->failed;
	if (c->unsynced > 0 && (c->sync_is_short || c->unsynced >= c->wanted))
		begin_sync(c);
	complete_all(c, failed);
	plan_delay(c, took, before - c->waiting, clock_monotonic_ns() - ended);
}

void committer_enqueue(struct committer *c, struct commit_entry *entry, const struct capture_record *record)
{
	if (committer_writes(c)) {
		entry->seq = record ? capture_writer_add(c->writer, record) : 0;
		c->unsynced += entry->seq > 0;
	}
	entry->next = NULL;
	c->last = c->first ? c->last : &c->first;
	*c->last = entry;
	c->last = &entry->next;
	c->waiting++;
	/* Not at the end of the turn: what else it brings is taken in meanwhile. */
	if (!c->syncing && c->wanted > 0 && c->unsynced >= c->wanted)
		begin_sync(c);
}

void committer_turn(struct committer *c)
{
	if (committer_writes(c) && !c->syncing) {
		if (c->unsynced == 0) {
			if (c->reopen)
				reopen(c);
		} else if (c->unsynced < c->wanted && clock_monotonic_ns() < c->delay_until) {
			/* Those who were just responded to are given a moment more. */
			loop_timer_set(c->loop, &c->commit_delay, c->delay_until);
		} else {
			begin_sync(c);
		}
	}
	if (c->first)
		complete_all(c, c->failed);
}

void committer_close(struct committer *c)
{
	if (c->writer) {
		if (c->syncing)
			finish_file(c, take_sync(c));
		if (c->syncer)
			loop_remove(c->loop, &c->synced_io);
		release_syncer(c);
		loop_timer_cancel(c->loop, &c->commit_delay);
		struct error err;
		if (c->reopen || c->reopen_failed)
			reopen(c);
		if (capture_writer_commit(c->writer, &err) < 0)
			remember_failure(c, &err, capture_writer_status(c->writer));
	}
	complete_all(c, c->failed);
	close_file(c);
}
