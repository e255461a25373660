/* What is read of a document that is cut off, or broken. */
#include "json/print.h"
#include "json/support.h"
#include "test.h"

TEST(what_is_whole_is_kept_and_closed)
{
	static const struct {
		const char *text, *read; /* read NULL: nothing */
		bool is_over;
	} rows[] = {
		{ "", NULL, true },
		{ "{", "{}", false },
		{ "{}", "{}", true },
		{ "[[]]\n{}", "[[]]", true },
		{ "{\"a\":1,\"b\":2", "{\"a\":1,\"b\":2}", false },
		{ "{\"a\":1,\"b", "{\"a\":1}", false },
		{ "{\"a\":1,\"b\":", "{\"a\":1}", false },
		{ "{\"a", "{}", false },
		{ "{\"a\":[1,2,{\"b\":[]", "{\"a\":[1,2,{\"b\":[]}]}", false },
		{ "{\"a\":\"},]\\\"\\\\\",\"b\":[", "{\"a\":\"},]\\\"\\\\\",\"b\":[]}", false },
		{ "{\"a\":\"1\\", "{}", false },
		{ "[1,tru", "[1]", false },
		{ "[\"\xE2\x82", "[]", false },
		{ "{\"a\":],\"b\":2}", "{}", true },
		{ "[1}   ", "[1]", true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(json_doc) doc = JSON_DOC_INIT;
		struct buffer out = BUFFER_INIT;
		bool is_over = json_read_beginning(&doc, rows[i].text, strlen(rows[i].text), NULL);
		if (is_over != rows[i].is_over || (doc.count > 0) != (rows[i].read != NULL))
			fail_msg("%s: %u tokens, over %d", rows[i].text, doc.count, is_over);
		if (rows[i].read) {
			json_print(&doc, 0, JSON_COMPACT, &out);
			assert_buffer(&out, rows[i].read);
		}
	}
}
