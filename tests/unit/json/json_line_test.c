/* NDJSON on stdout: whatever the text, it reads back the same and a terminal obeys none of it. */
#include "base/utf8.h"
#include "json/json_line.h"
#include "json/located.h"
#include "json/pointer.h"
#include "test.h"

#include <math.h>
#include <string.h>

TEST(characters_are_shown_or_escaped)
{
	static const struct {
		const char *text, *string;
	} rows[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "\x1B[31m\n\"\\", "\"\\u001b[31m\\n\\\"\\\\\"" },
		{ "\x7F", "\"\\u007f\"" },
		{ "a\xC2\x9B"
		  "31mX",
		  "\"a\\u009b31mX\"" },
		{ "\xE2\x80\xAE\xE2\x80\xA8\xEF\xBB\xBF", "\"\\u202e\\u2028\\ufeff\"" },
		{ "\xC2\xAD\xE3\x85\xA4\xF3\xA0\x80\x81\xF3\xA0\x81\xBF",
		  "\"\\u00ad\\u3164\\udb40\\udc01\\udb40\\udc7f\"" },
		{ "caf\xC3\xA9 \xF0\x9F\x98\x80", "\"caf\xC3\xA9 \xF0\x9F\x98\x80\"" },
		{ "bad \xFF", "\"bad \xEF\xBF\xBD\"" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		json_line_string(&out, rows[i].text, strlen(rows[i].text));
		assert_string_equal(buffer_text(&out), rows[i].string);
	}
}

TEST(decimals_that_are_not_a_number_are_null)
{
	RELEASED(buffer) out = BUFFER_INIT;
	json_line_begin(&out);
	json_line_decimal(&out, "a", 0);
	json_line_decimal(&out, "b", -1.2345);
	json_line_decimal(&out, "c", (double)NAN);
	json_line_finish(&out);
	assert_string_equal(buffer_text(&out), "{\"a\":0.000,\"b\":-1.234,\"c\":null}\n");
}

/* All of Unicode, as key and value of a member. */
TEST(every_character_reads_back)
{
	for (uint32_t c = 0; c <= 0x10FFFF; c++) {
		char text[4];
		RELEASED(buffer) out = BUFFER_INIT, read = BUFFER_INIT;
		struct json_doc doc;
		struct json_fault fault;
		if ((c >= 0xD800 && c <= 0xDFFF) || (c > 0x3000 && c < 0xF000) || (c > 0x20000 && c % 997 != 0))
			continue;
		size_t length = utf8_encode(c, text);
		json_line_begin(&out);
		json_line_bytes(&out, "k", text, length);
		json_line_end(&out);
		doc = JSON_DOC_INIT;
		if (!json_read(&doc, buffer_text(&out), out.length, &fault))
			fail_msg("U+%04X: %s", (unsigned)c, buffer_text(&out));
		json_string_decode(&doc, json_resolve(&doc, "/k"), &read);
		assert_int_equal(read.length, length);
		assert_memory_equal(read.data, text, length);
		for (size_t at = 0; at < out.length;) {
			uint32_t seen = 0;
			at += utf8_decode(out.data + at, out.length - at, &seen);
			assert_false(utf8_is_unsafe(seen));
		}
		json_doc_release(&doc);
	}
}
