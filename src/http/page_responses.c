#include "http/page_responses.h"

#include "base/find.h"
#include "base/utf8.h"
#include "http/words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool has_tag(const char *body, const char *tag)
{
	for (const char *at = body; (at = find_any_case(at, tag)) != NULL; at++) {
		char next = at[strlen(tag)];
		if (next == '>' || next == ' ' || next == '\t' || next == '\r' || next == '\n')
			return true;
	}
	return false;
}

/* Where the text is, behind a byte order mark, blanks and comments. */
static const char *begin_of(const char *body)
{
	static const char mark[] = "\xEF\xBB\xBF";
	const char *at = strncmp(body, mark, strlen(mark)) == 0 ? body + strlen(mark) : body, *end;
	for (;;) {
		at += strspn(at, " \t\r\n");
		if (strncmp(at, "<!--", 4) != 0 || !(end = strstr(at, "-->")))
			return at;
		at = end + strlen("-->");
	}
}

static bool is_page(const struct exchange *exchange, const char *body)
{
	static const char *const tags[] = { "<title", "<head", "<body", "<form" };
	const char *begin = begin_of(body);
	if (strncasecmp(begin, "<!doctype html", 14) == 0 || strncasecmp(begin, "<html", 5) == 0)
		return true;
	if (*begin != '<' || !find_any_case(exchange_field(exchange, "Content-Type"), "html"))
		return false;
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (has_tag(begin, tags[i]))
			return true;
	return false;
}

static void keep_title(struct page_responses *seen, const struct text *body)
{
	LOCAL_BUFFER title = BUFFER_INIT;
	words_append_title(&title, body->text, body->length, PAGE_TITLE_MAX + 1);
	const char *text = buffer_text(&title);
	size_t kept = title.length > PAGE_TITLE_MAX ? utf8_begin_of(text, PAGE_TITLE_MAX) : title.length;
	snprintf(seen->title, sizeof seen->title, "%.*s%s", (int)kept, text, kept < title.length ? "..." : "");
}

void page_responses_add(struct page_responses *seen, const struct exchange *exchange)
{
	const struct text *body = &exchange->response.body;
	bool came = exchange->outcome == DELIVER_RESPONDED || exchange->failure == DELIVER_TOO_LONG;
	/* One response that is none decides it: a run has millions of them. */
	if (!came || exchange->status < 200 || exchange->status >= 300 || seen->others > 0)
		return;
	LOCAL_BUFFER text = BUFFER_INIT;
	buffer_append(&text, body->text, body->length < WORDS_READ_MAX ? body->length : WORDS_READ_MAX);
	if (!is_page(exchange, buffer_text(&text)))
		seen->others++;
	else if (seen->pages++ == 0)
		keep_title(seen, body);
}

bool page_responses_are_all(const struct page_responses *seen)
{
	return seen->pages > 0 && seen->others == 0;
}

void page_responses_append(struct buffer *out, const struct page_responses *seen)
{
	if (!page_responses_are_all(seen))
		return;
	buffer_append_text(out, "the responses are a page");
	if (seen->title[0]) {
		buffer_append_text(out, " (\"");
		utf8_append_safe(out, seen->title, strlen(seen->title));
		buffer_append_text(out, "\")");
	}
	buffer_append_text(out, ": is this your listener?");
}
