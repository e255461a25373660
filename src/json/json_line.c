#include "json/json_line.h"

#include "base/utf8.h"
#include "json/located.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_line_begin(struct buffer *out)
{
	json_line_comma(out);
	buffer_append_byte(out, '{');
}

void json_line_begin_type(struct buffer *out, const char *type)
{
	json_line_begin(out);
	json_line_text(out, "type", type);
}

void json_line_end(struct buffer *out)
{
	buffer_append_byte(out, '}');
}

void json_line_finish(struct buffer *out)
{
	buffer_append_text(out, "}\n");
}

void json_line_comma(struct buffer *out)
{
	char last = out->length > 0 ? out->data[out->length - 1] : '{';
	if (last != '{' && last != '[' && last != ':' && last != '\n')
		buffer_append_byte(out, ',');
}

void json_line_key(struct buffer *out, const char *key)
{
	json_line_comma(out);
	json_append_string(out, key, strlen(key));
	buffer_append_byte(out, ':');
}

/* json_append_string() escapes unsafe code points below 0x7F, so only the others need a closer look. */
static bool may_be_unsafe(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x7F)
			return true;
	return false;
}

/* In JSON everything beyond ASCII is inside strings, so escaping it keeps the text valid. */
void json_line_members(struct buffer *out, const char *json, size_t length)
{
	if (!may_be_unsafe(json, length)) {
		buffer_append(out, json, length);
		return;
	}
	for (size_t at = 0, size; at < length; at += size) {
		uint32_t code_point = 0;
		size = utf8_decode(json + at, length - at, &code_point);
		if (size > 0 && code_point >= 0x7F && utf8_is_unsafe(code_point))
			json_append_escape(out, code_point);
		else
			buffer_append(out, json + at, size > 0 ? size : 1);
		size = size > 0 ? size : 1;
	}
}

void json_line_string(struct buffer *out, const char *text, size_t length)
{
	LOCAL_BUFFER plain = BUFFER_FOR(out);
	if (!may_be_unsafe(text, length)) {
		json_append_string(out, text, length);
		return;
	}
	json_append_string(&plain, text, length);
	json_line_members(out, buffer_text(&plain), plain.length);
}

void json_line_bytes(struct buffer *out, const char *key, const char *bytes, size_t length)
{
	json_line_key(out, key);
	json_line_string(out, bytes, length);
}

void json_line_text(struct buffer *out, const char *key, const char *text)
{
	json_line_key(out, key);
	if (text)
		json_line_string(out, text, strlen(text));
	else
		buffer_append_text(out, "null");
}

void json_line_number(struct buffer *out, const char *key, int64_t number)
{
	json_line_key(out, key);
	buffer_printf(out, "%" PRId64, number);
}

void json_line_decimal(struct buffer *out, const char *key, double number)
{
	json_line_key(out, key);
	buffer_printf(out, isnan(number) ? "null" : "%.3f", number); /* LC_NUMERIC stays "C" */
}

void json_line_bool(struct buffer *out, const char *key, bool value)
{
	json_line_key(out, key);
	buffer_append_text(out, value ? "true" : "false");
}

void json_line_object(struct buffer *out, const char *key)
{
	json_line_key(out, key);
	buffer_append_byte(out, '{');
}

void json_line_array(struct buffer *out, const char *key)
{
	json_line_key(out, key);
	buffer_append_byte(out, '[');
}

void json_line_element(struct buffer *out, const char *text)
{
	json_line_comma(out);
	json_line_string(out, text, strlen(text));
}

void json_line_array_end(struct buffer *out)
{
	buffer_append_byte(out, ']');
}
