#include "json/splice.h"
#include "json/support.h"
#include "json/tree.h"
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
		bool removed;
		read_ok(&doc, c->text, strlen(c->text));
		assert_int_equal(json_splice_unset(&doc, c->pointer, &out, &removed, &err), 0);
		assert_int_equal(removed, c->result != NULL);
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
		bool removed = true;
		assert_int_equal(json_splice_unset(&doc, pointers[i], &out, &removed, &err), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_false(removed);
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
				json_doc_init(&again);
				assert_true(json_read(&again, out.data, out.length, &fault));
			} else {
				assert_int_equal(err.code, EXIT_CODE_USAGE);
				assert_non_null(strstr(err.message, "deeper than 64"));
			}
		}
	}
}

/* ---- random documents and random edits ---- */

static const char *const keys[] = { "a", "b", "c/d", "e~f", "", "\xC3\xA9", "0", "1" };

static void append_space(struct buffer *out, uint64_t *seed)
{
	static const char *const spaces[] = { "", "", "", " ", "\n  ", "\t" };
	buffer_append_text(out, spaces[dice(seed, 6)]);
}

static void append_random(struct buffer *out, uint64_t *seed, int depth)
{
	static const char *const scalars[] = { "1",    "-2.50",    "\"x\\u0041\"",        "true",
		                               "null", "\"a,{b\"", "12345678901234567890" };
	uint32_t kind = depth > 4 ? 0 : dice(seed, 4), count = dice(seed, 4);
	if (kind < 2) {
		buffer_append_text(out, scalars[dice(seed, 7)]);
		return;
	}
	buffer_append_byte(out, kind == 2 ? '[' : '{');
	uint32_t first_key = dice(seed, 8);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_byte(out, ',');
		append_space(out, seed);
		if (kind == 3) {
			const char *key = keys[(first_key + i) % 8];
			json_append_string(out, key, strlen(key));
			append_space(out, seed);
			buffer_append_byte(out, ':');
			append_space(out, seed);
		}
		append_random(out, seed, depth + 1);
		append_space(out, seed);
	}
	buffer_append_byte(out, kind == 2 ? ']' : '}');
}

static void append_random_pointer(struct buffer *out, uint64_t *seed)
{
	buffer_append_text(out, "");
	for (uint32_t parts = dice(seed, 5); parts > 0; parts--) {
		const char *key = dice(seed, 3) ? keys[dice(seed, 8)] : dice(seed, 2) ? "-" : "0";
		json_append_pointer_key(out, key, strlen(key));
	}
}

/* The same edit on a tree, with json-c's own calls, recursively; -1 where it cannot be made. */
static int edit_tree(struct json_object **tree, const char *pointer, struct json_object *value, bool unset)
{
	if (*pointer == '\0') {
		json_object_put(*tree);
		*tree = json_object_get(value);
		return 0;
	}
	char key[16] = "";
	size_t length = strcspn(++pointer, "/"), filled = 0;
	for (size_t i = 0; i < length; i++)
		key[filled++] = pointer[i] != '~' ? pointer[i] : pointer[++i] == '0' ? '~' : '/';
	pointer += length;
	struct json_object *child = NULL;
	int result;
	if (json_object_is_type(*tree, json_type_object)) {
		bool there = json_object_object_get_ex(*tree, key, &child);
		if (unset && *pointer == '\0') {
			json_object_object_del(*tree, key);
			return there ? 0 : -1;
		}
		if (!there && unset)
			return -1;
		child = there ? json_object_get(child) : json_object_new_object();
		result = edit_tree(&child, pointer, value, unset);
		json_object_object_add(*tree, key, child);
		return result;
	}
	if (!json_object_is_type(*tree, json_type_array))
		return -1;
	size_t count = json_object_array_length(*tree), index = key[0] == '-' ? count : (size_t)(key[0] - '0');
	if (strlen(key) != 1 || index > count || (unset && index == count))
		return -1;
	if (unset && *pointer == '\0')
		return json_object_array_del_idx(*tree, index, 1);
	child = index < count ? json_object_get(json_object_array_get_idx(*tree, index)) : json_object_new_object();
	result = edit_tree(&child, pointer, value, unset);
	if (result == 0)
		json_object_array_put_idx(*tree, index, child);
	else
		json_object_put(child);
	return result;
}

/* Besides one stretch, nothing changed: what begins and what ends both texts alike covers the shorter one. */
static void assert_one_stretch_changed(const struct buffer *before, const struct buffer *after, size_t value_length)
{
	size_t prefix = 0, suffix = 0;
	size_t shorter = before->length < after->length ? before->length : after->length;
	while (prefix < shorter && before->data[prefix] == after->data[prefix])
		prefix++;
	while (suffix < shorter - prefix &&
	       before->data[before->length - 1 - suffix] == after->data[after->length - 1 - suffix])
		suffix++;
	assert_true(prefix + suffix + value_length >= after->length || prefix + suffix == shorter);
}

TEST(test_splicing_equals_editing_the_tree)
{
	uint64_t seed = 20260102;
	unsigned edits = 0;
	for (int round = 0; round < 20000; round++) {
		RELEASED(buffer) text = BUFFER_INIT, pointer = BUFFER_INIT, value = BUFFER_INIT, out = BUFFER_INIT;
		RELEASED(buffer) expected = BUFFER_INIT, got = BUFFER_INIT;
		struct json_object *tree, *value_tree, *result_tree;
		RELEASED(json_doc) doc;
		struct error err = { 0 };
		bool unset = dice(&seed, 3) == 0, removed = false;
		append_random(&text, &seed, 0);
		append_random_pointer(&pointer, &seed);
		append_random(&value, &seed, 3);
		read_ok(&doc, text.data, text.length);
		assert_int_equal(tree_from_doc(&doc, 0, &tree, &err), 0);
		assert_int_equal(tree_parse(value.data, value.length, "value", &value_tree, &err), 0);
		if (unset && pointer.length == 0)
			buffer_append_text(&pointer, "/a");
		int splice = unset ? json_splice_unset(&doc, buffer_text(&pointer), &out, &removed, &err)
		                   : json_splice_set(&doc, buffer_text(&pointer), value.data, value.length, &out, &err);
		int edit = edit_tree(&tree, buffer_text(&pointer), value_tree, unset);
		bool done = unset ? removed : splice == 0;
		if (done != (edit == 0))
			fail_msg("%s at %s: %s", text.data, buffer_text(&pointer), err.message);
		if (done) {
			assert_int_equal(tree_parse(out.data, out.length, "result", &result_tree, &err), 0);
			tree_append_text(tree, TREE_COMPACT, &expected);
			tree_append_text(result_tree, TREE_COMPACT, &got);
			assert_string_equal(got.data, expected.data);
			assert_one_stretch_changed(&text, &out, unset ? 0 : value.length);
			json_object_put(result_tree);
			edits++;
		}
		json_object_put(tree);
		json_object_put(value_tree);
	}
	assert_true(edits > 5000);
}
