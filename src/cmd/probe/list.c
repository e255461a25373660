/* --list: the checks that would be made. */
#include "cmd/probe/probe.h"
#include "json/json_line.h"

#include <string.h>

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
                        int columns, bool verbose)
{
	const struct probe_row *row = check->row;
	if (!before || before->row != row)
		buffer_printf(out, "# %s: %s\n", row->sent, row->why);
	if (verbose && (!before || before->row != row))
		buffer_printf(out, "#   asked for by %s\n", row->source);
	buffer_printf(out, "%-6s %-*s %s\n", probe_level_names[row->level], columns, check->expected.text, check->id);
}

static int widest_expected(const struct test_run *run)
{
	size_t widest = 0, length;
	for (size_t i = 0; i < run->checks.count; i++)
		if (run->checks.checks[i].chosen && (length = strlen(run->checks.checks[i].expected.text)) > widest)
			widest = length;
	return (int)widest;
}

int test_list(const struct test_run *run)
{
	const struct probe_check *before = NULL;
	struct buffer out = BUFFER_INIT;
	int columns = widest_expected(run);
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		if (!check->chosen)
			continue;
		if (run->context->global->json)
			append_json(&out, check);
		else
			append_text(&out, check, before, columns, run->context->global->verbose);
		before = check;
	}
	terminal_write(run->context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
	return EXIT_CODE_OK;
}
