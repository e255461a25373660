/*
 * Looks at what the listener keeps, as `--observe` prints it, until it is as it should be: the rules of waiting.
 *
 * A change that is expected gets its time; that nothing changes is believed after three times the lag, and a second at
 * least; and what is compared with later is what two looks show that are 100 ms apart, or the lag if that is more.
 * The lag is the longest time from a response to the first change that it has made.
 *
 * What cannot be read ends the looking: lookout_is_blind().
 */
#ifndef CREDHOOK_PROBE_KEEP_LOOKOUT_H
#define CREDHOOK_PROBE_KEEP_LOOKOUT_H

#include "base/clock.h"
#include "probe/keep/observation.h"
#include "probe/play/probe_check.h"

#define LOOKOUT_EXPECTED_NS (5 * CLOCK_NS_PER_S) /* the longest wait for a change that is expected */

struct player;

/* Zero-initialise, set `player`; release. */
struct lookout {
	struct player *player; /* which a signal ends, and whose options say how to look */
	struct roles roles;
	int64_t lag_ns;
	struct observation now, before;  /* the last two looks */
	struct buffer text, read;        /* what is printed, and what `now` was read from */
	size_t roles_then;               /* as it was */
	char problem[PROBE_REASON_SIZE]; /* why it cannot be read; empty: it can */
};

void lookout_release(struct lookout *lookout);

/* Whether nothing more can be seen, or the run is over. */
bool lookout_is_blind(const struct lookout *lookout);

/* Waits, but not beyond a signal, which ends the run. */
void lookout_pause(struct lookout *lookout, int64_t ns);

/* A change took this long from the response on. */
void lookout_note_lag(struct lookout *lookout, int64_t ns);

/* In what follows -1 is out of memory; where the lookout is blind it is 0, and `now` is as it was. */

/* Looks once; a command that fails is tried again for up to 5 s. */
int lookout_look(struct lookout *lookout, struct error *err);
/* Looks until two looks in a row show the same. */
int lookout_settle(struct lookout *lookout, struct error *err);
/* Waits until nothing has changed for long enough, of which the time since the last notification, at `since_ns`, is a
 * part. A look that takes long is not a quiet time. The lag grows to the longest time between two changes. */
int lookout_quiet(struct lookout *lookout, int64_t since_ns, struct error *err);

#endif
