#include "probe/play/still_up.h"

#include "base/clock.h"
#include "probe/play/culprit.h"
#include "probe/play/death.h"
#include "probe/play/player.h"
#include "probe/play/requests.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <string.h>

#define SLOWER_TIMES    5
#define SLOWER_LEAST_NS (100 * CLOCK_NS_PER_MS)
#define SEARCH_NS       (10 * CLOCK_NS_PER_S)
#define TIMES           5 /* in a row that it is not accepted: more than chance makes it */

static bool was_sent(const struct probe_check *of, const struct probe_check *still_up)
{
	return strcmp(of->row->group, still_up->after) == 0 && !of->after && of->result.ended &&
	       of->result.verdict != GRADE_SKIP;
}

/* Whether a valid notification is not accepted behind them. */
static int look_for_refusal(struct player *p, void *context, const struct request_outcome *sent, bool *is_refused,
                            struct error *err)
{
	struct request_outcome valid;
	(void)sent;
	if (requests_send_again(p, context, &valid, err) < 0)
		return -1;
	*is_refused = !valid.is_accepted;
	return 0;
}

/* Finds the check of the group behind which a valid one is not accepted, each time. NULL: there is none, or it never is
 * accepted, or comes and goes. */
static int find_culprit(struct player *p, struct probe_check *still_up, const struct probe_check **culprit,
                        struct error *err)
{
	const struct probe_plan *plan = p->options->plan;
	const struct culprit_sign sign = { .look = look_for_refusal,
		                           .context = still_up,
		                           .end_ns = player_now(p) + SEARCH_NS };
	struct request_outcome valid;
	unsigned times = 0;
	*culprit = NULL;
	if ((p->options->listener && death_revive(p, err) < 0) || requests_send_again(p, still_up, &valid, err) < 0)
		return -1;
	if (!valid.is_accepted)
		return 0;
	for (struct probe_check *of = plan->checks; times == 0 && of < plan->checks + plan->count; of++) {
		if (!was_sent(of, still_up) || !request_can_be_sent_again(of))
			continue;
		if (culprit_try(p, &sign, &of, 1, TIMES, &times, err) < 0)
			return -1;
		*culprit = times == TIMES ? of : NULL;
	}
	return 0;
}

/* Where nothing was ever accepted, or nothing was sent, nothing has stopped it. */
static void advise(const struct player *p, struct probe_check *still_up, const struct probe_check *culprit)
{
	const struct probe_plan *plan = p->options->plan;
	size_t count = 0;
	for (const struct probe_check *of = plan->checks; !culprit && of < plan->checks + plan->count; of++)
		count += was_sent(of, still_up);
	if (!culprit && (count == 0 || p->still_up.requests == 0)) {
		if (still_up->result.fix == still_up->row->fix) /* its status asks for nothing */
			still_up->result.fix = "see the listener's log: it accepts no valid notification";
		return;
	}
	for (const struct probe_check *of = plan->checks; count == 1 && !culprit; of++)
		culprit = was_sent(of, still_up) ? of : NULL;
	if (culprit)
		snprintf(still_up->advice, sizeof still_up->advice, "%s has stopped it or slowed it down", culprit->id);
	else
		snprintf(still_up->advice, sizeof still_up->advice,
		         "one of the %zu checks of '%s' has stopped it or slowed it down; which of them is not known",
		         count, still_up->after);
	still_up->result.fix = still_up->advice;
}

int64_t still_up_median(const struct still_up *s)
{
	int64_t ns[STILL_UP_MAX];
	memcpy(ns, s->ns, sizeof ns);
	return s->count >= STILL_UP_MAX ? probe_median(ns, STILL_UP_MAX) : 0;
}

void still_up_begin(struct still_up *s)
{
	s->first_ns = still_up_median(s);
	s->first_bytes = s->bytes;
	s->first_requests = s->requests;
}

void still_up_note(struct still_up *s, size_t length, int64_t ns)
{
	s->bytes += length;
	s->requests++;
	if (ns <= 0)
		return;
	s->ns[s->count++ % STILL_UP_MAX] = ns;
	if (s->first_ns == 0 && s->count >= STILL_UP_MAX) /* nothing came before the group */
		still_up_begin(s);
}

/* How many times as slow as at the beginning of the group is usual: a file that is written again at each request
 * takes as much longer as it has grown. */
static double usual_times(const struct still_up *s)
{
	double bytes = s->first_bytes > 0 ? (double)s->bytes / (double)s->first_bytes : 1;
	double requests = s->first_requests > 0 ? (double)s->requests / (double)s->first_requests : 1;
	return SLOWER_TIMES * (bytes > requests ? bytes : requests);
}

int still_up_end(struct player *p, struct probe_check *check, struct error *err)
{
	const struct probe_plan *plan = p->options->plan;
	if (check->result.ended && check->result.verdict == GRADE_FAIL) {
		const struct probe_check *culprit = NULL;
		if (!player_is_over(p) && find_culprit(p, check, &culprit, err) < 0)
			return -1;
		advise(p, check, culprit);
		if (culprit)
			cause_absolve(p->finder, (size_t)(check - plan->checks));
		/* What follows must not fail for that. */
		return culprit && p->options->listener && !player_is_over(p) ? death_revive(p, err) : 0;
	}
	if (check->result.ended && check->result.verdict != GRADE_OK)
		return 0;
	struct still_up *s = &p->still_up;
	int64_t median = still_up_median(s);
	if (s->first_ns == 0 || median <= SLOWER_LEAST_NS || (double)median <= usual_times(s) * (double)s->first_ns)
		return 0;
	advise(p, check, NULL);
	probe_end(check, PROBE_TOLERATED, check->advice[0] ? check->advice : "see the listener's log",
	          "responses take %s, and took %s at the beginning of '%s'", DURATION_TEXT(median),
	          DURATION_TEXT(s->first_ns), check->after);
	return 0;
}
