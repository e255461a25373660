#include "probe/play/one_bug.h"

#include <string.h>

/* The listener ends over each notification of a kind: so it does wherever one is sent. */
static bool end_alike(const struct probe_plan *plan, const struct probe_check *a, const struct probe_check *b)
{
	(void)plan;
	return a->result.ended_listener && b->result.ended_listener && a->result.ended_by.event &&
	       catalog_is_same_kind(a->result.ended_by, b->result.ended_by);
}

/* The check is of a value that a text must have: its field and the name of the value, which its id ends with. */
static bool read_value(const struct probe_check *check, struct text *field, struct text *value)
{
	const char *at = strrchr(check->id, ':'), *sign = at ? strchr(at, '=') : NULL;
	if (check->row->expansion != PROBE_KEPT || check->row->level != PROBE_MUST || !sign)
		return false;
	*field = (struct text){ check->id, (size_t)(sign - check->id) };
	*value = text_of(sign + 1);
	return true;
}

static bool is_same_text(struct text a, struct text b)
{
	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Whether the value has failed in that field. */
static bool fails(const struct probe_plan *plan, struct text of_field, struct text of_value)
{
	struct text field, value;
	bool fails = false;
	for (const struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		fails |= read_value(check, &field, &value) && is_same_text(field, of_field) &&
		         is_same_text(value, of_value) && probe_has_failed(check);
	return fails;
}

static bool is_ascii(struct text value)
{
	return !is_same_text(value, text_of("accents")) && !is_same_text(value, text_of("Chinese"));
}

/* What one field loses another one loses, too: an apostrophe is of one statement or another, but it is built in the
 * same way. Texts that are not ASCII are alike where they are lost in the same fields. */
static bool lose_alike(const struct probe_plan *plan, const struct probe_check *a, const struct probe_check *b)
{
	struct text field, value, other_field, other_value;
	if (a->result.ended_listener != b->result.ended_listener || !read_value(a, &field, &value) ||
	    !read_value(b, &other_field, &other_value))
		return false;
	bool is_same = is_same_text(value, other_value) || (!is_ascii(value) && !is_ascii(other_value));
	for (const struct probe_check *check = plan->checks; is_same && check < plan->checks + plan->count; check++) {
		struct text each, unused;
		if (read_value(check, &each, &unused))
			is_same = is_same_text(value, other_value) ||
			          fails(plan, each, value) == fails(plan, each, other_value);
	}
	return is_same;
}

static bool (*const rules[])(const struct probe_plan *plan, const struct probe_check *a,
                             const struct probe_check *b) = { end_alike, lose_alike };

static bool are_one(const struct probe_plan *plan, const struct probe_check *a, const struct probe_check *b)
{
	bool are_one = false;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		are_one |= rules[i](plan, a, b);
	return are_one;
}

static bool counts(const struct probe_check *check)
{
	return check->chosen && probe_has_failed(check) && !check->result.part_of;
}

/* Nothing is a part of a part. */
static const struct probe_check *whole_of(const struct probe_check *check)
{
	while (check->result.part_of)
		check = check->result.part_of;
	return check;
}

void one_bug_join(struct probe_plan *plan)
{
	struct probe_check *checks = plan->checks, *end = checks + plan->count;
	for (struct probe_check *check = checks; check < end; check++)
		for (const struct probe_check *first = checks; first < check && counts(check); first++)
			if (counts(first) && are_one(plan, first, check))
				check->result.part_of = first;
	for (struct probe_check *check = checks; check < end; check++) {
		struct probe_result *r = &check->result;
		if (!r->part_of)
			continue;
		r->part_of = whole_of(check);
		struct probe_result *whole = &checks[r->part_of - checks].result;
		if (whole->cause == 0)
			whole->cause = r->cause;
		r->cause = whole->cause;
	}
}
