#include "http/words.h"

#include "base/fit.h"
#include "http/head.h"

#include <string.h>

#define LINES_AT_START 2
#define LINES_AT_END   2
#define LINE_COLUMNS   200

/* Elements that a browser does not show, and comments. */
static const struct {
	const char *begin, *end;
} unseen[] = { { "<!--", "-->" }, { "<style", "</style>" }, { "<script", "</script>" } };

/* Tags that leave what follows on the same line. */
static const char *const inline_tags[] = { "<b>", "</b>", "<i>", "</i>", "<em>", "</em>", "<code>", "</code>" };

static bool begins_with(const char *at, const char *end, const char *text)
{
	size_t length = strlen(text);
	return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Returns where the markup that begins with the '<' ends; the end of the text, where its own does not come. */
static const char *end_of_markup(const char *at, const char *end)
{
	const char *stop = ">";
	for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
		if (begins_with(at, end, unseen[i].begin))
			stop = unseen[i].end;
	const char *found = memmem(at, (size_t)(end - at), stop, strlen(stop));
	return found ? found + strlen(stop) : end;
}

static bool stays_in_line(const char *tag, const char *end)
{
	for (size_t i = 0; i < sizeof inline_tags / sizeof inline_tags[0]; i++)
		if (begins_with(tag, end, inline_tags[i]))
			return true;
	return false;
}

/* Returns the character that a reference such as &lt; stands for, and moves behind it; itself, where it is none. */
static char read_reference(const char **at, const char *end)
{
	static const struct {
		const char *text;
		char is;
	} references[] = { { "&amp;", '&' }, { "&lt;", '<' },   { "&gt;", '>' },    { "&quot;", '"' },
		           { "&#34;", '"' }, { "&#39;", '\'' }, { "&#x27;", '\'' }, { "&nbsp;", ' ' } };
	for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
		if (!begins_with(*at, end, references[i].text))
			continue;
		*at += strlen(references[i].text);
		return references[i].is;
	}
	return *(*at)++;
}

static void append_html(struct buffer *out, const char *at, const char *end)
{
	while (at < end) {
		if (*at == '<') {
			if (!stays_in_line(at, end))
				buffer_append_byte(out, '\n');
			at = end_of_markup(at, end);
		} else {
			buffer_append_byte(out, read_reference(&at, end));
		}
	}
}

/* The next line that holds more than blanks, without those around it; false: there is none. */
static bool next_line(const char **at, const char *end, struct text *line)
{
	while (*at < end) {
		const char *newline = memchr(*at, '\n', (size_t)(end - *at));
		const char *from = *at, *to = newline ? newline : end;
		*at = newline ? newline + 1 : end;
		http_trim(&from, &to);
		*line = (struct text){ from, (size_t)(to - from) };
		if (from < to)
			return true;
	}
	return false;
}

/* The beginning of the body, or what a browser would show of HTML: then it is in *shown. */
static struct text visible(const char *body, size_t length, struct buffer *shown)
{
	length = length < WORDS_READ_MAX ? length : WORDS_READ_MAX;
	const char *at = body, *end = body + length;
	struct text line;
	if (next_line(&at, end, &line) && line.text[0] == '<')
		append_html(shown, line.text, end);
	return shown->length > 0 ? (struct text){ shown->data, shown->length } : (struct text){ body, length };
}

void words_append_lines(struct buffer *out, const char *body, size_t length, bool is_cut)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	struct text text = visible(body, length, &shown), line;
	const char *at = text.text, *end = at + text.length;
	size_t count = 0, most = LINES_AT_START + LINES_AT_END;
	while (next_line(&at, end, &line))
		count++;
	at = text.text;
	for (size_t number = 0; next_line(&at, end, &line); number++) {
		if (count > most + 1 && number == LINES_AT_START)
			buffer_append_text(out, "...\n");
		if (count > most + 1 && number >= LINES_AT_START && number < count - LINES_AT_END)
			continue;
		fit_append(out, line.text, line.length, LINE_COLUMNS);
		buffer_append_byte(out, '\n');
	}
	if (is_cut || length > WORDS_READ_MAX)
		buffer_append_text(out, "...\n");
}

/* The line that says what went wrong; empty: there is none. */
static struct text find_line(struct text text)
{
	const char *at = text.text, *end = at + text.length;
	struct text line, found = { .length = 0 };
	bool is_traceback = false;
	while (next_line(&at, end, &line)) {
		bool is_first = found.length == 0;
		if (is_first && line.text[0] == '<')
			break;
		if (is_first && (line.text[0] == '{' || line.text[0] == '['))
			return (struct text){ line.text, (size_t)(end - line.text) };
		is_traceback = is_traceback || (is_first && begins_with(line.text, end, "Traceback "));
		bool is_error = memmem(line.text, line.length, "Error: ", 7) ||
		                memmem(line.text, line.length, "Exception: ", 11);
		if (is_first || is_traceback || is_error)
			found = line;
		if (is_error && !is_traceback)
			break;
	}
	return found;
}

void words_append_line(struct buffer *out, const char *body, size_t length, size_t most)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	struct text line = find_line(visible(body, length, &shown));
	size_t end = out->length + most;
	bool blank = false;
	for (size_t i = 0; i < line.length && out->length < end; i++) {
		bool is_blank = strchr(" \t\r\n", line.text[i]) && line.text[i];
		if (blank && !is_blank)
			buffer_append_byte(out, ' ');
		blank = is_blank;
		if (!blank && out->length < end)
			buffer_append_byte(out, line.text[i]);
	}
}
