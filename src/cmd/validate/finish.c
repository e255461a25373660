/* What a run reports at its end. */
#include "base/count.h"
#include "cmd/validate/run.h"
#include "ui/line.h"

#include <string.h>

/* Where nothing was found, the errors say all there is. */
static bool has_nothing_to_say(const struct run *run)
{
	return run->tally.payloads == 0 && run->tally.blank_lines == 0 && run->files->skipped == 0 && !run->interrupted;
}

/* " (3 missing-key, 1 wrong-type)" */
static void append_findings(const struct tally *t, struct buffer *text)
{
	char count[COUNT_SIZE];
	const char *separator = " (";
	for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
		if (t->by_finding[i] == 0)
			continue;
		buffer_printf(text, "%s%s %s", separator, count_text(t->by_finding[i], count), finding_rows[i].name);
		separator = ", ";
	}
	if (separator[0] == ',')
		buffer_append_byte(text, ')');
}

static void summarize(struct run *run)
{
	const struct tally *t = &run->tally;
	char payloads[COUNT_SIZE], valid[COUNT_SIZE], invalid[COUNT_SIZE];
	LOCAL_BUFFER text = BUFFER_INIT;
	if (has_nothing_to_say(run))
		return;
	buffer_printf(&text, "%s%s payload%s: %s valid, %s invalid", run->interrupted ? "interrupted after " : "",
	              count_text(t->payloads, payloads), t->payloads == 1 ? "" : "s",
	              count_text(t->payloads - t->invalid, valid), count_text(t->invalid, invalid));
	append_findings(t, &text);
	if (t->blank_lines > 0)
		buffer_printf(&text, "; %zu blank line%s skipped", t->blank_lines, t->blank_lines == 1 ? "" : "s");
	if (run->files->skipped > 0)
		buffer_append_text(&text, "; ");
	source_files_append_skipped(run->files, &text);
	if (run->interrupted && run->reports.count > 0)
		buffer_append_text(&text, "; no report written");
	terminal_flush(run->context->terminal);
	terminal_note(run->context->terminal, "%s", buffer_text(&text));
}

struct uncovered {
	struct run *run;
	struct buffer names;
	size_t count;
};

static void report_covered(void *context, const char *name, bool covered)
{
	struct uncovered *uncovered = context;
	report_files_coverage(&uncovered->run->reports, name, covered);
	if (covered)
		return;
	buffer_printf(&uncovered->names, "%s%s", uncovered->count++ > 0 ? ", " : "", name);
	if (uncovered->run->args->format == VALIDATE_GITHUB)
		terminal_printf(uncovered->run->context->terminal,
		                "::error title=not-covered::no valid payload covers %s\n", name);
}

/* Which demanded events no valid payload covers. */
static void report_demand(struct run *run)
{
	struct uncovered uncovered = { .run = run };
	coverage_each(&run->tally.coverage, &run->args->demand, report_covered, &uncovered);
	if (uncovered.count > 0 && run->args->format == VALIDATE_TEXT)
		terminal_printf(run->context->terminal, "no valid payload covers: %s\n", buffer_text(&uncovered.names));
	if (uncovered.count > 0)
		run->code = exit_code_worse(run->code, EXIT_CODE_FAILED);
	buffer_release(&uncovered.names);
}

static void report_coverage(struct run *run)
{
	struct terminal *terminal = run->context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT;
	if (run->args->format == VALIDATE_JSON)
		coverage_append_json(&run->tally.coverage, &run->args->demand, &text);
	else if (run->args->coverage)
		coverage_append_table(&run->tally.coverage, terminal->out_is_tty ? terminal_width() : COLUMNS_UNLIMITED,
		                      terminal->color_out, &text);
	terminal_write(terminal, buffer_text(&text), text.length);
}

int run_finish(struct run *run, struct error *err)
{
	run_end_listing(run);
	if (run->tally.failed > 0)
		run->code = exit_code_worse(run->code, EXIT_CODE_FAILED);
	bool nothing = run->tally.payloads == 0 && run->problems == 0 && !run->interrupted;
	if (run->args->coverage || run->args->demand.any)
		report_coverage(run);
	report_demand(run);
	if (run->interrupted)
		run->code = EXIT_CODE_INTERRUPTED;
	if (!terminal_is_closed(run->context->terminal))
		summarize(run);
	if (nothing)
		error_set(err, EXIT_CODE_FAILED, "no payload in the inputs");
	if (nothing && run->files->count == 0)
		error_hint(err, "a folder is searched for .json, .ndjson and .jsonl files, also gzipped (.gz)");
	int code = nothing ? -1 : (int)run->code;
	return run->interrupted ? code : report_files_finish(&run->reports, code, run->context->terminal, err);
}
