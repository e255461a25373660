#include "base/style.h"

#include <stdarg.h>
#include <string.h>

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

void style_append_mark(struct buffer *out, bool color, bool signs, enum mark mark)
{
	static const struct {
		const char *sign, *word;
		enum style style;
	} marks[] = {
		[MARK_OK] = { "\u2713", "ok", STYLE_GOOD },
		[MARK_FAIL] = { "\u2717", "FAIL", STYLE_ERROR },
		[MARK_WARN] = { "!", "warn", STYLE_WARNING },
	};
	const char *text = signs ? marks[mark].sign : marks[mark].word;
	style_append(out, color, marks[mark].style, "%s", text);
	buffer_append_repeat(out, ' ', signs ? 1 : (size_t)style_mark_columns(signs) - strlen(text));
}

int style_mark_columns(bool signs)
{
	return signs ? 2 : 5;
}
