#include "cmd/args/typed_word.h"

#include "base/text.h"
#include "capture/source.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_there(const char *word)
{
	return access(word, F_OK) == 0;
}

bool word_is_data(const char *word)
{
	return source_type_of_name(word) != SOURCE_DETECT;
}

bool word_is_folder(const char *word)
{
	struct stat status;
	return stat(word, &status) == 0 && S_ISDIR(status.st_mode);
}

bool word_is_file(const char *word)
{
	return word_is_data(word) || is_there(word);
}

bool word_is_number(const char *word)
{
	bool names_any = false;
	for (const char *at = word;;) {
		at += *at == '#';
		size_t name = strncmp(at, "first", 5) == 0 ? 5 : strncmp(at, "last", 4) == 0 ? 4 : 0;
		size_t length = name > 0 ? name : strspn(at, "0123456789");
		at += length;
		size_t sign = *at == ',' ? 1 : range_sign_length(at, strlen(at));
		names_any |= length > 0;
		if (sign == 0)
			return *at == '\0' && names_any;
		at += sign;
	}
}
