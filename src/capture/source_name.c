/* The kind of an input by its name. */
#include "capture/source_input.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t end_length = strlen(end);
	return length >= end_length && strncasecmp(text + length - end_length, end, end_length) == 0;
}

bool source_input_names_gzip(const char *name)
{
	return ends_with(name, strlen(name), ".gz");
}

enum source_kind source_kind_of_name(const char *path)
{
	size_t length = strlen(path);
	if (source_input_names_gzip(path))
		length -= 3;
	if (ends_with(path, length, ".json"))
		return SOURCE_SINGLE;
	return ends_with(path, length, ".ndjson") || ends_with(path, length, ".jsonl") ? SOURCE_LINES : SOURCE_DETECT;
}
