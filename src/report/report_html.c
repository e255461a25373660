/*
 * One file that a browser opens from disk. page.html, which is compiled in, is that file with sample data between its
 * marks; here they are replaced by the run's. Each case is there in two forms: as a row of a plain table for readers
 * without JavaScript, and as JSON that the page's script makes everything else of.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "json/json_line.h"
#include "report/markup.h"
#include "report/report_format.h"

#include <stdio.h>
#include <string.h>

#define CASES_MAX    1000
#define EXCERPT_MAX  600 /* bytes of a payload before a finding, and behind it */
#define HEAD_AT      "<!-- policy -->"
#define CASES_AT     "<!-- cases -->"
#define CASES_END_AT "<!-- end of cases -->"
#define SUMMARY_AT   "id=\"summary\">"
#define DATA_END_AT  "<!-- end of data -->"

extern const unsigned char report_page[]; /* page.html and a NUL, made by CMakeLists.txt */

static const char *place_of(const char *placeholder)
{
	return strstr((const char *)report_page, placeholder);
}

/* 'sha256-...', the hash of the text between the tags, as a Content-Security-Policy names it. */
static void append_hash(struct buffer *out, const char *tag, const char *end_tag)
{
	struct error unused;
	unsigned char digest[HASH_SHA256_SIZE];
	const char *text = place_of(tag) + strlen(tag);
	struct evp_md_ctx_st *hash = hash_sha256_new(&unused);
	if (!hash || hash_sha256_of(hash, text, (size_t)(strstr(text, end_tag) - text), digest, &unused) < 0)
		buffer_fail_if(out, true);
	buffer_append_text(out, "'sha256-");
	buffer_append_base64(out, digest, sizeof digest);
	buffer_append_byte(out, '\'');
	hash_sha256_free(hash);
}

static void begin(const char *title, struct buffer *out)
{
	(void)title;
	const char *page = (const char *)report_page, *head = place_of(HEAD_AT), *rest = head + strlen(HEAD_AT);
	buffer_append(out, page, (size_t)(head - page));
	buffer_append_text(out,
	                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ");
	append_hash(out, "<style>", "</style>");
	buffer_append_text(out, "; script-src ");
	append_hash(out, "<script>", "</script>");
	buffer_append_text(out, "; base-uri 'none'; form-action 'none'\">");
	buffer_append(out, rest, (size_t)(place_of(CASES_AT) - rest));
	buffer_append_text(out, CASES_AT "\n");
}

/* JSON, in which these stand in strings only, where nothing that it holds can end the element. */
static void append_embedded(struct buffer *out, const struct buffer *json)
{
	const char *at = buffer_text(json), *end = at + json->length;
	while (at < end) {
		size_t plain = strcspn(at, "<>&");
		buffer_append(out, at, plain);
		at += plain;
		if (at < end)
			buffer_printf(out, "\\u%04x", (unsigned)(unsigned char)*at++);
	}
	buffer_fail_if(out, json->failed);
}

/* The body in pieces: texts, and what is marked with what is said of it. */
static void append_body(struct buffer *json, const struct report_side *side, size_t length)
{
	size_t at = 0;
	json_line_array(json, "body");
	for (size_t i = 0; i < side->span_count; i++) {
		const struct report_span *span = &side->spans[i];
		size_t stop = span->stop < length ? span->stop : length;
		if (span->start < at || span->start >= stop)
			continue;
		json_line_comma(json);
		json_line_string(json, side->body + at, span->start - at);
		json_line_begin(json);
		json_line_bytes(json, "mark", side->body + span->start, stop - span->start);
		json_line_text(json, "text", span->text);
		json_line_end(json);
		at = stop;
	}
	json_line_comma(json);
	json_line_string(json, side->body + at, length - at);
	json_line_array_end(json);
}

/* How many of the bytes a page shows, if `max` are the most. */
static size_t length_shown(const char *text, size_t length, size_t max)
{
	return length <= max ? length : utf8_begin_of(text, max);
}

/* That only a part is there; nothing where it is the whole. */
static void append_cut(struct buffer *json, const char *key, uint64_t shown, uint64_t whole, bool is_full)
{
	char cut[80];
	snprintf(cut, sizeof cut, "%s of %s bytes%s", COUNT_TEXT(shown), COUNT_TEXT(whole),
	         is_full ? ": the page is full" : "");
	if (shown < whole)
		json_line_text(json, key, cut);
}

static void append_head(struct buffer *json, const char *head, bool is_full)
{
	LOCAL_BUFFER shown = BUFFER_FOR(json);
	size_t whole = strlen(head), first = strcspn(head, "\n");
	if (!is_full) {
		buffer_append(&shown, head, length_shown(head, first, REPORT_HEAD_MAX));
		buffer_append(&shown, head + first, length_shown(head + first, whole - first, REPORT_HEAD_MAX));
	}
	json_line_text(json, "head", buffer_text(&shown));
	append_cut(json, "head_cut", shown.length, whole, is_full);
}

static void append_side(struct buffer *json, const char *key, const struct report_side *side, bool is_full)
{
	if (!side)
		return;
	uint64_t whole = side->whole > 0 ? side->whole : side->length;
	size_t shown = is_full ? 0 : length_shown(side->body, side->length, REPORT_BODY_MAX);
	json_line_object(json, key);
	append_head(json, side->head ? side->head : "", is_full);
	if (shown > 0)
		append_body(json, side, shown);
	append_cut(json, "cut", shown, whole, is_full);
	json_line_end(json);
}

/* What the script writes above the list; for readers without it a row of the table. */
static void say(struct buffer *json, struct buffer *rows, const char *key, const char *text)
{
	if (key)
		json_line_text(json, key, text);
	buffer_append_text(rows, "<tr><td colspan=\"6\">");
	report_append_markup_line(rows, text);
	buffer_append_text(rows, "</td></tr>\n");
}

/* Each line an element, and if `rows` said there, too; NULL: none. */
static void append_lines(struct buffer *json, struct buffer *rows, const char *text)
{
	while (text && *text) {
		LOCAL_BUFFER line = BUFFER_FOR(json);
		size_t length = strcspn(text, "\n");
		buffer_append(&line, text, length);
		text += length + (text[length] == '\n');
		if (length == 0)
			continue;
		json_line_element(json, buffer_text(&line));
		if (rows)
			say(json, rows, NULL, buffer_text(&line));
	}
}

static void add_case(const struct report_case *c, struct buffer *out, struct buffer *notices)
{
	char duration[32] = "", stamp[CLOCK_STAMP_SIZE] = "";
	LOCAL_BUFFER json = BUFFER_INIT, name = BUFFER_FOR(&json);
	(void)notices;
	if (c->unlisted)
		return;
	if (c->ns > 0)
		snprintf(duration, sizeof duration, "%.3f", (double)c->ns / 1e6);
	if (c->at_us > 0)
		clock_format_stamp(c->at_us, stamp);
	if (c->number > 0)
		buffer_printf(&name, "#%llu ", (unsigned long long)c->number);
	buffer_append_text(&name, c->name);
	const char *cells[] = { grade_names[c->grade],      stamp,    buffer_text(&name),
		                c->status ? c->status : "", duration, c->message ? c->message : "" };
	json_line_begin(&json);
	json_line_text(&json, "verdict", cells[0]);
	json_line_text(&json, "name", c->name);
	json_line_text(&json, "of", c->of ? c->of : c->group);
	if (c->number > 0)
		json_line_number(&json, "number", (int64_t)c->number);
	if (c->at_us > 0)
		json_line_number(&json, "at", c->at_us / 1000);
	if (c->payload)
		json_line_text(&json, "payload", c->payload);
	if (c->status)
		json_line_text(&json, "status", c->status);
	if (c->ns > 0)
		json_line_decimal(&json, "ms", (double)c->ns / 1e6);
	json_line_text(&json, "text", cells[5]);
	if (c->fix && c->fix[0])
		json_line_text(&json, "fix", c->fix);
	if (c->reason > 0)
		json_line_number(&json, "reason", (int64_t)c->reason);
	if (c->cause > 0)
		json_line_number(&json, "cause", (int64_t)c->cause);
	if (c->command)
		json_line_text(&json, "command", c->command);
	json_line_array(&json, "details");
	append_lines(&json, NULL, c->about);
	append_lines(&json, NULL, c->details);
	json_line_array_end(&json);
	if (c->log && c->log[0])
		json_line_text(&json, "log", c->log);
	append_side(&json, "request", c->request, c->without_sides);
	append_side(&json, "response", c->response, c->without_sides);
	json_line_end(&json);
	buffer_append_text(out, "<tr>");
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		buffer_append_text(out, "<td>");
		report_append_markup_line(out, cells[i]);
		buffer_append_text(out, "</td>");
	}
	buffer_append_text(out, "</tr><script type=\"application/json\" class=\"case\">");
	append_embedded(out, &json);
	buffer_append_text(out, "</script>\n");
}

/* A case of a payload: about the walk's finding, with what stands around it, or about no one place. */
static void append_one(const struct report_payload *p, struct finding_walk *walk, enum grade grade, const char *message,
                       struct buffer *out)
{
	const struct payload_origin *o = p->origin;
	LOCAL_BUFFER file = BUFFER_FOR(out), name = BUFFER_FOR(out), details = BUFFER_FOR(out);
	struct report_case c = { .group = "", .grade = grade, .message = message };
	struct report_span marked;
	struct report_side around = { .spans = &marked, .span_count = 1 };
	report_append_file(o->file, &file);
	buffer_printf(&name, "%s:%zu", buffer_text(&file), walk ? walk->place.line : o->line);
	if (walk) {
		const struct buffer *pointer = finding_walk_pointer(walk);
		buffer_printf(&name, ":%zu", walk->place.column);
		if (pointer->length > 0) {
			buffer_append_text(&details, "at ");
			utf8_append_safe(&details, buffer_text(pointer), pointer->length);
			buffer_append_byte(&details, '\n');
		}
		c.fix = buffer_text(&walk->hint);
	}
	if (walk && !walk->encoded && o->length > 0 && walk->finding->id != FINDING_TOO_LONG) {
		size_t from = walk->start > EXCERPT_MAX ? utf8_begin_of(o->text, walk->start - EXCERPT_MAX) : 0;
		size_t to = o->length - walk->stop > EXCERPT_MAX ? utf8_begin_of(o->text, walk->stop + EXCERPT_MAX)
		                                                 : o->length;
		marked = (struct report_span){ walk->start - from, walk->stop - from, message };
		around.body = o->text + from;
		around.length = to - from;
		around.whole = o->length;
		c.request = &around;
	}
	c.of = buffer_text(&file);
	c.name = buffer_text(&name);
	c.details = buffer_text(&details);
	add_case(&c, out, NULL);
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	enum grade error = p->failed ? GRADE_FAIL : GRADE_NOTE;
	struct finding_walk walk;
	LOCAL_BUFFER text = BUFFER_FOR(out);
	if (p->unexpected)
		append_one(p, NULL, error, REPORT_UNEXPECTED_MESSAGE, out);
	finding_walk_init(&walk, p->verdict, p->origin, out);
	while (finding_walk_next(&walk)) {
		buffer_clear(&text);
		buffer_printf(&text, "%s [%s]", buffer_text(&walk.message), finding_rows[walk.finding->id].name);
		append_one(p, &walk, walk.finding->severity == SEVERITY_ERROR ? error : GRADE_WARN, buffer_text(&text),
		           out);
	}
	buffer_clear(&text);
	if (finding_walk_append_unlisted(&walk, &text))
		append_one(p, NULL, error, buffer_text(&text), out);
	finding_walk_release(&walk);
}

static void append_counts(const struct page *page, struct buffer *json, struct buffer *rows)
{
	json_line_array(json, "counts");
	for (size_t i = 0; page->series && i < PAGE_SERIES; i++) {
		const struct page_series *one = &page->series[i];
		unsigned long long number = page->all.counts[PAGE_BY_GRADE][one->grade];
		char digits[COUNT_SIZE], words[64];
		if (!one->name || (number == 0 && one->grade != GRADE_OK))
			continue;
		snprintf(words, sizeof words, "%s %s", count_text(number, digits), one->name);
		json_line_comma(json);
		buffer_printf(json, "[\"%s\",\"%s\",%llu]", grade_names[one->grade], words, number);
		say(json, rows, NULL, words);
	}
	json_line_array_end(json);
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	static const char *const notices[] = { [PAGE_MADE_UP] = "payloads of this run are made up",
		                               [PAGE_WITHOUT_PAYLOADS] = "this page has no payloads",
		                               [PAGE_REDACTED] = "the payloads are redacted",
		                               [PAGE_PEOPLE] = "not redacted: it may hold data of people" };
	const char *from = place_of(CASES_END_AT), *to = place_of(SUMMARY_AT) + strlen(SUMMARY_AT);
	struct page *page = totals->page;
	LOCAL_BUFFER json = BUFFER_FOR(out);
	json_line_begin(&json);
	json_line_text(&json, "title", totals->title);
	json_line_number(&json, "made", clock_realtime_us() / 1000);
	json_line_text(&json, "version", CREDHOOK_VERSION);
	if (page->series) {
		json_line_text(&json, "subject", buffer_text(&page->subject));
		json_line_decimal(&json, "seconds", (double)page->ns / 1e9);
		json_line_bool(&json, "personal", page->people == PAGE_PEOPLE);
		say(&json, out, "notice", notices[page->people]);
	}
	if (page->part.length > 0)
		say(&json, out, "part", buffer_text(&page->part));
	if (totals->wrong[0])
		say(&json, out, "interrupted", totals->wrong);
	json_line_array(&json, "lines");
	append_lines(&json, out, buffer_text(&page->lines));
	json_line_array_end(&json);
	append_counts(page, &json, out);
	if (totals->left_out > 0)
		buffer_printf(&page->more, "%s more are left out: a page lists %s", COUNT_TEXT(totals->left_out),
		              COUNT_TEXT(CASES_MAX));
	if (page->more.length > 0)
		say(&json, out, "more", buffer_text(&page->more));
	if (page->series)
		page_append_counts(page, &json);
	if (page->members.length > 0) {
		json_line_comma(&json);
		buffer_append(&json, page->members.data, page->members.length);
	}
	json_line_end(&json);
	buffer_append(out, from, (size_t)(to - from));
	append_embedded(out, &json);
	buffer_append_text(out, "</script>\n");
	buffer_append_text(out, place_of(DATA_END_AT));
	buffer_fail_if(out, page->members.failed || page->lines.failed || page->more.failed || page->subject.failed ||
	                            page->part.failed);
}

static bool is_ours(const char *begin)
{
	return strncmp(begin, "<!DOCTYPE html>", 15) == 0 && strstr(begin, "<title>credhook");
}

const struct report_format report_html = {
	.name = "html",
	.holds_cases = true,
	.is_page = true,
	.separator = "",
	.lines_max = CASES_MAX,
	.begin = begin,
	.payload = payload,
	.add_case = add_case,
	.end = end,
	.is_ours = is_ours,
};
