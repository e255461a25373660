#include "json/diff.h"
#include "json/support.h"
#include "test.h"

#include <stdio.h>

static void append(void *context, const struct text *pointer, uint32_t before, uint32_t after)
{
	buffer_printf(context, "%s%.*s ",
	              before == JSON_NONE  ? "+"
	              : after == JSON_NONE ? "-"
	                                   : "~",
	              (int)pointer->length, pointer->text);
}

TEST(test_differences_are_found_at_their_pointers)
{
	static const struct {
		const char *before, *after, *differences;
	} rows[] = {
		{ "1", "1", "" },
		{ "1", "1.0", "~ " },
		{ "[]", "{}", "~ " },
		{ "{\"a\":1,\"b\":2}", "{ \"b\" : 2, \"\\u0061\" : 1 }", "" },
		{ "{\"a\":1,\"b\":2,\"c\":3}", "{\"d\":4,\"c\":0,\"a\":1}", "-/b ~/c +/d " },
		{ "{\"a\":1,\"a\":2}", "{\"a\":2}", "" },
		{ "[1,[2,3],4]", "[1,[2],4,5]", "-/1/1 +/3 " },
		{ "{\"a/b\":{\"~\":\"x\"}}", "{\"a/b\":{\"~\":\"\\u0079\"}}", "~/a~1b/~0 " },
		{ "{\"a\":null}", "{}", "-/a " },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(json_doc) before, after;
		RELEASED(buffer) found = BUFFER_INIT;
		read_ok(&before, rows[i].before, strlen(rows[i].before));
		read_ok(&after, rows[i].after, strlen(rows[i].after));
		assert_true(json_diff((const struct json_doc *const[]){ &before, &after }, append, &found));
		assert_string_equal(buffer_text(&found), rows[i].differences);
	}
}
