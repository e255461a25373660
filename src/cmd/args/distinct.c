#include "cmd/args/distinct.h"

#include "base/id_set.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct distinct {
	struct shaper *shaper;
	struct id_set shapes;
	struct seen_shape {
		uint64_t count;
		uint64_t number; /* of the one that was taken for it */
		bool is_taken;
	} * seen; /* by the index of the shape */
	size_t seen_capacity;
	struct id_set values; /* of codes, each with its kind and field */
	struct seen_value {
		const struct catalog_field *code;
		uint64_t count;
		uint64_t number; /* of the one that was taken for it; 0: for its shape, too */
		bool is_taken;
	} * seen_values; /* by the index of the value */
	size_t value_capacity;
	unsigned (*value_counts)[CODES_MAX]; /* by kind, and code of it; one more than are told apart: there
	                                      * are more */
	uint64_t asked, taken;
	struct distinct_taken last;
};

struct distinct *distinct_new(struct error *err)
{
	struct distinct *d = calloc(1, sizeof *d);
	if (d && (d->value_counts = calloc(catalog_kind_count(), sizeof *d->value_counts)) &&
	    (d->shaper = shaper_new(err)))
		return d;
	if (!d || !d->value_counts)
		error_no_memory(err);
	distinct_free(d);
	return NULL;
}

void distinct_free(struct distinct *d)
{
	if (!d)
		return;
	shaper_free(d->shaper);
	id_set_release(&d->shapes);
	id_set_release(&d->values);
	free(d->seen);
	free(d->seen_values);
	free(d->value_counts);
	free(d);
}

/* Counts the shape, and takes it if it is new. */
static int ask_shape(struct distinct *d, const unsigned char id[SHAPE_ID_SIZE], uint64_t number, struct error *err)
{
	uint32_t count = d->shapes.count, shape;
	if (!ARRAY_ROOM(d->seen, d->seen_capacity, (size_t)count + 1) ||
	    (shape = id_set_add(&d->shapes, id)) == ID_NONE)
		return error_no_memory(err);
	struct seen_shape *seen = &d->seen[shape];
	if (shape == count)
		*seen = (struct seen_shape){ .is_taken = false };
	seen->count++;
	d->last = (struct distinct_taken){ .shape = shape, .is_for_shape = !seen->is_taken };
	if (d->last.is_for_shape)
		seen->number = number;
	seen->is_taken = true;
	return 0;
}

/* Which of the codes of its event the field is, present or not. */
static size_t code_index(const struct catalog_event *event, const struct catalog_field *field)
{
	size_t index = 0;
	for (size_t i = 0; i < event->detail_count && event->details[i].field != field; i++)
		index += event->details[i].field->privacy == CATALOG_CODE;
	return index;
}

/* Counts the value of a kind's code, and takes it if it is new, and one of those that are told apart. */
static int ask_value(struct distinct *d, struct catalog_kind kind, const struct catalog_field *field, struct text value,
                     uint64_t number, struct error *err)
{
	unsigned char of_kind[SHAPE_ID_SIZE] = { (unsigned char)catalog_kind_index(kind) }, id[SHAPE_ID_SIZE];
	unsigned *value_count = &d->value_counts[catalog_kind_index(kind)][code_index(kind.event, field)];
	if (shape_with_code(d->shaper, of_kind, field, value, id, err) < 0)
		return -1;
	uint32_t index = id_set_find(&d->values, id), count = d->values.count;
	if (index == ID_NONE && *value_count >= CODE_VALUES_MAX) {
		*value_count = CODE_VALUES_MAX + 1;
		return 0;
	}
	if (index == ID_NONE) {
		if (!ARRAY_ROOM(d->seen_values, d->value_capacity, (size_t)count + 1) ||
		    (index = id_set_add(&d->values, id)) == ID_NONE)
			return error_no_memory(err);
		d->seen_values[index] = (struct seen_value){ .code = field };
		++*value_count;
	}
	struct seen_value *seen = &d->seen_values[index];
	seen->count++;
	if (seen->is_taken)
		return 0;
	seen->is_taken = true;
	seen->number = d->last.is_for_shape ? 0 : number;
	d->last.values[d->last.value_count++] = index;
	return 0;
}

int distinct_takes(struct distinct *d, const struct verdict *verdict, uint64_t number, struct distinct_taken *taken,
                   struct error *err)
{
	const struct catalog_field *field;
	struct text value;
	unsigned char id[SHAPE_ID_SIZE];
	d->asked++;
	if (shape_of(d->shaper, verdict, id, err) < 0 || ask_shape(d, id, number, err) < 0)
		return -1;
	for (size_t nth = 0; nth < CODES_MAX && shape_code(d->shaper, verdict, nth, &field, &value); nth++)
		if (ask_value(d, verdict->kind, field, value, number, err) < 0)
			return -1;
	*taken = d->last;
	bool is_taken = taken->is_for_shape || taken->value_count > 0;
	d->taken += is_taken;
	return is_taken;
}

void distinct_untake(struct distinct *d)
{
	d->taken--;
	if (d->last.is_for_shape)
		d->seen[d->last.shape].is_taken = false;
	for (size_t i = 0; i < d->last.value_count; i++)
		d->seen_values[d->last.values[i]].is_taken = false;
}

bool distinct_is_complete(const struct distinct *d)
{
	bool is_complete = true;
	for (uint32_t i = 0; i < d->shapes.count; i++)
		is_complete = is_complete && d->seen[i].is_taken;
	for (uint32_t i = 0; i < d->values.count; i++)
		is_complete = is_complete && d->seen_values[i].is_taken;
	return is_complete;
}

uint64_t distinct_count(const struct distinct *d, const struct distinct_taken *taken, const struct catalog_field **code)
{
	uint64_t count = 1;
	*code = NULL;
	if (taken->is_for_shape)
		return d->seen[taken->shape].count;
	for (size_t i = 0; i < taken->value_count; i++) {
		const struct seen_value *value = &d->seen_values[taken->values[i]];
		if (*code && value->count >= count)
			continue;
		count = value->count;
		*code = value->code;
	}
	return count;
}

/* The rarest of what was taken, as distinct_count() counts it. Returns the number of that; 0: nothing was taken. */
static uint64_t find_rarest(const struct distinct *d, uint64_t *count)
{
	uint64_t number = 0;
	for (uint32_t i = 0; i < d->shapes.count; i++) {
		const struct seen_shape *shape = &d->seen[i];
		if (shape->is_taken && (number == 0 || shape->count < *count)) {
			*count = shape->count;
			number = shape->number;
		}
	}
	for (uint32_t i = 0; i < d->values.count; i++) {
		const struct seen_value *value = &d->seen_values[i];
		if (value->is_taken && value->number > 0 && value->count < *count) {
			*count = value->count;
			number = value->number;
		}
	}
	return number;
}

void distinct_append_summary(const struct distinct *d, bool only_first, struct buffer *out)
{
	uint64_t count = 0, rarest = only_first ? 0 : find_rarest(d, &count);
	buffer_printf(out, "%s of %s%s record%s, one of each shape and code", COUNT_TEXT(d->taken),
	              only_first ? "the first " : "", COUNT_TEXT(d->asked), d->asked == 1 ? "" : "s");
	if (rarest == 0)
		return;
	buffer_append_text(out, "; the rarest came ");
	if (count == 1)
		buffer_append_text(out, "once");
	else
		buffer_printf(out, "%s times", COUNT_TEXT(count));
	buffer_printf(out, ": #%llu", (unsigned long long)rarest);
}

size_t distinct_append_full(const struct distinct *d, struct buffer *out)
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		for (size_t at = 0; at < kind.event->detail_count; at++) {
			const struct catalog_field *field = kind.event->details[at].field;
			if (field->privacy == CATALOG_CODE &&
			    d->value_counts[i][code_index(kind.event, field)] > CODE_VALUES_MAX)
				buffer_printf(out, "%s%s of %s", count++ > 0 ? ", " : "", field->name, KIND_NAME(kind));
		}
	}
	return count;
}
