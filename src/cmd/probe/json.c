/* --json: one object per check, then a summary. */
#include "cmd/probe/probe.h"
#include "json/json_line.h"

static void write_line(struct test_run *run, struct buffer *line)
{
	json_line_end(line);
	buffer_append_byte(line, '\n');
	terminal_write(run->context->terminal, buffer_text(line), line->length);
	buffer_release(line);
}

void test_json_check(struct test_run *run, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	struct buffer line = BUFFER_INIT, retry = BUFFER_INIT;
	test_append_retry(&retry, run, check);
	json_line_begin(&line);
	json_line_text(&line, "type", "check");
	json_line_text(&line, "id", check->id);
	json_line_text(&line, "level", probe_level_names[check->row->level]);
	json_line_text(&line, "verdict", probe_verdict_names[r->verdict]);
	if (r->status > 0)
		json_line_number(&line, "status", r->status);
	else
		json_line_null(&line, "status");
	json_line_text(&line, "expected", check->expected.text);
	json_line_decimal(&line, "ms", (double)r->ns / 1e6);
	json_line_text(&line, "reason", r->reason);
	json_line_text(&line, "fix", r->fix);
	json_line_text(&line, "retry", buffer_text(&retry));
	buffer_release(&retry);
	write_line(run, &line);
}

void test_json_summary(struct test_run *run, const struct probe_summary *s)
{
	static const char *const invalid[] = { "accepted", "refused", "neither" };
	char name[CATALOG_KIND_NAME_SIZE];
	struct buffer line = BUFFER_INIT;
	json_line_begin(&line);
	json_line_text(&line, "type", "summary");
	for (int level = 0; level < PROBE_LEVELS; level++) {
		json_line_key(&line, probe_level_names[level]);
		json_line_begin(&line);
		for (int verdict = 0; verdict < PROBE_VERDICTS; verdict++)
			json_line_number(&line, probe_verdict_names[verdict], (int64_t)s->counts[level][verdict]);
		json_line_end(&line);
	}
	json_line_key(&line, "invalid");
	json_line_begin(&line);
	for (size_t i = 0; i < 3; i++)
		json_line_number(&line, invalid[i], (int64_t)s->invalid[i]);
	json_line_end(&line);
	json_line_decimal(&line, "p50_ms", (double)s->median_ns / 1e6);
	if (s->slowest.event)
		catalog_kind_name(s->slowest, name);
	json_line_text(&line, "slowest", s->slowest.event ? name : NULL);
	json_line_decimal(&line, "slowest_ms", s->slowest.event ? (double)s->slowest_ns / 1e6 : 0);
	json_line_text(&line, "mark", s->mark);
	json_line_bool(&line, "interrupted", s->stop == PROBE_INTERRUPTED);
	write_line(run, &line);
}
