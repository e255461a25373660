/* The line of a response's body that says what went wrong. */
#include "http/body_words.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka.h must come behind setjmp.h. */
/* clang-format off */
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

static const struct {
	const char *body;
	const char *line;
} rows[] = {
	{ "", "" },
	{ " \r\n\t", "" },
	{ "no room\n", "no room" },
	{ "\r\n  TypeError: x\r\n    at post (app.js:3)\r\n", "TypeError: x" },
	{ "Traceback (most recent call last):\n  File \"a.py\", line 3, in post\nKeyError: 'path'\n\n",
	  "KeyError: 'path'" },
	{ "{\n  \"error\": \"no\tsuch user\"\n}\n", "{ \"error\": \"no such user\" }" },
	{ "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n<h1>x</h1>",
	  "500 Internal Server Error" },
	{ "<pre>TypeError: x<br> &nbsp; at post</pre>", "TypeError: x" },
	{ "<", "" },
	{ "<never closed", "" },
	{ "<a><b>", "" },
	{ "Traceback ", "Traceback" },
};

static void the_line_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		error_line_append(&out, rows[i].body, strlen(rows[i].body));
		assert_string_equal(buffer_text(&out), rows[i].line);
		buffer_release(&out);
	}
}

static void a_long_line_is_cut(void **state)
{
	struct buffer body = BUFFER_INIT, out = BUFFER_INIT;
	(void)state;
	buffer_append_repeat(&body, 'x', 100000);
	error_line_append(&out, body.data, body.length);
	assert_int_equal(out.length, ERROR_LINE_MAX);
	buffer_release(&body);
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_found),
		cmocka_unit_test(a_long_line_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
