#include "cmd/replay/options.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int replay_parse_speed(void *field, const char *value, struct error *err)
{
	struct replay_speed *speed = field;
	char *end;
	speed->factor = strcmp(value, "max") == 0 ? 0 : strtod(value, &end);
	if (strcmp(value, "max") == 0)
		return 0;
	if (strspn(value, "0123456789.") == strlen(value) && value[0] && *end == '\0' && speed->factor >= 1e-6 &&
	    speed->factor <= 1e9)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--speed takes a factor or max, not '%s'", value);
	return error_hint(err, "1 keeps the recorded gaps, 2 halves them, 0.5 doubles them");
}

/* A number without a sign, and where it ends; NULL: none. */
static const char *read_number(const char *text, uint64_t *number)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 18)
		return NULL;
	*number = strtoull(text, NULL, 10);
	return text + digits;
}

int replay_parse_shard(void *field, const char *value, struct error *err)
{
	struct replay_shard *shard = field;
	const char *end = read_number(value, &shard->number);
	end = end && *end == '/' ? read_number(end + 1, &shard->count) : NULL;
	if (end && *end == '\0' && shard->number >= 1 && shard->number <= shard->count)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--shard takes K/N with K from 1 to N, not '%s'", value);
	return error_hint(err, "of three machines, the first takes --shard 1/3");
}

int replay_parse_sample(void *field, const char *value, struct error *err)
{
	struct replay_sample *sample = field;
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double number = strtod(value, &end);
	bool percent = strcmp(value + digits, "%") == 0;
	sample->given = true;
	sample->share = percent ? number / 100 : number;
	if (digits > 0 && digits <= 20 && end == value + digits && (percent || *end == '\0') && sample->share <= 1)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--sample takes a share such as 10%% or 0.1, not '%s'", value);
	if (digits > 0 && digits <= 20 && end == value + digits && *end == '\0' && number <= 100)
		error_hint(err, "did you mean %s%%?", value);
	return -1;
}

int replay_parse_records(void *field, const char *value, struct error *err)
{
	struct replay_records *records = field;
	for (const char *at = value; at;) {
		uint64_t line;
		const char *end = read_number(at, &line);
		if (!end || (*end != ',' && *end != '\0') || line == 0) {
			error_set(err, EXIT_CODE_USAGE, "--record takes the numbers of lines, not '%s'", value);
			return error_hint(err, "write them one by one, from 1 up, with commas: 1,2,3");
		}
		uint64_t *grown =
		        array_grow(records->lines, &records->capacity, records->count + 1, sizeof *records->lines);
		if (!grown)
			return error_no_memory(err);
		records->lines = grown;
		records->lines[records->count++] = line;
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

int replay_read_time(struct replay_time *time, const char *value, int64_t now_us, struct error *err)
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
	return replay_read_time(field, value, clock_realtime_us(), err);
}

static int parse_where(void *field, const char *value, struct error *err)
{
	return where_add(field, value, err);
}

#define REPLAY(field) offsetof(struct replay_args, field)
static const struct option choice_rows[] = {
	{ 0, "events", "EVENT,...", "only these events", OPTION_LIST, COMPLETE_EVENT_LIST, .offset = REPLAY(events) },
	{ 0, "where", "PATH=VALUE", "only payloads with this value; also PATH!=V, PATH~PART", OPTION_CALL,
	  COMPLETE_ASSIGNMENT, .offset = REPLAY(where), .parse = parse_where },
	{ 0, "since", "TIME", "received since: 2026-01-02T03:04:05Z, a date, 10m (ago)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(since), .parse = parse_time },
	{ 0, "until", "TIME", "received before this time", OPTION_CALL, COMPLETE_NOTHING, .offset = REPLAY(until),
	  .parse = parse_time },
	{ 0, "record", "N,N...", "only the records on these lines", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(records), .parse = replay_parse_records },
	{ 0, "sample", "SHARE", "random share of the records, e.g. 10%", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(sample), .parse = replay_parse_sample },
	{ 0, "seed", "N", "seed for random choices", OPTION_CALL, COMPLETE_NOTHING, .offset = REPLAY(seed),
	  .parse = make_parse_seed },
	{ 0, "skip", "N", "skip the first N records", OPTION_NUMBER, .offset = REPLAY(skip), .most = UINT64_MAX },
	{ 0, "limit", "N", "at most N records (default: unlimited)", OPTION_NUMBER, .offset = REPLAY(limit), .least = 1,
	  .most = UINT64_MAX },
	{ 0, "shard", "K/N", "part K of N, for N machines (per key with --keyed)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(shard), .parse = replay_parse_shard },
	{ 0, "loop", "N", "send the inputs N times", OPTION_NUMBER, .offset = REPLAY(loop), .least = 1,
	  .most = UINT64_MAX },
};
static const struct option pace_rows[] = {
	{ 0, "speed", "FACTOR|max", "1 keeps the recorded gaps, 2 halves them (default max)", OPTION_CALL,
	  COMPLETE_WORD, .offset = REPLAY(speed), .parse = replay_parse_speed },
	{ 0, "max-wait", "DURATION", "longest gap with --speed", OPTION_DURATION, .offset = REPLAY(max_wait) },
	{ 0, "keyed", "PATH", "keep order per value of PATH", OPTION_TEXT, COMPLETE_FIELD, .offset = REPLAY(keyed) },
	{ 0, "keep-target", NULL, "send to the recorded path and query", OPTION_FLAG, .offset = REPLAY(keep_target) },
	{ 0, "keep-headers", NULL, "send the recorded headers", OPTION_FLAG, .offset = REPLAY(keep_headers) },
	{ 0, "fresh-ids", NULL, "replace identifiers, so that customers are new", OPTION_FLAG,
	  .offset = REPLAY(fresh_ids) },
	{ 0, "allow-unredacted", NULL, "allow unredacted records of protected environments", OPTION_FLAG,
	  .offset = REPLAY(allow_unredacted) },
};
static const struct option_group choice_group = OPTION_GROUP("What to replay", choice_rows, 0);
static const struct option_group pace_group = OPTION_GROUP("Pacing", pace_rows, 0);

const struct option_use replay_option_uses[REPLAY_OPTION_USES] = {
	{ &choice_group, 0 },
	{ &pace_group, 0 },
	{ &delivery_route_option_group, REPLAY(delivery) },
	{ &delivery_option_group, REPLAY(delivery) },
	{ &delivery_retry_option_group, REPLAY(delivery) },
	{ &delivery_results_option_group, REPLAY(delivery) },
	{ &delivery_again_option_group, REPLAY(delivery) },
	{ &make_edit_option_group, REPLAY(edits) },
};

void replay_options_defaults(void *args)
{
	struct replay_args *a = args;
	a->limit = UINT64_MAX;
	a->loop = 1;
	delivery_options_defaults(&a->delivery);
}

void replay_options_release(void *args)
{
	struct replay_args *a = args;
	text_list_release(&a->events);
	where_release(&a->where);
	free(a->records.lines);
	edits_release(&a->edits);
	delivery_options_release(&a->delivery);
}

int replay_options_check(const struct replay_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "replay needs a FILE");
		return error_hint(err, "write 'credhook replay capture.ndjson --to :8080'; - is standard input");
	}
	for (size_t i = 0; a->loop > 1 && i < operands->count; i++)
		if (strcmp(operands->items[i], "-") == 0)
			return error_set(err, EXIT_CODE_USAGE, "--loop cannot read standard input again");
	if (a->max_wait > 0 && a->speed.factor <= 0) {
		error_set(err, EXIT_CODE_USAGE, "--max-wait goes with --speed");
		return error_hint(err, "--speed 1 keeps the recorded gaps, which --max-wait shortens");
	}
	if (a->seed.given && !a->sample.given && !a->fresh_ids)
		return error_set(err, EXIT_CODE_USAGE, "--seed goes with --sample or --fresh-ids");
	if (a->delivery.failed_only && a->loop > 1)
		return error_set(err, EXIT_CODE_USAGE, "--loop does not go with --failed-only");
	return make_check_edits(&a->edits, err);
}
