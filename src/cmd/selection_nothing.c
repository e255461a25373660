/* Why a selection took nothing, and what the inputs have instead. */
#include "base/clock.h"
#include "base/fit.h"
#include "base/hash.h"
#include "base/text.h"
#include "cmd/selection.h"

#include <stdio.h>
#include <string.h>

#define CODES_SHOWN   3  /* different values of a field that is a code */
#define NAMES_SHOWN   8  /* of the events, and of the statuses */
#define GIVEN_COLUMNS 80 /* of what was asked for */

/* The options in the order in which a record is asked, and what they ask for. */
static const struct {
	const char *option;
	const char *noun; /* NULL: the path */
} steps[] = {
	[SELECTION_BY_RECORD] = { "record", "number" },      [SELECTION_BY_SINCE] = { "since", "time" },
	[SELECTION_BY_UNTIL] = { "until", "time" },          [SELECTION_BY_STATUS] = { "status", "status" },
	[SELECTION_BY_EVENTS] = { "events", "known event" }, [SELECTION_BY_WHERE] = { "where", NULL },
};

/* Another value, of which `most` are shown; `is_code`: it may be. */
static void see(struct selection_refused *r, const char *text, size_t length, bool is_code, size_t most)
{
	uint64_t hash = hash_bytes(text, length);
	for (size_t i = 0; i < r->value_count; i++)
		if (r->values[i] == hash)
			return;
	r->has_more = r->value_count == SELECTION_VALUES_MAX;
	if (r->has_more)
		return;
	r->values[r->value_count++] = hash;
	if (!is_code || length == 0 || length > SELECTION_CODE_MAX || r->shown_count == most)
		return;
	buffer_append_text(&r->shown, r->shown_count++ > 0 ? ", " : "");
	fit_append(&r->shown, text, length, SELECTION_CODE_MAX);
}

/* Whether what the pointer names is a code, and so says nothing of a person. */
static bool is_code(const char *pointer)
{
	const struct catalog_member *member = NULL;
	for (size_t i = 0; !member && i < catalog_event_count; i++)
		member = edit_member(&catalog_events[i], pointer);
	return member && (member->field->privacy == CATALOG_CODE || member->field->privacy == CATALOG_PLAIN);
}

static void see_value(struct selection *s, const struct where *where, struct catalog_kind kind)
{
	struct selection_refused *r = &s->refused;
	uint32_t token = json_resolve(&s->doc, where->pointer);
	if (token == JSON_NONE || r->has_more)
		return;
	enum json_token_type type = s->doc.tokens[token].type;
	buffer_clear(&s->scratch);
	where_value(&s->doc, where->pointer, &s->scratch);
	/* What is not an event, or has another type, may have anything in that place. */
	bool shows = kind.event && type != JSON_OBJECT && type != JSON_ARRAY && is_code(where->pointer);
	see(r, buffer_text(&s->scratch), s->scratch.length, shows, CODES_SHOWN);
}

void selection_note_refused(struct selection *s, const struct capture_record *record, uint64_t line,
                            struct catalog_kind kind, size_t step)
{
	struct selection_refused *r = &s->refused;
	char name[CATALOG_KIND_NAME_SIZE];
	int64_t us = record->received_us;
	r->records++;
	r->last_line = line > r->last_line ? line : r->last_line;
	if (kind.event)
		r->kinds |= UINT64_C(1) << catalog_kind_index(kind);
	if (us != 0 && (r->first_us == 0 || us < r->first_us))
		r->first_us = us;
	if (us != 0 && (r->last_us == 0 || us > r->last_us))
		r->last_us = us;
	if (step > r->step) {
		r->step = step;
		r->reached = r->value_count = r->shown_count = 0;
		r->has_more = false;
		buffer_clear(&r->shown);
	}
	if (step < r->step)
		return;
	r->reached++;
	if (step == SELECTION_BY_STATUS && record->status > 0 && !record->fault.text) {
		int length = snprintf(name, sizeof name, "%d", record->status);
		see(r, name, (size_t)length, true, NAMES_SHOWN);
	} else if (step == SELECTION_BY_EVENTS && kind.event) {
		catalog_kind_name(kind, name);
		see(r, name, strlen(name), true, NAMES_SHOWN);
	} else if (step >= SELECTION_BY_WHERE) {
		see_value(s, &s->options->where.items[step - SELECTION_BY_WHERE], kind);
	}
}

/* "10,180 records: 17 events, 2026-01-01 to 2026-01-03" */
static void append_inputs(const struct selection_refused *r, struct buffer *out)
{
	char count[COUNT_SIZE], first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE];
	const struct catalog_event *before = NULL;
	bool is_of_time = r->step == SELECTION_BY_SINCE || r->step == SELECTION_BY_UNTIL;
	int shown = is_of_time ? CLOCK_STAMP_SIZE : (int)strlen("2026-01-02");
	size_t events = 0;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		const struct catalog_event *event = catalog_kind_at(i).event;
		if ((r->kinds >> i & 1) == 0)
			continue;
		events += event != before;
		before = event;
	}
	buffer_printf(out, "%s record%s: ", count_text(r->records, count), r->records == 1 ? "" : "s");
	if (events == 0)
		buffer_append_text(out, "no known event");
	else
		buffer_printf(out, "%zu event%s", events, events == 1 ? "" : "s");
	if (r->last_us == 0)
		return;
	clock_format_stamp(r->first_us, first);
	clock_format_stamp(r->last_us, last);
	buffer_printf(out, ", %.*s", shown, first);
	if (strncmp(first, last, (size_t)shown) != 0)
		buffer_printf(out, " to %.*s", shown, last);
}

/* "of 120 matching --record and --events none ", where the steps before the last refused some. */
static void append_reached(const struct selection *s, struct buffer *out)
{
	const struct selection_refused *r = &s->refused;
	const struct selection_options *o = s->options;
	const bool given[] = { o->records.count > 0,        o->since.given,      o->until.given,
		               o->statuses.given.count > 0, o->events.count > 0, o->where.count > 0 };
	const char *joint = " matching --";
	char count[COUNT_SIZE];
	if (r->reached < r->records) {
		buffer_printf(out, "of %s", count_text(r->reached, count));
		for (size_t step = 0; step < r->step && step <= SELECTION_BY_WHERE; step++) {
			if (!given[step])
				continue;
			buffer_printf(out, "%s%s", joint, steps[step].option);
			joint = " and --";
		}
		buffer_append_byte(out, ' ');
	}
	buffer_append_text(out, "none ");
}

/* "has status 5xx": what the last step asked for. */
static void append_asked(const struct selection *s, struct buffer *out)
{
	const struct selection_options *o = s->options;
	const struct text_list *list = s->refused.step == SELECTION_BY_STATUS ? &o->statuses.given : &o->events;
	LOCAL_BUFFER text = BUFFER_INIT;
	char stamp[CLOCK_STAMP_SIZE];
	switch (s->refused.step) {
	case SELECTION_BY_RECORD:
		buffer_append_text(out, "has a number of --record");
		return;
	case SELECTION_BY_SINCE:
	case SELECTION_BY_UNTIL:
		clock_format_stamp(s->refused.step == SELECTION_BY_SINCE ? o->since.us : o->until.us, stamp);
		buffer_printf(out, "was received %s %s", s->refused.step == SELECTION_BY_SINCE ? "since" : "before",
		              stamp);
		return;
	case SELECTION_BY_STATUS:
	case SELECTION_BY_EVENTS:
		for (size_t i = 0; i < list->count; i++)
			buffer_printf(&text, "%s%s", i > 0 ? "," : "", list->items[i]);
		buffer_append_text(out, list == &o->events ? "is " : "has status ");
		break;
	default:
		where_append(&text, &o->where.items[s->refused.step - SELECTION_BY_WHERE]);
		buffer_append_text(out, "has ");
	}
	fit_append(out, buffer_text(&text), text.length, GIVEN_COLUMNS);
}

/* "; they have 200, 202": what those have that came to the last step. */
static void append_had(const struct selection *s, struct buffer *out)
{
	const struct selection_refused *r = &s->refused;
	char count[COUNT_SIZE];
	if (r->step == SELECTION_BY_RECORD) {
		buffer_printf(out, "; the highest is %s", count_text(r->last_line, count));
		return;
	}
	bool is_of_time = r->step < SELECTION_BY_STATUS;
	if (is_of_time && r->last_us != 0) /* said in front */
		return;
	buffer_append_text(out, r->reached == 1 ? "; it has " : "; they have ");
	if (r->value_count == 0) {
		LOCAL_BUFFER path = BUFFER_INIT;
		if (r->step < SELECTION_BY_WHERE)
			buffer_append_text(&path, steps[r->step].noun);
		else
			edit_append_path(s->options->where.items[r->step - SELECTION_BY_WHERE].pointer, &path);
		buffer_append_text(out, "no ");
		fit_append(out, buffer_text(&path), path.length, GIVEN_COLUMNS);
		return;
	}
	size_t rest = r->value_count - r->shown_count;
	if (r->shown_count > 0)
		buffer_append(out, buffer_text(&r->shown), r->shown.length);
	if (rest > 0 || r->has_more)
		buffer_printf(out, "%s%s%s", r->shown_count > 0 ? " and " : "", r->has_more ? "more than " : "",
		              count_text(rest, count));
	if (r->shown_count == 0)
		buffer_append_text(out, rest == 1 ? " value" : " different values");
	else if (rest > 0 || r->has_more)
		buffer_append_text(out, " more");
}

int selection_nothing(const struct selection *s, const char *task, enum exit_code inputs, struct error *err)
{
	const struct where_list *where = &s->options->where;
	LOCAL_BUFFER text = BUFFER_INIT, path = BUFFER_INIT;
	if (s->refused.records == 0)
		return error_set(err, EXIT_CODE_FAILED, "nothing to %s: no notification in the inputs", task);
	append_inputs(&s->refused, &text);
	buffer_append_text(&text, "; ");
	append_reached(s, &text);
	append_asked(s, &text);
	append_had(s, &text);
	error_set(err, exit_code_worse(EXIT_CODE_FAILED, inputs), "nothing to %s in %s", task, buffer_text(&text));
	for (size_t i = 0; i < where->count && err->hint[0] == '\0'; i++)
		if (edit_guess_path(where->items[i].pointer, &path))
			error_hint(err, "no event has the path of --where; did you mean %s?", buffer_text(&path));
	return -1;
}
