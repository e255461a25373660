/* What is read of a document that is cut off. */
#include "json/elements.h"
#include "test.h"

#include <string.h>

TEST(what_is_whole_is_kept_and_closed)
{
	static const struct {
		const char *text, *made;
		bool whole;
	} rows[] = {
		{ "", "", false },
		{ "12", "", false },
		{ " {}", "", false },
		{ "{", "{}", false },
		{ "{}", "{}", true },
		{ "[[]]\n{}", "[[]]", true },
		{ "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", true },
		{ "{\"a\":1,\"b\":2", "{\"a\":1}", false },
		{ "{\"a\":1,\"b", "{\"a\":1}", false },
		{ "{\"a\":1,\"b\":", "{\"a\":1}", false },
		{ "{\"a", "{}", false },
		{ "{\"a\":[1,2,{\"b\":", "{\"a\":[1,2,{}]}", false },
		{ "{\"a\":[1,2,{\"b\":[]", "{\"a\":[1,2,{\"b\":[]}]}", false },
		{ "{\"a\":\"},]\\\"\\\\\",\"b\":[", "{\"a\":\"},]\\\"\\\\\",\"b\":[]}", false },
		{ "{\"a\":\"1\\", "{}", false },
		{ "[1,tru", "[1]", false },
		{ "{\"a\":]", "{}", false },
		{ "[}", "[]", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		assert_int_equal(json_append_beginning(&out, rows[i].text, strlen(rows[i].text)), rows[i].whole);
		assert_string_equal(buffer_text(&out), rows[i].made);
	}
}
