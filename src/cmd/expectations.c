#include "cmd/expectations.h"

#include "base/count.h"
#include "cmd/kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int add_expectation(struct expectations *expected, struct catalog_kind kind, uint64_t wanted, struct error *err)
{
	struct expectation *grown =
	        array_grow(expected->list, &expected->capacity, expected->count + 1, sizeof(struct expectation));
	if (!grown)
		return error_no_memory(err);
	expected->list = grown;
	grown[expected->count++] = (struct expectation){ .kind = kind, .wanted = wanted };
	return 0;
}

/* One of a list, EVENT or EVENT:N; all: each of the kinds. */
static int add_named(struct expectations *expected, char *text, struct error *err)
{
	struct catalog_kind kind;
	uint64_t wanted = 1;
	char *colon = strrchr(text, ':');
	if (colon) {
		if (!count_read(colon + 1, UINT64_MAX, &wanted) || wanted == 0)
			return error_set(err, EXIT_CODE_USAGE, "'%s' is not EVENT or EVENT:N", text);
		*colon = '\0';
	}
	if (text[0] == '\0')
		return error_set(err, EXIT_CODE_USAGE, "missing event before or after a comma");
	int found = kind_find_or_all(text, &kind, err);
	if (found <= 0)
		return found < 0 ? -1 : add_expectation(expected, kind, wanted, err);
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (add_expectation(expected, catalog_kind_at(i), wanted, err) < 0)
			return -1;
	return 0;
}

int expectations_parse(void *field, const char *value, struct error *err)
{
	char *names = strdup(value);
	int result = names ? 0 : error_no_memory(err);
	for (char *name = names; name && result == 0;) {
		char *comma = strchr(name, ',');
		if (comma)
			*comma = '\0';
		result = add_named(field, name, err);
		name = comma ? comma + 1 : NULL;
	}
	free(names);
	return result;
}

int expectations_copy(struct expectations *to, const struct expectations *from, struct error *err)
{
	*to = *from;
	to->list = calloc(from->count + 1, sizeof *to->list);
	if (!to->list)
		return error_no_memory(err);
	to->capacity = from->count + 1;
	for (size_t i = 0; i < from->count; i++)
		to->list[i] = from->list[i];
	return 0;
}

void expectations_release(struct expectations *expected)
{
	free(expected->list);
	*expected = (struct expectations){ .list = NULL };
}

static bool is_met(const struct expectation *e)
{
	return e->arrived >= e->wanted;
}

bool expectation_is_of(const struct expectation *e, struct catalog_kind kind)
{
	return e->kind.event == kind.event && (!e->kind.element || e->kind.element == kind.element);
}

/* The next expected event counts; an earlier one may arrive again (a retry); a later one is too early. */
static void count_in_order(struct expectations *expected, struct catalog_kind kind, uint64_t seq)
{
	struct expectation *list = expected->list;
	size_t awaited = 0;
	while (awaited < expected->count && is_met(&list[awaited]))
		awaited++;
	if (awaited < expected->count && expectation_is_of(&list[awaited], kind)) {
		list[awaited].arrived++;
		return;
	}
	for (size_t i = 0; i < expected->count; i++) {
		if (!expectation_is_of(&list[i], kind))
			continue;
		if (i < awaited) {
			list[i].arrived++;
		} else if (!expected->out_of_order) {
			expected->out_of_order = true;
			expected->early = i;
			expected->early_seq = seq;
			expected->awaited = awaited;
		}
		return;
	}
}

void expectations_count(struct expectations *expected, struct catalog_kind kind, bool valid, uint64_t seq)
{
	if (expected->in_order && valid) {
		count_in_order(expected, kind, seq);
		return;
	}
	for (size_t i = 0; i < expected->count; i++) {
		struct expectation *e = &expected->list[i];
		if (!expectation_is_of(e, kind))
			continue;
		if (valid)
			e->arrived++;
		else
			e->invalid++;
	}
}

bool expectations_met(const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		if (!is_met(&expected->list[i]))
			return false;
	return true;
}

static void append_state(struct buffer *out, const struct expectation *e)
{
	char name[CATALOG_KIND_NAME_SIZE];
	catalog_kind_name(e->kind, name);
	buffer_printf(out, "%s (%" PRIu64 " of %" PRIu64, name, e->arrived, e->wanted);
	if (e->invalid > 0)
		buffer_printf(out, "; %" PRIu64 " invalid", e->invalid);
	buffer_append_byte(out, ')');
}

void expectations_append_missing(struct buffer *out, const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++) {
		if (is_met(&expected->list[i]))
			continue;
		if (out->length > 0)
			buffer_append_text(out, ", ");
		append_state(out, &expected->list[i]);
	}
}

void expectations_append_disorder(struct buffer *out, const struct expectations *expected)
{
	char early[CATALOG_KIND_NAME_SIZE];
	if (!expected->out_of_order)
		return;
	catalog_kind_name(expected->list[expected->early].kind, early);
	buffer_printf(out, "#%" PRIu64 " was %s, expected ", expected->early_seq, early);
	append_state(out, &expected->list[expected->awaited]);
}
