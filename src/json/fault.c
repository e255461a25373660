#include "json/fault.h"

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "json/located.h"
#include "json/scan.h"

#include <stdbool.h>
#include <string.h>

/* The last byte before the offset that is not white space, or 0. */
static char byte_before(const char *text, size_t offset)
{
	while (offset > 0 && json_is_space(text[offset - 1]))
		offset--;
	if (offset == 0)
		return '\0';
	return text[offset - 1];
}

const char json_trailing_comma[] = "a trailing comma";
const char json_after_document[] = "text after the document";

/* What to say by what is expected: where the text ends, and where another byte is. NULL: it depends on more. */
static const struct {
	const char *at_end, *here;
} reasons[] = {
	[JSON_EXPECTED_KEY] = { "the text ends inside an object", NULL },
	[JSON_EXPECTED_COLON] = { "the text ends inside an object", "a ':' is missing after a key" },
	[JSON_EXPECTED_COMMA_OR_BRACE] = { "the text ends inside an object", "a comma or '}' is missing" },
	[JSON_EXPECTED_COMMA_OR_BRACKET] = { "the text ends inside an array", "a comma or ']' is missing" },
	[JSON_EXPECTED_LITERAL] = { "the text ends inside true, false or null",
	                            "only true, false and null are written without quotes" },
	[JSON_EXPECTED_DIGIT] = { "the text ends inside a number", "a digit is missing in a number" },
	[JSON_EXPECTED_STRING] = { "the text ends inside a string", NULL },
	[JSON_EXPECTED_ESCAPE] = { "the text ends inside a string",
	                           "an unknown escape (valid are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)" },
	[JSON_EXPECTED_HEX] = { "the text ends inside a string", "\\u requires four hexadecimal digits" },
	[JSON_EXPECTED_END] = { NULL, json_after_document },
};

/* Values of other languages: their programs print them so. In double quotes they would be text. */
static const struct {
	struct text word;
	const char *reason;
} foreign[] = {
	{ TEXT("True"), "JSON has true, in lower case" },
	{ TEXT("TRUE"), "JSON has true, in lower case" },
	{ TEXT("False"), "JSON has false, in lower case" },
	{ TEXT("FALSE"), "JSON has false, in lower case" },
	{ TEXT("None"), "JSON has null instead of None" },
	{ TEXT("NULL"), "JSON has null, in lower case" },
	{ TEXT("Null"), "JSON has null, in lower case" },
	{ TEXT("undefined"), "JSON has null instead of undefined; or leave the key out" },
	{ TEXT("NaN"), "JSON has no NaN: leave the key out, or write null" },
	{ TEXT("Infinity"), "JSON has no Infinity: leave the key out, or write null" },
};

/* NULL: it is none of them. */
static const char *reason_for_foreign(const char *text, size_t length)
{
	size_t word = 0;
	while (word < length && (ascii_is_letter(text[word]) || ascii_is_digit(text[word]) || text[word] == '_'))
		word++;
	for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		if (word == foreign[i].word.length && memcmp(text, foreign[i].word.text, word) == 0)
			return foreign[i].reason;
	return NULL;
}

/* Where a value or a key has to be. */
static const char *reason_for_absence(bool is_key, const char *text, size_t length, size_t offset)
{
	char c = text[offset], before = byte_before(text, offset);
	const char *reason = is_key || before == '\0' ? NULL : reason_for_foreign(text + offset, length - offset);
	if (reason)
		return reason;
	if (c == '}' || (c == ']' && !is_key))
		return before == ',' ? json_trailing_comma : is_key ? "a key is missing" : "a value is missing";
	if (c == ',' && before == ',')
		return "one comma too many";
	if (c == ',' || c == ':')
		return is_key ? "a key is missing" : "a value is missing";
	if (c == '\'' && before != '\0')
		return "strings and keys are in double quotes, not in single ones";
	if (c == '#' || (c == '/' && offset + 1 < length && strchr("/*", text[offset + 1])))
		return before == '\0' ? "this is not JSON" : "JSON has no comments: leave it out";
	if (is_key)
		return "a key must be a string in double quotes";
	return before == '\0' ? "this is not JSON" : "not a value (strings need double quotes)";
}

const char *json_fault_reason(enum json_expected expected, const char *text, size_t length, size_t offset)
{
	if (length == 0)
		return "the input is empty";
	if (offset == length && reasons[expected].at_end)
		return reasons[expected].at_end;
	if (offset == length)
		return byte_before(text, length) == '\0' ? "the input contains only white space"
		                                         : "the text ends where a value is expected";
	bool in_word = expected >= JSON_EXPECTED_LITERAL && expected <= JSON_EXPECTED_HEX;
	bool is_control = (unsigned char)text[offset] < ' ';
	if (offset == 0 && length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		return "a byte order mark (BOM) is not allowed";
	if (offset == 0 && length >= 4 &&
	    (memcmp(text, "\xFF\xFE\0\0", 4) == 0 || memcmp(text, "\0\0\xFE\xFF", 4) == 0))
		return "the text is UTF-32, not UTF-8";
	if (offset == 0 && length >= 2 && (memcmp(text, "\xFE\xFF", 2) == 0 || memcmp(text, "\xFF\xFE", 2) == 0))
		return "the text is UTF-16, not UTF-8";
	if (!in_word && is_control)
		return "a control character outside a string";
	if (expected == JSON_EXPECTED_VALUE || expected == JSON_EXPECTED_KEY)
		return reason_for_absence(expected == JSON_EXPECTED_KEY, text, length, offset);
	if (expected == JSON_EXPECTED_STRING)
		return is_control ? "a raw control character in a string (write \\n, \\t or \\u00XX)" : "invalid UTF-8";
	return reasons[expected].here;
}

void json_locator_init(struct json_locator *locator, const char *text, size_t length)
{
	*locator = (struct json_locator){ .text = text, .length = length, .place = { .line = 1, .column = 1 } };
}

struct json_place json_locator_find(struct json_locator *locator, size_t offset)
{
	if (offset < locator->at)
		json_locator_init(locator, locator->text, locator->length);
	const char *text = locator->text;
	if (offset > locator->length)
		offset = locator->length;
	const char *line_end;
	while (locator->at < offset && (line_end = memchr(text + locator->at, '\n', offset - locator->at))) {
		locator->at = (size_t)(line_end - text) + 1;
		locator->place.line++;
		locator->place.column = 1;
	}
	while (locator->at < offset) {
		uint32_t code_point;
		size_t size = utf8_decode(text + locator->at, locator->length - locator->at, &code_point);
		if (size > offset - locator->at)
			break;
		locator->at += size > 0 ? size : 1;
		locator->place.column++;
	}
	return locator->place;
}

struct json_place json_place_of(const char *text, size_t length, size_t offset)
{
	struct json_locator locator;
	json_locator_init(&locator, text, length);
	return json_locator_find(&locator, offset);
}
