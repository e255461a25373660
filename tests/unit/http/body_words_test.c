/* What the body of a response says, in a few lines. */
#include "http/body_words.h"

#include <stdlib.h>
#include <string.h>

/* cmocka.h wants these before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void assert_words(const char *body, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	body_words_append(&out, body, strlen(body), false);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

static void lines_at_both_ends(void **state)
{
	(void)state;
	assert_words("", "");
	assert_words(" \r\n\n", "");
	assert_words("one\r\n\n  two", "one\ntwo\n");
	assert_words("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n");
	assert_words("1\n2\n3\n4\n5\n6\n", "1\n2\n...\n5\n6\n");
	assert_words("bell \a", "bell \\x07\n");
	assert_words("{\"error\": \"<b>\"}", "{\"error\": \"<b>\"}\n");
}

static void html_is_what_a_browser_shows(void **state)
{
	(void)state;
	assert_words(
	        "<!DOCTYPE html>\n<title>Error</title><style>p { x: y }</style><p>7 &lt; 8 &amp;amp;&nbsp;&#39;</p>",
	        "Error\n7 < 8 &amp; '\n");
	assert_words("<!-- a > b --><p>after", "after\n");
	assert_words("<!-- open <p>end", "end\n");
	assert_words("<script>alert(1)</SCRIPT>x", "alert(1)\nx\n");
	assert_words("<", "");
	assert_words("<a", "");
	assert_words("<p>&", "&\n");
}

static void any_bytes_are_taken(void **state)
{
	static const char pieces[][12] = { "<",   ">", "<!--", "-->", "<style", "</style>",
		                           "&lt", ";", "\n",   "\0",  "\xff",   "x" };
	struct buffer body = BUFFER_INIT, out = BUFFER_INIT;
	(void)state;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t piece = (size_t)rand() % (sizeof pieces / sizeof pieces[0]);
		if (i % 9 == 0)
			buffer_release(&body);
		buffer_append(&body, pieces[piece], pieces[piece][0] ? strlen(pieces[piece]) : 1);
		buffer_clear(&out);
		body_words_append(&out, body.data, body.length, i % 2 == 0);
		assert_true(out.length == 0 || out.data[out.length - 1] == '\n');
	}
	buffer_release(&body);
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_at_both_ends),
		cmocka_unit_test(html_is_what_a_browser_shows),
		cmocka_unit_test(any_bytes_are_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
