/* Searching in bytes. */
#ifndef CREDHOOK_BASE_FIND_H
#define CREDHOOK_BASE_FIND_H

#include <stddef.h>

/* The first place of `wanted` in the text; NULL: it is not there. */
const char *find_text(const char *text, size_t length, const char *wanted, size_t wanted_length);
/* The same of C strings, in whatever case of ASCII letters. */
const char *find_any_case(const char *text, const char *wanted);
/* The last place of a byte. */
const char *find_last(const char *text, size_t length, char byte);

#endif
