/* The innermost loops of the readers and writers. */
#ifndef CREDHOOK_JSON_SCAN_H
#define CREDHOOK_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* White space as in RFC 8259, section 2: space, tab, line feed, carriage return. */
static inline bool json_is_space(char c)
{
	const uint64_t spaces = 1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r';
	return (unsigned char)c <= ' ' && (spaces >> (unsigned char)c & 1) != 0;
}

static inline const char *json_skip_space(const char *at, const char *end)
{
	while (at < end && json_is_space(*at))
		at++;
	return at;
}

/* Whether none of eight bytes is a quote, a backslash, a control character or outside ASCII. */
static inline bool json_eight_plain(const char *at)
{
	const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
	uint64_t bytes;
	memcpy(&bytes, at, sizeof bytes);
	uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';
	return (((quote - ones) | (backslash - ones) | (bytes - ones * ' ') | bytes) & tops) == 0;
}

static inline bool json_is_plain(char c)
{
	return c != '"' && c != '\\' && (unsigned char)(c - ' ') < 0x80 - ' ';
}

#ifdef __SSE2__
/* A bit for each of sixteen bytes that is not plain. */
static inline unsigned json_sixteen_special(__m128i bytes)
{
	/* The comparison is signed: bytes outside ASCII are negative and so below ' ' too. */
	__m128i special = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
	return (unsigned)_mm_movemask_epi8(special);
}
#endif

/* The first byte that is a quote, a backslash, a control character or outside ASCII, or `end`. */
static inline const char *json_skip_plain(const char *at, const char *end)
{
#ifdef __SSE2__
	for (; end - at >= 16; at += 16) {
		unsigned special = json_sixteen_special(_mm_loadu_si128((const __m128i *)(const void *)at));
		if (special != 0)
			return at + __builtin_ctz(special);
	}
#endif
	while (end - at >= 8 && json_eight_plain(at))
		at += 8;
	while (at < end && json_is_plain(*at))
		at++;
	return at;
}

/* Copies what json_skip_plain() skips, and returns the same. `to` must have room for everything up to `end`, all of
 * which may be overwritten. Faster than memcpy() for the short strings of payloads. */
static inline const char *json_copy_plain(char *to, const char *at, const char *end)
{
#ifdef __SSE2__
	for (; end - at >= 16; at += 16, to += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		_mm_storeu_si128((__m128i *)(void *)to, bytes);
		unsigned special = json_sixteen_special(bytes);
		if (special != 0)
			return at + __builtin_ctz(special);
	}
#endif
	while (at < end && json_is_plain(*at))
		*to++ = *at++;
	return at;
}

#endif
