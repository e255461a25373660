/* A line of the shell becomes words. */
#include "cmd/shell/shell.h"
#include "test.h"

#include <string.h>

static const struct {
	const char *text;
	const char *words[6]; /* ends with NULL */
} splits[] = {
	{ "", { NULL } },
	{ "  \t ", { NULL } },
	{ "send user-created", { "send", "user-created", NULL } },
	{ "  a\tb  ", { "a", "b", NULL } },
	{ "a\r\n", { "a", NULL } },
	{ "# all of it", { NULL } },
	{ "wait 1s # a while", { "wait", "1s", NULL } },
	{ "save 1 a#b", { "save", "1", "a#b", NULL } },
	{ "a 'b c' \"d e\"", { "a", "b c", "d e", NULL } },
	{ "set x='a \"b\" \\n'", { "set", "x=a \"b\" \\n", NULL } },
	{ "\"a \\\"b\\\" \\\\ \\n\"", { "a \"b\" \\ \\n", NULL } },
	{ "a\\ b \\# \\'", { "a b", "#", "'", NULL } },
	{ "'' \"\"", { "", "", NULL } },
	{ "a''b'c'\"d\"", { "abcd", NULL } },
	{ "trailing\\", { "trailing\\", NULL } },
	{ "\xc3\xa4 '\xe2\x82\xac'", { "\xc3\xa4", "\xe2\x82\xac", NULL } },
};

TEST(words_are_split_as_written)
{
	struct line line = { .words = NULL };
	struct error err;
	for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
		size_t count = 0;
		assert_int_equal(line_split(&line, splits[i].text, strlen(splits[i].text), false, &err), 0);
		for (; splits[i].words[count]; count++) {
			assert_true(count < line.count);
			assert_string_equal(line.words[count], splits[i].words[count]);
		}
		assert_int_equal(line.count, count);
		assert_null(line.words[line.count]);
	}
	line_release(&line);
}

TEST(an_open_quote_is_refused)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "set 'a b", "unclosed quote '" },
		{ "\"", "unclosed quote \"" },
		{ "'a' b\"c\\\"", "unclosed quote \"" },
	};
	struct line line = { .words = NULL };
	struct error err;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(line_split(&line, cases[i].text, strlen(cases[i].text), false, &err), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_string_equal(err.message, cases[i].message);
	}
	assert_int_equal(line_split(&line, "a\0b", 3, false, &err), -1);
	line_release(&line);
}

TEST(what_is_half_typed_is_known_for_completion)
{
	static const struct {
		const char *text;
		size_t count;
		char quote;
		bool in_word;
		bool in_comment;
	} cases[] = {
		{ "", 0, 0, false, false },
		{ "se", 1, 0, true, false },
		{ "send ", 1, 0, false, false },
		{ "send us", 2, 0, true, false },
		{ "save 1 'a b", 3, '\'', true, false },
		{ "save \"", 2, '"', true, false },
		{ "a 'b'", 2, 0, true, false },
		{ "a # b", 1, 0, false, true },
	};
	struct line line = { .words = NULL };
	struct error err;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(line_split(&line, cases[i].text, strlen(cases[i].text), true, &err), 0);
		assert_int_equal(line.count, cases[i].count);
		assert_int_equal(line.quote, cases[i].quote);
		assert_int_equal(line.in_word, cases[i].in_word);
		assert_int_equal(line.in_comment, cases[i].in_comment);
	}
	line_release(&line);
}

TEST(what_holds_a_secret_is_told_from_the_rest)
{
	static const char *const secret[] = {
		"send all -H 'X-Any: value'",
		"send all --header 'Authorization: Bearer x' --to :1",
		"send all --header='Cookie: a=b'",
		"send all \"-HX-Team: a\"",
		"send all -kH X-Team:a",
		"send all -H forgotten-name",
		"listen --respond-header 'Set-Cookie: a'",
		"send all --to http://user:pass@host/",
		"send all --to=https://host/?key=abc",
		"send all -x user:pass@proxy:3128",
		"send all -kxuser:pass@proxy:3128",
		"send all --to 127.0.0.1:1/x?token=S",
		"listen 8080 --forward-to 127.0.0.1:1/x?token=S",
		"listen 8080 --forward-to=user:pass@host",
		"use http://token@host/",
		"use --json 127.0.0.1:1/?k=S",
		"send all -H 'X-Any: unfinished",
		"test --to :1 --observe 'curl -H \"X-Api: S\" x'",
		"test --to :1 --observe 'PGPASSWORD=S x'",
		"test --to :1 -- x --token S",
		"test --to :1 -- x --api-key=S",
		"test --to :1 -- sh -c 'x --token S'",
		"send user-created -u a:S --to :1",
	};
	static const char *const plain[] = {
		"",
		"send all",
		"send all -H 'Accept: a/b'",
		"send all --header=Content-Type:text/x -H User-Agent:me",
		"send all -H @headers",
		"send all -H X-Empty: --to :1",
		"send all -H",
		"send all --to http://host/path",
		"listen 8080 --forward-to :1/hook",
		"use 127.0.0.1:1/hook",
		"set details.city=a@b:c",
		"set details.appKey=x",
		"send all --to :1 --cert a.pem --key b.pem",
		"test --to :1 --observe 'cat kept.log' -- python3 app.py --port 8080",
		"send all -k --to :1 # -H 'X-Any: value'",
	};
	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		assert_true(line_holds_secret(secret[i], strlen(secret[i])));
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		assert_false(line_holds_secret(plain[i], strlen(plain[i])));
}
