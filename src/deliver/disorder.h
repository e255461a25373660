/*
 * A source of jobs in front of another one: what comes out is disordered and delivered at least once, as real senders
 * of notifications do.
 *
 * Record n, counted from 0, moves to place n plus 0 to `places`; among records of the same place the one that was moved
 * least goes first. So none comes more than `places` late or early. A duplicate follows its record directly, or after
 * up to `places` further ones (at least DISORDER_DUPLICATE_PLACES).
 *
 * Times belong to places: a late record goes out when the one that was to go at that place would have, a duplicate
 * without delay.
 *
 * The jobs held back are as many as that needs, or fewer where their bodies are large: then records come less late.
 */
#ifndef CREDHOOK_DELIVER_DISORDER_H
#define CREDHOOK_DELIVER_DISORDER_H

#include "deliver/run.h"

#define DISORDER_PLACES_MAX       1000
#define DISORDER_DUPLICATE_PLACES 10

struct disorder_options {
	unsigned places;   /* at most DISORDER_PLACES_MAX */
	double duplicates; /* the share of records that are delivered twice, 0 to 1 */
	uint64_t seed;     /* the same seed and source make the same sequence */
};

struct disorder;

/* Borrows what the source's context points to. NULL: no memory. */
struct disorder *disorder_new(const struct job_source *source, const struct disorder_options *options);
void disorder_free(struct disorder *disorder); /* NULL is allowed; what is held back never goes */

/* Whether record `number` is delivered twice. The source behind asks, and marks its jobs: of a run that is resumed it
 * knows which of the two deliveries have ended. */
bool disorder_duplicates(const struct disorder *disorder, uint64_t number);

/* The next job, as job_source.next. */
enum job_got disorder_next(struct disorder *disorder, struct job *job, struct error *err);

#endif
