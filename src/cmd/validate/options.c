#include "cmd/validate/options.h"

#include "base/worker_pool.h"
#include "cmd/kind.h"

static const char *const format_names[] = { "text", "json", "github", NULL };

static int parse_event(void *field, const char *value, struct error *err)
{
	return kind_find(value, field, err);
}

#define VALIDATE(field) offsetof(struct validate_args, field)
static const struct option input_rows[] = {
	{ 0, "lines", NULL, "read one payload per line", OPTION_FLAG, .offset = VALIDATE(lines) },
	{ 0, "single", NULL, "read one payload per input", OPTION_FLAG, .offset = VALIDATE(single) },
	{ 0, "jobs", "N", "threads (default: one per processor); output in input order", OPTION_NUMBER,
	  .offset = VALIDATE(jobs), .least = 1, .most = WORKER_POOL_THREADS_MAX },
};
static const struct option rule_rows[] = {
	{ 0, "event", "EVENT", "check every payload as this event", OPTION_CALL, COMPLETE_EVENT,
	  .offset = VALIDATE(event), .parse = parse_event },
	{ 0, "strict", NULL, "treat warnings as errors", OPTION_FLAG, .offset = VALIDATE(strict) },
	{ 0, "ignore", "FINDING[:PATH],...", "ignore this finding, anywhere or at PATH (repeatable)", OPTION_CALL,
	  COMPLETE_BREAKAGE_LIST, .offset = VALIDATE(ignored), .parse = ignored_parse },
	{ 0, "expect-invalid", NULL, "succeed if every payload is invalid: for broken fixtures", OPTION_FLAG,
	  .offset = VALIDATE(expect_invalid) },
	{ 0, "require", "EVENT,...|all", "fail unless a valid payload covers each (repeatable)", OPTION_CALL,
	  COMPLETE_EVENT_LIST, .offset = VALIDATE(demand), .parse = coverage_demand_parse },
};
static const struct option output_rows[] = {
	{ 0, "format", "FORMAT", "format of the findings on stdout", OPTION_CHOICE, .offset = VALIDATE(format),
	  .choices = format_names },
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_PAYLOADS "; -: stdout", OPTION_CALL,
	  COMPLETE_REPORT, .offset = VALIDATE(reports), .parse = report_parse_payloads },
	{ 0, "coverage", NULL, "count the payloads of each event and element", OPTION_FLAG,
	  .offset = VALIDATE(coverage) },
};
static const struct option_group inputs = OPTION_GROUP("Inputs", input_rows, 0);
static const struct option_group rules = OPTION_GROUP("Rules", rule_rows, 0);
static const struct option_group outputs = OPTION_GROUP("Output", output_rows, 0);
const struct option_use validate_option_uses[VALIDATE_OPTION_USES] = { { &inputs, 0 }, { &rules, 0 }, { &outputs, 0 } };

void validate_release(void *args)
{
	struct validate_args *a = args;
	ignored_release(&a->ignored);
}

/* One form on stdout: with a report there, no findings for people beside it. */
static int check_reports(struct validate_args *args, struct error *err)
{
	const char *other = args->coverage                    ? "--coverage"
	                    : args->format == VALIDATE_JSON   ? "--format json"
	                    : args->format == VALIDATE_GITHUB ? "--format github"
	                                                      : NULL;
	if (report_wishes_check(&args->reports, other, err) < 0)
		return -1;
	if (report_wishes_stdout(&args->reports))
		args->format = VALIDATE_NOTHING;
	return 0;
}

int validate_check_args(struct validate_args *args, struct error *err)
{
	if (args->global.json)
		args->format = VALIDATE_JSON;
	if (args->lines && args->single)
		return error_set(err, EXIT_CODE_USAGE, "--lines and --single cannot be combined");
	if (args->expect_invalid && args->demand.any)
		return error_set(err, EXIT_CODE_USAGE, "--require and --expect-invalid cannot be combined");
	if (check_reports(args, err) < 0)
		return -1;
	if (args->jobs == 0)
		args->jobs = worker_pool_processors();
	return 0;
}
