/* What the body of a response says, in a few lines or in one. */
#include "http/words.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void assert_words(const char *body, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	words_append_lines(&out, body, strlen(body), false);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

TEST(lines_at_both_ends)
{
	assert_words("", "");
	assert_words(" \r\n\n", "");
	assert_words("one\r\n\n  two", "one\ntwo\n");
	assert_words("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n");
	assert_words("1\n2\n3\n4\n5\n6\n", "1\n2\n...\n5\n6\n");
	assert_words("1\n2\n3\nKeyError: 'path'\n5\n6\n7", "1\n2\n...\nKeyError: 'path'\n...\n6\n7\n");
	assert_words("1\n2\n12:00 ERROR disk full\n4\n5\n6", "1\n2\n12:00 ERROR disk full\n...\n5\n6\n");
	assert_words("bell \a", "bell \\x07\n");
	assert_words("{\"error\": \"<b>\"}", "{\"error\": \"<b>\"}\n");
}

TEST(a_page_has_a_title_and_sentences)
{
	static const struct {
		const char *body, *words;
	} pages[] = {
		{ "<title>403 Forbidden</title><h1>Forbidden <span>(403)</span></h1><p>CSRF verification failed. "
		  "Request "
		  "aborted.</p>\n<p>You are seeing this.</p>",
		  "403 Forbidden: CSRF verification failed. Request aborted. You are seeing this." },
		{ "<title>413 Too Large</title><h1>413 Too Large</h1><hr>nginx/1.22.1", "413 Too Large" },
		{ "<title>Error</title><pre>TypeError: x</pre><p>It is broken.", "TypeError: x" },
		{ "no page\nIt is text.", "no page" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
		struct buffer out = BUFFER_INIT;
		words_append_page(&out, pages[i].body, strlen(pages[i].body), WORDS_LINE_MAX);
		assert_string_equal(buffer_text(&out), pages[i].words);
		buffer_release(&out);
	}
}

TEST(html_is_what_a_browser_shows)
{
	assert_words(
	        "<!DOCTYPE html>\n<title>Error</title><style>p { x: y }</style><p>7 &lt; 8 &amp;amp;&nbsp;&#39;</p>",
	        "Error\n7 < 8 &amp; '\n");
	assert_words("<!-- a > b --><p>after", "after\n");
	assert_words("x<!-- open <p>end", "x<!-- open <p>end\n");
	assert_words("<p>x<!-- open <p>end", "x\n");
	assert_words("<", "");
	assert_words("<a", "");
	assert_words("<p>&", "&\n");
	assert_words("<b>Warning</b>:  x in <b>a.php</b><br>y", "Warning:  x in a.php\ny\n");
}

static const struct {
	const char *body;
	const char *line;
} rows[] = {
	{ "", "" },
	{ " \r\n\t", "" },
	{ "no room\n", "no room" },
	{ "GET / 200\n2026-11-28 10:00:00 ERROR hook: disk full\nPOST / 500",
	  "2026-11-28 10:00:00 ERROR hook: disk full" },
	{ "level=info msg=begin\nlevel=error msg=x", "level=error msg=x" },
	{ "12:00 ERROR in app\nValueError: x\n", "ValueError: x" },
	{ "\r\n  TypeError: x\r\n    at post (app.js:3)\r\n", "TypeError: x (app.js:3)" },
	{ "Internal error\n\norg.x.SomeException: y\n\tat z", "org.x.SomeException: y" },
	{ "Traceback (most recent call last):\n  File \"a.py\", line 3, in post\nKeyError: 'path'\n\n",
	  "KeyError: 'path' (a.py:3)" },
	{ "{\n  \"error\": \"no\tsuch user\"\n}\n", "{ \"error\": \"no such user\" }" },
	{ "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n<h1>x</h1>",
	  "500 Internal Server Error" },
	{ "<pre>TypeError: x<br> &nbsp; at post</pre>", "TypeError: x" },
	{ "<!DOCTYPE html><title>Error</title><pre>TypeError: x is undefined<br>at y</pre>",
	  "TypeError: x is undefined" },
	{ "<title>KeyError: &#39;path&#39;</title><script>var Error: 1</script>", "KeyError: 'path'" },
	{ "<h1>Oops</h1><script>\nvar Error: 1\n</script>", "Oops" },
	{ "<pre>KeyError: &#39;path&#39; &lt;&amp;&gt;&nbsp;&quot;&unknown; &am</pre>",
	  "KeyError: 'path' <&> \"&unknown; &am" },
	{ "<br />\n<b>Warning</b>:  x in <b>hook.php</b> on line <b>26</b><br />",
	  "Warning: x in hook.php on line 26" },
	{ "KeyError: &#39;\n", "KeyError: &#39;" },
	{ "<", "" },
	{ "<never closed", "" },
	{ "<a><b>", "" },
	{ "Traceback ", "Traceback" },
};

TEST(the_line_is_found)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		words_append_line(&out, rows[i].body, strlen(rows[i].body), WORDS_LINE_MAX);
		assert_string_equal(buffer_text(&out), rows[i].line);
		buffer_release(&out);
	}
}

TEST(a_long_line_is_cut)
{
	struct buffer body = BUFFER_INIT, out = BUFFER_INIT;
	buffer_append_repeat(&body, 'x', 100000);
	words_append_line(&out, body.data, body.length, WORDS_LINE_MAX);
	assert_int_equal(out.length, WORDS_LINE_MAX);
	buffer_release(&body);
	buffer_release(&out);
}

/* A line as long as that: the error at its beginning or far behind, and a path where it would be cut. */
TEST(a_cut_keeps_the_error_and_whole_paths)
{
	static const char path[] = "'/srv/hooks/data/2026/customers.json'";
	for (size_t before = 0; before < 400; before += 7)
		for (size_t most = 60; most < 130; most++) {
			struct buffer body = BUFFER_INIT, out = BUFFER_INIT;
			buffer_append_repeat(&body, 'b', before);
			buffer_printf(&body, "%sError: cannot open %s, which somebody else has open now and keeps so",
			              before > 0 ? " " : "", path);
			buffer_append_text(&body, ", and this is not the end of this line either, as anybody can see");
			words_append_line(&out, body.data, body.length, most);
			const char *text = buffer_text(&out);
			assert_true(out.length <= most);
			assert_non_null(strstr(text, "Error: cannot open"));
			assert_true(!strstr(text, "/srv") || strstr(text, path));
			buffer_clear(&out);
			words_append_lines(&out, body.data, body.length, false);
			text = buffer_text(&out);
			assert_non_null(strstr(text, "Error: cannot open"));
			assert_true(!strstr(text, "/srv") || strstr(text, path));
			buffer_release(&body);
			buffer_release(&out);
		}
}

TEST(any_bytes_are_taken)
{
	static const char pieces[][12] = { "<",   ">", "<!--", "-->", "<style", "</style>",
		                           "&lt", ";", "\n",   "\0",  "\xff",   "x" };
	struct buffer body = BUFFER_INIT, out = BUFFER_INIT;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t piece = (size_t)rand() % (sizeof pieces / sizeof pieces[0]);
		if (i % 9 == 0)
			buffer_release(&body);
		buffer_append(&body, pieces[piece], pieces[piece][0] ? strlen(pieces[piece]) : 1);
		buffer_clear(&out);
		words_append_line(&out, body.data, body.length, WORDS_LINE_MAX);
		buffer_clear(&out);
		words_append_lines(&out, body.data, body.length, i % 2 == 0);
		assert_true(out.length == 0 || out.data[out.length - 1] == '\n');
	}
	buffer_release(&body);
	buffer_release(&out);
}
