#include "json/other_text.h"

#include "base/ascii.h"
#include "base/text.h"

#include <string.h>

/* By the first bytes: the first row that holds. */
static const struct {
	struct text bytes;
	const char *hint;
} beginnings[] = {
	{ TEXT("\xEF\xBB\xBF"), "remove it: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE" },
	{ TEXT("\xFF\xFE"), "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.json" },
	{ TEXT("\xFE\xFF"), "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.json" },
	{ TEXT("{\0"), "it is UTF-16; convert it: iconv -f UTF-16LE -t UTF-8 FILE > FILE.json" },
	{ TEXT("\0{"), "it is UTF-16; convert it: iconv -f UTF-16BE -t UTF-8 FILE > FILE.json" },
	{ TEXT("<"), "it looks like XML or HTML; notifications are JSON" },
	{ TEXT("---"), "if it is YAML, convert it: yq -o json FILE > FILE.json" },
};

const char *json_other_text(const char *text, size_t length, const struct json_fault *fault)
{
	size_t word = 0;
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
		struct text bytes = beginnings[i].bytes;
		if (length >= bytes.length && memcmp(text, bytes.text, bytes.length) == 0)
			return beginnings[i].hint;
	}
	while (word < length && (ascii_is_letter(text[word]) || text[word] == '_'))
		word++;
	if (word > 0 && length - word > 1 && text[word] == ':' && (text[word + 1] == ' ' || text[word + 1] == '\n'))
		return "if it is YAML, convert it: yq -o json FILE > FILE.json";
	if (strcmp(fault->reason, "invalid UTF-8") == 0)
		return "if it is Latin-1, convert it: iconv -f ISO-8859-1 -t UTF-8 FILE > FILE.json";
	return NULL;
}
