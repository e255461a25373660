#include "cmd/show/convert_page.h"

#include "cmd/arrival.h"
#include "cmd/listing.h"
#include "http/secrets.h"
#include "redact/redact.h"

#include <stdio.h>

#define SPANS_MAX 100 /* findings of one body that are marked */

static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "invalid" },
	                                               { GRADE_WARN, "with warnings" },
	                                               { GRADE_OK, "valid" } };

/* Each finding a line, and those that have a place in the body a mark. Returns the number of spans. */
static size_t append_findings(const struct verdict *v, struct buffer *lines, struct report_span spans[SPANS_MAX])
{
	size_t count = 0;
	for (; count < v->finding_count && count < SPANS_MAX; count++) {
		const struct finding *f = &v->findings[count];
		buffer_printf(lines, "%s: %s [%s]\n", severity_name(f->severity), verdict_message(v, f),
		              finding_rows[f->id].name);
		spans[count] = (struct report_span){ f->start, f->end, finding_rows[f->id].name };
	}
	return count;
}

int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err)
{
	struct report_span spans[SPANS_MAX];
	char event[CATALOG_KIND_NAME_SIZE], status[16];
	size_t before = out->length;
	LOCAL_BUFFER name = BUFFER_INIT, head = BUFFER_INIT, lines = BUFFER_INIT, repeat = BUFFER_INIT;
	if (page->number++ == CONVERT_PAGE_MOST) {
		error_set(err, EXIT_CODE_USAGE, "a page holds %d records, and there are more", CONVERT_PAGE_MOST);
		return error_hint(err, "choose some: --limit %d, or --where PATH=VALUE", CONVERT_PAGE_MOST);
	}
	const struct verdict *v = listing_check(checker, record, err);
	if (!v)
		return -1;
	enum grade grade = !v->valid ? GRADE_FAIL : v->finding_count > 0 ? GRADE_WARN : GRADE_OK;
	page_add(&page->page, record->received_us, grade, -1);
	if (!record->redacted.text || !redact_is_stamp(record->redacted.text, record->redacted.length))
		page->page.people = PAGE_PEOPLE;
	arrival_name(v->kind, event);
	buffer_printf(&name, "#%llu %s", (unsigned long long)page->number, event);
	message_append_head(&record->request, true, &head);
	size_t span_count = append_findings(v, &lines, spans);
	const struct repeat repeated = listing_repeat(page->repeats, record, page->number);
	arrival_append_repeat(&repeated, &repeat);
	buffer_append_text(&lines, buffer_text(&repeat));
	const char *message = v->finding_count > 0 ? verdict_message(v, &v->findings[0]) : buffer_text(&repeat);
	snprintf(status, sizeof status, "%d", record->status);
	const struct report_side request = { .head = buffer_text(&head),
		                             .body = record->request.body.text,
		                             .length = record->request.body.length,
		                             .spans = spans,
		                             .span_count = span_count };
	report_html.add_case(&(struct report_case){ .group = event,
	                                            .name = buffer_text(&name),
	                                            .sign = grade_names[grade],
	                                            .message = message,
	                                            .details = buffer_text(&lines),
	                                            .at_us = record->received_us,
	                                            .status = record->fault.text   ? record->fault.text
	                                                      : record->status > 0 ? status
	                                                                           : NULL,
	                                            .request = &request,
	                                            .without_bodies = page->written > PAGE_FULL },
	                     out, NULL);
	page->written += out->length - before;
	return name.failed || head.failed || lines.failed || repeat.failed ? error_no_memory(err) : 0;
}

void convert_page_end(struct convert_page *page, const char *subject, struct buffer *out)
{
	page->page.series = kinds;
	buffer_append_text(&page->page.subject, subject);
	report_html.end(&(struct report_totals){ .title = "credhook capture", .wrong = "", .page = &page->page }, out);
}
