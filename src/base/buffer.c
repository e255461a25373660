#include "base/buffer.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

#define READ_BLOCK ((size_t)64 << 10)

void buffer_release(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer)BUFFER_FOR(b->whole);
}

void buffer_clear(struct buffer *b)
{
	b->length = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

static inline bool has_room(const struct buffer *b, size_t extra)
{
	return b->capacity > b->length && extra < b->capacity - b->length && !b->failed;
}

bool buffer_reserve(struct buffer *b, size_t extra)
{
	if (has_room(b, extra)) {
		b->data[b->length] = '\0'; /* for buffer_text(), in case nothing is appended */
		return true;
	}
	if (b->failed)
		return false;
	buffer_fail_if(b,
	               extra >= SIZE_MAX - b->length - 1 || !ARRAY_ROOM(b->data, b->capacity, b->length + extra + 1));
	if (!b->failed)
		b->data[b->length] = '\0';
	return !b->failed;
}

void buffer_append(struct buffer *b, const void *bytes, size_t length)
{
	if (!has_room(b, length) && !buffer_reserve(b, length))
		return;
	if (length > 0)
		memcpy(b->data + b->length, bytes, length);
	b->length += length;
	b->data[b->length] = '\0';
}

void buffer_append_repeat(struct buffer *b, char byte, size_t times)
{
	if (!buffer_reserve(b, times))
		return;
	memset(b->data + b->length, byte, times);
	b->length += times;
	b->data[b->length] = '\0';
}

void buffer_append_number(struct buffer *b, uint64_t number)
{
	char digits[24];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	buffer_append(b, digits + at, sizeof digits - at);
}

void buffer_vprintf(struct buffer *b, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	size_t room = buffer_reserve(b, 0) ? b->capacity - b->length : 0;
	int length = vsnprintf(room > 0 ? b->data + b->length : NULL, room, format, args);
	if (length >= 0 && (size_t)length < room) {
		b->length += (size_t)length;
	} else if (length >= 0 && buffer_reserve(b, (size_t)length)) {
		vsnprintf(b->data + b->length, (size_t)length + 1, format, again);
		b->length += (size_t)length;
	} else {
		buffer_fail_if(b, true);
		if (room > 0)
			b->data[b->length] = '\0';
	}
	va_end(again);
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buffer_vprintf(b, format, args);
	va_end(args);
}

int buffer_read(struct buffer *b, int fd, size_t most)
{
	while (b->length <= most) {
		if (!buffer_reserve(b, READ_BLOCK))
			return ENOMEM;
		ssize_t got = read(fd, b->data + b->length, READ_BLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		b->length += (size_t)got;
		b->data[b->length] = '\0';
	}
	return 0;
}

void buffer_wipe(struct buffer *b)
{
	if (b->data)
		OPENSSL_cleanse(b->data, b->capacity);
}

void buffer_swap(struct buffer *a, struct buffer *b)
{
	struct buffer *a_whole = a->whole, *b_whole = b->whole, old = *a;
	*a = *b;
	*b = old;
	a->whole = a_whole;
	b->whole = b_whole;
	buffer_fail_if(a, a->failed);
	buffer_fail_if(b, b->failed);
}

void buffer_consume(struct buffer *b, size_t length)
{
	if (length >= b->length) {
		bool failed = b->failed;
		buffer_clear(b);
		b->failed = failed;
		return;
	}
	memmove(b->data, b->data + length, b->length - length + 1);
	b->length -= length;
}

void buffer_consume_end(struct buffer *b, size_t length)
{
	b->length -= length < b->length ? length : b->length;
	if (b->data)
		b->data[b->length] = '\0';
}

void buffer_append_base64(struct buffer *b, const void *bytes, size_t length)
{
	buffer_fail_if(b, length > INT_MAX / 2);
	if (buffer_reserve(b, (length + 2) / 3 * 4))
		b->length += (size_t)EVP_EncodeBlock((unsigned char *)b->data + b->length, bytes, (int)length);
}

bool buffer_decode_base64(struct buffer *b, const char *text, size_t length)
{
	unsigned char last[5];
	size_t padding = 0, size = length / 4 * 3;
	while (padding < 2 && padding < length && text[length - padding - 1] == '=')
		padding++;
	if (length % 4 != 0 || length > INT_MAX)
		return false;
	for (size_t i = 0; i < length - padding; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '+' && text[i] != '/')
			return false;
	if (length == 0 || !buffer_reserve(b, size))
		return length == 0;
	unsigned char *to = (unsigned char *)b->data + b->length;
	EVP_DecodeBlock(to, (const unsigned char *)text, (int)length);
	EVP_EncodeBlock(last, to + size - 3, 3 - (int)padding); /* unused bits */
	bool good = memcmp(last, text + length - 4, 4) == 0;
	b->length += good ? size - padding : 0;
	b->data[b->length] = '\0';
	return good;
}

const char *buffer_text(const struct buffer *b)
{
	return b->data ? b->data : "";
}

bool array_room(void *array, size_t *capacity, size_t need, size_t size)
{
	void *items;
	memcpy(&items, array, sizeof items);
	if (items && need <= *capacity)
		return true;
	size_t wanted = *capacity < 16 ? 16 : *capacity;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 2)
			return false;
		wanted *= 2;
	}
	if (wanted > SIZE_MAX / size)
		return false;
	items = realloc(items, wanted * size);
	if (!items)
		return false;
	*capacity = wanted;
	memcpy(array, &items, sizeof items);
	return true;
}
