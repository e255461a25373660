/* What a page counts over time: in how many steps, and what comes at no time or before the first. */
#include "report/page.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS  INT64_C(1000) /* microseconds, as times are */
#define DAY (86400 * 1000 * MS)

static int make(void **state)
{
	*state = calloc(1, sizeof(struct page));
	return *state ? 0 : -1;
}

static int release(void **state)
{
	page_release(*state);
	free(*state);
	return 0;
}

static void add(struct page *p, int64_t at_us, enum grade grade, int64_t ns)
{
	page_add(p, &(struct page_item){ .at_us = at_us, .ns = ns, .grade = grade });
}

/* All cases are in the points, none beside them. */
static void assert_sum(const struct page *p, uint64_t expected)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < PAGE_POINTS; i++)
		sum += p->points[i].counts[PAGE_BY_GRADE][1];
	assert_int_equal(sum, expected);
	assert_int_equal(p->all.counts[PAGE_BY_GRADE][1], expected);
	assert_in_range(p->size, 1, PAGE_POINTS);
}

TEST_WITH(what_comes_before_the_first_counts_with_it, make, release)
{
	static const int64_t before[] = { 0, MS, 2 * MS, DAY, 20000 * DAY };
	struct page *p = *state;
	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
		add(p, 20001 * DAY - before[i], 1, (int64_t)i * 1000000);
	assert_int_equal(p->size, 1);
	assert_int_equal(p->points[0].counts[PAGE_BY_GRADE][1], 5);
	assert_int_equal(p->points[0].max_ns, 4000000);
	assert_int_equal(p->from_ms, 20001 * DAY / MS);
	assert_sum(p, 5);
}

TEST_WITH(what_has_no_time_is_in_no_point, make, release)
{
	struct page *p = *state;
	add(p, 0, 1, 5000);
	assert_int_equal(p->size, 0);
	assert_true(p->all.counts[PAGE_BY_GRADE][1] == 1 && p->all.measured == 1);
}

/* The last point that there is room for; a step later, the steps are twice as long. */
TEST_WITH(steps_become_longer_when_there_is_no_room, make, release)
{
	struct page *p = *state;
	add(p, DAY, 1, -1);
	add(p, DAY + (PAGE_POINTS - 1) * MS, 1, -1);
	assert_int_equal(p->step_ms, 1);
	assert_int_equal(p->size, PAGE_POINTS);
	assert_int_equal(p->points[PAGE_POINTS - 1].counts[PAGE_BY_GRADE][1], 1);
	add(p, DAY + PAGE_POINTS * MS, 1, -1);
	assert_int_equal(p->step_ms, 2);
	assert_int_equal(p->size, PAGE_POINTS / 2 + 1);
	assert_int_equal(p->points[PAGE_POINTS / 2 - 1].counts[PAGE_BY_GRADE][1], 1);
	assert_int_equal(p->points[PAGE_POINTS / 2].counts[PAGE_BY_GRADE][1], 1);
	assert_sum(p, 3);
	add(p, DAY + MS, 1, -1); /* an earlier one changes nothing else */
	assert_int_equal(p->size, PAGE_POINTS / 2 + 1);
	add(p, 30000 * DAY, 1, -1);
	assert_int_equal(p->points[0].counts[PAGE_BY_GRADE][1], 4);
	assert_int_equal(p->points[p->size - 1].counts[PAGE_BY_GRADE][1], 1);
	assert_sum(p, 5);
}

static const char *plots(struct page *p)
{
	static char text[4096];
	static const struct page_series kinds[PAGE_SERIES] = {
		{ GRADE_OK, "a" }, { GRADE_WARN, "b" }, { GRADE_FAIL, "c" }, { GRADE_NOTE, "d" }, { GRADE_SKIP, "e" }
	};
	RELEASED(buffer) json = BUFFER_INIT;
	p->series = kinds;
	page_append_counts(p, &json);
	assert_in_range(json.length, 1, sizeof text - 1);
	return strcpy(text, buffer_text(&json));
}

/* Up to an hour each response has a bucket; a longer one is in the last, whatever it took. */
TEST_WITH(a_response_that_took_days_is_in_the_last_bucket, make, release)
{
	struct page *p = *state;
	const int64_t hour = INT64_C(3600000000000);
	add(p, DAY, 0, hour);
	add(p, DAY, 0, 1000 * hour);
	add(p, DAY, 0, INT64_MAX);
	add(p, DAY, 0, 0);
	add(p, DAY, 0, 1000);
	add(p, DAY, 0, -1);
	add(p, DAY, 0, 1100);
	assert_int_equal(p->all.histogram[0], 2);
	assert_int_equal(p->all.histogram[1], 1);
	assert_int_equal(p->all.histogram[PAGE_BUCKETS - 2], 1); /* the hour */
	assert_int_equal(p->all.histogram[PAGE_BUCKETS - 1], 2);
	assert_int_equal(p->all.measured, 6);
	assert_non_null(strstr(plots(p), "\"counts\":[[[7],null,null,null,null,null],[[7],null"));
}
