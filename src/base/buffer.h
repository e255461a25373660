/*
 * A growing byte buffer, and a helper for growing arrays.
 *
 * The buffer remembers a failed allocation (`failed`): a caller appends freely and checks once at the end. Appending to
 * a failed buffer does nothing. One that is made for another (BUFFER_FOR) fails together with it.
 */
#ifndef CREDHOOK_BASE_BUFFER_H
#define CREDHOOK_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
	char *data; /* owned; NULL until the first append; else data[length] is '\0' */
	size_t length;
	size_t capacity;
	bool failed;          /* out of memory */
	struct buffer *whole; /* see BUFFER_FOR(); NULL: none */
};

/* A buffer whose text becomes part of `other`, which outlives it: where this one fails, the other one has failed, too.
 */
#define BUFFER_FOR(other)                                                                                              \
	{                                                                                                              \
		NULL, 0, 0, false, (other)                                                                             \
	}
#define BUFFER_INIT BUFFER_FOR(NULL)

/* A local variable that is released where its scope ends: LOCAL(text_list_release) struct text_list words = ...; */
#define LOCAL(release) __attribute__((cleanup(release)))
#define LOCAL_BUFFER   LOCAL(buffer_release) struct buffer
/* LOCAL(release_text) char *copy = strdup(text); */
static inline void release_text(char **text)
{
	free(*text);
}

void buffer_release(struct buffer *b); /* frees the bytes; the buffer is empty and usable again */
void buffer_clear(struct buffer *b);   /* keeps the memory; forgets a failure */

/* Where there was no memory for something that belongs into it. */
static inline void buffer_fail_if(struct buffer *b, bool no_memory)
{
	for (; no_memory && b; b = b->whole)
		b->failed = true;
}

/* Makes room for `extra` more bytes and a NUL. False: out of memory. Bytes to append must not be in the same buffer. */
bool buffer_reserve(struct buffer *b, size_t extra);
void buffer_append(struct buffer *b, const void *bytes, size_t length);
/* Inline, since records consist mostly of these: strlen() of a literal is a constant, and a byte needs no call. */
static inline void buffer_append_text(struct buffer *b, const char *text)
{
	buffer_append(b, text, strlen(text));
}
static inline void buffer_append_byte(struct buffer *b, char byte)
{
	if ((b->failed || b->capacity - b->length < 2) && !buffer_reserve(b, 1))
		return;
	b->data[b->length++] = byte;
	b->data[b->length] = '\0';
}
void buffer_append_repeat(struct buffer *b, char byte, size_t times);
void buffer_append_number(struct buffer *b, uint64_t number); /* decimal; much faster than buffer_printf() */
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* Reads the descriptor to its end, or until the buffer holds more than `most` bytes. Returns 0 or an errno,
 * ENOMEM too. */
int buffer_read(struct buffer *b, int fd, size_t most);
void buffer_wipe(struct buffer *b); /* overwrites the bytes with zeros, also where nobody reads them any more */
void buffer_swap(struct buffer *a, struct buffer *b); /* what they hold; not what they are made for */
/* Removes the first `length` bytes (at most all). */
void buffer_consume(struct buffer *b, size_t length);
/* Removes the last `length` bytes (at most all). */
void buffer_consume_end(struct buffer *b, size_t length);
/* Appends the bytes in base64 (RFC 4648, section 4): padded, one line. */
void buffer_append_base64(struct buffer *b, const void *bytes, size_t length);
/* Appends the bytes that a text in base64 stands for. Strict: whole groups of four, padding only at the end, unused
 * bits zero, no other characters, so that all bytes have one encoding. False: it is none; nothing is appended. */
bool buffer_decode_base64(struct buffer *b, const char *text, size_t length);
/* The text so far, never NULL. Borrowed: valid until the next append. */
const char *buffer_text(const struct buffer *b);

/* Makes room for `need` elements in an array (a pointer, NULL at first) that has room for `capacity` of them; both may
 * change. False: out of memory, and nothing has changed. */
#define ARRAY_ROOM(array, capacity, need) array_room(&(array), &(capacity), (need), sizeof *(array))
bool array_room(void *array, size_t *capacity, size_t need, size_t size);

#endif
