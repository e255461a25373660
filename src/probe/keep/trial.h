/*
 * A kind of notification, tried out: whether one of them leaves a trace in what the listener keeps, and which.
 *
 * A trace is the masked lines that came or went. It is `mentioned` where they name identifiers of the customer, so that
 * it is known from the traces of others; where only numbers changed, in lines that are the same without them, it is
 * weak: it shows that something was counted, and not what.
 */
#ifndef CREDHOOK_PROBE_KEEP_TRIAL_H
#define CREDHOOK_PROBE_KEEP_TRIAL_H

#include "probe/keep/customer.h"
#include "probe/keep/lookout.h"

struct trial {
	struct catalog_kind kind;
	bool is_alone; /* of a customer of whom nothing comes before it */
	struct customer customer;
	struct delivery first; /* that has left it */
	bool has_trace;
	bool is_weak;
	bool is_mentioned;
	bool shows_difference; /* what a second one of the same customer differs in (delivery_difference()) */
	bool is_number;        /* what is read is a number alone */
	int64_t lines;         /* by which one of them grows, or by what the number does */
	size_t came;           /* lines that came */
	size_t came_twins;     /* of these, those that are like another one of them */
	bool needs_lines;      /* how many there are has to be known */
	size_t own;            /* lines that name the customer, of what came before it, too */
	size_t twins;          /* of these, those that are like another one */
	bool keeps_repeats;    /* these are the caller's */
	bool drops_repeats;    /* it was tried, and one that came again left nothing more */
};

/* What looks and what sends, together. Zero-initialise; trial_ground_init(), release. */
struct trial_ground {
	struct player *player;
	struct lookout look;
	struct messenger messenger;
	struct observation base; /* before what is sent next */
	bool names_customers;    /* lines do, as a trial has shown */
	bool has_waited;         /* for a trace, as long as it may take: how long one takes is known then */
};

void trial_ground_init(struct trial_ground *ground, struct player *player, struct probe_check *check);
void trial_ground_release(struct trial_ground *ground);

/* What limits a comparison to the trial's customer; NULL: nothing does. */
static inline const char *trial_mention(const struct trial *trial)
{
	return trial->is_mentioned ? trial->customer.mention : NULL;
}
/* Whether a number that changed is not a trace of it: lines show what differs from another one. Elsewhere it may be
 * counted, as in the line of its kind. */
static inline bool trial_needs_line(const struct trial *trial)
{
	return !trial->is_weak && trial->shows_difference;
}
/* Whether what came behind the trial has left a trace of the kind that its first one has. */
static inline bool trial_leaves(const struct trial *trial, const struct observation_change *change)
{
	return observation_has_changed(change) || (!trial_needs_line(trial) && change->numbers);
}
/* Whether what one of the kind leaves are lines that can be looked for. */
static inline bool trial_leaves_lines(const struct trial *trial)
{
	return trial->has_trace && !trial->is_weak && (trial->is_mentioned ? trial->came > 0 : trial->lines > 0);
}
/* Lines that show of the first one what a second one of the same customer differs in (delivery_difference()). */
size_t trial_count_first(const struct trial *trial, const struct observation *observation);
/* The first time that a change is given, before the longest wait is worth it. */
int64_t trial_patience(const struct trial_ground *ground);

/* Takes what the first one, of the customer, has left since the base; `is_crowd`: first ones of others have come since,
 * too. Whether what was expected has come: where lines name customers, what else comes is late from somebody else. */
bool trial_take(struct trial_ground *ground, struct trial *trial, const struct customer *customer, bool is_crowd);

/* In what follows -1 is an error, and nothing is done where the lookout is blind. */

/* Keeps what is seen now as the base. */
int trial_take_base(struct trial_ground *ground, struct error *err);

#endif
