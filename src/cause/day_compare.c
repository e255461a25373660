/* The second pass: which of the facts that failures share accepted requests have. */
#include "base/find.h"
#include "base/text.h"
#include "cause/day_internal.h"
#include "json/pointer.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_FIRST  1024 /* accepted ones, before it is thought over whether facts are still to be looked at */
#define LOOK_FACTOR 5 / 4

/* Notes how many rows of the class have each fact, and between which of them. */
static void count_shares(struct day *d, const struct day_class *c, uint32_t *counts)
{
	memset(counts, 0, d->fact_count * sizeof *counts);
	for (size_t i = 0; i < c->row_count; i++)
		for (size_t f = 0; f < c->rows[i].fact_count; f++)
			counts[c->rows[i].facts[f]]++;
	for (size_t f = 0; f < d->fact_count; f++) {
		struct day_fact *fact = &d->facts[f];
		if (counts[f] < DAY_LEAST || fact->picked != DAY_NONE || d->picked_count == DAY_PICKED_MOST)
			continue;
		fact->picked = (uint16_t)d->picked_count;
		d->picked[d->picked_count++] = (uint16_t)f;
	}
}

static void fill_shares(struct day *d, struct day_class *c)
{
	for (size_t i = 0; i < c->row_count; i++)
		for (size_t f = 0; f < c->rows[i].fact_count; f++) {
			uint16_t picked = d->facts[c->rows[i].facts[f]].picked;
			if (picked == DAY_NONE)
				continue;
			struct day_share *share = day_share_of(d, c, picked);
			share->first = share->rows++ == 0 ? c->rows[i].at : share->first;
			share->last = c->rows[i].at;
		}
	for (size_t f = 0; f < c->rows[0].fact_count; f++)
		d->facts[c->rows[0].facts[f]].exemplars |= (uint16_t)(1u << (c - d->classes));
	c->apart = SIZE_MAX;
}

/* The values of identifiers that most of the class share. */
static void note_same(struct day_class *c)
{
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		for (size_t i = 0; i < c->row_count && c->same_count < DAY_SAME_MOST; i++) {
			uint64_t hash = c->rows[i].keys[key];
			size_t count = 0, at = 0;
			while (at < c->same_count && (c->same[at].key != key || c->same[at].hash != hash))
				at++;
			if (hash == 0 || at < c->same_count || i + DAY_LEAST > c->row_count || i > DAY_SAME_LOOK)
				continue;
			for (size_t other = i; other < c->row_count; other++)
				count += c->rows[other].keys[key] == hash;
			if (count >= DAY_LEAST)
				c->same[c->same_count++] = (struct day_same){ .key = key, .hash = hash, .sample = i };
		}
}

bool day_begin(struct day *d, struct error *err)
{
	bool any = false;
	uint32_t *counts;
	*err = (struct error){ .code = EXIT_CODE_OK };
	day_fold_words(d);
	day_sort_rows(d);
	d->latest = (struct day_moment){ INT64_MIN, 0 };
	for (size_t c = 0; c < d->class_count; c++)
		any |= d->classes[c].row_count >= DAY_LEAST && d->classes[c].status != 429;
	if (d->no_memory)
		error_no_memory(err);
	if (!any || d->no_memory)
		return false;
	counts = calloc(d->fact_count + 1, sizeof *counts);
	d->shares = calloc((size_t)CAUSE_CLASSES_MOST * DAY_PICKED_MOST, sizeof *d->shares);
	d->together = calloc(DAY_PICKED_MOST, sizeof *d->together);
	d->no_memory |= !counts || !d->shares || !d->together || !day_history_begin(d);
	for (struct day_class *c = d->classes; !d->no_memory && c < d->classes + d->class_count; c++) {
		c->same_kinds = calloc(c->row_count + 1, sizeof *c->same_kinds);
		c->any_kind = calloc(c->row_count + 1, sizeof *c->any_kind);
		d->no_memory |= !c->same_kinds || !c->any_kind;
		if (c->row_count >= DAY_LEAST && c->status != 429)
			count_shares(d, c, counts);
	}
	for (struct day_class *c = d->classes; !d->no_memory && c < d->classes + d->class_count; c++) {
		fill_shares(d, c);
		note_same(c);
	}
	free(counts);
	d->look_again = LOOK_FIRST;
	if (d->no_memory)
		error_no_memory(err);
	return !d->no_memory;
}

static void take_in_hand(struct day *d, uint16_t kind)
{
	d->held_count = d->held_all = 0;
	d->held_kind = kind;
	d->at_hand++;
}

static void on_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	struct day *d = context;
	uint16_t fact = day_intern(d, kind, subject, value, false);
	d->held_all++;
	if (kind == FACT_KIND)
		d->held_kind = fact == DAY_NONE ? DAY_OTHER : fact;
	if (fact == DAY_NONE)
		return;
	uint16_t picked = d->facts[fact].picked;
	for (unsigned c = 0, exemplars = d->facts[fact].exemplars; exemplars >> c; c++)
		d->overlap[c] = (uint16_t)(d->overlap[c] + (exemplars >> c & 1));
	/* A fact may be said of several texts of one request. */
	if (picked != DAY_NONE && d->held_by[picked] != d->at_hand) {
		d->held_by[picked] = d->at_hand;
		d->held[d->held_count++] = picked;
	}
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	struct day *d = context;
	uint16_t fact = day_intern(d, kind, subject, "", false);
	if (fact == DAY_NONE)
		return;
	struct day_fact *f = &d->facts[fact];
	f->farthest = f->measured++ == 0 || day_is_beyond(f, number) ? number : f->farthest;
}

static void ignore_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	(void)context;
	(void)kind;
	(void)subject;
	(void)number;
}

static size_t rows_before(const struct day_class *c, struct day_moment at)
{
	size_t from = 0, to = c->row_count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (day_is_before(c->rows[middle].at, at))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Where among the rows of each class the accepted request is. */
static void pass_rows(struct day *d, struct day_moment at, size_t kind)
{
	for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
		c->cursor = rows_before(c, at);
		c->any_kind[c->cursor]++;
		c->same_kinds[c->cursor] += kind != SIZE_MAX && (c->kinds >> kind & 1);
	}
}

/* The kind of the request at hand; SIZE_MAX: one that no failure has. */
static size_t kind_at_hand(const struct day *d)
{
	for (size_t i = 0; i < d->kind_count; i++)
		if (d->kinds[i] == d->held_kind)
			return i;
	return SIZE_MAX;
}

static void drop_idle(struct day *d)
{
	size_t kind = kind_at_hand(d), kept = 0;
	for (size_t i = 0; i < d->held_count; i++) {
		bool is_absent = d->facts[d->picked[d->held[i]]].kind == FACT_ABSENT;
		if (!is_absent || (kind != SIZE_MAX && !day_is_idle(d, d->picked[d->held[i]], kind)))
			d->held[kept++] = d->held[i];
	}
	d->held_count = kept;
}

static void note_held(struct day *d, const struct day_request *r, bool is_whole)
{
	const struct day_moment at = day_moment_of(r);
	uint64_t held[DAY_PICKED_MOST / 64] = { 0 };
	size_t words = (d->picked_count + 63) / 64;
	for (size_t i = 0; i < d->held_count; i++)
		held[d->held[i] / 64] |= UINT64_C(1) << d->held[i] % 64;
	for (size_t i = 0; i < d->held_count; i++) {
		uint64_t *row = d->together[d->held[i]];
		for (size_t w = 0; w < words; w++)
			row[w] |= held[w];
		for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
			struct day_share *share = day_share_of(d, c, d->held[i]);
			share->in_span += day_is_before(share->first, at) && day_is_before(at, share->last);
		}
	}
	for (struct day_class *c = d->classes; is_whole && c < d->classes + d->class_count; c++) {
		size_t both = d->overlap[c - d->classes], apart = c->rows[0].fact_count + d->held_all - 2 * both;
		if (apart >= c->apart)
			continue;
		c->apart = apart;
		c->nearest = r->number;
	}
}

static void note_keys(struct day *d, const struct fact_keys *keys)
{
	for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++)
		for (struct day_same *s = c->same; s < c->same + c->same_count; s++)
			s->accepted += keys->values[s->key] == s->hash;
}

/* Whether the fact of the class may still be said, where all that follow came after `sure`; *resumes: that is to be
 * found out from its first row on. */
static bool is_open(const struct day *d, const struct day_class *c, size_t picked, struct day_moment sure,
                    bool *resumes)
{
	const struct day_share *share = day_share_of(d, c, picked);
	bool was_accepted = d->together[picked][picked / 64] >> picked % 64 & 1;
	if (share->rows < DAY_LEAST || (was_accepted && (share->in_span > 0 || !day_is_before(sure, share->last))))
		return false;
	*resumes = was_accepted && day_is_before(d->latest, share->first);
	return true;
}

static bool was_never_accepted(const struct day *d, size_t picked)
{
	return !(d->together[picked][picked / 64] >> picked % 64 & 1);
}

/* Two facts that all of a class have, each of which accepted ones have. */
static bool has_open_pair(const struct day *d, const struct day_class *c)
{
	for (size_t a = 0; a < d->picked_count; a++) {
		if (day_share_of(d, c, a)->rows < c->row_count || was_never_accepted(d, a))
			continue;
		for (size_t b = a + 1; b < d->picked_count; b++)
			if (day_share_of(d, c, b)->rows == c->row_count && !was_never_accepted(d, b) &&
			    !(d->together[a][b / 64] >> b % 64 & 1))
				return true;
	}
	return false;
}

/* Closes the measures that few rows up to here are beyond. */
static void close_measures(struct day *d, const struct day_class *c)
{
	for (size_t f = 0; f < d->fact_count; f++)
		d->facts[f].beyond = 0;
	for (size_t i = 0; i < c->cursor; i++)
		for (size_t m = 0; m < c->rows[i].measured_count; m++) {
			const struct day_measured *measured = &c->rows[i].measured[m];
			struct day_fact *f = &d->facts[measured->fact];
			f->beyond += f->measured > 0 && day_is_beyond(f, measured->number);
		}
	for (size_t f = 0; f < d->fact_count; f++)
		d->facts[f].is_open |= d->facts[f].beyond >= DAY_LEAST;
}

/* From now on facts are looked at where the body has the text, or has it not. */
static bool add_needle(struct day *d, const char *text, bool is_absent)
{
	size_t length = strlen(text);
	bool is_plain = length > 0 && strcspn(text, "\"\\") == length;
	for (const char *c = text; *c; c++)
		is_plain &= (unsigned char)*c >= ' ' && (unsigned char)*c < 0x7F;
	for (size_t i = 0; i < d->needle_count; i++)
		if (strcmp(d->needles[i].text, text) == 0 && d->needles[i].is_absent == is_absent)
			return true;
	if (!is_plain || d->needle_count == DAY_NEEDLES_MOST)
		return false;
	d->needles[d->needle_count++] = (struct day_needle){ text, length, is_absent };
	return true;
}

static const char *name_in(const char *subject)
{
	const char *slash = strrchr(subject, '/');
	return slash ? slash + 1 : "";
}

/* Without it in the body nobody has the fact. False: there is no such text. */
static bool add_needle_of(struct day *d, const struct day_fact *fact)
{
	switch (fact->kind) {
	case FACT_VALUE:
	case FACT_EVENT:
	case FACT_METHOD:
	case FACT_SERVICE:
	case FACT_SEGMENT:
	case FACT_PART:
		return add_needle(d, fact->value, false);
	case FACT_ABSENT:
		return add_needle(d, name_in(fact->subject), true);
	case FACT_KIND:
	case FACT_SENDER:
	case FACT_LARGER:
		return true;  /* that is seen of each */
	case FACT_CHARACTERS: /* quotes and backslashes are escaped: such a body is looked at anyway */
		d->sees_other_bytes = true;
		return add_needle(d, "'", false);
	default:
		return fact->subject[0] == '/' && strncmp(fact->subject, "/details/", strlen("/details/")) == 0 &&
		       add_needle(d, name_in(fact->subject), false);
	}
}

/* Thinks over where facts are to be looked at: what was accepted, too, cannot be said any more. */
static void think_over(struct day *d, uint64_t number)
{
	const struct day_moment sure = { d->latest.us - d->disorder_us, number };
	bool is_cheap = !day_history_is_open(d);
	d->look_again = d->looked * LOOK_FACTOR + 1;
	d->resumes = false;
	d->needle_count = 0;
	d->sees_other_bytes = false;
	for (size_t f = 0; f < d->fact_count; f++)
		d->facts[f].is_open = false;
	for (struct day_class *c = d->classes; c < d->classes + d->class_count && is_cheap; c++) {
		if (c->row_count < DAY_LEAST || c->status == 429)
			continue;
		close_measures(d, c);
		for (size_t picked = 0; picked < d->picked_count && is_cheap; picked++) {
			bool resumes;
			if (!is_open(d, c, picked, sure, &resumes))
				continue;
			const struct day_moment from = day_share_of(d, c, picked)->first;
			if (resumes && (!d->resumes || day_is_before(from, d->resume_at)))
				d->resume_at = from;
			d->resumes |= resumes;
			is_cheap = resumes || add_needle_of(d, &d->facts[d->picked[picked]]);
		}
		for (size_t s = 0; s < c->same_count && is_cheap; s++)
			is_cheap =
			        c->same[s].accepted > 0 || (c->same[s].value && add_needle(d, c->same[s].value, false));
		is_cheap = is_cheap && !has_open_pair(d, c);
	}
	for (size_t f = 0; f < d->fact_count && is_cheap; f++)
		is_cheap = !d->facts[f].is_open || add_needle_of(d, &d->facts[f]);
	d->is_cheap = is_cheap;
}

/* Whether failures have the fact, and no accepted one has had it. */
static bool is_unseen(struct day *d, enum fact_kind kind, const char *value)
{
	uint16_t fact = day_intern(d, kind, "", value, false);
	return fact != DAY_NONE && d->facts[fact].picked != DAY_NONE && was_never_accepted(d, d->facts[fact].picked);
}

/* Whether the request may have a fact that may still be said. */
static bool may_matter(struct day *d, const struct day_request *r)
{
	const char *body = r->what.body;
	if (!d->is_cheap || !r->event.text || memchr(body, '\\', r->what.length))
		return true;
	/* From now on it may be said together with another fact, for which bodies have to be read. */
	if (is_unseen(d, FACT_KIND, r->event.text) || (r->what.sender && is_unseen(d, FACT_SENDER, r->what.sender))) {
		d->look_again = d->looked;
		return true;
	}
	for (size_t i = 0; i < d->needle_count; i++) {
		const struct day_needle *n = &d->needles[i];
		if ((find_text(body, r->what.length, n->text, n->length) != NULL) != n->is_absent)
			return true;
	}
	for (size_t i = 0; d->sees_other_bytes && i < r->what.length; i++)
		if ((unsigned char)body[i] >= 0x80)
			return true;
	return false;
}

/* A failure comes again: of one that was not kept the facts, of one that is a sample the value. */
static int see_failure(struct day *d, const struct day_request *r, struct error *err)
{
	struct day_class *c = r->is_selected ? day_class_of(d, r, false) : NULL;
	struct fact_keys keys;
	if (!c)
		return 0;
	const struct fact_sink sink = { on_fact, ignore_measure, d };
	for (size_t s = 0; s < c->same_count; s++) {
		LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
		LOCAL_BUFFER value = BUFFER_INIT;
		if (c->rows[c->same[s].sample].at.number != r->number || c->same[s].value ||
		    !json_read(&doc, r->what.body, r->what.length, NULL))
			continue;
		uint32_t token = json_resolve(&doc, fact_key_pointer(c->same[s].key));
		if (json_is(&doc, token, JSON_STRING))
			json_string_decode(&doc, token, &value);
		c->same[s].value = text_duplicate((struct text){ buffer_text(&value), value.length });
		if (!c->same[s].value)
			return error_no_memory(err);
	}
	if (c->count == c->row_count || r->number <= c->last_kept)
		return 0;
	take_in_hand(d, DAY_NONE);
	if (!day_facts_of(r, &sink, &keys))
		return error_no_memory(err);
	drop_idle(d);
	for (size_t i = 0; i < d->held_count; i++)
		day_share_of(d, c, d->held[i])->beyond++;
	return 0;
}

/* Looks at the facts of an accepted request. */
static int look_at(struct day *d, const struct day_request *r, struct error *err)
{
	const struct fact_sink sink = { on_fact, on_measure, d };
	struct fact_keys keys;
	take_in_hand(d, d->kinds[0]);
	memset(d->overlap, 0, sizeof d->overlap);
	if (!day_facts_of(r, &sink, &keys))
		return error_no_memory(err);
	drop_idle(d);
	note_held(d, r, true);
	note_keys(d, &keys);
	day_history_accept(d, &keys, day_moment_of(r));
	d->looked++;
	return d->no_memory ? error_no_memory(err) : 0;
}

/* The same of one that has no other fact that may still be said. */
static void look_briefly(struct day *d, const struct day_request *r)
{
	d->has_skipped = true;
	take_in_hand(d, DAY_OTHER);
	on_measure(d, FACT_LARGER, "/body", (double)r->what.length);
	on_fact(d, FACT_KIND, "", r->event.text);
	if (r->what.sender)
		on_fact(d, FACT_SENDER, "", r->what.sender);
	note_held(d, r, false);
}

int day_compare(struct day *d, const struct day_request *r, struct error *err)
{
	if (r->status == 0)
		return 0;
	day_note_time(d, day_moment_of(r));
	if (day_is_failure(r))
		return see_failure(d, r, err);
	d->compared++;
	if (d->is_cheap && d->resumes && !day_is_before(day_moment_of(r), d->resume_at))
		think_over(d, r->number);
	/* What the record calls its event is believed, so that not every body is read. */
	if (!may_matter(d, r))
		look_briefly(d, r);
	else if (look_at(d, r, err) < 0)
		return -1;
	size_t kind = kind_at_hand(d);
	pass_rows(d, day_moment_of(r), kind);
	if (kind != SIZE_MAX)
		d->accepted_kinds[kind]++;
	if (d->looked >= d->look_again)
		think_over(d, r->number);
	return 0;
}
