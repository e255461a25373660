#include "cmd/selection.h"

#include "base/clock.h"
#include "cmd/mistakes.h"
#include "cmd/shell_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_event(struct selection *s, size_t *capacity, const char *name, struct error *err)
{
	struct catalog_kind kind;
	int found = kind_find_or_all(name, &kind, err);
	if (found != 0) {
		s->every_event = s->every_event || found > 0;
		return found < 0 ? -1 : 0;
	}
	if (!ARRAY_ROOM(s->events, *capacity, s->event_count + 1))
		return error_no_memory(err);
	s->events[s->event_count++] = kind;
	return 0;
}

static int read_events(struct selection *s, struct error *err)
{
	size_t capacity = 0;
	int result = 0;
	for (size_t i = 0; result == 0 && i < s->options->events.count; i++) {
		char *list = strdup(s->options->events.items[i]);
		char *rest = list;
		if (!list)
			return error_no_memory(err);
		for (char *name; result == 0 && (name = strsep(&rest, ",")) != NULL;)
			result = add_event(s, &capacity, name, err);
		free(list);
	}
	return result;
}

int selection_init(struct selection *s, const struct selection_options *options, struct error *err)
{
	*s = (struct selection){ .options = options };
	json_doc_init(&s->doc);
	s->checker = checker_new(err);
	return s->checker ? read_events(s, err) : -1;
}

void selection_release(struct selection *s)
{
	buffer_release(&s->scratch);
	checker_free(s->checker);
	free(s->events);
	buffer_release(&s->key_pointer);
	json_doc_release(&s->doc);
}

static void append_time(struct buffer *out, const char *option, const struct selection_time *time)
{
	char stamp[CLOCK_STAMP_SIZE];
	if (!time->given)
		return;
	clock_format_stamp(time->us, stamp);
	shell_append_option(out, option, stamp);
}

void selection_append_options(const struct selection_options *o, struct buffer *out)
{
	for (size_t i = 0; i < o->events.count; i++)
		shell_append_option(out, "--events", o->events.items[i]);
	for (size_t i = 0; i < o->where.count; i++) {
		LOCAL_BUFFER where = BUFFER_INIT;
		where_append(&where, &o->where.items[i]);
		shell_append_option(out, "--where", buffer_text(&where));
	}
	append_time(out, "--since", &o->since);
	append_time(out, "--until", &o->until);
	if (o->limit < UINT64_MAX)
		buffer_printf(out, " --limit %llu", (unsigned long long)o->limit);
	for (size_t i = 0; i < o->records.count; i++) {
		const struct selection_range *range = &o->records.ranges[i];
		buffer_printf(out, "%s%llu", i == 0 ? " --record " : ",", (unsigned long long)range->first);
		if (range->last == UINT64_MAX)
			buffer_append_byte(out, '-');
		else if (range->last > range->first)
			buffer_printf(out, "-%llu", (unsigned long long)range->last);
	}
}

void selection_again(struct selection *s)
{
	s->taken = 0;
}

void selection_note(const struct selection *s, struct terminal *terminal)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	for (size_t i = 0; i < s->options->where.count; i++) {
		const struct where *where = &s->options->where.items[i];
		buffer_clear(&path);
		if (where->operator== WHERE_IS_NOT && edit_guess_path(where->pointer, &path))
			terminal_warn(terminal,
			              "no event has '%s', so --where with != excludes nothing; did you mean %s?",
			              where->pointer, buffer_text(&path));
	}
}

int selection_nothing(const struct selection *s, const char *task, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	const struct where_list *where = &s->options->where;
	error_set(err, EXIT_CODE_FAILED, "nothing to %s: %s", task,
	          s->is_asked ? "no record matches the filters" : "no notification in the inputs");
	for (size_t i = 0; i < where->count && err->hint[0] == '\0'; i++)
		if (edit_guess_path(where->items[i].pointer, &path))
			error_hint(err, "no event has the path of --where; did you mean %s?", buffer_text(&path));
	return -1;
}

static bool is_chosen_event(const struct selection *s, struct catalog_kind kind)
{
	for (size_t i = 0; !s->every_event && i < s->event_count; i++)
		if (kind.event && s->events[i].event == kind.event &&
		    (!s->events[i].element || s->events[i].element == kind.element))
			return true;
	return s->every_event || s->event_count == 0;
}

/* Which event it is: what the record says, or what the payload is. */
static int identify(struct selection *s, const struct capture_record *record, struct catalog_kind *kind,
                    struct error *err)
{
	const char *nearest, *event = record->event.text;
	if (event && s->last_kind.event && strcmp(event, s->last_event) == 0) {
		*kind = s->last_kind;
		return 0;
	}
	*kind = (struct catalog_kind){ NULL, NULL };
	if (event && catalog_find_kind(event, kind, &nearest) == CATALOG_FOUND) {
		s->last_kind = *kind;
		snprintf(s->last_event, sizeof s->last_event, "%s", event);
		return 0;
	}
	*kind = (struct catalog_kind){ NULL, NULL };
	const struct verdict *verdict =
	        check_payload(s->checker, record->request.body.text, record->request.body.length, NULL, err);
	if (!verdict)
		return -1;
	*kind = verdict->kind;
	return 0;
}

static bool is_in_time(const struct selection *s, const struct capture_record *record)
{
	const struct selection_options *a = s->options;
	if (!a->since.given && !a->until.given)
		return true;
	if (record->received_us == 0)
		return false;
	return (!a->since.given || record->received_us >= a->since.us) &&
	       (!a->until.given || record->received_us < a->until.us);
}

static bool is_chosen_line(const struct selection *s, uint64_t line)
{
	const struct selection_records *records = &s->options->records;
	for (size_t i = 0; i < records->count; i++)
		if (line >= records->ranges[i].first && line <= records->ranges[i].last)
			return true;
	return records->count == 0;
}

/* Whether --where holds, and what the key is: both ask the body. */
static bool ask_body(struct selection *s, const struct capture_record *record, struct selected *selected,
                     struct buffer *key)
{
	struct json_fault fault;
	selected->keyed = false;
	if (s->options->where.count == 0 && s->key_pointer.length == 0)
		return true;
	json_read(&s->doc, record->request.body.text, record->request.body.length,
	          &fault); /* no JSON: an empty document */
	if (!where_matches(&s->options->where, &s->doc, &s->scratch))
		return false;
	selected->keyed = s->key_pointer.length > 0 && where_value(&s->doc, buffer_text(&s->key_pointer), key);
	return true;
}

enum selection_answer selection_takes(struct selection *s, const struct capture_record *record, uint64_t line,
                                      struct selected *selected, struct buffer *key, struct error *err)
{
	s->is_asked = true;
	if (s->taken >= s->options->limit)
		return SELECTION_ENOUGH;
	if (!is_chosen_line(s, line) || !is_in_time(s, record))
		return SELECTION_NO;
	if (identify(s, record, &selected->kind, err) < 0)
		return SELECTION_FAILED;
	if (!is_chosen_event(s, selected->kind) || !ask_body(s, record, selected, key))
		return SELECTION_NO;
	s->taken++;
	return SELECTION_YES;
}
