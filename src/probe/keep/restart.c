#include "probe/keep/restart.h"

#include "base/clock.h"
#include "base/url.h"
#include "probe/play/player.h"
#include "probe/play/recovery.h"

#define REFUSED_NS (5 * CLOCK_NS_PER_S) /* for the port to refuse connections */
#define LOOK_NS    (50 * CLOCK_NS_PER_MS)

const char *restart_obstacle(const struct player *p)
{
	struct url url;
	if (!p->options->store.read)
		return "--observe is not given";
	if (!p->options->listener)
		return "-- COMMAND is not given, and only what test has started is ended";
	if (url_parse(p->options->http->url, &url) != NULL || !host_is_loopback(&url.host))
		return "the listener is not at a loopback address of this machine";
	return p->options->listener->is_detached ? "COMMAND has ended, and something else listens" : NULL;
}

int restart_listener(struct trial_ground *g, struct buffer *why, struct error *err)
{
	struct player *p = g->player;
	struct listener *listener = p->options->listener;
	int64_t end = player_now(p) + REFUSED_NS;
	while (!lookout_is_blind(&g->look) && player_look(p) == WORLD_ACCEPTS) {
		if (player_now(p) >= end) {
			buffer_append_text(
			        why, "something still listens: it is not in COMMAND's process group (docker, setsid)");
			listener->is_detached = true;
			return why->failed ? error_no_memory(err) : 0;
		}
		lookout_pause(&g->look, LOOK_NS);
	}
	enum listener_state state = listener_restart(listener, err);
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_READY) {
		p->ends++;
		recovery_begin(p, player_now(p));
		return 0;
	}
	if (state == LISTENER_INTERRUPTED) {
		lookout_pause(&g->look, LOOK_NS);
		return 0;
	}
	buffer_append_text(why, "COMMAND did not come to listen again: ");
	if (state == LISTENER_DEAF)
		buffer_printf(why, "it runs, and accepted no connection within %s (--wait)",
		              DURATION_TEXT(listener->wait_ns));
	else
		listener_append_end(listener, why);
	p->summary->stop = PROBE_GONE;
	return why->failed ? error_no_memory(err) : 0;
}
