#include "base/clock.h"
#include "cmd/send/send.h"
#include "http/secrets.h"
#include "report/markup.h"

#include <stdio.h>
#include <string.h>

#define ACCEPTED_MOST 100 /* that a page lists, to compare others with */

static enum grade grade_of(const struct job *job, bool in_flight)
{
	static const enum grade by_outcome[] = { [OUTCOME_ACCEPTED] = GRADE_OK,
		                                 [OUTCOME_REJECTED] = GRADE_FAIL,
		                                 [OUTCOME_FAILED] = GRADE_SKIP,
		                                 [OUTCOME_UNKNOWN] = GRADE_NOTE };
	return in_flight ? GRADE_NOTE : job->late ? GRADE_WARN : by_outcome[job->outcome];
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

/* Why it was not accepted, in one line and in more: "expected 2xx, got 500", as on the screen, but whole for each. */
static void append_words(struct buffer *message, struct buffer *details, const struct send_run *run,
                         const struct job *job, bool failed, bool in_flight)
{
	const char *expected = run->options->expect_status.text;
	if (in_flight) {
		buffer_append_text(message, "interrupted in flight: it may have been delivered");
	} else if (failed) {
		LOCAL_BUFFER why = BUFFER_FOR(message);
		if (job->has_expected)
			buffer_printf(message, "expected %d as %s, ", job->recorded_status,
			              run->options->compare.results ? "before" : "recorded");
		else
			buffer_printf(message, "expected %s, ", expected ? expected : SEND_EXPECTED_DEFAULT);
		if (job->exchange.outcome == DELIVER_RESPONDED)
			buffer_printf(message, "got %d", job->exchange.status);
		else
			buffer_append_text(message,
			                   job->outcome == OUTCOME_FAILED ? "not sent" : "got no full response");
		send_append_message(&why, run, job);
		if (why.length > 0)
			buffer_printf(message, ": %s", buffer_text(&why));
		send_append_response(details, job);
	}
	if (job->attempt > 1)
		buffer_printf(details, "attempt %u\n", job->attempt);
	if (failed && !job->input)
		buffer_printf(details, "seed %llu makes the same payload\n", (unsigned long long)run->maker->seed);
}

/* The messages of a case, which borrows from them. */
struct messages {
	struct buffer request_head, response_head;
	struct report_side request, response;
};

/* A page shows both; other formats need neither. */
static void add_messages(struct report_case *c, struct messages *m, const struct send_run *run, const struct job *job,
                         bool in_flight)
{
	const struct exchange *x = &job->exchange;
	secrets_append_request(&run->route.http, &x->request, &m->request_head);
	m->request = (struct report_side){ .head = buffer_text(&m->request_head),
		                           .body = buffer_text(&job->body),
		                           .length = job->body.length };
	c->request = &m->request;
	if (in_flight || x->status == 0)
		return;
	secrets_append_response(x, &m->response_head);
	m->response = (struct report_side){ .head = buffer_text(&m->response_head),
		                            .body = x->response.body.text,
		                            .length = x->response.body.length,
		                            .whole = x->response_length };
	c->response = &m->response;
}

void send_report_case(struct send_report *report, const struct job *job, bool in_flight)
{
	struct send_run *run = report->run;
	const struct exchange *x = &job->exchange;
	struct page *page = run->reports.page;
	LOCAL_BUFFER group = BUFFER_INIT, name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	char event[sizeof job->name] = "(unknown)";
	LOCAL_BUFFER status = BUFFER_INIT;
	struct messages messages = { BUFFER_INIT, BUFFER_INIT, { .head = NULL }, { .head = NULL } };
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
	struct report_case c = { .group = buffer_text(&group),
		                 .name = buffer_text(&name),
		                 .grade = grade,
		                 .failed = failed,
		                 .type = grade == GRADE_WARN
		                                 ? "late"
		                                 : outcome_names[in_flight ? OUTCOME_UNKNOWN : job->outcome],
		                 .message = buffer_text(&message),
		                 .fix = reason ? buffer_text(&reason->hint) : NULL,
		                 .details = buffer_text(&details),
		                 .ns = in_flight || job->first_ns == 0 ? 0 : x->finished_ns - job->first_ns,
		                 .of = event,
		                 .reason = reason ? report->reasons.last : 0,
		                 .status = in_flight ? NULL : buffer_text(&status) };
	if (page) {
		bool has_ended = !in_flight && x->finished_ns > 0;
		c.at_us = has_ended ? clock_realtime_of(x->finished_ns) : clock_realtime_us();
		c.unlisted = !failed && report->paged++ >= ACCEPTED_MOST;
	}
	if (page && !c.unlisted)
		add_messages(&c, &messages, run, job, in_flight);
	report_files_counted_case(&run->reports, &c, responded ? x->finished_ns - x->sent_ns : -1);
	buffer_release(&messages.request_head);
	buffer_release(&messages.response_head);
}
