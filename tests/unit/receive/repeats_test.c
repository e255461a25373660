/* Whether a body came before, byte for byte. */
#include "receive/notification.h"
#include "test.h"

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
	assert_true(again.nth == 2 && again.of == 2 && again.after_us < COUNT * 1000000);
	free(repeats);
}
