/* Variables that stand for secrets in commands for a shell. */
#include "cmd/shell_text.h"

/* cmocka.h wants these before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void assert_header(struct shell_secrets *secrets, const char *line, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	shell_append_header(&out, line, secrets);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

static void assert_url(struct shell_secrets *secrets, const char *url, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	shell_append_url(&out, url, "URL", secrets);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

static void every_value_has_a_variable(void **state)
{
	(void)state;
	struct shell_secrets secrets = { 0 };
	assert_header(&secrets, "Accept: a", " -H 'Accept: a'");
	assert_header(&secrets, "X-Empty;", " -H 'X-Empty;'");
	assert_url(&secrets, "http://a/b", "http://a/b");
	assert_false(secrets.any);
	assert_header(&secrets, "X-Token: a", " -H 'X-Token: '\"$X_TOKEN\"");
	assert_true(secrets.any);
	assert_header(&secrets, "X-Token:  a", " -H 'X-Token: '\"$X_TOKEN\"");
	assert_url(&secrets, "http://a/?t=a", "\"$URL\"");
	assert_int_equal(secrets.fresh.length, 0);
	assert_header(&secrets, "X-Token: b", " -H 'X-Token: '\"$X_TOKEN_2\"");
	assert_url(&secrets, "http://a/?t=b", "\"$URL_2\"");
	assert_string_equal(buffer_text(&secrets.fresh), "$X_TOKEN_2, $URL_2");
	buffer_clear(&secrets.fresh);
	assert_url(&secrets, "http://a/?t=c", "\"$URL_3\"");
	assert_string_equal(buffer_text(&secrets.fresh), "$URL_3");
	assert_url(&secrets, "http://a/?t=a", "\"$URL\"");
	assert_header(NULL, "X-Token: c", " -H 'X-Token: '\"$X_TOKEN\"");
	assert_string_equal(buffer_text(&secrets.fresh), "$URL_3");
	buffer_release(&secrets.fresh);
}

static void values_beyond_what_is_remembered_are_not_taken_for_others(void **state)
{
	(void)state;
	struct shell_secrets secrets = { 0 };
	struct buffer url = BUFFER_INIT, expected = BUFFER_INIT;
	for (int i = 1; i <= SHELL_SECRETS_MAX + 3; i++) {
		buffer_clear(&url);
		buffer_clear(&expected);
		buffer_printf(&url, "http://a/?t=%d", i);
		buffer_append_text(&expected, "\"$URL");
		if (i > 1)
			buffer_printf(&expected, "_%d", i);
		buffer_append_byte(&expected, '"');
		assert_url(&secrets, buffer_text(&url), buffer_text(&expected));
		buffer_clear(&secrets.fresh);
	}
	assert_url(&secrets, "http://a/?t=2", "\"$URL_2\"");
	assert_header(&secrets, "X-Token: a", " -H 'X-Token: '\"$X_TOKEN_516\"");
	buffer_release(&secrets.fresh);
	buffer_release(&url);
	buffer_release(&expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_has_a_variable),
		cmocka_unit_test(values_beyond_what_is_remembered_are_not_taken_for_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
