/*
 * Requests that know nothing of each other, side by side, where the listener is slow.
 *
 * What is right of them is believed. All else is sent again, one after the other, and only what comes of that is said:
 * a listener that cannot serve several is found by the checks about that, and what it prints, or ends over, is of one
 * request then. Where it gives one of them no response, or says that others are in its way (409, 423, 429, 503),
 * nothing goes side by side any more.
 */
#ifndef CREDHOOK_PROBE_PLAY_FLIGHT_H
#define CREDHOOK_PROBE_PLAY_FLIGHT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct player;
struct probe_sent;

#define FLIGHT_MOST 8

/* How many go side by side where a response takes so long, and may take max_ns (0: as long as it likes); 1: one after
 * the other. */
unsigned flight_width_of(int64_t response_ns, int64_t max_ns);
/* How many do in the run, by what the last responses took that came one after the other. */
unsigned flight_width(const struct player *p);

/* One in flight has ended. Whether it had a response that came of itself alone; where not, none follows. */
bool flight_note(struct player *p, const struct probe_sent *sent);
/* Whether another one may follow. */
bool flight_goes_on(const struct player *p);
/* Follows when all in flight have ended: looks for a while whether the listener ends over them, and starts it again
 * then, or waits for it. Over which of them is not known: they are to be sent again. *has_ended: that was so. */
int flight_land(struct player *p, bool *has_ended, struct error *err);
/* Follows when all has been played: where the listener has ended over several in flight, and over none alone, that is a
 * failure of the first of them that got no response. */
void flight_blame(struct player *p);

#endif
