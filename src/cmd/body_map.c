#include "cmd/body_map.h"

void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record)
{
	const struct json_token *token = &doc->tokens[record->body_token];
	*map = (struct body_map){ .text = doc->text + token->start + 1,
		                  .start = token->start + 1,
		                  .end = token->end - 1,
		                  .base64 = record->body_base64 };
}

static unsigned hex_value(const char *digits)
{
	unsigned value = 0;
	for (int i = 0; i < 4; i++) {
		char c = digits[i];
		value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

/* One character of the quoted text: how many bytes it takes there, and how many it stands for. The text was read
 * strictly, so that what begins is whole. */
static size_t step(const char *text, size_t *decoded)
{
	*decoded = 1;
	if (text[0] != '\\')
		return 1;
	if (text[1] != 'u')
		return 2;
	unsigned unit = hex_value(text + 2);
	bool pair = unit >= 0xD800 && unit <= 0xDBFF;
	*decoded = pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
	return pair ? 12 : 6;
}

size_t body_map_offset(void *context, size_t offset, bool keep)
{
	struct body_map *map = context;
	if (map->base64)
		return map->start;
	bool forward = offset >= map->decoded;
	size_t quoted = forward ? map->quoted : 0, decoded = forward ? map->decoded : 0;
	while (decoded < offset && map->start + quoted < map->end) {
		size_t size;
		size_t taken = step(map->text + quoted, &size);
		if (decoded + size > offset)
			break;
		decoded += size;
		quoted += taken;
	}
	if (keep) {
		map->quoted = quoted;
		map->decoded = decoded;
	}
	return map->start + quoted;
}
