/* What a run is asked: the same again, and requests that have all but one of the facts that fit. */
#include "base/hash.h"
#include "cause/cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_CLASS_MOST 28 /* questions about one class */
#define OF_PAIRS_MOST 8  /* facts of pairs that are asked about, where a kind fits alone */
#define SAME_MOST     3  /* the same response to the same request: that it will get always */

static uint64_t hash_body(const struct cause_finder *f)
{
	return hash_bytes(buffer_text(&f->body), f->body.length);
}

static bool record(struct cause_finder *f, enum ask ask, size_t row, const char *subject)
{
	struct asked *asked = &f->asked[f->asked_count++];
	*asked = (struct asked){ .ask = ask, .row = row, .response = FIT_NONE, .bytes = hash_body(f) };
	snprintf(asked->subject, sizeof asked->subject, "%s", subject);
	return true;
}

static bool is_full(const struct cause_finder *f, const struct failures *class)
{
	size_t count = 0;
	for (size_t i = 0; i < f->asked_count; i++)
		count += bits_have(&class->rows, f->asked[i].row);
	return f->asked_count == CAUSE_QUESTIONS_MOST || count >= OF_CLASS_MOST;
}

/* Asks until another response comes, or often enough. */
static bool ask_times(struct cause_finder *f, const struct failures *class, enum ask ask, size_t row, size_t most)
{
	struct tries tries = asked_count(f, ask, row, class);
	bool made = tries.others == 0 && tries.count < most && !is_full(f, class) &&
	            (ask == ASK_AGAIN ? body_again(f, row) : body_anew(f, row, (unsigned)tries.count));
	return made && record(f, ask, row, "");
}

/* Asks whether the same is responded to again, with the same identifiers and with new ones: a repeat may be recognized.
 */
static bool ask_again(struct cause_finder *f, const struct failures *class)
{
	size_t samples[CLASS_SAMPLES], count = class_sample(f, &class->rows, samples);
	for (size_t i = 0; i < count; i++) {
		bool at_once = f->rows.list[samples[i]].at_once;
		if (ask_times(f, class, ASK_AGAIN, samples[i], at_once ? 1 : SAME_MOST))
			return true;
		bool varies = asked_count(f, ASK_AGAIN, samples[i], class).others > 0;
		if (!at_once && ask_times(f, class, ASK_ANEW, samples[i], varies ? SAME_MOST : 1))
			return true;
	}
	return false;
}

/* Asks whether one that was accepted before still is, where none was after the first of the class. */
static bool ask_plain(struct cause_finder *f, const struct failures *class)
{
	size_t plain = class_last_accepted(f, class, true);
	return plain != FIT_NONE && !asked_find(f, ASK_PLAIN, class->first, "") && !is_full(f, class) &&
	       body_anew(f, plain, SAME_MOST) && record(f, ASK_PLAIN, class->first, "");
}

/* Asks whether what need not be explained comes and goes like the class. */
static bool ask_aside(struct cause_finder *f, const struct failures *class)
{
	const struct bits aside = class_aside(f, class);
	size_t samples[CLASS_SAMPLES], count = class_sample(f, &aside, samples);
	for (size_t i = 0; i < count; i++)
		if (ask_times(f, class, ASK_AGAIN, samples[i], SAME_MOST))
			return true;
	return false;
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
		if (f->rows.facts[fits->list[i].facts[0]].kind == kind)
			return true;
	return false;
}

/* Asks what was made. */
static bool try_ask(struct cause_finder *f, enum ask ask, size_t row, const char *subject, bool made)
{
	return made && record(f, ask, row, subject);
}

/* Asks for an accepted one with the fact; where that fails so, too, whether any change there does: then the listener
 * refuses what does not fit together, and it says nothing. */
static bool ask_with(struct cause_finder *f, const struct failures *class, size_t at, const struct fact *fact)
{
	const struct asked *with = asked_find(f, ASK_WITH, at, fact->subject);
	if (!with)
		return try_ask(f, ASK_WITH, at, fact->subject, body_with(f, at, fact, false));
	return asked_sounds_same(f, with, class) && !asked_find(f, ASK_CONTROL, at, fact->subject) &&
	       try_ask(f, ASK_CONTROL, at, fact->subject, body_with(f, at, fact, true));
}

/* Whether the body was asked about the row. Facts with one subject need not have one question: another value shows
 * something else than none. */
static bool was_asked(const struct cause_finder *f, size_t row)
{
	uint64_t bytes = hash_body(f);
	for (size_t i = 0; i < f->asked_count; i++)
		if (f->asked[i].ask == ASK_WITHOUT && f->asked[i].row == row && f->asked[i].bytes == bytes)
			return true;
	return false;
}

/* Asks about the next of the facts, in the order of their kinds, `most` of them at most. */
static bool ask_about(struct cause_finder *f, const struct failures *class, size_t at, const struct fits *fits,
                      size_t most)
{
	for (int kind = 0; kind < FACT_KINDS && most > 0; kind++)
		for (size_t i = 0; i < 2 * fits->count && most > 0; i++) {
			size_t index = fits->list[i / 2].facts[i % 2];
			if (index == FIT_NONE || f->rows.facts[index].kind != (enum fact_kind)kind || is_full(f, class))
				continue;
			const struct fact *fact = &f->rows.facts[index];
			if (fact_is_of_envelope(fact) && ask_with(f, class, at, fact))
				return true;
			if (fact_is_of_envelope(fact) || !body_without(f, class, at, fact))
				continue;
			if (!was_asked(f, at))
				return record(f, ASK_WITHOUT, at, asked_subject(&f->rows.list[at], fact));
			most--;
		}
	return false;
}

static bool ask_part(struct cause_finder *f, const struct failures *class, const struct bits *part, struct fits *fits)
{
	size_t at = first_askable(f, part);
	if (at == FIT_NONE || is_full(f, class))
		return false;
	search_fits(&f->rows, part, fits);
	if (ask_about(f, class, at, fits, SIZE_MAX))
		return true;
	/* That it is of some kind says little: of which of its facts, the others of the kind's say. */
	if (!has_kind(f, fits, FACT_KIND))
		return false;
	search_pairs(&f->rows, part, fits);
	return ask_about(f, class, at, fits, OF_PAIRS_MOST);
}

int cause_ask(struct cause_finder *f, struct cause_question *question, struct error *err)
{
	struct failures *classes = f->failed ? malloc(CAUSE_CLASSES_MOST * sizeof *classes) : NULL;
	struct fits *fits = classes ? malloc(sizeof *fits) : NULL;
	bool asks = false;
	int result = f->failed && !fits ? error_no_memory(err) : f->failed ? rows_settle(&f->rows, err) : 0;
	size_t count = fits && result == 0 ? classes_list(f, classes) : 0;
	for (size_t c = 0; c < count && !asks; c++) {
		struct bits parts[CAUSE_PARTS_MOST];
		if (f->rows.list[classes[c].first].status == 429)
			continue;
		asks = ask_plain(f, &classes[c]);
		if (!asks && class_lasts(f, &classes[c]))
			continue;
		asks = asks || ask_again(f, &classes[c]);
		if (!asks && class_comes_and_goes(f, &classes[c])) {
			asks = ask_aside(f, &classes[c]);
			continue;
		}
		if (asks || bits_count(&f->rows.accepted) == 0)
			continue;
		size_t part_count = classes_divide(f, &classes[c], parts);
		for (size_t i = 0; i < part_count && !asks; i++)
			asks = ask_part(f, &classes[c], &parts[i], fits);
	}
	if (asks)
		*question = (struct cause_question){ f->rows.list[f->asked[f->asked_count - 1].row].check,
			                             buffer_text(&f->body), f->body.length };
	free(fits);
	free(classes);
	return result < 0 ? -1 : asks;
}

int cause_take_response(struct cause_finder *f, const struct cause_request *request, struct error *err)
{
	struct asked *asked = &f->asked[f->asked_count - 1];
	bool added = false, of_envelope = asked->ask == ASK_WITH || asked->ask == ASK_CONTROL;
	struct cause_request response;
	if (!request)
		return 0;
	response = *request;
	/* It says something only together with the other. */
	response.side = of_envelope && response.side == CAUSE_FAILED ? CAUSE_ASIDE : response.side;
	if (rows_add(&f->rows, &response, true, &added, err) < 0)
		return -1;
	struct row *row = added ? &f->rows.list[f->rows.count - 1] : NULL;
	/* What the listener prints of it is not waited for. */
	if (row && row->response == f->rows.list[asked->row].response)
		row->class_key = f->rows.list[asked->row].class_key;
	if (added &&
	    (of_envelope || asked->ask == ASK_AGAIN || asked->ask == ASK_PLAIN || response.side != CAUSE_ASIDE))
		asked->response = f->rows.count - 1;
	const struct asked *with =
	        asked->ask == ASK_CONTROL ? asked_find(f, ASK_WITH, asked->row, asked->subject) : NULL;
	if (with && added && response.side == CAUSE_ACCEPTED)
		f->rows.list[with->response].side = CAUSE_FAILED;
	return 0;
}
