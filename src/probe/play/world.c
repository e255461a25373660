#include "probe/play/world.h"

#include "base/clock.h"
#include "http/raw.h"

#include <stdio.h>

#define LOOK_NS CLOCK_NS_PER_S

int64_t world_now(const struct probe_world *w)
{
	return w && w->clock ? w->clock->now(w->clock->context) : clock_monotonic_ns();
}

int64_t world_date_s(const struct probe_world *w)
{
	return w && w->clock ? w->began_s + world_now(w) / CLOCK_NS_PER_S : clock_realtime_us() / 1000000;
}

bool world_wait(const struct probe_world *w, const struct signals *signals, int64_t ns)
{
	if (!w || !w->clock) /* rounded up: a wait is never too short */
		return signals_wait_input(signals, -1, (int)((ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS));
	w->clock->wait_until(w->clock->context, world_now(w) + ns);
	return !signals || signals_wait_input(signals, -1, 0);
}

enum world_look world_look(const struct probe_world *w, const struct deliver_options *http,
                           const struct signals *signals, char *why, size_t size)
{
	struct exchange look = { .outcome = DELIVER_PENDING };
	if (w && w->look)
		return w->look(w->context);
	if (raw_look(http, LOOK_NS, signals, &look))
		return WORLD_ACCEPTS;
	if (why)
		snprintf(why, size, "%s", look.message);
	return look.failure == DELIVER_REFUSED ? WORLD_REFUSES : WORLD_SILENT;
}
