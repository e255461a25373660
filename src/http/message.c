#include "http/message.h"

#include <string.h>
#include <strings.h>

struct text text_of(const char *text)
{
	return (struct text){ text, text ? strlen(text) : 0 };
}

const struct text *message_header(const struct message *message, const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < message->header_count; i++) {
		const struct header *header = &message->headers[i];
		if (header->name.length == length && strncasecmp(header->name.text, name, length) == 0)
			return &header->value;
	}
	return NULL;
}
