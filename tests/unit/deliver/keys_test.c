#include "deliver/keys.h"
#include "test.h"

#include <stdlib.h>

/* More keys than buckets, left in another order than entered. */
TEST(test_many_keys)
{
	enum { MANY = 10000 };
	struct keys *keys = calloc(1, sizeof *keys);
	struct job *jobs = calloc(2 * MANY, sizeof *jobs);
	for (int i = 0; i < 2 * MANY; i++) {
		jobs[i].keyed = true;
		buffer_printf(&jobs[i].key, "key %d", i % MANY);
		assert_int_equal(keys_enter(keys, &jobs[i]), i < MANY);
	}
	for (int i = 0; i < MANY; i++)
		assert_ptr_equal(keys_leave(keys, &jobs[i * 7 % MANY]), &jobs[i * 7 % MANY + MANY]);
	for (int i = 0; i < 2 * MANY; i++) {
		assert_true(i < MANY || !keys_leave(keys, &jobs[i]));
		buffer_release(&jobs[i].key);
	}
	free(jobs);
	free(keys);
}
