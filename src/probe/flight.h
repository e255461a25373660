/*
 * Requests that know nothing of each other, side by side, where the listener is slow.
 *
 * What of them ends as it should is believed. All else is sent again, one after the other, and only what comes of that
 * is said: a listener that cannot serve several is found by the checks about that, and what it prints, or ends over, is
 * of one request then.
 */
#ifndef CREDHOOK_PROBE_FLIGHT_H
#define CREDHOOK_PROBE_FLIGHT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct player;

#define FLIGHT_MOST 8

/* How many go side by side where a response takes so long, and may take max_ns (0: as long as it likes). */
unsigned flight_width_of(int64_t response_ns, int64_t max_ns);
/* How many go side by side in the run; 1: one after the other. Known when some were sent so. */
unsigned flight_width(const struct player *p);
/* Follows when all in flight have ended. Where one of them got no response, none goes side by side for the rest of the
 * run; and a listener that has ended is started again, or waited for, and over which of them is not known.
 * *has_ended: that was so. */
int flight_land(struct player *p, bool *has_ended, struct error *err);

#endif
