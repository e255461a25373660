/* An error keeps what it was told, whole or cut between two characters. */
#include "base/error.h"
#include "base/utf8.h"

/* clang-format off */
/* cmocka.h needs the others before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdlib.h>
#include <string.h>

static void an_error_keeps_what_it_was_told(void **state)
{
	(void)state;
	struct error err;
	memset(&err, 'x', sizeof err);
	assert_int_equal(error_set(&err, EXIT_CODE_IO, "cannot open '%s': %d", "f", 7), -1);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_string_equal(err.message, "cannot open 'f': 7");
	assert_string_equal(err.hint, "");
	assert_int_equal(error_hint(&err, "try '%s'", "g"), -1);
	assert_string_equal(err.hint, "try 'g'");
	assert_string_equal(err.message, "cannot open 'f': 7");
	assert_int_equal(error_set(&err, EXIT_CODE_USAGE, "other"), -1);
	assert_string_equal(err.hint, "");
	assert_int_equal(error_no_memory(&err), -1);
	assert_int_equal(err.code, EXIT_CODE_INTERNAL);
	assert_string_equal(err.message, "out of memory");
}

static void an_error_can_wrap_itself(void **state)
{
	(void)state;
	struct error err;
	error_set(&err, EXIT_CODE_FAILED, "a comma is missing");
	error_hint(&err, "write one");
	error_hint(&err, "%s, %s", err.hint, err.message);
	assert_string_equal(err.hint, "write one, a comma is missing");
	error_set(&err, err.code, "line %d: %s", 3, err.message);
	assert_string_equal(err.message, "line 3: a comma is missing");
	assert_int_equal(err.code, EXIT_CODE_FAILED);
}

/* Every length around the limit, with characters of every size: the cut text is the longest start that ends with one.
 */
static void long_texts_are_cut_between_characters(void **state)
{
	(void)state;
	static const char *const characters[] = { "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80" };
	const size_t room = sizeof((struct error *)0)->message - 1, hint_room = sizeof((struct error *)0)->hint - 1;
	for (size_t kind = 0; kind < 4; kind++) {
		for (size_t before = 0; before < 4; before++) {
			struct buffer text = BUFFER_INIT;
			buffer_append_repeat(&text, '.', before);
			while (text.length < 2 * room)
				buffer_append_text(&text, characters[kind]);
			for (size_t length = room - 8; length < room + 8; length++) {
				struct error err;
				size_t size = kind + 1, whole = length - (length - before) % size;
				error_set(&err, EXIT_CODE_FAILED, "%.*s", (int)whole, text.data);
				error_hint(&err, "%.*s", (int)whole, text.data);
				size_t fits = room - (room - before) % size;
				assert_int_equal(strlen(err.message), whole < fits ? whole : fits);
				assert_memory_equal(err.message, text.data, strlen(err.message));
				assert_int_equal(strlen(err.hint), hint_room - (hint_room - before) % size);
				assert_int_equal(utf8_first_invalid(err.hint, strlen(err.hint)), strlen(err.hint));
			}
			buffer_release(&text);
		}
	}
}

static void bytes_that_are_no_utf8_are_not_swallowed(void **state)
{
	(void)state;
	struct buffer text = BUFFER_INIT;
	buffer_append_repeat(&text, '\x80', 5000);
	struct error err;
	error_set(&err, EXIT_CODE_FAILED, "%s", buffer_text(&text));
	assert_int_equal(strlen(err.message), sizeof err.message - 1);
	buffer_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_keeps_what_it_was_told),
		cmocka_unit_test(an_error_can_wrap_itself),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(bytes_that_are_no_utf8_are_not_swallowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
