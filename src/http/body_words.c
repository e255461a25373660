#include "http/body_words.h"

#include "base/fit.h"

#include <string.h>

#define LINES_AT_START 2
#define LINES_AT_END   2
#define LINE_COLUMNS   200
#define READ_FOR_LINE  ((size_t)64 << 10) /* bytes */

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

/* The body, or what a browser would show of HTML: then it is in *shown. */
static const char *visible(const char *body, size_t *length, struct buffer *shown)
{
	const char *line, *at = body, *end = body + *length;
	size_t line_length;
	if (next_line(&at, end, &line, &line_length) && line[0] == '<')
		append_html(shown, line, end);
	if (shown->length == 0)
		return body;
	*length = shown->length;
	return buffer_text(shown);
}

void body_words_append(struct buffer *out, const char *body, size_t length, bool is_cut)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	body = visible(body, &length, &shown);
	append_lines(out, body, body + length, is_cut);
}

void error_line_append(struct buffer *out, const char *body, size_t length)
{
	static const char traceback[] = "Traceback ";
	LOCAL_BUFFER shown = BUFFER_INIT;
	size_t most = out->length + ERROR_LINE_MAX, line_length, next_length;
	length = length < READ_FOR_LINE ? length : READ_FOR_LINE;
	body = visible(body, &length, &shown);
	const char *at = body, *end = body + length, *line;
	if (!next_line(&at, end, &line, &line_length) || *line == '<')
		return;
	if (*line == '{' || *line == '[')
		line_length = (size_t)(end - line);
	else if (line_length >= sizeof traceback - 1 && memcmp(line, traceback, sizeof traceback - 1) == 0)
		for (const char *next; next_line(&at, end, &next, &next_length);) {
			line = next;
			line_length = next_length;
		}
	bool blank = false;
	for (size_t i = 0; i < line_length && out->length < most; i++) {
		bool is_blank = strchr(" \t\r\n", line[i]) && line[i];
		if (blank && !is_blank)
			buffer_append_byte(out, ' ');
		blank = is_blank;
		if (!blank)
			buffer_append_byte(out, line[i]);
	}
}
