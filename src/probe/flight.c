#include "probe/flight.h"

#include "base/clock.h"
#include "probe/death.h"
#include "probe/player.h"
#include "probe/presence.h"

#define SLOW_NS     (50 * CLOCK_NS_PER_MS) /* each response takes that long */
#define PART_OF_MAX 4                      /* of the time that one may take, since they may be served in turn */
#define ENDING_NS   (10 * CLOCK_NS_PER_MS) /* from closing the connection to closing the port */

unsigned flight_width_of(int64_t response_ns, int64_t max_ns)
{
	if (response_ns < SLOW_NS)
		return 1;
	int64_t width = max_ns > 0 ? max_ns / PART_OF_MAX / response_ns : FLIGHT_MOST;
	return width > FLIGHT_MOST ? FLIGHT_MOST : width > 1 ? (unsigned)width : 1;
}

unsigned flight_width(const struct player *p)
{
	return p->in_turn ? 1 : flight_width_of(p->still_up.shortest_ns, p->options->http->max_time_ns);
}

int flight_land(struct player *p, bool *has_ended, struct error *err)
{
	struct presence *pr = &p->presence;
	*has_ended = false;
	if (!presence_is_doubtful(p) || player_is_over(p))
		return 0;
	p->in_turn = true;
	pr->doubtful = false;
	player_wait(p, ENDING_NS);
	*has_ended = presence_has_ended(p);
	if (!*has_ended)
		return 0;
	pr->restarts++;
	pr->unblamed++;
	if (death_revive(p, err) < 0)
		return -1;
	pr->is_crowd = player_is_over(p);
	pr->recent_count = pr->is_crowd ? pr->recent_count : 0;
	return 0;
}
