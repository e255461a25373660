/* The facts that fit rows of a class, and how surely. */
#include "cause/day_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order in which facts are named: what says more of the others first. */
static int rank_of(const struct day_candidate *c)
{
	if (c->fact.kind == FACT_KIND)
		return 0;
	if (c->is_same)
		return 1;
	if (c->fact.kind == FACT_PRESENT)
		return 2;
	return 3 + (int)c->fact.kind;
}

static int by_rank(const void *a, const void *b)
{
	const struct day_candidate *one = a, *other = b;
	int ranks = rank_of(one) - rank_of(other);
	return ranks != 0 ? ranks : (one->order > other->order) - (one->order < other->order);
}

/* Facts, with the rows that have them. */
static size_t add_facts(const struct day *d, const struct day_class *class, struct day_candidate *list)
{
	size_t count = 0;
	uint16_t *place = calloc(d->picked_count + 1, sizeof *place);
	if (!place)
		return SIZE_MAX;
	for (size_t picked = 0; picked < d->picked_count; picked++) {
		const struct day_share *share = day_share_of(d, class, picked);
		const struct day_fact *fact = &d->facts[d->picked[picked]];
		place[picked] = DAY_NONE;
		if (share->rows < DAY_LEAST)
			continue;
		place[picked] = (uint16_t)count;
		list[count] = (struct day_candidate){
			.fact = { .kind = fact->kind, .subject = fact->subject, .value = fact->value },
			.picked = (uint16_t)picked,
			.order = count,
			.is_accepted = d->together[picked][picked / 64] >> picked % 64 & 1,
			.is_in_span = share->in_span == 0,
		};
		count++;
	}
	for (size_t i = 0; i < class->row_count; i++)
		for (size_t f = 0; f < class->rows[i].fact_count; f++) {
			uint16_t picked = d->facts[class->rows[i].facts[f]].picked;
			if (picked != DAY_NONE && place[picked] != DAY_NONE)
				bits_set(&list[place[picked]].rows, i, true);
		}
	free(place);
	return count;
}

/* What is farther than all that was accepted; nothing of failures that are not kept is known. */
static size_t add_measures(const struct day *d, const struct day_class *class, struct day_candidate *list, size_t count)
{
	size_t from = count;
	for (size_t i = 0; class->count == class->row_count && i < class->row_count; i++)
		for (size_t m = 0; m < class->rows[i].measured_count; m++) {
			const struct day_measured *measured = &class->rows[i].measured[m];
			const struct day_fact *fact = &d->facts[measured->fact];
			size_t at = from;
			bool is_known = !d->has_skipped || fact->is_open || fact->kind == FACT_LARGER;
			if (!is_known || fact->measured == 0 || !day_is_beyond(fact, measured->number))
				continue;
			while (at < count && list[at].order != measured->fact)
				at++;
			if (at == count && count - from == DAY_MEASURES_MOST)
				continue;
			if (at == count) {
				list[count] = (struct day_candidate){
					.fact = { .kind = fact->kind,
					          .subject = fact->subject,
					          .limit = fact->farthest },
					.picked = DAY_NONE,
					.order = measured->fact,
					.measured = fact->measured,
				};
				snprintf(list[count].name, sizeof list[count].name, "%.0f", fact->farthest);
				count++;
			}
			bits_set(&list[at].rows, i, true);
		}
	return count;
}

static size_t add_same(const struct day_class *class, struct day_candidate *list, size_t count)
{
	for (const struct day_same *s = class->same; s < class->same + class->same_count; s++) {
		if (s->accepted > 0 || !s->value || !*s->value || class->count > class->row_count)
			continue;
		list[count] = (struct day_candidate){
			.fact = { .kind = FACT_VALUE, .subject = fact_key_pointer(s->key), .value = s->value },
			.picked = DAY_NONE,
			.order = s->key,
			.is_same = true,
		};
		for (size_t i = 0; i < class->row_count; i++)
			if (class->rows[i].keys[s->key] == s->hash)
				bits_set(&list[count].rows, i, true);
		count++;
	}
	return count;
}

/* Sets of keys with which no two were accepted; those of few keys first. */
static size_t add_after(const struct day *d, const struct day_class *class, struct day_candidate *list, size_t count)
{
	for (unsigned id = 0; id < DAY_IDENTITIES && class->count == class->row_count; id++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++) {
			struct day_candidate *c = &list[count];
			bool is_body = FACT_ENVELOPE + id == DAY_BODY_KEY;
			if (!d->history.sets[id][set].is_open)
				continue;
			*c = (struct day_candidate){
				.fact = { .kind = is_body ? FACT_REPEAT : FACT_AFTER,
				          .subject = "",
				          .value = "",
				          .keys = (uint16_t)(set | 1u << (FACT_ENVELOPE + id)) },
				.picked = DAY_NONE,
				.order = (size_t)__builtin_popcount(set) * DAY_IDENTITIES + id,
			};
			for (size_t i = 0; i < class->row_count; i++)
				if (day_history_has(&class->rows[i], id, set))
					bits_set(&c->rows, i, true);
			if (!is_body)
				day_history_name(id, set, c->name, sizeof c->name);
			count += bits_count(&c->rows) >= DAY_LEAST;
		}
	return count;
}

struct day_candidate *day_candidates(const struct day *d, const struct day_class *class, size_t *count)
{
	struct day_candidate *list =
	        calloc(d->picked_count + DAY_MEASURES_MOST + DAY_SAME_MOST + DAY_AFTER_MOST + 1, sizeof *list);
	*count = list ? add_facts(d, class, list) : SIZE_MAX;
	if (*count == SIZE_MAX) {
		free(list);
		return NULL;
	}
	*count = add_measures(d, class, list, *count);
	*count = add_same(class, list, *count);
	*count = add_after(d, class, list, *count);
	qsort(list, *count, sizeof *list, by_rank);
	for (size_t i = 0; i < *count; i++) {
		if (list[i].measured > 0)
			list[i].fact.value = list[i].name;
		else if (list[i].fact.kind == FACT_AFTER)
			list[i].fact.subject = list[i].name;
	}
	return list;
}

/* Whether only notifications of the same kinds could have it. */
static bool is_of_content(const struct day_candidate *c)
{
	return strncmp(c->fact.subject, "/details", strlen("/details")) == 0;
}

uint64_t day_scope(const struct day *d, const struct day_class *class, const struct bits *part,
                   const struct day_candidate *candidate)
{
	uint64_t kinds = 0, count = 0;
	if (candidate->measured > 0)
		return candidate->measured;
	if (!is_of_content(candidate))
		return d->compared;
	for (size_t i = 0; i < class->row_count; i++)
		if (bits_have(part, i))
			kinds |= UINT64_C(1) << class->rows[i].kind;
	for (size_t kind = 0; kind < d->kind_count; kind++)
		count += kinds >> kind & 1 ? d->accepted_kinds[kind] : 0;
	return count;
}

uint64_t day_scope_in_span(const struct day_class *class, const struct bits *part,
                           const struct day_candidate *candidate)
{
	const uint32_t *between = is_of_content(candidate) ? class->same_kinds : class->any_kind;
	uint64_t count = 0, pending = 0;
	bool has_begun = false;
	for (size_t i = 0; i < class->row_count; i++) {
		pending += has_begun ? between[i] : 0;
		if (!bits_have(part, i))
			continue;
		count += pending;
		pending = 0;
		has_begun = true;
	}
	return count;
}

bool day_is_certain(uint64_t part, uint64_t failed, uint64_t accepted, double tries)
{
	double chance = tries;
	for (uint64_t i = 0; i < part && i < failed && chance >= DAY_CHANCE / 1e6; i++)
		chance *= (double)(failed - i) / (double)(failed + accepted - i);
	return chance < DAY_CHANCE;
}
