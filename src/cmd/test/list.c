/* --list: the checks that would be made. */
#include "cmd/test/test.h"
#include "json/json_line.h"

static void append_json(struct buffer *out, const struct probe_check *check)
{
	const struct probe_row *row = check->row;
	json_line_begin(out);
	json_line_text(out, "type", "planned");
	json_line_text(out, "id", check->id);
	json_line_text(out, "level", probe_level_names[row->level]);
	json_line_text(out, "sent", row->sent);
	json_line_text(out, "expected", check->expected.text);
	json_line_text(out, "source", row->source);
	json_line_text(out, "why", row->why);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

/* What a row sends is printed once, above its checks. */
static void append_text(struct buffer *out, const struct probe_check *check, const struct probe_check *before,
                        bool verbose)
{
	const struct probe_row *row = check->row;
	if (!before || before->row != row)
		buffer_printf(out, "# %s: %s\n", row->sent, row->why);
	if (verbose && (!before || before->row != row))
		buffer_printf(out, "#   asked for by %s\n", row->source);
	buffer_printf(out, "%-6s %-10s %s\n", probe_level_names[row->level], check->expected.text, check->id);
}

int test_list(const struct test_run *run)
{
	const struct probe_check *before = NULL;
	struct buffer out = BUFFER_INIT;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		if (!check->chosen)
			continue;
		if (run->context->global->json)
			append_json(&out, check);
		else
			append_text(&out, check, before, run->context->global->verbose);
		before = check;
	}
	terminal_write(run->context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
	return EXIT_CODE_OK;
}
