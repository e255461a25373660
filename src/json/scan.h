/* The innermost loops of the room's readers and writers. Private to src/json. */
#ifndef CREDHOOK_JSON_SCAN_H
#define CREDHOOK_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* White space as RFC 8259 section 2 has it: space, tab, line feed, carriage return. */
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

/* The first byte from `at` on that is a quote, a backslash, a control character or outside ASCII, or `end`. */
static inline const char *json_skip_plain(const char *at, const char *end)
{
#ifdef __SSE2__
	for (; end - at >= 16; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		/* The comparison is signed: what lies outside ASCII is negative, and so below ' ' as well. */
		__m128i special = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
		special = _mm_or_si128(special, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
		special = _mm_or_si128(special, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
		int mask = _mm_movemask_epi8(special);
		if (mask != 0)
			return at + __builtin_ctz((unsigned)mask);
	}
#endif
	while (end - at >= 8 && json_eight_plain(at))
		at += 8;
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)(*at - ' ') < 0x80 - ' ')
		at++;
	return at;
}

#endif
