/* --expect EVENT[:N]: what has to arrive before listen may end well. */
#include "cmd/listen/listen.h"

#include <errno.h>
#include <inttypes.h>
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
static void count_in_order(struct expectations *expected, struct catalog_kind kind, uint64_t seq)
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
			expected->early_seq = seq;
			expected->awaited = awaited;
		}
		return;
	}
}

void listen_count_expected(struct expectations *expected, const struct ticket *t)
{
	if (expected->in_order && t->valid) {
		count_in_order(expected, t->kind, t->seq);
		return;
	}
	for (size_t i = 0; i < expected->count; i++) {
		struct expectation *e = &expected->list[i];
		if (!meets(e, t->kind))
			continue;
		if (t->valid)
			e->arrived++;
		else
			e->invalid++;
	}
}

bool listen_expectations_met(const struct expectations *expected)
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
		buffer_printf(out, "; %" PRIu64 " came, but invalid", e->invalid);
	buffer_append_byte(out, ')');
}

void listen_append_missing(struct buffer *out, const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++) {
		if (is_met(&expected->list[i]))
			continue;
		if (out->length > 0)
			buffer_append_text(out, ", ");
		append_state(out, &expected->list[i]);
	}
}

void listen_append_disorder(struct buffer *out, const struct expectations *expected)
{
	char early[CATALOG_KIND_NAME_SIZE];
	if (!expected->out_of_order)
		return;
	catalog_kind_name(expected->list[expected->early].kind, early);
	buffer_printf(out, "#%" PRIu64 " was %s, and ", expected->early_seq, early);
	append_state(out, &expected->list[expected->awaited]);
	buffer_append_text(out, " was due");
}
