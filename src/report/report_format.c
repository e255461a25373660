#include "report/report_format.h"

#include "base/text.h"

#include <string.h>

static const struct report_format *format_at(bool of_cases, size_t index)
{
	static const struct report_format *const formats[] = { REPORT_FORMATS };
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if ((formats[i]->holds_cases || !of_cases) && index-- == 0)
			return formats[i];
	return NULL;
}

const struct report_format *report_format_named(bool of_cases, const char *name, size_t length, struct error *err)
{
	struct nearest near;
	const struct report_format *format;
	LOCAL_BUFFER list = BUFFER_INIT;
	nearest_init(&near, name, length);
	for (size_t i = 0; (format = format_at(of_cases, i)); i++) {
		if (strlen(format->name) == length && memcmp(format->name, name, length) == 0)
			return format;
		nearest_offer(&near, format->name);
		buffer_printf(&list, "%s%s=FILE",
		              i == 0                       ? ""
		              : format_at(of_cases, i + 1) ? ", "
		                                           : " or ",
		              format->name);
	}
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a report of this command", (int)length, name);
	if (nearest_result(&near))
		error_hint(err, "did you mean %s?", nearest_result(&near));
	else
		error_hint(err, "write %s", buffer_text(&list));
	return NULL;
}
