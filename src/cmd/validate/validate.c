/* validate: check payloads in files, folders and streams. */
#include "cmd/validate/validate.h"

#include "base/text.h"
#include "cmd/args/kinds.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"

#define VALIDATE(field) offsetof(struct validate_args, field)
static const struct option input_rows[] = {
	{ 0, "lines", NULL, "read one payload per line", OPTION_FLAG, .offset = VALIDATE(lines),
	  .also = "ndjson jsonl line-delimited" },
};
static const struct option rule_rows[] = {
	{ 0, "as", "EVENT", "check every payload as this event", OPTION_CALL, COMPLETE_EVENT, .offset = VALIDATE(event),
	  .parse = kind_parse, .once = true, .also = "event type schema event-type -e" },
	{ 0, "strict", NULL, "treat warnings as errors", OPTION_FLAG, .offset = VALIDATE(strict),
	  .also = "pedantic fail-on-warning warnings max-warnings severity fail-on treat-warnings-as-errors -W" },
	{ 0, "ignore", "FINDING[:PATH],...", "ignore this finding, anywhere or at PATH (repeatable)", OPTION_CALL,
	  COMPLETE_FINDINGS, .offset = VALIDATE(ignored), .parse = ignored_parse, .release = ignored_release,
	  .also = "skip exclude disable disable-rule no-warnings allow" },
	{ 0, "against", "FILE|DIR", "report what is new: no valid payload there has it", OPTION_TEXT, COMPLETE_FILE,
	  .offset = VALIDATE(against), .excludes = "expect-invalid", .also = "baseline compare diff golden reference" },
	{ 0, "expect-invalid", NULL, "succeed if every payload is invalid: for broken fixtures", OPTION_FLAG,
	  .offset = VALIDATE(expect_invalid), .also = "invalid should-fail negative" },
	{ 0, "require", "EVENT,...|all", "fail unless a valid payload covers each (repeatable)", OPTION_CALL,
	  COMPLETE_EVENTS, .offset = VALIDATE(requirement), .parse = requirement_parse, .excludes = "expect-invalid",
	  .also = "must-have" },
};
static const struct option output_rows[] = {
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_PAYLOADS "; -: stdout", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = VALIDATE(reports), .parse = report_parse_payloads,
	  .values = REPORT_VALUES_OF_PAYLOADS, .also = "format output out -o" },
	{ 0, "coverage", NULL, "count the payloads of each event and element", OPTION_FLAG,
	  .offset = VALIDATE(coverage), .also = "summary stats" },
};
static const struct option_way input_ways[] = {
	{ "file path dir folder from input -f", "name the file alone: credhook validate FILE" },
	{ "jobs threads -j", "as many threads as processors: taskset -c 0 allows one" },
	{ "recursive -r -R", "folders are searched whatever their depth: credhook validate FOLDER" },
	{ "glob pattern", "name files or folders alone: credhook validate FOLDER *.json" },
	{ "list rules checks", "credhook explain findings lists what is checked" },
	{ "warn-only", "findings of level error end it with 1, warnings with 0" },
	{ "errors only-errors errors-only", "-q leaves the warnings out" },
	{ "spec draft", "credhook schema writes what is checked as JSON Schema" },
	{ "fix", "a finding says how to mend it in its line fix:; files stay as they are" },
	{ "stdin", "write - for standard input: credhook validate -" },
	{ "valid expect-valid", "payloads are expected to be valid: leave it out" },
	{ "max-findings", "cut the output: | head" },
	{ NULL, NULL },
};
static const struct option_group inputs = OPTION_GROUP_WITH("Inputs", input_rows, 0, input_ways);
static const struct option_group rules = OPTION_GROUP("Rules", rule_rows, 0);
static const struct option_group outputs = OPTION_GROUP("Output", output_rows, 0);
static const struct option_use uses[] = { { &inputs, 0 }, { &rules, 0 }, { &outputs, 0 } };

static void append_summary(struct buffer *text, const struct validate_run *run)
{
	const struct tally *t = &run->tally;
	buffer_printf(text, "%s%s payload%s: %s valid, %s invalid", run->interrupted ? "interrupted after " : "",
	              COUNT_TEXT(t->payloads), t->payloads == 1 ? "" : "s", COUNT_TEXT(t->payloads - t->invalid),
	              COUNT_TEXT(t->invalid));
	/* " (3 missing-key, 1 wrong-type); 231 warnings (2 different)" */
	const char *separator = " (";
	size_t places, warnings = 0, different = finding_groups_of(&run->groups, SEVERITY_WARNING);
	for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
		bool is_error = run->args->strict || finding_rows[i].severity == SEVERITY_ERROR;
		warnings += is_error ? 0 : t->by_finding[i];
		if (t->by_finding[i] == 0 || !is_error)
			continue;
		buffer_printf(text, "%s%s %s", separator, COUNT_TEXT(t->by_finding[i]), finding_rows[i].name);
		separator = ", ";
	}
	if (separator[0] == ',')
		buffer_append_byte(text, ')');
	if (run->groups.without_values)
		warnings -= finding_groups_values(&run->groups, &places);
	if (warnings > 0)
		buffer_printf(text, "; %s warning%s", COUNT_TEXT(warnings), warnings == 1 ? "" : "s");
	if (different > 1 && different < warnings && run->groups.others == 0)
		buffer_printf(text, " (%zu different)", different);
	if (t->blank_lines > 0)
		buffer_printf(text, "; %zu blank line%s skipped", t->blank_lines, t->blank_lines == 1 ? "" : "s");
	if (run->files->skipped + run->files->skipped_folders > 0)
		buffer_append_text(text, "; ");
	source_files_append_skipped(run->files, text);
}

/* What a page says of the whole. */
static void fill_page(struct page *page, const struct validate_run *run)
{
	static const struct page_series kinds[][PAGE_SERIES] = { { { GRADE_FAIL, "invalid" }, { GRADE_OK, "valid" } },
		                                                 { { GRADE_NOTE, "invalid" }, { GRADE_OK, "valid" } } };
	const struct tally *t = &run->tally;
	page->series = kinds[run->args->expect_invalid];
	page->people = PAGE_PEOPLE;
	page->all.counts[PAGE_BY_GRADE][page->series[0].grade] = t->invalid;
	page->all.counts[PAGE_BY_GRADE][GRADE_OK] = t->payloads - t->invalid;
	report_append_inputs(run->context->operands, &page->subject);
	append_summary(&page->lines, run);
	if (!run->args->expect_invalid)
		coverage_append_uncovered(&t->coverage, &run->args->requirement, &page->lines);
	coverage_append_members(&t->coverage, &page->members);
	finding_groups_append_member(&run->groups, &page->members);
}

/* The words for stderr, and what --coverage, --require and --report say at the end. */
static int finish(struct validate_run *run, const struct against *against, struct error *err)
{
	struct terminal *terminal = run->context->terminal;
	bool codes_differ = validate_run_codes_differ(run);
	if (run->args->is_text) {
		LOCAL_BUFFER text = BUFFER_INIT;
		finding_groups_append(&run->groups, terminal->verbose, terminal_out_width(terminal),
		                      terminal->color_out, &text);
		terminal_write_buffer(terminal, &text);
	}
	if (run->tally.failed > 0)
		run->code = exit_code_worse(run->code, EXIT_CODE_FAILED);
	bool nothing_found = run->tally.payloads == 0 && !run->interrupted;
	bool nothing = nothing_found && run->problems == 0;
	if (run->args->coverage || (run->args->requirement.kinds | run->args->requirement.events)) {
		LOCAL_BUFFER text = BUFFER_INIT;
		if (run->args->global.json)
			coverage_append_json(&run->tally.coverage, &run->args->requirement, &text);
		else if (run->args->coverage)
			coverage_append_table(&run->tally.coverage, terminal_out_width(terminal), terminal->color_out,
			                      &text);
		terminal_write_buffer(terminal, &text);
	}
	struct demanded demanded[DEMANDED_MAX];
	LOCAL_BUFFER uncovered = BUFFER_FOR(&terminal->lost);
	size_t count = coverage_demanded(&run->tally.coverage, &run->args->requirement, demanded);
	for (size_t i = 0; i < count; i++) {
		report_files_coverage(&run->reports, demanded[i].name, demanded[i].is_covered);
		if (!demanded[i].is_covered)
			buffer_printf(&uncovered, "%s%s", uncovered.length > 0 ? ", " : "", demanded[i].name);
	}
	if (uncovered.length > 0 && run->args->is_text)
		terminal_printf(terminal, "no valid payload covers: %s\n", buffer_text(&uncovered));
	if (uncovered.length > 0)
		run->code = exit_code_worse(run->code, EXIT_CODE_FAILED);
	if (run->interrupted)
		run->code = EXIT_CODE_INTERRUPTED;
	if (!run->interrupted && !terminal_is_closed(terminal))
		against_note(against, terminal, &run->tally.coverage);
	if (codes_differ && !run->interrupted)
		against_note_codes(run->args->against, terminal, &run->groups);
	/* Where nothing was found, the errors say all there is. */
	bool is_all_said =
	        nothing_found && run->tally.blank_lines == 0 && run->files->skipped + run->files->skipped_folders == 0;
	if (!is_all_said && !terminal_is_closed(terminal)) {
		LOCAL_BUFFER summary = BUFFER_FOR(&terminal->lost);
		append_summary(&summary, run);
		terminal_flush(terminal);
		bool is_part = run->interrupted || run->files->skipped + run->files->skipped_folders > 0;
		terminal_say(terminal, is_part ? TERMINAL_ANNOUNCEMENT : TERMINAL_NOTE, "%s", buffer_text(&summary));
		input_notes_name_skipped(terminal, run->files);
	}
	if (nothing)
		error_set(err, EXIT_CODE_FAILED, "no payload in the inputs");
	if (nothing && run->files->count == 0)
		error_hint(err, "a folder is searched for .json, .ndjson and .jsonl files, also gzipped (.gz)");
	int code = nothing ? -1 : (int)run->code;
	run->groups.without_values = false; /* a page has all of them */
	if (run->reports.page)
		fill_page(run->reports.page, run);
	return report_files_finish(&run->reports, code, run->context->terminal, err);
}

static int run_inputs(struct validate_run *run, const struct against *against, struct error *err)
{
	int code = -1;
	if (validate_run_init(run, err) == 0) {
		if (run->files->count > 0) /* else it fails, and says so */
			input_notes_warn_empty(run->context->terminal, run->files);
		if (validate_run_files(run, err) == 0)
			code = finish(run, against, err);
	}
	progress_stop(&run->progress);
	validate_run_release(run);
	return code;
}

static int run_validate(struct context *context, void *given, struct error *err)
{
	struct validate_args *args = given;
	const struct text_list *operands = context->operands;
	LOCAL(against_release) struct against against = { .seen = NULL };
	LOCAL(source_files_release) struct source_files files = { .also_in_use = &against.files };
	struct validate_run run = { .context = context, .args = args, .files = &files };
	/* One form on stdout: with a report there, no findings for people beside it. GitHub finds its lines among
	 * others. */
	const struct report_format *report = report_requests_stdout(&args->reports);
	const char *other = args->coverage && report != &report_github ? "--coverage" : NULL;
	args->is_text = !args->global.json && !report;
	if (misplaced_operand(context, OPERAND_FILE, 0, err) < 0)
		return -1;
	if (against_init(&against, context, args, err) < 0)
		return -1;
	if (operands->count == 0 && source_files_add(&files, "-", err) < 0)
		return -1;
	for (size_t i = 0; i < operands->count; i++)
		if (source_files_add(&files, operands->items[i], err) < 0)
			return -1;
	if (report_requests_check(&args->reports, args->global.json ? "--json" : other, &files, err) < 0)
		return -1;
	int code = args->against ? against_read(&against, context, args, err) : 0;
	args->seen = against.seen;
	return code == 0 ? run_inputs(&run, &against, err) : code;
}

static const struct help_example examples[] = {
	{ "credhook validate fixtures", "check every .json, .ndjson and .jsonl file under a folder" },
	{ "credhook build all | credhook validate -", "check a stream, one payload per line" },
	{ "credhook validate --json capture.ndjson", "check captured notifications, for a program" },
	{ "credhook validate fixtures --require all --report junit=out/junit.xml", "check fixtures in CI" },
	{ "credhook validate today.ndjson --against golden/", "report what no payload in golden/ has" },
	{ "credhook validate broken --expect-invalid", "check that each of these fixtures is invalid" },
	{ NULL, NULL },
};

const struct command command_validate = {
	.name = "validate",
	.group = COMMAND_CHECK,
	.also = (const struct command_also[]){ { "check lint verify", "FILE" },
	                                       { "coverage", "FILE --coverage" },
	                                       { NULL, NULL } },
	.usual = "FILE",
	.phrase = "check payloads, fixtures and captures",
	.common = (const char *const[]){ "as", "strict", "ignore", "require", "against", "expect-invalid", "lines",
	                                 "coverage", "report", NULL },
	.operands = "[FILE|DIR|-]...",
	.complete = COMPLETE_FILE,
	.summary = "Check payloads, fixtures and captures, and report where each problem is.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct validate_args),
	.run = run_validate,
	.examples = examples,
};
