#include "report/report_format.h"

#include "base/nearest.h"

#include <string.h>

static const struct report_format *const formats[] = { &report_junit, &report_sarif, &report_tap };
static const size_t format_count = sizeof formats / sizeof formats[0];

const struct report_format *report_format_at(size_t index)
{
	return index < format_count ? formats[index] : NULL;
}

const struct report_format *report_format_named(const char *name, size_t length, struct error *err)
{
	struct nearest near;
	LOCAL_BUFFER list = BUFFER_INIT;
	nearest_init(&near, name, length);
	for (size_t i = 0; i < format_count; i++) {
		if (strlen(formats[i]->name) == length && memcmp(formats[i]->name, name, length) == 0)
			return formats[i];
		nearest_offer(&near, formats[i]->name);
		buffer_printf(&list, "%s%s=FILE",
		              i == 0                  ? ""
		              : i + 1 == format_count ? " or "
		                                      : ", ",
		              formats[i]->name);
	}
	error_set(err, EXIT_CODE_USAGE, "unknown report '%.*s'", (int)length, name);
	if (nearest_result(&near))
		error_hint(err, "did you mean %s?", nearest_result(&near));
	else
		error_hint(err, "write %s", buffer_text(&list));
	return NULL;
}
