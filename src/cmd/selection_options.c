/* The options of a selection. */
#include "base/clock.h"
#include "cmd/selection.h"

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

/* "7", "3-9" or "100-"; where it ends, or NULL. */
static const char *read_range(const char *text, struct selection_range *range)
{
	const char *end = selection_read_number(text, &range->first);
	range->last = range->first;
	if (end && *end == '-') {
		range->last = UINT64_MAX;
		end++;
		if (*end != ',' && *end != '\0')
			end = selection_read_number(end, &range->last);
	}
	return range->first > 0 && range->first <= range->last ? end : NULL;
}

int selection_parse_records(void *field, const char *value, struct error *err)
{
	struct selection_records *records = field;
	for (const char *at = value; at;) {
		struct selection_range range;
		const char *end = read_range(at, &range);
		if (!end || (*end != ',' && *end != '\0')) {
			error_set(err, EXIT_CODE_USAGE, "--record takes the numbers of lines, not '%s'", value);
			return error_hint(err, "write numbers and ranges from 1 up, with commas: 1-20,31,100-");
		}
		if (!ARRAY_ROOM(records->ranges, records->capacity, records->count + 1))
			return error_no_memory(err);
		records->ranges[records->count++] = range;
		at = *end == ',' ? end + 1 : NULL;
	}
	return 0;
}

/* 2026-01-02: the beginning of that day, in UTC like the stamps of a capture. */
static bool read_date(const char *value, int64_t *us)
{
	char stamp[sizeof "2026-01-02T00:00:00Z"];
	int length = snprintf(stamp, sizeof stamp, "%sT00:00:00Z", value);
	return length == (int)sizeof stamp - 1 && clock_parse_stamp(stamp, us);
}

int selection_read_time(struct selection_time *time, const char *value, int64_t now_us, struct error *err)
{
	int64_t back;
	time->given = true;
	if (clock_parse_stamp(value, &time->us) || read_date(value, &time->us))
		return 0;
	if (clock_parse_duration(value, &back)) {
		time->us = now_us - back / 1000;
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a time", value);
	return error_hint(err, "write 2026-01-02T03:04:05Z, 2026-01-02, or 10m for ten minutes ago");
}

static int parse_time(void *field, const char *value, struct error *err)
{
	return selection_read_time(field, value, clock_realtime_us(), err);
}

static int parse_where(void *field, const char *value, struct error *err)
{
	return where_add(field, value, err);
}

static void release_where(void *field)
{
	where_release(field);
}

static void release_records(void *field)
{
	struct selection_records *records = field;
	free(records->ranges);
	*records = (struct selection_records){ 0 };
}

#define SELECT(field) offsetof(struct selection_options, field)
static const struct option rows[] = {
	{ 0, "events", "EVENT,...", "only these events", OPTION_LIST, COMPLETE_EVENT_LIST, .offset = SELECT(events) },
	{ 0, "where", "PATH=VALUE", "only payloads with this value; also PATH!=V, PATH~PART", OPTION_CALL,
	  COMPLETE_ASSIGNMENT, .offset = SELECT(where), .parse = parse_where, .release = release_where },
	{ 0, "since", "TIME", "received since: 2026-01-02T03:04:05Z, a date, 10m (ago)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = SELECT(since), .parse = parse_time },
	{ 0, "until", "TIME", "received before this time", OPTION_CALL, COMPLETE_NOTHING, .offset = SELECT(until),
	  .parse = parse_time },
	{ 0, "record", "N,N-N...", "only the records on these lines, e.g. 1-20,31,100-", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = SELECT(records), .parse = selection_parse_records, .release = release_records },
	{ 0, "limit", "N", "at most N records", OPTION_NUMBER, .offset = SELECT(limit), .least = 1, .most = UINT64_MAX,
	  .initial = "unlimited" },
};
const struct option_group selection_option_group = OPTION_GROUP("Which records", rows, 0);
