#include "json/support.h"
#include "sanitizers.h"
#include "test.h"

#include <stdio.h>

TEST(test_members_are_found_by_what_they_say)
{
	static const struct {
		const char *text;
		const char *key;
		size_t key_length;
		const char *value; /* NULL: none */
	} rows[] = {
		{ "{\"a\":1,\"b\":2}", BYTES("b"), "2" },
		{ "{\"a\":1,\"b\":2}", BYTES("c"), NULL },
		{ "{\"a\":1,\"b\":2}", BYTES(""), NULL },
		{ "{\"\":1}", BYTES(""), "1" },
		{ "{\"a\":1,\"a\":2,\"b\":3}", BYTES("a"), "2" },
		{ "{\"\\u0061\":1}", BYTES("a"), "1" },
		{ "{\"a\":1,\"\\u0061\":2}", BYTES("a"), "2" },
		{ "{\"a\\u0000b\":1,\"a\":2}", BYTES("a\0b"), "1" },
		{ "{\"a\\u0000b\":1}", BYTES("a"), NULL },
		{ "{\"\\ud83d\\ude00\":1}", BYTES("\xF0\x9F\x98\x80"), "1" },
		{ "{\"a\":{\"x\":1},\"x\":[2]}", BYTES("x"), "[2]" },
		{ "{\"ab\":1}", BYTES("a"), NULL },
		{ "{\"a\\n\":1}", BYTES("a"), NULL },
		{ "[\"a\",1]", BYTES("a"), NULL },
		{ "\"a\"", BYTES("a"), NULL },
		{ "{}", BYTES("a"), NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(json_doc) doc;
		read_ok(&doc, rows[i].text, strlen(rows[i].text));
		uint32_t found = json_member(&doc, 0, rows[i].key, rows[i].key_length);
		assert_true((found == JSON_NONE) == (rows[i].value == NULL));
		if (rows[i].value)
			assert_memory_equal(doc.text + doc.tokens[found].start, rows[i].value, strlen(rows[i].value));
		assert_int_equal(json_member(&doc, JSON_NONE, "a", 1), JSON_NONE);
	}
}

TEST(test_elements_are_found_by_index)
{
	RELEASED(json_doc) doc;
	read_ok(&doc, BYTES("[[1,2],{\"a\":3},\"x\"]"));
	assert_int_equal(json_element(&doc, 0, 0), 1);
	assert_int_equal(json_element(&doc, 0, 1), 4);
	assert_int_equal(json_element(&doc, 0, 2), 7);
	assert_int_equal(json_element(&doc, 0, 3), JSON_NONE);
	assert_int_equal(json_element(&doc, 0, SIZE_MAX), JSON_NONE);
	assert_int_equal(json_element(&doc, 4, 0), JSON_NONE);
	assert_int_equal(json_element(&doc, JSON_NONE, 0), JSON_NONE);
}

TEST(test_strings_are_compared_and_decoded)
{
	static const struct {
		const char *token;
		const char *decoded;
		size_t length;
	} rows[] = {
		{ "\"\"", BYTES("") },
		{ "\"plain\"", BYTES("plain") },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", BYTES("\"\\/\b\f\n\r\t") },
		{ "\"a\\u0000b\"", BYTES("a\0b") },
		{ "\"\\u0041\\u00e9\\u20AC\\uFFFF\"", BYTES("A\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF") },
		{ "\"\\ud83d\\ude00\\uDBFF\\uDFFF!\"", BYTES("\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF!") },
		{ "\"\\ud7ff\\ud800\\udc00\\ue000\"", BYTES("\xED\x9F\xBF\xF0\x90\x80\x80\xEE\x80\x80") },
		{ "\"\\\\u0041\"", BYTES("\\u0041") },
		{ "\"\xC3\xA9\\n\"", BYTES("\xC3\xA9\n") },
	};
	enum { COUNT = sizeof rows / sizeof rows[0] };
	for (size_t i = 0; i < COUNT; i++) {
		RELEASED(json_doc) doc;
		struct buffer decoded = BUFFER_INIT;
		read_ok(&doc, rows[i].token, strlen(rows[i].token));
		json_string_decode(&doc, 0, &decoded);
		assert_int_equal(decoded.length, rows[i].length);
		assert_memory_equal(buffer_text(&decoded), rows[i].decoded, rows[i].length);
		buffer_release(&decoded);
		for (size_t j = 0; j < COUNT; j++)
			assert_int_equal(json_string_is(&doc, 0, rows[j].decoded, rows[j].length), i == j);
		assert_false(json_string_is(&doc, 0, BYTES("another")));
	}
}

TEST(test_places_count_characters)
{
	static const char text[] = "ab\n\xC3\xA9x\r\n\n\xFFy\xE2\x82";
	static const size_t places[][3] = {
		{ 0, 1, 1 },  { 1, 1, 2 },  { 2, 1, 3 },  { 3, 2, 1 }, { 5, 2, 2 },
		{ 6, 2, 3 },  { 7, 2, 4 },  { 8, 3, 1 },  { 9, 4, 1 }, { 10, 4, 2 },
		{ 11, 4, 3 }, { 12, 4, 4 }, { 13, 4, 5 }, { 4, 2, 1 }, /* inside a character: that character */
		{ 99, 4, 5 },                                          /* past the end: the end */
	};
	struct json_locator locator;
	json_locator_init(&locator, BYTES(text));
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		struct json_place fresh = json_place_of(BYTES(text), places[i][0]);
		struct json_place moved = json_locator_find(&locator, places[i][0]);
		assert_int_equal(fresh.line, places[i][1]);
		assert_int_equal(fresh.column, places[i][2]);
		assert_int_equal(moved.line, places[i][1]);
		assert_int_equal(moved.column, places[i][2]);
	}
	struct json_place empty = json_place_of("", 0, 0);
	assert_int_equal(empty.line, 1);
	assert_int_equal(empty.column, 1);
}

struct repeats {
	uint32_t pairs[64][2];
	size_t count;
};

static void note(void *context, uint32_t key, uint32_t earlier)
{
	struct repeats *repeats = context;
	if (repeats->count < 64) {
		repeats->pairs[repeats->count][0] = key;
		repeats->pairs[repeats->count][1] = earlier;
	}
	repeats->count++;
}

static void check_repeats(const char *text, size_t length, const uint32_t (*expected)[2], size_t count)
{
	RELEASED(json_doc) doc;
	struct repeats repeats = { .count = 0 };
	read_ok(&doc, text, length);
	assert_true(json_repeated_keys(&doc, 0, note, &repeats));
	assert_int_equal(repeats.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(repeats.pairs[i][0], expected[i][0]);
		assert_int_equal(repeats.pairs[i][1], expected[i][1]);
	}
}

TEST(test_repeated_keys_are_named_with_the_one_before)
{
	check_repeats(BYTES("{}"), NULL, 0);
	check_repeats(BYTES("[\"a\",\"a\"]"), NULL, 0);
	check_repeats(BYTES("{\"a\":{\"b\":1},\"b\":2}"), NULL, 0);
	check_repeats(BYTES("{\"a\":1,\"b\":2,\"a\":3,\"a\":4,\"b\":5}"),
	              (const uint32_t[][2]){ { 5, 1 }, { 7, 5 }, { 9, 3 } }, 3);
	check_repeats(BYTES("{\"a\":1,\"\\u0061\":2}"), (const uint32_t[][2]){ { 3, 1 } }, 1);
	check_repeats(BYTES("{\"\\u0061\":1,\"a\":2}"), (const uint32_t[][2]){ { 3, 1 } }, 1);
	check_repeats(BYTES("{\"\\u0061\":1,\"\\u0062\":2,\"a\":3}"), (const uint32_t[][2]){ { 5, 1 } }, 1);
	check_repeats(BYTES("{\"\":1,\"\":2}"), (const uint32_t[][2]){ { 3, 1 } }, 1);
	check_repeats(BYTES("{\"a\\u0000b\":1,\"a\\u0000c\":2,\"a\":3}"), NULL, 0);
	/* Same length, same first and last byte. */
	check_repeats(BYTES("{\"axb\":1,\"ayb\":2,\"azb\":3}"), NULL, 0);
}

/* An object of keys out of order, the last of which is there twice, of `count` besides. */
static void read_huge(struct json_doc *doc, struct buffer *text, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buffer_printf(text, "%s\"a long beginning that all the keys share %u\":1", i ? "," : "{",
		              i * 7919 % count);
	buffer_append_text(text, ",\"a long beginning that all the keys share \\u0035\":1}");
	read_ok(doc, text->data, text->length);
}

/* Comparing every pair would take minutes here. At once 65,536 are sorted; the sanitizers see the first. */
TEST(test_repeated_keys_of_a_huge_object)
{
	static const unsigned counts[] = { 4096, 65536, 65535, 131071, 131072, 200000 };
	for (size_t i = 0; i < (IS_SANITIZED ? 1 : sizeof counts / sizeof counts[0]); i++) {
		RELEASED(buffer) text = BUFFER_INIT;
		RELEASED(json_doc) doc;
		struct repeats repeats = { .count = 0 };
		read_huge(&doc, &text, counts[i]);
		assert_true(json_repeated_keys(&doc, 0, note, &repeats));
		assert_int_equal(repeats.count, 1);
		assert_int_equal(repeats.pairs[0][0], 2 * counts[i] + 1);
		const struct json_token *earlier = &doc.tokens[repeats.pairs[0][1]];
		assert_memory_equal(doc.text + earlier->end - 3, " 5\"", 3);
	}
}

static bool stops_at_last(const void *context)
{
	unsigned *left = *(unsigned *const *)context;
	return *left == 0 || --*left == 0;
}

TEST(test_comparing_the_keys_of_a_huge_object_can_be_stopped)
{
	if (IS_SANITIZED) /* each turn takes seconds */
		return;
	RELEASED(buffer) text = BUFFER_INIT;
	RELEASED(json_doc) doc;
	unsigned left = 0, *counter = &left, stopped = 0;
	read_huge(&doc, &text, 131072);
	doc.stop = (struct json_stop){ stops_at_last, &counter };
	for (struct repeats repeats = { .count = 0 }; repeats.count == 0; stopped += repeats.count == 0) {
		left = stopped + 1;
		assert_true(json_repeated_keys(&doc, 0, note, &repeats));
	}
	assert_in_range(stopped, 4, 20); /* three runs, merged twice */
}

TEST(test_strings_are_written_as_json)
{
	static const struct {
		const char *text;
		size_t length;
		const char *written;
	} rows[] = {
		{ BYTES(""), "\"\"" },
		{ BYTES("plain / text"), "\"plain / text\"" },
		{ BYTES("\"\\\b\f\n\r\t"), "\"\\\"\\\\\\b\\f\\n\\r\\t\"" },
		{ BYTES("a\0b\x1F\x7F"), "\"a\\u0000b\\u001f\x7F\"" },
		{ BYTES("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"" },
		{ BYTES("\xFF.\xC3.\xED\xA0\x80"),
		  "\"\xEF\xBF\xBD.\xEF\xBF\xBD.\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
		{ BYTES("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		json_append_string(&out, rows[i].text, rows[i].length);
		assert_buffer(&out, rows[i].written);
	}
	struct buffer out = BUFFER_INIT;
	json_append_string(&out, NULL, 0);
	assert_buffer(&out, "\"\"");
}

/* Long ones too, which are written piece by piece: what is written reads as what it was. */
TEST(test_written_strings_read_the_same)
{
	uint64_t seed = 7;
	static const char *const pieces[] = {
		"a", "\x01", "\"", "\\", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "plain run"
	};
	for (int round = 0; round < 300; round++) {
		RELEASED(buffer) text = BUFFER_INIT, written = BUFFER_INIT, again = BUFFER_INIT;
		RELEASED(json_doc) doc;
		size_t wanted = dice(&seed, 5000);
		while (text.length < wanted)
			buffer_append_text(&text, pieces[dice(&seed, 8)]);
		json_append_string(&written, buffer_text(&text), text.length);
		read_ok(&doc, written.data, written.length);
		json_string_decode(&doc, 0, &again);
		assert_int_equal(again.length, text.length);
		assert_memory_equal(buffer_text(&again), buffer_text(&text), text.length);
	}
}
