#include "http/words.h"

#include "base/fit.h"

#include <string.h>

#define LINES_AT_START 2
#define LINES_AT_END   2
#define LINE_COLUMNS   200

/* Elements that a browser does not show, and comments. */
static const struct {
	const char *begin, *end;
} unseen[] = { { "<!--", "-->" }, { "<style", "</style>" }, { "<script", "</script>" } };
#define UNSEEN (sizeof unseen / sizeof unseen[0])

/* Tags that leave what follows on the same line. */
static const char *const inline_tags[] = { "<b>", "</b>", "<i>", "</i>", "<em>", "</em>", "<code>", "</code>" };

static bool begins_with(const char *at, const char *end, const char *text)
{
	size_t length = strlen(text);
	return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Where what begins with the '<' ends. An end that does not come is looked for once: `ends_missing` remembers it. */
static const char *end_of_markup(const char *at, const char *end, bool ends_missing[UNSEEN])
{
	for (size_t i = 0; i < UNSEEN; i++) {
		if (ends_missing[i] || !begins_with(at, end, unseen[i].begin))
			continue;
		const char *stop = memmem(at, (size_t)(end - at), unseen[i].end, strlen(unseen[i].end));
		if (stop)
			return stop + strlen(unseen[i].end);
		ends_missing[i] = true;
	}
	const char *stop = memchr(at, '>', (size_t)(end - at));
	return stop ? stop + 1 : end;
}

static bool stays_in_line(const char *tag, const char *end)
{
	for (size_t i = 0; i < sizeof inline_tags / sizeof inline_tags[0]; i++)
		if (begins_with(tag, end, inline_tags[i]))
			return true;
	return false;
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
		if (!begins_with(*at, end, references[i].text))
			continue;
		*at += strlen(references[i].text);
		return references[i].is;
	}
	return *(*at)++;
}

static void append_html(struct buffer *out, const char *at, const char *end)
{
	bool ends_missing[UNSEEN] = { false };
	while (at < end) {
		if (*at == '<') {
			if (!stays_in_line(at, end))
				buffer_append_byte(out, '\n');
			at = end_of_markup(at, end, ends_missing);
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

/* The beginning of the body, or what a browser would show of HTML: then it is in *shown. */
static const char *visible(const char *body, size_t *length, struct buffer *shown)
{
	*length = *length < WORDS_READ_MAX ? *length : WORDS_READ_MAX;
	const char *line, *at = body, *end = body + *length;
	size_t line_length;
	if (next_line(&at, end, &line, &line_length) && line[0] == '<')
		append_html(shown, line, end);
	if (shown->length == 0)
		return body;
	*length = shown->length;
	return buffer_text(shown);
}

void words_append_lines(struct buffer *out, const char *body, size_t length, bool is_cut)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	is_cut = is_cut || length > WORDS_READ_MAX;
	body = visible(body, &length, &shown);
	append_lines(out, body, body + length, is_cut);
}

static bool names_an_error(const char *line, size_t length)
{
	return memmem(line, length, "Error: ", 7) || memmem(line, length, "Exception: ", 11);
}

/* False: there is none. */
static bool find_line(const char *at, const char *end, const char **line, size_t *length)
{
	const char *next;
	size_t next_length;
	if (!next_line(&at, end, line, length) || **line == '<')
		return false;
	if (**line == '{' || **line == '[') {
		*length = (size_t)(end - *line);
		return true;
	}
	bool is_traceback = begins_with(*line, end, "Traceback ");
	bool is_found = !is_traceback && names_an_error(*line, *length);
	while (!is_found && next_line(&at, end, &next, &next_length)) {
		is_found = !is_traceback && names_an_error(next, next_length);
		if (!is_found && !is_traceback)
			continue;
		*line = next;
		*length = next_length;
	}
	return true;
}

void words_append_line(struct buffer *out, const char *body, size_t length, size_t most)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	const char *line;
	size_t line_length, end = out->length + most;
	bool blank = false;
	body = visible(body, &length, &shown);
	if (!find_line(body, body + length, &line, &line_length))
		return;
	for (size_t i = 0; i < line_length && out->length < end; i++) {
		bool is_blank = strchr(" \t\r\n", line[i]) && line[i];
		if (blank && !is_blank)
			buffer_append_byte(out, ' ');
		blank = is_blank;
		if (!blank && out->length < end)
			buffer_append_byte(out, line[i]);
	}
}
