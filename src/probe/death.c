/*
 * Whether the listener has ended, and over which check.
 *
 * It may end a while after its response, when others have been sent already. So those that reached it last are sent
 * again: the last one alone, then the last two, and so on, until it ends again, which is over the first of them. Where
 * it does not, none of them is known to have ended it, and all are named.
 */
#include "probe/death.h"

#include "base/clock.h"
#include "probe/culprit.h"
#include "probe/player.h"
#include "probe/requests.h"
#include "probe/verdict.h"

#define ENDING_NS       (10 * CLOCK_NS_PER_MS)  /* from closing the connection to closing the port */
#define SOON_NS         (300 * CLOCK_NS_PER_MS) /* from the last response to the end of the listener */
#define LOOK_PAUSE_NS   (30 * CLOCK_NS_PER_MS)
#define LONG_RESTART_NS CLOCK_NS_PER_S

int death_revive(struct player *p, struct error *err)
{
	struct listener *listener = p->options->listener;
	cause_forget(p->finder);
	if (!listener) {
		if (presence_wait(p))
			recovery_begin(p, player_now(p));
		else
			presence_end_gone(p);
		return 0;
	}
	listener_kill(listener); /* what started it may still run */
	int64_t start_ns = player_now(p);
	enum listener_state state = listener_restart(listener, err);
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_INTERRUPTED)
		p->summary->stop = PROBE_INTERRUPTED;
	else if (state != LISTENER_READY)
		presence_end_gone(p);
	else
		recovery_begin(p, start_ns);
	return 0;
}

/* Whether it ends now, or soon. */
static bool ends_soon(const struct player *p)
{
	int64_t end = player_now(p) + SOON_NS;
	do {
		if (presence_has_ended(p))
			return true;
	} while (player_now(p) < end && player_wait(p, LOOK_PAUSE_NS));
	return false;
}

static int look_for_end(struct player *p, void *context, const struct request_outcome *sent, bool *has_ended,
                        struct error *err)
{
	(void)context, (void)err;
	*has_ended = sent->is_refused || ends_soon(p);
	return 0;
}

/* Finds which of the recent checks ends it; NULL: none does. */
static int find_culprit(struct player *p, struct probe_check **culprit, struct error *err)
{
	const struct culprit_sign sign = { .look = look_for_end, .mend = death_revive };
	*culprit = NULL;
	for (size_t i = 0; i < p->presence.recent_count && !*culprit; i++) {
		struct probe_check *from[PRESENCE_RECENT_MOST]; /* this one to the last */
		unsigned most = i > 0 ? 2 : 1, times;           /* what was sent before may be why the first time */
		if (!request_can_be_sent_again(p->presence.recent[i]))
			break;
		for (size_t k = 0; k <= i; k++)
			from[k] = p->presence.recent[i - k];
		if (culprit_try(p, &sign, from, i + 1, most, &times, err) < 0)
			return -1;
		*culprit = times == most ? from[0] : NULL;
	}
	return 0;
}

/* "exit code 3, over this check or after A or B; sent again, it did not end" */
static void append_doubt(const struct player *p, struct buffer *how)
{
	buffer_printf(how, "%sover this check", how->length > 0 ? ", " : "");
	for (size_t i = 1; i < p->presence.recent_count; i++)
		buffer_printf(how, "%s%s", i == 1 ? " or after " : " or ", p->presence.recent[i]->id);
	if (!player_is_over(p))
		buffer_append_text(how, "; sent again, it did not end");
}

/* It got no response since the listener had ended before. */
static void take_back(struct player *p, struct probe_check *check)
{
	cause_absolve(p->finder, (size_t)(check - p->options->plan->checks));
	probe_reopen(check, PROBE_PLAYED_AGAIN);
	p->presence.unanswered = check;
}

/* Finds out over which check it has ended, which fails, and starts it again or waits until somebody does. What got no
 * response for that is played again. */
static int play_death(struct player *p, struct error *err)
{
	LOCAL_BUFFER how = BUFFER_INIT;
	struct probe_check *last = p->presence.recent_count > 0 ? p->presence.recent[0] : NULL, *culprit = NULL;
	struct probe_check *unanswered = p->presence.unsent ? p->presence.unsent : p->presence.doubtful ? last : NULL;
	bool ended = true; /* and has to be started again */
	if (p->options->listener)
		listener_append_end(p->options->listener, &how);
	if (last)
		presence_keep_log(p, last);
	if (last && request_can_be_sent_again(last)) {
		if (death_revive(p, err) < 0 || find_culprit(p, &culprit, err) < 0)
			return -1;
		ended = culprit != NULL;
		if (culprit)
			presence_keep_log(p, culprit);
		else
			append_doubt(p, &how);
	}
	culprit = culprit ? culprit : last;
	if (culprit)
		presence_blame(culprit, p->presence.recent_ns, buffer_text(&how));
	if (unanswered && unanswered != culprit && request_can_be_sent_again(unanswered))
		take_back(p, unanswered);
	p->presence.recent_count = 0;
	if (player_is_over(p))
		return 0;
	if (++p->presence.restarts > PROBE_RESTARTS_MAX && p->options->listener)
		presence_end_gone(p);
	else if (ended)
		return death_revive(p, err);
	return 0;
}

/* Waits, since what is sent while nobody listens would be blamed on the wrong checks. */
int death_settle(struct player *p, struct error *err)
{
	struct listener *listener = p->options->listener;
	int64_t began = player_now(p);
	bool is_gone = listener && listener_is_gone(listener), had_ended = is_gone;
	int code = 0;
	if ((!p->presence.doubtful && !is_gone) || player_is_over(p))
		return 0;
	if (!is_gone) {
		player_wait(p, ENDING_NS);
		had_ended = !listener && presence_has_ended(p);
		is_gone = !presence_wait(p);
	}
	p->hangs += !listener && player_now(p) - began > LONG_RESTART_NS;
	if (is_gone && !listener)
		presence_end_gone(p);
	else if (is_gone || had_ended) /* somebody else may have started it again */
		code = play_death(p, err);
	p->presence.doubtful = false;
	p->presence.unsent = NULL;
	return code;
}
