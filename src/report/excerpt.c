#include "report/excerpt.h"

#include "base/fit.h"

#include <stdio.h>
#include <string.h>

#define CUT_MARK    "..."
#define CUT_COLUMNS 3
/* Columns of a cut line before the caret. */
#define LEAD_COLUMNS 24
/* A line may be 64 MiB long: only what could be shown is looked at, to either side. */
#define LOOK_BYTES 4096
#define WIDEST     500

/* One character as it is printed: its columns, and how many bytes of the text it takes. A tab is one space, so that the
 * caret line needs no tab stops. */
static size_t append_character(struct buffer *out, const char *text, size_t length, int *columns)
{
	if (text[0] == '\t') {
		buffer_append_byte(out, ' ');
		*columns = 1;
		return 1;
	}
	return fit_append_character(out, text, length, columns);
}

/* Where the shown part of a line begins: at its start if the caret is near it, else LEAD_COLUMNS before the caret. */
static size_t first_shown(const char *text, size_t from, size_t start, int room)
{
	LOCAL_BUFFER scratch = BUFFER_INIT;
	int before = 0, columns;
	size_t far_back = start > (size_t)room * 8 ? start - (size_t)room * 8 : 0;
	size_t at = from > far_back ? from : far_back;
	while (at > from && ((unsigned char)text[at] & 0xC0) == 0x80)
		at++; /* not in the middle of a character */
	bool whole = at == from;
	size_t begin = at;
	while (at < start) {
		buffer_clear(&scratch);
		at += append_character(&scratch, text + at, start - at, &columns);
		before += columns;
	}
	if (!whole || before > room * 2 / 3) {
		for (at = begin; at < start && before > LEAD_COLUMNS;) {
			buffer_clear(&scratch);
			at += append_character(&scratch, text + at, start - at, &columns);
			before -= columns;
		}
		begin = at;
	}
	return begin;
}

struct shown {
	struct buffer line;
	int caret;     /* column of the caret */
	int underline; /* columns that are marked, the caret's among them */
};

static void show(struct shown *s, const char *text, size_t from, size_t line_end, size_t start, size_t end,
                 size_t line_start, int room)
{
	int used = 0, columns;
	if (from > line_start) {
		buffer_append_text(&s->line, CUT_MARK);
		used = CUT_COLUMNS;
	}
	s->caret = used;
	size_t at = from;
	while (at < line_end) {
		if (used >= room - CUT_COLUMNS && line_end - at > 1 && at > start) {
			buffer_append_text(&s->line, CUT_MARK);
			break;
		}
		if (at == start)
			s->caret = used;
		bool marked = at >= start && at < end;
		at += append_character(&s->line, text + at, line_end - at, &columns);
		used += columns;
		if (marked)
			s->underline += columns;
	}
	if (start >= at)
		s->caret = used;
}

/* Each of the two lines begins with the gutter or as many blanks, and `bar`. */
static void append_marked(struct buffer *out, const char *text, size_t length, const char *gutter, const char *bar,
                          size_t start, size_t end, bool color, enum style style, int width)
{
	size_t line_start = start, line_end = start;
	while (line_start > 0 && text[line_start - 1] != '\n' && start - line_start < LOOK_BYTES)
		line_start--;
	while (line_end < length && text[line_end] != '\n' && line_end - start < LOOK_BYTES)
		line_end++;
	if (line_end > line_start && text[line_end - 1] == '\r')
		line_end--;
	int gutter_width = (int)strlen(gutter);
	int room = (width < WIDEST ? width : WIDEST) - gutter_width - (int)strlen(bar);
	if (room < 20)
		room = 20;
	struct shown s = { BUFFER_INIT, 0, 0 };
	size_t from = first_shown(text, line_start, start < line_end ? start : line_end, room);
	show(&s, text, from, line_end, start, end > start ? end : start + 1, line_start, room);
	style_append(out, color, STYLE_FAINT, "%s%s", gutter, bar);
	buffer_printf(out, "%s\n", buffer_text(&s.line));
	style_append(out, color, STYLE_FAINT, "%*s%s", gutter_width, "", bar);
	buffer_append_repeat(out, ' ', (size_t)s.caret);
	LOCAL_BUFFER marks = BUFFER_INIT;
	buffer_append_repeat(&marks, '^', s.underline > 1 ? (size_t)s.underline : 1);
	style_append(out, color, style, "%s", buffer_text(&marks));
	buffer_append_byte(out, '\n');
	buffer_release(&s.line);
}

void excerpt_append(struct buffer *out, const char *text, size_t length, size_t line_number, size_t start, size_t end,
                    bool color, enum style style, int width)
{
	char gutter[24];
	snprintf(gutter, sizeof gutter, "%4zu", line_number);
	append_marked(out, text, length, gutter, " | ", start, end, color, style, width);
}

void excerpt_append_indented(struct buffer *out, const char *text, size_t length, int indent, size_t start, size_t end,
                             bool color, enum style style, int width)
{
	char gutter[24];
	snprintf(gutter, sizeof gutter, "%*s", indent, "");
	append_marked(out, text, length, gutter, "", start, end, color, style, width);
}
