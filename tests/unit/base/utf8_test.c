/* Decoding is held to the grammar of RFC 3629, section 4; what reaches a terminal obeys nobody. */
#include "base/utf8.h"
#include "test.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* UTF8-1 to UTF8-4 of RFC 3629, section 4: the ranges of each byte. */
static const struct form {
	size_t size;
	unsigned char range[4][2];
} forms[] = {
	{ 1, { { 0x00, 0x7F } } },
	{ 2, { { 0xC2, 0xDF }, { 0x80, 0xBF } } },
	{ 3, { { 0xE0, 0xE0 }, { 0xA0, 0xBF }, { 0x80, 0xBF } } },
	{ 3, { { 0xE1, 0xEC }, { 0x80, 0xBF }, { 0x80, 0xBF } } },
	{ 3, { { 0xED, 0xED }, { 0x80, 0x9F }, { 0x80, 0xBF } } },
	{ 3, { { 0xEE, 0xEF }, { 0x80, 0xBF }, { 0x80, 0xBF } } },
	{ 4, { { 0xF0, 0xF0 }, { 0x90, 0xBF }, { 0x80, 0xBF }, { 0x80, 0xBF } } },
	{ 4, { { 0xF1, 0xF3 }, { 0x80, 0xBF }, { 0x80, 0xBF }, { 0x80, 0xBF } } },
	{ 4, { { 0xF4, 0xF4 }, { 0x80, 0x8F }, { 0x80, 0xBF }, { 0x80, 0xBF } } },
};

static size_t size_by_grammar(const unsigned char *bytes, size_t length)
{
	for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
		size_t i = 0;
		while (i < forms[f].size && i < length && bytes[i] >= forms[f].range[i][0] &&
		       bytes[i] <= forms[f].range[i][1])
			i++;
		if (i == forms[f].size)
			return i;
	}
	return 0;
}

static void check_against_grammar(const unsigned char *bytes, size_t length)
{
	uint32_t code_point = 0;
	size_t expected = size_by_grammar(bytes, length);
	size_t got = utf8_decode((const char *)bytes, length, &code_point);
	if (got != expected)
		fail_msg("%02X %02X %02X %02X (%zu bytes): size %zu, expected %zu", bytes[0], bytes[1], bytes[2],
		         bytes[3], length, got, expected);
}

TEST(every_code_point_comes_back)
{
	for (uint32_t c = 0; c <= 0x10FFFF; c++) {
		if (c >= 0xD800 && c <= 0xDFFF)
			continue;
		char bytes[4];
		uint32_t back = UINT32_MAX;
		size_t size = utf8_encode(c, bytes);
		size_t expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		if (size != expected || utf8_decode(bytes, size, &back) != size || back != c)
			fail_msg("U+%04X: %zu bytes, came back as U+%04X", (unsigned)c, size, (unsigned)back);
		for (size_t cut = 0; cut < size; cut++)
			if (utf8_decode(bytes, cut, &back) != 0)
				fail_msg("U+%04X cut to %zu bytes was accepted", (unsigned)c, cut);
	}
}

TEST(every_short_sequence_follows_the_grammar)
{
	unsigned char bytes[4] = { 0 };
	for (unsigned n = 0; n < 0x1000000; n++) {
		bytes[0] = (unsigned char)(n >> 16);
		bytes[1] = (unsigned char)(n >> 8);
		bytes[2] = (unsigned char)n;
		check_against_grammar(bytes, 3);
		if (bytes[2] == 0)
			check_against_grammar(bytes, 2);
		if (bytes[2] == 0 && bytes[1] == 0)
			check_against_grammar(bytes, 1);
	}
}

/* Of the 2^32 sequences of four bytes, those at the edges of any range. */
TEST(every_edge_of_four_bytes_follows_the_grammar)
{
	static const unsigned char edges[] = { 0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
		                               0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
		                               0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFC, 0xFE, 0xFF };
	const size_t count = sizeof edges;
	for (size_t n = 0; n < count * count * count * count; n++) {
		unsigned char bytes[4] = { edges[n % count], edges[n / count % count], edges[n / count / count % count],
			                   edges[n / count / count / count] };
		check_against_grammar(bytes, 4);
	}
}

TEST(the_first_invalid_byte_is_found)
{
	static const struct {
		const char *what, *text;
		size_t at, count; /* at the length: none is invalid */
	} rows[] = {
		{ "nothing", "", 0, 0 },
		{ "ASCII", "abc", 3, 3 },
		{ "all sizes", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10, 4 },
		{ "lone continuation", "ab\x80", 2, 3 },
		{ "overlong slash", "a\xC0\xAF", 1, 3 },
		{ "surrogate", "ab\xED\xA0\x80z", 2, 6 },
		{ "cut after one byte", "a\xE2", 1, 2 },
		{ "cut by another character", "\xE2\x82\xC3\xA9", 0, 3 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		/* In memory of exactly its size: a sanitizer sees a read past the end. */
		size_t length = strlen(rows[i].text);
		char *text = malloc(length ? length : 1);
		assert_non_null(text);
		memcpy(text, rows[i].text, length);
		size_t at = utf8_first_invalid(text, length), count = utf8_count(text, length);
		free(text);
		if (at != rows[i].at || count != rows[i].count)
			fail_msg("%s: first invalid %zu, expected %zu; %zu characters, expected %zu", rows[i].what, at,
			         rows[i].at, count, rows[i].count);
	}
}

TEST(what_a_terminal_would_obey_is_escaped)
{
	static const struct {
		const char *text;
		size_t length;
		const char *safe;
	} rows[] = {
		{ "", 0, "" },
		{ "plain text, 100% \"quoted\" \\n", 28, "plain text, 100% \"quoted\" \\n" },
		{ "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", 14, "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80" },
		{ "a\nb\tc\rd", 7, "a\\nb\\tc\\x0Dd" },
		{ "\0", 1, "\\x00" },
		{ "\x1B[2J\a\b", 6, "\\x1B[2J\\x07\\x08" },
		{ "\x1F \x7E\x7F", 4, "\\x1F ~\\x7F" },
		{ "\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0", 8, "\\u{0080}\\u{009B}\\u{009F}\\u{00A0}" },
		{ "\x9B"
		  "31m",
		  4, "\\x9B31m" },
		{ "\xC0\x9B\xED\xA0\x80\xFF", 6, "\\xC0\\x9B\\xED\\xA0\\x80\\xFF" },
		{ "\xE2\x82", 2, "\\xE2\\x82" },
		{ "\xE2\x80\x8E\xE2\x80\x8F", 6, "\\u{200E}\\u{200F}" },
		{ "\xE2\x80\xA8\xE2\x80\xAA\xE2\x80\xAE\xE2\x80\xAF", 12, "\\u{2028}\\u{202A}\\u{202E}\\u{202F}" },
		{ "\xE2\x81\xA6\xE2\x81\xA9", 6, "\\u{2066}\\u{2069}" },
		{ "\xD8\x9C\xEF\xBB\xBF", 5, "\\u{061C}\\u{FEFF}" },
		{ "\xE2\x80\x8A\xE2\x80\x8B\xE2\x80\x8D", 9, "\\u{200A}\\u{200B}\\u{200D}" },
		{ "\xE3\x80\x80\xE2\xA0\x80\xE2\xA0\x81", 9, "\\u{3000}\\u{2800}\xE2\xA0\x81" },
		{ "\xE2\x81\x9F\xE2\x81\xA0\xE2\x81\xA4\xE2\x81\xAF", 12, "\\u{205F}\\u{2060}\\u{2064}\\u{206F}" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		buffer_append_text(&out, ">");
		utf8_append_safe(&out, rows[i].text, rows[i].length);
		if (strcmp(buffer_text(&out) + 1, rows[i].safe) != 0)
			fail_msg("row %zu: \"%s\", expected \"%s\"", i, buffer_text(&out) + 1, rows[i].safe);
	}
}

TEST(what_is_obeyed_or_unseen_is_known)
{
	static const uint32_t obeyed[] = { 0,      0x1F,   0x7F,    0x9F,    0xAD,    0x34F,  0x61C,  0x115F,  0x1160,
		                           0x180E, 0x200B, 0x200F,  0x2028,  0x202E,  0x2060, 0x206F, 0x3164,  0xFEFF,
		                           0xA0,   0x1680, 0x2000,  0x202F,  0x205F,  0x2800, 0x3000, 0x1D159, 0xFFA0,
		                           0xFFF9, 0xFFFB, 0xE0000, 0xE0001, 0xE0020, 0xE007F };
	static const uint32_t shown[] = { 0x20,   0x7E,   0xA1,   0xAC,   0xAE,   0x301,   0x115E,  0x1161,  0x2010,
		                          0x2027, 0x2030, 0x205E, 0x2070, 0x27FF, 0x2801,  0x2FFF,  0x3001,  0x3163,
		                          0x3165, 0xFE0F, 0xFFF8, 0xFFFC, 0xFFFD, 0x1F600, 0xE0080, 0xE0100, 0x10FFFF };
	for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++)
		if (!utf8_is_unsafe(obeyed[i]))
			fail_msg("U+%04X", (unsigned)obeyed[i]);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		if (utf8_is_unsafe(shown[i]))
			fail_msg("U+%04X", (unsigned)shown[i]);
}

TEST(widths_are_those_of_a_terminal)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	static const struct {
		uint32_t code_point;
		int width;
	} rows[] = {
		{ 'a', 1 },    { ' ', 1 },      { 0x1B, 1 },   { 0x7F, 1 },   { 0xE9, 1 },
		{ 0x301, 0 },  { 0x20AC, 1 },   { 0x4E2D, 2 }, { 0xAC00, 2 }, { 0x1F600, 2 },
		{ 0x200B, 0 }, { 0x10FFFF, 1 }, { 0x378, 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (utf8_width(rows[i].code_point) != rows[i].width)
			fail_msg("U+%04X: width %d, expected %d", (unsigned)rows[i].code_point,
			         utf8_width(rows[i].code_point), rows[i].width);
}

TEST(of_safe_lines_only_the_newlines_are_obeyed)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "\n", "\n" },
		{ "a\n\nb", "a\n\nb" },
		{ "a\033\r\nb\n", "a\\x1B\\x0D\nb\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		utf8_append_safe_lines(&out, rows[i][0], strlen(rows[i][0]));
		assert_string_equal(buffer_text(&out), rows[i][1]);
	}
}
