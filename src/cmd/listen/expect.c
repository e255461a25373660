/* --expect EVENT[:N]: what has to arrive before listen may end well. */
#include "cmd/listen/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int listen_parse_expectation(void *field, const char *value, struct error *err)
{
	struct expectations *expected = field;
	struct expectation wanted = { .wanted = 1 };
	const char *colon = strrchr(value, ':');
	if (colon) {
		char *end;
		errno = 0;
		wanted.wanted = strtoull(colon + 1, &end, 10);
		if (colon[1] < '0' || colon[1] > '9' || *end || errno || wanted.wanted == 0)
			return error_set(err, EXIT_CODE_USAGE,
			                 "--expect takes EVENT or EVENT:N with N from 1 up, not '%s'", value);
	}
	char *name = strndup(value, colon ? (size_t)(colon - value) : strlen(value));
	struct expectation *grown =
	        array_grow(expected->list, &expected->capacity, expected->count + 1, sizeof(struct expectation));
	if (grown)
		expected->list = grown;
	int result = !name || !grown ? error_no_memory(err) : command_find_kind(name, &wanted.kind, err);
	free(name);
	if (result == 0)
		expected->list[expected->count++] = wanted;
	return result;
}

static bool is_met(const struct expectation *e)
{
	return e->arrived >= e->wanted;
}

static bool meets(const struct expectation *e, struct catalog_kind kind)
{
	return e->kind.event == kind.event && (!e->kind.element || e->kind.element == kind.element);
}

/* What is awaited counts; what came before may come again (a retry); what is only due later came too early. */
static void count_in_order(struct expectations *expected, struct catalog_kind kind)
{
	struct expectation *list = expected->list;
	size_t awaited = 0;
	while (awaited < expected->count && is_met(&list[awaited]))
		awaited++;
	if (awaited < expected->count && meets(&list[awaited], kind)) {
		list[awaited].arrived++;
		return;
	}
	for (size_t i = 0; i < expected->count; i++) {
		if (!meets(&list[i], kind))
			continue;
		if (i < awaited) {
			list[i].arrived++;
		} else if (!expected->out_of_order) {
			expected->out_of_order = true;
			expected->early = i;
			expected->awaited = awaited;
		}
		return;
	}
}

void listen_count_expected(struct expectations *expected, struct catalog_kind kind)
{
	if (expected->in_order) {
		count_in_order(expected, kind);
		return;
	}
	for (size_t i = 0; i < expected->count; i++)
		if (meets(&expected->list[i], kind))
			expected->list[i].arrived++;
}

bool listen_expectations_met(const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		if (!is_met(&expected->list[i]))
			return false;
	return true;
}

void listen_append_missing(struct buffer *out, const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++) {
		const struct expectation *e = &expected->list[i];
		char name[CATALOG_KIND_NAME_SIZE];
		if (is_met(e))
			continue;
		catalog_kind_name(e->kind, name);
		buffer_printf(out, "%s%s (%llu of %llu)", out->length > 0 ? ", " : "", name,
		              (unsigned long long)e->arrived, (unsigned long long)e->wanted);
	}
}

void listen_append_disorder(struct buffer *out, const struct expectations *expected)
{
	char early[CATALOG_KIND_NAME_SIZE], awaited[CATALOG_KIND_NAME_SIZE];
	if (!expected->out_of_order)
		return;
	catalog_kind_name(expected->list[expected->early].kind, early);
	catalog_kind_name(expected->list[expected->awaited].kind, awaited);
	buffer_printf(out, "%s came before %s", early, awaited);
}
