/* What is written for programs of a check: --json, its case in the files of --report, --list. */
#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/probe/probe.h"
#include "json/json_line.h"

#define EXPECTED_COLUMNS 20 /* of --list: as much as most expectations take */

static void print_json(const struct probe_command *run, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	LOCAL_BUFFER line = BUFFER_INIT, retry = BUFFER_FOR(&line), fix = BUFFER_FOR(&line);
	probe_append_retry(&retry, run, check);
	probe_append_fix(&fix, run, check);
	json_line_begin_type(&line, "check");
	json_line_text(&line, "id", check->id);
	json_line_text(&line, "level", probe_level_names[check->level]);
	json_line_text(&line, "verdict", grade_names[r->verdict]);
	if (r->status > 0)
		json_line_number(&line, "status", r->status);
	else
		json_line_text(&line, "status", NULL);
	json_line_text(&line, "expected", buffer_text(&check->expected.text));
	json_line_decimal(&line, "ms", (double)r->ns / 1e6);
	json_line_text(&line, "reason", r->reason);
	json_line_text(&line, "fix", fix.length > 0 ? buffer_text(&fix) : NULL);
	if (r->log.length > 0)
		json_line_bytes(&line, "log", r->log.data, r->log.length);
	if (r->cause > 0)
		json_line_number(&line, "cause", r->cause);
	else
		json_line_text(&line, "cause", NULL);
	json_line_text(&line, "retry", buffer_text(&retry));
	json_line_finish(&line);
	terminal_write_buffer(run->context->terminal, &line);
}

static struct report_side side_of(const struct probe_message *m)
{
	return (struct report_side){ buffer_text(&m->head), buffer_text(&m->body), m->body.length, .whole = m->length };
}

void probe_check_ended(void *context, const struct probe_check *check)
{
	struct probe_command *run = context;
	const struct probe_result *r = &check->result;
	const struct probe_row *row = check->row;
	const struct report_side request = side_of(&r->request), response = side_of(&r->response);
	LOCAL_BUFFER words = BUFFER_INIT, fix = BUFFER_INIT, retry = BUFFER_INIT, about = BUFFER_INIT,
	             status = BUFFER_INIT, log = BUFFER_INIT;
	/* What does not make the run one that failed is passed, with a message. */
	bool has_failed = r->verdict == GRADE_FAIL || (run->args->strict && probe_has_failed(check));
	if (run->context->global->json)
		print_json(run, check);
	if (run->args->reports.count == 0)
		return;
	if (r->cause > 0) {
		probe_append_cause(&words, run, r->cause, false);
		buffer_append_text(&words, ": ");
	}
	probe_append_outcome(&words, check, r->reason);
	probe_append_fix(&fix, run, check);
	if (r->verdict != GRADE_OK && r->verdict != GRADE_SKIP) {
		buffer_append_text(&retry, "retry: ");
		probe_append_retry(&retry, run, check);
	}
	buffer_printf(&about, "%s: %s; expected %s (%s)\n%s", probe_level_names[check->level], row->sent,
	              buffer_text(&check->expected.text), row->source, row->why);
	if (r->status > 0)
		buffer_printf(&status, "%d", r->status);
	utf8_append_safe_lines(&log, buffer_text(&r->log), r->log.length);
	struct report_case c = { .group = row->group,
		                 .name = check->id,
		                 .grade = r->verdict,
		                 .failed = has_failed,
		                 .type = probe_level_names[check->level],
		                 .message = buffer_text(&words),
		                 .fix = buffer_text(&fix),
		                 .details = buffer_text(&retry),
		                 .log = buffer_text(&log),
		                 .cause = r->cause,
		                 .ns = r->ns,
		                 .about = buffer_text(&about),
		                 .at_us = r->sent_ns > 0 ? clock_realtime_of(r->sent_ns) : 0,
		                 .status = status.length > 0 ? buffer_text(&status) : NULL,
		                 .request = r->sent_ns > 0 ? &request : NULL,
		                 .response = response.head[0] ? &response : NULL };
	report_files_counted_case(&run->reports, &c, c.at_us > 0 && r->status > 0 ? r->ns : -1);
}

int probe_list(const struct probe_command *run)
{
	const struct probe_row *before = NULL;
	struct buffer out = BUFFER_INIT;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		const struct probe_row *row = check->row;
		if (!check->chosen)
			continue;
		if (run->context->global->json) {
			json_line_begin_type(&out, "planned");
			json_line_text(&out, "id", check->id);
			json_line_text(&out, "level", probe_level_names[row->level]);
			json_line_text(&out, "sent", row->sent);
			json_line_text(&out, "expected", buffer_text(&check->expected.text));
			json_line_text(&out, "source", row->source);
			json_line_text(&out, "why", row->why);
			json_line_finish(&out);
			continue;
		}
		/* What a row sends is printed once, above its checks. */
		if (before != row)
			buffer_printf(&out, "# %s: %s\n", row->sent, row->why);
		if (before != row && run->context->global->verbose)
			buffer_printf(&out, "#   asked for by %s\n", row->source);
		buffer_printf(&out, "%-6s %-*s %s\n", probe_level_names[row->level], EXPECTED_COLUMNS,
		              buffer_text(&check->expected.text), check->id);
		before = row;
	}
	terminal_write_buffer(run->context->terminal, &out);
	buffer_release(&out);
	return EXIT_CODE_OK;
}
