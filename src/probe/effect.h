/*
 * The group effect: what notifications change in what the listener keeps, seen from outside by what --observe prints.
 *
 * All checks of the group are played together, since each needs what the first of each kind leaves. What looks wrong is
 * a suspicion at first: it is tried again, with new customers and time for everything, and only what is seen then
 * is said. Where the listener's lines name the customer, only those count; elsewhere what the kinds have done together
 * is looked at first, and each by itself only where that is not what it should be.
 *
 *   effects.c          which kinds are tried, and in what order the parts are played; what was refused
 *   effect_repeat.c    what comes again: one after the other, at the same time
 *   effect_together.c  different ones at the same time
 *   effect_distinct.c  a second one of the same customer
 *   effect_order.c     what comes too early
 *   effect.c           what these have in common
 */
#ifndef CREDHOOK_PROBE_EFFECT_H
#define CREDHOOK_PROBE_EFFECT_H

#include "probe/trial.h"

struct effects {
	struct player *p;
	struct trial_ground ground;
	struct trial *trials; /* the kinds */
	size_t count;
};

/* The check of the part (and kind, unless it is NULL), if it is chosen and has not ended; NULL: there is none. */
struct probe_check *effect_check(const struct effects *e, enum probe_part part, const struct catalog_kind *kind);
/* Whether the part needs a trial of the kind, besides those that have a check of that kind. */
bool effect_needs(enum probe_part part, const struct catalog_kind *kind);
/* The trial of the kind of that name; NULL: there is none. */
struct trial *effect_trial(const struct effects *e, const char *kind);
static inline bool effect_is_blind(const struct effects *e)
{
	return lookout_is_blind(&e->ground.look);
}
/* Sends it. */
int effect_send(struct effects *e, struct delivery *delivery, struct error *err);
/* By how much what is kept of the trial has grown since the base. */
int64_t effect_growth(const struct effects *e, const struct trial *trial, struct observation_change *change);
/* Whether a number that changed is not a trace of it: lines show what differs from another one. Elsewhere it may be
 * counted, as in the line of its kind. */
bool effect_needs_line(const struct trial *trial);
/* Whether what came behind the trial has left a trace of the kind that its first one has. */
bool effect_has_trace(const struct trial *trial, const struct observation_change *change);
/* Waits until all is quiet, which shows that nothing changes by itself, and keeps what is seen as the base. */
int effect_quiet(struct effects *e, struct error *err);

/* The parts. Each plays those of its checks that are chosen, and ends those that fail; -1: an error. */
int effect_once(struct effects *e, struct error *err);
int effect_at_once(struct effects *e, struct error *err);
int effect_together(struct effects *e, struct error *err);
int effect_distinct(struct effects *e, struct delivery *seconds, struct error *err);
int effect_early(struct effects *e, struct error *err);
int effect_either(struct effects *e, struct error *err);

#endif
