#include "base/hash.h"
#include "base/text.h"
#include "cause/day_internal.h"

#include <stdlib.h>
#include <string.h>

const char *const day_type_names[DAY_TYPES] = { "span", "facts", "busy", "unknown" };

#define PAIR_LEAST ((size_t)2 * DAY_LEAST)

/* A class that is looked at. */
struct looking {
	struct day *day;
	const struct day_class *class;
	struct day_candidate *list;
	size_t count;
	struct bits rest;
	size_t parts;
};

static struct day_cause *add_cause(struct looking *l, enum day_type type, const struct bits *part)
{
	struct day *d = l->day;
	const struct day_class *c = l->class;
	size_t capacity = d->cause_count;
	if (!ARRAY_ROOM(d->causes, capacity, d->cause_count + 1)) {
		d->no_memory = true;
		return NULL;
	}
	struct day_cause *cause = &d->causes[d->cause_count++];
	*cause = (struct day_cause){ .type = type,
		                     .status = c->status,
		                     .said = c->varies ? c->common : c->said,
		                     .accepted = d->compared,
		                     .first_alike = c->rows[0].at.number };
	for (size_t i = 0; i < c->row_count; i++) {
		if (!bits_have(part, i))
			continue;
		if (cause->failed++ == 0) {
			cause->first = c->rows[i].at.number;
			cause->first_us = c->rows[i].at.us;
		}
		cause->last = c->rows[i].at.number;
		cause->last_us = c->rows[i].at.us;
		if (cause->number_count < DAY_NUMBERS_MOST)
			cause->numbers[cause->number_count++] = cause->last;
	}
	l->parts++;
	bits_remove(&l->rest, part);
	return cause;
}

/* It is of those that are not kept, too. */
static void add_beyond(struct day_cause *cause, const struct day_class *c)
{
	if (c->count == c->row_count)
		return;
	cause->failed += c->count - c->row_count;
	cause->last = c->last.number;
	cause->last_us = c->last.us;
}

static uint64_t sum(const uint32_t *list, size_t from, size_t to)
{
	uint64_t all = 0;
	for (size_t i = from; i < to; i++)
		all += list[i];
	return all;
}

/* The longest run of rows between which none of the same kinds was accepted, from *first to before *behind. */
static bool find_run(const struct looking *l, size_t *first, size_t *behind)
{
	const struct day_class *c = l->class;
	size_t best = 0;
	for (size_t from = 0, to; from < c->row_count; from = to) {
		for (to = from + 1; to < c->row_count && c->same_kinds[to] == 0 && bits_have(&l->rest, to) &&
		                    bits_have(&l->rest, from);)
			to++;
		if (!bits_have(&l->rest, from) || to - from <= best)
			continue;
		best = to - from;
		*first = from;
		*behind = to;
	}
	return best >= DAY_LEAST;
}

/* Whether all of the failures that are not kept have it. */
static bool have_beyond(const struct looking *l, const struct day_candidate *c)
{
	const struct day_class *class = l->class;
	uint64_t beyond = class->count - class->row_count;
	return beyond == 0 || (c->picked != DAY_NONE && day_share_of(l->day, class, c->picked)->beyond == beyond);
}

static bool fits(const struct looking *l, const struct day_candidate *c, const struct bits *part, bool in_span,
                 double tries)
{
	if (in_span ? !c->is_accepted || !c->is_in_span : c->is_accepted)
		return false;
	uint64_t size = bits_count(part), failed = l->class->row_count;
	uint64_t could = in_span ? day_scope_in_span(l->class, part, c) : day_scope(l->day, l->class, part, c);
	/* It was chosen among the values of an identifier, since many failures have it. */
	tries *= c->is_same ? (double)failed : 1;
	return could >= DAY_ACCEPTED_LEAST && day_is_certain(size, failed, could, tries);
}

static bool is_below(const char *subject, const char *other)
{
	size_t length = strlen(other);
	return strncmp(subject, other, length) == 0 && (subject[length] == '/' || subject[length] == '\0');
}

/* Whether what is named says it already: the kind all else of it, a member what is in it, and any text. */
static bool is_said(const struct day_cause *cause, const struct day_candidate *c)
{
	for (size_t i = 0; i < cause->fact_count; i++) {
		const struct cause_fact *f = &cause->facts[i];
		bool same_value = c->fact.value && f->value && *f->value && strcmp(f->value, c->fact.value) == 0;
		bool is_same =
		        strcmp(f->subject, c->fact.subject) == 0 || f->kind == FACT_AFTER || f->kind == FACT_REPEAT;
		bool is_size = fact_rows[c->fact.kind].is_measure,
		     both_sizes = is_size && fact_rows[f->kind].is_measure;
		/* What is written otherwise often has another length, too. */
		bool is_written = c->fact.kind == FACT_SPELLING && f->kind == FACT_CHARACTERS;
		if (is_written || (f->kind == FACT_KIND && c->fact.kind != FACT_PRESENT) || same_value ||
		    (is_size && !both_sizes) ||
		    (is_same && (f->kind == FACT_PRESENT || f->kind == c->fact.kind || is_size)) ||
		    (f->kind == FACT_PRESENT && is_below(c->fact.subject, f->subject)) ||
		    (c->fact.subject[0] == '\0' && c->fact.kind == f->kind))
			return true;
	}
	return false;
}

/* Whether other failures with the status have what is named, too. */
static bool has_named(const struct day *d, const struct day_row *row, const struct day_candidate *c)
{
	if (c->is_same) {
		for (size_t key = 0; key < fact_key_count(); key++)
			if (strcmp(fact_key_pointer(key), c->fact.subject) == 0)
				return row->keys[key] == hash_bytes(c->fact.value, strlen(c->fact.value));
	}
	for (size_t f = 0; c->picked != DAY_NONE && f < row->fact_count; f++)
		if (row->facts[f] == d->picked[c->picked])
			return true;
	return false;
}

/* Whether the row has the member of the fact as a value of another type, which a filter may take for the same. */
static bool is_otherwise(const struct day *d, const struct day_row *row, const struct day_candidate *c)
{
	for (size_t f = 0; f < row->fact_count; f++) {
		const struct day_fact *fact = &d->facts[row->facts[f]];
		if (fact->kind == FACT_TYPE && strcmp(fact->subject, c->fact.subject) == 0)
			return true;
	}
	return false;
}

static bool is_exact(const struct looking *l, const struct day_cause *cause, const struct day_candidate *a,
                     const struct day_candidate *b)
{
	const struct day *d = l->day;
	uint64_t count = 0;
	if (d->beyond_classes > 0)
		return false;
	for (const struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
		if (c->status != cause->status)
			continue;
		if (c != l->class && c->count > c->row_count)
			return false;
		for (size_t i = 0; i < c->row_count; i++) {
			if (is_otherwise(d, &c->rows[i], a) || (b && is_otherwise(d, &c->rows[i], b)))
				return false;
			count += has_named(d, &c->rows[i], a) && (!b || has_named(d, &c->rows[i], b));
		}
		count += c == l->class ? c->count - c->row_count : 0;
	}
	return count == cause->failed;
}

/* How many facts could have been true of all of the part. */
static double tries_of(const struct looking *l, const struct bits *part)
{
	size_t shared = 1;
	for (size_t i = 0; i < l->count; i++)
		shared += bits_hold(&l->list[i].rows, part);
	return (double)shared;
}

/* Names what fits the part equally. Returns the first of it, or NULL. */
static const struct day_candidate *name(const struct looking *l, struct day_cause *cause, const struct bits *part,
                                        bool in_span, double tries)
{
	const struct day_candidate *first = NULL;
	for (size_t i = 0; i < l->count && cause->fact_count < CAUSE_NAMED_MOST; i++) {
		const struct day_candidate *c = &l->list[i];
		if (!bits_hold(&c->rows, part) || !have_beyond(l, c) || is_said(cause, c) ||
		    !fits(l, c, part, in_span, tries))
			continue;
		first = first ? first : c;
		cause->facts[cause->fact_count++] = c->fact;
	}
	return first;
}

/* All of the part have facts that no accepted one has. */
static void add_facts_cause(struct looking *l, const struct bits *part, bool in_span)
{
	struct day_cause *cause = add_cause(l, DAY_FACTS, part);
	if (!cause)
		return;
	const struct day_candidate *first = name(l, cause, part, in_span, 1);
	add_beyond(cause, l->class);
	cause->is_in_span = in_span;
	cause->is_exact = first && is_exact(l, cause, first, NULL);
	if (in_span) {
		cause->has_before = true;
		cause->accepted = day_scope_in_span(l->class, part, first);
	}
}

/* Whether around the run so large a share fails that such a run comes about by chance: an outage in which some get
 * through. */
static bool is_dense(const struct day_class *c, size_t first, size_t behind)
{
	size_t run = behind - first, from = first > run ? first - run : 0;
	size_t to = behind + run < c->row_count ? behind + run : c->row_count;
	uint64_t failed = first - from + to - behind;
	uint64_t accepted = sum(c->same_kinds, from, first + 1) + sum(c->same_kinds, behind, to + 1);
	double chance = (double)c->row_count, share = (double)failed / (double)(failed + accepted + 1);
	for (size_t i = 1; i < run && chance >= DAY_CHANCE; i++)
		chance *= share;
	return chance >= DAY_CHANCE;
}

/* Whether rows are all that came for a while. only_all: nothing else was accepted meanwhile, of no kind. is_whole: they
 * are all that is left. */
static bool take_span(struct looking *l, bool only_all, bool is_whole)
{
	const struct day_class *c = l->class;
	size_t first = 0, behind = 0;
	struct bits run = { { 0 } };
	if (c->count > c->row_count || !find_run(l, &first, &behind) ||
	    (is_whole && behind - first < bits_count(&l->rest)))
		return false;
	uint64_t before = sum(c->same_kinds, 0, first + 1), after = sum(c->same_kinds, behind, c->row_count + 1);
	uint64_t all = sum(c->same_kinds, 0, c->row_count + 1);
	if (before + after < DAY_ACCEPTED_LEAST || (only_all && sum(c->any_kind, first + 1, behind) > 0) ||
	    !day_is_certain(behind - first - 1, c->row_count - 1, all, (double)c->row_count) ||
	    is_dense(c, first, behind))
		return false;
	for (size_t i = first; i < behind; i++)
		bits_set(&run, i, true);
	struct day_cause *cause = add_cause(l, DAY_SPAN, &run);
	if (cause) {
		name(l, cause, &run, false, tries_of(l, &run));
		cause->has_before = before > 0;
		cause->has_after = after > 0;
		cause->is_only = behind - first == c->row_count;
		cause->accepted = before + after;
	}
	return true;
}

/* A fact that all that is left of the class has. */
static bool take_whole(struct looking *l, bool in_span)
{
	const struct bits part = l->rest;
	if (bits_count(&part) < DAY_LEAST)
		return false;
	double tries = tries_of(l, &part) * (in_span ? (double)l->class->row_count : 1);
	for (size_t i = 0; i < l->count; i++) {
		const struct day_candidate *c = &l->list[i];
		if (!bits_hold(&c->rows, &part) || !have_beyond(l, c) || !fits(l, c, &part, in_span, tries))
			continue;
		add_facts_cause(l, &part, in_span);
		return true;
	}
	return false;
}

/* Two facts that all that is left has, and no accepted one has both. */
static bool take_pair(struct looking *l)
{
	const struct bits part = l->rest;
	size_t size = bits_count(&part);
	double shared = tries_of(l, &part);
	const struct day *d = l->day;
	/* What was skipped was chosen for the pairs of whole classes alone. */
	if (size < PAIR_LEAST || (d->has_skipped && size < l->class->row_count))
		return false;
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = i + 1; j < l->count; j++) {
			const struct day_candidate *a = &l->list[i], *b = &l->list[j];
			if (a->picked == DAY_NONE || b->picked == DAY_NONE || !bits_hold(&a->rows, &part) ||
			    !bits_hold(&b->rows, &part) || !have_beyond(l, a) || !have_beyond(l, b) ||
			    d->together[a->picked][b->picked / 64] >> b->picked % 64 & 1)
				continue;
			uint64_t could = day_scope(d, l->class, &part, a), other = day_scope(d, l->class, &part, b);
			could = other < could ? other : could;
			if (could < DAY_ACCEPTED_LEAST ||
			    !day_is_certain(size, l->class->row_count, could, shared * shared))
				continue;
			struct day_cause *cause = add_cause(l, DAY_FACTS, &part);
			if (cause) {
				cause->facts[cause->fact_count++] = a->fact;
				cause->facts[cause->fact_count++] = b->fact;
				cause->needs_all = true;
				add_beyond(cause, l->class);
				cause->is_exact = is_exact(l, cause, a, b);
			}
			return true;
		}
	return false;
}

/* The largest part of what is left that a fact fits. */
static bool take_part(struct looking *l, bool in_span)
{
	size_t most = DAY_LEAST - 1;
	struct bits best;
	for (size_t i = 0; l->class->count == l->class->row_count && i < l->count; i++) {
		const struct day_candidate *c = &l->list[i];
		struct bits part = bits_and(&c->rows, &l->rest);
		size_t size = bits_count(&part);
		double tries = (double)l->count * (in_span ? (double)l->class->row_count : 1);
		if (size <= most || !fits(l, c, &part, in_span, tries))
			continue;
		most = size;
		best = part;
	}
	if (most < DAY_LEAST)
		return false;
	add_facts_cause(l, &best, in_span);
	return true;
}

static void say_unknown(struct looking *l)
{
	const struct bits part = l->rest;
	bool has_first = bits_have(&part, 0);
	struct day_cause *cause = add_cause(l, DAY_UNKNOWN, &part);
	if (!cause)
		return;
	add_beyond(cause, l->class);
	cause->alike = has_first && l->class->nearest > 0 ? l->class->rows[0].at.number : 0;
	cause->unlike = cause->alike ? l->class->nearest : 0;
}

static void look_at(struct day *d, struct day_class *class)
{
	struct looking l = { .day = d, .class = class };
	for (size_t i = 0; i < class->row_count; i++)
		bits_set(&l.rest, i, true);
	if (class->status == 429) {
		struct day_cause *cause = add_cause(&l, DAY_BUSY, &l.rest);
		if (cause)
			add_beyond(cause, class);
		return;
	}
	free(class->candidates);
	l.list = class->candidates = day_candidates(d, class, &l.count);
	d->no_memory |= !l.list;
	while (l.parts < CAUSE_PARTS_MOST && bits_count(&l.rest) >= DAY_LEAST && !d->no_memory) {
		/* Where all came in one outage, that is why; where one fact is true of all, the times are chance. */
		bool found = take_span(&l, true, true) || take_whole(&l, false) || take_span(&l, true, false) ||
		             take_whole(&l, true) || take_pair(&l) || take_span(&l, false, false) ||
		             take_part(&l, false) || take_part(&l, true);
		if (!found)
			break;
	}
	if (bits_count(&l.rest) >= DAY_LEAST && !d->no_memory)
		say_unknown(&l);
}

static int by_failed(const void *a, const void *b)
{
	const struct day_cause *one = a, *other = b;
	if ((one->type == DAY_SPAN) != (other->type == DAY_SPAN))
		return one->type == DAY_SPAN ? -1 : 1;
	if (one->failed != other->failed)
		return one->failed < other->failed ? 1 : -1;
	return (one->first > other->first) - (one->first < other->first);
}

int day_find(struct day *d, const struct day_cause **causes, size_t *count, struct error *err)
{
	d->cause_count = 0;
	d->compared = d->accepted;
	for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
		if (c->row_count >= DAY_LEAST)
			look_at(d, c);
	}
	if (d->cause_count > 0)
		qsort(d->causes, d->cause_count, sizeof *d->causes, by_failed);
	*causes = d->causes;
	*count = d->cause_count;
	return d->no_memory ? error_no_memory(err) : 0;
}

bool day_lacks_history(const struct day *d)
{
	return d->history.is_left_out;
}

/* What accepted ones do not: the verb with which the fact begins, or what stands for it. */
static const char *verb_of(const struct cause_fact *fact)
{
	const char *phrase = fact_rows[fact->kind].phrase;
	return strncmp(phrase, "came ", 5) == 0    ? "did"
	       : strncmp(phrase, "comes ", 6) == 0 ? "does"
	       : strncmp(phrase, "is ", 3) == 0    ? "is"
	                                           : "has";
}

void day_append_facts(const struct day_cause *cause, struct buffer *out)
{
	struct cause said = { .type = cause->needs_all || cause->fact_count == 1 ? CAUSE_FOUND : CAUSE_TOGETHER,
		              .status = cause->status,
		              .words = cause->said,
		              .fact_count = cause->fact_count };
	bool is_measure = cause->fact_count == 1 && fact_rows[cause->facts[0].kind].is_measure;
	memcpy(said.facts, cause->facts, sizeof said.facts);
	cause_append_words(&said, true, out);
	if (is_measure)
		return;
	if (cause->type == DAY_SPAN) {
		buffer_printf(out, ", and no accepted one %s", verb_of(&cause->facts[0]));
		return;
	}
	buffer_printf(out, "; none of %s accepted ones %s%s", COUNT_TEXT(cause->accepted),
	              cause->is_in_span ? "meanwhile " : "", verb_of(&cause->facts[0]));
	buffer_append_text(out, cause->needs_all ? " both" : "");
}
