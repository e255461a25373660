/* What the inputs have where nothing was taken of them, and the notes of what was. */
#include "base/ascii.h"
#include "base/clock.h"
#include "base/fit.h"
#include "base/hash.h"
#include "base/shell_text.h"
#include "cmd/args/selection.h"
#include "http/status.h"
#include "json/pointer.h"
#include "payload/edit.h"

#include <stdio.h>
#include <string.h>

#define VALUES_SHOWN 3 /* different ones of what may be shown */
#define PATH_COLUMNS 80

static void see(struct selection_seen *seen, const char *text, size_t length, bool is_code)
{
	uint64_t hash = hash_bytes(text, length);
	for (size_t i = 0; i < seen->count; i++)
		if (seen->hashes[i] == hash)
			return;
	seen->has_more = seen->count == SELECTION_VALUES_MAX;
	if (seen->has_more)
		return;
	seen->hashes[seen->count++] = hash;
	if (!is_code || length == 0 || length > WHERE_CODE_MAX || seen->shown_count == VALUES_SHOWN)
		return;
	buffer_append_text(&seen->shown, seen->shown_count++ > 0 ? ", " : "");
	fit_append(&seen->shown, text, length, WHERE_CODE_MAX);
}

void selection_note_refused(struct selection *s, const struct capture_record *record, uint64_t line)
{
	struct selection_refused *r = &s->refused;
	char status[16];
	int64_t us = record->received_us;
	r->records++;
	r->last_line = line > r->last_line ? line : r->last_line;
	if (s->kind.event)
		r->kinds |= UINT64_C(1) << catalog_kind_index(s->kind);
	if (us != 0 && (r->first_us == 0 || us < r->first_us))
		r->first_us = us;
	if (us != 0 && (r->last_us == 0 || us > r->last_us))
		r->last_us = us;
	if (record->status > 0 && !record->fault.text)
		see(&r->seen[0], status, (size_t)snprintf(status, sizeof status, "%d", record->status), true);
	for (size_t i = 0; i < s->options->where.count; i++) {
		const char *pointer = s->options->where.items[i].pointer;
		uint32_t token = json_resolve(&s->doc, pointer);
		if (token == JSON_NONE || r->seen[1 + i].has_more)
			continue;
		enum json_token_type type = s->doc.tokens[token].type;
		buffer_clear(&s->scratch);
		where_value(&s->doc, pointer, &s->scratch);
		/* What is not an event, or has another type, may have anything in that place. */
		bool shows = s->kind.event && type != JSON_OBJECT && type != JSON_ARRAY && where_is_code(pointer);
		see(&r->seen[1 + i], buffer_text(&s->scratch), s->scratch.length, shows);
	}
}

/* "3 records have no time, and are left out by --since" */
static void append_without_time(const struct selection *s, struct buffer *out)
{
	bool is_one = s->without_time == 1;
	buffer_printf(out, "%s record%s no time, and %s left out by --%s", COUNT_TEXT(s->without_time),
	              is_one ? " has" : "s have", is_one ? "is" : "are", s->options->since.given ? "since" : "until");
}

/* "since 2026-11-27 17:00:00, until 2026-11-28 12:00:00 (the day of the last record)": those that were not typed
 * so. */
static void append_times(const struct selection_options *o, struct buffer *out)
{
	const struct selection_time *times[] = { &o->since, &o->until };
	char local[CLOCK_STAMP_SIZE];
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		const struct selection_time *time = times[i];
		if (!time->given)
			continue;
		clock_format_local(time->us, local);
		if (strncmp(local, time->text, strlen(time->text)) == 0)
			continue;
		buffer_printf(out, "%s%s %s", out->length > 0 ? ", " : "", i == 0 ? "since" : "until", local);
		if (time->day)
			buffer_printf(out, " (%s)", time->day);
	}
}

void selection_note(const struct selection *s, struct terminal *terminal)
{
	LOCAL_BUFFER summary = BUFFER_FOR(&terminal->lost);
	append_times(s->options, &summary);
	if (summary.length > 0)
		terminal_note(terminal, "selected: %s", buffer_text(&summary));
	buffer_clear(&summary);
	if (s->without_time > 0) {
		append_without_time(s, &summary);
		terminal_note(terminal, "%s", buffer_text(&summary));
		buffer_clear(&summary);
	}
	if (!s->distinct)
		return;
	distinct_append_summary(s->distinct, s->has_more && !s->counts_all, &summary);
	terminal_note(terminal, "%s", buffer_text(&summary));
	buffer_clear(&summary);
	if (distinct_append_full(s->distinct, &summary) > 0)
		terminal_note(terminal, "more than %d values, only the first %d taken: %s", CODE_VALUES_MAX,
		              CODE_VALUES_MAX, buffer_text(&summary));
}

/* "X, Y, Z and 2 more", "120 different values", "none" */
static void append_seen(struct buffer *out, const struct selection_seen *seen)
{
	size_t rest = seen->count - seen->shown_count;
	const char *more = seen->has_more ? "more than " : "";
	buffer_append(out, buffer_text(&seen->shown), seen->shown.length);
	if (seen->count == 0)
		buffer_append_text(out, "none");
	else if (seen->shown_count == 0)
		buffer_printf(out, "%s%s different value%s", more, COUNT_TEXT(rest), rest == 1 ? "" : "s");
	else if (rest > 0)
		buffer_printf(out, " and %s%s more", more, COUNT_TEXT(rest));
}

/* "10,180 records of bureau-alert, user-created, 2026-01-01 to 2026-01-03" */
static void append_inputs(struct buffer *out, const struct selection_refused *r, bool whole_times)
{
	char name[CATALOG_KIND_NAME_SIZE], first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE];
	int shown = (int)(whole_times ? CLOCK_STAMP_SIZE : CLOCK_DATE_SIZE) - 1;
	struct selection_seen events = { .count = 0 };
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (r->kinds >> i & 1)
			see(&events, name, strlen(name), true);
	}
	buffer_printf(out, "%s record%s of ", COUNT_TEXT(r->records), r->records == 1 ? "" : "s");
	if (events.count == 0)
		buffer_append_text(out, "no known event");
	else
		append_seen(out, &events);
	buffer_release(&events.shown);
	if (r->last_us == 0)
		return;
	clock_format_local(r->first_us, first);
	clock_format_local(r->last_us, last);
	buffer_printf(out, ", %.*s", shown, first);
	if (strncmp(first, last, (size_t)shown) != 0)
		buffer_printf(out, " to %.*s", shown, last);
}

static bool is_status(const char *value)
{
	struct status_set set;
	struct error unused;
	return status_set_parse(&set, value, &unused) == 0;
}

static bool is_time(const char *value)
{
	return ascii_is_digit(value[0]);
}

static bool is_false(const char *value)
{
	return strcmp(value, "false") == 0;
}

/* What a record has beside its payload, and what selects by it: what is written where the value is one of the option's,
 * with the value behind it if that takes one; or else. */
static const struct {
	const char *pointer;
	bool (*is_its)(const char *value);
	const char *option;
	bool takes_value;
	const char *otherwise;
} of_records[] = {
	{ "/valid", is_false, "--invalid", false, "--invalid selects what is not valid" },
	{ "/response/status", is_status, "--status", true, "--status LIST selects by it: 4xx,500" },
	{ "/status", is_status, "--status", true, "--status LIST selects by it: 4xx,500" },
	{ "/response.status", is_status, "--status", true, "--status LIST selects by it: 4xx,500" },
	{ "/received_at", is_time, "--since", true, "--since TIME and --until TIME select by it" },
};

static void append_of_record(struct buffer *out, const struct where *where)
{
	for (size_t k = 0; k < sizeof of_records / sizeof of_records[0]; k++) {
		if (strcmp(where->pointer, of_records[k].pointer) != 0)
			continue;
		if (where->how != WHERE_IS || !of_records[k].is_its(where->value)) {
			buffer_append_text(out, of_records[k].otherwise);
			return;
		}
		buffer_append_text(out, "write");
		if (of_records[k].takes_value)
			shell_append_option(out, of_records[k].option, where->value);
		else
			buffer_printf(out, " %s", of_records[k].option);
	}
}

int selection_nothing(const struct selection *s, const char *task, enum exit_code inputs, struct error *err)
{
	const struct selection_options *o = s->options;
	const struct selection_refused *r = &s->refused;
	LOCAL_BUFFER text = BUFFER_INIT;
	if (r->records == 0)
		return error_set(err, EXIT_CODE_FAILED, "nothing to %s: no notification in the inputs", task);
	append_inputs(&text, r, o->since.given || o->until.given);
	if (o->records.count > 0)
		buffer_printf(&text, "; highest number: %s", COUNT_TEXT(r->last_line));
	if (o->statuses.given) {
		buffer_append_text(&text, "; status: ");
		append_seen(&text, &r->seen[0]);
	}
	if (o->invalid)
		buffer_printf(&text, "; not valid: %s", r->invalid > 0 ? COUNT_TEXT(r->invalid) : "none");
	for (size_t i = 0; i < o->where.count; i++) {
		LOCAL_BUFFER path = BUFFER_INIT;
		if (o->where.items[i].is_shown)
			edit_append_path(o->where.items[i].pointer, &path);
		else
			buffer_append_text(&path, "--where");
		buffer_append_text(&text, "; ");
		fit_append(&text, buffer_text(&path), path.length, PATH_COLUMNS);
		buffer_append_text(&text, ": ");
		append_seen(&text, &r->seen[1 + i]);
	}
	LOCAL_BUFFER times = BUFFER_FOR(&text);
	append_times(o, &times);
	if (times.length > 0)
		buffer_printf(&text, "; selected: %s", buffer_text(&times));
	error_set(err, exit_code_worse(EXIT_CODE_FAILED, inputs), "nothing to %s in %s", task, buffer_text(&text));
	if (o->since.given && o->since.us > clock_realtime_us()) {
		char since[CLOCK_STAMP_SIZE];
		clock_format_local(o->since.us, since);
		error_hint(err, "--since %s is in the future", since);
	}
	if (o->since.given && o->until.given && o->since.us >= o->until.us && err->hint[0] == '\0')
		error_hint(err, "--since is not before --until");
	if (s->without_time > 0 && err->hint[0] == '\0') {
		LOCAL_BUFFER words = BUFFER_INIT;
		append_without_time(s, &words);
		error_hint(err, "%s", buffer_text(&words));
	}
	for (size_t i = 0; i < o->where.count && err->hint[0] == '\0'; i++) {
		LOCAL_BUFFER path = BUFFER_INIT, option = BUFFER_INIT;
		append_of_record(&option, &o->where.items[i]);
		if (option.length > 0)
			error_hint(err, "--where is for payloads; %s", buffer_text(&option));
		if (err->hint[0] == '\0' && edit_guess_path(o->where.items[i].pointer, &path))
			error_hint(err, "no event has the path of --where; did you mean %s?", buffer_text(&path));
	}
	return -1;
}
