#include "base/text.h"
#include "cmd/args/report_files.h"
#include "cmd/list/listing.h"
#include "cmd/show/show.h"
#include "cmd/words/curl.h"
#include "http/secrets.h"
#include "redact/redact.h"
#include "report/finding_report.h"

#include <stdio.h>
#include <stdlib.h>

#define SPANS_MAX 100 /* findings of one body that are marked */

static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "got 5xx" },
	                                               { GRADE_WARN, "invalid or not 2xx" },
	                                               { GRADE_NOTE, "with warnings" },
	                                               { GRADE_OK, "ok" } };

/* Each finding a line, errors first, and by place a span of the body. *fix is the first one's. Returns their number. */
static size_t append_findings(const struct verdict *v, const struct text *body, struct buffer *lines,
                              struct buffer *fix, struct report_span spans[SPANS_MAX])
{
	struct payload_origin origin = { "", 1, body->text, body->length, NULL, NULL, 1 };
	struct finding_walk walk;
	size_t count = 0;
	finding_walk_init(&walk, v, &origin, lines);
	walk.errors_first = true;
	for (; count < SPANS_MAX && finding_walk_next(&walk); count++) {
		const char *name = finding_rows[walk.finding->id].name;
		buffer_printf(lines, "%s: %s [%s]\n", severity_name(walk.finding->severity), buffer_text(&walk.message),
		              name);
		if (count == 0)
			buffer_append(fix, buffer_text(&walk.hint), walk.hint.length);
		size_t at = count;
		for (; at > 0 && spans[at - 1].start > walk.start; at--)
			spans[at] = spans[at - 1];
		spans[at] = (struct report_span){ walk.start, walk.stop, name };
	}
	finding_walk_release(&walk);
	return count;
}

/* The sign of its row: the worse of what its payload is and what it got. */
static enum grade grade_of(enum grade payload, const struct capture_record *record)
{
	if (record->status >= 500 && record->status < 600)
		return GRADE_FAIL;
	if (payload == GRADE_FAIL || record->fault.text || (record->status > 0 && record->status / 100 != 2))
		return GRADE_WARN;
	return payload == GRADE_WARN ? GRADE_NOTE : GRADE_OK;
}

/* Where the case goes, or NULL: the first that went badly, the first that went well, and the last of these, which are
 * kept until they are. */
static struct buffer *place_of(struct convert_page *page, enum grade grade, struct buffer *out)
{
	if (grade == GRADE_FAIL || grade == GRADE_WARN)
		return page->bad++ < CONVERT_PAGE_BAD ? out : NULL;
	if (page->well++ < CONVERT_PAGE_WELL)
		return out;
	struct buffer *last = &page->last[page->well % CONVERT_PAGE_WELL];
	buffer_clear(last);
	return last;
}

/* What a record comes to. */
struct record_facts {
	const struct verdict *verdict;
	bool is_withheld;
	enum grade payload, grade; /* of its body alone, and with the response */
	char event[CATALOG_KIND_NAME_SIZE];
	char code[16];
	const char *status; /* may point to the code; NULL: none is recorded */
};

static int find_facts(struct record_facts *f, const struct capture_record *record, struct checker *checker,
                      struct error *err)
{
	const struct verdict *v = f->verdict = listing_check(checker, record, err);
	if (!v)
		return -1;
	f->is_withheld = capture_record_is_withheld(record);
	f->payload = f->is_withheld         ? GRADE_NOTE
	             : !v->valid            ? GRADE_FAIL
	             : v->finding_count > 0 ? GRADE_WARN
	                                    : GRADE_OK;
	f->grade = grade_of(f->payload, record);
	arrival_name(v->kind, f->event);
	snprintf(f->code, sizeof f->code, "%d", record->status);
	f->status = record->fault.text ? record->fault.text : record->status > 0 ? f->code : NULL;
	return 0;
}

static int add_case(struct convert_page *page, const struct capture_record *record, const struct record_facts *f,
                    struct buffer *out, struct error *err)
{
	struct report_span spans[SPANS_MAX];
	LOCAL_BUFFER head = BUFFER_INIT, lines = BUFFER_INIT, fix = BUFFER_INIT, repeat = BUFFER_INIT,
	             curl = BUFFER_INIT;
	struct curl_lines curl_lines = { 0 };
	const struct verdict *v = f->verdict;
	const struct text *body = &record->request.body;
	size_t before = out->length;
	message_append_head(&record->request, true, &head);
	size_t span_count = f->is_withheld ? 0 : append_findings(v, body, &lines, &fix, spans);
	if (!f->is_withheld)
		arrival_append_repeat(&page->repeat, &repeat);
	buffer_append_text(&lines, buffer_text(&repeat));
	bool is_full = page->written > PAGE_FULL;
	/* A command holds all of the request: it is there where the page shows that much. */
	bool is_short = head.length <= 2 * REPORT_HEAD_MAX && body->length <= REPORT_BODY_MAX;
	if (!is_full && is_short && curl_append_record(&curl_lines, record, &curl, err) < 0)
		return -1;
	if (curl.length > 0)
		buffer_consume_end(&curl, 1);
	const struct report_side request = { buffer_text(&head), body->text, body->length, spans, span_count, 0 };
	report_html.add_case(&(struct report_case){ .group = f->event,
	                                            .name = f->event,
	                                            .number = page->number,
	                                            .grade = f->grade,
	                                            .payload = page_payload_names[f->payload],
	                                            .message = v->finding_count > 0 && !f->is_withheld
	                                                               ? verdict_message(v, verdict_finding(v, 0))
	                                                               : buffer_text(&repeat),
	                                            .fix = buffer_text(&fix),
	                                            .details = buffer_text(&lines),
	                                            .command = curl.length > 0 ? buffer_text(&curl) : NULL,
	                                            .at_us = record->received_us,
	                                            .status = f->status,
	                                            .request = &request,
	                                            .without_sides = is_full },
	                     out, NULL);
	page->written += out->length - before;
	return head.failed || lines.failed || fix.failed || repeat.failed || curl.failed || out->failed
	               ? error_no_memory(err)
	               : 0;
}

int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err)
{
	struct record_facts f;
	if (find_facts(&f, record, checker, err) < 0)
		return -1;
	arrival_count(&page->counts, f.is_withheld ? NULL : f.verdict, record->status, record->fault.text != NULL);
	page_add(&page->page, &(struct page_item){ record->received_us, -1, f.grade, f.payload, f.event, f.status });
	if (!record->redacted.text || !redact_is_stamp(record->redacted.text, record->redacted.length))
		page->page.people = PAGE_PEOPLE;
	struct buffer *to = place_of(page, f.grade, out);
	return to ? add_case(page, record, &f, to, err) : 0;
}

void convert_page_set_inputs(struct convert_page *page, const struct text_list *inputs)
{
	if (inputs)
		report_append_inputs(inputs, &page->page.subject);
	else
		buffer_append_text(&page->page.subject, "redacted");
}

void convert_page_set_part(struct convert_page *page, const char *given, const struct selection *selection,
                           uint64_t read)
{
	selection_append_part(&page->page.part, given ? given : "a selection", selection->taken, read,
	                      selection->taken >= selection->options->limit);
}

void convert_page_end(struct convert_page *page, const struct buffer *why, struct buffer *out)
{
	uint64_t bad = page->bad < CONVERT_PAGE_BAD ? page->bad : CONVERT_PAGE_BAD;
	uint64_t well = page->well < 2 * CONVERT_PAGE_WELL ? page->well : 2 * CONVERT_PAGE_WELL;
	for (uint64_t back = well > CONVERT_PAGE_WELL ? well - CONVERT_PAGE_WELL : 0; back-- > 0;) {
		const struct buffer *last = &page->last[(page->well - back) % CONVERT_PAGE_WELL];
		buffer_append(out, buffer_text(last), last->length);
	}
	if (bad + well < page->bad + page->well)
		buffer_printf(&page->page.more,
		              "%s of %s are listed: %s%s that are invalid or did not get 2xx, and the first and the "
		              "last %d of the others",
		              COUNT_TEXT(bad + well), COUNT_TEXT(page->bad + page->well),
		              bad < page->bad ? "the first " : "all ", COUNT_TEXT(bad), CONVERT_PAGE_WELL);
	buffer_printf(&page->page.lines, "%s record%s: ", COUNT_TEXT(page->bad + page->well),
	              page->bad + page->well == 1 ? "" : "s");
	arrival_append_counts(&page->counts, true, &page->page.lines);
	buffer_append_text(&page->page.lines, why->length > 0 ? "\n" : "");
	buffer_append(&page->page.lines, buffer_text(why), why->length);
	page->page.series = kinds;
	report_html.end(&(struct report_totals){ .title = "credhook capture", .wrong = "", .page = &page->page }, out);
}

void convert_page_free(struct convert_page *page)
{
	if (!page)
		return;
	for (size_t i = 0; i < CONVERT_PAGE_WELL; i++)
		buffer_release(&page->last[i]);
	page_release(&page->page);
	free(page->repeats);
	free(page);
}
