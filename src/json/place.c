#include "base/utf8.h"
#include "json/located.h"

#include <string.h>

void json_locator_init(struct json_locator *locator, const char *text, size_t length)
{
	*locator = (struct json_locator){ .text = text, .length = length, .place = { .line = 1, .column = 1 } };
}

struct json_place json_locator_find(struct json_locator *locator, size_t offset)
{
	if (offset < locator->at)
		json_locator_init(locator, locator->text, locator->length);
	const char *text = locator->text;
	if (offset > locator->length)
		offset = locator->length;
	const char *line_end;
	while (locator->at < offset && (line_end = memchr(text + locator->at, '\n', offset - locator->at))) {
		locator->at = (size_t)(line_end - text) + 1;
		locator->place.line++;
		locator->place.column = 1;
	}
	while (locator->at < offset) {
		uint32_t code_point;
		size_t size = utf8_decode(text + locator->at, locator->length - locator->at, &code_point);
		if (size > offset - locator->at)
			break;
		locator->at += size > 0 ? size : 1;
		locator->place.column++;
	}
	return locator->place;
}

struct json_place json_place_of(const char *text, size_t length, size_t offset)
{
	struct json_locator locator;
	json_locator_init(&locator, text, length);
	return json_locator_find(&locator, offset);
}
