/* A document that is made of leaves, objects and lists is printed compact and indented, or is out of memory as a whole.
 */
#include "json/tree.h"
#include "test.h"

#include <string.h>

static void assert_printed(json_object *tree, enum json_style style, const char *expected)
{
	RELEASED(buffer) out = BUFFER_INIT;
	buffer_append_text(&out, "before ");
	tree_append(tree, style, &out);
	assert_false(out.failed);
	assert_string_equal(buffer_text(&out) + strlen("before "), expected);
}

static json_object *sample(void)
{
	json_object *list = tree_add(tree_add(tree_list(), tree_text(NULL)), tree_list());
	return tree_object("a", tree_text("b/c"), "list", list, "no", tree_bool(false), "in",
	                   tree_object("yes", tree_bool(true), NULL), "empty", tree_empty(), NULL);
}

TEST(both_styles)
{
	assert_printed(sample(), JSON_COMPACT,
	               "{\"a\":\"b/c\",\"list\":[null,[]],\"no\":false,\"in\":{\"yes\":true},\"empty\":{}}");
	assert_printed(sample(), JSON_PRETTY,
	               "{\n  \"a\": \"b/c\",\n  \"list\": [\n    null,\n    []\n  ],\n  \"no\": false,\n"
	               "  \"in\": {\n    \"yes\": true\n  },\n  \"empty\": {}\n}");
	assert_printed(tree_empty(), JSON_PRETTY, "{}");
	assert_printed(tree_text("{"), JSON_COMPACT, "\"{\"");
}

TEST(what_is_spelled_stays_as_it_is)
{
	static const char *const rows[] = { "12345678901234567890",
		                            "-0",
		                            "1.50e+3",
		                            "null",
		                            "\"\\u00e9\"",
		                            "0.1000000000000000000000000000000000000000001" };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_printed(tree_spelled(rows[i]), JSON_COMPACT, rows[i]);
}

TEST(texts_and_keys_are_escaped_as_in_lines)
{
	assert_printed(tree_object("\"\n", tree_text("\u00fc\u2028\u202e\x7f\t\xff"), NULL), JSON_COMPACT,
	               "{\"\\\"\\n\":\"\u00fc\\u2028\\u202e\\u007f\\t\ufffd\"}");
}

TEST(a_key_that_is_there_keeps_its_place)
{
	json_object *object = tree_object("a", tree_text("1"), "b", tree_text("2"), NULL);
	assert_printed(tree_set(object, "a", tree_text("3")), JSON_COMPACT, "{\"a\":\"3\",\"b\":\"2\"}");
}

/* NULL is "out of memory". LeakSanitizer sees whether all that was given is released. */
TEST(no_memory_travels_upwards)
{
	struct buffer failed = BUFFER_INIT, out = BUFFER_INIT;
	buffer_fail_if(&failed, true);
	assert_null(tree_text_of(&failed));
	assert_null(tree_set(tree_empty(), "a", NULL));
	assert_null(tree_set(NULL, "a", tree_text("b")));
	assert_null(tree_add(tree_list(), NULL));
	assert_null(tree_add(NULL, tree_text("b")));
	assert_null(tree_object("a", tree_text("b"), "c", tree_add(NULL, tree_empty()), "d", sample(), NULL));
	tree_append(NULL, JSON_COMPACT, &out);
	assert_true(out.failed);
	assert_int_equal(out.length, 0);
}
