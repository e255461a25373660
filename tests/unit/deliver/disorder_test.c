/* --reorder and --duplicate: who goes where, how far, how often, and at what time. */
#include "deliver/disorder.h"

/* cmocka.h wants these before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>

enum { RECORDS = 5000, MOST = 2 * RECORDS };

/* Records 1 to `count`, due at 10, 20, ... */
struct numbers {
	struct disorder *disorder;
	uint64_t count;
	uint64_t next;
	size_t body;    /* bytes of each */
	unsigned later; /* nothing can be read so many times */
};

static enum job_got next_number(void *context, struct job *job, struct error *err)
{
	struct numbers *n = context;
	(void)err;
	if (n->later > 0 && n->next % 3 == 0) {
		n->later--;
		return JOB_LATER;
	}
	if (n->next == n->count)
		return JOB_NONE;
	job->twice = disorder_duplicates(n->disorder, n->next);
	job->record = ++n->next;
	job->due_ns = (int64_t)job->record * 10;
	buffer_append_repeat(&job->body, 'x', n->body);
	buffer_printf(&job->url, "http://127.0.0.1/%d", (int)job->record);
	return job_add_header(job, "A", 1, "1", 1) && job_add_header(job, "B", 1, "2", 1) ? JOB_FILLED : JOB_FAILED;
}

struct sequence {
	uint64_t records[MOST];
	bool duplicates[MOST];
	size_t count;
	size_t reordered;
	uint64_t read_ahead; /* at most */
};

static struct sequence *run_through(struct numbers *n, const struct disorder_options *options)
{
	struct sequence *s = calloc(1, sizeof *s);
	struct job *job = calloc(1, sizeof *job);
	const struct job_source source = { next_number, NULL, n };
	struct error err;
	int64_t due = 0;
	n->disorder = disorder_new(&source, options);
	for (enum job_got got; (got = disorder_next(n->disorder, job, &err)) != JOB_NONE; job_clear(job)) {
		if (got == JOB_LATER)
			continue;
		assert_int_equal(got, JOB_FILLED);
		assert_true(s->count < MOST && job->body.length == n->body && job->headers.count == 2);
		assert_string_equal(job->headers.items[1], "B: 2");
		/* The time is that of the place, and a duplicate does not wait. */
		due += job->duplicate ? 0 : 10;
		assert_int_equal(job->due_ns, due);
		s->reordered += job->reordered;
		s->duplicates[s->count] = job->duplicate;
		s->records[s->count++] = job->record;
		if (n->next - (uint64_t)due / 10 > s->read_ahead)
			s->read_ahead = n->next - (uint64_t)due / 10;
	}
	disorder_free(n->disorder);
	job_free(job);
	return s;
}

static int64_t distance(uint64_t a, uint64_t b)
{
	return (int64_t)a - (int64_t)b;
}

/* Each record once, no further than `places` from its own place, and duplicates behind their records. */
static void check_sequence(const struct sequence *s, uint64_t records, int64_t places)
{
	uint64_t *seen = calloc(records + 1, sizeof *seen), place = 0, late = 0, ahead = 0;
	int64_t behind = places > DISORDER_DUPLICATE_PLACES ? places : DISORDER_DUPLICATE_PLACES;
	for (size_t i = 0; i < s->count; i++) {
		uint64_t record = s->records[i];
		if (s->duplicates[i]) {
			assert_true(seen[record] > 0 && distance(place, seen[record]) <= places + behind);
			continue;
		}
		assert_int_equal(seen[record], 0);
		seen[record] = ++place;
		assert_true(llabs(distance(place, record)) <= places);
		late += record < ahead;
		ahead = record > ahead ? record : ahead;
	}
	assert_int_equal(place, records);
	assert_int_equal(late, s->reordered);
	free(seen);
}

static void test_each_once_and_not_far(void **state)
{
	(void)state;
	static const unsigned places[] = { 1, 2, 7, 100, DISORDER_PLACES_MAX };
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		for (uint64_t records = 0; records <= RECORDS; records = records * 7 + 1) {
			struct disorder_options options = { places[i], 0, 42 };
			struct numbers n = { .count = records, .body = 10, .later = 10 };
			struct sequence *s = run_through(&n, &options);
			check_sequence(s, records, places[i]);
			assert_true(s->read_ahead <= places[i]);
			/* Most of them move. */
			assert_true(records < 100 || s->reordered > records / 5);
			free(s);
		}
}

static void test_duplicates(void **state)
{
	(void)state;
	static const struct disorder_options runs[] = { { 0, 0.1, 1 }, { 5, 0.1, 2 }, { 200, 0.5, 3 }, { 3, 1, 4 } };
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct numbers n = { .count = RECORDS, .body = 10 };
		struct sequence *s = run_through(&n, &runs[i]);
		check_sequence(s, RECORDS, runs[i].places);
		assert_in_range(s->count, RECORDS * (1 + runs[i].duplicates * 0.85),
		                RECORDS * (1 + runs[i].duplicates * 1.15));
		free(s);
	}
}

static void test_a_seed_repeats_it(void **state)
{
	(void)state;
	struct disorder_options options = { 10, 0.2, 5 };
	struct numbers n = { .count = RECORDS }, again = n, other = n;
	struct sequence *first = run_through(&n, &options), *second = run_through(&again, &options);
	options.seed++;
	struct sequence *third = run_through(&other, &options);
	assert_memory_equal(first, second, sizeof *first);
	assert_memory_not_equal(first->records, third->records, sizeof first->records);
	free(first);
	free(second);
	free(third);
}

/* Large bodies are not hoarded: the records move less far. */
static void test_large_bodies(void **state)
{
	(void)state;
	struct disorder_options options = { DISORDER_PLACES_MAX, 0, 1 };
	struct numbers n = { .count = 200, .body = 1 << 20 };
	struct sequence *s = run_through(&n, &options);
	check_sequence(s, 200, DISORDER_PLACES_MAX);
	assert_in_range(s->read_ahead, 2, 5);
	assert_true(s->reordered > 0);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once_and_not_far),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_a_seed_repeats_it),
		cmocka_unit_test(test_large_bodies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
