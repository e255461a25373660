/* Sets of identifiers: each keeps its index while the set grows, and similar ones are told apart. */
#include "base/id_set.h"
#include "test.h"

#include <string.h>

static void make(struct id *id, uint32_t number, size_t at)
{
	memset(id, 0, sizeof *id);
	memcpy(id->bytes + at, &number, sizeof number);
}

TEST(each_keeps_its_index)
{
	struct id_set set = { 0 };
	struct id id;
	make(&id, 7, 0);
	assert_int_equal(id_set_find(&set, id.bytes), ID_NONE);
	for (uint32_t i = 0; i < 10000; i++) {
		make(&id, i, i % 13);
		uint32_t count = set.count, index = id_set_add(&set, id.bytes);
		assert_true(index == count ? set.count == count + 1 : set.count == count && index < count);
		assert_int_equal(id_set_add(&set, id.bytes), index);
		assert_memory_equal(set.ids[index].bytes, id.bytes, ID_SIZE);
	}
	for (uint32_t i = 0; i < set.count; i++)
		assert_int_equal(id_set_find(&set, set.ids[i].bytes), i);
	make(&id, 1000000, 3);
	assert_int_equal(id_set_find(&set, id.bytes), ID_NONE);
	id_set_release(&set);
	assert_int_equal(id_set_find(&set, id.bytes), ID_NONE);
}

TEST(one_bit_is_enough)
{
	struct id_set set = { 0 };
	struct id id = { { 0 } };
	for (unsigned bit = 0; bit < 8 * ID_SIZE; bit++) {
		id.bytes[bit / 8] = (unsigned char)(1U << bit % 8);
		assert_int_equal(id_set_add(&set, id.bytes), bit);
		id.bytes[bit / 8] = 0;
	}
	assert_int_equal(id_set_add(&set, id.bytes), 8 * ID_SIZE);
	id_set_release(&set);
}
