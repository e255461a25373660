#include "probe/play/presence.h"

#include "base/clock.h"
#include "probe/play/player.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <string.h>

/* A listener that a request has ended is started again within this time by what supervises it. */
#define RESTART_NS    (5 * CLOCK_NS_PER_S)
#define LOOK_PAUSE_NS (20 * CLOCK_NS_PER_MS) /* between two looks at whether it listens */

void presence_note_log(struct player *p)
{
	p->presence.log_from = presence_log_position(p);
}

uint64_t presence_log_position(const struct player *p)
{
	return p->options->listener ? child_output_end(&p->options->listener->output) : 0;
}

void presence_read_log(const struct player *p, uint64_t from, struct buffer *log)
{
	struct listener *listener = p->options->listener;
	if (!listener)
		return;
	listener_settle_printed(listener);
	buffer_clear(log);
	listener_append_printed(listener, from, PROBE_LOG_KEPT, log);
}

void presence_blame(struct probe_check *check, int64_t at_ns, const char *how)
{
	struct probe_result *r = &check->result;
	if (!probe_has_failed(check) || *how)
		snprintf(r->reason, sizeof r->reason, "the listener ended%s%s", *how ? ": " : " afterwards", how);
	r->ended = true;
	check->level = PROBE_MUST;
	r->verdict = GRADE_FAIL;
	r->broke_ns = at_ns;
	r->ended_listener = true;
	r->ended_by_itself = false;
	r->ended_by = (struct catalog_kind){ NULL, NULL };
	r->lost = NULL;
	r->part_of = NULL;
	r->is_double = false;
	r->is_contrary = false;
	r->fix = "no request may end it";
}

/* Keeps what the listener has printed since the check began. */
void presence_keep_log(struct player *p, struct probe_check *check)
{
	presence_read_log(p, p->presence.log_from, &check->result.log);
}

void presence_end_gone(struct player *p)
{
	p->summary->stop = PROBE_GONE;
	if (p->presence.unsent)
		probe_reopen(p->presence.unsent, PROBE_NOT_PLAYED);
}

bool presence_is_doubtful(const struct player *p)
{
	return p->presence.doubtful || (p->options->listener && listener_is_gone(p->options->listener));
}

bool presence_wait(struct player *p)
{
	struct listener *listener = p->options->listener;
	int64_t end = player_now(p) + RESTART_NS;
	while (player_look(p) != WORLD_ACCEPTS) {
		if ((listener && listener_is_gone(listener)) || player_now(p) >= end)
			return false;
		if (!player_wait(p, LOOK_PAUSE_NS))
			return true;
	}
	return true;
}

bool presence_has_ended(const struct player *p)
{
	return (p->options->listener && listener_is_gone(p->options->listener)) || player_look(p) == WORLD_REFUSES;
}

/* Puts the request in front of those that reached the listener last. */
static void note_recent(struct presence *pr, const struct presence_request *request)
{
	size_t at = 0;
	while (at < pr->recent_count &&
	       (pr->recent[at].check != request->check || pr->recent[at].kind.event != request->kind.event ||
	        pr->recent[at].kind.element != request->kind.element))
		at++;
	at = at < PRESENCE_RECENT_MOST ? at : PRESENCE_RECENT_MOST - 1;
	pr->recent_count = at < pr->recent_count ? pr->recent_count : at + 1;
	memmove(pr->recent + 1, pr->recent, at * sizeof *pr->recent);
	pr->recent[0] = *request;
}

/* Notes whether the listener is there. Ends the run where nobody listens: nothing that is sent next would fare better.
 */
void presence_note(struct player *p, const struct probe_sent *sent)
{
	const struct exchange *x = sent->exchange;
	struct probe_summary *summary = p->summary;
	if (x->outcome != DELIVER_FAILED) {
		p->presence.reached = true;
		p->presence.recent_ns = x->finished_ns;
		note_recent(&p->presence, &(const struct presence_request){ .check = sent->check,
		                                                            .kind = sent->kind,
		                                                            .is_accepted = probe_was_accepted(x),
		                                                            .ended_ns = x->finished_ns });
		snprintf(summary->last, sizeof summary->last, "%s%s", sent->check ? "" : "deliver/",
		         sent->check ? sent->check->id : KIND_NAME(sent->kind));
	}
	p->presence.doubtful |= x->status == 0 && x->failure != DELIVER_TIMED_OUT && p->presence.reached;
	if (p->presence.reached)
		return;
	probe_excerpt(x->message, strlen(x->message), summary->message);
	summary->hint = x->hint;
	if (p->requests >= PROBE_SILENT_MAX)
		summary->stop = PROBE_UNREACHABLE;
}
