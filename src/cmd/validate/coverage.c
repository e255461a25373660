#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/mistakes.h"
#include "cmd/validate/validate.h"
#include "json/json_line.h"
#include "ui/line.h"

#include <stdio.h>
#include <string.h>

static bool is_single(const struct catalog_event *event)
{
	return event->element_count == 0;
}

static void demand_all(struct coverage_demand *demand)
{
	for (size_t i = 0; i < catalog_kind_count() && i < COVERAGE_KINDS_MAX; i++)
		demand->kinds[i] = true;
}

int coverage_demand_parse(void *field, const char *text, struct error *err)
{
	struct coverage_demand *demand = field;
	demand->any = true;
	for (const char *at = text;; at++) {
		char name[CATALOG_KIND_NAME_SIZE];
		size_t length = strcspn(at, ",");
		if (length == 0)
			return error_set(err, EXIT_CODE_USAGE, "'%s' has an empty event name", text);
		if (length >= sizeof name)
			return error_set(err, EXIT_CODE_USAGE, "'%.*s' is not an event", (int)length, at);
		memcpy(name, at, length);
		name[length] = '\0';
		struct catalog_kind kind;
		int found = kind_find_or_all(name, &kind, err);
		if (found < 0)
			return -1;
		if (found > 0)
			demand_all(demand);
		else if (kind.element || is_single(kind.event))
			demand->kinds[catalog_kind_index(kind)] = true;
		else
			demand->events[kind.event - catalog_events] = true;
		at += length;
		if (*at == '\0')
			return 0;
	}
}

void coverage_add(struct coverage *coverage, struct catalog_kind kind, bool valid)
{
	/* --event names an event that has elements, and the payload's path names none of them. */
	bool known = kind.event && (kind.element || is_single(kind.event));
	struct coverage_count *count = known ? &coverage->kinds[catalog_kind_index(kind)] : &coverage->unidentified;
	if (valid)
		count->valid++;
	else
		count->invalid++;
}

static void add_counts(struct coverage_count *to, const struct coverage_count *from)
{
	to->valid += from->valid;
	to->invalid += from->invalid;
}

void coverage_merge(struct coverage *to, const struct coverage *from)
{
	for (size_t i = 0; i < COVERAGE_KINDS_MAX; i++)
		add_counts(&to->kinds[i], &from->kinds[i]);
	add_counts(&to->unidentified, &from->unidentified);
}

/* What an event has in all, over its elements. */
static struct coverage_count count_of_event(const struct coverage *coverage, const struct catalog_event *event)
{
	struct coverage_count sum = { 0, 0 };
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).event == event)
			add_counts(&sum, &coverage->kinds[i]);
	return sum;
}

void coverage_each(const struct coverage *coverage, const struct coverage_demand *demand,
                   void (*found)(void *context, const char *name, bool covered), void *context)
{
	const struct catalog_event *before = NULL;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (kind.event != before && demand->events[kind.event - catalog_events])
			found(context, kind.event->name, count_of_event(coverage, kind.event).valid > 0);
		before = kind.event;
		if (demand->kinds[i]) {
			char name[CATALOG_KIND_NAME_SIZE];
			catalog_kind_name(kind, name);
			found(context, name, coverage->kinds[i].valid > 0);
		}
	}
}

#define TABLE_COLUMNS 3
#define TABLE_ROWS    (2 * COVERAGE_KINDS_MAX)

struct table {
	const char *cells[TABLE_ROWS * TABLE_COLUMNS];
	char names[TABLE_ROWS][CATALOG_KIND_NAME_SIZE], counts[TABLE_ROWS * 2][COUNT_SIZE];
	size_t rows;
};

static void add_row(struct table *table, const char *indent, const char *name, struct coverage_count count)
{
	size_t row = table->rows++;
	const char **cells = &table->cells[row * TABLE_COLUMNS];
	snprintf(table->names[row], CATALOG_KIND_NAME_SIZE, "%s%s", indent, name);
	cells[0] = table->names[row];
	cells[1] = count_text(count.valid, table->counts[2 * row]);
	cells[2] = count_text(count.invalid, table->counts[2 * row + 1]);
}

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out)
{
	static const struct column columns[TABLE_COLUMNS] = { { "event", 0, false },
		                                              { "valid", 1, true },
		                                              { "invalid", 2, true } };
	struct table table = { .rows = 0 };
	size_t events = 0, elements = 0;
	const struct catalog_event *before = NULL;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (kind.event != before) {
			struct coverage_count sum = count_of_event(coverage, kind.event);
			add_row(&table, "", kind.event->name, sum);
			events += sum.valid > 0;
		}
		before = kind.event;
		if (kind.element) {
			add_row(&table, "  ", kind.element->name, coverage->kinds[i]);
			elements += coverage->kinds[i].valid > 0;
		}
	}
	add_row(&table, "", "(unknown event)", coverage->unidentified);
	columns_append_table(out, columns, TABLE_COLUMNS, table.cells, table.rows, width, color);
	buffer_printf(out, "valid payloads cover %zu of %zu events, %zu of %zu elements\n", events, catalog_event_count,
	              elements, catalog_element_count);
}

static void append_missing(void *context, const char *name, bool covered)
{
	struct buffer *out = context;
	if (covered)
		return;
	json_line_element(out, name);
}

static void append_count(struct buffer *out, struct coverage_count count)
{
	json_line_number(out, "valid_count", (int64_t)count.valid);
	json_line_number(out, "invalid_count", (int64_t)count.invalid);
	json_line_end(out);
}

void coverage_append_members(const struct coverage *coverage, struct buffer *out)
{
	json_line_array(out, "coverage");
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(catalog_kind_at(i), name);
		json_line_begin(out);
		json_line_text(out, "event", name);
		append_count(out, coverage->kinds[i]);
	}
	json_line_array_end(out);
	json_line_object(out, "unidentified");
	append_count(out, coverage->unidentified);
}

void coverage_append_json(const struct coverage *coverage, const struct coverage_demand *demand, struct buffer *out)
{
	json_line_begin(out);
	coverage_append_members(coverage, out);
	if (demand->any) {
		json_line_array(out, "missing");
		coverage_each(coverage, demand, append_missing, out);
		json_line_array_end(out);
	}
	json_line_finish(out);
}
