/* What is found in a table of rows. */
#include "cause/cause_internal.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void add_row(struct rows *rows, const char *code, const char *number, bool is_accepted)
{
	struct error err;
	char body[256];
	bool added;
	snprintf(
	        body, sizeof body,
	        "{\"service\":\"report\",\"event\":\"200\",\"method\":\"get\",\"path\":\"/api/report/v2\",\"details\":{"
	        "\"productCode\":\"%s\",\"offCycle\":\"%s\"}}",
	        code, number);
	const struct cause_request request = { .what = { .body = body, .length = strlen(body) },
		                               .side = is_accepted ? CAUSE_ACCEPTED : CAUSE_FAILED,
		                               .words = "",
		                               .sent_ns = (int64_t)(2 * rows->count),
		                               .finished_ns = (int64_t)(2 * rows->count + 1) };
	assert_int_equal(rows_add(rows, &request, false, &added, &err), 0);
	assert_true(added);
}

TEST(test_a_set_reaches_to_the_last_row)
{
	for (size_t at = 0; at < CAUSE_ROWS_MOST; at += 63) {
		struct bits some = { { 0 } }, none = { { 0 } }, all;
		memset(&all, 0xFF, sizeof all);
		bits_set(&some, at, true);
		assert_int_equal(bits_count(&some), 1);
		assert_true(bits_hold(&all, &some));
		assert_false(bits_hold(&none, &some));
		assert_true(bits_meet(&all, &some));
		assert_false(bits_meet(&none, &some));
		struct bits both = bits_and(&all, &some);
		assert_memory_equal(&both, &some, sizeof both);
		bits_remove(&all, &some);
		assert_int_equal(bits_count(&all), CAUSE_ROWS_MOST - 1);
		assert_false(bits_have(&all, at));
	}
}

/* Of as many requests as there are rows each is compared a few times, not with each other one. */
TEST(test_the_nearest_are_found_without_comparing_each_with_each)
{
	struct rows rows;
	struct error err;
	struct bits failed = { { 0 } };
	struct alike alike;
	char code[16], number[16];
	assert_int_equal(rows_init(&rows, &err), 0);
	for (size_t i = 0; i < CAUSE_ROWS_MOST; i++) {
		bool is_accepted = i % 2 == 0;
		/* Only those of one pair have the same code. */
		snprintf(code, sizeof code, "code-%zu", i == 1501 ? 700 : i);
		snprintf(number, sizeof number, "%zu", i % 64);
		add_row(&rows, code, number, is_accepted);
		bits_set(&failed, i, !is_accepted);
	}
	assert_int_equal(rows_settle(&rows, &err), 0);
	assert_true(search_alike(&rows, &failed, &alike));
	assert_true(bits_have(&failed, alike.failed) && bits_have(&rows.accepted, alike.accepted));
	assert_true(alike.compared >= CAUSE_ROWS_MOST / 2);
	assert_true(alike.compared <= ALIKE_ROUNDS_MOST * CAUSE_ROWS_MOST / 2);

	/* From the one it begins with, the pair is found. */
	memset(&failed, 0, sizeof failed);
	bits_set(&failed, 1501, true);
	bits_set(&failed, 1503, true);
	assert_true(search_alike(&rows, &failed, &alike));
	assert_int_equal(alike.failed, 1501);
	assert_int_equal(alike.accepted, 700);

	memset(&failed, 0, sizeof failed);
	assert_false(search_alike(&rows, &failed, &alike));
	rows_release(&rows);
}

/* From the first one that failed to the accepted one that is nearest, and back. */
TEST(test_the_nearest_are_looked_for_on_both_sides)
{
	struct rows rows;
	struct error err;
	struct bits failed = { { 0 } };
	struct alike alike;
	assert_int_equal(rows_init(&rows, &err), 0);
	add_row(&rows, "code-a", "1", true);
	add_row(&rows, "code-b", "2", false);
	add_row(&rows, "code-a", "1", false);
	bits_set(&failed, 1, true);
	bits_set(&failed, 2, true);
	assert_int_equal(rows_settle(&rows, &err), 0);
	assert_true(search_alike(&rows, &failed, &alike));
	assert_int_equal(alike.accepted, 0);
	assert_int_equal(alike.failed, 2);
	rows_release(&rows);
}
