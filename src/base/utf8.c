#include "base/utf8.h"

#include <string.h>
#include <wchar.h>

size_t utf8_decode(const char *text, size_t length, uint32_t *code_point)
{
	const unsigned char *s = (const unsigned char *)text;
	if (length == 0)
		return 0;
	if (s[0] < 0x80) {
		*code_point = s[0];
		return 1;
	}
	size_t size = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4 || size > length)
		return 0;
	uint32_t value = s[0] & (0x7Fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3F);
	}
	static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	if (value < smallest[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return 0;
	*code_point = value;
	return size;
}

size_t utf8_encode(uint32_t code_point, char out[4])
{
	if (code_point < 0x80) {
		out[0] = (char)code_point;
		return 1;
	}
	size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code_point & 0x3F));
		code_point >>= 6;
	}
	static const unsigned char lead[5] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	out[0] = (char)(lead[size] | code_point);
	return size;
}

size_t utf8_first_invalid(const char *text, size_t length)
{
	size_t at = 0;
	while (at < length) {
		uint64_t eight = UINT64_MAX; /* bytes at once: most input is ASCII */
		if (length - at >= sizeof eight)
			memcpy(&eight, text + at, sizeof eight);
		if ((eight & 0x8080808080808080) == 0) {
			at += sizeof eight;
			continue;
		}
		uint32_t code_point;
		size_t size = utf8_decode(text + at, length - at, &code_point);
		if (size == 0)
			break;
		at += size;
	}
	return at;
}

size_t utf8_begin_of(const char *text, size_t offset)
{
	for (int i = 0; i < 3 && offset > 0 && ((unsigned char)text[offset] & 0xC0) == 0x80; i++)
		offset--;
	return offset;
}

size_t utf8_count(const char *text, size_t length)
{
	size_t count = 0;
	for (size_t at = 0; at < length; count++) {
		uint32_t code_point;
		size_t size = utf8_decode(text + at, length - at, &code_point);
		at += size ? size : 1;
	}
	return count;
}

int utf8_width(uint32_t code_point)
{
	if (code_point < 0x7F)
		return 1;
	int width = wcwidth((wchar_t)code_point);
	return width < 0 ? 1 : width;
}

/* In ascending order. */
static const struct {
	uint32_t first, last;
} unsafe_ranges[] = {
	{ 0x0000, 0x001F }, /* C0 */
	{ 0x007F, 0x009F }, /* DEL, C1 */
	{ 0x00A0, 0x00A0 }, /* no-break space */
	{ 0x00AD, 0x00AD }, /* soft hyphen */
	{ 0x034F, 0x034F }, /* combining grapheme joiner */
	{ 0x061C, 0x061C }, /* Arabic letter mark */
	{ 0x115F, 0x1160 }, /* Hangul fillers */
	{ 0x1680, 0x1680 }, /* Ogham space mark */
	{ 0x17B4, 0x17B5 }, /* Khmer inherent vowels */
	{ 0x180E, 0x180E }, /* Mongolian vowel separator */
	{ 0x2000, 0x200F }, /* spaces of all widths, joiners, direction marks */
	{ 0x2028, 0x202F }, /* line and paragraph separators, direction embedding and override, narrow no-break space */
	{ 0x205F, 0x206F }, /* mathematical space, word joiner, invisible operators, direction isolates */
	{ 0x2800, 0x2800 }, /* blank Braille pattern */
	{ 0x3000, 0x3000 }, /* ideographic space */
	{ 0x3164, 0x3164 }, /* Hangul filler */
	{ 0xFEFF, 0xFEFF }, /* byte order mark */
	{ 0xFFA0, 0xFFA0 }, /* halfwidth Hangul filler */
	{ 0xFFF9, 0xFFFB }, /* interlinear annotation */
	{ 0x1D159, 0x1D159 }, /* musical null notehead */
	{ 0x1D173, 0x1D17A }, /* musical formatting */
	{ 0xE0000, 0xE007F }, /* tags */
};

bool utf8_is_unsafe(uint32_t c)
{
	for (size_t i = 0; i < sizeof unsafe_ranges / sizeof unsafe_ranges[0] && c >= unsafe_ranges[i].first; i++)
		if (c <= unsafe_ranges[i].last)
			return true;
	return false;
}

void utf8_append_safe(struct buffer *out, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		uint32_t c;
		size_t size = utf8_decode(text + at, length - at, &c);
		if (size == 0) {
			buffer_printf(out, "\\x%02X", (unsigned)(unsigned char)text[at]);
			at++;
			continue;
		}
		if (c == '\n')
			buffer_append_text(out, "\\n");
		else if (c == '\t')
			buffer_append_text(out, "\\t");
		else if (c < 0x80 && utf8_is_unsafe(c))
			buffer_printf(out, "\\x%02X", (unsigned)c);
		else if (utf8_is_unsafe(c))
			buffer_printf(out, "\\u{%04X}", (unsigned)c);
		else
			buffer_append(out, text + at, size);
		at += size;
	}
}

void utf8_append_safe_lines(struct buffer *out, const char *text, size_t length)
{
	const char *newline;
	for (; length > 0 && (newline = memchr(text, '\n', length)) != NULL; text = newline + 1) {
		utf8_append_safe(out, text, (size_t)(newline - text));
		buffer_append_byte(out, '\n');
		length -= (size_t)(newline + 1 - text);
	}
	utf8_append_safe(out, text, length);
}
