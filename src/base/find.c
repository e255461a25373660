#include "base/find.h"

#include "base/system.h"

#include <string.h>

/* Every system has these, but glibc declares them for GNU programs only. */
void *memmem(const void *text, size_t length, const void *wanted, size_t wanted_length);
char *strcasestr(const char *text, const char *wanted);

const char *find_text(const char *text, size_t length, const char *wanted, size_t wanted_length)
{
	return memmem(text, length, wanted, wanted_length);
}

const char *find_any_case(const char *text, const char *wanted)
{
	return strcasestr(text, wanted);
}

const char *find_last(const char *text, size_t length, char byte)
{
	return system_find_last(text, byte, length);
}
