#include "capture/body_map.h"

void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record)
{
	const struct json_token *token = &doc->tokens[record->body_token];
	*map = (struct body_map){ .text = doc->text + token->start + 1,
		                  .start = token->start + 1,
		                  .end = token->end - 1,
		                  .base64 = record->body_base64 };
}

/* The length of one character in the quoted text, and in *decoded its length in the body. The text is valid, so that
 * no escape is incomplete. */
static size_t step(const char *text, size_t *decoded)
{
	char character[4];
	*decoded = 1;
	return *text == '\\' ? (size_t)(json_unescape_one(text, character, decoded) - text) : 1;
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
