/* Facts that are a cause only together: named one after the other. */
#include "cause/cause_internal.h"

bool fits_say_more(const struct cause_finder *f, const struct failures *class, const struct named *named,
                   const struct fits *fits)
{
	for (size_t i = 0; i < fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i]];
		bool divides = fact->kind == FACT_PRESENT || fact->kind == FACT_ABSENT;
		if (fact->kind != FACT_KIND && !(divides && !asked_shows(f, class, fact, &named->against)))
			return true;
	}
	return false;
}

/* How many of those that are compared with have the fact, as it may be named before others. SIZE_MAX: it may not, or
 * tells none of them apart. */
static size_t count_against(const struct cause_finder *f, const struct bits *part, const struct bits *against,
                            size_t index)
{
	const struct fact *fact = &f->rows.facts[index];
	/* Which part of the envelope is the same, further rounds say. */
	bool is_whole = fact->kind == FACT_KIND || (fact_is_after(fact) && fact->keys & (ENVELOPE_SETS - 1));
	if (is_whole || !search_covers(&f->rows, index, part) || bits_hold(&fact->rows, against))
		return SIZE_MAX;
	struct bits both = bits_and(against, &fact->rows);
	return bits_count(&both);
}

static bool is_named(const struct named *named, size_t fact)
{
	for (size_t i = 0; i < named->count; i++)
		if (named->facts[i] == fact)
			return true;
	return false;
}

size_t rounds_next(const struct cause_finder *f, const struct bits *part, const struct named *named,
                   size_t next[ROUND_NEXT_MOST])
{
	size_t counts[ROUND_NEXT_MOST], found = 0;
	for (int kind = 0; kind < FACT_KINDS; kind++)
		for (size_t i = 0; i < f->rows.fact_count; i++) {
			if (f->rows.facts[i].kind != (enum fact_kind)kind)
				continue;
			size_t count = count_against(f, part, &named->against, i), at = found;
			if (count == SIZE_MAX || (found == ROUND_NEXT_MOST && count >= counts[found - 1]))
				continue;
			found += found < ROUND_NEXT_MOST;
			for (at = found - 1; at > 0 && counts[at - 1] > count; at--) {
				counts[at] = counts[at - 1];
				next[at] = next[at - 1];
			}
			counts[at] = count;
			next[at] = i;
		}
	return found;
}

static void name_next(const struct cause_finder *f, struct named *named, size_t fact)
{
	named->facts[named->count++] = fact;
	named->against = bits_and(&named->against, &f->rows.facts[fact].rows);
}

/* What fits in a later round. That it came after another one is there by chance then, unless it was shown. */
static void search_again(const struct cause_finder *f, const struct failures *class, const struct bits *part,
                         const struct named *named, struct fits *fits)
{
	size_t kept = 0;
	search_fits(&f->rows, part, &named->against, fits);
	for (size_t i = 0; i < fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i]];
		if (!fact_is_after(fact) || asked_shows(f, class, fact, &named->against))
			fits->list[kept++] = fits->list[i];
	}
	fits->count = kept;
}

/* The fact that was shown, and that the fewest have that are compared with. */
static size_t find_shown(const struct cause_finder *f, const struct failures *class, const struct bits *part,
                         const struct named *named)
{
	size_t best = FIT_NONE, least = SIZE_MAX;
	for (size_t i = 0; i < f->rows.fact_count; i++) {
		size_t count = count_against(f, part, &named->against, i);
		if (count < least && !is_named(named, i) && asked_shows(f, class, &f->rows.facts[i], &named->against)) {
			best = i;
			least = count;
		}
	}
	return best;
}

/* Whether listeners choose by the fact what to do, and one that the service sends was accepted with it. */
static bool is_routed_elsewhere(const struct cause_finder *f, const struct fact *fact)
{
	bool is_place = fact_rows[fact->kind].is_place && fact->kind != FACT_KIND;
	for (size_t i = 0; is_place && i < f->rows.count; i++)
		if (bits_have(&fact->rows, i) && bits_have(&f->rows.accepted, i) && !f->rows.list[i].is_asked)
			return true;
	return false;
}

/* Names the places that the fewest have that are compared with: several, where they are the same there. */
static bool name_places(const struct cause_finder *f, const struct bits *part, struct named *named)
{
	const struct bits against = named->against;
	size_t least = SIZE_MAX;
	struct bits best = { { 0 } };
	for (size_t i = 0; i < f->rows.fact_count; i++) {
		size_t count = count_against(f, part, &against, i);
		if (count < least && is_routed_elsewhere(f, &f->rows.facts[i])) {
			least = count;
			best = bits_and(&against, &f->rows.facts[i].rows);
		}
	}
	for (size_t i = 0; least != SIZE_MAX && i < f->rows.fact_count; i++) {
		struct bits same = bits_and(&against, &f->rows.facts[i].rows);
		if (count_against(f, part, &against, i) == least && is_routed_elsewhere(f, &f->rows.facts[i]) &&
		    bits_hold(&same, &best) && named->count < CAUSE_NAMED_MOST)
			name_next(f, named, i);
	}
	return least != SIZE_MAX;
}

static void keep_places(const struct cause_finder *f, struct fits *fits)
{
	size_t kept = 0;
	for (size_t i = 0; i < fits->count; i++)
		if (is_routed_elsewhere(f, &f->rows.facts[fits->list[i]]))
			fits->list[kept++] = fits->list[i];
	fits->count = kept;
}

void rounds_play_places(const struct cause_finder *f, const struct bits *part, struct named *named, struct fits *fits)
{
	while (fits->count == 0 && !fits->are_too_many && named->count < CAUSE_NAMED_MOST &&
	       name_places(f, part, named)) {
		search_fits(&f->rows, part, &named->against, fits);
		keep_places(f, fits);
	}
}

void rounds_play(const struct cause_finder *f, const struct failures *class, const struct bits *part,
                 struct named *named, struct fits *fits)
{
	*named = (struct named){ .against = f->rows.accepted };
	search_fits(&f->rows, part, &named->against, fits);
	while (!fits_say_more(f, class, named, fits) && named->count + 1 < CAUSE_NAMED_MOST) {
		size_t next = find_shown(f, class, part, named);
		if (next == FIT_NONE)
			break;
		name_next(f, named, next);
		search_again(f, class, part, named, fits);
	}
}
