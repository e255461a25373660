#include "receive/committer.h"

#include "base/clock.h"
#include "capture/syncer.h"
#include "receive/capture_file.h"

#include <stdlib.h>
#include <sys/epoll.h>

/*
 * Whoever was just answered mostly sends again at once. How many records a sync should have depends on the disk:
 *
 * - Where a sync takes longer than taking requests in and answering them does, all of them: two alternating halves
 * would each wait for the other's sync. So those who were just answered are given a moment to send again.
 * - Where it takes less, about half of them: while one half is synced the other is worked upon, and nobody waits. A
 *   third is enough to begin with, so that halves which are not quite equal do not wait either; and what there is when
 *   a sync ends, since the answers come first then.
 */
#define GATHER_SHARE 6 /* of the last sync's time, since one came; and three times that in all */
#define GATHER_MOST  (2 * CLOCK_NS_PER_MS)

struct committer {
	struct capture_file file; /* writer NULL: no capture */
	const struct receive_capture *policy;
	struct committer_owner owner;
	struct loop *loop;
	struct capture_syncer *syncer; /* NULL: no capture, or CAPTURE_SYNC_NONE */
	struct loop_io syncer_io;
	bool syncing;
	int64_t sync_began;
	size_t unsynced; /* records that no sync has begun for */
	struct commit_entry *first;
	struct commit_entry *last;
	size_t waiting;

	struct loop_timer gather;
	int64_t gather_until; /* the next sync may begin, if not `gather_wanted` records came before */
	int64_t gather_share; /* which is so long after the last one that came, */
	int64_t gather_end;   /* but no more begins here */
	size_t gather_seen;   /* records that had come when it was last asked */
	size_t gather_wanted;
	bool sync_is_short; /* takes less than the work on what it holds */
};

static void on_synced(void *context, uint32_t events);

static void on_gathered(void *context)
{
	(void)context; /* committer_turn() follows at the end of the turn */
}

static int open_capture(struct committer *c, const struct receive_observer *observer, struct error *err)
{
	if (capture_file_open(&c->file, c->policy, observer, c->loop, err) < 0)
		return -1;
	if (c->policy->sync == CAPTURE_SYNC_NONE)
		return 0;
	c->syncer = capture_syncer_new(err);
	if (!c->syncer)
		return -1;
	c->syncer_io = (struct loop_io){ capture_syncer_fd(c->syncer), on_synced, c };
	return loop_add(c->loop, &c->syncer_io, EPOLLIN, err);
}

struct committer *committer_new(struct loop *loop, const struct receive_capture *policy,
                                const struct receive_observer *observer, const struct committer_owner *owner,
                                struct error *err)
{
	struct committer *c = calloc(1, sizeof *c);
	if (!c) {
		error_no_memory(err);
		return NULL;
	}
	c->policy = policy;
	c->owner = *owner;
	c->loop = loop;
	c->gather = (struct loop_timer){ .ring = on_gathered, .context = c };
	if (!policy->path || open_capture(c, observer, err) == 0)
		return c;
	committer_free(c);
	return NULL;
}

void committer_free(struct committer *c)
{
	if (!c)
		return;
	capture_syncer_free(c->syncer);
	capture_file_close(&c->file);
	free(c);
}

bool committer_writes(const struct committer *c)
{
	return c->file.writer && !c->file.failed;
}

bool committer_failed(const struct committer *c)
{
	return c->file.failed;
}

uint64_t committer_lost_records(const struct committer *c)
{
	return c->file.lost_records;
}

void committer_reopen(struct committer *c)
{
	c->file.reopen = c->file.writer != NULL;
}

static struct commit_entry *pop(struct committer *c)
{
	struct commit_entry *entry = c->first;
	c->first = entry->next;
	if (!c->first)
		c->last = NULL;
	c->waiting--;
	return entry;
}

static void push(struct committer *c, struct commit_entry *entry)
{
	entry->next = NULL;
	if (c->last)
		c->last->next = entry;
	else
		c->first = entry;
	c->last = entry;
	c->waiting++;
}

/* Completes all whose record is on disk; where nothing is written (any more), all. Those that a sync has brought to
 * disk are accepted whatever became of the capture meanwhile: `failed` is from before. */
static void complete(struct committer *c, bool failed)
{
	int status = failed ? capture_writer_status(c->file.writer) : 0;
	if (failed && status == 0)
		status = 503;
	bool all = !c->file.writer || failed;
	while (c->first && (all || c->first->seq <= capture_writer_durable_seq(c->file.writer))) {
		struct commit_entry *entry = pop(c);
		c->owner.complete(c->owner.context, entry, status);
	}
}

/* Whether those who were just answered are given a moment more. */
static bool is_gathering(struct committer *c)
{
	int64_t now = clock_monotonic_ns();
	/* As long as they are coming. */
	if (c->unsynced > c->gather_seen && now < c->gather_end)
		c->gather_until = now + c->gather_share;
	c->gather_seen = c->unsynced;
	if (c->unsynced >= c->gather_wanted || now >= c->gather_until)
		return false;
	loop_timer_set(c->loop, &c->gather, c->gather_until);
	return true;
}

/* After a sync that took so long, and answers to so many. */
static void plan_gathering(struct committer *c, int64_t sync_ns, size_t answered, int64_t answering_ns)
{
	if (c->policy->sync == CAPTURE_SYNC_ALWAYS)
		return; /* one by one, and each at once */
	int64_t share = sync_ns / GATHER_SHARE, now = clock_monotonic_ns();
	size_t everybody = c->waiting + answered;
	/* Taking a request in takes about as long as answering it does; and hearing of a sync adds to its time. */
	c->sync_is_short = answered > 0 && 2 * sync_ns < 5 * answering_ns / (int64_t)answered * (int64_t)everybody;
	c->gather_share = share < GATHER_MOST ? share : GATHER_MOST;
	c->gather_until = now + c->gather_share;
	c->gather_end = now + 2 * c->gather_share;
	c->gather_seen = 0;
	c->gather_wanted = c->sync_is_short ? (everybody + 2) / 3 : everybody;
}

/* Writes what has gathered; true: it is written, and can be synced. */
static bool begin(struct committer *c)
{
	bool began = capture_file_begin(&c->file);
	c->unsynced = c->policy->sync == CAPTURE_SYNC_ALWAYS && began ? c->unsynced - 1 : 0;
	return began;
}

static void begin_sync(struct committer *c)
{
	if (c->file.failed || !begin(c))
		return;
	c->syncing = true;
	c->sync_began = clock_monotonic_ns();
	capture_syncer_start(c->syncer, c->file.writer);
}

static void on_synced(void *context, uint32_t events)
{
	struct committer *c = context;
	(void)events;
	int sync_errno = capture_syncer_take(c->syncer);
	int64_t ended = clock_monotonic_ns(), took = ended - c->sync_began;
	size_t before = c->waiting;
	c->syncing = false;
	capture_file_finish(&c->file, sync_errno);
	/* Whose records this sync brought to the disk are accepted, whatever becomes of the next one. That begins
	 * before they are answered, which takes its time. */
	bool failed = c->file.failed;
	if (c->unsynced > 0 && (c->sync_is_short || c->unsynced >= c->gather_wanted))
		begin_sync(c);
	complete(c, failed);
	plan_gathering(c, took, before - c->waiting, clock_monotonic_ns() - ended);
}

void committer_enqueue(struct committer *c, struct commit_entry *entry, const struct capture_record *record)
{
	if (committer_writes(c)) {
		entry->seq = record ? capture_writer_add(c->file.writer, record) : 0;
		c->unsynced += entry->seq > 0;
	}
	push(c, entry);
	/* Not at the end of the turn: what else it brings is taken in meanwhile. */
	if (c->syncer && !c->syncing && c->unsynced > 0 && c->unsynced >= c->gather_wanted)
		begin_sync(c);
}

void committer_turn(struct committer *c)
{
	if (committer_writes(c) && !c->syncing) {
		if (!c->syncer) {
			while (begin(c))
				capture_file_finish(&c->file, 0);
		} else if (c->unsynced == 0) {
			capture_file_change(&c->file);
		} else if (!is_gathering(c)) {
			begin_sync(c);
		}
	}
	if (c->first)
		complete(c, c->file.failed);
}

void committer_close(struct committer *c)
{
	if (c->file.writer) {
		if (c->syncing)
			capture_file_finish(&c->file, capture_syncer_take(c->syncer));
		c->syncing = false;
		if (c->syncer)
			loop_remove(c->loop, &c->syncer_io);
		capture_syncer_free(c->syncer);
		c->syncer = NULL;
		loop_timer_cancel(c->loop, &c->gather);
		capture_file_commit(&c->file);
	}
	complete(c, c->file.failed);
	capture_file_close(&c->file);
}
