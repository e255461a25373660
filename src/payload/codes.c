#include "payload/codes.h"

#include <string.h>

uint32_t code_next(const struct verdict *verdict, size_t *at, const struct catalog_field **field)
{
	const struct catalog_event *event = verdict->kind.event;
	const struct json_doc *doc = verdict->doc;
	uint32_t details = JSON_NONE;
	for (; event && *at < event->detail_count; (*at)++) {
		const struct catalog_field *detail = event->details[*at].field;
		if (detail->privacy != CATALOG_CODE)
			continue;
		if (details == JSON_NONE)
			details = json_member(doc, 0, "details", strlen("details"));
		uint32_t value = json_member(doc, details, detail->name, detail->name_length);
		if (!json_is(doc, value, JSON_STRING))
			continue;
		(*at)++;
		*field = detail;
		return value;
	}
	return JSON_NONE;
}
