#include "http/words.h"

#include "base/find.h"
#include "base/utf8.h"
#include "http/head.h"
#include "http/stack.h"

#include <string.h>

#define LINES_AT_START 2
#define LINES_AT_END   2
#define LINE_COLUMNS   200

static bool begins_with(const char *at, const char *end, const char *text)
{
	size_t length = strlen(text);
	return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Returns where the markup that begins with the '<' ends; the end of the text, where its own does not come. Ends the
 * line, where what follows is on another one. */
static const char *skip_markup(const char *at, const char *end, struct buffer *out)
{
	/* Elements that a browser does not show, comments, and tags that leave what follows on the same line. */
	static const struct {
		const char *begin, *end;
		bool is_inline;
	} markups[] = {
		{ "<!--", "-->", false },
		{ "<style", "</style>", false },
		{ "<script", "</script>", false },
		{ "<b>", ">", true },
		{ "</b>", ">", true },
		{ "<i>", ">", true },
		{ "</i>", ">", true },
		{ "<em", ">", true },
		{ "</em>", ">", true },
		{ "<code", ">", true },
		{ "</code>", ">", true },
		{ "<cite", ">", true },
		{ "</cite>", ">", true },
		{ "<span", ">", true },
		{ "</span>", ">", true },
		{ "<a ", ">", true },
		{ "</a>", ">", true },
	};
	const char *stop = ">";
	bool is_inline = false;
	for (size_t i = 0; i < sizeof markups / sizeof markups[0]; i++)
		if (begins_with(at, end, markups[i].begin)) {
			stop = markups[i].end;
			is_inline = markups[i].is_inline;
		}
	if (!is_inline)
		buffer_append_byte(out, '\n');
	const char *found = find_text(at, (size_t)(end - at), stop, strlen(stop));
	return found ? found + strlen(stop) : end;
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

/* The next line that holds more than blanks, without those around it; false: there is none. */
static bool next_line(const char **at, const char *end, struct text *line)
{
	while (text_next_line(at, end, line)) {
		const char *from = line->text, *to = from + line->length;
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
	if (next_line(&at, end, &line) && line.text[0] == '<') {
		for (at = line.text; at < end;) {
			if (*at == '<')
				at = skip_markup(at, end, shown);
			else
				buffer_append_byte(shown, read_reference(&at, end));
		}
	}
	return shown->length > 0 ? (struct text){ shown->data, shown->length } : (struct text){ body, length };
}

/* Whether JSON begins there, and not the line of a log: [2026-01-02 ... */
static bool begins_json(const char *at, const char *end)
{
	char first = *at++;
	while (at < end && strchr(" \t\r\n", *at))
		at++;
	return at < end && ((first == '{' && strchr("\"}", *at)) || (first == '[' && strchr("{[\"]", *at)));
}

/* The texts in JSON, each on lines of its own. */
static void append_json_texts(struct buffer *out, const char *at, const char *end)
{
	static const char escapes[][2] = { { 'n', '\n' }, { 't', '\t' }, { 'r', '\r' } };
	for (; at < end; at++) {
		char byte = *at == '"' ? '\n' : *at;
		if (*at == '\\' && at + 1 < end) {
			byte = *++at;
			for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
				byte = *at == escapes[i][0] ? escapes[i][1] : byte;
		}
		buffer_append_byte(out, byte);
	}
}

/* Where the body is the stack of an error, or has one in JSON, which is then in *texts. */
static bool find_stack(struct text text, bool is_page, struct buffer *texts, struct stack *stack)
{
	const char *at = text.text, *end = at + text.length;
	struct text line;
	if (!is_page && next_line(&at, end, &line) && begins_json(line.text, end)) {
		append_json_texts(texts, line.text, end);
		text = (struct text){ buffer_text(texts), texts->length };
	}
	return stack_find(text, is_page, stack);
}

/* What says in a log that its line is of an error. */
static const char *const of_levels[] = { "ERROR", "FATAL", "CRITICAL", "SEVERE", "[error]", "level=error", "error: " };

/* Where an error is named in the line, or its level; the line's length: nowhere. */
static size_t error_in(struct text line)
{
	const char *end = line.text + line.length;
	if (stack_names_error(line)) {
		const char *at = find_text(line.text, line.length, "Error", 5);
		at = at ? at : find_text(line.text, line.length, "Exception", 9);
		while (at && at > line.text && at[-1] != ' ')
			at--;
		return at ? (size_t)(at - line.text) : 0;
	}
	for (size_t i = 0; i < sizeof of_levels / sizeof of_levels[0]; i++) {
		const char *at = find_text(line.text, line.length, of_levels[i], strlen(of_levels[i]));
		if (at)
			return (size_t)(at - line.text);
	}
	return (size_t)(end - line.text);
}

/* Appends the line up to where the buffer has `end` bytes, with one blank for several. */
static void append_squeezed(struct buffer *out, struct text line, size_t end)
{
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

/* Appends at most `most` bytes of the line: what names the error, where that stands far behind; never a part of a path.
 */
static void append_cut(struct buffer *out, struct text line, size_t most)
{
	static const char more[] = "...";
	size_t room = most > strlen(more) ? most - strlen(more) : 0, from = 0;
	if (line.length <= most) {
		buffer_append(out, line.text, line.length);
		return;
	}
	size_t error = error_in(line);
	if (error > room / 2 && error < line.length) {
		from = error;
		buffer_append_text(out, more);
		room = room > strlen(more) ? room - strlen(more) : 0;
	}
	size_t cut = line.length - from <= room + strlen(more) ? line.length : utf8_begin_of(line.text, from + room);
	size_t word = cut;
	while (word > from && line.text[word - 1] != ' ')
		word--;
	if (cut < line.length && word > from && memchr(line.text + word, '/', cut - word))
		cut = word;
	buffer_append(out, line.text + from, cut - from);
	if (cut < line.length)
		buffer_append_text(out, more);
}

/* The line that says what went wrong, without a stack: the first that names an error; else the first of that level in a
 * log; of Python the last. Empty: none does. */
static struct text find_error(struct text text)
{
	const char *at = text.text, *end = at + text.length;
	struct text line, found = { .length = 0 };
	bool is_traceback = false;
	for (bool is_first = true; next_line(&at, end, &line); is_first = false) {
		if (is_first && (line.text[0] == '<' || begins_json(line.text, end)))
			break;
		is_traceback = is_traceback || begins_with(line.text, end, "Traceback ");
		if (is_traceback || stack_names_error(line)) {
			found = line;
			if (!is_traceback)
				break;
		} else if (found.length == 0 && error_in(line) < line.length) {
			found = line;
		}
	}
	return found;
}

/* The first line; of a JSON object or array all of it. */
static struct text find_first(struct text text)
{
	const char *at = text.text, *end = at + text.length;
	struct text line;
	if (!next_line(&at, end, &line) || line.text[0] == '<')
		return (struct text){ .length = 0 };
	return begins_json(line.text, end) ? (struct text){ line.text, (size_t)(end - line.text) } : line;
}

static void append_line_cut(struct buffer *out, struct text line)
{
	LOCAL_BUFFER cut = BUFFER_FOR(out), safe = BUFFER_FOR(out);
	append_cut(&cut, line, LINE_COLUMNS);
	utf8_append_safe(&safe, buffer_text(&cut), cut.length);
	buffer_printf(out, "%s\n", buffer_text(&safe));
}

void words_append_lines(struct buffer *out, const char *body, size_t length, bool is_cut)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	struct text text = visible(body, length, &shown), line, error = find_error(text);
	const char *at = text.text, *end = at + text.length;
	size_t count = 0, most = LINES_AT_START + LINES_AT_END;
	LOCAL_BUFFER texts = BUFFER_FOR(out);
	struct stack stack;
	if (find_stack(text, shown.length > 0, &texts, &stack)) {
		LOCAL_BUFFER words = BUFFER_FOR(out);
		append_squeezed(&words, stack.error, stack.error.length);
		append_line_cut(out, (struct text){ buffer_text(&words), words.length });
		buffer_printf(out, "at %s\n...\n", stack.place);
		return;
	}
	while (next_line(&at, end, &line))
		count++;
	at = text.text;
	bool is_left_out = false;
	for (size_t number = 0; next_line(&at, end, &line); number++) {
		if (count > most + 1 && number >= LINES_AT_START && number < count - LINES_AT_END &&
		    line.text != error.text) {
			if (!is_left_out)
				buffer_append_text(out, "...\n");
			is_left_out = true;
			continue;
		}
		is_left_out = false;
		append_line_cut(out, line);
	}
	if (is_cut || length > WORDS_READ_MAX)
		buffer_append_text(out, "...\n");
}

/* The error and its place: "TypeError: x is undefined (app.js:11:21)". */
static void append_stack(struct buffer *out, const struct stack *stack, size_t most)
{
	LOCAL_BUFFER error = BUFFER_FOR(out);
	size_t place = strlen(" ()") + strlen(stack->place), room = most > place ? most - place - 1 : 0;
	append_squeezed(&error, stack->error, stack->error.length);
	append_cut(out, (struct text){ buffer_text(&error), error.length }, room);
	buffer_printf(out, " (%s)", stack->place);
}

/* The line with one blank for several. */
static void append_short(struct buffer *out, struct text line, size_t most)
{
	LOCAL_BUFFER words = BUFFER_FOR(out);
	append_squeezed(&words, line, line.length);
	append_cut(out, (struct text){ buffer_text(&words), words.length }, most);
}

bool words_append_error(struct buffer *out, const char *text, size_t length, size_t most)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out), texts = BUFFER_FOR(out);
	struct text seen = visible(text, length, &shown), error = find_error(seen);
	struct stack stack;
	if (find_stack(seen, shown.length > 0, &texts, &stack))
		append_stack(out, &stack, most);
	else
		append_short(out, error, most);
	return error.length > 0 || stack.place[0];
}

void words_append_line(struct buffer *out, const char *body, size_t length, size_t most)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	if (!words_append_error(out, body, length, most))
		append_short(out, find_first(visible(body, length, &shown)), most);
}

static bool is_sentence(struct text line)
{
	return strchr(".!?", line.text[line.length - 1]) && memchr(line.text, ' ', line.length);
}

void words_append_page(struct buffer *out, const char *body, size_t length, size_t most)
{
	LOCAL_BUFFER shown = BUFFER_FOR(out), page = BUFFER_FOR(out);
	struct text text = visible(body, length, &shown), title = find_first(text), line;
	if (shown.length == 0 || words_append_error(&page, body, length, most)) {
		words_append_line(out, body, length, most);
		return;
	}
	const char *at = text.text, *end = at + text.length, *before = ": ";
	append_squeezed(&page, title, title.length);
	next_line(&at, end, &line);
	while (next_line(&at, end, &line) && page.length <= most) {
		if (!is_sentence(line))
			continue;
		buffer_append_text(&page, before);
		append_squeezed(&page, line, page.length + line.length);
		before = " ";
	}
	append_cut(out, (struct text){ buffer_text(&page), page.length }, most);
}

void words_append_title(struct buffer *out, const char *body, size_t length, size_t most)
{
	LOCAL_BUFFER text = BUFFER_FOR(out), shown = BUFFER_FOR(out);
	buffer_append(&text, body, length < WORDS_READ_MAX ? length : WORDS_READ_MAX);
	const char *begin = buffer_text(&text), *title = find_any_case(begin, "<title");
	const char *from = title ? title : begin, *stop = title ? find_any_case(title, "</title") : NULL;
	struct text line;
	visible(from, stop ? (size_t)(stop - from) : strlen(from), &shown);
	const char *at = buffer_text(&shown), *end = at + shown.length;
	at += strspn(at, " \t\r\n");
	/* A title may be written on several lines. */
	if (stop)
		append_squeezed(out, (struct text){ at, (size_t)(end - at) }, out->length + most);
	else if (next_line(&at, end, &line))
		append_squeezed(out, line, out->length + most);
}
