#include "json/support.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>

/* An allocation of exactly the text's size, so that a sanitizer sees a read past it. */
static char *exact_copy(const char *text, size_t length)
{
	char *copy = malloc(length > 0 ? length : 1);
	assert_non_null(copy);
	if (length > 0)
		memcpy(copy, text, length);
	return copy;
}

struct accepted {
	const char *text;
	size_t length;
	uint32_t tokens;
};

static const struct accepted accepted[] = {
	/* RFC 8259 section 2: any value is a document, white space around the six structural characters */
	{ BYTES("null"), 1 },
	{ BYTES("true"), 1 },
	{ BYTES("false"), 1 },
	{ BYTES("0"), 1 },
	{ BYTES("\"\""), 1 },
	{ BYTES("[]"), 1 },
	{ BYTES("{}"), 1 },
	{ BYTES(" \t\r\n[ \t\r\n] \t\r\n"), 1 },
	{ BYTES("\n{\n}\n"), 1 },
	{ BYTES(" [ 1 , 2 ] "), 3 },
	{ BYTES(" { \"a\" : 1 , \"b\" : 2 } "), 5 },
	/* section 4 and 5 */
	{ BYTES("{\"a\":1}"), 3 },
	{ BYTES("{\"\":{}}"), 3 },
	{ BYTES("{\"a\":1,\"a\":2}"), 5 },
	{ BYTES("{\"a\":{\"b\":[{\"c\":null}]},\"d\":[]}"), 10 },
	{ BYTES("[[],{},\"\",0,true,false,null]"), 8 },
	{ BYTES("[[[[[]]]],[[]]]"), 7 },
	/* section 6 */
	{ BYTES("-0"), 1 },
	{ BYTES("10"), 1 },
	{ BYTES("-1234567890"), 1 },
	{ BYTES("0.0"), 1 },
	{ BYTES("0.50"), 1 },
	{ BYTES("-0.0e-0"), 1 },
	{ BYTES("1e3"), 1 },
	{ BYTES("1E+3"), 1 },
	{ BYTES("1.25E-03"), 1 },
	{ BYTES("1e999"), 1 },
	{ BYTES("123456789012345678901234567890"), 1 },
	/* section 7 and 8 */
	{ BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), 1 },
	{ BYTES("\"\\u0000\\u001f\\u00e9\\uABCD\\uabcd\""), 1 },
	{ BYTES("\"\\ud83d\\ude00\\uDBFF\\uDFFF\\uD800\\uDC00\""), 1 },
	{ BYTES("\"/\x7F'\""), 1 },
	{ BYTES("\"\xC2\x80\xDF\xBF\""), 1 },
	{ BYTES("\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\""), 1 },
	{ BYTES("\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\""), 1 },
	{ BYTES("\"\xEF\xBB\xBF\""), 1 },
	{ BYTES("\"a string of more than sixteen bytes, \xE2\x82\xAC and on, \\\"quoted\\\", to its end\""), 1 },
};

TEST(test_accepts_what_the_grammar_has)
{
	for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
		RELEASED(json_doc) doc;
		char *text = exact_copy(accepted[i].text, accepted[i].length);
		read_ok(&doc, text, accepted[i].length);
		if (doc.count != accepted[i].tokens)
			fail_msg("'%s': %u tokens", accepted[i].text, doc.count);
		free(text);
	}
}

struct refused {
	const char *text;
	size_t length;
	size_t offset;
	const char *reason; /* a part of it */
};

static const struct refused refused_values[] = {
	{ BYTES(""), 0, "the input is empty" },
	{ BYTES(" \n\t\r "), 5, "white space" },
	{ BYTES("\xEF\xBB\xBF{}"), 0, "BOM" },
	{ BYTES("\xFF\xFE{\0"), 0, "UTF-16" },
	{ BYTES("\xFE\xFF\0{"), 0, "UTF-16" },
	{ BYTES("\xFF\xFE\0\0{\0\0\0"), 0, "UTF-32" },
	{ BYTES("\0\0\xFE\xFF\0\0\0{"), 0, "UTF-32" },
	{ BYTES("{\0}\0"), 1, "control character" },
	{ BYTES("\xEF\xBB"), 0, "not JSON" },
	{ BYTES("[1]\xEF\xBB\xBF"), 3, "text after" },
	{ BYTES("{} {}"), 3, "text after the document" },
	{ BYTES("null\n\n x"), 7, "text after the document" },
	{ BYTES("1 2"), 2, "text after the document" },
	{ BYTES("[1]]"), 3, "text after the document" },
	{ BYTES("\"a\"b"), 3, "text after the document" },
	{ BYTES("nullx"), 4, "text after the document" },
	{ BYTES("null\0"), 4, "control character" },
	{ BYTES("{} // x"), 3, "text after the document" },
	{ BYTES("/* x */ {}"), 0, "this is not JSON" },
	{ BYTES("# x\n{}"), 0, "this is not JSON" },
	{ BYTES("\x0B{}"), 0, "control character" },
	{ BYTES("\x0C{}"), 0, "control character" },
	{ BYTES("\xC2\xA0{}"), 0, "not JSON" },
	{ BYTES("nul"), 3, "ends inside true, false or null" },
	{ BYTES("nux"), 2, "only true, false and null" },
	{ BYTES("tru"), 3, "ends inside true, false or null" },
	{ BYTES("trUe"), 2, "only true, false and null" },
	{ BYTES("fals]"), 4, "only true, false and null" },
	{ BYTES("True"), 0, "this is not JSON" },
	{ BYTES("[FALSE]"), 1, "JSON has false, in lower case" },
	{ BYTES("{\"a\": True}"), 6, "JSON has true, in lower case" },
	{ BYTES("[None"), 1, "JSON has null instead of None" },
	{ BYTES("[NaN,1]"), 1, "JSON has no NaN" },
	{ BYTES("[Infinity]"), 1, "JSON has no Infinity" },
	{ BYTES("[undefined ]"), 1, "JSON has null instead of undefined" },
	{ BYTES("[Trueish]"), 1, "not a value" },
	{ BYTES("{True: 1}"), 1, "a key must be a string" },
	{ BYTES("None"), 0, "this is not JSON" },
	{ BYTES("undefined"), 0, "this is not JSON" },
	{ BYTES("NaN"), 0, "this is not JSON" },
	{ BYTES("nan"), 1, "only true, false and null" },
	{ BYTES("Infinity"), 0, "this is not JSON" },
	{ BYTES("-Infinity"), 1, "a digit is missing" },
	{ BYTES("abc"), 0, "not JSON" },
	{ BYTES("[abc]"), 1, "double quotes" },
	{ BYTES("'a'"), 0, "this is not JSON" },
	{ BYTES("`a`"), 0, "this is not JSON" },
	{ BYTES("\xE2\x80\x9C"
	        "a\xE2\x80\x9D"),
	  0, "this is not JSON" },
	{ BYTES(","), 0, "a value is missing" },
	{ BYTES("]"), 0, "a value is missing" },
};

static const struct refused refused_numbers[] = {
	{ BYTES("01"), 1, "cannot begin with 0" },
	{ BYTES("-01"), 2, "cannot begin with 0" },
	{ BYTES("00"), 1, "cannot begin with 0" },
	{ BYTES("[007]"), 2, "cannot begin with 0" },
	{ BYTES("1."), 2, "the text ends inside a number" },
	{ BYTES("[1.]"), 3, "a digit is missing" },
	{ BYTES("1.e3"), 2, "a digit is missing" },
	{ BYTES("1e"), 2, "the text ends inside a number" },
	{ BYTES("1e+"), 3, "the text ends inside a number" },
	{ BYTES("1e+-2"), 3, "a digit is missing" },
	{ BYTES("1e2.5"), 3, "text after the document" },
	{ BYTES("1.2.3"), 3, "text after the document" },
	{ BYTES("-"), 1, "the text ends inside a number" },
	{ BYTES("--1"), 1, "a digit is missing" },
	{ BYTES("- 1"), 1, "a digit is missing" },
	{ BYTES("+1"), 0, "this is not JSON" },
	{ BYTES(".5"), 0, "this is not JSON" },
	{ BYTES("-.5"), 1, "a digit is missing" },
	{ BYTES("0x10"), 1, "text after the document" },
	{ BYTES("[1_000]"), 2, "a comma or ']' is missing" },
	{ BYTES("[1\xC2\xA0]"), 2, "a comma or ']' is missing" },
};

static const struct refused refused_containers[] = {
	{ BYTES("["), 1, "the text ends where a value is expected" },
	{ BYTES("[1"), 2, "the text ends inside an array" },
	{ BYTES("[1,"), 3, "the text ends where a value is expected" },
	{ BYTES("[1,]"), 3, "a trailing comma" },
	{ BYTES("[1, \n ]"), 6, "a trailing comma" },
	{ BYTES("[,1]"), 1, "a value is missing" },
	{ BYTES("[1,,2]"), 3, "one comma too many" },
	{ BYTES("[1 2]"), 3, "a comma or ']' is missing" },
	{ BYTES("[1}"), 2, "a comma or ']' is missing" },
	{ BYTES("[}"), 1, "a value is missing" },
	{ BYTES("[\"a\":1]"), 4, "a comma or ']' is missing" },
	{ BYTES("[1 // x\n]"), 3, "a comma or ']' is missing" },
	{ BYTES("[\x01]"), 1, "control character outside" },
	{ BYTES("{"), 1, "the text ends inside an object" },
	{ BYTES("{\"a\""), 4, "the text ends inside an object" },
	{ BYTES("{\"a\":"), 5, "the text ends where a value is expected" },
	{ BYTES("{\"a\":1"), 6, "the text ends inside an object" },
	{ BYTES("{\"a\":1,"), 7, "the text ends inside an object" },
	{ BYTES("{\"a\":1,}"), 7, "a trailing comma" },
	{ BYTES("{,}"), 1, "a key is missing" },
	{ BYTES("{:1}"), 1, "a key is missing" },
	{ BYTES("{]"), 1, "a key must be" },
	{ BYTES("{\"a\"}"), 4, "a ':' is missing" },
	{ BYTES("{\"a\" 1}"), 5, "a ':' is missing" },
	{ BYTES("{\"a\"=1}"), 4, "a ':' is missing" },
	{ BYTES("{\"a\":}"), 5, "a value is missing" },
	{ BYTES("{\"a\"::1}"), 5, "a value is missing" },
	{ BYTES("{\"a\":1]"), 6, "a comma or '}' is missing" },
	{ BYTES("{\"a\":1 \"b\":2}"), 7, "a comma or '}' is missing" },
	{ BYTES("{\"a\":1;\"b\":2}"), 6, "a comma or '}' is missing" },
	{ BYTES("{\"a\":1,,\"b\":2}"), 7, "one comma too many" },
	{ BYTES("{a:1}"), 1, "double quotes" },
	{ BYTES("{'a':1}"), 1, "not in single ones" },
	{ BYTES("['a']"), 1, "not in single ones" },
	{ BYTES("{\"a\":1, // b\n\"b\":2}"), 8, "no comments" },
	{ BYTES("[1, /* b */ 2]"), 4, "no comments" },
	{ BYTES("[# b\n1]"), 1, "no comments" },
	{ BYTES("{'a':1}"), 1, "in double quotes" },
	{ BYTES("{1:2}"), 1, "double quotes" },
	{ BYTES("{null:2}"), 1, "double quotes" },
	{ BYTES("{\"a\":1,/* x */\"b\":2}"), 7, "JSON has no comments: leave it out" },
	{ BYTES("{\"a\":[1,2}"), 9, "a comma or ']' is missing" },
};

static const struct refused refused_strings[] = {
	{ BYTES("\""), 1, "the text ends inside a string" },
	{ BYTES("\"abc"), 4, "the text ends inside a string" },
	{ BYTES("\"abcdefghijklmnopqrstuvwxyz"), 27, "the text ends inside a string" },
	{ BYTES("\"a\nb\""), 2, "a raw control character in a string" },
	{ BYTES("\"\0\""), 1, "a raw control character in a string" },
	{ BYTES("\"0123456789abcdefg\x1F\""), 18, "a raw control character in a string" },
	{ BYTES("{\"a\tb\":1}"), 3, "a raw control character in a string" },
	{ BYTES("\"\\"), 2, "the text ends inside a string" },
	{ BYTES("\"\\x\""), 2, "an unknown escape" },
	{ BYTES("\"\\'\""), 2, "an unknown escape" },
	{ BYTES("\"\\U0041\""), 2, "an unknown escape" },
	{ BYTES("\"\\\0\""), 2, "an unknown escape" },
	{ BYTES("\"\\\n\""), 2, "an unknown escape" },
	{ BYTES("\"\\u"), 3, "the text ends inside a string" },
	{ BYTES("\"\\u12"), 5, "the text ends inside a string" },
	{ BYTES("\"\\u12\""), 5, "four hexadecimal digits" },
	{ BYTES("\"\\u12G4\""), 5, "four hexadecimal digits" },
	{ BYTES("\"\\u 123\""), 3, "four hexadecimal digits" },
	{ BYTES("\"\\u123\0\""), 6, "four hexadecimal digits" },
	{ BYTES("\"\\ud800x\""), 1, "a lone surrogate" },
	{ BYTES("\"ab\\ud800\""), 3, "a lone surrogate" },
	{ BYTES("\"\\ud800\\n\""), 1, "a lone surrogate" },
	{ BYTES("\"\\ud800\\u0041\""), 1, "a lone surrogate" },
	{ BYTES("\"\\ud800\\ud800\\udc00\""), 1, "a lone surrogate" },
	{ BYTES("\"\\ud800\\ue000\""), 1, "a lone surrogate" },
	{ BYTES("\"\\ud800\\udbff\""), 1, "a lone surrogate" },
	{ BYTES("\"\\udc00\""), 1, "a lone surrogate" },
	{ BYTES("\"\\ud83d\\ude00\\udfff\""), 13, "a lone surrogate" },
	{ BYTES("\"\\ud800"), 7, "the text ends inside a string" },
	{ BYTES("\"\\ud800\\"), 8, "the text ends inside a string" },
	{ BYTES("\"\\ud800\\u"), 9, "the text ends inside a string" },
	{ BYTES("\"\\ud800\\udc0"), 12, "the text ends inside a string" },
	{ BYTES("\"\\ud800\\uxc00\""), 9, "four hexadecimal digits" },
	{ BYTES("\"\x80\""), 1, "invalid UTF-8" },
	{ BYTES("\"a\xC0\xAF\""), 2, "invalid UTF-8" },
	{ BYTES("\"\xC1\xBF\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xC3\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xC3"), 1, "invalid UTF-8" },
	{ BYTES("\"\xC3\xA9\xC3(\""), 3, "invalid UTF-8" },
	{ BYTES("\"\xE0\x9F\xBF\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xE2\x82\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xED\xA0\x80\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xED\xB0\x80\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xF0\x8F\xBF\xBF\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xF4\x90\x80\x80\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xF5\x80\x80\x80\""), 1, "invalid UTF-8" },
	{ BYTES("\"\xFF\""), 1, "invalid UTF-8" },
	{ BYTES("\"0123456789abcdef0123\xE9t\xE9\""), 21, "invalid UTF-8" },
};

static void check_refused(const struct refused *rows, size_t count)
{
	RELEASED(json_doc) doc;
	doc = JSON_DOC_INIT;
	for (size_t i = 0; i < count; i++) {
		const struct refused *row = &rows[i];
		struct json_fault fault = { 0 };
		char *text = exact_copy(row->text, row->length);
		if (json_read(&doc, text, row->length, &fault))
			fail_msg("'%s' was accepted", row->text);
		if (fault.offset != row->offset || !strstr(fault.reason, row->reason))
			fail_msg("'%s': '%s' at %zu, not '%s' at %zu", row->text, fault.reason, fault.offset,
			         row->reason, row->offset);
		assert_int_equal(doc.count, 0);
		assert_false(json_fault_is_memory(&fault));
		free(text);
	}
}

#define CHECK_REFUSED(rows) check_refused(rows, sizeof(rows) / sizeof((rows)[0]))

TEST(test_refuses_what_is_no_value)
{
	CHECK_REFUSED(refused_values);
}

TEST(test_refuses_broken_numbers)
{
	CHECK_REFUSED(refused_numbers);
}

TEST(test_refuses_broken_containers)
{
	CHECK_REFUSED(refused_containers);
}

TEST(test_refuses_broken_strings)
{
	CHECK_REFUSED(refused_strings);
}

/* A special byte is found wherever it stands in a string: the scan takes 16, 8 and 1 byte at a time. */
TEST(test_finds_a_special_byte_anywhere)
{
	static const char specials[] = { '\0', '\x1F', '\n', '\x80', '\xFF' };
	RELEASED(json_doc) doc;
	doc = JSON_DOC_INIT;
	for (size_t length = 1; length < 70; length++) {
		for (size_t at = 0; at < length * sizeof specials; at++) {
			char plain[80];
			memset(plain, 'a' + (int)(at % 20), sizeof plain);
			plain[0] = plain[length + 1] = '"';
			plain[1 + at % length] = specials[at / length];
			char *text = exact_copy(plain, length + 2);
			struct json_fault fault = { 0 };
			assert_false(json_read(&doc, text, length + 2, &fault));
			assert_int_equal(fault.offset, 1 + at % length);
			free(text);
		}
	}
}

/* Whatever a document is cut to, what is left ends too early, and says so at its end. */
TEST(test_every_beginning_can_be_continued)
{
	static const char whole[] =
	        "{\"a\": [1, -2.5e+3, true, false, null, {}], \"b\\u00e9\\n\": \"\\ud83d\\ude00 x\"}";
	RELEASED(json_doc) doc;
	doc = JSON_DOC_INIT;
	for (size_t length = 0; length < sizeof whole - 1; length++) {
		char *text = exact_copy(whole, length);
		struct json_fault fault = { 0 };
		assert_false(json_read(&doc, text, length, &fault));
		assert_int_equal(fault.offset, length);
		assert_true(strstr(fault.reason, "ends") || length == 0);
		free(text);
	}
}

static bool stops_at_last(const void *context)
{
	unsigned *left = *(unsigned *const *)context;
	return --*left == 0;
}

/* Whatever a long text is made of, the stop is asked within it, and the same table reads the next text. */
TEST(test_can_be_stopped)
{
	static const char *const parts[] = { "[],", "{\"a\":1},", "\"\\n\\n\\n\\n\\n\\n\",",
		                             "\"\xc3\xa4\xc3\xa4\xc3\xa4\"," };
	for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
		RELEASED(json_doc) doc;
		RELEASED(buffer) text = BUFFER_INIT;
		unsigned left, *counter = &left;
		doc = JSON_DOC_INIT;
		buffer_append_byte(&text, '[');
		while (text.length < (size_t)1 << 20)
			buffer_append_text(&text, parts[p]);
		buffer_append_text(&text, "0]");
		doc.stop = (struct json_stop){ stops_at_last, &counter };
		for (unsigned nth = 1; nth <= 4; nth++) {
			struct json_fault fault = { 0 };
			left = nth;
			assert_false(json_read(&doc, text.data, text.length, &fault));
			assert_true(json_fault_is_stopped(&fault) && !json_fault_is_memory(&fault));
			assert_int_equal(left, 0);
			assert_int_equal(doc.count, 0);
		}
		left = UINT_MAX;
		assert_true(json_read(&doc, text.data, text.length, NULL));
		assert_true(UINT_MAX - left >= 4);
		json_doc_release(&doc);
		assert_non_null(doc.stop.is_asked);
	}
	/* One string is enough, of which no character is ASCII. */
	RELEASED(json_doc) doc;
	RELEASED(buffer) text = BUFFER_INIT;
	unsigned left, *counter = &left;
	struct json_fault fault = { 0 };
	doc = JSON_DOC_INIT;
	buffer_append_byte(&text, '"');
	while (text.length < (size_t)1 << 20)
		buffer_append_text(&text, "\xc3\xa4\xe2\x82\xac");
	buffer_append_byte(&text, '"');
	doc.stop = (struct json_stop){ stops_at_last, &counter };
	left = UINT_MAX;
	assert_true(json_read(&doc, text.data, text.length, &fault));
	assert_true(UINT_MAX - left >= 15);
	left = 3;
	assert_false(json_read(&doc, text.data, text.length, &fault));
	assert_true(json_fault_is_stopped(&fault));
}

TEST(test_counts_nesting)
{
	static const char *const pairs[] = { "[]", "{}" };
	for (size_t p = 0; p < 2; p++) {
		RELEASED(json_doc) doc;
		struct json_fault fault = { 0 };
		RELEASED(buffer) text = BUFFER_INIT;
		doc = JSON_DOC_INIT;
		buffer_append_repeat(&text, '[', JSON_DEPTH_MAX - 1);
		buffer_append(&text, pairs[p], 2);
		buffer_append_repeat(&text, ']', JSON_DEPTH_MAX - 1);
		assert_true(json_read(&doc, text.data, text.length, &fault));
		assert_int_equal(doc.count, JSON_DEPTH_MAX);
		buffer_clear(&text);
		buffer_append_text(&text, "[0,");
		buffer_append_repeat(&text, '[', JSON_DEPTH_MAX - 1);
		buffer_append(&text, pairs[p], 2);
		assert_false(json_read(&doc, text.data, text.length, &fault));
		assert_int_equal(fault.offset, 3 + JSON_DEPTH_MAX - 1);
		assert_string_equal(fault.reason, "nesting deeper than 64");
		/* Side by side there may be any number. */
		buffer_clear(&text);
		buffer_append_text(&text, "[0");
		for (int i = 0; i < 1000; i++)
			buffer_append_text(&text, p ? ",{\"a\":[]}" : ",[[]]");
		buffer_append_byte(&text, ']');
		assert_true(json_read(&doc, text.data, text.length, &fault));
	}
}

TEST(test_tokens_say_where_and_what)
{
	static const char text[] = " {\"a\": [1.5, -2e1, 3] , \"\\u0062\":\"x\\n\", \"\":{}, \"n\":null,\"t\":true}";
	static const struct {
		const char *text;
		uint32_t next;
		enum json_token_type type;
		unsigned flags;
	} expected[] = {
		{ "{\"a\": [1.5, -2e1, 3] , \"\\u0062\":\"x\\n\", \"\":{}, \"n\":null,\"t\":true}", 14, JSON_OBJECT,
		  0 },
		{ "\"a\"", 2, JSON_STRING, JSON_KEY },
		{ "[1.5, -2e1, 3]", 6, JSON_ARRAY, 0 },
		{ "1.5", 4, JSON_NUMBER, JSON_FRACTION },
		{ "-2e1", 5, JSON_NUMBER, JSON_EXPONENT },
		{ "3", 6, JSON_NUMBER, 0 },
		{ "\"\\u0062\"", 7, JSON_STRING, JSON_KEY | JSON_ESCAPED },
		{ "\"x\\n\"", 8, JSON_STRING, JSON_ESCAPED },
		{ "\"\"", 9, JSON_STRING, JSON_KEY },
		{ "{}", 10, JSON_OBJECT, 0 },
		{ "\"n\"", 11, JSON_STRING, JSON_KEY },
		{ "null", 12, JSON_NULL, 0 },
		{ "\"t\"", 13, JSON_STRING, JSON_KEY },
		{ "true", 14, JSON_TRUE, 0 },
	};
	RELEASED(json_doc) doc;
	read_ok(&doc, BYTES(text));
	assert_int_equal(doc.count, sizeof expected / sizeof expected[0]);
	for (uint32_t i = 0; i < doc.count; i++) {
		const struct json_token *t = &doc.tokens[i];
		assert_int_equal(t->end - t->start, strlen(expected[i].text));
		assert_memory_equal(text + t->start, expected[i].text, t->end - t->start);
		assert_int_equal(t->next, expected[i].next);
		assert_int_equal(t->type, expected[i].type);
		assert_int_equal(t->flags, expected[i].flags);
	}
}

TEST(test_memory_is_bounded_and_reused)
{
	static const char *const bodies[] = { "1,", "[],", "\"\",", "[1],", "{\"\":1}," };
	struct json_doc doc;
	struct json_fault fault;
	RELEASED(buffer) text = BUFFER_INIT;
	doc = JSON_DOC_INIT;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		buffer_clear(&text);
		buffer_append_repeat(&text, '[', JSON_DEPTH_MAX - 1);
		while (text.length < 100000)
			buffer_append_text(&text, bodies[i]);
		text.length--;
		buffer_append_repeat(&text, ']', JSON_DEPTH_MAX - 1);
		json_doc_release(&doc);
		assert_true(json_read(&doc, text.data, text.length, &fault));
		assert_true(doc.capacity * sizeof *doc.tokens <= 8 * text.length + 1024);
		struct json_token *table = doc.tokens;
		assert_true(json_read(&doc, text.data, text.length, &fault));
		assert_ptr_equal(table, doc.tokens);
	}
	assert_int_equal(sizeof(struct json_token), 16);
	json_doc_release(&doc);
}
