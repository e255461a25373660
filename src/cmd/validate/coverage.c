#include "base/text.h"
#include "cmd/args/kinds.h"
#include "cmd/validate/validate.h"
#include "json/json_line.h"
#include "ui/line.h"

#include <stdlib.h>

#define UNCOVERED_SHOWN 5 /* by name; of more only the number is said */

/* Where the counts of a kind are. --as names an event that has elements, and the payload's path names none of them.
 */
static size_t index_of(struct catalog_kind kind)
{
	bool known = kind.event && (kind.element || kind.event->element_count == 0);
	return known ? catalog_kind_index(kind) : COVERAGE_UNKNOWN;
}

int requirement_parse(void *field, const char *text, struct error *err)
{
	struct requirement *requirement = field;
	struct kind_list named = { .items = NULL };
	int result = kinds_read(&named, &text, 1, err);
	for (size_t i = 0; i < named.count; i++) {
		const struct catalog_kind kind = named.items[i];
		if (!kind.event)
			requirement->kinds = UINT64_MAX;
		else if (index_of(kind) != COVERAGE_UNKNOWN)
			requirement->kinds |= UINT64_C(1) << index_of(kind);
		else
			requirement->events |= UINT64_C(1) << (kind.event - catalog_events);
	}
	free(named.items);
	return result;
}

void coverage_add(struct coverage *coverage, const struct verdict *verdict)
{
	size_t kind = index_of(verdict->kind);
	coverage->counts[kind][verdict->valid]++;
	coverage->compared[kind] += verdict->is_compared;
}

/* Whether a valid payload covers the event, with any of its elements. */
static bool covers(const struct coverage *coverage, const struct catalog_event *event)
{
	bool is_covered = false;
	for (size_t i = 0; i < catalog_kind_count(); i++)
		is_covered |= catalog_kind_at(i).event == event && coverage->counts[i][true] > 0;
	return is_covered;
}

size_t coverage_demanded(const struct coverage *coverage, const struct requirement *requirement,
                         struct demanded list[DEMANDED_MAX])
{
	const struct catalog_event *before = NULL;
	struct demanded *next = list;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (kind.event != before && requirement->events >> (kind.event - catalog_events) & 1) {
			catalog_kind_name((struct catalog_kind){ .event = kind.event }, next->name);
			next++->is_covered = covers(coverage, kind.event);
		}
		before = kind.event;
		if (requirement->kinds >> i & 1) {
			catalog_kind_name(kind, next->name);
			next++->is_covered = coverage->counts[i][true] > 0;
		}
	}
	return (size_t)(next - list);
}

#define COLUMNS 3

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out)
{
	static const struct column columns[COLUMNS] = { { "event", 0, false },
		                                        { "valid", 1, true },
		                                        { "invalid", 2, true } };
	const char *cells[(COVERAGE_UNKNOWN + 1) * COLUMNS], **cell = cells;
	char names[COVERAGE_UNKNOWN + 1][CATALOG_KIND_NAME_SIZE], counts[COVERAGE_UNKNOWN + 1][2][COUNT_SIZE];
	size_t kinds = catalog_kind_count(), events = 0, elements = 0;
	for (size_t i = 0; i <= kinds; i++) {
		const size_t *count = coverage->counts[i < kinds ? i : COVERAGE_UNKNOWN];
		if (i < kinds)
			catalog_kind_name(catalog_kind_at(i), names[i]);
		*cell++ = i < kinds ? names[i] : "(unknown event)";
		*cell++ = count_text(count[true], counts[i][true]);
		*cell++ = count_text(count[false], counts[i][false]);
		elements += i < kinds && catalog_kind_at(i).element && count[true] > 0;
	}
	for (size_t i = 0; i < catalog_event_count; i++)
		events += covers(coverage, &catalog_events[i]);
	columns_append_table(out, columns, COLUMNS, cells, kinds + 1, width, color);
	buffer_printf(out, "valid payloads cover %zu of %zu events, %zu of %zu elements\n", events, catalog_event_count,
	              elements, catalog_element_count);
}

static void append_count(struct buffer *out, const size_t count[2])
{
	json_line_number(out, "valid_count", (int64_t)count[true]);
	json_line_number(out, "invalid_count", (int64_t)count[false]);
	json_line_end(out);
}

void coverage_append_members(const struct coverage *coverage, struct buffer *out)
{
	json_line_array(out, "coverage");
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		json_line_begin(out);
		json_line_text(out, "event", KIND_NAME(catalog_kind_at(i)));
		append_count(out, coverage->counts[i]);
	}
	json_line_array_end(out);
	json_line_object(out, "unidentified");
	append_count(out, coverage->counts[COVERAGE_UNKNOWN]);
}

void coverage_append_uncovered(const struct coverage *coverage, const struct requirement *requirement,
                               struct buffer *out)
{
	static const struct requirement all = { .kinds = UINT64_MAX };
	bool is_asked = (requirement->kinds | requirement->events) != 0;
	struct demanded demanded[DEMANDED_MAX];
	size_t count = coverage_demanded(coverage, is_asked ? requirement : &all, demanded), missing = 0;
	LOCAL_BUFFER names = BUFFER_FOR(out);
	for (size_t i = 0; i < count; i++) {
		if (demanded[i].is_covered)
			continue;
		if (missing++ < UNCOVERED_SHOWN)
			buffer_printf(&names, "%s%s", names.length > 0 ? ", " : "", demanded[i].name);
	}
	if (missing == 0 || (missing == count && !is_asked)) /* there is no valid payload */
		return;
	buffer_append_text(out, "; no valid payload covers ");
	if (missing > UNCOVERED_SHOWN)
		buffer_printf(out, "%zu of %zu events and elements", missing, count);
	else
		buffer_append(out, buffer_text(&names), names.length);
}

void coverage_append_json(const struct coverage *coverage, const struct requirement *requirement, struct buffer *out)
{
	struct demanded demanded[DEMANDED_MAX];
	size_t count = coverage_demanded(coverage, requirement, demanded);
	json_line_begin(out);
	coverage_append_members(coverage, out);
	if (count > 0)
		json_line_array(out, "missing");
	for (size_t i = 0; i < count; i++)
		if (!demanded[i].is_covered)
			json_line_element(out, demanded[i].name);
	if (count > 0)
		json_line_array_end(out);
	json_line_finish(out);
}
