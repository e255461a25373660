/* Whether the listener is there, and what becomes of a check that ended it. */
#include "base/clock.h"
#include "http/raw.h"
#include "probe/player.h"

#include <stdio.h>
#include <time.h>

/* A listener that a request has ended is started again within this time by what supervises it. */
#define RESTART_NS      (5 * CLOCK_NS_PER_S)
#define LONG_RESTART_NS CLOCK_NS_PER_S
#define ENDING_NS       (10 * CLOCK_NS_PER_MS) /* from closing the connection to closing the port */
#define LOOK_PAUSE_MS   20                     /* between two looks at whether it listens */
#define LOOK_NS         (30 * CLOCK_NS_PER_MS) /* of a look at whether it is gone */

/* What a listener prints of a request comes about when it responds. */
#define LOG_QUIET_MS 20
#define LOG_MOST_MS  1000

void play_note_log(struct player *p)
{
	p->log_before = p->log_from;
	if (p->options->listener)
		p->log_from = child_output_end(&p->options->listener->output);
}

void play_blame(struct probe_check *check, int64_t at_ns, const char *how)
{
	struct probe_result *r = &check->result;
	if (!probe_has_failed(check) || *how)
		snprintf(r->reason, sizeof r->reason, "the listener ended%s%s", *how ? ": " : " afterwards", how);
	r->ended = true;
	check->level = PROBE_MUST;
	r->verdict = GRADE_FAIL;
	r->broke_ns = at_ns;
	r->fix = "no request may end it";
}

/* Keeps what the listener has printed since the check began. */
void play_keep_log(struct player *p, struct probe_check *check)
{
	struct listener *listener = p->options->listener;
	if (!listener)
		return;
	child_output_settle(&listener->output, LOG_QUIET_MS, LOG_MOST_MS);
	uint64_t end = child_output_end(&listener->output);
	buffer_clear(&check->result.log);
	child_output_append(&listener->output, end - p->log_from > PROBE_LOG_KEPT ? end - PROBE_LOG_KEPT : p->log_from,
	                    end, &check->result.log);
}

static void end_gone(struct player *p)
{
	p->summary->stop = PROBE_GONE;
	if (p->unsent)
		p->unsent->result.ended = false;
}

/* It is known now over which check the listener had ended. */
static void end_doubt(struct player *p, struct probe_check *culprit)
{
	struct probe_check *innocent = culprit == p->other ? p->retried : p->other;
	buffer_clear(&culprit->result.log);
	buffer_append(&culprit->result.log, p->doubted_log.data, p->doubted_log.length);
	buffer_clear(&innocent->result.log);
	play_blame(culprit, p->suspect_ns, p->doubted_end);
	p->retried = p->other = NULL;
}

/* Finds the check over which the listener has ended; NULL: none, or it is not known yet. A request that got no response
 * may have come while the listener ended over the one before, after its response: it is sent again then. */
static struct probe_check *find_culprit(struct player *p, struct buffer *how)
{
	struct probe_check *check = p->suspect, *before = p->responded;
	if (check && check < p->group) { /* which has been reported: it ended long after its response */
		buffer_printf(how, ", after %s", check->id);
		check = p->unsent ? p->unsent : p->group;
		p->unsent = NULL;
	} else if (p->retried) {
		check = p->retried;
		p->retried = p->other = NULL;
	} else if (check && p->doubtful && !p->unsent && before >= p->group && before < check) {
		snprintf(p->doubted_end, sizeof p->doubted_end, "%s", buffer_text(how));
		p->log_from = p->log_before;
		play_keep_log(p, check);
		buffer_clear(&p->doubted_log);
		buffer_append(&p->doubted_log, check->result.log.data, check->result.log.length);
		p->retried = p->unsent = check;
		p->other = before;
		return NULL;
	}
	return check;
}

/* Starts the listener again, whose process has ended. What was not sent for that is sent then. */
static int restart(struct player *p, struct error *err)
{
	LOCAL_BUFFER how = BUFFER_INIT;
	listener_append_end(p->options->listener, &how);
	struct probe_check *check = find_culprit(p, &how);
	if (check) {
		play_blame(check, p->suspect_ns, buffer_text(&how));
		play_keep_log(p, check);
	}
	p->restarts += !p->retried;
	if (p->restarts > PROBE_RESTARTS_MAX) {
		end_gone(p);
		return 0;
	}
	enum listener_state state = listener_restart(p->options->listener, err);
	cause_forget(p->finder);
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_INTERRUPTED)
		p->summary->stop = PROBE_INTERRUPTED;
	else if (state != LISTENER_READY)
		end_gone(p);
	else if (p->unsent) {
		p->unsent->result.ended = false;
		p->number = p->unsent == &p->options->plan->checks[p->at] ? 0 : p->number;
	}
	return 0;
}

/* Waits until the listener accepts a connection. False: it does not, or its process has ended. */
static bool wait_for_listener(struct player *p)
{
	struct exchange unused = { .outcome = DELIVER_PENDING };
	struct listener *listener = p->options->listener;
	int64_t end = clock_monotonic_ns() + RESTART_NS;
	if (!listener)
		return raw_wait(p->options->http, RESTART_NS, p->options->signals, &unused) != 0;
	while (!listener_accepts(p->options->http)) {
		if (listener_is_gone(listener) || clock_monotonic_ns() >= end)
			return false;
		if (!signals_wait_input(p->options->signals, -1, LOOK_PAUSE_MS))
			return true;
	}
	return true;
}

/* Whether nothing listens any more. */
static bool is_refused(const struct deliver_options *http)
{
	struct exchange look = { .outcome = DELIVER_PENDING };
	return raw_wait(http, LOOK_NS, NULL, &look) == 0 && look.failure == DELIVER_REFUSED;
}

/* Waits, since what is sent while nobody listens would be blamed on the wrong checks. */
int play_wait(struct player *p, struct error *err)
{
	const struct timespec ending = { 0, ENDING_NS };
	struct listener *listener = p->options->listener;
	int64_t began = clock_monotonic_ns();
	int code = 0;
	bool is_gone = listener && listener_is_gone(listener);
	if ((!p->doubtful && !is_gone) || player_is_over(p))
		return 0;
	bool had_ended = false;
	if (!is_gone) {
		nanosleep(&ending, NULL);
		had_ended = !listener && is_refused(p->options->http);
		is_gone = !wait_for_listener(p);
	}
	if (is_gone && listener) {
		listener_kill(listener); /* what started it may still run */
		code = restart(p, err);
	} else if (is_gone) {
		end_gone(p);
	} else if (had_ended && p->suspect && p->suspect >= p->group) {
		play_blame(p->suspect, p->suspect_ns, ""); /* somebody else has started it again */
	}
	if (p->retried && player_is_over(p))
		end_doubt(p, p->retried);
	p->hangs += !listener && clock_monotonic_ns() - began > LONG_RESTART_NS;
	p->doubtful = false;
	p->unsent = NULL;
	return code;
}

/* Notes whether the listener is there. Ends the run where nobody listens: nothing that is sent next would fare better.
 */
void play_note_presence(struct player *p, const struct probe_sent *sent)
{
	const struct exchange *d = sent->exchange;
	struct probe_summary *summary = p->summary;
	if (p->retried && (d->status != 0 || sent->check != p->retried))
		end_doubt(p, sent->check == p->retried ? p->other : p->retried);
	if (d->outcome != DELIVER_FAILED) {
		p->reached = true;
		p->suspect = sent->check;
		p->suspect_ns = d->finished_ns;
		snprintf(summary->last, sizeof summary->last, "%s%s", sent->check ? "" : "deliver/",
		         sent->check ? sent->check->id : KIND_NAME(sent->kind));
	}
	if (d->status != 0)
		p->responded = sent->check;
	p->doubtful = d->status == 0 && d->failure != DELIVER_TIMED_OUT && p->reached;
	if (p->reached)
		return;
	probe_excerpt(d->message, strlen(d->message), summary->message);
	summary->hint = d->hint;
	if (p->requests >= PROBE_SILENT_MAX)
		summary->stop = PROBE_UNREACHABLE;
}
