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

void listen_count_expected(struct expectations *expected, struct catalog_kind kind)
{
	for (size_t i = 0; i < expected->count; i++) {
		struct expectation *e = &expected->list[i];
		if (e->kind.event == kind.event && (!e->kind.element || e->kind.element == kind.element))
			e->arrived++;
	}
}

bool listen_expectations_met(const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		if (expected->list[i].arrived < expected->list[i].wanted)
			return false;
	return true;
}

void listen_append_missing(struct buffer *out, const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++) {
		const struct expectation *e = &expected->list[i];
		char name[CATALOG_KIND_NAME_SIZE];
		if (e->arrived >= e->wanted)
			continue;
		catalog_kind_name(e->kind, name);
		buffer_printf(out, "%s%s (%llu of %llu)", out->length > 0 ? ", " : "", name,
		              (unsigned long long)e->arrived, (unsigned long long)e->wanted);
	}
}
