/* What is written for programs: --json and --list. */
#include "cmd/probe/probe.h"
#include "json/json_line.h"

#include <string.h>

#define EXPECTED_COLUMNS 20 /* of --list: as much as most expectations take */

static void write_line(struct probe_command *run, struct buffer *line)
{
	json_line_finish(line);
	terminal_write_buffer(run->context->terminal, line);
	buffer_release(line);
}

void probe_json_check(struct probe_command *run, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	struct buffer line = BUFFER_INIT, retry = BUFFER_FOR(&line);
	LOCAL_BUFFER fix = BUFFER_FOR(&line);
	probe_append_retry(&retry, run, check->id);
	probe_append_fix(&fix, check);
	json_line_begin_type(&line, "check");
	json_line_text(&line, "id", check->id);
	json_line_text(&line, "level", probe_level_names[check->row->level]);
	json_line_text(&line, "verdict", grade_names[r->verdict]);
	if (r->status > 0)
		json_line_number(&line, "status", r->status);
	else
		json_line_null(&line, "status");
	json_line_text(&line, "expected", check->expected.text);
	json_line_decimal(&line, "ms", (double)r->ns / 1e6);
	json_line_text(&line, "reason", r->reason);
	json_line_text(&line, "fix", fix.length > 0 ? buffer_text(&fix) : NULL);
	json_line_text(&line, "retry", buffer_text(&retry));
	buffer_release(&retry);
	write_line(run, &line);
}

void probe_json_summary(struct probe_command *run, const struct probe_summary *s)
{
	static const char *const invalid[] = { "accepted", "refused", "neither" };
	struct buffer line = BUFFER_INIT;
	json_line_begin_type(&line, "summary");
	for (int level = 0; level < PROBE_LEVELS; level++) {
		json_line_object(&line, probe_level_names[level]);
		for (int verdict = 0; verdict < GRADES; verdict++)
			if (verdict != GRADE_NOTE) /* which no check has */
				json_line_number(&line, grade_names[verdict], (int64_t)s->counts[level][verdict]);
		json_line_end(&line);
	}
	json_line_object(&line, "invalid");
	for (size_t i = 0; i < 3; i++)
		json_line_number(&line, invalid[i], (int64_t)s->invalid[i]);
	json_line_end(&line);
	json_line_decimal(&line, "p50_ms", (double)s->median_ns / 1e6);
	json_line_text(&line, "slowest", s->slowest.event ? KIND_NAME(s->slowest) : NULL);
	json_line_decimal(&line, "slowest_ms", s->slowest.event ? (double)s->slowest_ns / 1e6 : 0);
	json_line_text(&line, "mark", s->run_id);
	json_line_bool(&line, "interrupted", s->stop == PROBE_INTERRUPTED);
	json_line_text(&line, "stopped_at", s->stop == PROBE_GONE ? s->last : NULL);
	json_line_number(&line, "not_run", s->stop == PROBE_THROUGH ? 0 : (int64_t)s->not_run);
	write_line(run, &line);
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
			json_line_text(&out, "expected", check->expected.text);
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
		              check->expected.text, check->id);
		before = row;
	}
	terminal_write_buffer(run->context->terminal, &out);
	buffer_release(&out);
	return EXIT_CODE_OK;
}
