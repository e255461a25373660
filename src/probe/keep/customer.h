/*
 * Customers whom no other check knows, and the notifications of their lives, for checks of what a listener keeps: made,
 * with a role for each of their identifiers, and sent.
 */
#ifndef CREDHOOK_PROBE_KEEP_CUSTOMER_H
#define CREDHOOK_PROBE_KEEP_CUSTOMER_H

#include "probe/keep/observation.h"
#include "probe/play/maker.h"

struct player;

struct customer {
	unsigned number;
	struct probe_session session;
	char mention[24];    /* " of A7>": ends the role of each of their identifiers */
	unsigned generation; /* how often they were renewed; roles of the first are without it */
	struct likeness {
		uint64_t of;    /* the same for all that are alike; 0: none is */
		unsigned place; /* among ten of them, from 0 */
	} likeness;
	char prefix[PROBE_RUN_ID_SIZE]; /* of their identifiers; empty: the run's, with which all others begin */
	uint64_t integer;               /* alertId and monitorId; 0: random ones */
};

/* One of their notifications. Zero-initialise; release the body. */
struct delivery {
	struct catalog_kind kind;
	struct buffer body;
	unsigned customer;         /* the number of theirs */
	struct probe_check *check; /* on whose behalf it was made: where the listener ends, it fails */
	int status;                /* of the response; 0: none. Below zero: not sent (yet) */
};

/* What makes and sends them. */
struct messenger {
	struct player *player;
	struct roles *roles;
	struct probe_check *check; /* on whose behalf */
	unsigned customers;
	uint64_t salt, apart;           /* the second: of the last customers who stand apart */
	int64_t last_ns;                /* monotonic: when the last of them ended; 0: nothing was sent */
	char unmade[PROBE_REASON_SIZE]; /* why the user's edits left nothing to make one of; empty: they always did */
};

void customer_init(struct customer *customer, struct messenger *messenger);
/* One of ten at most who share nothing: their UUIDs do not begin as those of the others do, and their integers have no
 * digit in common where it stands, but for the first. `index`: among them, from 0. */
void customer_init_apart(struct customer *customer, struct messenger *messenger, size_t index);
/* New identifiers for all that is theirs: another session, another report. */
void customer_renew(struct customer *customer, struct messenger *messenger);

/* Makes one. With a likeness the identifiers of an alert or a report share the last digits with those of half of the
 * others, of an integer the last 16 bits, too, and alertId the first ones in the other half. `second`: one that differs
 * from their first in what the specification lets differ, given that they were renewed. Where the user's edits leave
 * nothing to make it of, the messenger says why, and the body is empty. */
int delivery_make(struct delivery *delivery, struct messenger *messenger, struct customer *customer,
                  struct catalog_kind kind, bool second, struct error *err);
/* Gives it another value of a field: a variant of its kind (payload/variants.h). */
int delivery_vary(struct delivery *delivery, size_t variant, struct error *err);
/* Puts a text at the pointer, if it was made. */
int delivery_put(struct delivery *delivery, const char *pointer, const char *text, struct error *err);
void delivery_release(struct delivery *delivery);
static inline bool delivery_accepted(const struct delivery *delivery)
{
	return delivery->status >= 200 && delivery->status < 300;
}
/* What is alike in the lines of two of them but for this: "reportKey", "the element", "enrollmentCode"; NULL: nothing
 * differs. */
const char *delivery_difference(struct catalog_kind kind);

/* Sends those that were made, in order, on `connections` (0: one), each on one of its own. With `stop` each response is
 * shown to it, and true ends the sending: what was not sent keeps a status below zero. */
int messenger_send(struct messenger *messenger, struct delivery *const *deliveries, size_t count, unsigned connections,
                   bool (*stop)(void *context, const struct delivery *delivery), void *context, struct error *err);

/* Sends them side by side, as many as probe/play/flight.h says: those of a customer stand together, and go one after
 * the other. What gets a non-2xx status so, or none, is sent again by itself, at the end. */
int messenger_send_abreast(struct messenger *messenger, struct delivery *const *deliveries, size_t count,
                           struct error *err);

/* What comes before a notification in a customer's life, as events: at most CUSTOMER_BEFORE_MAX. */
#define CUSTOMER_BEFORE_MAX 2
size_t customer_life_before(struct catalog_kind kind, struct catalog_kind before[CUSTOMER_BEFORE_MAX]);

#endif
