#include "cause/cause_internal.h"

#include <string.h>

/* A failure among several at the same time may have come after another one: one that has come after it has to say so,
 * too. */
static bool is_certain(const struct rows *rows, const struct fact *fact, const struct bits *of)
{
	if (!fact_is_after(fact) && fact->kind != FACT_REPEAT)
		return true;
	for (size_t i = 0; i < rows->count; i++)
		if (bits_have(of, i) && !rows->list[i].at_once)
			return true;
	return false;
}

bool search_covers(const struct rows *rows, size_t fact, const struct bits *of)
{
	return !rows->facts[fact].is_disproved && bits_hold(&rows->facts[fact].rows, of) &&
	       is_certain(rows, &rows->facts[fact], of);
}

static void add_fit(struct fits *fits, size_t fact)
{
	if (fits->count == FITS_MOST)
		fits->are_too_many = true;
	else
		fits->list[fits->count++] = fact;
}

/* Whether a repeat with the same keys, or some of them, explains the same. */
static bool is_wider_repeat(const struct rows *rows, const struct fits *fits, const struct fact *fact)
{
	for (size_t i = 0; i < fits->count; i++) {
		const struct fact *other = &rows->facts[fits->list[i]];
		if (fact_is_after(other) && (fact->keys & other->keys) == other->keys)
			return true;
	}
	return false;
}

/* Whether some of those that are compared with have the fact, too. What comes again may be known by its bytes: that it
 * was accepted says nothing against an identifier that both have. */
static bool is_contradicted(const struct rows *rows, const struct fact *fact, const struct bits *against)
{
	struct bits both = bits_and(&fact->rows, against);
	bool has_identifier = fact->kind == FACT_AFTER_PRESENT && fact->keys >= ENVELOPE_SETS;
	for (size_t i = 0; has_identifier && i < rows->fact_count; i++)
		if (rows->facts[i].kind == FACT_REPEAT)
			bits_remove(&both, &rows->facts[i].rows);
	return bits_count(&both) > 0;
}

static void add_fitting(const struct rows *rows, const struct bits *of, const struct bits *against, size_t index,
                        struct fits *fits)
{
	const struct fact *fact = &rows->facts[index];
	if (search_covers(rows, index, of) && !is_contradicted(rows, fact, against) &&
	    !(fact_is_after(fact) && is_wider_repeat(rows, fits, fact)))
		add_fit(fits, index);
}

void search_fits(const struct rows *rows, const struct bits *of, const struct bits *against, struct fits *fits)
{
	fits->count = 0;
	fits->are_too_many = false;
	for (size_t i = 0; i < rows->fact_count; i++)
		if (rows->facts[i].kind == FACT_REPEAT)
			add_fitting(rows, of, against, i, fits);
	bool repeats = fits->count > 0;
	/* One with the same bytes has the same keys, whatever it is recognized by. */
	for (int keys = 1; keys <= FACT_KEYS_MOST && !repeats; keys++)
		for (size_t i = 0; i < rows->fact_count; i++)
			if (fact_is_after(&rows->facts[i]) && __builtin_popcount(rows->facts[i].keys) == keys)
				add_fitting(rows, of, against, i, fits);
	for (int kind = FACT_TAKEN; kind < FACT_KINDS; kind++)
		for (size_t i = 0; i < rows->fact_count; i++)
			if (rows->facts[i].kind == (enum fact_kind)kind)
				add_fitting(rows, of, against, i, fits);
}

/* Takes the rows of a set of facts where they are more than the part has. */
static void take_larger(const struct rows *rows, const struct bits *of, const struct bits *set, size_t fact,
                        struct bits *part, size_t *count)
{
	struct bits both = bits_and(of, set);
	size_t size = bits_count(&both);
	if (rows->facts[fact].is_disproved || size <= *count || bits_meet(set, &rows->accepted) ||
	    !is_certain(rows, &rows->facts[fact], &both))
		return;
	*part = both;
	*count = size;
}

bool search_most(const struct rows *rows, const struct bits *of, struct bits *part)
{
	size_t count = 0;
	for (int kind = 0; kind < FACT_KINDS; kind++)
		for (size_t i = 0; i < rows->fact_count; i++)
			if (rows->facts[i].kind == (enum fact_kind)kind)
				take_larger(rows, of, &rows->facts[i].rows, i, part, &count);
	for (size_t place = 0; place < rows->fact_count; place++) {
		struct bits there = bits_and(of, &rows->facts[place].rows);
		if (!fact_rows[rows->facts[place].kind].is_place || bits_count(&there) <= count)
			continue;
		for (size_t i = 0; i < rows->fact_count; i++) {
			/* The envelope that is the same is what the place says. */
			if (fact_is_after(&rows->facts[i]) && rows->facts[i].keys & (ENVELOPE_SETS - 1))
				continue;
			struct bits both = bits_and(&rows->facts[place].rows, &rows->facts[i].rows);
			take_larger(rows, of, &both, i, part, &count);
		}
	}
	return count > 0;
}

/* Finds the row of a set with the fewest facts apart from this one, where that is fewer than *apart. */
static bool find_nearest(const struct rows *rows, const struct bits *set, size_t row, size_t *nearest, size_t *apart,
                         size_t *compared)
{
	bool found = false;
	for (size_t other = 0; other < rows->count; other++) {
		size_t count = 0;
		if (!bits_have(set, other))
			continue;
		++*compared;
		for (size_t i = 0; i < rows->fact_count && count < *apart; i++)
			count += bits_have(&rows->facts[i].rows, row) != bits_have(&rows->facts[i].rows, other);
		if (count >= *apart)
			continue;
		*apart = count;
		*nearest = other;
		found = true;
	}
	return found;
}

/* Each with each would be too many: from the first failed one to the accepted one that is nearest, to the failed one
 * that is nearest to that, and so on, as long as it is nearer. */
bool search_alike(const struct rows *rows, const struct bits *of, struct alike *alike)
{
	size_t apart = SIZE_MAX;
	bool nearer = true;
	*alike = (struct alike){ .compared = 0 };
	while (alike->failed < rows->count && !bits_have(of, alike->failed))
		alike->failed++;
	for (int round = 0; nearer && alike->failed < rows->count && round < ALIKE_ROUNDS_MOST; round++)
		nearer = round % 2 == 0
		                 ? find_nearest(rows, &rows->accepted, alike->failed, &alike->accepted, &apart,
		                                &alike->compared)
		                 : find_nearest(rows, of, alike->accepted, &alike->failed, &apart, &alike->compared);
	return apart != SIZE_MAX;
}
