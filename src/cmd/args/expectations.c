#include "cmd/args/expectations.h"

#include "base/text.h"
#include "cmd/args/kinds.h"
#include "payload/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	int is_all = kind_find(text, true, &kind, err);
	if (is_all < 0)
		return -1;
	size_t added = is_all ? catalog_kind_count() : 1;
	if (!ARRAY_ROOM(expected->list, expected->capacity, expected->count + added))
		return error_no_memory(err);
	for (size_t i = 0; i < added; i++)
		expected->list[expected->count++] =
		        (struct expectation){ .kind = is_all ? catalog_kind_at(i) : kind, .wanted = wanted };
	return 0;
}

/* PATH=VALUE behind an event, which may have become several (all). */
static int add_value(struct expectations *expected, size_t first, const char *text, struct error *err)
{
	if (first == expected->count) {
		struct catalog_kind kind;
		struct error unused;
		LOCAL(release_text) char *name = strndup(text, strcspn(text, "="));
		bool is_count = name && kind_find(name, true, &kind, &unused) >= 0;
		error_set(err, EXIT_CODE_USAGE, "missing event before '%s'", text);
		return is_count ? error_hint(err, "write how many with a colon: %s:N", name)
		                : error_hint(err, "write EVENT,%s", text);
	}
	for (size_t i = first; i < expected->count; i++) {
		struct where_list *where = &expected->list[i].where;
		if (where_add(where, text, err) < 0 ||
		    edit_check_field(where->items[where->count - 1].pointer, expected->list[i].kind.event, err) < 0)
			return -1;
	}
	return 0;
}

int expectations_parse(void *field, const char *value, struct error *err)
{
	struct expectations *expected = field;
	LOCAL(release_text) char *copy = strdup(value);
	char *rest = copy;
	size_t first = expected->count; /* of what the last event has become */
	for (char *item; (item = strsep(&rest, ",")) != NULL;) {
		bool is_value = strpbrk(item, "=~");
		first = is_value ? first : expected->count;
		if ((is_value ? add_value(expected, first, item, err) : add_named(expected, item, err)) < 0)
			return -1;
	}
	return copy ? 0 : error_no_memory(err);
}

void expectations_release(void *field)
{
	struct expectations *expected = field;
	for (size_t i = 0; i < expected->count; i++)
		where_release(&expected->list[i].where);
	free(expected->list);
	*expected = (struct expectations){ .list = NULL };
}

bool expectation_holds(const struct expectation *e, const char *body, size_t length)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	return e->where.count == 0 || (json_read(&doc, body, length, NULL) && where_matches(&e->where, &doc, &value));
}

void expectations_count(struct expectations *expected, const struct notification *n)
{
	for (size_t i = 0; i < expected->count; i++) {
		struct expectation *e = &expected->list[i];
		if (!catalog_kind_is(n->verdict->kind, e->kind))
			continue;
		if (!n->verdict->valid)
			e->invalid++;
		else if (expectation_holds(e, n->request->body.text, n->request->body.length))
			e->arrived++;
		else
			e->others++;
	}
}

bool expectations_met(const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		if (expected->list[i].arrived < expected->list[i].wanted)
			return false;
	return true;
}

void expectation_append_name(struct buffer *out, const struct expectation *e)
{
	buffer_append_text(out, KIND_NAME(e->kind));
	for (size_t i = 0; i < e->where.count; i++) {
		buffer_append_byte(out, ',');
		where_append(out, &e->where.items[i]);
	}
}

void expectation_append_state(struct buffer *out, const struct expectation *e)
{
	expectation_append_name(out, e);
	buffer_printf(out, ": %" PRIu64 " of %" PRIu64, e->arrived, e->wanted);
	/* Those that came without counting: what was wrong with them, never what they held. */
	if (e->others > 0)
		buffer_printf(out, " (%" PRIu64 " came with other values%s", e->others, e->invalid > 0 ? "; " : ")");
	if (e->invalid > 0)
		buffer_printf(out, "%s%" PRIu64 " invalid)", e->others > 0 ? "" : " (", e->invalid);
}
