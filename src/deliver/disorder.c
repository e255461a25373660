#include "deliver/disorder.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

/* What the bodies held back may come to before the first goes early. */
#define HELD_BYTES ((size_t)4 << 20)

#define DUE_PLACES (DISORDER_PLACES_MAX + 2)

struct held {
	struct job *job;
	uint64_t place;
	uint64_t number; /* of the record */
	bool again;      /* its second delivery */
};

struct disorder {
	struct job_source source;
	struct disorder_options options;
	struct random random;
	struct held *held; /* in the order in which they go */
	size_t count;
	size_t capacity;
	size_t bytes;
	uint64_t taken;             /* records that the source has given */
	uint64_t given;             /* records that went on, without their duplicates */
	uint64_t ahead;             /* the highest number among those, plus one */
	int64_t due_ns[DUE_PLACES]; /* of the places from `given` to `taken`, by their remainders */
	int64_t last_due_ns;
	bool ended;
};

struct disorder *disorder_new(const struct job_source *source, const struct disorder_options *options)
{
	struct disorder *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->source = *source;
	d->options = *options;
	random_seed(&d->random, options->seed);
	return d;
}

void disorder_free(struct disorder *d)
{
	for (size_t i = 0; d && i < d->count; i++)
		job_free(d->held[i].job);
	if (d)
		free(d->held);
	free(d);
}

/* By the record's number alone: a resumed run makes fewer calls. Not the draws of a sample with the same seed. */
bool disorder_duplicates(const struct disorder *d, uint64_t number)
{
	return random_takes(~d->options.seed, number, d->options.duplicates);
}

static bool goes_before(const struct held *a, const struct held *b)
{
	if (a->place != b->place)
		return a->place < b->place;
	if (a->number != b->number)
		return a->number > b->number;
	return !a->again;
}

/* Holds a copy of the job. False: no memory. */
static bool hold(struct disorder *d, const struct job *job, uint64_t place, bool again)
{
	struct held *grown = array_grow(d->held, &d->capacity, d->count + 1, sizeof *grown);
	struct job *copy = grown ? calloc(1, sizeof *copy) : NULL;
	d->held = grown ? grown : d->held;
	if (!copy || !job_copy(copy, job)) {
		job_free(copy);
		return false;
	}
	copy->duplicate |= again;
	struct held held = { copy, place, d->taken, again };
	size_t at = d->count++;
	for (; at > 0 && goes_before(&held, &d->held[at - 1]); at--)
		d->held[at] = d->held[at - 1];
	d->held[at] = held;
	d->bytes += copy->body.length;
	journal_hold(copy, true);
	return true;
}

static bool take(struct disorder *d, const struct job *job)
{
	unsigned late = d->options.places, behind = late > DISORDER_DUPLICATE_PLACES ? late : DISORDER_DUPLICATE_PLACES;
	uint64_t place = d->taken + random_below(&d->random, late + 1);
	d->due_ns[d->taken % DUE_PLACES] = job->due_ns;
	bool is_held = hold(d, job, place, false) &&
	               (!job->twice || hold(d, job, place + random_below(&d->random, behind + 1), true));
	d->taken++;
	return is_held;
}

/* Nothing that is still to be read comes before it. */
static bool is_ready(const struct disorder *d)
{
	return d->count > 0 && (d->ended || d->held[0].place < d->taken || d->bytes > HELD_BYTES);
}

static bool give(struct disorder *d, struct job *job)
{
	struct held first = d->held[0];
	memmove(d->held, d->held + 1, --d->count * sizeof first);
	d->bytes -= first.job->body.length;
	bool is_copied = job_copy(job, first.job);
	journal_hold(first.job, false);
	if (!first.again) {
		job->reordered = first.number < d->ahead;
		d->ahead = job->reordered ? d->ahead : first.number + 1;
		d->last_due_ns = d->due_ns[d->given++ % DUE_PLACES];
	}
	job->due_ns = d->last_due_ns;
	job_free(first.job);
	return is_copied;
}

enum job_got disorder_next(struct disorder *d, struct job *job, struct error *err)
{
	while (!is_ready(d)) {
		enum job_got got = d->ended ? JOB_NONE : d->source.next(d->source.context, job, err);
		d->ended |= got == JOB_NONE;
		if (got == JOB_FILLED && !take(d, job)) {
			error_no_memory(err);
			return JOB_FAILED;
		}
		if (got != JOB_FILLED && (got != JOB_NONE || d->count == 0))
			return got;
		job_clear(job);
	}
	if (give(d, job))
		return JOB_FILLED;
	error_no_memory(err);
	return JOB_FAILED;
}
