/* Failures with the same response: classes, and their parts. */
#include "cause/cause_internal.h"

void classes_list(struct cause_finder *f)
{
	f->class_count = 0;
	for (size_t i = 0; i < f->rows.count; i++) {
		const struct row *row = &f->rows.list[i];
		size_t c = 0;
		if (row->side != CAUSE_FAILED)
			continue;
		while (c < f->class_count && f->classes[c].key != row->class_key)
			c++;
		if (c == f->class_count && (row->is_asked || c == CAUSE_CLASSES_MOST))
			continue;
		if (c == f->class_count)
			f->classes[f->class_count++] =
			        (struct failures){ .key = row->class_key, .first = i, .is_busy = row->status == 429 };
		bits_set(&f->classes[c].rows, i, true);
	}
}

void classes_take(struct cause_finder *f, size_t at)
{
	const struct row *row = &f->rows.list[at];
	for (size_t c = 0; c < f->class_count; c++)
		if (row->side == CAUSE_FAILED && f->classes[c].key == row->class_key)
			bits_set(&f->classes[c].rows, at, true);
}

bool class_is_of_content(const struct failures *class)
{
	return !class->is_busy && !class->lasts && !class->comes_and_goes;
}

/* A failure without the fact is in the class already; where that is divided, it must not be forgotten. */
static void note_disproved(struct cause_finder *f, const struct failures *class)
{
	for (size_t i = 0; i < f->rows.fact_count; i++) {
		struct fact *fact = &f->rows.facts[i];
		fact->is_disproved = false;
		for (const struct asked *q = f->asked; q < f->asked + f->asked_count && !fact->is_disproved; q++)
			fact->is_disproved = asked_is_without(q, fact) && asked_is_same(q, class);
	}
}

/* Whether a response has shown what the part has in common. */
static bool is_shown(const struct cause_finder *f, const struct failures *class, const struct bits *part,
                     struct fits *fits)
{
	search_fits(&f->rows, part, &f->rows.accepted, fits);
	for (size_t i = 0; i < fits->count; i++)
		if (asked_shows(f, class, &f->rows.facts[fits->list[i]], &f->rows.accepted))
			return true;
	return false;
}

size_t classes_divide(struct cause_finder *f, const struct failures *class, struct fits *fits,
                      struct bits parts[CAUSE_PARTS_MOST])
{
	struct bits rest = class->rows;
	size_t count = 0;
	note_disproved(f, class);
	while (count < CAUSE_PARTS_MOST && bits_count(&rest) > 0) {
		struct named named;
		rounds_play(f, class, &rest, &named, fits);
		if (fits_say_more(f, class, &named, fits))
			parts[count] = rest;
		else if (!search_most(&f->rows, &rest, &parts[count]))
			break;
		bits_remove(&rest, &parts[count++]);
	}
	/* What explains less than half of it is there by chance, unless that was shown: all else is one part. */
	if (2 * bits_count(&rest) > bits_count(&class->rows)) {
		size_t kept = 0;
		rest = class->rows;
		for (size_t i = 0; i < count && kept + 1 < CAUSE_PARTS_MOST; i++)
			if (is_shown(f, class, &parts[i], fits)) {
				bits_remove(&rest, &parts[i]);
				parts[kept++] = parts[i];
			}
		parts[kept] = rest;
		count = kept + 1;
	}
	return count;
}

struct bits class_aside(const struct cause_finder *f, const struct failures *class)
{
	struct bits aside = { { 0 } };
	for (size_t i = 0; i < f->rows.count; i++) {
		const struct row *row = &f->rows.list[i];
		if (row->side == CAUSE_ASIDE && row->class_key == class->key && !row->is_asked)
			bits_set(&aside, i, true);
	}
	return aside;
}

size_t class_sample(const struct cause_finder *f, const struct bits *rows, size_t samples[CLASS_SAMPLES])
{
	size_t list[CAUSE_ROWS_MOST], count = 0;
	for (size_t i = 0; i < f->rows.count; i++)
		if (bits_have(rows, i) && row_can_be_asked(&f->rows.list[i]))
			list[count++] = i;
	for (size_t i = 0; i < CLASS_SAMPLES && i < count; i++)
		samples[i] = count <= CLASS_SAMPLES ? i : i * (count - 1) / (CLASS_SAMPLES - 1);
	for (size_t i = 0; i < CLASS_SAMPLES && i < count; i++)
		samples[i] = list[samples[i]];
	return count < CLASS_SAMPLES ? count : CLASS_SAMPLES;
}

size_t class_last_accepted(const struct cause_finder *f, const struct failures *class, bool begins)
{
	const struct row *first = &f->rows.list[class->first];
	size_t last = FIT_NONE;
	for (size_t i = 0; i < f->rows.count; i++) {
		const struct row *row = &f->rows.list[i];
		if (row->side != CAUSE_ACCEPTED || row->is_asked || row->life != first->life)
			continue;
		if (row->finished_ns > first->sent_ns)
			return FIT_NONE;
		last = !begins || (row->keys.refer == 0 && row_can_be_asked(row)) ? i : last;
	}
	return last;
}
