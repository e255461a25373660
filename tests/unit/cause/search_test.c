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

/* How many accepted rows have the fact. */
static size_t accepted_with(const struct rows *rows, size_t fact)
{
	struct bits both = bits_and(&rows->facts[fact].rows, &rows->accepted);
	return bits_count(&both);
}

/* Six were accepted, of which each has a text less of those that the failed one has; the last one has none. */
TEST(test_what_the_fewest_have_may_be_named_next)
{
	static const char *const members[] = { "bureau", "alertType", "firstName", "productCode", "lastName" };
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	const struct rows *rows = &finder->rows;
	size_t next[ROUND_NEXT_MOST], others = 0;
	for (size_t i = 0; i < 7; i++) {
		char body[256] = "{\"details\":{\"offCycle\":\"true\"";
		for (size_t m = i == 6 ? 0 : i; m < 5; m++)
			snprintf(body + strlen(body), sizeof body - strlen(body), ",\"%s\":\"a'%zu\"", members[m], m);
		strcat(body, "}}");
		const struct cause_request request = { .what = { .body = body, .length = strlen(body) },
			                               .side = i < 6 ? CAUSE_ACCEPTED : CAUSE_FAILED,
			                               .words = "" };
		assert_int_equal(cause_add(finder, &request, &err), 0);
	}
	assert_int_equal(rows_settle(&finder->rows, &err), 0);
	struct bits failed = { { 0 } };
	bits_set(&failed, 6, true);
	const struct named named = { .against = rows->accepted };
	assert_int_equal(rounds_next(finder, &failed, &named, next), ROUND_NEXT_MOST);
	for (size_t i = 1; i < ROUND_NEXT_MOST; i++) {
		size_t before = accepted_with(rows, next[i - 1]), count = accepted_with(rows, next[i]);
		assert_true(before < count ||
		            (before == count && rows->facts[next[i - 1]].kind <= rows->facts[next[i]].kind));
	}
	/* Those are left out that more have. */
	for (size_t fact = 0; fact < rows->fact_count; fact++) {
		bool is_next = false;
		for (size_t i = 0; i < ROUND_NEXT_MOST; i++)
			is_next |= next[i] == fact;
		if (is_next || !search_covers(rows, fact, &failed) || rows->facts[fact].kind == FACT_KIND ||
		    bits_hold(&rows->facts[fact].rows, &rows->accepted))
			continue;
		assert_true(accepted_with(rows, fact) >= accepted_with(rows, next[ROUND_NEXT_MOST - 1]));
		others++;
	}
	assert_true(others > 0);
	/* Nothing tells it apart from one that has all of it. */
	struct named alike = { .count = 0 };
	bits_set(&alike.against, 0, true);
	assert_int_equal(rounds_next(finder, &failed, &alike, next), 0);
	cause_finder_free(finder);
}
