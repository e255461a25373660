#include "cmd/send/send_options.h"

#include "base/text.h"
#include "http/deliver.h"
#include "report/report_format.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RETRIES 1000000

static int parse_status(void *field, const char *value, struct error *err)
{
	struct send_options *options = NULL;
	__typeof__(options->expect_status) *expected = field;
	expected->text = value;
	return status_set_parse(&expected->set, value, err);
}

/* A number with decimals at the text's start, and where it ends; NULL: none. */
static const char *read_decimal(const char *text, double *number)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;
	*number = strtod(text, &end);
	return digits > 0 && digits <= 20 && end == text + digits ? end : NULL;
}

int send_parse_rate(void *field, const char *value, struct error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "/s", 1e9 }, { "/m", 60e9 }, { "/h", 3600e9 } };
	double *interval_ns = field;
	double number;
	const char *end = read_decimal(value, &number);
	for (size_t i = 0; end && i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].unit) != 0 || number < 1e-3 || number > 1e9)
			continue;
		*interval_ns = units[i].ns / number;
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "--rate takes N, N/s, N/m or N/h, not '%s'", value);
	return error_hint(err, "100/s starts 100 per second");
}

static int parse_dry_run(void *field, const char *value, struct error *err)
{
	int *dry_run = field;
	if (value && strcmp(value, "curl") != 0) {
		error_set(err, EXIT_CODE_USAGE, "invalid --dry-run '%s'", value);
		return error_hint(err, "write --dry-run or --dry-run=curl");
	}
	*dry_run = value ? DRY_RUN_CURL : DRY_RUN_REQUEST;
	return 0;
}

#define AT(field) offsetof(struct send_options, field)
static const struct option rows[] = {
	{ 0, "allow-production", NULL, "allow protected environments", OPTION_FLAG, .unsafe = true,
	  .offset = AT(route.allow_production), .also = "force" },
	{ 0, "allow-unredacted", NULL, "allow unredacted records of protected environments", OPTION_FLAG,
	  .unsafe = true, .offset = AT(allow_unredacted) },
	{ 0, "concurrency", "N", "concurrent requests (1: in order)", OPTION_NUMBER, .offset = AT(concurrency),
	  .least = 1, .most = DELIVER_MAX_CONCURRENCY, .initial = "1",
	  .also = "threads jobs parallel workers connections vus users clients async batch-size -c -j" },
	{ 0, "rate", "N[/s|m|h]", "deliveries to start per second, minute or hour", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(interval_ns), .parse = send_parse_rate,
	  .also = "rps qps tps throttle delay interval sleep pause gap ramp-up think-time" },
	{ 0, "expect-status", "LIST", "statuses that count as accepted (default 2xx)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(expect_status), .parse = parse_status, .also = "status-code assert" },
	{ 0, "expect-within", "DURATION", "fail deliveries slower than this", OPTION_DURATION,
	  .offset = AT(expect_within), .least = 1, .also = "expect-time sla" },
	{ 0, "dry-run", "curl", "show what would be sent; =curl: as curl commands", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(dry_run), .parse = parse_dry_run, .argument_optional = true, .values = "curl",
	  .also = "preview noop print simulate" },
};
static const struct option_way ways[] = {
	{ "production prod live", "the destination is what --to names: --to WHERE" },
	{ "include -i", "-v shows what is sent and what comes back" },
	{ "sequential", "one after the other is the default: leave it out" },
	{ "duration", "a count ends a run: --rate 50 with 500 deliveries lasts 10 s" },
	{ "yes -y", "nothing asks; a protected environment needs --allow-production" },
	{ NULL, NULL },
};
const struct option_group send_option_group = OPTION_GROUP_WITH("Delivery", rows, 0, ways);

static const struct option retry_rows[] = {
	{ 0, "retry", "N", "retry 408, 429, 5xx and connection errors N times", OPTION_NUMBER, .offset = AT(retry),
	  .most = MOST_RETRIES, .also = "retries attempts max-retries" },
	{ 0, "retry-delay", "DURATION", "wait before a retry (default 1s, doubled each time)", OPTION_DURATION,
	  .offset = AT(retry_delay), .needs = "retry", .also = "backoff" },
	{ 0, "retry-unknown", NULL, "retry even if the request may have arrived", OPTION_FLAG, .unsafe = true,
	  .offset = AT(retry_unknown), .needs = "retry resume failed-only" },
};
const struct option_group send_retry_option_group = OPTION_GROUP("Retries", retry_rows, 0);

static const struct option results_rows[] = {
	{ 0, "results", "FILE|-", "write one JSON line per attempt (-: stdout)", OPTION_TEXT, COMPLETE_OUTPUT,
	  .offset = AT(results), .also = "output out log save -o" },
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_CASES "; -: stdout", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = AT(reports), .parse = report_parse_cases, .excludes = "dry-run",
	  .values = REPORT_VALUES_OF_CASES },
	{ 0, "max-failures", "N", "give up after more failures than this", OPTION_NUMBER, .offset = AT(max_failures),
	  .most = UINT64_MAX, .initial = "unlimited", .also = "fail-fast bail fail" },
};
const struct option_group send_results_option_group = OPTION_GROUP("Results", results_rows, 0);

static const struct option again_rows[] = {
	{ 0, "resume", "FILE", "continue the run recorded in FILE", OPTION_TEXT, COMPLETE_FILE, .offset = AT(resume),
	  .also = "continue checkpoint state-file" },
	{ 0, "failed-only", "FILE", "only records that FILE shows as not accepted", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(failed_only), .chooses = true, .also = "failed rejected skip-done only-failed" },
	{ 0, "compare", NULL, "report responses whose status differs from the recorded", OPTION_FLAG,
	  .offset = AT(compare), .also = "diff" },
};
/* --resume, --failed-only, --compare */
static const struct option_group again_group = OPTION_GROUP("Resuming", again_rows, 0);

int replay_parse_speed(void *field, const char *value, struct error *err)
{
	double *speed = field;
	*speed = 0;
	if (strcmp(value, "max") == 0)
		return 0;
	const char *end = read_decimal(value, speed);
	if (end && *end == '\0' && *speed >= 1e-6 && *speed <= 1e9)
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
	  .offset = REPLAY(shard), .chooses = true, .parse = replay_parse_shard },
};
static const struct option pace_rows[] = {
	{ 0, "speed", "FACTOR|max", "1 keeps the recorded gaps, 2 halves them (default max)", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = REPLAY(speed), .parse = replay_parse_speed, .values = "max",
	  .also = "realtime real-time fast slow acceleration original-timing keep-timing as-fast-as-possible timescale "
	          "scale" },
	{ 0, "max-wait", "DURATION", "longest gap with --speed", OPTION_DURATION, .offset = REPLAY(max_wait),
	  .least = 1, .needs = "speed" },
	{ 0, "keyed", "PATH", "keep order per value of PATH", OPTION_TEXT, COMPLETE_FIELD, .offset = REPLAY(keyed),
	  .also = "order-by by-key group-by ordered order" },
	{ 0, "as-recorded", NULL, "send to the recorded path and query, with the headers", OPTION_FLAG,
	  .offset = REPLAY(as_recorded), .alters = true, .also = "keep-headers keep-target original-headers" },
	{ 0, "fresh-ids", "SEED", "replace identifiers, so that customers are new", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = REPLAY(fresh_ids), .alters = true, .parse = parse_fresh_ids, .argument_optional = true,
	  .also = "new-ids randomize-ids random-ids" },
};
static const struct option_way choice_ways[] = {
	{ "file input capture -f", "name the file alone: credhook replay FILE" },
	{ "from", "name the file alone: credhook replay FILE; from a time on is --since TIME" },
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
