#include "cmd/args/typed_word.h"

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
	const char *at = word + strspn(word, "0123456789,-");
	while (strncmp(at, "first", 5) == 0 || strncmp(at, "last", 4) == 0) {
		at += *at == 'f' ? 5 : 4;
		at += strspn(at, "0123456789,-");
	}
	return *at == '\0' && *word != '\0' && strcmp(word, "-") != 0;
}

bool word_as_numbers(const char *word, struct buffer *out)
{
	bool ends = false; /* behind a digit */
	for (const char *at = word + (*word == '#'); *at; at++) {
		size_t dots = strspn(at, ".:");
		bool is_digit = *at >= '0' && *at <= '9';
		if (!is_digit && (!ends || (dots == 0 && !strchr(",-", *at)) || dots > 3))
			return false;
		buffer_append_byte(out, dots > 0 ? '-' : *at);
		at += dots > 0 ? dots - 1 : 0;
		ends = is_digit;
	}
	return out->length > 0;
}
