#include "cmd/args/expectations.h"

#include "base/shell_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/args/kinds.h"
#include "json/pointer.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

/* One of a list, EVENT or EVENT:N; all: each of the kinds. */
static int add_named(struct expectations *expected, char *text, struct error *err)
{
	struct catalog_kind kind;
	uint64_t wanted = 1;
	char *colon = strrchr(text, ':');
	if (colon) {
		const char *end = count_parse(colon + 1, 1000, UINT64_MAX, &wanted);
		if (!end || *end || wanted == 0)
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
		size_t end = strcspn(text, "<>=~");
		LOCAL(release_text) char *name = strndup(text, end);
		bool is_count = name && kind_find(name, true, &kind, &unused) >= 0;
		const char *number = text + end + strspn(text + end, "<>=");
		bool has_number = number[0] && number[strspn(number, "0123456789")] == '\0';
		LOCAL_BUFFER word = BUFFER_INIT, typed = BUFFER_INIT;
		if (is_count)
			buffer_printf(&word, "%s:%s", name, has_number ? number : "N");
		else
			buffer_printf(&word, "EVENT,%s", text);
		shell_append_assignment(&typed, buffer_text(&word), word.length);
		error_set(err, EXIT_CODE_USAGE, "missing event before '%s'", text);
		return error_hint(err, is_count ? "write how many with a colon: %s" : "write %s", buffer_text(&typed));
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
		bool is_value = strpbrk(item, "=~<>");
		first = is_value ? first : expected->count;
		if ((is_value ? add_value(expected, first, item, err) : add_named(expected, item, err)) < 0)
			return error_of_part(err, value, "EVENT[:N][,PATH=VALUE]...");
	}
	return copy ? 0 : error_no_memory(err);
}

void expectations_release(void *field)
{
	struct expectations *expected = field;
	for (size_t i = 0; i < expected->count; i++) {
		where_release(&expected->list[i].where);
		for (size_t k = 0; k < EXPECTATION_INSTEAD; k++)
			buffer_release(&expected->list[i].instead[k].values);
	}
	free(expected->list);
	*expected = (struct expectations){ .list = NULL };
}

bool expectation_holds(const struct expectation *e, const char *body, size_t length)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	return e->where.count == 0 || (json_read(&doc, body, length, NULL) && where_matches(&e->where, &doc, &value));
}

/* What it has in the place of an expected value. */
static void append_other(struct buffer *out, const struct where *where, const struct json_doc *doc)
{
	uint32_t token = json_resolve(doc, where->pointer);
	enum json_token_type type = token == JSON_NONE ? JSON_NULL : doc->tokens[token].type;
	LOCAL_BUFFER value = BUFFER_FOR(out);
	bool is_there = where_value(doc, where->pointer, &value);
	bool is_shown = is_there && type != JSON_OBJECT && type != JSON_ARRAY && value.length <= WHERE_CODE_MAX &&
	                where_is_code(where->pointer);
	buffer_append_text(out, is_shown ? "" : is_there ? "other " : "no ");
	edit_append_path(where->pointer, out);
	if (!is_shown)
		return;
	buffer_append_byte(out, '=');
	utf8_append_safe(out, buffer_text(&value), value.length);
}

/* Counts a valid notification that holds other values. */
static void count_other(struct expectation *e, const struct json_doc *doc)
{
	LOCAL_BUFFER values = BUFFER_INIT, scratch = BUFFER_INIT;
	e->others++;
	for (size_t i = 0; i < e->where.count; i++) {
		if (where_holds(&e->where.items[i], doc, &scratch))
			continue;
		buffer_append_text(&values, values.length > 0 ? ", " : "");
		append_other(&values, &e->where.items[i], doc);
	}
	if (values.failed)
		return;
	for (size_t i = 0; i < EXPECTATION_INSTEAD; i++) {
		struct expectation_instead *instead = &e->instead[i];
		if (instead->count > 0 && strcmp(buffer_text(&instead->values), buffer_text(&values)) != 0)
			continue;
		if (instead->count++ == 0) {
			instead->values = values;
			values = (struct buffer)BUFFER_INIT;
		}
		return;
	}
}

void expectations_count(struct expectations *expected, const struct notification *n)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER scratch = BUFFER_INIT;
	for (size_t i = 0; i < expected->count; i++) {
		struct expectation *e = &expected->list[i];
		if (!catalog_kind_is(n->verdict->kind, e->kind))
			continue;
		if (!n->verdict->valid) {
			e->invalid++;
			continue;
		}
		if (e->where.count > 0)
			json_read(&doc, n->request->body.text, n->request->body.length, NULL);
		if (where_matches(&e->where, &doc, &scratch))
			e->arrived++;
		else
			count_other(e, &doc);
	}
}

bool expectations_met(const struct expectations *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		if (expected->list[i].arrived < expected->list[i].wanted)
			return false;
	return true;
}

void expectation_append_name(struct buffer *out, const struct expectation *e, bool with_number)
{
	buffer_append_text(out, KIND_NAME(e->kind));
	if (with_number && e->wanted != 1)
		buffer_printf(out, ":%llu", (unsigned long long)e->wanted);
	for (size_t i = 0; i < e->where.count; i++) {
		buffer_append_byte(out, ',');
		where_append(out, &e->where.items[i]);
	}
}

static void append_times(struct buffer *out, uint64_t count)
{
	buffer_append_text(out, ", ");
	if (count == 1)
		buffer_append_text(out, "once");
	else
		buffer_printf(out, "%s times", COUNT_TEXT(count));
}

void expectation_append_instead(struct buffer *out, const struct expectation *e)
{
	const char *between = "";
	uint64_t rest = e->others;
	for (size_t i = 0; i < EXPECTATION_INSTEAD && e->instead[i].count > 0; i++) {
		buffer_printf(out, "%s%s", between, buffer_text(&e->instead[i].values));
		append_times(out, e->instead[i].count);
		rest -= e->instead[i].count;
		between = "; ";
	}
	if (rest > 0) {
		buffer_printf(out, "%sother values", between);
		append_times(out, rest);
		between = "; ";
	}
	if (e->invalid > 0)
		buffer_printf(out, "%s%s invalid", between, COUNT_TEXT(e->invalid));
}
