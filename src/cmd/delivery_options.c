#include "cmd/delivery_options.h"

#include "base/clock.h"
#include "http/deliver.h"
#include "report/report_format.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CONCURRENCY DELIVER_MAX_CONCURRENCY
#define MOST_RETRIES     1000000

static int parse_status(void *field, const char *value, struct error *err)
{
	struct delivery_options *options = NULL;
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

int delivery_parse_rate(void *field, const char *value, struct error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "/s", 1e9 }, { "/m", 60e9 }, { "/h", 3600e9 } };
	struct delivery_rate *rate = field;
	double number;
	const char *end = read_decimal(value, &number);
	for (size_t i = 0; end && i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].unit) != 0 || number < 1e-3 || number > 1e9)
			continue;
		rate->interval_ns = units[i].ns / number;
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

#define AT(field) offsetof(struct delivery_options, field)
static const struct option route_rows[] = {
	{ 0, "to", "WHERE", "URL, :3000/hook, or an environment (default: sandbox)", OPTION_TEXT, COMPLETE_ENVIRONMENT,
	  .offset = AT(to) },
	{ 'H', "header", "LINE|@FILE", "add a header; @FILE reads it from a file", OPTION_LIST, COMPLETE_AT_FILE,
	  .offset = AT(headers) },
	{ 'k', "insecure", NULL, "do not check the server's certificate", OPTION_FLAG, .offset = AT(insecure) },
	{ 0, "cacert", "FILE", "certificate authorities to trust (PEM)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(cacert) },
	{ 0, "cert", "FILE", "client certificate (PEM)", OPTION_TEXT, COMPLETE_FILE, .offset = AT(cert) },
	{ 0, "key", "FILE", "key of the client certificate (PEM)", OPTION_TEXT, COMPLETE_FILE, .offset = AT(key) },
	{ 0, "connect-to", "HOST1:PORT1:HOST2:PORT2", "connect to HOST2:PORT2 instead of HOST1:PORT1", OPTION_LIST,
	  COMPLETE_NOTHING, .offset = AT(connect_to) },
	{ 0, "unix-socket", "FILE", "connect through a unix socket", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(unix_socket) },
	{ 'x', "proxy", "URL", "use this proxy (never taken from the environment)", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = AT(proxy) },
	{ 'm', "max-time", "DURATION", "timeout of one attempt (0: unlimited)", OPTION_DURATION, .offset = AT(max_time),
	  .initial = "30s" },
	{ 0, "wait", "DURATION", "wait for the listener to accept connections", OPTION_DURATION, .offset = AT(wait) },
};
const struct option_group delivery_route_option_group = OPTION_GROUP("Connection", route_rows, 0);

static const struct option rows[] = {
	{ 0, "allow-production", NULL, "allow protected environments", OPTION_FLAG, .offset = AT(allow_production) },
	{ 0, "allow-unredacted", NULL, "allow unredacted records of protected environments", OPTION_FLAG,
	  .offset = AT(allow_unredacted) },
	{ 0, "concurrency", "N", "concurrent requests (1: in order)", OPTION_NUMBER, .offset = AT(concurrency),
	  .least = 1, .most = MOST_CONCURRENCY, .initial = "1" },
	{ 0, "rate", "N[/s|m|h]", "deliveries to start per second, minute or hour", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = AT(rate), .parse = delivery_parse_rate },
	{ 0, "expect-status", "LIST", "statuses that count as accepted, e.g. 2xx,409 (default 2xx)", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = AT(expect_status), .parse = parse_status },
	{ 0, "expect-within", "DURATION", "fail deliveries slower than this", OPTION_DURATION,
	  .offset = AT(expect_within) },
	{ 0, "dry-run", "curl", "show what would be sent; =curl: as curl commands", OPTION_CALL, COMPLETE_WORD,
	  .offset = AT(dry_run), .parse = parse_dry_run, .argument_optional = true },
};
const struct option_group delivery_option_group = OPTION_GROUP("Delivery", rows, 0);

static const struct option retry_rows[] = {
	{ 0, "retry", "N", "retry 408, 429, 5xx and connection errors N times", OPTION_NUMBER, .offset = AT(retry),
	  .most = MOST_RETRIES },
	{ 0, "retry-delay", "DURATION", "wait before a retry (default 1s, doubled each time)", OPTION_DURATION,
	  .offset = AT(retry_delay), .needs = "retry" },
	{ 0, "retry-unknown", NULL, "retry even if the request may have arrived", OPTION_FLAG,
	  .offset = AT(retry_unknown), .needs = "retry resume failed-only" },
};
const struct option_group delivery_retry_option_group = OPTION_GROUP("Retries", retry_rows, 0);

static const struct option results_rows[] = {
	{ 0, "results", "FILE|-", "write one JSON line per attempt (-: stdout)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(results) },
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_CASES "; -: stdout", OPTION_CALL,
	  COMPLETE_CASE_REPORT, .offset = AT(reports), .parse = report_parse_cases, .excludes = "dry-run" },
	{ 0, "max-failures", "N", "give up after more failures than this", OPTION_NUMBER, .offset = AT(max_failures),
	  .most = UINT64_MAX, .initial = "unlimited" },
};
const struct option_group delivery_results_option_group = OPTION_GROUP("Results", results_rows, 0);

static const struct option again_rows[] = {
	{ 0, "resume", "FILE", "continue the run recorded in FILE", OPTION_TEXT, COMPLETE_FILE, .offset = AT(resume) },
	{ 0, "failed-only", "FILE", "only records that FILE shows as not accepted", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(failed_only), .excludes = "loop" },
	{ 0, "compare", NULL, "report responses whose status differs from the recorded", OPTION_FLAG,
	  .offset = AT(compare) },
};
const struct option_group delivery_again_option_group = OPTION_GROUP("Resuming", again_rows, 0);

int delivery_options_check(const struct delivery_options *o, struct error *err)
{
	if (o->resume && o->results && strcmp(o->resume, o->results) != 0) {
		error_set(err, EXIT_CODE_USAGE, "--resume adds to '%s', so --results cannot be '%s'", o->resume,
		          o->results);
		return error_hint(err, "leave out --results");
	}
	if (o->resume && strcmp(o->resume, "-") == 0)
		return error_set(err, EXIT_CODE_USAGE, "--resume takes a file, not standard input");
	return 0;
}
