#include "probe/play/flight.h"

#include "base/clock.h"
#include "probe/play/death.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/still_up.h"

#define SLOW_NS     (50 * CLOCK_NS_PER_MS) /* a response */
#define PART_OF_MAX 4                      /* of the time that one may take, since they may be served in turn */

unsigned flight_width_of(int64_t response_ns, int64_t max_ns)
{
	if (response_ns < SLOW_NS)
		return 1;
	int64_t width = max_ns > 0 ? max_ns / PART_OF_MAX / response_ns : FLIGHT_MOST;
	return width > FLIGHT_MOST ? FLIGHT_MOST : width > 1 ? (unsigned)width : 1;
}

unsigned flight_width(const struct player *p)
{
	return p->in_turn ? 1 : flight_width_of(still_up_median(&p->still_up), p->options->http->max_time_ns);
}

/* What says that others are under way: 409 and 423 of one that allows a customer, or a row, one at a time. */
static bool is_crowded(int status)
{
	return status == 409 || status == 423 || status == 429 || status == 503;
}

bool flight_note(struct player *p, const struct probe_sent *sent)
{
	int status = sent->exchange->status;
	bool is_alone = status != 0 && !is_crowded(status);
	p->in_turn |= !is_alone;
	if (status == 0 && !p->presence.crowd)
		p->presence.crowd = sent->check;
	return is_alone;
}

bool flight_goes_on(const struct player *p)
{
	return !p->in_turn && !presence_is_doubtful(p);
}

static void blame(const struct player *p, const char *how, const char *lost)
{
	const struct presence *pr = &p->presence;
	presence_blame(pr->crowd, pr->crowd_ns, how);
	pr->crowd->result.lost = lost;
	presence_read_log(p, pr->crowd_log_from, &pr->crowd->result.log);
}

int flight_land(struct player *p, bool *has_ended, struct error *err)
{
	struct presence *pr = &p->presence;
	*has_ended = !player_is_over(p) && death_comes(p);
	p->in_turn |= pr->doubtful || *has_ended;
	pr->doubtful = false;
	pr->unsent = NULL;
	if (!*has_ended) {
		pr->crowd = NULL;
		return 0;
	}
	if (!pr->crowd)
		pr->crowd = pr->recent_count > 0 && pr->recent[0].check
		                    ? pr->recent[0].check
		                    : &p->options->plan->checks[p->at < p->options->plan->count ? p->at : 0];
	pr->crowd_ns = pr->recent_ns;
	pr->crowd_log_from = pr->log_from;
	pr->restarts++;
	pr->crowd_ends++;
	if (death_revive(p, err) < 0)
		return -1;
	pr->recent_count = 0; /* they are not asked one by one: all come again */
	if (p->summary->stop == PROBE_GONE)
		blame(p, "several requests were in flight, of which one has ended it, or all",
		      "one of the last requests has ended the listener");
	return 0;
}

void flight_blame(struct player *p)
{
	struct presence *pr = &p->presence;
	if (!pr->crowd || player_deaths(p) > 0 || pr->crowd->result.ended_listener)
		return;
	blame(p, "several requests were in flight; over none of them alone",
	      "requests at the same time end the listener");
	pr->crowd->result.fix = "what requests share (a connection, a variable) needs a lock, or one each";
}
