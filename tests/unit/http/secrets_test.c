/* A header is masked unless its name is known to be harmless, and so are its spellings in what a server sends back. */
#include "http/secrets.h"
#include "test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

TEST(only_a_few_names_are_harmless)
{
	static const char *const harmless[] = { "Accept", "accept-encoding", "CONTENT-TYPE", "User-Agent",
		                                "Host",   "Content-Length",  "x-request-id", "traceparent" };
	static const char *const secret[] = { "Authorization",  "Cookie",          "X-Token",
		                              "X-Team",         "X-Hub-Signature", "X-Any",
		                              "Accept2",        "Accep",           "Referer",
		                              "X-Content-Type", "Idempotency-Key", "Forwarded",
		                              "Content-Type-X", "tracestate",      "" };
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		assert_false(secret_is_header(harmless[i], strlen(harmless[i])));
	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		assert_true(secret_is_header(secret[i], strlen(secret[i])));
	assert_false(secret_is_header("Host: x", 4));
}

TEST(of_a_line_the_value_is_secret)
{
	static const struct {
		const char *line, *secret; /* NULL: nothing */
	} rows[] = {
		{ "X-Token: abc", "abc" }, { "X-Token:abc: d", "abc: d" }, { "X-Token: \t abc", "abc" },
		{ "Accept: a/b", NULL },   { "X-Token:", NULL },           { "X-Token;", NULL },
		{ "X-Token:  ", NULL },    { "abcdef", "abcdef" },         { "Accept", "Accept" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *secret = secret_of_header_line(rows[i].line);
		assert_int_equal(secret == NULL, rows[i].secret == NULL);
		if (secret)
			assert_string_equal(secret, rows[i].secret);
	}
}

static void assert_masked(const struct echoes *echoes, const char *text, bool is_cut, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	buffer_append_text(&out, text);
	echoes_mask(echoes, &out, is_cut);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

TEST(every_spelling_is_masked)
{
	static const char *const rows[][2] = {
		{ "got <a\"b/c&d'e f> back", "got *** back" },
		{ "got a\"b/c&d'e f and a\"b/c&d'e", "got *** and a\"b/c&d'e" },
		{ "%3Ca%22b%2Fc%26d%27e%20f%3E", "***" },
		{ "%3ca%22b%2fc%26d%27e+f%3e", "***" },
		{ "{\"x\":\"<a\\\"b/c&d'e f>\"}", "{\"x\":\"***\"}" },
		{ "{\"x\":\"<a\\\"b\\/c&d'e f>\"}", "{\"x\":\"***\"}" },
		{ "<p>&lt;a&quot;b/c&amp;d&#39;e f&gt;</p>", "<p>***</p>" },
		{ "<p>&lt;a&#34;b/c&amp;d&#x27;e f&gt;</p>", "<p>***</p>" },
		{ "PGEiYi9jJmQnZSBmPg==", "***Pg==" },   /* of the value */
		{ "eDxhImIvYyZkJ2UgZj4=", "eD***Zj4=" }, /* of "x" and the value */
		{ "nothing of it", "nothing of it" },
	};
	struct echoes echoes = { .spellings = BUFFER_INIT };
	echoes_add_header(&echoes, "X-Key: <a\"b/c&d'e f> ");
	echoes_add_header(&echoes, "X-Other: a\"b/c&d'e f");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_masked(&echoes, rows[i][0], false, rows[i][1]);
	echoes_release(&echoes);
}

TEST(what_is_a_secret)
{
	static const char *const lines[] = { "Accept: text/plainest",
		                             "content-type: application/json",
		                             "USER-AGENT: somebody/1",
		                             "Host: listener.example",
		                             "X-Short: seven77",
		                             "X-Empty;",
		                             "X-Gone:" };
	struct echoes echoes = { .spellings = BUFFER_INIT };
	for (size_t i = 0; i < COUNT(lines); i++)
		echoes_add_header(&echoes, lines[i]);
	echoes_add_url(&echoes, "http://listener.example/some/longer/path?short=1#fragment-of-it");
	assert_int_equal(echoes.spellings.length, 0);
	echoes_add_header(&echoes, "authorization: Bearer tokentoken");
	echoes_add_header(&echoes, "a-value-alone");
	echoes_add_url(&echoes, "http://somebody:password1@listener.example/?key=querysecret&b&barequery");
	assert_masked(&echoes, "Bearer tokentoken, a-value-alone", false, "Bearer ***, ***");
	assert_masked(&echoes, "somebody:password1 password1 c29tZWJvZHk6cGFzc3dvcmQx", false, "*** *** ***");
	assert_masked(&echoes, "?key=querysecret&b&barequery", false, "?key=***&b&***");
	echoes_release(&echoes);
}

TEST(a_text_that_was_cut_may_end_within_one)
{
	struct echoes echoes = { .spellings = BUFFER_INIT };
	assert_masked(&echoes, "none", true, "none");
	echoes_add_header(&echoes, "X-Key: tokentoken-1");
	assert_masked(&echoes, "it was tokentoken", true, "it was ");
	assert_masked(&echoes, "it was tokentoken", false, "it was tokentoken");
	assert_masked(&echoes, "tokentoken-1", true, "***");
	echoes_release(&echoes);
}
