/* The options that choose records, and their values. */
#include "base/clock.h"
#include "base/quoted.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "capture/inputs.h"
#include "cmd/args/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	{ "last tail -1", "cut the input: tail -n 20 FILE | credhook show -" },
	{ "follow", "what is appended is read from a pipe: tail -F FILE | credhook show -" },
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

void selection_append_part(struct buffer *out, const char *given, uint64_t taken, uint64_t read, bool is_cut)
{
	buffer_printf(out, "%s: %s of %s record%s%s", given, COUNT_TEXT(taken), COUNT_TEXT(read), read == 1 ? "" : "s",
	              is_cut ? " read" : "");
}
