/* Where a text is not JSON, and why. */
#include "json/fault.h"

#include "base/utf8.h"
#include "json/located.h"
#include "json/scan.h"

#include <stdbool.h>
#include <string.h>

struct fault_prefix {
	const char *text;
	const char *reason;
};

static const char typographic[] = "typographic quotes are not JSON (write \")";
static const char not_a_number[] = "NaN and Infinity are not JSON";
static const char lower_case[] = "true, false and null are written in lower case";

/* What people write, and other languages allow, where JSON expects a value, a key or the end. */
static const struct fault_prefix foreign[] = {
	{ "'", "single quotes are not JSON (write \")" },
	{ "\xE2\x80\x98", typographic },
	{ "\xE2\x80\x99", typographic },
	{ "\xE2\x80\x9C", typographic },
	{ "\xE2\x80\x9D", typographic },
	{ "//", "comments are not JSON" },
	{ "/*", "comments are not JSON" },
	{ "#", "comments are not JSON" },
};

static const struct fault_prefix foreign_values[] = {
	{ "NaN", not_a_number },
	{ "Infinity", not_a_number },
	{ "-Infinity", not_a_number },
	{ "True", lower_case },
	{ "TRUE", lower_case },
	{ "False", lower_case },
	{ "FALSE", lower_case },
	{ "NULL", lower_case },
	{ "Null", lower_case },
	{ "None", "None is not JSON (write null)" },
	{ "undefined", "undefined is not JSON (write null)" },
	{ "+", "a number cannot start with '+'" },
	{ ".", "a number needs a digit before the '.'" },
	{ "`", "backquotes are not JSON (write \")" },
};

static const struct fault_prefix byte_order_marks[] = {
	{ "\xEF\xBB\xBF", "a byte order mark (BOM) is not allowed" },
	{ "\xFE\xFF", "the text is UTF-16, not UTF-8" },
	{ "\xFF\xFE", "the text is UTF-16, not UTF-8" },
};

static const char *look_up(const struct fault_prefix *rows, size_t count, const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(rows[i].text);
		if (size <= length && memcmp(rows[i].text, text, size) == 0)
			return rows[i].reason;
	}
	return NULL;
}

#define LOOK_UP(rows, text, length) look_up(rows, sizeof(rows) / sizeof((rows)[0]), text, length)

/* The last byte before the offset that is not white space, or 0. */
static char byte_before(const char *text, size_t offset)
{
	while (offset > 0 && json_is_space(text[offset - 1]))
		offset--;
	if (offset == 0)
		return '\0';
	return text[offset - 1];
}

static const char *reason_at_end(enum json_expected expected, const char *text, size_t length)
{
	switch (expected) {
	case JSON_EXPECTED_KEY:
	case JSON_EXPECTED_COLON:
	case JSON_EXPECTED_COMMA_OR_BRACE:
		return "the text ends inside an object";
	case JSON_EXPECTED_COMMA_OR_BRACKET:
		return "the text ends inside an array";
	case JSON_EXPECTED_LITERAL:
		return "the text ends inside true, false or null";
	case JSON_EXPECTED_DIGIT:
		return "the text ends inside a number";
	case JSON_EXPECTED_STRING:
	case JSON_EXPECTED_ESCAPE:
	case JSON_EXPECTED_HEX:
		return "the text ends inside a string";
	case JSON_EXPECTED_VALUE:
	case JSON_EXPECTED_END:
		break;
	}
	if (length == 0)
		return "the input is empty";
	return byte_before(text, length) == '\0' ? "the input contains only white space"
	                                         : "the text ends where a value is expected";
}

static const char *reason_for_value(const char *text, size_t length, size_t offset)
{
	const char *reason = LOOK_UP(foreign_values, text + offset, length - offset);
	char c = text[offset];
	if (reason)
		return reason;
	if (c == ']' || c == '}')
		return byte_before(text, offset) == ',' ? "a trailing comma" : "a value is missing";
	if (c == ',' || c == ':')
		return "a value is missing";
	return byte_before(text, offset) == '\0' ? "this is not JSON" : "not a value (strings need double quotes)";
}

static const char *reason_for_key(const char *text, size_t offset)
{
	if (text[offset] == '}')
		return byte_before(text, offset) == ',' ? "a trailing comma" : "a key is missing";
	if (text[offset] == ',' || text[offset] == ':')
		return "a key is missing";
	return "a key must be a string in double quotes";
}

static const char *reason_for_digit(const char *text, size_t length, size_t offset)
{
	const char *sign = offset > 0 && text[offset - 1] == '-' ? text + offset - 1 : text + offset;
	const char *reason = LOOK_UP(foreign_values, sign, length - (size_t)(sign - text));
	return reason == not_a_number ? reason : "a digit is missing in a number";
}

const char *json_fault_reason(enum json_expected expected, const char *text, size_t length, size_t offset)
{
	if (offset == length)
		return reason_at_end(expected, text, length);
	bool in_word = expected >= JSON_EXPECTED_LITERAL && expected <= JSON_EXPECTED_HEX;
	const char *reason = in_word ? NULL : LOOK_UP(foreign, text + offset, length - offset);
	if (!reason && offset == 0)
		reason = LOOK_UP(byte_order_marks, text, length);
	if (reason)
		return reason;
	if (!in_word && (unsigned char)text[offset] < ' ')
		return "a control character outside a string";
	switch (expected) {
	case JSON_EXPECTED_VALUE:
		return reason_for_value(text, length, offset);
	case JSON_EXPECTED_KEY:
		return reason_for_key(text, offset);
	case JSON_EXPECTED_COLON:
		return "a ':' is missing after a key";
	case JSON_EXPECTED_COMMA_OR_BRACE:
		return "a comma or '}' is missing";
	case JSON_EXPECTED_COMMA_OR_BRACKET:
		return "a comma or ']' is missing";
	case JSON_EXPECTED_LITERAL:
		return "only true, false and null are written without quotes";
	case JSON_EXPECTED_DIGIT:
		return reason_for_digit(text, length, offset);
	case JSON_EXPECTED_STRING:
		return (unsigned char)text[offset] < ' '
		               ? "a raw control character in a string (write \\n, \\t or \\u00XX)"
		               : "invalid UTF-8";
	case JSON_EXPECTED_ESCAPE:
		return "an unknown escape (valid are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)";
	case JSON_EXPECTED_HEX:
		return "\\u requires four hexadecimal digits";
	case JSON_EXPECTED_END:
		break;
	}
	return "text after the document";
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
