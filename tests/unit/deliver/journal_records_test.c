/* How often records have ended, and what is noticed of a change. */
#include "deliver/journal_records.h"

/* clang-format off */
/* cmocka.h needs the others before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void ends_are_counted(void **state)
{
	struct journal_records records = { 0 };
	(void)state;
	for (uint64_t record = 1; record < 1000; record += 7)
		for (uint64_t times = 0; times < record; times++)
			assert_true(
			        journal_records_add(&records, 1 + record % 3, record, record << 3, times + 1 < record));
	for (uint64_t record = 1; record < 1000; record++) {
		struct journal_ends ends = journal_records_ends(&records, 1 + record % 3, record, record << 3);
		assert_true(ends.count == (record % 7 == 1 ? record : 0));
		assert_false(ends.accepted || ends.changed);
	}
	for (uint64_t left = 701; left-- > 0;) {
		journal_records_use(&records, 1 + 701 % 3, 701, false);
		assert_true(journal_records_ends(&records, 1 + 701 % 3, 701, 701 << 3).count == left);
	}
	journal_records_use(&records, 1 + 708 % 3, 708, true);
	assert_true(journal_records_ends(&records, 1 + 708 % 3, 708, 0).count == 0);
	journal_records_release(&records);
}

static void the_last_end_decides(void **state)
{
	struct journal_records records = { 0 };
	(void)state;
	assert_true(journal_records_add(&records, 5, JOURNAL_RECORD_MAX, 0, false));
	assert_false(journal_records_ends(&records, 5, JOURNAL_RECORD_MAX, 0).accepted);
	assert_true(journal_records_add(&records, 5, JOURNAL_RECORD_MAX, 0, true));
	assert_true(journal_records_ends(&records, 5, JOURNAL_RECORD_MAX, 0).accepted);
	assert_true(journal_records_ends(&records, 5, JOURNAL_RECORD_MAX, 0).count == 2);
	journal_records_release(&records);
}

static void another_record_is_noticed_mostly(void **state)
{
	struct journal_records records = { 0 };
	size_t noticed = 0;
	(void)state;
	assert_true(journal_records_add(&records, 5, 1, 0xabcdef, true));
	for (uint64_t hash = 0; hash < 256; hash++)
		noticed += journal_records_ends(&records, 5, 1, hash).changed;
	assert_int_equal(noticed, 256 / 32 * 31);
	journal_records_release(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_counted),
		cmocka_unit_test(the_last_end_decides),
		cmocka_unit_test(another_record_is_noticed_mostly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
