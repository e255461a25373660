#include "cause/cause.h"

#include "cause/cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cause_finder *cause_finder_new(struct error *err)
{
	struct cause_finder *f = calloc(1, sizeof *f);
	if (f && rows_init(&f->rows, err) == 0)
		return f;
	free(f);
	return error_no_memory_null(err);
}

static void clear_causes(struct cause_finder *f)
{
	for (size_t i = 0; i < f->cause_count; i++)
		free(f->causes[i].checks);
	free(f->causes);
	f->causes = NULL;
	f->cause_count = 0;
}

void cause_finder_free(struct cause_finder *f)
{
	if (!f)
		return;
	clear_causes(f);
	rows_release(&f->rows);
	buffer_release(&f->body);
	free(f);
}

int cause_add(struct cause_finder *f, const struct cause_request *request, struct error *err)
{
	bool added;
	f->failed |= request->side == CAUSE_FAILED;
	return rows_add(&f->rows, request, false, &added, err);
}

void cause_forget(struct cause_finder *f)
{
	f->rows.life++;
}

void cause_keep(struct cause_finder *f, const char *pointer)
{
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (strcmp(fact_key_pointer(key), pointer) == 0)
			f->kept |= (uint16_t)(1u << key);
}

void cause_absolve(struct cause_finder *f, size_t check)
{
	for (size_t i = 0; i < f->rows.count; i++) {
		struct row *row = &f->rows.list[i];
		if (row->check == check && row->side == CAUSE_FAILED)
			row->side = CAUSE_ASIDE;
	}
}

static int add_check(struct cause *cause, size_t check, struct error *err)
{
	size_t capacity = cause->check_count;
	for (size_t i = 0; i < cause->check_count; i++)
		if (cause->checks[i] == check)
			return 0;
	if (!ARRAY_ROOM(cause->checks, capacity, cause->check_count + 1))
		return error_no_memory(err);
	cause->checks[cause->check_count++] = check;
	return 0;
}

/* Whether a request that was not to be explained, and got the same response, has all that is named. */
static bool has_named(const struct cause_finder *f, const struct cause *cause, size_t at)
{
	for (size_t n = 0; n < cause->fact_count; n++) {
		bool has = false;
		for (size_t i = 0; i < f->rows.fact_count && !has; i++)
			has = f->rows.facts[i].kind == cause->facts[n].kind &&
			      f->rows.facts[i].subject == cause->facts[n].subject &&
			      bits_have(&f->rows.facts[i].rows, at);
		if (!has)
			return false;
	}
	return true;
}

static int add_checks(const struct cause_finder *f, const struct failures *class, const struct bits *part,
                      struct cause *cause, struct error *err)
{
	const struct bits aside = class_aside(f, class);
	bool takes_aside = cause->type == CAUSE_FOUND || cause->type == CAUSE_BUSY || cause->type == CAUSE_LASTS ||
	                   (cause->type == CAUSE_FLAKY && class->takes_aside);
	for (size_t i = 0; i < f->rows.count; i++) {
		bool of = bits_have(part, i) && !f->rows.list[i].is_asked;
		bool joins = takes_aside && bits_have(&aside, i) && has_named(f, cause, i);
		if (f->rows.list[i].check != CAUSE_NO_CHECK && (of || joins) &&
		    add_check(cause, f->rows.list[i].check, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_alike(const struct cause *a, const struct cause *b)
{
	bool same = a->type == b->type && a->status == b->status && a->fact_count == b->fact_count;
	if (a->type == CAUSE_UNKNOWN || a->type == CAUSE_FLAKY)
		return same && strcmp(a->words, b->words) == 0;
	for (size_t i = 0; same && i < a->fact_count; i++)
		same = a->facts[i].kind == b->facts[i].kind && strcmp(a->facts[i].subject, b->facts[i].subject) == 0 &&
		       strcmp(a->facts[i].value, b->facts[i].value) == 0;
	return same && (a->fact_count > 0 || a->type == CAUSE_BUSY || a->type == CAUSE_LASTS);
}

/* Adds the cause, or its checks to the same one of another class. One check stands alone where no
 * difference was found, or in what is left over of a class its kind only. */
static int keep(struct cause_finder *f, struct cause *cause, bool is_whole, struct error *err)
{
	bool is_of_content = cause->type != CAUSE_FLAKY && cause->type != CAUSE_BUSY && cause->type != CAUSE_LASTS;
	bool says_nothing =
	        cause->check_count == 0 || (is_of_content && cause->check_count == 1 &&
	                                    (cause->fact_count == 0 || cause->facts[0].kind == FACT_WAY ||
	                                     (cause->type == CAUSE_FOUND && cause->facts[0].kind == FACT_KIND) ||
	                                     (!is_whole && cause->type == CAUSE_TOGETHER &&
	                                      cause->facts[cause->fact_count - 1].kind == FACT_KIND)));
	size_t capacity = f->cause_count, same = 0;
	int result = 0;
	cause->type = says_nothing ? CAUSE_UNKNOWN : cause->type;
	cause->fact_count = says_nothing ? 0 : cause->fact_count;
	while (same < f->cause_count && !is_alike(&f->causes[same], cause))
		same++;
	if (same < f->cause_count) {
		for (size_t i = 0; result == 0 && i < cause->check_count; i++)
			result = add_check(&f->causes[same], cause->checks[i], err);
		f->causes[same].failed += cause->failed;
	} else if (!says_nothing && !ARRAY_ROOM(f->causes, capacity, f->cause_count + 1)) {
		result = error_no_memory(err);
	} else if (!says_nothing) {
		f->causes[f->cause_count++] = *cause;
		return 0;
	}
	free(cause->checks);
	return result;
}

/* The same of one whose checks are those of the part. */
static int keep_of(struct cause_finder *f, const struct failures *class, const struct bits *part, struct cause *cause,
                   bool is_whole, struct error *err)
{
	if (add_checks(f, class, part, cause, err) == 0)
		return keep(f, cause, is_whole, err);
	free(cause->checks);
	return -1;
}

static int take_part(struct cause_finder *f, const struct failures *class, const struct bits *part, struct fits *fits,
                     struct error *err)
{
	const struct row *first = &f->rows.list[class->first];
	struct cause cause = { .type = CAUSE_UNKNOWN, .status = first->status, .words = first->words };
	bool is_whole = bits_hold(part, &class->rows);
	struct named named;
	if (class->is_busy || class->comes_and_goes) {
		cause.type = class->is_busy ? CAUSE_BUSY : CAUSE_FLAKY;
		cause.failed = bits_count(part);
		for (size_t i = 0; i < f->rows.count; i++)
			cause.total += f->rows.list[i].side != CAUSE_ASIDE;
		return keep_of(f, class, part, &cause, true, err);
	}
	if (class->lasts) {
		cause.type = CAUSE_LASTS;
		cause.alike = first->check;
		cause.unlike = f->rows.list[class_last_accepted(f, class, false)].check;
		return keep_of(f, class, part, &cause, true, err);
	}
	if (bits_count(&f->rows.accepted) == 0)
		return 0; /* there is nothing to compare with */
	rounds_play(f, class, part, &named, fits);
	if (named.count == 0)
		rounds_play_places(f, part, &named, fits);
	name_part(f, class, part, &named, fits, &cause);
	if (cause.type == CAUSE_UNKNOWN || cause.fact_count == 0) {
		struct alike alike;
		cause.type = CAUSE_UNKNOWN;
		cause.fact_count = 0;
		if (search_alike(&f->rows, part, &alike)) {
			cause.alike = f->rows.list[alike.failed].check;
			cause.unlike = f->rows.list[alike.accepted].check;
		}
	}
	return keep_of(f, class, part, &cause, is_whole, err);
}

/* Whether the other cause is one of those that were not told apart in this one. Of some types a cause has no facts. */
static bool is_among(const struct cause *cause, const struct cause *other)
{
	bool among = false;
	if (cause->type != CAUSE_TOGETHER || other->type != CAUSE_FOUND || other->fact_count != 1 ||
	    cause->status != other->status)
		return false;
	for (size_t i = 0; i < cause->fact_count; i++)
		among |= cause->facts[i].kind == other->facts[0].kind &&
		         strcmp(cause->facts[i].subject, other->facts[0].subject) == 0 &&
		         strcmp(cause->facts[i].value, other->facts[0].value) == 0;
	return among;
}

/* Moves the checks of the cause to another one, and removes it. */
static int move_checks(struct cause_finder *f, struct cause *cause, struct cause *to, struct error *err)
{
	int result = 0;
	for (size_t c = 0; result == 0 && c < cause->check_count; c++)
		result = add_check(to, cause->checks[c], err);
	free(cause->checks);
	memmove(cause, cause + 1, (size_t)(f->causes + f->cause_count - cause - 1) * sizeof *cause);
	f->cause_count--;
	return result;
}

/* Joins what was told apart of other responses with the same status: their words may only name another value. */
static int join_found(struct cause_finder *f, struct error *err)
{
	int result = 0;
	for (size_t i = 0; i < f->cause_count && result == 0;) {
		struct cause *cause = &f->causes[i], *found = f->causes, *end = f->causes + f->cause_count;
		while (found < end && !is_among(cause, found))
			found++;
		if (found < end)
			result = move_checks(f, cause, found, err);
		else
			i++;
	}
	return result;
}

/* Whether the fact of the other cause is the same but for its member, and has the same reason. */
static bool is_of_another_member(const struct cause *cause, const struct cause *other)
{
	const struct cause_fact *a = &cause->facts[0], *b = &other->facts[0];
	bool joins = cause->type == CAUSE_MEMBERS || (cause->type == CAUSE_FOUND && cause->fact_count == 1);
	return joins && cause->fact_count < CAUSE_NAMED_MOST && other->type == CAUSE_FOUND && other->fact_count == 1 &&
	       cause->status == other->status && fact_rows[a->kind].is_of_each && a->kind == b->kind &&
	       a->subject[0] != '\0' && b->subject[0] != '\0' && strcmp(a->value, b->value) == 0;
}

static int join_members(struct cause_finder *f, struct error *err)
{
	int result = 0;
	for (size_t i = 0; i < f->cause_count; i++) {
		for (size_t other = i + 1; result == 0 && other < f->cause_count;) {
			struct cause *cause = &f->causes[i];
			if (!is_of_another_member(cause, &f->causes[other])) {
				other++;
				continue;
			}
			cause->type = CAUSE_MEMBERS;
			cause->facts[cause->fact_count++] = f->causes[other].facts[0];
			result = move_checks(f, &f->causes[other], cause, err);
		}
	}
	return result;
}

static int by_checks(const void *a, const void *b)
{
	const struct cause *one = a, *other = b;
	if (one->check_count != other->check_count)
		return one->check_count < other->check_count ? 1 : -1;
	size_t first = one->check_count > 0 ? one->checks[0] : 0,
	       second = other->check_count > 0 ? other->checks[0] : 0;
	return (first > second) - (first < second);
}

static int name_class(struct cause_finder *f, const struct failures *class, struct fits *fits, struct error *err)
{
	struct bits parts[CAUSE_PARTS_MOST] = { class->rows };
	size_t count = class_is_of_content(class) ? classes_divide(f, class, fits, parts) : 1;
	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++)
		result = take_part(f, class, &parts[i], fits, err);
	return result;
}

/* Names the classes, and joins what is the same. */
static int name_all(struct cause_finder *f, struct fits *fits, struct error *err)
{
	int result = 0;
	for (size_t c = 0; c < f->class_count && result == 0; c++)
		result = name_class(f, &f->classes[c], fits, err);
	if (result == 0)
		result = join_found(f, err);
	if (result == 0)
		result = join_members(f, err);
	if (f->cause_count > 0)
		qsort(f->causes, f->cause_count, sizeof *f->causes, by_checks);
	return result;
}

int cause_find(struct cause_finder *f, const struct cause_sender *sender, const struct cause **causes, size_t *count,
               struct error *err)
{
	struct fits *fits = malloc(sizeof *fits);
	struct error later;
	clear_causes(f);
	f->sender = sender;
	f->err = err;
	f->is_over = false;
	f->result = !fits ? error_no_memory(err) : f->failed ? rows_settle(&f->rows, err) : 0;
	if (f->result == 0 && f->failed) {
		classes_list(f);
		/* Whatever ended the questions, what is known is said. */
		f->result = ask_all(f, fits);
		if (name_all(f, fits, f->result < 0 ? &later : err) < 0)
			f->result = -1;
	}
	free(fits);
	*causes = f->causes;
	*count = f->cause_count;
	return f->result;
}
