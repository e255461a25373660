#include "probe/play/recovery.h"

#include "base/clock.h"
#include "probe/play/player.h"
#include "probe/play/verdict.h"

#include <stdio.h>

#define BUSY       503
#define PAUSE_NS   (100 * CLOCK_NS_PER_MS)
#define MOST_TIMES 3 /* as long as the first start has taken, and */
#define LEAST_NS   (5 * CLOCK_NS_PER_S)

const struct retry_policy recovery_retry = {
	.attempts = UINT64_MAX, .delay_ns = PAUSE_NS, .only = BUSY, .most_ns = CLOCK_NS_PER_S
};

void recovery_begin(struct player *p, int64_t start_ns)
{
	p->recovery.is_due = true;
	p->recovery.start_ns = start_ns;
	p->recovery.end_ns = 0;
}

bool recovery_interrupts(const struct player *p)
{
	return p->recovery.is_due && !p->recovery.is_under_way;
}

/* How long a 503 is waited out. */
static int64_t patience(const struct player *p)
{
	const struct listener *listener = p->options->listener;
	const struct recovery *r = &p->recovery;
	if (!r->was_ready && listener && listener->wait_ns > LEAST_NS)
		return listener->wait_ns;
	return MOST_TIMES * r->first_took > LEAST_NS ? MOST_TIMES * r->first_took : LEAST_NS;
}

/* It has responded 503 for too long. Where it took such a notification before it was started again, it takes nothing
 * any more: the run ends, and no check is blamed for that. Whether it does. */
static bool give_up(struct player *p, const struct job *job)
{
	struct probe_summary *summary = p->summary;
	struct catalog_kind kind;
	bool was_taken = p->recovery.was_ready && catalog_find_kind(job->name, &kind, NULL) == CATALOG_FOUND &&
	                 !p->maker.failed[catalog_kind_index(kind)];
	if (!was_taken)
		return false;
	summary->stop = PROBE_NOT_READY;
	snprintf(summary->message, sizeof summary->message,
	         "started again, the listener responds %d, and has done so for %s", job->exchange.status,
	         DURATION_TEXT(player_now(p) - p->recovery.start_ns));
	return true;
}

bool recovery_takes(struct player *p, const struct job *job, struct retry_policy *retry)
{
	struct recovery *r = &p->recovery;
	int64_t now = player_now(p);
	bool is_busy = job->exchange.status == BUSY;
	if (!job->final) {
		r->end_ns = r->end_ns > 0 ? r->end_ns : now + patience(p);
		if (now >= r->end_ns)
			retry->attempts = 0; /* one more */
		return true;
	}
	r->is_due = false;
	if (is_busy && job->attempt > 1)
		return give_up(p, job);
	if (!is_busy && !r->was_ready)
		r->first_took = now - r->start_ns;
	r->was_ready |= !is_busy && job->exchange.status > 0;
	return false;
}
