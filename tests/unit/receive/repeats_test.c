/* Whether a body came before, byte for byte. */
#include "receive/notification.h"
#include "test.h"

#include <stdio.h>

static struct repeat note(struct repeats *repeats, const char *body, uint64_t seq)
{
	const struct text text = text_of(body);
	return repeats_note(repeats, &text, seq, (int64_t)seq * 1000000);
}

TEST(the_same_bytes_repeat_the_first)
{
	static const char *const bodies[] = { "",
		                              "x",
		                              "{}",
		                              "[]",
		                              "[1,2]",
		                              "[2,1]",
		                              "[2, 1]",
		                              "{\"a\":1}",
		                              "null",
		                              "12345678",
		                              "false",
		                              "123456789",
		                              "1234567890123456",
		                              "12345678901234567" };
	enum { COUNT = sizeof bodies / sizeof bodies[0] };
	struct repeats *repeats = repeats_new();
	assert_non_null(repeats);
	for (uint64_t i = 0; i < COUNT; i++)
		if (note(repeats, bodies[i], i + 1).nth != 0)
			fail_msg("'%s' is not new", bodies[i]);
	for (uint64_t i = 0; i < COUNT; i++) {
		struct repeat repeat = note(repeats, bodies[i], COUNT + i + 1);
		assert_true(repeat.nth == 1 && repeat.of == i + 1 && repeat.after_us == COUNT * 1000000);
	}
	struct repeat again = note(repeats, "x", 2 * COUNT + 1);
	assert_true(again.nth == 2 && again.of == 2 && again.after_us == (2 * COUNT - 1) * 1000000);
	free(repeats);
}

static struct repeat note_number(struct repeats *repeats, int number, uint64_t seq)
{
	char body[16];
	snprintf(body, sizeof body, "%d", number);
	return note(repeats, body, seq);
}

/* One that keeps coming is remembered, however many others come between. */
TEST(what_was_not_received_for_longest_is_forgotten)
{
	struct repeats *repeats = repeats_new();
	uint64_t seq = 0;
	int remembered = 0;
	assert_non_null(repeats);
	note(repeats, "often", ++seq);
	for (int i = 1; i <= 4 * REPEATS_MOST; i++) {
		assert_int_equal(note_number(repeats, i, ++seq).nth, 0);
		struct repeat repeat = note(repeats, "often", ++seq);
		if (repeat.nth != (uint64_t)i || repeat.of != 1)
			fail_msg("forgotten after %d others", i);
	}
	/* The last of them are known, but for a few: where each goes is by chance. */
	for (int i = 4 * REPEATS_MOST; i > 0; i--)
		remembered += note_number(repeats, i, ++seq).nth > 0;
	assert_in_range(remembered, REPEATS_MOST - REPEATS_MOST / 100, REPEATS_MOST - 1);
	free(repeats);
}
