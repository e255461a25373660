#include "base/ascii.h"
#include "base/utf8.h"
#include "json/located.h"
#include "json/scan.h"

static uint32_t hex_unit(const char *at)
{
	uint32_t unit = 0;
	for (int i = 0; i < 4; i++)
		unit = unit << 4 | ascii_hex_value(at[i]);
	return unit;
}

const char *json_type_name(enum json_token_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",        [JSON_FALSE] = "a boolean", [JSON_TRUE] = "a boolean",
		[JSON_NUMBER] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
		[JSON_OBJECT] = "an object",
	};
	return names[type];
}

const char *json_unescape_one(const char *at, char out[4], size_t *length)
{
	static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *name = memchr(names, at[1], sizeof names - 1);
	*length = 1;
	if (name) {
		out[0] = meant[name - names];
		return at + 2;
	}
	if (at[1] != 'u') {
		out[0] = at[1];
		return at + 2;
	}
	uint32_t code_point = hex_unit(at + 2);
	at += 6;
	if (code_point >= 0xD800 && code_point <= 0xDFFF) {
		code_point = 0x10000 + ((code_point - 0xD800) << 10) + (hex_unit(at + 2) - 0xDC00);
		at += 6;
	}
	*length = utf8_encode(code_point, out);
	return at;
}

void json_string_decode(const struct json_doc *doc, uint32_t token, struct buffer *out)
{
	if (!json_is(doc, token, JSON_STRING))
		return;
	const char *at = doc->text + doc->tokens[token].start + 1, *end = doc->text + doc->tokens[token].end - 1;
	/* Decoding never makes a string longer. */
	if (!buffer_reserve(out, (size_t)(end - at)))
		return;
	char *to = out->data + out->length;
	while (at < end) {
		const char *plain_end = json_copy_plain(to, at, end);
		to += plain_end - at;
		at = plain_end;
		size_t size = 0;
		if (at < end && *at == '\\')
			at = json_unescape_one(at, to, &size);
		else if (at < end)
			to[size++] = *at++;
		to += size;
	}
	*to = '\0';
	out->length = (size_t)(to - out->data);
}

struct text json_string_text(const struct json_doc *doc, uint32_t token, struct buffer *decoded)
{
	if (!json_is(doc, token, JSON_STRING))
		return (struct text){ "", 0 };
	const struct json_token *t = &doc->tokens[token];
	if (!(t->flags & JSON_ESCAPED))
		return (struct text){ doc->text + t->start + 1, t->end - t->start - 2 };
	buffer_clear(decoded);
	json_string_decode(doc, token, decoded);
	return (struct text){ buffer_text(decoded), decoded->length };
}

/* Writes one byte as an escape. Returns where the next byte goes. */
static char *write_escape(char *to, char c)
{
	static const char meant[] = "\b\f\n\r\t", names[] = "bfnrt";
	*to++ = '\\';
	if (c == '"' || c == '\\') {
		*to++ = c;
		return to;
	}
	const char *found = memchr(meant, c, sizeof meant - 1);
	if (found) {
		*to++ = names[found - meant];
		return to;
	}
	*to++ = 'u';
	*to++ = '0';
	*to++ = '0';
	*to++ = ASCII_HEX[(unsigned char)c >> 4];
	*to++ = ASCII_HEX[(unsigned char)c & 0xF];
	return to;
}

void json_append_escape(struct buffer *out, uint32_t code_point)
{
	if (code_point < 0x10000)
		buffer_printf(out, "\\u%04x", (unsigned)code_point);
	else /* a surrogate pair */
		buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code_point >> 10)),
		              (unsigned)(0xDC00 | (code_point & 0x3FF)));
}

void json_append_string(struct buffer *out, const char *text, size_t length)
{
	enum { PIECE = 1024, LONGEST_ESCAPE = 6, LONGEST_CHARACTER = 4 };
	const char *end = length > 0 ? text + length : text;
	buffer_append_byte(out, '"');
	/* In pieces, with room for the worst case reserved for each, so that no byte needs a check. */
	for (const char *at = text; at < end;) {
		const char *piece_end = end - at > PIECE ? at + PIECE : end;
		if (!buffer_reserve(out, PIECE * LONGEST_ESCAPE + LONGEST_CHARACTER))
			return;
		char *to = out->data + out->length;
		while (at < piece_end) {
			const char *plain_end = json_copy_plain(to, at, piece_end);
			to += plain_end - at;
			at = plain_end;
			if (at == piece_end)
				break;
			if ((unsigned char)*at < 0x80) {
				to = write_escape(to, *at++);
				continue;
			}
			uint32_t code_point;
			size_t size = utf8_decode(at, (size_t)(end - at), &code_point);
			const char *character = size > 0 ? at : "\xEF\xBF\xBD"; /* U+FFFD for an invalid byte */
			memcpy(to, character, size > 0 ? size : 3);
			to += size > 0 ? size : 3;
			at += size > 0 ? size : 1;
		}
		*to = '\0';
		out->length = (size_t)(to - out->data);
	}
	buffer_append_byte(out, '"');
}
