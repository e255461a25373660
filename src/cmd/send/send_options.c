#include "cmd/send/send.h"
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

const char *send_read_decimal(const char *text, double *number)
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
	} units[] = {
		{ "", 1e9 },      { "/s", 1e9 },     { "/m", 60e9 },     { "/h", 3600e9 },    { "/sec", 1e9 },
		{ "/min", 60e9 }, { "/hr", 3600e9 }, { "/second", 1e9 }, { "/minute", 60e9 }, { "/hour", 3600e9 }
	};
	double *interval_ns = field;
	double number;
	uint64_t count;
	const char *end = count_parse(value, 1000, 1000000000, &count);
	if (end)
		number = (double)count;
	else
		end = send_read_decimal(value, &number);
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
	  .also = "threads jobs parallel parallelism workers connections vus users clients async batch-size -c -j" },
	{ 0, "rate", "N[/s|m|h]", "deliveries to start per second, minute or hour", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(interval_ns), .parse = send_parse_rate, .once = true,
	  .also = "rps qps tps throttle delay interval sleep pause gap ramp-up think-time" },
	{ 0, "expect-status", "LIST", "statuses that count as accepted (default 2xx)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(expect_status), .parse = parse_status, .once = true, .alters = true,
	  .also = "status-code assert" },
	{ 0, "expect-within", "DURATION", "fail deliveries slower than this", OPTION_DURATION,
	  .offset = AT(expect_within), .least = 1, .alters = true, .also = "expect-time sla" },
	{ 0, "dry-run", "curl", "show what would be sent; =curl: as curl commands", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(dry_run), .parse = parse_dry_run, .once = true, .argument_optional = true, .values = "curl",
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
	  .most = UINT64_MAX, .initial = "unlimited", .also = "fail-fast bail fail failures" },
};
const struct option_group send_results_option_group = OPTION_GROUP("Results", results_rows, 0);
