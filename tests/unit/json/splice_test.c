#include "json/splice.h"
#include "json/support.h"
#include "test.h"

struct set_case {
	const char *text;
	const char *pointer;
	const char *value;
	const char *result;  /* NULL: a usage error */
	const char *message; /* a part of it */
};

static const struct set_case set_cases[] = {
	/* in place of what is there */
	{ "{\"a\":1,\"b\":2}", "/a", "\"x\"", "{\"a\":\"x\",\"b\":2}", NULL },
	{ "{ \"a\" : 1 , \"b\" : 2 }\n", "/b", "[3]", "{ \"a\" : 1 , \"b\" : [3] }\n", NULL },
	{ "{\"a\":{\"b\":{\"c\":1.50}}}", "/a/b/c", "2", "{\"a\":{\"b\":{\"c\":2}}}", NULL },
	{ "{\"a\":{\"b\":1},\"c\":2}", "/a", "null", "{\"a\":null,\"c\":2}", NULL },
	{ "{\"a\":1,\"a\":2}", "/a", "3", "{\"a\":1,\"a\":3}", NULL },
	{ "{\"a\":{},\"a\":{}}", "/a/b", "3", "{\"a\":{},\"a\":{\"b\":3}}", NULL },
	{ "{\"\\u0061\":1}", "/a", "2", "{\"\\u0061\":2}", NULL },
	{ "{\"a/b\":{\"~\":1}}", "/a~1b/~0", "2", "{\"a/b\":{\"~\":2}}", NULL },
	{ "{\"\":1}", "/", "2", "{\"\":2}", NULL },
	{ " 1 ", "", "{\"a\":1}", " {\"a\":1} ", NULL },
	{ "[1,2,3]", "/1", "{}", "[1,{},3]", NULL },
	{ "[[1],[2]]", "/1/0", "9", "[[1],[9]]", NULL },
	/* a new member behind the last */
	{ "{}", "/a", "1", "{\"a\":1}", NULL },
	{ "{ }", "/a", "1", "{\"a\":1 }", NULL },
	{ "{\"a\":1}", "/b", "2", "{\"a\":1,\"b\":2}", NULL },
	{ "{\"a\":1}", "/b~1~0\"\\", "2", "{\"a\":1,\"b/~\\\"\\\\\":2}", NULL },
	{ "{\"a\":[1,{\"x\":1}]}", "/a/1/y", "2", "{\"a\":[1,{\"x\":1,\"y\":2}]}", NULL },
	{ "{\"a\":1}", "/0", "2", "{\"a\":1,\"0\":2}", NULL },
	{ "{\"a\":1}", "/-", "2", "{\"a\":1,\"-\":2}", NULL },
	{ "{\"a\": 1, \"b\": 2}", "/c", "3", "{\"a\": 1, \"b\": 2, \"c\": 3}", NULL },
	{ "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/c", "3", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", NULL },
	{ "{\r\n\t\"a\" :1\r\n}", "/c", "3", "{\r\n\t\"a\" :1,\r\n\t\"c\" :3\r\n}", NULL },
	{ "{\"a\":1 }", "/b", "2", "{\"a\":1,\"b\":2 }", NULL },
	{ "{\"a\":{\"x\":[{}]}}", "/b", "2", "{\"a\":{\"x\":[{}]},\"b\":2}", NULL },
	/* objects that lack on the way */
	{ "{}", "/a/b/c", "1", "{\"a\":{\"b\":{\"c\":1}}}", NULL },
	{ "{\"a\":{}}", "/a/b/0", "1", "{\"a\":{\"b\":{\"0\":1}}}", NULL },
	{ "{\"a\":1}", "/b//-", "[]", "{\"a\":1,\"b\":{\"\":{\"-\":[]}}}", NULL },
	{ "[]", "/0/a", "1", "[{\"a\":1}]", NULL },
	/* the end of an array */
	{ "[]", "/-", "1", "[1]", NULL },
	{ "[ ]", "/0", "1", "[1 ]", NULL },
	{ "[1,2]", "/-", "3", "[1,2,3]", NULL },
	{ "[1, 2]", "/2", "3", "[1, 2, 3]", NULL },
	{ "[\n  [1]\n]", "/-", "3", "[\n  [1],\n  3\n]", NULL },
	{ "[[1]]", "/-/x/y", "3", "[[1],{\"x\":{\"y\":3}}]", NULL },
	/* mistakes */
	{ "[1]", "/2", "1", NULL, "index 2 is past the end of an array of 1" },
	{ "[1]", "/x", "1", NULL, "'x' is not an array index" },
	{ "[1]", "/00", "1", NULL, "'00' is not an array index" },
	{ "[1]", "/", "1", NULL, "'' is not an array index" },
	{ "{\"a\":{\"b\":\"s\"}}", "/a/b/c/d", "1", NULL, "'/a/b' is a string" },
	{ "{\"a\":5}", "/a/0", "1", NULL, "'/a' is a number" },
	{ "{\"a\":[true]}", "/a/0/x", "1", NULL, "'/a/0' is a boolean" },
	{ "{\"a\":null}", "/a/0", "1", NULL, "'/a' is null" },
	{ "\"x\"", "/a", "1", NULL, "the document is a string" },
	{ "{}", "a", "1", NULL, "'a' is not a JSON Pointer" },
	{ "{}", "/a~2", "1", NULL, "not a JSON Pointer" },
	{ "{}", "/a~", "1", NULL, "not a JSON Pointer" },
	{ "{}", "/\xFF", "1", NULL, "not a JSON Pointer" },
};

TEST(test_sets_a_value_and_leaves_the_rest)
{
	for (size_t i = 0; i < sizeof set_cases / sizeof set_cases[0]; i++) {
		const struct set_case *c = &set_cases[i];
		RELEASED(json_doc) doc;
		struct error err = { 0 };
		struct buffer out = BUFFER_INIT;
		read_ok(&doc, c->text, strlen(c->text));
		int result = json_splice_set(&doc, c->pointer, c->value, strlen(c->value), &out, &err);
		if ((result == 0) != (c->result != NULL))
			fail_msg("%s at %s: %s", c->text, c->pointer, result == 0 ? buffer_text(&out) : err.message);
		if (c->result) {
			assert_buffer(&out, c->result);
		} else {
			assert_int_equal(err.code, EXIT_CODE_USAGE);
			if (!strstr(err.message, c->message))
				fail_msg("%s at %s: %s", c->text, c->pointer, err.message);
			buffer_release(&out);
		}
	}
}

struct unset_case {
	const char *text;
	const char *pointer;
	const char *result; /* NULL: the text as it was */
};

static const struct unset_case unset_cases[] = {
	{ "{\"a\":1}", "/a", "{}" },
	{ "{ \"a\" : 1 }", "/a", "{}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", "/a", "{\"b\":2,\"c\":3}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", "/b", "{\"a\":1,\"c\":3}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", "/c", "{\"a\":1,\"b\":2}" },
	{ "{ \"a\": 1 , \"b\": 2 }", "/a", "{ \"b\": 2 }" },
	{ "{ \"a\": 1 , \"b\": 2 }", "/b", "{ \"a\": 1 }" },
	{ "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "/a", "{\n  \"b\": 2,\n  \"c\": 3\n}\n" },
	{ "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "/b", "{\n  \"a\": 1,\n  \"c\": 3\n}\n" },
	{ "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "/c", "{\n  \"a\": 1,\n  \"b\": 2\n}\n" },
	{ "{\"a\":1,\"b\":2,\"a\":3}", "/a", "{\"b\":2}" },
	{ "{\"a\":1,\"b\":2,\"\\u0061\":3,\"c\":4}", "/a", "{\"b\":2,\"c\":4}" },
	{ "{\"a\":1,\"a\":2}", "/a", "{}" },
	{ "{\"a\":{\"x\":1},\"a\":{\"x\":2,\"y\":3}}", "/a/x", "{\"a\":{\"x\":1},\"a\":{\"y\":3}}" },
	{ "[{\"a\":[1,2]},3]", "/0/a/0", "[{\"a\":[2]},3]" },
	{ "[1,2,3]", "/0", "[2,3]" },
	{ "[1,2,3]", "/1", "[1,3]" },
	{ "[1, 2, 3]", "/2", "[1, 2]" },
	{ "[ 1 ]", "/0", "[]" },
	{ "{\"a~/\":1,\"b\":{}}", "/a~0~1", "{\"b\":{}}" },
	{ "{\"a\":1}", "/b", NULL },
	{ "{ \"a\": { } }", "/a/b", NULL },
	{ "{\"a\":1}", "/a/b", NULL },
	{ "[1,2]", "/2", NULL },
	{ "[1,2]", "/-", NULL },
	{ "[1,2]", "/01", NULL },
	{ " \"x\" ", "/a", NULL },
};

TEST(test_unsets_a_member_with_one_comma)
{
	for (size_t i = 0; i < sizeof unset_cases / sizeof unset_cases[0]; i++) {
		const struct unset_case *c = &unset_cases[i];
		RELEASED(json_doc) doc;
		struct error err = { 0 };
		struct buffer out = BUFFER_INIT;
		read_ok(&doc, c->text, strlen(c->text));
		assert_int_equal(json_splice_unset(&doc, c->pointer, &out, &err), 0);
		assert_buffer(&out, c->result ? c->result : c->text);
	}
}

TEST(test_refuses_to_unset_the_root_or_what_is_no_pointer)
{
	static const char *const pointers[] = { "", "a", "/~" };
	RELEASED(json_doc) doc;
	read_ok(&doc, BYTES("{\"a\":1}"));
	for (size_t i = 0; i < 3; i++) {
		struct error err = { 0 };
		RELEASED(buffer) out = BUFFER_INIT;
		assert_int_equal(json_splice_unset(&doc, pointers[i], &out, &err), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_int_equal(out.length, 0);
	}
}

TEST(test_what_is_made_is_never_too_deep)
{
	RELEASED(buffer) pointer = BUFFER_INIT, value = BUFFER_INIT;
	RELEASED(json_doc) doc;
	read_ok(&doc, BYTES("{\"a\":[]}"));
	for (size_t deep = 1; deep < 5; deep++) {
		/* "/a/-" is inside two containers, and the rest is made. */
		buffer_clear(&pointer);
		buffer_append_text(&pointer, "/a/-");
		for (size_t i = 0; i < JSON_DEPTH_MAX - 2 - deep; i++)
			buffer_append_text(&pointer, "/x");
		for (size_t extra = 0; extra < 2; extra++) {
			struct json_fault fault;
			struct error err = { 0 };
			RELEASED(buffer) out = BUFFER_INIT;
			buffer_clear(&value);
			buffer_append_text(&value, "[\"]\\\"[[[\",");
			buffer_append_repeat(&value, '[', deep + extra - 1);
			buffer_append_repeat(&value, ']', deep + extra - 1);
			if (deep + extra == 1)
				buffer_append_byte(&value, '1');
			buffer_append_byte(&value, ']');
			int result = json_splice_set(&doc, pointer.data, value.data, value.length, &out, &err);
			assert_int_equal(result, extra == 0 ? 0 : -1);
			if (result == 0) {
				RELEASED(json_doc) again;
				again = JSON_DOC_INIT;
				assert_true(json_read(&again, out.data, out.length, &fault));
			} else {
				assert_int_equal(err.code, EXIT_CODE_USAGE);
				assert_non_null(strstr(err.message, "deeper than 64"));
			}
		}
	}
}

TEST(test_a_text_is_edited_in_its_buffer)
{
	RELEASED(buffer) text = BUFFER_INIT;
	struct error err = { 0 };
	buffer_append_text(&text, "{\"a\": 1, \"b\": {}}");
	assert_int_equal(json_splice_text(&text, "/b/c", "[2]", &err), 0);
	assert_string_equal(buffer_text(&text), "{\"a\": 1, \"b\": {\"c\":[2]}}");
	assert_int_equal(json_splice_text(&text, "/a", NULL, &err), 0);
	assert_string_equal(buffer_text(&text), "{\"b\": {\"c\":[2]}}");
	assert_int_equal(json_splice_text(&text, "/b/c/x", "1", &err), -1);
	assert_int_equal(err.code, EXIT_CODE_USAGE);
	assert_string_equal(buffer_text(&text), "{\"b\": {\"c\":[2]}}");
	buffer_clear(&text);
	buffer_append_text(&text, "{\"a\"");
	assert_int_equal(json_splice_text(&text, "/a", "1", &err), -1);
	assert_int_equal(err.code, EXIT_CODE_INTERNAL);
	assert_ptr_equal(strstr(err.message, "not JSON: "), err.message);
}
