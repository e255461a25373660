/* What --report html=F shows of a run. */
#include "base/clock.h"
#include "base/text.h"
#include "base/url.h"
#include "cmd/send/report.h"
#include "json/json_line.h"
#include "report/series.h"

#include <stdio.h>
#include <string.h>

#define ACCEPTED_MOST 100 /* that are listed, to compare others with */

enum kind {
	KIND_ACCEPTED,
	KIND_LATE,
	KIND_REJECTED,
	KIND_UNKNOWN,
	KIND_UNSENT,
};
static const char *const kinds[SERIES_KINDS][2] = { { "ok", "accepted" },
	                                            { "warn", "late" },
	                                            { "fail", "rejected" },
	                                            { "note", "without a full response" },
	                                            { "skip", "not sent" } };

static enum kind kind_of(const struct job *job, bool in_flight)
{
	static const enum kind by_outcome[] = { [OUTCOME_ACCEPTED] = KIND_ACCEPTED,
		                                [OUTCOME_REJECTED] = KIND_REJECTED,
		                                [OUTCOME_FAILED] = KIND_UNSENT,
		                                [OUTCOME_UNKNOWN] = KIND_UNKNOWN };
	return in_flight ? KIND_UNKNOWN : job->late ? KIND_LATE : by_outcome[job->outcome];
}

static void fill_response(const struct job *job, struct report_case *c, struct send_page_texts *texts)
{
	const struct delivery *d = &job->delivery;
	LOCAL_BUFFER status = BUFFER_INIT;
	send_append_status(&status, job);
	snprintf(texts->status, sizeof texts->status, "%s", buffer_text(&status));
	c->status = texts->status;
	if (d->status == 0)
		return;
	buffer_printf(&texts->response_head, "%d", d->status);
	if (d->response_type[0])
		buffer_printf(&texts->response_head, "\nContent-Type: %s", d->response_type);
	texts->response = (struct report_side){ .head = buffer_text(&texts->response_head),
		                                .body = buffer_text(&d->response),
		                                .length = d->response.length,
		                                .cut = d->response_cut ? "not all of it was kept" : NULL };
	c->response = &texts->response;
}

void send_page_add(struct send_report *report, const struct job *job, bool in_flight, struct report_case *c,
                   struct send_page_texts *texts)
{
	const struct send_run *run = report->run;
	const struct delivery *d = &job->delivery;
	enum kind kind = kind_of(job, in_flight);
	if (!run->series)
		return;
	bool has_ended = !in_flight && d->finished_ns > 0;
	int64_t ended_us = has_ended ? clock_realtime_of(d->finished_ns) : clock_realtime_us();
	bool has_accepted = kind == KIND_ACCEPTED || kind == KIND_LATE;
	series_add(run->series, ended_us / 1000, kind, has_accepted ? d->finished_ns - d->sent_ns : -1);
	c->unlisted = kind == KIND_ACCEPTED && report->paged++ >= ACCEPTED_MOST;
	if (c->unlisted)
		return;
	c->at_us = ended_us;
	c->mark = kind == KIND_ACCEPTED || kind == KIND_LATE ? kinds[kind][0] : "fail";
	c->of = job->name[0] ? job->name : "unknown event";
	const char *url = job->url.length > 0 ? buffer_text(&job->url) : buffer_text(&run->route.destination.url);
	buffer_append_text(&texts->head, "POST ");
	url_append_masked(&texts->head, url);
	buffer_printf(&texts->head, "\nContent-Type: %s",
	              job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json");
	texts->request = (struct report_side){ .head = buffer_text(&texts->head),
		                               .body = buffer_text(&job->body),
		                               .length = job->body.length };
	c->request = &texts->request;
	if (in_flight)
		return;
	fill_response(job, c, texts);
	if (kind == KIND_ACCEPTED)
		return;
	/* The message, and the line of the response that says most. */
	const char *details = c->details;
	buffer_append_text(&texts->reason, c->message);
	if (details[0])
		buffer_printf(&texts->reason, ": %.*s", (int)strcspn(details, "\n"), details);
	c->reason = buffer_text(&texts->reason);
}

static void append_counts(struct buffer *page, const struct delivery_counts *counts)
{
	static const enum kind order[] = { KIND_REJECTED, KIND_UNSENT, KIND_UNKNOWN, KIND_LATE, KIND_ACCEPTED };
	const uint64_t numbers[SERIES_KINDS] = { [KIND_ACCEPTED] = counts->outcomes[OUTCOME_ACCEPTED] - counts->late,
		                                 [KIND_LATE] = counts->late,
		                                 [KIND_REJECTED] = counts->outcomes[OUTCOME_REJECTED],
		                                 [KIND_UNKNOWN] = counts->outcomes[OUTCOME_UNKNOWN],
		                                 [KIND_UNSENT] = counts->outcomes[OUTCOME_FAILED] };
	json_line_array(page, "counts");
	for (size_t i = 0; i < SERIES_KINDS; i++) {
		unsigned long long number = numbers[order[i]];
		char digits[COUNT_SIZE];
		LOCAL_BUFFER words = BUFFER_INIT;
		if (number == 0 && order[i] != KIND_ACCEPTED)
			continue;
		buffer_printf(&words, "%s %s", count_text(number, digits), kinds[order[i]][1]);
		report_append_count(page, kinds[order[i]][0], buffer_text(&words), number);
	}
	json_line_array_end(page);
}

static void append_reason(struct buffer *page, uint64_t count, const struct buffer *text)
{
	json_line_comma(page);
	buffer_append_byte(page, '[');
	json_line_element(page, "fail");
	buffer_printf(page, ",%llu", (unsigned long long)count);
	json_line_comma(page);
	json_line_string(page, buffer_text(text), text->length);
	buffer_append_byte(page, ']');
}

static void append_reasons(struct buffer *page, const struct send_reasons *reasons)
{
	json_line_array(page, "reasons");
	for (size_t i = 0; i < reasons->count; i++) {
		const struct send_reason *r = &reasons->items[i];
		LOCAL_BUFFER text = BUFFER_INIT;
		buffer_printf(&text, "%s  %s", buffer_text(&r->status), buffer_text(&r->words));
		if (r->words.length == 0)
			buffer_append_byte(&text, '\n');
		if (r->hint.length > 0)
			buffer_printf(&text, "hint: %s\n", buffer_text(&r->hint));
		buffer_printf(&text, "first: %s", buffer_text(&r->first));
		append_reason(page, r->count, &text);
	}
	if (reasons->others > 0) {
		LOCAL_BUFFER text = BUFFER_INIT;
		buffer_append_text(&text, "for other reasons");
		append_reason(page, reasons->others, &text);
	}
	json_line_array_end(page);
}

void send_page_end(const struct send_report *report, const struct delivery_counts *counts)
{
	const struct send_run *run = report->run;
	struct buffer *page = report_files_page(run->reports);
	if (!page)
		return;
	json_line_text(page, "subject", buffer_text(&run->route.masked_url));
	json_line_decimal(page, "seconds", (double)(counts->ended_ns - counts->started_ns) / 1e9);
	json_line_bool(page, "personal", run->has_people);
	bool is_made = !report->source->inputs || report->source->inputs->count == 0;
	json_line_text(page, "notice",
	               run->has_people ? "not redacted: it may hold data of people"
	               : is_made       ? "payloads of this run are made up"
	                               : "the payloads are redacted");
	json_line_text(page, "of", "event");
	json_line_text(page, "unit", "deliveries");
	json_line_text(page, "list",
	               report->paged > ACCEPTED_MOST ? "deliveries not accepted, and the first 100 accepted"
	                                             : "deliveries");
	append_counts(page, counts);
	json_line_array(page, "lines");
	for (unsigned i = 0; i < SEND_SUMMARY_LINES; i++) {
		LOCAL_BUFFER line = BUFFER_INIT;
		send_append_summary(&line, run, counts, i);
		if (line.length > 0)
			json_line_element(page, buffer_text(&line));
	}
	json_line_array_end(page);
	append_reasons(page, &report->reasons);
	series_append(run->series, kinds, page);
}
