#include "cmd/response_words.h"

#include "base/fit.h"
#include "base/utf8.h"

#include <string.h>

#define LINES_AT_START 2
#define LINES_AT_END   2
#define LINE_COLUMNS   200

/* Behind the next `text`; NULL: it does not come. */
static const char *behind(const char *at, const char *end, const char *text)
{
	const char *found = memmem(at, (size_t)(end - at), text, strlen(text));
	return found ? found + strlen(text) : NULL;
}

/* Where what begins with the '<' ends: a tag, a comment, or an element that is not shown. */
static const char *end_of_markup(const char *at, const char *end)
{
	static const struct {
		const char *begin, *end;
	} unseen[] = { { "<!--", "-->" }, { "<style", "</style>" }, { "<script", "</script>" } };
	const char *stop = NULL;
	for (size_t i = 0; i < sizeof unseen / sizeof unseen[0] && !stop; i++) {
		size_t length = strlen(unseen[i].begin);
		if ((size_t)(end - at) > length && memcmp(at, unseen[i].begin, length) == 0)
			stop = behind(at, end, unseen[i].end);
	}
	if (!stop)
		stop = behind(at, end, ">");
	return stop ? stop : end;
}

/* The character that a reference such as &lt; stands for, and where that ends; itself, where it is none. */
static char read_reference(const char **at, const char *end)
{
	static const struct {
		const char *text;
		char is;
	} references[] = { { "&amp;", '&' }, { "&lt;", '<' },   { "&gt;", '>' },    { "&quot;", '"' },
		           { "&#34;", '"' }, { "&#39;", '\'' }, { "&#x27;", '\'' }, { "&nbsp;", ' ' } };
	for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
		size_t length = strlen(references[i].text);
		if ((size_t)(end - *at) < length || memcmp(*at, references[i].text, length) != 0)
			continue;
		*at += length;
		return references[i].is;
	}
	return *(*at)++;
}

static void append_html(struct buffer *out, const char *at, const char *end)
{
	while (at < end) {
		if (*at == '<') {
			at = end_of_markup(at, end);
			buffer_append_byte(out, '\n');
		} else {
			buffer_append_byte(out, read_reference(&at, end));
		}
	}
}

/* The next line that holds more than blanks, without those around it; false: there is none. */
static bool next_line(const char **at, const char *end, const char **line, size_t *length)
{
	while (*at < end) {
		const char *newline = memchr(*at, '\n', (size_t)(end - *at));
		const char *stop = newline ? newline : end;
		*line = *at;
		*at = newline ? newline + 1 : end;
		while (*line < stop && strchr(" \t\r\f", **line) && **line)
			(*line)++;
		while (stop > *line && strchr(" \t\r\f", stop[-1]) && stop[-1])
			stop--;
		*length = (size_t)(stop - *line);
		if (*length > 0)
			return true;
	}
	return false;
}

static void append_lines(struct buffer *out, const char *at, const char *end, bool is_cut)
{
	const char *line, *first = at;
	size_t length, count = 0, number = 0, most = LINES_AT_START + LINES_AT_END;
	while (next_line(&at, end, &line, &length))
		count++;
	for (at = first; next_line(&at, end, &line, &length); number++) {
		if (count > most + 1 && number == LINES_AT_START)
			buffer_append_text(out, "...\n");
		if (count > most + 1 && number >= LINES_AT_START && number < count - LINES_AT_END)
			continue;
		fit_append(out, line, length, LINE_COLUMNS);
		buffer_append_byte(out, '\n');
	}
	if (is_cut)
		buffer_append_text(out, "...\n");
}

void response_words_append(struct buffer *out, const char *body, size_t length, bool is_cut)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	const char *line, *at = body, *end = body + length;
	size_t line_length;
	bool is_html = next_line(&at, end, &line, &line_length) && line[0] == '<';
	if (is_html)
		append_html(&text, line, end);
	if (is_html && text.length > 0)
		append_lines(out, buffer_text(&text), buffer_text(&text) + text.length, is_cut);
	else
		append_lines(out, body, end, is_cut);
}
