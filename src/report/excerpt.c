#include "report/excerpt.h"

#include "base/fit.h"

#include <string.h>

#define CUT_TEXT    "..."
#define CUT_COLUMNS 3
/* Columns of a cut line before the caret. */
#define LEAD_COLUMNS 24
/* A line may be 64 MiB long: only what could be shown is looked at, to either side. */
#define LOOK_BYTES 4096
#define WIDEST     500

/* Appends what is shown of a line, with byte `start` in it; what is marked takes *caret_count columns from column
 * *caret on. `is_cut`: more of the line stands before it. */
static void append_shown(struct buffer *out, const struct buffer *line, size_t start, size_t end, bool is_cut, int room,
                         int *caret, int *caret_count)
{
	LOCAL_BUFFER skipped = BUFFER_FOR(out);
	int before = fit_columns(buffer_text(line), start), used = 0, columns;
	size_t at = 0;
	if (is_cut || before > room * 2 / 3)
		for (; at < start && before > LEAD_COLUMNS; before -= columns)
			at += fit_append_character(&skipped, line->data + at, start - at, &columns);
	if (is_cut || at > 0) {
		buffer_append_text(out, CUT_TEXT);
		used = CUT_COLUMNS;
	}
	*caret = used + before;
	*caret_count = 0;
	while (at < line->length) {
		if (used >= room - CUT_COLUMNS && line->length - at > 1 && at > start) {
			buffer_append_text(out, CUT_TEXT);
			break;
		}
		bool is_under = at >= start && at < end;
		at += fit_append_character(out, line->data + at, line->length - at, &columns);
		used += columns;
		*caret_count += is_under ? columns : 0;
	}
}

void excerpt_append(struct buffer *out, const struct finding_walk *walk, const char *gutter, const char *bar,
                    bool color, int width)
{
	const char *text = walk->origin->text;
	size_t length = walk->origin->length, start = walk->start, end = walk->stop;
	LOCAL_BUFFER line = BUFFER_FOR(out), shown = BUFFER_FOR(out), carets = BUFFER_FOR(out);
	int room = (width < WIDEST ? width : WIDEST) - (int)(strlen(gutter) + strlen(bar)), caret, caret_count;
	size_t from = start, to = start;
	if (length == 0 || walk->encoded || finding_rows[walk->finding->id].unquoted)
		return;
	while (from > 0 && text[from - 1] != '\n' && start - from < LOOK_BYTES)
		from--;
	while (to < length && text[to] != '\n' && to - start < LOOK_BYTES)
		to++;
	if (to > from && text[to - 1] == '\r')
		to--;
	bool is_cut = from > 0 && text[from - 1] != '\n';
	while (is_cut && from < start && ((unsigned char)text[from] & 0xC0) == 0x80)
		from++; /* not in the middle of a character */
	buffer_append(&line, text + from, to - from);
	if (line.failed)
		return;
	/* A tab is one space, so that the line of the carets needs no tab stops. */
	for (size_t i = 0; i < line.length; i++)
		line.data[i] = line.data[i] == '\t' ? ' ' : line.data[i];
	append_shown(&shown, &line, (start < to ? start : to) - from, (end > start ? end : start + 1) - from, is_cut,
	             room > 20 ? room : 20, &caret, &caret_count);
	style_append(out, color, STYLE_FAINT, "%s%s", gutter, bar);
	buffer_printf(out, "%s\n", buffer_text(&shown));
	style_append(out, color, STYLE_FAINT, "%*s%s", (int)strlen(gutter), "", bar);
	buffer_append_repeat(out, ' ', (size_t)caret);
	buffer_append_repeat(&carets, '^', caret_count > 1 ? (size_t)caret_count : 1);
	style_append(out, color, severity_style(walk->finding->severity), "%s", buffer_text(&carets));
	buffer_append_byte(out, '\n');
}
