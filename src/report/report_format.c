#include "report/report_format.h"

#include "base/nearest.h"

#include <string.h>

static const struct report_format *const formats[] = { &report_junit, &report_sarif, &report_tap, &report_gitlab };
static const size_t format_count = sizeof formats / sizeof formats[0];

const struct report_format *report_format_at(size_t index)
{
	return index < format_count ? formats[index] : NULL;
}

const struct report_format *report_format_named(const char *name, size_t length, bool cases, struct error *err)
{
	struct nearest near;
	const struct report_format *offered[sizeof formats / sizeof formats[0]];
	LOCAL_BUFFER list = BUFFER_INIT;
	size_t count = 0;
	nearest_init(&near, name, length);
	for (size_t i = 0; i < format_count; i++)
		if (!cases || formats[i]->add_case)
			offered[count++] = formats[i];
	for (size_t i = 0; i < count; i++) {
		if (strlen(offered[i]->name) == length && memcmp(offered[i]->name, name, length) == 0)
			return offered[i];
		nearest_offer(&near, offered[i]->name);
		buffer_printf(&list, "%s%s=FILE", i == 0 ? "" : i + 1 == count ? " or " : ", ", offered[i]->name);
	}
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a report of this command", (int)length, name);
	if (nearest_result(&near))
		error_hint(err, "did you mean %s?", nearest_result(&near));
	else
		error_hint(err, "write %s", buffer_text(&list));
	return NULL;
}
