/* The elements of an array are found whatever is around them, however the text comes. */
#include "base/buffer.h"
#include "json/elements.h"
#include "json/support.h"
#include "test.h"

static const char *const har[] = { "log", "entries", NULL };
static const char *const nothing[] = { NULL };

static const struct {
	const char *const *path;
	const char *text;
	const char *found; /* each in brackets; then what is wrong */
} rows[] = {
	{ har, "{\"log\":{\"entries\":[{\"a\":1},{\"b\":[2]}]}}", "<{\"a\":1}><{\"b\":[2]}>" },
	{ har, " {\n\"x\":[{\"entries\":[9]}], \"log\" : {\"entries\" : [ 1 , \"]\" ] , \"pages\":[1]} }\n",
	  "<1><\"]\">" },
	{ har, "[{\"log\":{\"entries\":[1]}},{\"log\":{\"entries\":[2]}}]", "<1><2>" },
	{ har, "[{\"log\":{\"entries\":[1]}},3]", "<1>! expected '{'" },
	{ har, "[{\"log\":{\"entries\":[1]}},[{}]]", "<1>! expected '{'" },
	{ har, "{\"log\":{\"entries\":[1]}}\n{\"service\":1}", "<1>! a document of another kind" },
	{ har, "{\"log\":{\"entries\":[1]}}\n{\"log\":{\"entries\":[2]}}", "<1><2>" },
	{ har, "{\"log\":{\"entries\":[1],\"entries\":[2]},\"log\":{\"entries\":[3]}}", "<1><2><3>" },
	{ har, "{\"log\":{\"log\":[1],\"creator\":{\"entries\":[4]}},\"entries\":[1]}",
	  "! a document of another kind" },
	{ har, "{\"log\":[],\"entries\":{}}", "! a document of another kind" },
	{ har, "{\"log\":{\"entries\":{\"0\":1}}}", "! a document of another kind" },
	{ har, "{\"l\\\"og\":\"{[\\\\\",\"log\":{\"entries\":[\"\\\"]\"]}}", "<\"\\\"]\">" },
	{ har, "{\"log\":{\"entries\":[]}}", "" },
	{ har, "{\"log\":{\"entries\":[1,]}}", "<1>! expected a value" },
	{ har, "{\"log\":{\"entries\":[1 2]}}", "<1>! expected ',' or ']'" },
	{ har, "{\"log\":{\"entries\":[1,2", "<1><2>! the text ends too early" },
	{ har, "{\"log\":{\"entries\":[1,{\"a\":[}", "<1>! the text ends too early" },
	{ har, "{\"log\":{\"entries\":[1", "<1>! the text ends too early" },
	{ har, "{\"log\":{\"entries\":[{\"a\":}]}}", "<{\"a\":}>" },
	{ har, "{\"log\" {", "! expected ':'" },
	{ har, "{log:1}", "! expected a key" },
	{ har, "{\"log\":{\"entries\":[1]},\"a\n\":1}", "<1>! an unterminated string" },
	{ har, "{\"log\":{\"entries\":[1]}]", "<1>! expected ',' or '}'" },
	{ har, "", "" },
	{ nothing, "{\"a\":1}\n{\"b\":\n2}\n", "<{\"a\":1}><{\"b\":\n2}>" },
	{ nothing, "[{\"a\":1},[2],3]", "<{\"a\":1}><[2]><3>" },
	{ nothing, "{\"a\":1,\n{\"b\":2}\n{\"c\":\"x\n{\"d\":3}", "<{\"a\":1,><{\"b\":2}><{\"c\":\"x><{\"d\":3}>" },
	{ nothing, "{\"a\":[\n {\"b\":1}]}", "<{\"a\":[\n {\"b\":1}]}>" },
	{ nothing, "1 true\n\"a\" null", "<1 true><\"a\"><null>" },
	{ har, "{\"log\":{\"entries\":[1]}} x", "<1>! expected '{'" },
	{ nothing, "{\"a\":1", "! the text ends too early" },
};

/* The window never holds more than it must, and comes in pieces of `piece` bytes. */
static void find_all(const char *const *path, const char *text, size_t piece, struct buffer *out)
{
	struct json_elements e = { .path = path };
	size_t from = 0, length = 0, whole = strlen(text);
	enum json_elements_found found = JSON_ELEMENTS_MORE;
	while (found != JSON_ELEMENTS_END && found != JSON_ELEMENTS_FAULT) {
		found = json_elements_next(&e, text + from, length, from + length == whole);
		size_t remove = e.keep;
		if (found == JSON_ELEMENTS_ELEMENT) {
			buffer_printf(out, "<%.*s>", (int)(e.at - e.start), text + from + e.start);
			remove = e.at;
		} else if (found == JSON_ELEMENTS_MORE) {
			length += length + from + piece < whole ? piece : whole - from - length;
		} else if (found == JSON_ELEMENTS_FAULT) {
			buffer_printf(out, "! %s", e.reason);
			assert_true(e.at <= length);
		}
		if (found == JSON_ELEMENTS_MORE || found == JSON_ELEMENTS_ELEMENT) {
			json_elements_remove(&e, remove);
			from += remove;
			length -= remove;
		}
	}
}

TEST(elements_are_found_in_pieces_of_any_size)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t piece = 1; piece < 30; piece++) {
			RELEASED(buffer) out = BUFFER_INIT;
			find_all(rows[i].path, rows[i].text, piece, &out);
			if (strcmp(buffer_text(&out), rows[i].found) != 0)
				fail_msg("%s in pieces of %zu: %s", rows[i].text, piece, buffer_text(&out));
		}
	}
}

TEST(behind_a_fault_nothing_more_is_found)
{
	static const char text[] = "[1,]  [2]";
	struct json_elements e = { .path = nothing };
	enum json_elements_found found = json_elements_next(&e, text, sizeof text - 1, false);
	while (found == JSON_ELEMENTS_ELEMENT)
		found = json_elements_next(&e, text, sizeof text - 1, false);
	assert_int_equal(found, JSON_ELEMENTS_FAULT);
	assert_int_equal(json_elements_next(&e, text, sizeof text - 1, false), JSON_ELEMENTS_END);
}

TEST(what_is_skipped_is_not_kept)
{
	static const char text[] = "{\"log\":{\"pages\":[\"a long one\", \"another";
	struct json_elements e = { .path = har };
	assert_int_equal(json_elements_next(&e, text, sizeof text - 1, false), JSON_ELEMENTS_MORE);
	assert_int_equal(e.keep, sizeof text - 1);
	e = (struct json_elements){ .path = nothing };
	assert_int_equal(json_elements_next(&e, text, sizeof text - 1, false), JSON_ELEMENTS_MORE);
	assert_int_equal(e.keep, 0);
	e.is_element = false;
	assert_int_equal(json_elements_next(&e, text, sizeof text - 1, false), JSON_ELEMENTS_MORE);
	assert_int_equal(e.keep, sizeof text - 1);
}
