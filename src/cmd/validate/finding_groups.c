#include "base/fit.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/validate/validate.h"
#include "json/json_line.h"
#include "ui/line.h"

#include <stdlib.h>
#include <string.h>

/* Rows of the table, where not all are asked for. */
#define ROWS_SHOWN 20
/* As many findings as fit on a screen by themselves need no table. */
#define FINDINGS_WITHOUT_TABLE 3
#define COUNT_COLUMNS          6
#define FILES_INDENT           4
#define UNKNOWN_EVENT          (UINT64_C(1) << 63)

#define SLOTS (sizeof((struct finding_groups *)0)->slots / sizeof(uint16_t))

void finding_groups_clear(struct finding_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->items[i].place);
	if (groups->count > 0)
		memset(groups->slots, 0, sizeof groups->slots);
	groups->count = 0;
	groups->others = 0;
}

void finding_groups_release(struct finding_groups *groups)
{
	finding_groups_clear(groups);
	free(groups->items);
	*groups = (struct finding_groups){ 0 };
}

static uint64_t hash_of(const struct finding_group *g, struct text place)
{
	return hash_bytes(&g->id, sizeof g->id) ^ hash_bytes(place.text, place.length);
}

static bool is_same(const struct finding_group *a, const struct finding_group *b, struct text place)
{
	return a->id == b->id && a->length == place.length && memcmp(a->place, place.text, place.length) == 0;
}

struct finding_group *finding_groups_get(struct finding_groups *groups, const struct finding_group *like,
                                         struct text place, size_t most, bool *no_memory)
{
	struct finding_group new = {
		.id = like->id, .severity = like->severity, .length = place.length, .hash = hash_of(like, place)
	};
	size_t slot = new.hash % SLOTS;
	for (; groups->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
		struct finding_group *group = &groups->items[groups->slots[slot] - 1];
		if (group->hash == new.hash && is_same(group, like, place))
			return group;
	}
	if (groups->count >= most)
		return NULL;
	new.place = text_duplicate(place);
	if (!new.place || !ARRAY_ROOM(groups->items, groups->capacity, groups->count + 1)) {
		free(new.place);
		*no_memory = true;
		return NULL;
	}
	groups->items[groups->count++] = new;
	groups->slots[slot] = (uint16_t)groups->count;
	return &groups->items[groups->count - 1];
}

void finding_group_add_kind(struct finding_group *group, struct catalog_kind kind)
{
	if (group->events == 0)
		group->kind = kind;
	else if (group->kind.element != kind.element)
		group->kind.element = NULL;
	group->events |= kind.event ? UINT64_C(1) << (kind.event - catalog_events) : UNKNOWN_EVENT;
}

void finding_group_add_file(struct finding_group *group, const char *file, bool is_shown)
{
	if (!is_shown && file != group->last_file) {
		if (group->file_count < FINDING_GROUP_FILES)
			group->files[group->file_count] = file;
		group->file_count++;
	}
	group->last_file = file;
}

/* The files come behind those that are there already. */
static void add_group(struct finding_group *to, const struct finding_group *from)
{
	size_t named = from->file_count < FINDING_GROUP_FILES ? (size_t)from->file_count : FINDING_GROUP_FILES;
	to->count += from->count;
	to->values += from->values;
	finding_group_add_kind(to, from->kind);
	to->events |= from->events;
	for (size_t i = 0; i < named; i++)
		finding_group_add_file(to, from->files[i], false);
	to->file_count += from->file_count - named;
	to->last_file = from->last_file ? from->last_file : to->last_file;
}

bool finding_groups_add(struct finding_groups *groups, const struct finding_groups *more)
{
	bool no_memory = false;
	for (size_t i = 0; i < more->count; i++) {
		const struct finding_group *from = &more->items[i];
		struct finding_group *to =
		        finding_groups_get(groups, from, finding_group_place(from), FINDING_GROUPS_MAX, &no_memory);
		if (to)
			add_group(to, from);
		else
			groups->others += from->count;
	}
	groups->others += more->others;
	return !no_memory;
}

/* What is said of the group. */
static uint64_t count_of(const struct finding_groups *groups, const struct finding_group *g)
{
	return groups->without_values ? g->count - g->values : g->count;
}

static unsigned shown_of(const struct finding_groups *groups, const struct finding_group *g)
{
	return groups->without_values ? g->shown - g->values_shown : g->shown;
}

size_t finding_groups_of(const struct finding_groups *groups, enum severity severity)
{
	size_t count = 0;
	for (size_t i = 0; i < groups->count; i++)
		count += groups->items[i].severity == severity && count_of(groups, &groups->items[i]) > 0;
	return count;
}

uint64_t finding_groups_values(const struct finding_groups *groups, size_t *group_count)
{
	uint64_t values = 0;
	*group_count = 0;
	for (size_t i = 0; i < groups->count; i++) {
		values += groups->items[i].values;
		*group_count += groups->items[i].values > 0;
	}
	return values;
}

/* "details.riskTier"; a place that has a dot in a key stays a JSON Pointer. */
static void append_path(const struct finding_group *g, struct buffer *out)
{
	struct text place = finding_group_place(g);
	bool is_path =
	        place.length > 0 && !memchr(place.text, '.', place.length) && !memchr(place.text, '~', place.length);
	for (size_t i = is_path; i < place.length; i++)
		buffer_append_byte(out, is_path && place.text[i] == '/' ? '.' : place.text[i]);
}

/* "details.riskTier [unknown-key]" */
static void append_place(const struct finding_group *g, struct buffer *out)
{
	append_path(g, out);
	buffer_printf(out, "%s[%s]", g->length > 0 ? " " : "", finding_rows[g->id].name);
}

void finding_groups_append_values(const struct finding_groups *groups, struct buffer *out)
{
	const char *before = "";
	for (size_t i = 0; i < groups->count; i++) {
		if (groups->items[i].values == 0)
			continue;
		buffer_append_text(out, before);
		append_path(&groups->items[i], out);
		before = ", ";
	}
}

/* "user-created"; of several "25 events". */
static void append_event(const struct finding_group *g, struct buffer *out)
{
	unsigned events = 0;
	for (uint64_t left = g->events; left > 0; left &= left - 1)
		events++;
	if (events > 1)
		buffer_printf(out, "%u events", events);
	else
		buffer_append_text(out, g->kind.event ? KIND_NAME(g->kind) : "(unknown event)");
}

/* "also in d.json, e.json, 12 more files", on a line of its own. */
static void append_files(const struct finding_group *g, int indent, int width, bool color, struct buffer *out)
{
	LOCAL_BUFFER words = BUFFER_FOR(out);
	if (g->file_count == 0)
		return;
	buffer_append_text(&words, "also in ");
	for (size_t i = 0; i < g->file_count && i < FINDING_GROUP_FILES; i++) {
		buffer_append_text(&words, i > 0 ? ", " : "");
		utf8_append_safe(&words, g->files[i], strlen(g->files[i]));
	}
	if (g->file_count > FINDING_GROUP_FILES)
		buffer_printf(&words, ", %s more file%s", COUNT_TEXT(g->file_count - FINDING_GROUP_FILES),
		              g->file_count == FINDING_GROUP_FILES + 1 ? "" : "s");
	buffer_append_repeat(out, ' ', (size_t)indent);
	style_begin(out, color, STYLE_FAINT);
	fit_append_wrapped(out, buffer_text(&words), indent, indent, width);
	style_end(out, color, STYLE_FAINT);
	buffer_append_byte(out, '\n');
}

/* By how often, then as they came: they are elements of one array. */
static int by_count(const void *left, const void *right)
{
	const struct finding_group *a = *(const struct finding_group *const *)left;
	const struct finding_group *b = *(const struct finding_group *const *)right;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void append_row(struct buffer *out, const struct finding_group *g, uint64_t count, int event_columns, int width,
                       bool color)
{
	LOCAL_BUFFER event = BUFFER_FOR(out), place = BUFFER_FOR(out);
	struct text_line line = { out, color, width, COUNT_COLUMNS + 2, 0 };
	append_event(g, &event);
	append_place(g, &place);
	style_append(out, color, STYLE_BOLD, "%*s  ", COUNT_COLUMNS, COUNT_TEXT(count));
	line.column = COUNT_COLUMNS + 2;
	text_line_append(&line, STYLE_PLAIN, buffer_text(&event));
	buffer_append_repeat(out, ' ', (size_t)(event_columns - (int)event.length));
	line.column = COUNT_COLUMNS + 2 + event_columns;
	text_line_remark(&line, buffer_text(&place), place.length);
	buffer_append_byte(out, '\n');
	append_files(g, COUNT_COLUMNS + 2, width, color, out);
}

static void append_table(const struct finding_groups *groups, bool all, int width, bool color, struct buffer *out)
{
	const struct finding_group *order[FINDING_GROUPS_MAX];
	size_t count = 0;
	int event_columns = 0;
	uint64_t left_out = groups->others;
	for (size_t i = 0; i < groups->count; i++)
		if (count_of(groups, &groups->items[i]) > 0)
			order[count++] = &groups->items[i];
	qsort(order, count, sizeof(struct finding_group *), by_count);
	size_t rows = all || count < ROWS_SHOWN ? count : ROWS_SHOWN;
	for (size_t i = 0; i < count; i++) {
		LOCAL_BUFFER event = BUFFER_FOR(out);
		append_event(order[i], &event);
		if (i < rows && (int)event.length > event_columns)
			event_columns = (int)event.length;
		left_out += i < rows ? 0 : count_of(groups, order[i]);
	}
	for (size_t i = 0; i < rows; i++)
		append_row(out, order[i], count_of(groups, order[i]), event_columns, width, color);
	if (left_out > 0)
		style_append(out, color, STYLE_BOLD, "%*s  ", COUNT_COLUMNS, COUNT_TEXT(left_out));
	if (left_out > 0)
		buffer_append_text(out, "others\n");
}

void finding_groups_append_member(const struct finding_groups *groups, struct buffer *json)
{
	const struct finding_group *order[FINDING_GROUPS_MAX];
	for (size_t i = 0; i < groups->count; i++)
		order[i] = &groups->items[i];
	qsort(order, groups->count, sizeof(struct finding_group *), by_count);
	json_line_array(json, "reasons");
	for (size_t i = 0; i < groups->count; i++) {
		const struct finding_group *g = order[i];
		LOCAL_BUFFER words = BUFFER_FOR(json), place = BUFFER_FOR(json), key = BUFFER_FOR(json);
		append_event(g, &words);
		append_place(g, &place);
		buffer_append_text(&words, "  ");
		utf8_append_safe(&words, buffer_text(&place), place.length);
		utf8_append_safe(&key, g->place, g->length);
		buffer_printf(&key, " [%s]", finding_rows[g->id].name);
		json_line_comma(json);
		buffer_printf(json, "[%llu", (unsigned long long)g->count);
		json_line_element(json, buffer_text(&words));
		json_line_element(json, buffer_text(&key));
		json_line_element(json, grade_names[g->severity == SEVERITY_ERROR ? GRADE_FAIL : GRADE_WARN]);
		json_line_array_end(json);
	}
	json_line_array_end(json);
}

void finding_groups_append(const struct finding_groups *groups, bool all, int width, bool color, struct buffer *out)
{
	uint64_t findings = groups->others, shown = 0;
	const struct finding_group *only = NULL;
	size_t count = 0;
	LOCAL_BUFFER words = BUFFER_FOR(out);
	for (size_t i = 0; i < groups->count; i++) {
		findings += count_of(groups, &groups->items[i]);
		shown += shown_of(groups, &groups->items[i]);
		if (count_of(groups, &groups->items[i]) > 0)
			only = &groups->items[i];
		count += count_of(groups, &groups->items[i]) > 0;
	}
	bool is_one = count == 1 && groups->others == 0;
	if (!is_one && findings > FINDINGS_WITHOUT_TABLE)
		append_table(groups, all, width, color, out);
	if (all || shown == findings)
		return;
	if (is_one) {
		append_place(only, &words);
		buffer_printf(&words, ": %s more in ", COUNT_TEXT(findings - shown));
		append_event(only, &words);
	} else {
		buffer_printf(&words, "%s of them not shown", COUNT_TEXT(findings - shown));
	}
	buffer_append_text(&words, ", -v prints all");
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe(&safe, buffer_text(&words), words.length);
	style_begin(out, color, STYLE_FAINT);
	fit_append_wrapped(out, buffer_text(&safe), 0, 4, width);
	style_end(out, color, STYLE_FAINT);
	buffer_append_byte(out, '\n');
	if (is_one)
		append_files(only, FILES_INDENT, width, color, out);
}
