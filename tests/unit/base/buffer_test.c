/* A buffer keeps what it is given, stays terminated, and remembers a failure until it is cleared. */
#include "base/buffer.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(a_new_buffer_is_empty_text)
{
	struct buffer b = BUFFER_INIT;
	assert_string_equal(buffer_text(&b), "");
	buffer_consume(&b, 3);
	buffer_clear(&b);
	assert_int_equal(b.length, 0);
	buffer_release(&b);
	buffer_release(&b);
	assert_null(b.data);
}

TEST(reserving_leaves_a_terminated_text)
{
	RELEASED(buffer) b;
	b = (struct buffer)BUFFER_INIT;
	assert_true(buffer_reserve(&b, 1000));
	assert_true(b.capacity > 1000);
	assert_string_equal(buffer_text(&b), "");
	buffer_append(&b, "", 0);
	assert_string_equal(buffer_text(&b), "");
}

TEST(growing_byte_by_byte_keeps_every_byte)
{
	enum { SIZE = 100000 };
	RELEASED(buffer) b = BUFFER_INIT;
	size_t moves = 0, capacity = 0;
	for (size_t i = 0; i < SIZE; i++) {
		buffer_append_byte(&b, (char)(i % 251));
		moves += b.capacity != capacity;
		capacity = b.capacity;
		assert_int_equal(b.data[b.length], '\0');
	}
	assert_false(b.failed);
	assert_int_equal(b.length, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(b.data[i], (char)(i % 251));
	assert_true(moves < 20); /* it doubles; one move per byte would be quadratic */
}

TEST(every_way_to_append_adds_at_the_end)
{
	RELEASED(buffer) b = BUFFER_INIT;
	buffer_append(&b, "a\0b", 3);
	buffer_append_text(&b, "text");
	buffer_append_text(&b, "");
	buffer_append_byte(&b, '\0');
	buffer_append_repeat(&b, '-', 3);
	buffer_append_repeat(&b, '-', 0);
	buffer_printf(&b, "%d|%s|%05.1f", -7, "x", 2.25);
	static const char expected[] = "a\0btext\0----7|x|002.2";
	assert_int_equal(b.length, sizeof expected - 1);
	assert_memory_equal(b.data, expected, sizeof expected);
}

/* A text of each length around a power of two: the terminator must find room as well. */
TEST(printf_fits_at_every_length)
{
	for (int length = 0; length < 300; length++) {
		RELEASED(buffer) b = BUFFER_INIT;
		buffer_printf(&b, "%*s", length, "");
		buffer_printf(&b, "%*s", length, "");
		assert_int_equal(b.length, 2 * length);
		assert_int_equal(strlen(b.data), b.length);
	}
}

TEST(consume_removes_from_the_front)
{
	static const struct {
		size_t remove;
		const char *left;
	} rows[] = {
		{ 0, "0123456789" }, { 1, "123456789" }, { 9, "9" }, { 10, "" }, { 11, "" }, { SIZE_MAX, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) b = BUFFER_INIT;
		buffer_append_text(&b, "0123456789");
		buffer_consume(&b, rows[i].remove);
		assert_string_equal(buffer_text(&b), rows[i].left);
		assert_int_equal(b.length, strlen(rows[i].left));
		buffer_append_text(&b, "+");
		assert_int_equal(b.length, strlen(rows[i].left) + 1);
	}
}

TEST(a_failure_sticks_until_cleared)
{
	static const size_t absurd[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 5, SIZE_MAX - 6, SIZE_MAX / 2 + 2 };
	for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
		struct buffer b = BUFFER_INIT;
		buffer_append_text(&b, "kept");
		assert_false(buffer_reserve(&b, absurd[i]));
		assert_true(b.failed);
		assert_false(buffer_reserve(&b, 0));
		buffer_append_text(&b, "lost");
		buffer_append_byte(&b, 'x');
		buffer_append_repeat(&b, 'x', 5);
		buffer_printf(&b, "%d", 1);
		assert_string_equal(buffer_text(&b), "kept");
		buffer_consume(&b, 4);
		assert_true(b.failed);
		buffer_clear(&b);
		assert_false(b.failed);
		buffer_append_text(&b, "again");
		assert_string_equal(buffer_text(&b), "again");
		buffer_release(&b);
		assert_false(b.failed);
	}
}

TEST(a_buffer_fails_with_what_is_made_for_it)
{
	struct buffer whole = BUFFER_INIT, part = BUFFER_FOR(&whole), detail = BUFFER_FOR(&part);
	buffer_append_text(&detail, "kept");
	buffer_release(&detail);
	assert_false(buffer_reserve(&detail, SIZE_MAX));
	buffer_clear(&detail);
	assert_false(detail.failed);
	assert_true(part.failed);
	assert_true(whole.failed);
	struct buffer other = BUFFER_INIT, of_other = BUFFER_FOR(&other);
	buffer_fail_if(&other, true);
	assert_false(of_other.failed);
}

TEST(a_descriptor_is_read_to_its_end_or_a_little_past_the_most)
{
	static const struct {
		size_t bytes, most;
		bool whole;
	} cases[] = {
		{ 0, 0, true }, { 5, 5, true }, { 6, 5, false }, { 200000, 200000, true }, { 200000, 1000, false }
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		FILE *file = tmpfile();
		assert_non_null(file);
		for (size_t n = 0; n < cases[i].bytes; n++)
			assert_int_equal(putc('a' + (int)(n % 26), file), 'a' + (int)(n % 26));
		rewind(file);
		struct buffer b = BUFFER_INIT;
		buffer_append_text(&b, "");
		assert_int_equal(buffer_read(&b, fileno(file), cases[i].most), 0);
		assert_int_equal(b.length <= cases[i].most, cases[i].whole);
		assert_int_equal(strlen(buffer_text(&b)), b.length);
		if (cases[i].whole)
			assert_int_equal(b.length, cases[i].bytes);
		for (size_t n = 0; n < b.length; n++)
			assert_int_equal(b.data[n], 'a' + (int)(n % 26));
		buffer_release(&b);
		assert_int_equal(buffer_read(&b, -1, 5), EBADF);
		buffer_fail_if(&b, true);
		assert_int_equal(buffer_read(&b, fileno(file), SIZE_MAX / 2), ENOMEM);
		buffer_release(&b);
		fclose(file);
	}
}

TEST(arrays_grow_or_stay_as_they_are)
{
	size_t capacity = 0;
	uint64_t *array = NULL;
	for (size_t count = 0; count < 1000; count++) {
		assert_true(ARRAY_ROOM(array, capacity, count + 1));
		assert_true(capacity > count);
		array[count] = count;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	size_t before = capacity;
	uint64_t *const same = array;
	assert_true(ARRAY_ROOM(array, capacity, 5));
	assert_ptr_equal(array, same);
	static const size_t absurd[] = { SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 2 };
	for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
		assert_false(ARRAY_ROOM(array, capacity, absurd[i]));
		assert_int_equal(capacity, before);
		assert_int_equal(array[999], 999);
	}
	free(array);
}

/* Base64: the vectors of RFC 4648, any bytes there and back, and everything that is not base64 refused. */
TEST(rfc_4648_vectors)
{
	static const char *const vectors[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xfb\xff\xfe", "+//+" },
	};
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
		buffer_append_base64(&text, vectors[i][0], strlen(vectors[i][0]));
		assert_string_equal(buffer_text(&text), vectors[i][1]);
		assert_true(buffer_decode_base64(&bytes, vectors[i][1], strlen(vectors[i][1])));
		assert_string_equal(buffer_text(&bytes), vectors[i][0]);
	}
}

TEST(any_bytes_come_back)
{
	unsigned char in[257];
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(i * 7 + i / 3);
	for (size_t length = 0; length <= sizeof in; length++) {
		RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
		buffer_append_base64(&text, in, length);
		assert_int_equal(text.length, (length + 2) / 3 * 4);
		assert_true(buffer_decode_base64(&bytes, buffer_text(&text), text.length));
		assert_int_equal(bytes.length, length);
		assert_memory_equal(buffer_text(&bytes), in, length);
	}
}

TEST(a_swap_exchanges_bytes_and_not_what_buffers_are_made_for)
{
	RELEASED(buffer) whole = BUFFER_INIT, part = BUFFER_FOR(&whole), other = BUFFER_INIT, empty = BUFFER_INIT;
	buffer_append_text(&part, "part");
	buffer_append_text(&other, "another");
	buffer_swap(&part, &other);
	assert_string_equal(buffer_text(&part), "another");
	assert_string_equal(buffer_text(&other), "part");
	buffer_swap(&other, &empty);
	assert_int_equal(other.length, 0);
	assert_string_equal(buffer_text(&empty), "part");
	assert_false(whole.failed);
	buffer_fail_if(&other, true);
	buffer_swap(&part, &other);
	assert_true(part.failed && whole.failed && !other.failed);
}

TEST(what_is_no_base64_is_refused_and_leaves_nothing)
{
	static const char *const wrong[] = {
		"Z",      "Zg",   "Zg=",  "=",     "====",     "Zg==Zg==", "Zh==", "Zm9=", "Z===",
		"Zm9v\n", "Zm-_", "Zm 9", "Zm9vZ", "Zm9vZ===", "Zm9v====", "Z=g=", "=g==", "Zg=v",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		RELEASED(buffer) bytes = BUFFER_INIT;
		buffer_append_text(&bytes, "before");
		if (buffer_decode_base64(&bytes, wrong[i], strlen(wrong[i])))
			fail_msg("accepted: %s", wrong[i]);
		assert_string_equal(buffer_text(&bytes), "before");
	}
	RELEASED(buffer) bytes = BUFFER_INIT;
	assert_false(buffer_decode_base64(&bytes, "Zm\0v", 4));
}
