/* A header is masked unless its name is known to be harmless. */
#include "http/secrets.h"
#include "test.h"

#include <string.h>

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
