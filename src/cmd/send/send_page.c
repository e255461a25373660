#include "cmd/send/send.h"
#include "json/json_line.h"

void send_page_fill(struct page *page, const struct send_report *report, const struct delivery_counts *c)
{
	static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "unexpected status" },
		                                               { GRADE_SKIP, "not sent" },
		                                               { GRADE_NOTE, "without a full response" },
		                                               { GRADE_WARN, "late" },
		                                               { GRADE_OK, "accepted" } };
	const struct send_run *run = report->run;
	LOCAL_BUFFER text = BUFFER_FOR(&page->members);
	page->series = kinds;
	page->people = run->has_people ? PAGE_PEOPLE : run->files->count == 0 ? PAGE_MADE_UP : PAGE_REDACTED;
	page->ns = c->ended_ns - c->started_ns;
	buffer_append_text(&page->subject, buffer_text(&run->route.masked_url));
	send_summary_append_lines(&page->lines, run, c);
	json_line_array(&page->members, "reasons");
	for (size_t i = 0; i < report->reasons.count; i++) {
		const struct send_reason *r = &report->reasons.items[i];
		buffer_clear(&text);
		buffer_printf(&text, "%s  %s%s", buffer_text(&r->status), buffer_text(&r->words),
		              r->words.length == 0 ? "\n" : "");
		send_causes_append(&report->causes, r->number, r->count, &text);
		if (r->hint.length > 0)
			buffer_printf(&text, "hint: %s\n", buffer_text(&r->hint));
		buffer_printf(&text, "first: %s", buffer_text(&r->first));
		json_line_comma(&page->members);
		buffer_printf(&page->members, "[%llu", (unsigned long long)r->count);
		json_line_element(&page->members, buffer_text(&text));
		json_line_array_end(&page->members);
	}
	json_line_array_end(&page->members);
}
