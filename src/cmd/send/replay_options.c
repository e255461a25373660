#include "base/text.h"
#include "cmd/args/make.h"
#include "cmd/send/send.h"

#include <stddef.h>
#include <string.h>

static int parse_compare(void *field, const char *value, struct error *err)
{
	struct send_compare *compare = field;
	*compare = (struct send_compare){ .given = true, .results = value };
	if (value && value[0] == '\0')
		return error_set(err, EXIT_CODE_USAGE, "--compare= needs the results of an earlier run");
	return 0;
}

#define DELIVERY(field) offsetof(struct send_options, field)
static const struct option again_rows[] = {
	{ 0, "resume", "FILE", "continue the run recorded in FILE", OPTION_TEXT, COMPLETE_FILE,
	  .offset = DELIVERY(resume), .also = "continue checkpoint state-file" },
	{ 0, "failed-only", "FILE", "only records that FILE shows as not accepted", OPTION_TEXT, COMPLETE_FILE,
	  .offset = DELIVERY(failed_only), .chooses = true, .also = "failed rejected skip-done only-failed" },
	{ 0, "compare", "RESULTS", "report statuses other than recorded, or in an earlier run", OPTION_CALL,
	  COMPLETE_FILE, .offset = DELIVERY(compare), .parse = parse_compare, .once = true, .argument_optional = true,
	  .alters = true, .also = "diff baseline golden regression" },
};
/* --resume, --failed-only, --compare */
static const struct option_group again_group = OPTION_GROUP("Resuming", again_rows, 0);

int replay_parse_speed(void *field, const char *value, struct error *err)
{
	double *speed = field;
	*speed = 0;
	if (strcmp(value, "max") == 0)
		return 0;
	const char *end = send_read_decimal(value, speed);
	if (end && *end == '\0' && *speed >= 1e-6 && *speed <= 1e9)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--speed takes a factor or max, not '%s'", value);
	return error_hint(err, "1 keeps the recorded gaps, 2 halves them, 0.5 doubles them");
}

int replay_parse_shard(void *field, const char *value, struct error *err)
{
	struct replay_shard *shard = field;
	const char *end = selection_read_number(value, &shard->number);
	end = end && *end == '/' ? selection_read_number(end + 1, &shard->count) : NULL;
	if (end && *end == '\0' && shard->number >= 1 && shard->number <= shard->count)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--shard takes K/N with K from 1 to N, not '%s'", value);
	return error_hint(err, "of three machines, the first takes --shard 1/3");
}

static int parse_fresh_ids(void *field, const char *value, struct error *err)
{
	struct fresh_ids *fresh = field;
	fresh->given = true;
	if (!value || count_read(value, UINT64_MAX, &fresh->seed.value)) {
		fresh->seed.given = value != NULL;
		return 0;
	}
	return error_set(err, EXIT_CODE_USAGE, "--fresh-ids takes a whole number as its seed, not '%s'", value);
}

#define REPLAY(field) offsetof(struct replay_args, field)
static const struct option choice_rows[] = {
	{ 0, "shard", "K/N", "part K of N, for N machines (per key with --keyed)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(shard), .chooses = true, .parse = replay_parse_shard, .once = true },
};
static const struct option pace_rows[] = {
	{ 0, "speed", "FACTOR|max", "1 keeps the recorded gaps, 2 halves them (default max)", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = REPLAY(speed), .parse = replay_parse_speed, .once = true, .values = "max",
	  .also = "realtime real-time fast slow acceleration original-timing keep-timing as-fast-as-possible timescale "
	          "scale" },
	{ 0, "max-wait", "DURATION", "longest gap with --speed", OPTION_DURATION, .offset = REPLAY(max_wait),
	  .least = 1, .needs = "speed" },
	{ 0, "keyed", "PATH", "keep order per value of PATH", OPTION_TEXT, COMPLETE_FIELD, .offset = REPLAY(keyed),
	  .also = "order-by by-key group-by ordered order" },
	{ 0, "as-recorded", NULL, "send to the recorded path and query, with the headers", OPTION_FLAG,
	  .offset = REPLAY(as_recorded), .alters = true, .also = "keep-headers keep-target original-headers" },
	{ 0, "fresh-ids", "SEED", "replace identifiers, so that customers are new", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(fresh_ids), .alters = true, .parse = parse_fresh_ids, .once = true,
	  .argument_optional = true, .also = "new-ids randomize-ids random-ids" },
};
static const struct option_way choice_ways[] = {
	{ "file input capture -f", "name the file alone: credhook replay FILE" },
	{ "from", "name the file alone: credhook replay FILE; from a time on is --since TIME" },
	{ "keep-ids same-ids original-ids", "identifiers stay as they are without --fresh-ids: leave it out" },
	{ "loop times repeat", "name the file N times" },
	{ "sign signature secret", "notifications are not signed: leave it out" },
	{ "reverse", "turn the records round before: tac FILE | credhook replay -" },
	{ "shuffle random", "shuf FILE | credhook replay -" },
	{ "sample", "choose records before: shuf FILE | credhook replay -" },
	{ "unset remove delete merge",
	  "change the records before: jq -c '.body|=(fromjson|del(.details.x)|tojson)' FILE | credhook replay -" },
	{ NULL, NULL },
};
static const struct option_group choice_group = OPTION_GROUP_WITH("What to replay", choice_rows, 0, choice_ways);
static const struct option_group pace_group = OPTION_GROUP("Pacing", pace_rows, 0);

const struct option_use replay_option_uses[REPLAY_OPTION_USES] = {
	{ &selection_option_group, REPLAY(select) },
	{ &choice_group, 0 },
	{ &pace_group, 0 },
	{ &route_option_group, REPLAY(delivery.route) },
	{ &send_option_group, REPLAY(delivery) },
	{ &send_retry_option_group, REPLAY(delivery) },
	{ &send_results_option_group, REPLAY(delivery) },
	{ &again_group, REPLAY(delivery) },
	{ &make_set_option_group, REPLAY(edits) },
};
