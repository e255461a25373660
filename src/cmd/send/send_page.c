/* The case of a delivery in the files of --report, and what a page there says of the run. */
#include "base/clock.h"
#include "cmd/send/run.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "report/markup.h"

#include <stdio.h>
#include <string.h>

#define ACCEPTED_MOST 100 /* that a page lists, to compare others with */

static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "rejected" },
	                                               { GRADE_SKIP, "not sent" },
	                                               { GRADE_NOTE, "without a full response" },
	                                               { GRADE_WARN, "late" },
	                                               { GRADE_OK, "accepted" } };

static enum grade grade_of(const struct job *job, bool in_flight)
{
	static const enum grade by_outcome[] = { [OUTCOME_ACCEPTED] = GRADE_OK,
		                                 [OUTCOME_REJECTED] = GRADE_FAIL,
		                                 [OUTCOME_FAILED] = GRADE_SKIP,
		                                 [OUTCOME_UNKNOWN] = GRADE_NOTE };
	return in_flight ? GRADE_NOTE : job->late ? GRADE_WARN : by_outcome[job->outcome];
}

/* "expected 2xx, got 500": as on the screen, but whole for each. */
static void append_case_message(struct buffer *out, const struct send_run *run, const struct job *job)
{
	const char *expected = run->options->expect_status.text;
	LOCAL_BUFFER why = BUFFER_FOR(out);
	if (job->has_expected)
		buffer_printf(out, "expected %d as recorded, ", job->recorded_status);
	else
		buffer_printf(out, "expected %s, ", expected ? expected : SEND_EXPECTED_DEFAULT);
	if (job->exchange.outcome == DELIVER_RESPONDED)
		buffer_printf(out, "got %d", job->exchange.status);
	else
		buffer_append_text(out, job->outcome == OUTCOME_FAILED ? "not sent" : "got no full response");
	send_append_message(&why, run, job);
	if (why.length > 0)
		buffer_printf(out, ": %s", buffer_text(&why));
}

/* A file's as in the lines of validate's reports; of several that were made alike, the later ones with their number. Of
 * cases of one name CI systems keep one. */
static void append_name(struct buffer *name, struct buffer *group, const struct send_run *run, const struct job *job)
{
	if (job->input) {
		report_append_class(job->input, group);
		report_append_file(job->input, name);
		buffer_printf(name, ":%llu ", (unsigned long long)job->record);
	} else {
		buffer_append_text(group, run->context->command);
	}
	buffer_append_text(name, job->name[0] ? job->name : "unknown event");
	if (job->made > 1)
		buffer_printf(name, " #%llu", (unsigned long long)job->made);
}

/* Why it was not accepted, in one line and in more. */
static void append_words(struct buffer *message, struct buffer *details, const struct send_run *run,
                         const struct job *job, bool failed, bool in_flight)
{
	if (in_flight)
		buffer_append_text(message, "interrupted in flight: it may have been delivered");
	else if (failed)
		append_case_message(message, run, job);
	if (failed && !in_flight)
		send_append_response(details, job);
	if (job->attempt > 1)
		buffer_printf(details, "attempt %u\n", job->attempt);
	if (failed && !job->input)
		buffer_printf(details, "seed %llu makes the same payload\n", (unsigned long long)run->maker->seed);
}

void send_report_case(struct send_report *report, const struct job *job, bool in_flight)
{
	const struct send_run *run = report->run;
	const struct exchange *d = &job->exchange;
	struct page *page = run->reports->page;
	LOCAL_BUFFER group = BUFFER_INIT, name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	char event[sizeof job->name] = "(unknown)";
	LOCAL_BUFFER status = BUFFER_INIT, request_head = BUFFER_INIT, response_head = BUFFER_INIT;
	if (run->options->reports.count == 0)
		return;
	enum grade grade = grade_of(job, in_flight);
	const struct send_reason *reason = NULL;
	bool failed = grade != GRADE_OK, responded = grade == GRADE_OK || grade == GRADE_WARN;
	if (job->name[0]) /* without what else names it */
		snprintf(event, sizeof event, "%.*s", (int)strcspn(job->name, " "), job->name);
	append_name(&name, &group, run, job);
	append_words(&message, &details, run, job, failed, in_flight);
	if (!in_flight)
		send_append_status(&status, job);
	if (failed && !in_flight && report->reasons.last > 0)
		reason = &report->reasons.items[report->reasons.last - 1];
	struct report_side request = { .body = buffer_text(&job->body), .length = job->body.length }, response;
	struct report_case c = { .group = buffer_text(&group),
		                 .name = buffer_text(&name),
		                 .verdict = failed ? REPORT_FAILED : REPORT_PASSED,
		                 .type = grade == GRADE_WARN
		                                 ? "late"
		                                 : outcome_names[in_flight ? OUTCOME_UNKNOWN : job->outcome],
		                 .message = buffer_text(&message),
		                 .fix = reason ? buffer_text(&reason->hint) : NULL,
		                 .details = buffer_text(&details),
		                 .ns = in_flight || job->first_ns == 0 ? 0 : d->finished_ns - job->first_ns,
		                 .sign = grade_names[grade],
		                 .of = event,
		                 .reason = reason ? report->reasons.last : 0,
		                 .status = in_flight ? NULL : buffer_text(&status),
		                 .request = &request };
	if (page) {
		bool has_ended = !in_flight && d->finished_ns > 0;
		c.at_us = has_ended ? clock_realtime_of(d->finished_ns) : clock_realtime_us();
		page_add(page, &(struct page_item){ .at_us = c.at_us,
		                                    .ns = responded ? d->finished_ns - d->sent_ns : -1,
		                                    .grade = grade,
		                                    .event = event,
		                                    .status = c.status });
		c.unlisted = !failed && report->paged++ >= ACCEPTED_MOST;
	}
	if (page && !c.unlisted) {
		secrets_append_request(&run->route.http, &d->request, &request_head);
		request.head = buffer_text(&request_head);
	}
	if (page && !c.unlisted && !in_flight) {
		secrets_append_response(d, &response_head);
		response = (struct report_side){ .head = buffer_text(&response_head),
			                         .body = d->response.body.text,
			                         .length = d->response.body.length,
			                         .whole = d->response_length };
		c.response = d->status > 0 ? &response : NULL;
	}
	report_files_case(run->reports, &c);
}

void send_page_end(const struct send_report *report, const struct delivery_counts *counts)
{
	const struct send_run *run = report->run;
	const struct send_reasons *reasons = &report->reasons;
	struct page *page = run->reports->page;
	LOCAL_BUFFER text = BUFFER_INIT;
	if (!page)
		return;
	bool is_made = !report->source->inputs || report->source->inputs->count == 0;
	page->series = kinds;
	page->people = run->has_people ? PAGE_PEOPLE : is_made ? PAGE_MADE_UP : PAGE_REDACTED;
	page->ns = counts->ended_ns - counts->started_ns;
	buffer_append_text(&page->subject, buffer_text(&run->route.masked_url));
	for (unsigned i = 0; i < SEND_SUMMARY_LINES; i++) {
		send_append_summary(&page->lines, run, counts, i);
		buffer_append_byte(&page->lines, '\n');
	}
	json_line_array(&page->members, "reasons");
	for (size_t i = 0; i < reasons->count; i++) {
		const struct send_reason *r = &reasons->items[i];
		buffer_clear(&text);
		buffer_printf(&text, "%s  %s%s", buffer_text(&r->status), buffer_text(&r->words),
		              r->words.length == 0 ? "\n" : "");
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
