/* Documents are written anew without a digit or a character lost, in each style and patched. */
#include "json/pointer.h"
#include "json/print.h"
#include "json/support.h"
#include "test.h"

TEST(values_are_printed_as_they_were_read)
{
	static const struct {
		enum json_style style;
		const char *text, *printed; /* printed NULL: as the text */
	} rows[] = {
		{ JSON_COMPACT, "null", NULL },
		{ JSON_COMPACT, "[]", NULL },
		{ JSON_COMPACT, "{}", NULL },
		{ JSON_COMPACT, "{\"a\":1,\"b\":[true,false,null,\"x\"],\"c\":{\"d\":{}}}", NULL },
		{ JSON_COMPACT, "\"a/b \xC3\xA9 \xF0\x9F\x98\x80 \\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\"", NULL },
		{ JSON_COMPACT, "[-0,9223372036854775808,123456789012345678901234567890]", NULL },
		{ JSON_COMPACT, "[1.0,1.50,-0.0,1e3,1E+3,0.1e-7,1e999,3.14159265358979323846264338327950288]", NULL },
		{ JSON_COMPACT, " { \"\\u0061\" : [ 1 , 2 ] , \"a\" : \"\\/\" } ", "{\"a\":[1,2],\"a\":\"/\"}" },
		{ JSON_PRETTY, "{\"a\":1,\"b\":[true,{\"c\":null}],\"d\":[],\"e\":{}}",
		  "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    {\n      \"c\": null\n    }\n  ],\n  \"d\": [],\n"
		  "  \"e\": {}\n}" },
		{ JSON_PRETTY, "null", NULL },
		{ JSON_REVERSED, "{\"a\":1,\"b\":[1,{\"c\":2,\"d\":{}}],\"a\":3}",
		  "{\"a\":3,\"b\":[1,{\"d\":{},\"c\":2}],\"a\":1}" },
		{ JSON_ESCAPED_STRINGS, "{\"\xC3\xA9\":[\"\\\"\xF0\x9F\x98\x80\",1]}",
		  "{\"\\u00e9\":[\"\\u0022\\ud83d\\ude00\",1]}" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		RELEASED(json_doc) doc;
		read_ok(&doc, rows[i].text, strlen(rows[i].text));
		json_print(&doc, 0, rows[i].style, &out);
		assert_buffer(&out, rows[i].printed ? rows[i].printed : rows[i].text);
	}
}

TEST(a_part_is_printed_and_what_is_no_json_is_not)
{
	struct buffer out = BUFFER_INIT;
	RELEASED(json_doc) doc;
	read_ok(&doc, BYTES("{\"a\":[1,{\"b\":2}]}"));
	assert_false(json_pretty("{", 1, &out));
	json_print(&doc, json_resolve(&doc, "/a/1"), JSON_COMPACT, &out);
	assert_buffer(&out, "{\"b\":2}");
}

struct merge_case {
	const char *original;
	const char *patch;
	const char *result;
};

static const struct merge_case merges[] = {
	/* RFC 7396, appendix A */
	{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
	{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
	{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
	{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
	{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
	{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
	{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
	{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
	{ "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
	{ "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
	{ "{\"a\":\"foo\"}", "null", "null" },
	{ "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
	{ "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
	{ "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
	{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
	/* the example of its section 3, and the corners */
	{ "{\"title\":\"Goodbye!\",\"author\":{\"givenName\":\"John\",\"familyName\":\"Doe\"},\"tags\":[\"example\","
	  "\"sample\"],"
	  "\"content\":\"This will be unchanged\"}",
	  "{\"title\":\"Hello!\",\"phoneNumber\":\"+01-123-456-7890\",\"author\":{\"familyName\":null},\"tags\":["
	  "\"example\"]}",
	  "{\"title\":\"Hello!\",\"author\":{\"givenName\":\"John\"},\"tags\":[\"example\"],"
	  "\"content\":\"This will be unchanged\",\"phoneNumber\":\"+01-123-456-7890\"}" },
	{ "{}", "{}", "{}" },
	{ "null", "{}", "{}" },
	{ "null", "null", "null" },
	{ "{\"a\":null}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}" },
	{ "{\"a\":5}", "{\"a\":{}}", "{\"a\":{}}" },
	{ "{\"a\":1}", "{\"a\":1.50}", "{\"a\":1.50}" },
	{ "{\"a\":1,\"\\u0061\":2}", "{\"a\":3,\"a\":4,\"b\":5,\"b\":6}", "{\"a\":4,\"b\":6}" },
	{ "{\"b\":1,\"a\":1,\"b\":{\"c\":1,\"d\":2},\"a\":2}", "{\"b\":{\"c\":3}}",
	  "{\"b\":{\"c\":3,\"d\":2},\"a\":2}" },
	{ "{}", "{\"a\":[null,{\"b\":null},12345678901234567890]}",
	  "{\"a\":[null,{\"b\":null},12345678901234567890]}" },
};

TEST(a_merge_patch_is_applied)
{
	for (size_t i = 0; i < sizeof merges / sizeof merges[0]; i++) {
		RELEASED(json_doc) doc, patch;
		struct buffer out = BUFFER_INIT;
		read_ok(&doc, merges[i].original, strlen(merges[i].original));
		read_ok(&patch, merges[i].patch, strlen(merges[i].patch));
		json_merge_patch(&doc, &patch, &out);
		assert_buffer(&out, merges[i].result);
	}
}
