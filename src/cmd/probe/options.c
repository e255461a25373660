#include "base/clock.h"
#include "cmd/probe/probe.h"
#include "report/report_format.h"

const char *const test_level_names[] = { "quick", "normal", "deep", NULL };
static const char *const invalid_names[] = { "auto", "reject", "accept", NULL };

#define TEST(field) offsetof(struct test_args, field)
static const struct option check_rows[] = {
	{ 0, "level", "LEVEL", "how many checks to run", OPTION_CHOICE, .offset = TEST(level),
	  .choices = test_level_names, .initial = "normal" },
	{ 0, "skip", "GROUP|ID", "skip a group or a check (repeatable)", OPTION_LIST, COMPLETE_CHECK,
	  .offset = TEST(skip) },
	{ 0, "invalid", "HOW", "what the listener does with invalid payloads", OPTION_CHOICE, .offset = TEST(invalid),
	  .choices = invalid_names },
	{ 0, "expect", "ID=STATUS,...", "statuses that are right for a check (repeatable)", OPTION_LIST, COMPLETE_CHECK,
	  .offset = TEST(expect) },
	{ 0, "observe", "COMMAND", "command that prints how much the listener has stored", OPTION_TEXT,
	  COMPLETE_NOTHING, .offset = TEST(observe) },
	{ 0, "strict", NULL, "fail for a failed 'should' too", OPTION_FLAG, .offset = TEST(strict) },
	{ 0, "list", NULL, "list the checks; send nothing", OPTION_FLAG, .offset = TEST(list) },
	{ 0, "yes", NULL, "do not ask before testing another host", OPTION_FLAG, .offset = TEST(yes) },
	{ 0, "seed", "N", "reproducible payloads (default: random)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = TEST(seed), .parse = make_parse_seed },
};
static const struct option output_rows[] = {
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_CASES "; -: stdout", OPTION_CALL,
	  COMPLETE_CASE_REPORT, .offset = TEST(reports), .parse = report_parse_cases },
	{ 0, "record", "FILE", "append each request and its status as a capture record", OPTION_TEXT, COMPLETE_FILE,
	  .offset = TEST(record) },
};
static const struct option_group checks = OPTION_GROUP("Checks", check_rows, 0);
static const struct option_group outputs = OPTION_GROUP("Output", output_rows, 0);
const struct option_use test_option_uses[TEST_OPTION_USES] = {
	{ &checks, 0 },
	{ &route_option_group, TEST(route) },
	{ &make_edit_option_group, TEST(edits) },
	{ &outputs, 0 },
};
