/*
 * The payloads of a run: valid ones whose identifiers fit together, and that carry the run's mark.
 *
 * What an event begins (a customer, a session, a report) gets a new identifier each time; what it refers to is what the
 * listener knows already, unless the caller asks for a customer of its own. Each UUID begins with the mark, and
 * names, streets and cities end in it, so that a tester finds what a run left behind, and the run what a response gives
 * away. The user's edits come last.
 */
#ifndef CREDHOOK_PROBE_SAMPLE_H
#define CREDHOOK_PROBE_SAMPLE_H

#include "base/random.h"
#include "catalog/catalog.h"
#include "payload/edit.h"

#define PROBE_MARK_SIZE   9
#define PROBE_LINKS       6
#define PROBE_EDITS_MAX   3
#define PROBE_DESTINATION 2048

/* Identifiers that events refer to, by the rows of sample.c. */
struct probe_world {
	char values[PROBE_LINKS][RANDOM_UUID_SIZE];
};

/* Makes payloads and requests of them. probe_maker_init() fills it; nothing to release. */
struct probe_maker {
	uint64_t seed;
	char mark[PROBE_MARK_SIZE];                 /* eight hexadecimal digits */
	const struct edits *edits[PROBE_EDITS_MAX]; /* borrowed, applied in order */
	const char *url;                            /* borrowed: the destination's */
	struct probe_world world;                   /* what the listener knows */
	struct catalog_kind accepted;               /* an event that the listener takes */
	const bool *failed;                         /* borrowed, by catalog_kind_index(): it does not take the event */
};

void probe_maker_init(struct probe_maker *maker, uint64_t seed, const char *url);

/* Identifiers that are new to the listener; `salt` makes them differ. */
void probe_world_init(struct probe_world *world, const struct probe_maker *maker, uint64_t salt);

/* Replaces *out by a payload of the kind. `world`: whose identifiers it refers to; with `begin` those that the event
 * begins are put there. The same salt gives the same payload. */
int probe_sample(const struct probe_maker *maker, struct catalog_kind kind, uint64_t salt, struct probe_world *world,
                 bool begin, struct buffer *out, struct error *err);

/* Whether an event refers to something that another one begins, which has to be sent before it. */
bool probe_refers_to(const struct catalog_event *event, const struct catalog_event *beginning);

/* Puts JSON text at the pointer of a payload. */
int probe_put(struct buffer *payload, const char *pointer, const char *value, struct error *err);

#endif
