#include "json/other_text.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/text.h"

#include <string.h>

#define FROM_UTF16 "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.json"
#define IS_UTF16   "the body is UTF-16; JSON is sent in UTF-8"
#define FROM_UTF32 "convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.json"
#define IS_UTF32   "the body is UTF-32; JSON is sent in UTF-8"
#define IS_YAML    "it looks like YAML; notifications are JSON"

/* What is said where the document is a file; in a later line, where the file is cut up at its line ends; and of what
 * was received. NULL: nothing. */
struct other {
	const char *file, *line, *received;
};

/* By the first bytes: the first row that holds. */
static const struct {
	struct text bytes;
	struct other other;
} beginnings[] = {
	{ TEXT("\xEF\xBB\xBF"),
	  { "remove it: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE", "remove it: sed -i 's/^\\xEF\\xBB\\xBF//' FILE",
	    "the body begins with a byte order mark; it is sent without one" } },
	{ TEXT("\xFF\xFE\0\0"), { FROM_UTF32, NULL, IS_UTF32 } },
	{ TEXT("\0\0\xFE\xFF"), { FROM_UTF32, NULL, IS_UTF32 } },
	{ TEXT("{\0\0\0"),
	  { "it is UTF-32; convert it: iconv -f UTF-32LE -t UTF-8 FILE > FILE.json", NULL, IS_UTF32 } },
	{ TEXT("\0\0\0{"),
	  { "it is UTF-32; convert it: iconv -f UTF-32BE -t UTF-8 FILE > FILE.json", NULL, IS_UTF32 } },
	{ TEXT("\xFF\xFE"), { FROM_UTF16, NULL, IS_UTF16 } },
	{ TEXT("\xFE\xFF"), { FROM_UTF16, NULL, IS_UTF16 } },
	{ TEXT("{\0"), { "it is UTF-16; convert it: iconv -f UTF-16LE -t UTF-8 FILE > FILE.json", NULL, IS_UTF16 } },
	{ TEXT("\0{"), { "it is UTF-16; convert it: iconv -f UTF-16BE -t UTF-8 FILE > FILE.json", NULL, IS_UTF16 } },
	{ TEXT("\x1F\x8B"), { NULL, NULL, "the body is compressed (gzip)" } },
	{ TEXT("<"),
	  { "it looks like XML or HTML; notifications are JSON", "it looks like XML or HTML; notifications are JSON",
	    "the body looks like XML or HTML; notifications are JSON" } },
	{ TEXT("---"), { IS_YAML, NULL, "the body looks like YAML; notifications are JSON" } },
};

static const struct other multipart = { "it is multipart/form-data; notifications are JSON alone", NULL,
	                                "the body is multipart/form-data; notifications are JSON alone" };
static const struct other form = { "it is a form (application/x-www-form-urlencoded); notifications are JSON alone",
	                           "it is a form (application/x-www-form-urlencoded); notifications are JSON alone",
	                           "the body is a form (application/x-www-form-urlencoded); notifications are JSON "
	                           "alone" };
static const struct other yaml = { IS_YAML, NULL, "the body looks like YAML; notifications are JSON" };
static const struct other latin_1 = { "if it is Latin-1, convert it: iconv -f ISO-8859-1 -t UTF-8 FILE > FILE.json",
	                              "the line is not UTF-8; it may be Latin-1",
	                              "the body is not UTF-8; it may be Latin-1" };

/* No line for a shell: whatever looks for commas finds those in strings, too, and jq does not read such text. */
static const struct other comma = { "remove the comma before it", "remove the comma before it", NULL };

static const struct other *other_of(const char *text, size_t length, const struct json_fault *fault)
{
	static const char part[] = "Content-Disposition:";
	size_t word = 0;
	if (length > 2 && memcmp(text, "--", 2) == 0 && find_text(text, length, part, sizeof part - 1))
		return &multipart;
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
		struct text bytes = beginnings[i].bytes;
		if (length >= bytes.length && memcmp(text, bytes.text, bytes.length) == 0)
			return &beginnings[i].other;
	}
	while (word < length && (ascii_is_letter(text[word]) || text[word] == '_'))
		word++;
	if (word > 0 && length - word > 1 && text[word] == ':' && (text[word + 1] == ' ' || text[word + 1] == '\n'))
		return &yaml;
	if (word > 0 && length - word > 1 && text[word] == '=' && !memchr(text, '\n', length))
		return &form;
	if (strcmp(fault->reason, json_trailing_comma) == 0)
		return &comma;
	return strcmp(fault->reason, "invalid UTF-8") == 0 ? &latin_1 : NULL;
}

const char *json_other_text(const char *text, size_t length, const struct json_fault *fault, enum json_depth depth)
{
	const struct other *other = other_of(text, length, fault);
	if (!other || depth == JSON_RECEIVED)
		return other ? other->received : NULL;
	/* One line does not show in which encoding the others are. */
	bool is_whole = depth == JSON_WHOLE || (depth == JSON_FIRST && other != &latin_1);
	return is_whole ? other->file : other->line;
}
