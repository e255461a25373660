#include "capture/base64.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_append(struct buffer *out, const void *bytes, size_t length)
{
	const unsigned char *in = bytes;
	/* The size below must not wrap. */
	if (length > SIZE_MAX / 2) {
		out->failed = true;
		return;
	}
	if (length == 0 || !buffer_reserve(out, (length + 2) / 3 * 4))
		return;
	while (length > 0) {
		size_t take = length < 3 ? length : 3;
		uint32_t group = (uint32_t)in[0] << 16;
		if (take > 1)
			group |= (uint32_t)in[1] << 8;
		if (take > 2)
			group |= in[2];
		char text[4] = { alphabet[group >> 18], alphabet[group >> 12 & 63],
			         take > 1 ? alphabet[group >> 6 & 63] : '=', take > 2 ? alphabet[group & 63] : '=' };
		buffer_append(out, text, sizeof text);
		in += take;
		length -= take;
	}
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes one group of four, of which the last `padding` are '='. */
static bool decode_group(const char *text, unsigned padding, struct buffer *out)
{
	uint32_t group = 0;
	for (unsigned i = 0; i < 4; i++) {
		int value = i < 4 - padding ? value_of(text[i]) : 0;
		if (value < 0)
			return false;
		group = group << 6 | (uint32_t)value;
	}
	if ((group & ((1u << (8 * padding)) - 1)) != 0)
		return false;
	char bytes[3] = { (char)(group >> 16 & 0xFF), (char)(group >> 8 & 0xFF), (char)(group & 0xFF) };
	buffer_append(out, bytes, 3 - padding);
	return true;
}

bool base64_decode(const char *text, size_t length, struct buffer *out)
{
	size_t before = out->length;
	if (length % 4 != 0)
		return false;
	for (size_t at = 0; at < length; at += 4) {
		unsigned padding = 0;
		if (at + 4 == length && text[at + 3] == '=')
			padding = text[at + 2] == '=' ? 2 : 1;
		if (!decode_group(text + at, padding, out)) {
			out->length = before;
			if (out->data)
				out->data[before] = '\0';
			return false;
		}
	}
	return true;
}
