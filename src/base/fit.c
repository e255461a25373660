#include "base/fit.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

#define MARK         "..."
#define MARK_COLUMNS 3
#define ESCAPE_SIZE  16 /* room for one character made safe */

size_t fit_append_character(struct buffer *out, const char *text, size_t length, int *columns)
{
	uint32_t code_point = 0;
	size_t size = utf8_decode(text, length, &code_point), before = out->length;
	utf8_append_safe(out, text, size ? size : 1);
	bool escaped = size == 0 || out->length - before != size || memcmp(out->data + before, text, size) != 0;
	*columns = escaped ? (int)(out->length - before) : utf8_width(code_point);
	return size ? size : 1;
}

/* The width of the first character, and its bytes in *size. */
static int width_of(const char *text, size_t length, size_t *size)
{
	char room[ESCAPE_SIZE];
	struct buffer scratch = { .data = room, .capacity = sizeof room };
	int columns = 1;
	*size = 1;
	if (text[0] >= ' ' && text[0] <= '~')
		return columns;
	*size = fit_append_character(&scratch, text, length, &columns);
	return columns;
}

/* How many bytes fit into *columns, which is reduced by the columns they use. */
static size_t measure(const char *text, size_t length, int *columns)
{
	size_t at = 0, size;
	for (int width; at < length; at += size, *columns -= width) {
		width = width_of(text + at, length - at, &size);
		if (width > *columns)
			break;
	}
	return at;
}

int fit_columns(const char *text, size_t length)
{
	int left = INT_MAX;
	measure(text, length, &left);
	return INT_MAX - left;
}

int fit_append(struct buffer *out, const char *text, size_t length, int columns)
{
	int whole = fit_columns(text, length);
	if (whole <= columns) {
		utf8_append_safe(out, text, length);
		return whole;
	}
	int tail = (columns - MARK_COLUMNS) / 2, head = columns - MARK_COLUMNS - tail;
	int unused = head;
	size_t begin = measure(text, length, &unused), end = begin;
	int rest = whole - (head - unused);
	for (size_t size; rest > tail; end += size)
		rest -= width_of(text + end, length - end, &size);
	utf8_append_safe(out, text, begin);
	buffer_append_text(out, MARK);
	utf8_append_safe(out, text + end, length - end);
	return head - unused + MARK_COLUMNS + rest;
}

void fit_append_column(struct buffer *out, const char *text, int columns)
{
	int used = fit_append(out, text, strlen(text), columns);
	buffer_append_repeat(out, ' ', (size_t)(columns - used));
}

void fit_append_cut(struct buffer *out, const char *text, int columns)
{
	bool fits = fit_columns(text, strlen(text)) <= columns;
	int left = fits ? columns : columns - 3, width;
	for (size_t size; *text && (width = width_of(text, strlen(text), &size)) <= left; left -= width)
		text += fit_append_character(out, text, strlen(text), &width);
	buffer_append_text(out, fits ? "" : "...");
}

void fit_append_wrapped(struct buffer *out, const char *text, int at, int indent, int width)
{
	int column = at;
	bool first = true;
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");
		int columns = fit_columns(text, length);
		if (column + !first + columns > width && column > indent) {
			while (out->length > 0 && out->data[out->length - 1] == ' ')
				buffer_consume_end(out, 1);
			buffer_append_byte(out, '\n');
			buffer_append_repeat(out, ' ', (size_t)indent);
			column = indent;
		} else if (!first) {
			buffer_append_byte(out, ' ');
			column++;
		}
		buffer_append(out, text, length);
		column += columns;
		text += length;
		first = false;
	}
}

void style_begin(struct buffer *out, bool color, enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "0",      [STYLE_BOLD] = "1",  [STYLE_ERROR] = "1;31",
		[STYLE_WARNING] = "1;33", [STYLE_GOOD] = "32", [STYLE_FAINT] = "2",
	};
	if (!color || style == STYLE_PLAIN)
		return;
	buffer_append_text(out, "\033[");
	buffer_append_text(out, codes[style]);
	buffer_append_byte(out, 'm');
}

void style_end(struct buffer *out, bool color, enum style style)
{
	if (color && style != STYLE_PLAIN)
		buffer_append_text(out, "\033[0m");
}

void style_append(struct buffer *out, bool color, enum style style, const char *format, ...)
{
	style_begin(out, color, style);
	va_list args;
	va_start(args, format);
	buffer_vprintf(out, format, args);
	va_end(args);
	style_end(out, color, style);
}

const char *const grade_names[GRADES] = { "ok", "note", "warn", "fail", "skip" };

void style_append_sign(struct buffer *out, bool color, bool signs, enum grade grade)
{
	static const struct {
		const char *sign, *word;
		enum style style;
	} marks[] = {
		[GRADE_OK] = { "\u2713", "ok", STYLE_GOOD },   [GRADE_NOTE] = { "-", "note", STYLE_FAINT },
		[GRADE_WARN] = { "!", "warn", STYLE_WARNING }, [GRADE_FAIL] = { "\u2717", "FAIL", STYLE_ERROR },
		[GRADE_SKIP] = { "-", "skip", STYLE_FAINT },
	};
	const char *text = signs ? marks[grade].sign : marks[grade].word;
	style_append(out, color, marks[grade].style, "%s", text);
	buffer_append_repeat(out, ' ', signs ? 1 : (size_t)style_sign_columns(signs) - strlen(text));
}

int style_sign_columns(bool signs)
{
	return signs ? 2 : 5;
}
