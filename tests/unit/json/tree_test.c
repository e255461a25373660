#include "json/support.h"
#include "json/tree.h"
#include "test.h"

#include <json-c/json_object.h>
#include <math.h>

static struct json_object *parse(const char *text)
{
	struct json_object *tree;
	struct error err = { 0 };
	if (tree_parse(text, strlen(text), "test", &tree, &err) != 0)
		fail_msg("%s: %s", text, err.message);
	return tree;
}

static void assert_prints(struct json_object *tree, enum tree_style style, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	tree_append_text(tree, style, &out);
	assert_buffer(&out, expected);
}

TEST(test_compact_text_comes_back_as_it_was)
{
	static const char *const texts[] = {
		"null",
		"true",
		"false",
		"\"\"",
		"[]",
		"{}",
		"{\"a\":1,\"b\":[true,false,null,\"x\"],\"c\":{\"d\":{}}}",
		"{\"\":\"\"}",
		"\"a/b \xC3\xA9 \xF0\x9F\x98\x80 \\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\"",
		/* numbers, digit for digit */
		"[0,-1,9223372036854775807,-9223372036854775808]",
		"[-0,9223372036854775808,-9223372036854775809,18446744073709551616,123456789012345678901234567890]",
		"[1.0,1.50,-0.0,1e3,1E+3,0.1e-7,1e999,-1e999,3.14159265358979323846264338327950288]",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct json_object *tree = parse(texts[i]);
		assert_prints(tree, TREE_COMPACT, texts[i]);
		json_object_put(tree);
	}
}

TEST(test_values_are_what_the_text_says)
{
	struct json_object *tree =
	        parse("{\"i\":-7,\"d\":2.5,\"big\":1e999,\"s\":\"a\\u0000b\",\"t\":true,\"n\":null}");
	struct json_object *value;
	assert_true(json_object_object_get_ex(tree, "i", &value));
	assert_int_equal(json_object_get_type(value), json_type_int);
	assert_int_equal(json_object_get_int64(value), -7);
	assert_true(json_object_object_get_ex(tree, "d", &value));
	assert_int_equal(json_object_get_type(value), json_type_double);
	assert_true(json_object_get_double(value) > 2.4 && json_object_get_double(value) < 2.6);
	assert_true(json_object_object_get_ex(tree, "big", &value));
	assert_true(isinf(json_object_get_double(value)));
	assert_true(json_object_object_get_ex(tree, "s", &value));
	assert_int_equal(json_object_get_string_len(value), 3);
	assert_memory_equal(json_object_get_string(value), "a\0b", 3);
	assert_true(json_object_object_get_ex(tree, "t", &value));
	assert_true(json_object_get_boolean(value));
	assert_true(json_object_object_get_ex(tree, "n", &value));
	assert_null(value);
	json_object_put(tree);
}

TEST(test_the_last_of_repeated_keys_wins)
{
	struct json_object *tree = parse("{\"a\":1,\"b\":2,\"\\u0061\":3}");
	assert_prints(tree, TREE_COMPACT, "{\"a\":3,\"b\":2}");
	json_object_put(tree);
}

TEST(test_a_part_of_a_document_makes_a_tree)
{
	RELEASED(json_doc) doc;
	struct json_object *tree;
	struct error err = { 0 };
	read_ok(&doc, BYTES("{\"a\":[1,{\"b\":2}]}"));
	assert_int_equal(tree_from_doc(&doc, json_resolve(&doc, "/a/1"), &tree, &err), 0);
	assert_prints(tree, TREE_COMPACT, "{\"b\":2}");
	json_object_put(tree);
	assert_int_equal(tree_from_doc(&doc, JSON_NONE, &tree, &err), -1);
	assert_null(tree);
}

TEST(test_errors_name_the_place)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{ "", "file.json:1:1: the input is empty" },
		{ "{\"a\": 1,\n \"\xC3\xA9\": 01}", "file.json:2:8: a leading zero" },
		{ "{\n}\n}", "file.json:3:1: text after the document" },
		{ "[[\"x\", {\"a\\u0000b\": 1}]]", "keys with a NUL character (\\u0000) are not supported here" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct json_object *tree;
		struct error err = { 0 };
		assert_int_equal(tree_parse(rows[i].text, strlen(rows[i].text), "file.json", &tree, &err), -1);
		assert_null(tree);
		assert_string_equal(err.message, rows[i].message);
		assert_int_equal(err.code, EXIT_CODE_FAILED);
	}
}

TEST(test_pretty_text_has_two_spaces_a_level)
{
	struct json_object *tree = parse("{\"a\":1,\"b\":[true,{\"c\":null}],\"d\":[],\"e\":{}}");
	assert_prints(tree, TREE_PRETTY,
	              "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    {\n      \"c\": null\n    }\n  ],\n  \"d\": [],\n"
	              "  \"e\": {}\n}");
	json_object_put(tree);
	assert_prints(NULL, TREE_PRETTY, "null");
}

TEST(test_what_is_printed_is_json_whatever_was_put_in)
{
	struct json_object *tree = json_object_new_object();
	json_object_object_add(tree, "\xFF/", json_object_new_string("\xC3.\x01"));
	json_object_object_add(tree, "d", json_object_new_double(0.5));
	json_object_object_add(tree, "u", json_object_new_uint64(UINT64_MAX));
	assert_prints(tree, TREE_COMPACT, "{\"\xEF\xBF\xBD/\":\"\xEF\xBF\xBD.\\u0001\",\"d\":0.5,\"u\":18446744073709551615}");
	json_object_put(tree);
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
	{ "{}", "{\"a\":[null,{\"b\":null},12345678901234567890]}",
	  "{\"a\":[null,{\"b\":null},12345678901234567890]}" },
};

TEST(test_merge_patch)
{
	for (size_t i = 0; i < sizeof merges / sizeof merges[0]; i++) {
		struct json_object *target = parse(merges[i].original), *patch = parse(merges[i].patch);
		struct error err = { 0 };
		assert_int_equal(tree_merge_patch(&target, patch, &err), 0);
		assert_prints(target, TREE_COMPACT, merges[i].result);
		assert_prints(patch, TREE_COMPACT, merges[i].patch);
		/* A patch applied twice changes nothing more, and the target shares nothing with it. */
		assert_int_equal(tree_merge_patch(&target, patch, &err), 0);
		json_object_put(patch);
		assert_prints(target, TREE_COMPACT, merges[i].result);
		json_object_put(target);
	}
}

TEST(test_a_patched_target_shares_nothing_with_its_patch)
{
	struct json_object *target = parse("{}"), *patch = parse("{\"a\":{\"b\":1},\"c\":[1]}"),
	                   *second = parse("{\"a\":{\"b\":2}}");
	struct json_object *array;
	struct error err = { 0 };
	assert_int_equal(tree_merge_patch(&target, patch, &err), 0);
	assert_int_equal(tree_merge_patch(&target, second, &err), 0);
	assert_true(json_object_object_get_ex(target, "c", &array));
	json_object_array_add(array, json_object_new_int(2));
	assert_prints(target, TREE_COMPACT, "{\"a\":{\"b\":2},\"c\":[1,2]}");
	assert_prints(patch, TREE_COMPACT, "{\"a\":{\"b\":1},\"c\":[1]}");
	json_object_put(target);
	json_object_put(patch);
	json_object_put(second);
}
