#include "report/check_report.h"

#include "report/report_format.h"

#include <string.h>

static void add_junit(struct buffer *out, const struct report_check *check)
{
	buffer_append_text(out, "<testcase");
	report_append_attribute(out, "classname", check->group);
	report_append_attribute(out, "name", check->id);
	report_append_seconds(out, check->ns);
	if (check->message[0] == '\0') {
		buffer_append_text(out, "/>\n");
		return;
	}
	if (check->verdict == REPORT_CHECK_PASSED) {
		buffer_append_text(out, "><system-out>");
		report_append_xml(out, check->message, strlen(check->message));
		buffer_append_text(out, "</system-out></testcase>\n");
		return;
	}
	buffer_append_text(out, check->verdict == REPORT_CHECK_SKIPPED ? "><skipped" : "><failure");
	report_append_attribute(out, "message", check->message);
	if (check->verdict == REPORT_CHECK_FAILED)
		report_append_attribute(out, "type", check->level);
	buffer_append_text(out, "/></testcase>\n");
}

static void add_tap(struct buffer *out, const struct report_check *check)
{
	buffer_append_text(out, check->verdict == REPORT_CHECK_FAILED ? "not ok - " : "ok - ");
	report_append_tap_text(out, check->id);
	if (check->verdict == REPORT_CHECK_SKIPPED)
		buffer_append_text(out, " # SKIP ");
	else if (check->message[0])
		buffer_append_text(out, ": ");
	report_append_tap_text(out, check->message);
	buffer_append_byte(out, '\n');
}

void report_check_add(struct report_check_suite *suite, const struct report_check *check)
{
	suite->count++;
	suite->failed += check->verdict == REPORT_CHECK_FAILED;
	suite->skipped += check->verdict == REPORT_CHECK_SKIPPED;
	suite->ns += check->ns;
	if (suite->tap)
		add_tap(&suite->cases, check);
	else
		add_junit(&suite->cases, check);
}

static void append_counts(const struct report_check_suite *suite, bool skipped, struct buffer *out)
{
	buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\"", suite->count, suite->failed);
	if (skipped)
		buffer_printf(out, " skipped=\"%zu\"", suite->skipped);
	report_append_seconds(out, suite->ns);
	buffer_append_text(out, ">\n");
}

void report_check_end(struct report_check_suite *suite, struct buffer *out)
{
	if (suite->tap) {
		buffer_printf(out, "TAP version 13\n1..%zu\n", suite->count);
	} else {
		buffer_append_text(out,
		                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"credhook test\"");
		append_counts(suite, false, out);
		buffer_append_text(out, "<testsuite name=\"credhook test\"");
		append_counts(suite, true, out);
	}
	buffer_append(out, buffer_text(&suite->cases), suite->cases.length);
	if (!suite->tap)
		buffer_append_text(out, "</testsuite>\n</testsuites>\n");
	out->failed |= suite->cases.failed;
	buffer_release(&suite->cases);
}
