/*
 * One file that a browser opens from disk. page.html, which is compiled in, is that file with sample data between its
 * marks; here they are replaced by the run's. Each case is there in two forms: as a row of a plain table for readers
 * without JavaScript, and as JSON that the page's script makes everything else of.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "json/json_line.h"
#include "json/located.h"
#include "report/report_format.h"

#include <stdio.h>
#include <string.h>

#define CASES_MAX    1000
#define BODIES_MAX   ((size_t)16 << 20)
#define EXCERPT_MAX  600 /* bytes of a payload before a finding, and behind it */
#define HEAD_AT      "<!-- policy -->"
#define CASES_AT     "<!-- cases -->"
#define CASES_END_AT "<!-- end of cases -->"
#define SUMMARY_AT   "id=\"summary\">"
#define DATA_END_AT  "<!-- end of data -->"

extern const unsigned char report_page[]; /* page.html and a NUL, made by CMakeLists.txt */

static const char *place_of(const char *mark)
{
	return strstr((const char *)report_page, mark);
}

/* 'sha256-...', the hash of the text between the tags, as a Content-Security-Policy names it. */
static void append_hash(struct buffer *out, const char *tag, const char *end_tag)
{
	struct error unused;
	unsigned char digest[HASH_SHA256_SIZE];
	const char *text = place_of(tag) + strlen(tag);
	struct hash_sha256 *hash = hash_sha256_new(&unused);
	if (!hash || hash_sha256_of(hash, text, (size_t)(strstr(text, end_tag) - text), digest, &unused) < 0)
		out->failed = true;
	buffer_append_text(out, "'sha256-");
	buffer_append_base64(out, digest, sizeof digest);
	buffer_append_byte(out, '\'');
	hash_sha256_free(hash);
}

static size_t begin(const char *title, struct buffer *out)
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
	return 0;
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
	out->failed |= json->failed;
}

static void append_cell(struct buffer *out, const char *text)
{
	buffer_append_text(out, "<td>");
	report_append_markup_line(out, text);
	buffer_append_text(out, "</td>");
}

/* The offset, or one shortly before it, where a character begins. */
static size_t at_character(const char *text, size_t offset)
{
	for (int i = 0; i < 3 && offset > 0 && ((unsigned char)text[offset] & 0xC0) == 0x80; i++)
		offset--;
	return offset;
}

/* The body in pieces: texts, and what is marked with what is said of it. */
static void append_body(struct buffer *json, const struct report_side *side, size_t length)
{
	size_t at = 0;
	json_line_array(json, "body");
	for (size_t i = 0; i < side->mark_count; i++) {
		const struct report_mark *mark = &side->marks[i];
		size_t stop = mark->stop < length ? mark->stop : length;
		if (mark->start < at || mark->start >= stop)
			continue;
		json_line_comma(json);
		json_line_string(json, side->body + at, mark->start - at);
		json_line_begin(json);
		json_line_bytes(json, "mark", side->body + mark->start, stop - mark->start);
		json_line_text(json, "text", mark->text);
		json_line_end(json);
		at = stop;
	}
	json_line_comma(json);
	json_line_string(json, side->body + at, length - at);
	json_line_array_end(json);
}

static void append_side(struct buffer *json, const char *key, const struct report_side *side, bool without_bodies)
{
	char cut[64] = "";
	if (!side)
		return;
	size_t shown = side->length <= REPORT_BODY_MAX ? side->length : at_character(side->body, REPORT_BODY_MAX);
	json_line_object(json, key);
	if (side->title)
		json_line_text(json, "title", side->title);
	json_line_text(json, "head", side->head ? side->head : "");
	if (without_bodies && side->length > 0)
		snprintf(cut, sizeof cut, "%zu bytes, left out: the page is full", side->length);
	else if (shown < side->length)
		snprintf(cut, sizeof cut, "the first 16 KiB of %zu bytes", side->length);
	else if (side->cut)
		snprintf(cut, sizeof cut, "%s", side->cut);
	if (!without_bodies && side->length > 0)
		append_body(json, side, shown);
	if (cut[0])
		json_line_text(json, "cut", cut);
	json_line_end(json);
}

static void append_lines(struct buffer *json, const char *key, const char *text)
{
	json_line_array(json, key);
	while (*text) {
		size_t length = strcspn(text, "\n");
		json_line_comma(json);
		json_line_string(json, text, length);
		text += length + (text[length] == '\n');
	}
	json_line_array_end(json);
}

static void add_case(const struct report_case *c, struct buffer *out, struct buffer *notices)
{
	static const char *const verdicts[] = {
		[REPORT_PASSED] = "ok", [REPORT_FAILED] = "fail", [REPORT_ERROR] = "fail", [REPORT_SKIPPED] = "skip"
	};
	const char *verdict = c->mark ? c->mark : verdicts[c->verdict];
	const char *text = c->reason ? c->reason : c->message ? c->message : "";
	const char *details = c->advice ? c->advice : c->details ? c->details : "";
	char duration[32] = "";
	LOCAL_BUFFER json = BUFFER_INIT;
	(void)notices;
	if (c->unlisted)
		return;
	json_line_begin(&json);
	json_line_text(&json, "verdict", verdict);
	json_line_text(&json, "name", c->name);
	json_line_text(&json, "of", c->of ? c->of : c->group);
	if (c->at_us > 0)
		json_line_number(&json, "at", c->at_us / 1000);
	if (c->status)
		json_line_text(&json, "status", c->status);
	if (c->ns > 0) {
		snprintf(duration, sizeof duration, "%.3f", (double)c->ns / 1e6);
		json_line_decimal(&json, "ms", (double)c->ns / 1e6);
	}
	json_line_text(&json, "text", text);
	append_lines(&json, "details", details);
	append_side(&json, "request", c->request, c->without_bodies);
	append_side(&json, "response", c->response, c->without_bodies);
	if (c->command)
		json_line_text(&json, "command", c->command);
	json_line_end(&json);
	buffer_append_text(out, "<tr>");
	append_cell(out, verdict);
	append_cell(out, c->name);
	append_cell(out, c->status ? c->status : "");
	append_cell(out, duration);
	append_cell(out, text);
	buffer_append_text(out, "</tr><script type=\"application/json\" class=\"case\">");
	append_embedded(out, &json);
	buffer_append_text(out, "</script>\n");
}

/* A finding, with what stands around it. */
static void append_finding(const struct report_payload *p, struct finding_walk *walk, struct buffer *out)
{
	const struct payload_origin *o = walk->origin;
	bool is_error = walk->finding->severity == SEVERITY_ERROR;
	LOCAL_BUFFER file = BUFFER_INIT, name = BUFFER_INIT, text = BUFFER_INIT, details = BUFFER_INIT;
	char cut[64] = "";
	report_append_file(o->file, &file);
	buffer_printf(&name, "%s:%zu:%zu", buffer_text(&file), walk->place.line, walk->place.column);
	buffer_append(&text, buffer_text(&walk->message), walk->message.length);
	buffer_printf(&text, " [%s]", finding_rows[walk->finding->id].name);
	const struct buffer *pointer = finding_walk_pointer(walk);
	if (pointer->length > 0) {
		buffer_append_text(&details, "at ");
		utf8_append_safe(&details, buffer_text(pointer), pointer->length);
		buffer_append_byte(&details, '\n');
	}
	if (walk->hint.length > 0) {
		buffer_append_text(&details, "fix: ");
		utf8_append_safe(&details, buffer_text(&walk->hint), walk->hint.length);
	}
	size_t from = walk->start > EXCERPT_MAX ? at_character(o->text, walk->start - EXCERPT_MAX) : 0;
	size_t stop =
	        walk->stop < walk->start + EXCERPT_MAX ? walk->stop : at_character(o->text, walk->start + EXCERPT_MAX);
	size_t to = o->length - stop > EXCERPT_MAX ? at_character(o->text, stop + EXCERPT_MAX) : o->length;
	if (to - from < o->length)
		snprintf(cut, sizeof cut, "%zu of %zu bytes", to - from, o->length);
	const struct report_mark mark = { walk->start - from, stop - from, buffer_text(&text) };
	const struct report_side around = { .title = "payload",
		                            .body = o->text + from,
		                            .length = to - from,
		                            .marks = &mark,
		                            .mark_count = 1,
		                            .cut = cut };
	bool is_shown = !walk->encoded && o->length > 0 && walk->finding->id != FINDING_TOO_LONG;
	add_case(&(struct report_case){ .group = "",
	                                .of = buffer_text(&file),
	                                .name = buffer_text(&name),
	                                .mark = !is_error   ? "warn"
	                                        : p->failed ? "fail"
	                                                    : "note",
	                                .message = buffer_text(&text),
	                                .details = buffer_text(&details),
	                                .request = is_shown ? &around : NULL },
	         out, NULL);
	out->failed |= file.failed || name.failed || text.failed || details.failed;
}

/* What is not about one place. */
static void append_remark(const struct report_payload *p, const char *mark, const char *message, struct buffer *out)
{
	LOCAL_BUFFER file = BUFFER_INIT, name = BUFFER_INIT;
	report_append_file(p->origin->file, &file);
	buffer_printf(&name, "%s:%zu", buffer_text(&file), p->origin->line);
	add_case(&(struct report_case){ .group = "",
	                                .of = buffer_text(&file),
	                                .name = buffer_text(&name),
	                                .mark = mark,
	                                .message = message },
	         out, NULL);
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	struct finding_walk walk;
	LOCAL_BUFFER more = BUFFER_INIT;
	if (p->unexpected)
		append_remark(p, "fail", REPORT_UNEXPECTED_MESSAGE, out);
	finding_walk_init(&walk, p->verdict, p->origin);
	while (finding_walk_next(&walk))
		append_finding(p, &walk, out);
	if (finding_walk_append_unlisted(&walk, &more))
		append_remark(p, p->failed ? "fail" : "note", buffer_text(&more), out);
	finding_walk_release(&walk);
}

/* What the script writes above the list, as the table's last rows, for readers without it. */
static void append_foot(const struct buffer *json, struct buffer *out)
{
	static const struct {
		const char *list, *member; /* the pointer before and behind a number; member NULL: one text */
	} said[] = { { "/notice", NULL },
		     { "/interrupted", NULL },
		     { "/counts/", "/1" },
		     { "/lines/", "" },
		     { "/more", NULL } };
	struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	json_read(&doc, buffer_text(json), json->length, &fault);
	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
		uint32_t token;
		for (size_t n = 0; n == 0 || said[i].member; n++) {
			char pointer[40], number[24] = "";
			LOCAL_BUFFER text = BUFFER_INIT;
			if (said[i].member)
				snprintf(number, sizeof number, "%zu", n);
			snprintf(pointer, sizeof pointer, "%s%s%s", said[i].list, number,
			         said[i].member ? said[i].member : "");
			token = json_resolve(&doc, pointer);
			if (token == JSON_NONE)
				break;
			json_string_decode(&doc, token, &text);
			buffer_append_text(out, "<tr><td colspan=\"5\">");
			report_append_markup_line(out, buffer_text(&text));
			buffer_append_text(out, "</td></tr>\n");
		}
	}
	json_doc_release(&doc);
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	const char *from = place_of(CASES_END_AT), *to = place_of(SUMMARY_AT) + strlen(SUMMARY_AT);
	const struct buffer *page = totals->page;
	LOCAL_BUFFER json = BUFFER_INIT;
	json_line_begin(&json);
	json_line_text(&json, "title", totals->title);
	json_line_number(&json, "made", clock_realtime_us() / 1000);
	json_line_text(&json, "version", CREDHOOK_VERSION);
	if (totals->wrong[0])
		json_line_text(&json, "interrupted", totals->wrong);
	if (totals->left_out > 0) {
		LOCAL_BUFFER words = BUFFER_INIT;
		buffer_printf(&words, "%zu more are left out: a page lists %d", totals->left_out, CASES_MAX);
		json_line_text(&json, "more", buffer_text(&words));
	}
	if (page->length > 0) {
		json_line_comma(&json);
		buffer_append(&json, page->data, page->length);
	}
	json_line_end(&json);
	append_foot(&json, out);
	buffer_append(out, from, (size_t)(to - from));
	append_embedded(out, &json);
	buffer_append_text(out, "</script>\n");
	buffer_append_text(out, place_of(DATA_END_AT));
	out->failed |= page->failed;
}

const struct report_format report_html = {
	.name = "html",
	.holds_cases = true,
	.is_private = true,
	.is_page = true,
	.separator = "",
	.lines_max = CASES_MAX,
	.bodies_max = BODIES_MAX,
	.begin = begin,
	.payload = payload,
	.add_case = add_case,
	.end = end,
};
