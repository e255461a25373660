#include "cmd/send/replay_options.h"

#include "base/text.h"

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

int replay_parse_shard(void *field, const char *value, struct error *err)
{
	struct selection_shard *shard = field;
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
	  .offset = REPLAY(shard), .parse = replay_parse_shard },
	{ 0, "loop", "N", "send the inputs N times", OPTION_NUMBER, .offset = REPLAY(loop), .least = 1,
	  .most = UINT64_MAX, .initial = "1" },
};
static const struct option pace_rows[] = {
	{ 0, "speed", "FACTOR|max", "1 keeps the recorded gaps, 2 halves them (default max)", OPTION_CALL,
	  COMPLETE_WORD, .offset = REPLAY(speed), .parse = replay_parse_speed },
	{ 0, "max-wait", "DURATION", "longest gap with --speed", OPTION_DURATION, .offset = REPLAY(max_wait),
	  .needs = "speed" },
	{ 0, "keyed", "PATH", "keep order per value of PATH", OPTION_TEXT, COMPLETE_FIELD, .offset = REPLAY(keyed) },
	{ 0, "keep-target", NULL, "send to the recorded path and query", OPTION_FLAG, .offset = REPLAY(keep_target) },
	{ 0, "keep-headers", NULL, "send the recorded headers", OPTION_FLAG, .offset = REPLAY(keep_headers) },
	{ 0, "fresh-ids", "SEED", "replace identifiers, so that customers are new", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(fresh_ids), .parse = parse_fresh_ids, .argument_optional = true },
};
static const struct option_group choice_group = OPTION_GROUP("What to replay", choice_rows, 0);
static const struct option_group pace_group = OPTION_GROUP("Pacing", pace_rows, 0);

const struct option_use replay_option_uses[REPLAY_OPTION_USES] = {
	{ &selection_option_group, REPLAY(select) },
	{ &choice_group, 0 },
	{ &pace_group, 0 },
	{ &delivery_route_option_group, REPLAY(delivery) },
	{ &delivery_option_group, REPLAY(delivery) },
	{ &delivery_retry_option_group, REPLAY(delivery) },
	{ &delivery_results_option_group, REPLAY(delivery) },
	{ &delivery_again_option_group, REPLAY(delivery) },
	{ &make_edit_option_group, REPLAY(edits) },
};

int replay_options_check(const struct replay_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "replay needs a FILE");
		return error_hint(err, "write 'credhook replay capture.ndjson --to :8080'; - is standard input");
	}
	for (size_t i = 0; a->loop > 1 && i < operands->count; i++)
		if (strcmp(operands->items[i], "-") == 0)
			return error_set(err, EXIT_CODE_USAGE, "--loop cannot read standard input again");
	return make_check_edits(&a->edits, err);
}
