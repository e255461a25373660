/* What is seen in all responses of a run together: what they give away, what they are missing, how long they take. */
#ifndef CREDHOOK_PROBE_PLAY_WATCH_H
#define CREDHOOK_PROBE_PLAY_WATCH_H

#include "http/deliver.h"
#include "probe/play/maker.h"

#include <stdint.h>

#define PROBE_SAMPLES 128 /* durations kept per event: the first */

/* How many responses show something, and the check that the first of them was to. */
struct probe_observation {
	uint64_t count;
	const struct probe_check *first;
	const char *what;
	char text[PROBE_REASON_SIZE];
};

/* Zero-initialise but for the signals; release. */
struct probe_watch {
	const struct signals *signals; /* one that waits ends a connection of look_trust() and look_expiry() */
	struct probe_observation trace, echo, echo_in_json, untyped, no_retry_after, long_body;
	uint64_t invalid[3]; /* of the invalid payloads: accepted, refused with 4xx (429 is not about them), neither */
	struct probe_durations {
		int64_t ns[PROBE_SAMPLES];
		size_t count;
	} * events; /* of 2xx, by catalog_kind_index() */
};

/* A request of the check, with a payload of the kind, has ended. `timed`: its duration counts. */
void probe_watch_add(struct probe_watch *watch, const struct probe_check *check, struct catalog_kind kind,
                     const struct exchange *exchange, const struct probe_maker *maker, bool timed);
void probe_watch_release(struct probe_watch *watch);

/* What rows that send nothing look at: what was seen in responses, the slowest event's median; the certificate, for
 * which these two make a connection. */
probe_look look_trace, look_echo, look_untyped, look_retry_after, look_long_body, look_time;
probe_look look_trust, look_expiry;

/* The slowest event by its median; event NULL: there is none. The other is the median of all. */
int64_t probe_watch_slowest(const struct probe_watch *watch, struct catalog_kind *kind);
int64_t probe_watch_median(const struct probe_watch *watch);

/* The median of `count` durations, which it sorts; 0: none. */
int64_t probe_median(int64_t *ns, size_t count);

#endif
