#include "cmd/secrets.h"

#include <string.h>
#include <strings.h>

static bool contains(const char *name, size_t length, const char *word)
{
	size_t word_length = strlen(word);
	for (size_t i = 0; i + word_length <= length; i++)
		if (strncasecmp(name + i, word, word_length) == 0)
			return true;
	return false;
}

bool secret_is_header(const char *name, size_t length)
{
	static const char *const words[] = { "authorization", "cookie", "token",   "secret",
		                             "password",      "apikey", "api-key", "signature" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (contains(name, length, words[i]))
			return true;
	return false;
}
