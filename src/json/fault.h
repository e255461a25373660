/* Why a text is not JSON, in words. Private to src/json. */
#ifndef CREDHOOK_JSON_FAULT_H
#define CREDHOOK_JSON_FAULT_H

#include <stddef.h>

/* What the grammar expects at the first byte that does not match. */
enum json_expected {
	JSON_EXPECTED_VALUE,
	JSON_EXPECTED_KEY,
	JSON_EXPECTED_COLON,
	JSON_EXPECTED_COMMA_OR_BRACE,
	JSON_EXPECTED_COMMA_OR_BRACKET,
	JSON_EXPECTED_LITERAL, /* the rest of true, false or null */
	JSON_EXPECTED_DIGIT,
	JSON_EXPECTED_STRING, /* the inside of a string, or its end */
	JSON_EXPECTED_ESCAPE, /* the character after a backslash */
	JSON_EXPECTED_HEX,
	JSON_EXPECTED_END,
};

/* The reason for the byte at `offset`, or at the end of the text if offset is its length. A constant. */
const char *json_fault_reason(enum json_expected expected, const char *text, size_t length, size_t offset);

#endif
