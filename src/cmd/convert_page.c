#include "cmd/convert_page.h"

#include "base/clock.h"
#include "cmd/arrival.h"
#include "receive/repeats.h"
#include "redact/redact.h"
#include "report/report_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS_MAX 100 /* findings of one body that are marked */

enum kind {
	KIND_INVALID,
	KIND_WARNING,
	KIND_VALID,
};
static const struct page_kind kinds[PAGE_KINDS] = { { "fail", "invalid" },
	                                            { "warn", "with warnings" },
	                                            { "ok", "valid" } };

struct convert_page {
	struct page page;
	struct repeats *repeats;
	uint64_t number; /* of records */
	size_t written;  /* bytes */
};

struct convert_page *convert_page_new(struct buffer *out, struct error *err)
{
	struct convert_page *page = calloc(1, sizeof *page);
	if (page && (page->repeats = repeats_new())) {
		page->page.kinds = kinds;
		page->page.people = PAGE_REDACTED;
		report_html.begin("", out);
		return page;
	}
	free(page);
	error_no_memory(err);
	return NULL;
}

void convert_page_free(struct convert_page *page)
{
	if (!page)
		return;
	repeats_free(page->repeats);
	page_release(&page->page);
	free(page);
}

static int by_start(const void *a, const void *b)
{
	const struct report_mark *left = a, *right = b;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* Each finding a line, and those that have a place in the body a mark. Returns the number of marks. */
static size_t append_findings(const struct verdict *v, struct buffer *lines, struct report_mark marks[MARKS_MAX])
{
	size_t count = 0;
	for (size_t i = 0; i < v->finding_count && i < MARKS_MAX; i++) {
		const struct finding *f = &v->findings[i];
		buffer_printf(lines, "%s: %s [%s]\n", severity_name(f->severity), verdict_message(v, f),
		              finding_rows[f->id].name);
		if (f->end > f->start && f->start != FINDING_NO_PLACE)
			marks[count++] = (struct report_mark){ f->start, f->end, finding_rows[f->id].name };
	}
	qsort(marks, count, sizeof *marks, by_start);
	return count;
}

static void append_repeat(struct convert_page *page, const struct capture_record *record, struct buffer *lines)
{
	char span[CLOCK_DURATION_SIZE];
	struct repeat repeat = repeats_note(page->repeats, &record->request.body, page->number, record->received_us);
	if (repeat.nth == 0)
		return;
	clock_format_duration(repeat.after_us * 1000, span);
	buffer_printf(lines, "repeat of #%llu after %s\n", (unsigned long long)repeat.of, span);
}

int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err)
{
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	struct report_mark marks[MARKS_MAX];
	char event[CATALOG_KIND_NAME_SIZE], status[16];
	size_t before = out->length;
	LOCAL_BUFFER name = BUFFER_INIT, head = BUFFER_INIT, lines = BUFFER_INIT;
	if (page->number++ == CONVERT_PAGE_MOST) {
		error_set(err, EXIT_CODE_USAGE, "a page holds %d records, and there are more", CONVERT_PAGE_MOST);
		return error_hint(err, "choose some: --limit %d, or --where PATH=VALUE", CONVERT_PAGE_MOST);
	}
	const struct verdict *v =
	        check_payload(checker, record->request.body.text, record->request.body.length, &options, err);
	if (!v)
		return -1;
	enum kind kind = !v->valid ? KIND_INVALID : v->finding_count > 0 ? KIND_WARNING : KIND_VALID;
	page_add(&page->page, record->received_us, kind, -1);
	if (!record->redacted.text || !redact_is_mark(record->redacted.text, record->redacted.length))
		page->page.people = PAGE_PEOPLE;
	arrival_name(v->kind, event);
	buffer_printf(&name, "#%llu %s", (unsigned long long)page->number, event);
	arrival_append_head(&record->request, &head);
	const char *text = v->finding_count > 0 ? verdict_message(v, &v->findings[0]) : "";
	append_repeat(page, record, &lines);
	const char *message = lines.length > 0 && !text[0] ? "repeat" : text;
	size_t mark_count = append_findings(v, &lines, marks);
	snprintf(status, sizeof status, "%d", record->status);
	const struct report_side request = { .head = buffer_text(&head),
		                             .body = record->request.body.text,
		                             .length = record->request.body.length,
		                             .marks = marks,
		                             .mark_count = mark_count };
	report_html.add_case(&(struct report_case){ .group = event,
	                                            .name = buffer_text(&name),
	                                            .mark = kinds[kind].mark,
	                                            .message = message,
	                                            .details = buffer_text(&lines),
	                                            .at_us = record->received_us,
	                                            .status = record->fault.text   ? record->fault.text
	                                                      : record->status > 0 ? status
	                                                                           : NULL,
	                                            .request = &request,
	                                            .without_bodies = page->written > report_html.bodies_max },
	                     out, NULL);
	page->written += out->length - before;
	return name.failed || head.failed || lines.failed ? error_no_memory(err) : 0;
}

void convert_page_end(struct convert_page *page, const char *subject, struct buffer *out)
{
	buffer_append_text(&page->page.subject, subject);
	report_html.end(&(struct report_totals){ .title = "credhook capture", .wrong = "", .page = &page->page }, out);
}
