/* Which of the facts that fit are named. */
#include "cause/cause_internal.h"

#include <string.h>

static bool name_fact(struct cause *cause, const struct fact *fact)
{
	if (cause->fact_count == CAUSE_NAMED_MOST)
		return false;
	cause->facts[cause->fact_count++] =
	        (struct cause_fact){ fact->kind, fact->subject, fact->limit[0] ? fact->limit : fact->value };
	return true;
}

/* Whether a fact of the same member is named; what came before is not of it. */
static bool is_named(const struct cause *cause, const struct fact *fact)
{
	for (size_t i = 0; i < cause->fact_count; i++)
		if (strcmp(cause->facts[i].subject, fact->subject) == 0 &&
		    (cause->facts[i].kind == FACT_NEW) == (fact->kind == FACT_NEW))
			return true;
	return false;
}

/* How many of the same responses to requests that need not be explained have a fact with this subject that fits. */
static size_t count_aside(const struct cause_finder *f, const struct failures *class, const struct fits *fits,
                          const char *subject)
{
	size_t most = 0;
	for (size_t n = 0; n < fits->count; n++) {
		const struct fact *fact = &f->rows.facts[fits->list[n].facts[0]];
		size_t count = 0;
		for (size_t i = 0; strcmp(fact->subject, subject) == 0 && i < f->rows.count; i++) {
			const struct row *row = &f->rows.list[i];
			count += row->side == CAUSE_ASIDE && !row->is_asked && row->class_key == class->key &&
			         bits_have(&fact->rows, i);
		}
		most = count > most ? count : most;
	}
	return most;
}

/* Keeps the subjects that such responses point to most, if any do. */
static void prefer_shown_aside(const struct cause_finder *f, const struct failures *class, struct fits *fits)
{
	size_t counts[FITS_MOST], most = 0, kept = 0;
	for (size_t n = 0; n < fits->count; n++) {
		counts[n] = count_aside(f, class, fits, f->rows.facts[fits->list[n].facts[0]].subject);
		most = counts[n] > most ? counts[n] : most;
	}
	for (size_t n = 0; n < fits->count; n++)
		if (counts[n] == most)
			fits->list[kept++] = fits->list[n];
	fits->count = kept;
}

/* The fact of any text or identifier stands for those of each, unless all that fit are about one member. */
static const struct fact *find_of_any(const struct cause_finder *f, const struct fits *fits)
{
	for (size_t n = 0; n < fits->count; n++) {
		const struct fact *fact = &f->rows.facts[fits->list[n].facts[0]];
		const char *member = NULL;
		bool several = false;
		if (!fact_rows[fact->kind].of_any || fact->subject[0] != '\0')
			continue;
		for (size_t i = 0; i < fits->count; i++) {
			const struct fact *other = &f->rows.facts[fits->list[i].facts[0]];
			if (other->kind != fact->kind || other->subject[0] == '\0')
				continue;
			several |= member && strcmp(member, other->subject) != 0;
			member = other->subject;
		}
		return member && !several ? NULL : fact;
	}
	return NULL;
}

/* Whether the fact is that a member of an object is there, and the object itself may be why. */
static bool is_within(const struct cause_finder *f, const struct fits *fits, const struct fact *fact)
{
	for (size_t i = 0; i < fits->count; i++) {
		const struct fact *object = &f->rows.facts[fits->list[i].facts[0]];
		size_t length = strlen(object->subject);
		if (fact->kind == FACT_PRESENT && object->kind == FACT_PRESENT &&
		    strncmp(fact->subject, object->subject, length) == 0 && fact->subject[length] == '/')
			return true;
	}
	return false;
}

void name_singles(const struct cause_finder *f, const struct failures *class, struct fits *fits, struct cause *cause)
{
	prefer_shown_aside(f, class, fits);
	const struct fact *kind = NULL, *only = NULL, *any = find_of_any(f, fits);
	bool room = true;
	/* Each subject has its first fact. */
	for (size_t i = 0; i < fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i].facts[0]];
		bool is_of_any = fact_rows[fact->kind].of_any && (any ? fact->kind == any->kind : !fact->subject[0]);
		if (fact->kind == FACT_KIND)
			kind = fact;
		if (fact->kind == FACT_KIND || (is_of_any && fact != any) || is_named(cause, fact) ||
		    is_within(f, fits, fact))
			continue;
		room &= name_fact(cause, fact);
		only = fact;
	}
	bool one = cause->fact_count == 1, shown = one && asked_shows(f, class, only);
	/* That a member is there or not divides the events, and says little where no response shows that it matters. */
	bool divides = one && only && (only->kind == FACT_PRESENT || only->kind == FACT_ABSENT);
	cause->type = !room || (divides && !shown) ? CAUSE_UNKNOWN
	              : one && (shown || !kind)    ? CAUSE_FOUND
	                                           : CAUSE_TOGETHER;
	/* Whether it is what the value is, or only how large, cannot be told apart where both fit. */
	for (size_t i = 0; one && i < fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i].facts[0]];
		if (fact != only && fact_rows[fact->kind].is_measure && strcmp(fact->subject, only->subject) == 0 &&
		    !fact_rows[only->kind].is_measure && name_fact(cause, fact))
			cause->type = CAUSE_TOGETHER;
	}
	if (!kind || shown)
		return;
	/* What is said of many of its facts, its name says. */
	if (cause->fact_count == 0 || cause->fact_count == CAUSE_NAMED_MOST) {
		cause->fact_count = 0;
		cause->type = CAUSE_FOUND;
	}
	name_fact(cause, kind);
}

/* Whether listeners choose by the fact what to do, and one that the service sends was accepted with it. */
static bool is_routed_elsewhere(const struct cause_finder *f, const struct fact *fact)
{
	for (size_t i = 0; fact_is_of_envelope(fact) && fact_rows[fact->kind].leads && i < f->rows.count; i++)
		if (bits_have(&fact->rows, i) && bits_have(&f->rows.accepted, i) && !f->rows.list[i].is_asked)
			return true;
	return false;
}

/* Two facts of the envelope that fit are an entry that a table does not have: all that are in such pairs are named, and
 * it need not be asked for what no sender sends. */
static void name_route(const struct cause_finder *f, const struct fits *fits, struct cause *cause)
{
	for (int kind = FACT_KINDS - 1; kind >= 0 && !fits->are_too_many; kind--) /* the service first */
		for (size_t i = 0; i < 2 * fits->count; i++) {
			const struct fact *fact = &f->rows.facts[fits->list[i / 2].facts[i % 2]];
			const struct fact *other = &f->rows.facts[fits->list[i / 2].facts[(i + 1) % 2]];
			if (fact->kind == (enum fact_kind)kind && is_routed_elsewhere(f, fact) &&
			    is_routed_elsewhere(f, other) && !is_named(cause, fact))
				name_fact(cause, fact);
		}
}

/* Names what the fact that is named fits with, since an accepted one has it alone: the kind, which says all of it, or
 * whatever it is. */
static void name_partners(const struct cause_finder *f, const struct fits *fits, struct cause *cause)
{
	for (size_t i = 0; i < 2 * fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i / 2].facts[i % 2]];
		if (fact->kind == FACT_KIND && name_fact(cause, fact))
			return;
	}
	for (size_t i = 0; i < 2 * fits->count; i++) {
		const struct fact *fact = &f->rows.facts[fits->list[i / 2].facts[i % 2]];
		if (!is_named(cause, fact) && !name_fact(cause, fact))
			return;
	}
}

/* The facts that all pairs have are the cause. */
void name_pairs(const struct cause_finder *f, const struct failures *class, const struct fits *fits,
                struct cause *cause)
{
	/* What leads is only where the other matters. */
	for (int side = 1; side >= 0; side--) {
		const struct fact *fact = &f->rows.facts[fits->list[0].facts[side]];
		bool in_all = !fits->are_too_many;
		for (size_t i = 0; i < fits->count; i++)
			in_all &= strcmp(f->rows.facts[fits->list[i].facts[0]].subject, fact->subject) == 0 ||
			          strcmp(f->rows.facts[fits->list[i].facts[1]].subject, fact->subject) == 0;
		if (in_all && asked_shows(f, class, fact) && !is_named(cause, fact))
			name_fact(cause, fact);
	}
	if (cause->fact_count == 1)
		name_partners(f, fits, cause);
	if (cause->fact_count == 0)
		name_route(f, fits, cause);
	cause->type = cause->fact_count > 0 ? CAUSE_FOUND : CAUSE_UNKNOWN;
}
