#include "cmd/args/selection.h"

#include "base/clock.h"
#include "base/fit.h"
#include "base/hash.h"
#include "base/quoted.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "capture/inputs.h"
#include "json/pointer.h"
#include "payload/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_SHOWN 3 /* different ones of what may be shown */
#define PATH_COLUMNS 80

const char *selection_read_number(const char *text, uint64_t *number)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 18)
		return NULL;
	*number = strtoull(text, NULL, 10);
	return text + digits;
}

const char *selection_read_range(const char *text, struct selection_range *range)
{
	const char *end = selection_read_number(text + (*text == '#'), &range->first);
	size_t sign = end ? range_sign_length(end, strlen(end)) : 0;
	range->last = range->first;
	if (sign > 0) {
		range->last = UINT64_MAX;
		end += sign;
		if (*end != ',' && *end != '\0')
			end = selection_read_number(end + (*end == '#'), &range->last);
	}
	return range->first > 0 && range->first <= range->last ? end : NULL;
}

int selection_parse_records(void *field, const char *value, struct error *err)
{
	struct selection_records *records = field;
	for (const char *at = value; at;) {
		struct selection_range range;
		const char *end = selection_read_range(at, &range);
		if (!end || (*end != ',' && *end != '\0')) {
			error_set(err, EXIT_CODE_USAGE, "--record takes the numbers of lines, not '%s'", value);
			return error_hint(err, "write numbers and ranges of 1 or more, with commas: 1-20,31,100-");
		}
		if (!ARRAY_ROOM(records->ranges, records->capacity, records->count + 1))
			return error_no_memory(err);
		records->ranges[records->count++] = range;
		at = *end == ',' ? end + 1 : NULL;
	}
	return 0;
}

static int parse_time(void *field, const char *value, struct error *err)
{
	struct selection_time *time = field;
	time->given = clock_parse_time(value, clock_realtime_us(), &time->us, &time->has_date);
	snprintf(time->text, sizeof time->text, "%s", value);
	if (time->given)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a time", value);
	return error_hint(err, "write 2026-01-02 12:00:05, 2026-01-02, 12:00 (Z behind it: UTC), or 10m or 2d (ago)");
}

/* As often as it was given (a flag: once), each with a blank before it. A time is absolute, and read from its field. */
static void append_given(const struct option *option, const void *field, const struct option_words *words, bool masked,
                         struct buffer *out)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	char stamp[CLOCK_STAMP_SIZE];
	for (size_t i = 0; i < words->count; i++) {
		const char *value = words->items[i].value;
		if (words->items[i].option != option || (option->initial && strcmp(value, option->initial) == 0))
			continue;
		if (option->type == OPTION_FLAG) {
			buffer_printf(out, " --%s", option->name);
			return;
		}
		if (option->parse == parse_time) {
			clock_format_stamp(((const struct selection_time *)field)->us, stamp);
			value = stamp;
		}
		buffer_clear(&shown);
		buffer_printf(out, " --%s ", option->name);
		value = masked ? quoted_word(&shown, value) : value;
		shell_append(out, value, strlen(value));
	}
}

void selection_append_given(const struct option_use *uses, size_t use_count, const void *args,
                            const struct option_words *words, bool masked, struct buffer *out)
{
	LOCAL_BUFFER given = BUFFER_FOR(out);
	for (const struct option_use *use = uses; use < uses + use_count; use++) {
		for (size_t i = 0; i < use->group->count; i++) {
			const struct option *option = &use->group->options[i];
			if (option->chooses)
				append_given(option, (const char *)args + use->offset + option->offset, words, masked,
				             &given);
		}
	}
	buffer_append_text(out, buffer_text(&given) + (given.length > 0)); /* without the first blank */
}

static int parse_statuses(void *field, const char *value, struct error *err)
{
	struct selection_statuses *statuses = field;
	struct status_set set;
	if (status_set_parse(&set, value, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof set.bits / sizeof set.bits[0]; i++)
		statuses->set.bits[i] |= set.bits[i];
	statuses->given = true;
	return 0;
}

OPTION_IS_ARRAY(struct selection_records, ranges);

#define SELECT(field) offsetof(struct selection_options, field)
static const struct option rows[] = {
	{ 0, "events", "EVENT,...", "only these events", OPTION_LIST, COMPLETE_EVENTS, .offset = SELECT(events),
	  .chooses = true, .also = "event type event-type only include -e" },
	{ 0, "where", "PATH=VALUE", "only payloads with this value; also PATH!=V, PATH~PART", OPTION_CALL,
	  COMPLETE_ASSIGNMENT, .offset = SELECT(where), .chooses = true, .parse = where_add, .release = where_release,
	  .also = "grep filter search match contains has find jq query" },
	{ 0, "status", "LIST", "only records that got one of these statuses: 409|5xx", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = SELECT(statuses), .chooses = true, .parse = parse_statuses,
	  .also = "status-code code response-code" },
	{ 0, "invalid", NULL, "only records whose body is not valid", OPTION_FLAG, .offset = SELECT(invalid),
	  .chooses = true },
	{ 0, "since", "TIME", "received since: 2026-01-02 12:00, 12:00, a date, 2d (ago)", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = SELECT(since), .chooses = true, .parse = parse_time, .continues = clock_continues,
	  .once = true, .also = "after date today yesterday newer-than timeframe from-time start-time" },
	{ 0, "until", "TIME", "received before this time", OPTION_CALL, COMPLETE_NOTHING, .offset = SELECT(until),
	  .chooses = true, .parse = parse_time, .continues = clock_continues, .once = true,
	  .also = "before to-time end-time" },
	{ 0, "record", "N,N-N...", "only the records on these lines, e.g. 1-20,31,100-", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = SELECT(records), .chooses = true, .parse = selection_parse_records, .release = option_release_array,
	  .also = "skip offset lines records id ids start-at begin nr select pick number line range index row nth" },
	{ 0, "distinct", NULL, "only the first of each shape, and of each value of a code", OPTION_FLAG,
	  .offset = SELECT(distinct), .chooses = true,
	  .also = "unique uniq dedupe dedup deduplicate one-of-each sample" },
	{ 0, "limit", "N", "at most N records", OPTION_NUMBER, .offset = SELECT(limit), .chooses = true, .least = 1,
	  .most = UINT64_MAX, .initial = "unlimited", .also = "count head first take max -n" },
};
static const struct option_way selection_ways[] = {
	{ "tail follow last -1", "cut the input: tail -n 20 FILE | credhook show -" },
	{ "between", "--since TIME --until TIME" },
	{ "newest latest oldest", "a number shows one: credhook show FILE last" },
	{ "not exclude except", "--where PATH!=VALUE leaves out what has it" },
	{ "valid", "the others are chosen with jq: credhook show FILE --json | jq" },
	{ "failed errors error", "--invalid, or by their response: --status 4xx,5xx" },
	{ "ok accepted success", "by their response: --status 2xx" },
	{ NULL, NULL },
};
const struct option_group selection_option_group = OPTION_GROUP_WITH("Which records", rows, 0, selection_ways);

/* The latest time of the captures; 0: none, or they are not all files. */
static int64_t last_time(const struct text_list *captures, struct signals *signals)
{
	LOCAL(inputs_release) struct inputs inputs = { .scratch = CAPTURE_SCRATCH_INIT };
	struct capture_item item;
	struct error unused; /* whoever reads them for what is in them says it */
	int64_t last_us = 0;
	if (inputs_init(&inputs, captures, CAPTURE_ACCEPTS_JSON, NULL, signals, &unused) < 0 || inputs.whole == 0)
		return 0;
	while (inputs_next(&inputs, &item, &unused) == INPUTS_ITEM)
		if (item.record.received_us > last_us)
			last_us = item.record.received_us;
	return last_us;
}

void selection_read_day(struct selection_options *o, const struct text_list *captures, int64_t list_us,
                        struct signals *signals)
{
	struct selection_time *times[] = { &o->since, &o->until };
	int64_t last_us = list_us;
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		struct selection_time *time = times[i];
		if (!time->given || time->has_date)
			continue;
		last_us = last_us > 0 ? last_us : last_time(captures, signals);
		time->day = last_us > 0 ? "the day of the last record" : "today";
		if (last_us > 0)
			clock_parse_time(time->text, last_us, &time->us, NULL);
	}
}

bool selection_is_all(const struct selection_options *o)
{
	return o->events.count == 0 && o->where.count == 0 && !o->statuses.given && !o->invalid && !o->since.given &&
	       !o->until.given && o->records.count == 0 && !o->distinct && o->limit == UINT64_MAX;
}

int selection_init(struct selection *s, const struct selection_options *options, struct error *err)
{
	*s = (struct selection){ .options = options };
	s->doc = JSON_DOC_INIT;
	s->refused.seen = calloc(1 + options->where.count, sizeof *s->refused.seen);
	if (!s->refused.seen)
		return error_no_memory(err);
	s->checker = checker_new(err);
	if (s->checker && options->distinct && !(s->distinct = distinct_new(err)))
		return -1;
	return s->checker ? kinds_read(&s->events, options->events.items, options->events.count, err) : -1;
}

void selection_set_stop(struct selection *s, const struct signals *signals)
{
	s->doc.stop = source_stop(signals);
	checker_set_stop(s->checker, s->doc.stop);
}

void selection_release(struct selection *s)
{
	buffer_release(&s->scratch);
	for (size_t i = 0; s->refused.seen && i <= s->options->where.count; i++)
		buffer_release(&s->refused.seen[i].shown);
	free(s->refused.seen);
	checker_free(s->checker);
	distinct_free(s->distinct);
	free(s->events.items);
	buffer_release(&s->key_pointer);
	json_doc_release(&s->doc);
}

/* Which event it is: what the record says, or what the payload is. */
static int identify(struct selection *s, const struct capture_record *record, struct error *err)
{
	const char *event = record->event.text;
	if (event && s->named[0] && strcmp(event, s->named) == 0)
		return 0;
	bool is_named = event && catalog_find_kind(event, &s->kind, NULL) == CATALOG_FOUND;
	snprintf(s->named, sizeof s->named, "%s", is_named ? event : "");
	if (is_named)
		return 0;
	const struct verdict *verdict =
	        check_payload(s->checker, record->request.body.text, record->request.body.length, NULL, err);
	s->kind = verdict ? verdict->kind : (struct catalog_kind){ NULL, NULL };
	return verdict ? 0 : -1;
}

/* What can be asked before its event is known. */
static bool is_chosen_record(struct selection *s, const struct capture_record *record, uint64_t line)
{
	const struct selection_options *o = s->options;
	int64_t us = record->received_us; /* 0: not known, and so in no span */
	bool is_among = o->records.count == 0;
	for (size_t i = 0; i < o->records.count; i++)
		is_among |= line >= o->records.ranges[i].first && line <= o->records.ranges[i].last;
	s->without_time += is_among && us == 0 && (o->since.given || o->until.given);
	if (!is_among || (o->since.given && (us == 0 || us < o->since.us)) ||
	    (o->until.given && (us == 0 || us >= o->until.us)))
		return false;
	/* What a fault did to the sender has no status. */
	bool has_status = !record->fault.text && status_set_contains(&o->statuses.set, record->status);
	return !o->statuses.given || has_status;
}

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

static void note_refused(struct selection *s, const struct capture_record *record, uint64_t line)
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

void selection_untake(struct selection *s)
{
	distinct_untake(s->distinct);
	s->taken--;
}

enum selection_answer selection_takes(struct selection *s, const struct capture_record *record, uint64_t line,
                                      uint64_t number, struct buffer *key, struct error *err)
{
	const struct selection_options *o = s->options;
	const struct text *body = &record->request.body;
	bool has_key = s->key_pointer.length > 0, is_meant = s->events.count == 0;
	bool is_enough = s->taken >= o->limit;
	if (is_enough && !s->counts_all) {
		s->has_more = true;
		return SELECTION_ENOUGH;
	}
	bool is_chosen = is_chosen_record(s, record, line);
	if (!is_chosen && s->taken > 0)
		return SELECTION_NO;
	if (identify(s, record, err) < 0)
		return SELECTION_FAILED;
	for (size_t i = 0; i < s->events.count && !is_meant; i++)
		is_meant = !s->events.items[i].event || catalog_kind_is(s->kind, s->events.items[i]);
	is_chosen = is_chosen && is_meant;
	if ((is_chosen || s->taken == 0) && (o->where.count > 0 || has_key)) /* no JSON: an empty document */
		json_read(&s->doc, body->text, body->length, NULL);
	is_chosen = is_chosen && where_matches(&o->where, &s->doc, &s->scratch);
	/* Checked again. What redaction withheld is not known to be either. */
	const struct verdict *verdict = NULL;
	bool asks_validity = o->invalid && (is_chosen || s->taken == 0), is_known = !capture_record_is_withheld(record);
	if (is_known && (asks_validity || (is_chosen && s->distinct)) &&
	    !(verdict = check_payload(s->checker, body->text, body->length, NULL, err)))
		return SELECTION_FAILED;
	if (asks_validity) {
		bool is_invalid = verdict && !verdict->valid;
		s->refused.invalid += is_invalid;
		is_chosen = is_chosen && is_invalid;
	}
	s->distinct_for = (struct distinct_taken){ .value_count = 0 };
	if (is_chosen && s->distinct && verdict) {
		int takes = distinct_takes(s->distinct, verdict, number, &s->distinct_for, err);
		if (takes < 0)
			return SELECTION_FAILED;
		is_chosen = takes > 0;
	}
	if (is_chosen && is_enough) {
		s->has_more = true;
		is_chosen = false;
		if (verdict)
			distinct_untake(s->distinct);
	}
	s->is_keyed = is_chosen && has_key && where_value(&s->doc, buffer_text(&s->key_pointer), key);
	if (!is_chosen && s->taken == 0)
		note_refused(s, record, line);
	s->taken += is_chosen;
	return is_chosen ? SELECTION_YES : SELECTION_NO;
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

void selection_append_part(struct buffer *out, const char *given, uint64_t taken, uint64_t read, bool is_cut)
{
	buffer_printf(out, "%s: %s of %s record%s%s", given, COUNT_TEXT(taken), COUNT_TEXT(read), read == 1 ? "" : "s",
	              is_cut ? " read" : "");
}

/* What a record has beside its payload, and what selects by it. */
static const struct {
	const char *pointer, *option;
	bool takes_value;
} of_records[] = {
	{ "/valid", "invalid", false },         { "/response/status", "status", true }, { "/status", "status", true },
	{ "/response.status", "status", true }, { "/received_at", "since", true },
};

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
		LOCAL_BUFFER path = BUFFER_INIT;
		const struct where *where = &o->where.items[i];
		for (size_t k = 0; k < sizeof of_records / sizeof of_records[0]; k++)
			if (strcmp(where->pointer, of_records[k].pointer) == 0)
				error_hint(err, "--where is for payloads; write --%s%s%s", of_records[k].option,
				           of_records[k].takes_value ? " " : "",
				           of_records[k].takes_value ? where->value : "");
		if (err->hint[0] == '\0' && edit_guess_path(o->where.items[i].pointer, &path))
			error_hint(err, "no event has the path of --where; did you mean %s?", buffer_text(&path));
	}
	return -1;
}
