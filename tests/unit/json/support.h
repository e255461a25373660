/* What the tests of the json room share. */
#ifndef CREDHOOK_TEST_JSON_SUPPORT_H
#define CREDHOOK_TEST_JSON_SUPPORT_H

#include "json/located.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A text and its length, for texts that hold a NUL. */
#define BYTES(text) (text), sizeof(text) - 1

/* Reads text that the test knows to be JSON. */
static inline void read_ok(struct json_doc *doc, const char *text, size_t length)
{
	struct json_fault fault = { 0 };
	*doc = JSON_DOC_INIT;
	if (!json_read(doc, text, length, &fault))
		fail_msg("'%.*s': %s at %zu", (int)length, text, fault.reason, fault.offset);
}

/* The bytes as a string, for comparing; ends the buffer's life with the test's. */
static inline void assert_buffer(struct buffer *b, const char *expected)
{
	assert_false(b->failed);
	assert_string_equal(buffer_text(b), expected);
	assert_int_equal(b->length, strlen(expected));
	buffer_release(b);
}

/* Small pseudo-random numbers (xorshift), the same in every run. */
static inline uint32_t dice(uint64_t *state, uint32_t sides)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % sides;
}

#endif
