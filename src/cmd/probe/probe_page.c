/* The case of a check in the files of --report, and what a page there, the certificate of a listener, says of the run.
 */
#include "base/clock.h"
#include "cmd/probe/probe.h"

static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "must failed" },
	                                               { GRADE_WARN, "should failed" },
	                                               { GRADE_NOTE, "noted" },
	                                               { GRADE_SKIP, "skipped" },
	                                               { GRADE_OK, "ok" } };

/* A warning, and a failure that does not make the run one, are passed with a message. */
static enum report_verdict verdict_of(const struct probe_command *run, const struct probe_check *check)
{
	bool counts = check->row->level == PROBE_MUST || run->args->strict;
	if (check->result.verdict == GRADE_SKIP)
		return REPORT_SKIPPED;
	return check->result.verdict == GRADE_FAIL && counts ? REPORT_FAILED : REPORT_PASSED;
}

static struct report_side side_of(const struct probe_message *m)
{
	return (struct report_side){ buffer_text(&m->head), buffer_text(&m->body), m->body.length, .whole = m->length };
}

void probe_case_add(struct probe_command *run, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	const struct probe_row *row = check->row;
	const struct report_side request = side_of(&r->request), response = side_of(&r->response);
	LOCAL_BUFFER words = BUFFER_INIT, fix = BUFFER_INIT, retry = BUFFER_INIT, about = BUFFER_INIT,
	             status = BUFFER_INIT;
	enum grade grade = probe_check_grade(check);
	if (run->args->reports.count == 0)
		return;
	probe_append_outcome(&words, check, r->reason);
	probe_append_fix(&fix, check);
	if (grade > GRADE_OK && grade < GRADE_SKIP) {
		buffer_append_text(&retry, "retry: ");
		probe_append_retry(&retry, run, check->id);
	}
	buffer_printf(&about, "%s: %s; expected %s (%s)\n%s", probe_level_names[row->level], row->sent,
	              check->expected.text, row->source, row->why);
	if (r->status > 0)
		buffer_printf(&status, "%d", r->status);
	struct report_case c = { .group = row->group,
		                 .name = check->id,
		                 .verdict = verdict_of(run, check),
		                 .type = probe_level_names[row->level],
		                 .message = buffer_text(&words),
		                 .fix = buffer_text(&fix),
		                 .details = buffer_text(&retry),
		                 .ns = r->ns,
		                 .sign = grade_names[grade],
		                 .about = buffer_text(&about),
		                 .at_us = r->sent_ns > 0 ? clock_realtime_of(r->sent_ns) : 0,
		                 .status = status.length > 0 ? buffer_text(&status) : NULL,
		                 .request = r->sent_ns > 0 ? &request : NULL,
		                 .response = response.head[0] ? &response : NULL };
	if (run->reports.page)
		page_add(run->reports.page, &(struct page_item){ .at_us = c.at_us,
		                                                 .ns = c.at_us > 0 && r->status > 0 ? r->ns : -1,
		                                                 .grade = grade });
	report_files_case(&run->reports, &c);
}

void probe_page_end(struct probe_command *run, const struct probe_summary *s, const char *level, int64_t ns)
{
	struct page *page = run->reports.page;
	if (!page)
		return;
	page->series = kinds;
	page->people = PAGE_MADE_UP;
	page->ns = ns;
	buffer_append_text(&page->subject, buffer_text(&run->route.masked_url));
	probe_append_summary(&page->lines, run, s);
	buffer_printf(&page->lines, "tested by credhook " CREDHOOK_VERSION ", level %s; test data contains %s\n", level,
	              s->run_id);
}
