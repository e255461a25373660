#include "cmd/report_options.h"

#include "report/report_format.h"

#include <string.h>

static int parse(struct report_wishes *wishes, const char *offered, const char *text, struct error *err)
{
	size_t length = strcspn(text, "=");
	const struct report_format *format = report_format_named(offered, text, length, err);
	if (!format)
		return -1;
	if (text[length] != '=' || text[length + 1] == '\0') {
		error_set(err, EXIT_CODE_USAGE, "'%s' has no file name", text);
		return error_hint(err, "write %s=FILE", format->name);
	}
	if (wishes->count == REPORTS_MAX)
		return error_set(err, EXIT_CODE_USAGE, "more than %d reports", REPORTS_MAX);
	wishes->list[wishes->count++] = (struct report_wish){ format, text + length + 1 };
	return 0;
}

int report_parse_payloads(void *wishes, const char *text, struct error *err)
{
	return parse(wishes, REPORTS_OF_PAYLOADS, text, err);
}

int report_parse_cases(void *wishes, const char *text, struct error *err)
{
	return parse(wishes, REPORTS_OF_CASES, text, err);
}

bool report_wishes_stdout(const struct report_wishes *wishes)
{
	for (size_t i = 0; i < wishes->count; i++)
		if (strcmp(wishes->list[i].path, "-") == 0)
			return true;
	return false;
}

int report_wishes_check(const struct report_wishes *wishes, const char *other, struct error *err)
{
	for (size_t i = 0; i < wishes->count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(wishes->list[i].path, wishes->list[j].path) == 0)
				return error_set(err, EXIT_CODE_USAGE, "two reports write to '%s'",
				                 wishes->list[i].path);
	if (!other || !report_wishes_stdout(wishes))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "a report and %s both write to stdout", other);
	return error_hint(err, "write the report to a file");
}
