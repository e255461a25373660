#include "json/pointer.h"
#include "json/support.h"
#include "test.h"

/* The document and the pointers of RFC 6901 section 5, and more. */
static const char rfc6901[] =
        "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
        "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9,\"x\":{\"\":{\"/~\":10}},\"-\":11,\"\\u007e\":12}";

static const struct {
	const char *pointer;
	const char *value; /* NULL: none */
} pointers[] = {
	{ "/foo", "[\"bar\",\"baz\"]" },
	{ "/foo/0", "\"bar\"" },
	{ "/foo/1", "\"baz\"" },
	{ "/", "0" },
	{ "/a~1b", "1" },
	{ "/c%d", "2" },
	{ "/e^f", "3" },
	{ "/g|h", "4" },
	{ "/i\\j", "5" },
	{ "/k\"l", "6" },
	{ "/ ", "7" },
	{ "/m~0n", "8" },
	{ "/~01", "9" },
	{ "/x//~1~0", "10" },
	{ "/-", "11" },
	{ "/~0", "12" },
	{ "/~0~0", NULL },
	{ "/~1", NULL },
	{ "/foo/2", NULL },
	{ "/foo/00", NULL },
	{ "/foo/01", NULL },
	{ "/foo/-", NULL },
	{ "/foo/+1", NULL },
	{ "/foo/", NULL },
	{ "/foo/99999999999999999999", NULL },
	{ "/foo/0/0", NULL },
	{ "/a/b", NULL },
	{ "/m~n", NULL },
	{ "/m~2n", NULL },
	{ "/m~", NULL },
	{ "foo", NULL },
	{ "/nothing/here", NULL },
};

/* By a walk that begins at the root. */
static void append_pointer(const struct json_doc *doc, uint32_t token, struct buffer *out)
{
	struct json_pointer_walk walk;
	json_pointer_walk_init(&walk, doc);
	assert_true(json_pointer_walk_append(&walk, token, SIZE_MAX, out));
}

TEST(test_pointers_lead_to_values_and_back)
{
	struct json_doc doc;
	read_ok(&doc, BYTES(rfc6901));
	assert_int_equal(json_resolve(&doc, ""), 0);
	for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
		uint32_t found = json_resolve(&doc, pointers[i].pointer);
		if ((found == JSON_NONE) != (pointers[i].value == NULL))
			fail_msg("%s: token %u", pointers[i].pointer, found);
		if (!pointers[i].value)
			continue;
		const struct json_token *t = &doc.tokens[found];
		assert_int_equal(t->end - t->start, strlen(pointers[i].value));
		assert_memory_equal(doc.text + t->start, pointers[i].value, t->end - t->start);
		struct buffer pointer = BUFFER_INIT;
		append_pointer(&doc, found, &pointer);
		assert_buffer(&pointer, pointers[i].pointer);
	}
	json_doc_release(&doc);
}

/* Whatever was asked for before, a walk gives each token the pointer that it has from the root. */
TEST(test_a_walk_goes_from_any_token_to_any)
{
	RELEASED(json_doc) doc;
	struct json_pointer_walk walk;
	read_ok(&doc, BYTES("[{\"a\":[1,[2,{\"b\":[]}],{}]},[[[]]],\"x\",{\"c\":{\"d\":null},\"e\":[3,4]}]"));
	for (uint32_t from = 0; from < doc.count; from++) {
		for (uint32_t to = 0; to < doc.count; to++) {
			struct buffer first = BUFFER_INIT, walked = BUFFER_INIT, alone = BUFFER_INIT;
			json_pointer_walk_init(&walk, &doc);
			assert_true(json_pointer_walk_append(&walk, from, SIZE_MAX, &first));
			assert_true(json_pointer_walk_append(&walk, to, SIZE_MAX, &walked));
			append_pointer(&doc, to, &alone);
			assert_buffer(&walked, buffer_text(&alone));
			buffer_release(&first);
			buffer_release(&alone);
		}
	}
}

TEST(test_a_long_pointer_is_cut_behind_a_character)
{
	static const char whole[] = "/a\xE2\x82\xAC~1b/c/0";
	static const size_t kept[] = { 0, 1, 2, 2, 2, 5, 5, 7, 8, 9, 10, 11, 12, 12 };
	RELEASED(json_doc) doc;
	struct json_pointer_walk walk;
	read_ok(&doc, BYTES("{\"a\\u20ac\\/b\":{\"c\":[0]}}"));
	json_pointer_walk_init(&walk, &doc);
	for (size_t most = 0; most < sizeof kept / sizeof kept[0]; most++) {
		RELEASED(buffer) pointer = BUFFER_INIT;
		buffer_append_text(&pointer, "x");
		bool fits = json_pointer_walk_append(&walk, doc.count - 1, most, &pointer);
		assert_int_equal(fits, most >= strlen(whole));
		assert_int_equal(pointer.length, 1 + kept[most]);
		assert_memory_equal(pointer.data + 1, whole, kept[most]);
	}
}
