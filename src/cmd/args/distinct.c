#include "cmd/args/distinct.h"

#include "base/id_set.h"
#include "base/text.h"
#include "payload/codes.h"

#include <stdlib.h>
#include <string.h>

#define CODES_MOST 4 /* of one kind */

struct distinct {
	struct shaper *shaper;
	struct id_set shapes;
	struct seen_shape {
		uint64_t first; /* number */
		uint64_t count;
		bool is_taken;
	} * seen; /* by the index of the shape */
	size_t seen_capacity;
	struct id_set values; /* of codes, each with its kind and field */
	bool *value_is_taken; /* by the index of the value */
	size_t value_capacity;
	unsigned (*value_counts)[CODES_MOST]; /* by kind, and code of it */
	uint64_t asked, taken;
	/* What the one taken last was taken for: */
	bool took_shape;
	uint32_t shape;
	uint32_t took_values[CODES_MOST];
	size_t took_value_count;
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
	free(d->value_is_taken);
	free(d->value_counts);
	free(d);
}

/* Counts the shape, and takes it if it is new. */
static int ask_shape(struct distinct *d, const unsigned char id[SHAPE_ID_SIZE], uint64_t number, struct error *err)
{
	uint32_t count = d->shapes.count;
	if (!ARRAY_ROOM(d->seen, d->seen_capacity, (size_t)count + 1) ||
	    (d->shape = id_set_add(&d->shapes, id)) == ID_NONE)
		return error_no_memory(err);
	struct seen_shape *seen = &d->seen[d->shape];
	if (d->shape == count)
		*seen = (struct seen_shape){ .first = number };
	seen->count++;
	d->took_shape = !seen->is_taken;
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

/* Takes the value of a kind's code if it is new, and one of those that are told apart. 1: it was taken. */
static int ask_value(struct distinct *d, struct catalog_kind kind, const struct catalog_field *field, struct text value,
                     struct error *err)
{
	unsigned char of_kind[SHAPE_ID_SIZE] = { (unsigned char)catalog_kind_index(kind) }, id[SHAPE_ID_SIZE];
	unsigned *value_count = &d->value_counts[catalog_kind_index(kind)][code_index(kind.event, field)];
	if (shape_with_code(d->shaper, of_kind, field, value, id, err) < 0)
		return -1;
	uint32_t index = id_set_find(&d->values, id), count = d->values.count;
	if (index == ID_NONE && *value_count == CODE_VALUES_MAX)
		return 0;
	if (index == ID_NONE) {
		if (!ARRAY_ROOM(d->value_is_taken, d->value_capacity, (size_t)count + 1) ||
		    (index = id_set_add(&d->values, id)) == ID_NONE)
			return error_no_memory(err);
		d->value_is_taken[index] = false;
		++*value_count;
	}
	if (d->value_is_taken[index])
		return 0;
	d->value_is_taken[index] = true;
	d->took_values[d->took_value_count++] = index;
	return 1;
}

int distinct_takes(struct distinct *d, const struct verdict *verdict, uint64_t number, struct distinct_taken *taken,
                   struct error *err)
{
	const struct catalog_field *field;
	struct text value;
	unsigned char id[SHAPE_ID_SIZE];
	d->asked++;
	d->took_value_count = 0;
	*taken = (struct distinct_taken){ .code = NULL };
	if (shape_of(d->shaper, verdict, id, err) < 0 || ask_shape(d, id, number, err) < 0)
		return -1;
	taken->shape = d->shape;
	for (size_t nth = 0; nth < CODES_MOST && shape_code(d->shaper, verdict, nth, &field, &value); nth++) {
		int is_new = ask_value(d, verdict->kind, field, value, err);
		if (is_new < 0)
			return -1;
		if (is_new > 0 && !d->took_shape && !taken->code)
			taken->code = field;
	}
	bool is_taken = d->took_shape || taken->code;
	d->taken += is_taken;
	return is_taken;
}

void distinct_untake(struct distinct *d)
{
	d->taken--;
	if (d->took_shape)
		d->seen[d->shape].is_taken = false;
	for (size_t i = 0; i < d->took_value_count; i++)
		d->value_is_taken[d->took_values[i]] = false;
}

bool distinct_is_complete(const struct distinct *d)
{
	bool is_complete = true;
	for (uint32_t i = 0; i < d->shapes.count; i++)
		is_complete = is_complete && d->seen[i].is_taken;
	for (uint32_t i = 0; i < d->values.count; i++)
		is_complete = is_complete && d->value_is_taken[i];
	return is_complete;
}

uint64_t distinct_count(const struct distinct *d, uint32_t shape)
{
	return d->seen[shape].count;
}

void distinct_append_summary(const struct distinct *d, struct buffer *out)
{
	const struct seen_shape *rarest = d->seen;
	for (uint32_t i = 1; i < d->shapes.count; i++)
		rarest = d->seen[i].count < rarest->count ? &d->seen[i] : rarest;
	buffer_printf(out, "%s of %s record%s, one of each shape and code", COUNT_TEXT(d->taken), COUNT_TEXT(d->asked),
	              d->asked == 1 ? "" : "s");
	if (!rarest || d->taken == 0)
		return;
	buffer_append_text(out, "; the rarest came ");
	if (rarest->count == 1)
		buffer_append_text(out, "once");
	else
		buffer_printf(out, "%s times", COUNT_TEXT(rarest->count));
	buffer_printf(out, ": #%llu", (unsigned long long)rarest->first);
}
