/* What is asked: the same again, and requests that have all but one of the facts that fit. */
#include "base/hash.h"
#include "cause/cause_internal.h"

#include <stdio.h>
#include <string.h>

#define OF_CLASS_MOST 28 /* questions about one class */
#define SAME_MOST     3  /* the same response to the same request: that it will get always */

/* Adds what came to the rows, and to the classes. Returns the row; FIT_NONE: it says nothing. */
static size_t take_response(struct cause_finder *f, enum ask ask, size_t of, unsigned life,
                            const struct cause_response *response, struct error *err)
{
	/* It says something only together with its control. */
	bool of_envelope = ask == ASK_WITH || ask == ASK_CONTROL, added;
	enum cause_side side = of_envelope && response->side == CAUSE_FAILED ? CAUSE_ASIDE : response->side;
	const struct cause_request request = { .what = { .body = buffer_text(&f->body), .length = f->body.length },
		                               .side = side,
		                               .status = response->status,
		                               .words = response->words,
		                               .check = CAUSE_NO_CHECK,
		                               .sent_ns = response->sent_ns,
		                               .finished_ns = response->finished_ns };
	if (rows_add(&f->rows, &request, true, &added, err) < 0) {
		f->result = -1;
		return FIT_NONE;
	}
	if (!added)
		return FIT_NONE;
	size_t at = f->rows.count - 1;
	struct row *row = &f->rows.list[at];
	row->life = life; /* over which the listener may have ended */
	/* What the listener prints of it is not waited for. */
	if (row->response == f->rows.list[of].response)
		row->class_key = f->rows.list[of].class_key;
	classes_take(f, at);
	f->result = rows_settle(&f->rows, err);
	bool is_same_bytes = ask == ASK_AGAIN || ask == ASK_PLAIN;
	return of_envelope || is_same_bytes || side != CAUSE_ASIDE ? at : FIT_NONE;
}

/* Sends the body, which is of this row but for what is asked, and waits for what comes. Returns whether it was asked.
 * *response: the row of what came; FIT_NONE: nothing, or what says nothing. */
static bool ask_body(struct cause_finder *f, struct failures *class, enum ask ask, size_t of, size_t *response)
{
	const struct cause_question question = { f->rows.list[of].check, buffer_text(&f->body), f->body.length };
	struct cause_response came = { .side = CAUSE_ASIDE };
	unsigned life = f->rows.life;
	*response = FIT_NONE;
	if (f->result < 0 || f->is_over)
		return false;
	int sent = f->sender->send(f->sender->context, &question, &came, f->err);
	f->is_over = sent < 0 || sent == CAUSE_ENOUGH;
	f->result = sent < 0 ? -1 : 0;
	if (f->is_over)
		return false;
	class->questions++;
	f->questions++;
	if (sent == CAUSE_SENT)
		*response = take_response(f, ask, of, life, &came, f->err);
	return f->result == 0;
}

static bool may_ask(const struct cause_finder *f, const struct failures *class)
{
	return f->sender && !f->is_over && f->result == 0 && f->questions < CAUSE_QUESTIONS_MOST &&
	       class->questions < OF_CLASS_MOST;
}

/* How often a request was sent again, how many responses were not in the class's words, and whether the first was the
 * class's. */
struct tries {
	size_t count, others;
	bool is_same;
};

/* Sends it until another response comes, or often enough. */
static struct tries try_again(struct cause_finder *f, struct failures *class, enum ask ask, size_t row, size_t most)
{
	struct tries tries = { 0 };
	size_t response;
	while (tries.others == 0 && tries.count < most && may_ask(f, class) &&
	       (ask == ASK_AGAIN ? body_again(f, row) : body_fresh(f, row, (unsigned)tries.count)) &&
	       ask_body(f, class, ask, row, &response)) {
		if (tries.count++ == 0)
			tries.is_same = response != FIT_NONE && bits_have(&class->rows, response);
		tries.others += response != FIT_NONE && f->rows.list[response].class_key != class->key;
	}
	return tries;
}

/* Whether one that was accepted before is not any more, where none was after the first of the class: then it says
 * nothing what the requests have in common. */
static bool find_lasting(struct cause_finder *f, struct failures *class)
{
	size_t plain = class_last_accepted(f, class, true), response;
	return plain != FIT_NONE && may_ask(f, class) && body_fresh(f, plain, SAME_MOST) &&
	       ask_body(f, class, ASK_PLAIN, class->first, &response) && response != FIT_NONE &&
	       f->rows.list[response].class_key == class->key;
}

/* Whether the same requests get other responses when they are sent again; not where that is as they are recognized:
 * with new identifiers they fail again. */
static bool find_coming_and_going(struct cause_finder *f, struct failures *class)
{
	size_t samples[CLASS_SAMPLES], count = class_sample(f, &class->rows, samples);
	bool comes_and_goes = false;
	for (size_t i = 0; i < count; i++) {
		struct row *row = &f->rows.list[samples[i]];
		bool at_once = row->at_once;
		struct tries again = try_again(f, class, ASK_AGAIN, samples[i], at_once ? 1 : SAME_MOST);
		if (at_once)
			continue;
		struct tries fresh = try_again(f, class, ASK_FRESH, samples[i], again.others > 0 ? SAME_MOST : 1);
		f->rows.list[samples[i]].fails_fresh = fresh.is_same;
		comes_and_goes |= again.others > 0 && !(fresh.is_same && fresh.others == 0);
	}
	return comes_and_goes;
}

/* Whether what need not be explained comes and goes like the class, all of it. */
static bool find_aside_coming_and_going(struct cause_finder *f, struct failures *class)
{
	const struct bits aside = class_aside(f, class);
	size_t samples[CLASS_SAMPLES], count = class_sample(f, &aside, samples);
	bool all = true;
	for (size_t i = 0; i < count; i++)
		all &= try_again(f, class, ASK_AGAIN, samples[i], SAME_MOST).others > 0;
	return all;
}

/* Asks about a fact, and notes it. */
static bool ask_fact(struct cause_finder *f, struct failures *class, enum ask ask, size_t row, const char *subject,
                     size_t round)
{
	struct asked *asked = &f->asked[f->asked_count];
	uint64_t bytes = hash_bytes(buffer_text(&f->body), f->body.length);
	*asked = (struct asked){ .ask = ask, .row = row, .bytes = bytes, .round = round };
	snprintf(asked->subject, sizeof asked->subject, "%s", subject);
	if (!ask_body(f, class, ask, row, &asked->response))
		return false;
	f->asked_count++;
	const struct asked *with = ask == ASK_CONTROL ? asked_find(f, ASK_WITH, row, subject, round) : NULL;
	if (with && asked->response != FIT_NONE && f->rows.list[asked->response].side == CAUSE_ACCEPTED) {
		f->rows.list[with->response].side = CAUSE_FAILED;
		classes_take(f, with->response);
	}
	return true;
}

static size_t first_askable(const struct cause_finder *f, const struct bits *part)
{
	for (size_t i = 0; i < f->rows.count; i++)
		if (bits_have(part, i) && row_can_be_asked(&f->rows.list[i]) && !f->rows.list[i].at_once)
			return i;
	return FIT_NONE;
}

static bool has_kind(const struct cause_finder *f, const struct fits *fits, enum fact_kind kind)
{
	for (size_t i = 0; i < fits->count; i++)
		if (f->rows.facts[fits->list[i]].kind == kind)
			return true;
	return false;
}

/* Asks for an accepted one with the fact; where that fails so, too, whether any change there does: then the listener
 * refuses what does not fit together, and it says nothing. */
static bool ask_with(struct cause_finder *f, struct failures *class, size_t at, const struct fact *fact,
                     const struct named *named)
{
	const struct asked *with = asked_find(f, ASK_WITH, at, fact->subject, named->count);
	if (!with)
		return body_with(f, at, fact, named, false) &&
		       ask_fact(f, class, ASK_WITH, at, fact->subject, named->count);
	return asked_sounds_same(f, with, class) && !asked_find(f, ASK_CONTROL, at, fact->subject, named->count) &&
	       body_with(f, at, fact, named, true) && ask_fact(f, class, ASK_CONTROL, at, fact->subject, named->count);
}

/* Whether the body was asked about the row. Facts with one subject need not have one question: another value shows
 * something else than none. */
static bool was_asked(const struct cause_finder *f, size_t row)
{
	uint64_t bytes = hash_bytes(buffer_text(&f->body), f->body.length);
	for (size_t i = 0; i < f->asked_count; i++)
		if (f->asked[i].ask == ASK_WITHOUT && f->asked[i].row == row && f->asked[i].bytes == bytes)
			return true;
	return false;
}

/* Sends it with new identifiers: all that came before, or one. Returns what was asked; NULL: nothing. */
static const struct asked *ask_renewed(struct cause_finder *f, struct failures *class, size_t at, size_t key)
{
	const char *subject = key == ALL_KEYS ? ALL_IDENTIFIERS : fact_key_pointer(key);
	bool asked = may_ask(f, class) && !asked_find(f, ASK_RENEWED, at, subject, 0) && body_renewed(f, at, key) &&
	             ask_fact(f, class, ASK_RENEWED, at, subject, 0);
	return asked ? &f->asked[f->asked_count - 1] : NULL;
}

/* What it was recognized by counts together from now on; and so it does with each identifier that it has not, since
 * that may be compared, too. */
static void add_identities(struct cause_finder *f, size_t at, uint16_t keys)
{
	bool added = keys != 0 && past_add_identity(&f->rows, keys);
	for (size_t key = FACT_ENVELOPE; added && key < fact_key_count(); key++)
		if (f->rows.list[at].keys.values[key] == 0)
			added = past_add_identity(&f->rows, (uint16_t)(keys | 1u << key));
	if (keys != 0 && f->result == 0)
		f->result = rows_settle(&f->rows, f->err);
}

static bool was_accepted(const struct cause_finder *f, const struct asked *asked)
{
	return asked && asked->response != FIT_NONE && f->rows.list[asked->response].side == CAUSE_ACCEPTED;
}

/* Asks whether it fails for what came before: with all identifiers new that came before; unless that fails so, too,
 * with each of them alone. Those that are accepted so are what it is recognized by. */
static bool ask_about_past(struct cause_finder *f, struct failures *class, size_t at)
{
	const struct asked *all = ask_renewed(f, class, at, ALL_KEYS);
	uint16_t came = 0, keys = 0;
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		came |= (uint16_t)((unsigned)past_has(&f->rows, at, key) << key);
	if (!all || asked_sounds_same(f, all, class))
		return all != NULL;
	bool is_only = __builtin_popcount(came) == 1 && was_accepted(f, all);
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (came >> key & 1 && (is_only || was_accepted(f, ask_renewed(f, class, at, key))))
			keys |= (uint16_t)(1u << key);
	add_identities(f, at, keys);
	return true;
}

/* Asks with somebody in place of the one it refers to who was begun for this alone, so that nobody else's notifications
 * may be why. Where none can be, with one that is known. */
static bool ask_known(struct cause_finder *f, struct failures *class, size_t at, const struct fact *fact, size_t round)
{
	const char *subject = fact->subject;
	size_t begins = rows_beginning(&f->rows, fact_key_referred(fact_key(fact))), begun = FIT_NONE;
	const struct fact about = *fact; /* a response may move the facts */
	if (asked_find(f, ASK_WITHOUT, at, subject, round))
		return false;
	if (begins != FIT_NONE && body_fresh(f, begins, SAME_MOST + 1 + (unsigned)f->questions))
		ask_body(f, class, ASK_PLAIN, begins, &begun);
	bool is_known = begun != FIT_NONE && f->rows.list[begun].side == CAUSE_ACCEPTED;
	return may_ask(f, class) && (is_known ? body_known(f, at, &about, begun) : body_without(f, at, &about)) &&
	       ask_fact(f, class, ASK_WITHOUT, at, subject, round);
}

/* Asks about the next of the facts. */
static bool ask_about(struct cause_finder *f, struct failures *class, size_t at, const struct named *named,
                      const size_t *facts, size_t count)
{
	for (size_t i = 0; i < count && may_ask(f, class); i++) {
		const struct fact *fact = &f->rows.facts[facts[i]];
		bool of_envelope = fact_is_of_envelope(fact);
		if (fact_is_after(fact) ? ask_about_past(f, class, at)
		                        : of_envelope && ask_with(f, class, at, fact, named))
			return true;
		if (fact->kind == FACT_NEW) {
			if (ask_known(f, class, at, fact, named->count))
				return true;
			continue;
		}
		if (!fact_is_after(fact) && !of_envelope && body_without(f, at, fact) && !was_asked(f, at))
			return ask_fact(f, class, ASK_WITHOUT, at, fact->subject, named->count);
	}
	return false;
}

static bool ask_part(struct cause_finder *f, struct failures *class, const struct bits *part, struct fits *fits)
{
	size_t at = first_askable(f, part), next[ROUND_NEXT_MOST];
	struct named named;
	if (at == FIT_NONE || !may_ask(f, class))
		return false;
	rounds_play(f, class, part, &named, fits);
	if (ask_about(f, class, at, &named, fits->list, fits->count))
		return true;
	/* That it is of some kind says little: of which of its facts, the others of the kind's say. */
	return !fits_say_more(f, class, &named, fits) &&
	       ask_about(f, class, at, &named, next, rounds_next(f, part, &named, next));
}

/* Asks about the facts that fit, one after the other: each response may leave fewer of them, and other parts. Returns
 * whether anything was asked. */
static bool ask_about_parts(struct cause_finder *f, struct failures *class, struct fits *fits)
{
	bool any = false, asks = true;
	while (asks && may_ask(f, class)) {
		struct bits parts[CAUSE_PARTS_MOST];
		size_t count = classes_divide(f, class, fits, parts);
		asks = false;
		for (size_t i = 0; i < count && !asks; i++)
			asks = ask_part(f, class, &parts[i], fits);
		any |= asks;
	}
	return any;
}

int ask_all(struct cause_finder *f, struct fits *fits)
{
	bool any = true;
	for (size_t c = 0; c < f->class_count; c++) {
		struct failures *class = &f->classes[c];
		if (class->is_busy)
			continue;
		class->lasts = find_lasting(f, class);
		class->comes_and_goes = !class->lasts && find_coming_and_going(f, class);
		class->takes_aside = class->comes_and_goes && find_aside_coming_and_going(f, class);
		if (!class_is_of_content(class) || bits_count(&f->rows.accepted) == 0)
			continue;
		size_t at = first_askable(f, &class->rows);
		search_fits(&f->rows, &class->rows, &f->rows.accepted, fits);
		if (at != FIT_NONE && !has_kind(f, fits, FACT_REPEAT))
			ask_about_past(f, class, at);
		ask_about_parts(f, class, fits);
	}
	/* What was accepted for one of them may leave something to ask about another. */
	while (any) {
		any = false;
		for (size_t c = 0; c < f->class_count; c++)
			any |= class_is_of_content(&f->classes[c]) && bits_count(&f->rows.accepted) > 0 &&
			       ask_about_parts(f, &f->classes[c], fits);
	}
	return f->result;
}
