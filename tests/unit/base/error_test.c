/* An error keeps what it was told, whole or cut between two characters. */
#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(an_error_keeps_what_it_was_told)
{
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

TEST(secrets_of_what_is_quoted_are_masked)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "http://me:secret@example.com/?a=secret", "'http://me:***@example.com/?a=***' it" },
		{ "http://example.com/a@b", "'http://example.com/a@b' it" },
		{ "http://me:sec ret@example.com", "'http://me:***@example.com' it" },
		{ "http://example.com/hook?key=secret x", "'http://example.com/hook?key=***' it" },
		{ "x=http://secret@h", "'x=http://***@h' it" },
		{ "a@b?c=1.json", "'a@b?c=1.json' it" }, /* a file */
		{ "://", "'://' it" },
	};
	struct error err;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		error_set(&err, EXIT_CODE_USAGE, "'%s' it", rows[i].text);
		assert_string_equal(err.message, rows[i].shown);
		error_set(&err, EXIT_CODE_USAGE, "'%s' it", "http://h/?a=1");
		assert_string_equal(err.message, "'http://h/?a=***' it");
	}
	/* What is typed has no ***. */
	error_hint(&err, "write %s", "http://me:secret@h/x");
	assert_string_equal(err.hint, "write URL");
	error_hint(&err, "write '%.*s'", 20, "http://me:secret@h/x");
	assert_string_equal(err.hint, "write 'URL'");
	error_hint(&err, "%s", "write --to 'http://h/?a=1' (or)");
	assert_string_equal(err.hint, "write --to 'URL' (or)");
	error_ask(&err, "%s", "me:secret@h");
	assert_string_equal(err.hint, "did you mean URL?");
	error_hint(&err, "write -H '%s'", "Authorization: Bearer secret");
	assert_string_equal(err.hint, "write -H 'NAME: VALUE'");
	error_hint(&err, "%s", "write http://HOST:PORT/PATH, localhost:3000/hook or :3000");
	assert_string_equal(err.hint, "write http://HOST:PORT/PATH, localhost:3000/hook or :3000");
	/* Before it is shortened. */
	char text[QUOTED_MAX + 64];
	memset(text, 'x', sizeof text);
	memcpy(text, "http://", 7);
	memcpy(text + sizeof text - 8, ":pw@h/x", 8);
	error_set(&err, EXIT_CODE_USAGE, "'%s'", text);
	assert_null(strstr(err.message, "pw"));
	memset(text, 'x', 20);
	memcpy(text, "http://x:", 9);
	error_set(&err, EXIT_CODE_USAGE, "'%s'", text);
	assert_string_equal(err.message, "'http://x:***@h/x'");
}

TEST(an_error_can_wrap_itself)
{
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
TEST(long_texts_are_cut_between_characters)
{
	static const char *const characters[] = { "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80" };
	const size_t room = sizeof((struct error *)0)->message - 1, hint_room = sizeof((struct error *)0)->hint - 1;
	for (size_t kind = 0; kind < 4; kind++) {
		for (size_t before = 0; before < 4; before++) {
			RELEASED(buffer) text = BUFFER_INIT;
			buffer_append_repeat(&text, '.', before);
			while (text.length < 2 * room)
				buffer_append_text(&text, characters[kind]);
			for (size_t length = room - 8; length < room + 8; length++) {
				struct error err;
				size_t size = kind + 1, whole = length - (length - before) % size;
				error_set(&err, EXIT_CODE_FAILED, "%.*s", (int)whole, text.data);
				int word =
				        (int)(180 - (180 - before) % size); /* in a hint, longer words are not shown */
				error_hint(&err, "%.*s %.*s %.*s", word, text.data, word, text.data, word, text.data);
				size_t fits = room - (room - before) % size;
				assert_int_equal(strlen(err.message), whole < fits ? whole : fits);
				assert_memory_equal(err.message, text.data, strlen(err.message));
				assert_true(strlen(err.hint) <= hint_room && strlen(err.hint) + size > hint_room);
				assert_int_equal(utf8_first_invalid(err.hint, strlen(err.hint)), strlen(err.hint));
			}
		}
	}
}

TEST(a_word_that_nobody_types_is_not_in_a_hint)
{
	struct error err;
	RELEASED(buffer) word = BUFFER_INIT;
	buffer_append_repeat(&word, 'x', QUOTED_MAX + 1);
	error_set(&err, EXIT_CODE_FAILED, "it failed");
	error_hint(&err, "write %s", buffer_text(&word));
	assert_string_equal(err.hint, "write VALUE");
	error_hint(&err, "write %s", buffer_text(&word) + 1);
	assert_int_equal(strlen(err.hint), strlen("write ") + QUOTED_MAX);
}

TEST(bytes_that_are_no_utf8_are_not_swallowed)
{
	RELEASED(buffer) text = BUFFER_INIT;
	buffer_append_repeat(&text, '\x80', 5000);
	struct error err;
	error_set(&err, EXIT_CODE_FAILED, "%s", buffer_text(&text));
	assert_in_range(strlen(err.message), sizeof err.message - 4, sizeof err.message - 1);
}

/* Of each size of character exactly 200 are quoted, and the words behind them are there. */
TEST(an_argument_is_quoted_up_to_a_length)
{
	static const char *const characters[] = { "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xFF", "'" };
	for (size_t kind = 0; kind < sizeof characters / sizeof characters[0]; kind++) {
		RELEASED(buffer) text = BUFFER_INIT, wanted = BUFFER_INIT;
		struct error err;
		for (int i = 0; i < QUOTED_MAX; i++)
			buffer_append_text(&text, characters[kind]);
		buffer_printf(&wanted, "curl's '%s': no", buffer_text(&text));
		error_set(&err, EXIT_CODE_IO, "curl's '%s': %s", buffer_text(&text), "no");
		assert_string_equal(err.message, buffer_text(&wanted));
		buffer_clear(&wanted);
		buffer_printf(&wanted, "'--%s...' is %d", buffer_text(&text), -7);
		buffer_append_text(&text, "bcdef");
		error_set(&err, EXIT_CODE_IO, "'--%.*s' is %d", (int)text.length, text.data, -7);
		assert_memory_equal(err.message, wanted.data, wanted.length - strlen("' is -7") - strlen("..."));
		assert_non_null(strstr(err.message, "...' is -7"));
		error_set(&err, EXIT_CODE_IO, "%s:%zu: %s", buffer_text(&text), (size_t)12, "why");
		assert_non_null(strstr(err.message, "...:12: why"));
	}
}

TEST(numbers_are_written_as_printf_does)
{
	struct error err;
	error_set(&err, EXIT_CODE_IO, "%d %u %ld %lu %lld %llu %zu %c %.*s%% %s", INT_MIN, UINT_MAX, LONG_MIN,
	          ULONG_MAX, LLONG_MIN, ULLONG_MAX, SIZE_MAX, 'c', 3, "abcdef", "end");
	char wanted[ERROR_MESSAGE_SIZE];
	snprintf(wanted, sizeof wanted, "%d %u %ld %lu %lld %llu %zu %c %.*s%% %s", INT_MIN, UINT_MAX, LONG_MIN,
	         ULONG_MAX, LLONG_MIN, ULLONG_MAX, SIZE_MAX, 'c', 3, "abcdef", "end");
	assert_string_equal(err.message, wanted);
}

/* When several exit codes apply: 3 over 4 over 1, and what is worse than those over them. */
static const enum exit_code mildest_first[] = { 0, 1, 4, 3, 2, 5, 130 };
#define COUNT (sizeof mildest_first / sizeof mildest_first[0])

TEST(the_worse_of_two_wins_in_either_order)
{
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++)
			assert_int_equal(exit_code_worse(mildest_first[i], mildest_first[j]),
			                 mildest_first[i > j ? i : j]);
}

TEST(every_code_has_one_row_with_a_meaning)
{
	assert_int_equal(exit_code_row_count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		size_t found = 0;
		for (size_t row = 0; row < exit_code_row_count; row++)
			found += exit_code_rows[row].code == mildest_first[i] && exit_code_rows[row].meaning[0] != '\0';
		assert_int_equal(found, 1);
	}
	for (size_t row = 1; row < exit_code_row_count; row++)
		assert_true(exit_code_rows[row - 1].code < exit_code_rows[row].code);
}
