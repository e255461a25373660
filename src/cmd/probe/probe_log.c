/* What COMMAND printed while a check ran, below the check. */
#include "base/fit.h"
#include "base/utf8.h"
#include "cmd/probe/probe.h"
#include "http/words.h"

#include <ctype.h>
#include <string.h>

#define LOG_LINES 3 /* below a check, without -v: the first, and the last ones */

/* It has a word, and does not begin with a blank, as the frames of a stack do. */
static bool is_plain(struct text line)
{
	bool has_word = false;
	for (size_t i = 0; i < line.length && line.text[0] != ' ' && line.text[0] != '\t'; i++)
		has_word |= isalnum((unsigned char)line.text[i]) || (line.text[i] & 0x80);
	return has_word;
}

static size_t count_lines(struct text log, bool plain)
{
	size_t count = 0;
	const char *at = log.text, *end = at + log.length;
	for (struct text line; text_next_line(&at, end, &line);)
		count += !plain || is_plain(line);
	return count;
}

static void append_log_line(struct buffer *out, const char *text, size_t length, int indent, int width)
{
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe(&safe, text, length);
	buffer_append_repeat(out, ' ', (size_t)indent);
	buffer_append_text(out, PROBE_LOG_PREFIX);
	fit_append_cut(out, buffer_text(&safe), width - indent - (int)strlen(PROBE_LOG_PREFIX));
	buffer_append_byte(out, '\n');
}

bool probe_append_log_line(struct buffer *out, const struct probe_check *check, int width)
{
	struct text log = { buffer_text(&check->result.log), check->result.log.length }, line, plain = { NULL, 0 };
	const char *at = log.text, *end = at + log.length;
	LOCAL_BUFFER error = BUFFER_FOR(out);
	while (!plain.text && text_next_line(&at, end, &line))
		plain = is_plain(line) ? line : plain;
	size_t most = (size_t)width - strlen(PROBE_LOG_PREFIX);
	if (!words_append_error(&error, log.text, log.length, most) && plain.text)
		buffer_append(&error, plain.text, plain.length);
	if (error.length == 0)
		return false;
	buffer_append_text(out, PROBE_LOG_PREFIX);
	utf8_append_safe(out, buffer_text(&error), error.length);
	return true;
}

static void append_more(struct buffer *out, size_t lines, int indent)
{
	if (lines > 0)
		buffer_printf(out, "%*s%zu more line%s: -v\n", indent + (int)strlen(PROBE_LOG_PREFIX), "", lines,
		              lines == 1 ? "" : "s");
}

void probe_append_log(struct buffer *out, const struct probe_check *check, bool all, int indent, int width)
{
	struct text log = { buffer_text(&check->result.log), check->result.log.length };
	const char *at = log.text, *end = at + log.length;
	size_t lines = count_lines(log, false), plain = count_lines(log, true), seen = 0, shown = 0;
	bool only_plain = !all && plain > 0;
	size_t count = only_plain ? plain : lines;
	LOCAL_BUFFER error = BUFFER_FOR(out);
	if (!all &&
	    words_append_error(&error, log.text, log.length, (size_t)(width - indent) - strlen(PROBE_LOG_PREFIX))) {
		append_log_line(out, buffer_text(&error), error.length, indent, width);
		append_more(out, lines - 1, indent);
		return;
	}
	for (struct text line; text_next_line(&at, end, &line);) {
		if (only_plain && !is_plain(line))
			continue;
		/* What went wrong is said first, or last behind the frames. */
		size_t before = seen++;
		if (!all && before > 0 && before + LOG_LINES - 1 < count)
			continue;
		append_log_line(out, line.text, line.length, indent, width);
		shown++;
	}
	append_more(out, lines - shown, indent);
}
