/* The store of what arrived: bounded, found by number. */
#include "receive/history.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct history_entry *made(uint64_t number, bool valid, size_t length)
{
	struct history_entry *n = calloc(1, sizeof *n);
	assert_non_null(n);
	n->arrival.seq = n->seq = number;
	n->arrival.is_checked = true;
	n->arrival.is_valid = valid;
	n->length = length;
	n->record = strdup("{}\n");
	return n;
}

static struct history *new_store(void)
{
	struct history *store = calloc(1, sizeof *store);
	assert_non_null(store);
	return store;
}

static void free_store(struct history *store)
{
	history_release(store);
	free(store);
}

TEST(those_that_are_kept_are_found_by_number)
{
	struct history *store = new_store();
	assert_null(history_find(store, store->count, 1));
	history_add(store, made(1, true, 3));
	history_add(store, made(2, false, 3));
	history_add(store, made(4, true, 3));
	assert_int_equal(history_find(store, store->count, 2)->arrival.seq, 2);
	assert_int_equal(history_find(store, store->count, 4)->arrival.seq, 4);
	assert_null(history_find(store, store->count, 3));
	store->arrived = (struct history_counts){ 2, 1, 0 };
	struct history *other = new_store();
	other->arrived.unchecked = 5;
	history_add(other, made(5, true, 3));
	history_move(other, store);
	assert_true(other->count == 0 && history_counted(&other->arrived) == 0);
	assert_int_equal(history_find(store, store->count, 5)->arrival.seq, 5);
	assert_int_equal(history_counted(&store->arrived), 8);
	free_store(other);
	free_store(store);
}

TEST(the_oldest_make_room_for_the_latest)
{
	struct history *store = new_store();
	for (uint64_t i = 1; i <= HISTORY_COUNT_MAX + 5; i++)
		history_add(store, made(i, true, 3));
	assert_int_equal(store->count, HISTORY_COUNT_MAX);
	assert_null(history_find(store, store->count, 5));
	assert_non_null(history_find(store, store->count, 6));
	history_add(store, made(5000, true, HISTORY_BYTES_MAX - 3 * 10));
	assert_int_equal(store->count, 11);
	assert_true(store->bytes <= HISTORY_BYTES_MAX);
	history_add(store, made(5001, true, HISTORY_BYTES_MAX + 1));
	assert_int_equal(store->count, 1);
	free_store(store);
}
