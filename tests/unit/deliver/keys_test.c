/* --keyed: one of each key at a time, in the order in which they came. */
#include "deliver/run_internal.h"
#include "test.h"

#include <stdlib.h>

static struct job *keyed(const char *key)
{
	struct job *job = calloc(1, sizeof *job);
	job->keyed = key != NULL;
	if (key)
		buffer_append_text(&job->key, key);
	return job;
}

TEST(test_one_after_the_other)
{
	struct keys *keys = calloc(1, sizeof *keys);
	struct job *a[3] = { keyed("a"), keyed("a"), keyed("a") }, *b = keyed("b"),
	           *none[2] = { keyed(NULL), keyed(NULL) };
	assert_true(keys_enter(keys, a[0]));
	assert_false(keys_enter(keys, a[1]));
	assert_true(keys_enter(keys, b));
	assert_false(keys_enter(keys, a[2]));
	assert_true(keys_enter(keys, none[0]) && keys_enter(keys, none[1]));
	assert_ptr_equal(keys_leave(keys, a[0]), a[1]);
	assert_null(keys_leave(keys, none[0]));
	assert_ptr_equal(keys_leave(keys, a[1]), a[2]);
	assert_null(keys_leave(keys, a[2]));
	assert_null(keys_leave(keys, b));
	assert_true(keys_enter(keys, a[0]));
	for (int i = 0; i < 3; i++)
		job_free(a[i]);
	job_free(b);
	job_free(none[0]);
	job_free(none[1]);
	free(keys);
}

/* More keys than buckets, left in another order than entered. */
TEST(test_many)
{
	enum { MANY = 10000 };
	struct keys *keys = calloc(1, sizeof *keys);
	struct job **jobs = calloc(2 * MANY, sizeof *jobs);
	for (int i = 0; i < 2 * MANY; i++) {
		jobs[i] = keyed("");
		buffer_printf(&jobs[i]->key, "key %d", i % MANY);
		assert_int_equal(keys_enter(keys, jobs[i]), i < MANY);
	}
	for (int i = 0; i < MANY; i++)
		assert_ptr_equal(keys_leave(keys, jobs[i * 7 % MANY]), jobs[i * 7 % MANY + MANY]);
	for (int i = 0; i < MANY; i++)
		assert_null(keys_leave(keys, jobs[i + MANY]));
	for (int i = 0; i < 2 * MANY; i++)
		job_free(jobs[i]);
	free(jobs);
	free(keys);
}
