/* show: list the notifications of captures, show one in full, or compare two. */
#include "cmd/show/show.h"

#include "base/fit.h"
#include "base/utf8.h"
#include "capture/format.h"
#include "cmd/args/typed_word.h"
#include "cmd/list/listing.h"
#include "cmd/words/curl.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "json/print.h"
#include "payload/check.h"
#include "report/excerpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELOW_INDENT 6

/* A finding below its line of the body, with carets under what it marks there; a line that a terminal breaks is quoted
 * around it. */
static void append_finding(struct listing *l, const struct finding_walk *w, const char *line, size_t length)
{
	const struct finding *f = w->finding;
	enum style style = severity_style(f->severity);
	size_t start = w->start - (size_t)(line - w->origin->text), stop = start + (w->stop - w->start);
	int width = terminal_out_width(l->context->terminal);
	LOCAL_BUFFER words = BUFFER_FOR(&l->out), safe = BUFFER_FOR(&l->out);
	if (fit_columns(line, length) > width) {
		excerpt_append(&l->out, w, "   ", " | ", l->style.color, width);
	} else {
		int marked = fit_columns(line + start, (stop < length ? stop : length) - start);
		buffer_append_repeat(&l->out, ' ', (size_t)fit_columns(line, start));
		buffer_append_repeat(&words, '^', marked > 1 ? (size_t)marked : 1);
		style_append(&l->out, l->style.color, style, "%s\n", buffer_text(&words));
		buffer_clear(&words);
	}
	buffer_printf(&words, "%s: %s [%s]%s%s", severity_name(f->severity), buffer_text(&w->message),
	              finding_rows[f->id].name, w->hint.length > 0 ? "; fix: " : "", buffer_text(&w->hint));
	utf8_append_safe(&safe, buffer_text(&words), words.length);
	buffer_clear(&words);
	fit_append_wrapped(&words, buffer_text(&safe), BELOW_INDENT, BELOW_INDENT, width);
	buffer_append_repeat(&l->out, ' ', BELOW_INDENT);
	style_append(&l->out, l->style.color, style, "%s", buffer_text(&words));
	buffer_append_byte(&l->out, '\n');
}

/* The lines of the body, with what is wrong there. */
static void append_body(struct listing *l, const struct verdict *v, const struct payload_origin *body)
{
	struct finding_walk walk;
	finding_walk_init(&walk, v, body, &l->out);
	bool is_found = finding_walk_next(&walk);
	for (size_t start = 0; start < body->length;) {
		const char *newline = memchr(body->text + start, '\n', body->length - start);
		size_t end = newline ? (size_t)(newline - body->text) : body->length;
		utf8_append_safe(&l->out, body->text + start, end - start);
		buffer_append_byte(&l->out, '\n');
		for (; is_found && walk.start <= end; is_found = finding_walk_next(&walk))
			append_finding(l, &walk, body->text + start, end - start);
		start = end + 1;
	}
	finding_report_unlisted(&walk, &l->out);
	finding_walk_release(&walk);
}

/* Its line, its head, and its body, which is checked as it is shown; one that is not JSON is shown as validate does. */
static int append_in_full(struct listing *l, struct error *err)
{
	const struct capture_record *record = &l->record;
	const struct text *body = &record->request.body;
	struct capture_record shown = *record;
	struct buffer *out = &l->out;
	LOCAL_BUFFER pretty = BUFFER_FOR(out), name = BUFFER_FOR(out), from = BUFFER_FOR(out);
	const struct verdict *verdict = NULL;
	bool is_withheld = capture_record_is_withheld(record);
	bool is_json = json_pretty(body->text, body->length, &pretty);
	if (is_json)
		shown.request.body = (struct text){ buffer_text(&pretty), pretty.length };
	if (!is_withheld && !(verdict = listing_check(l->checker, &shown, err)))
		return -1;
	struct arrival arrival = listing_arrival(l, verdict);
	arrival.method.text = NULL; /* its head has it */
	buffer_append_text(out, l->selected_at > 1 ? "\n" : "");
	arrival_append(&arrival, &l->style, out);
	if (record->remote.length > 0)
		buffer_printf(&from, "from %s%s%s", record->remote.text, record->via.length > 0 ? " via " : "",
		              record->via.length > 0 ? record->via.text : "");
	style_begin(out, l->style.color, STYLE_FAINT);
	utf8_append_safe(out, buffer_text(&from), from.length);
	buffer_append_text(out, from.length > 0 ? "\n" : "");
	message_append_head(&record->request, true, out);
	style_end(out, l->style.color, STYLE_FAINT);
	buffer_append_byte(out, '\n');
	buffer_printf(&name, "#%llu", (unsigned long long)record->seq);
	body = &shown.request.body;
	struct payload_origin origin = { buffer_text(&name), 1, body->text, body->length, NULL, NULL, 1 };
	if (is_withheld) {
		buffer_append_text(out, "(redaction withheld the body)\n");
	} else if (is_json) {
		append_body(l, verdict, &origin);
	} else {
		finding_report_text(verdict, &origin, false, l->style.color, terminal_out_width(l->context->terminal),
		                    out);
	}
	return 0;
}

struct show_args {
	struct global_options global;
	bool curl;
	bool compares;
	struct selection_options select;
};

#define SHOW(field) offsetof(struct show_args, field)
static const struct option rows[] = {
	{ 0, "curl", NULL, "the curl line that sends it", OPTION_FLAG, .offset = SHOW(curl), .excludes = " diff json ",
	  .also = "as-curl" },
	{ 0, "diff", NULL, "compare two value by value", OPTION_FLAG, .offset = SHOW(compares), .also = "compare" },
};
static const struct option_way ways[] = {
	{ "file input -f", "name the file alone: credhook show FILE; as it grows: tail -f FILE | credhook show -" },
	{ "from", "name the file alone: credhook show FILE; from a time on is --since TIME" },
	{ "field path", "--where PATH=VALUE selects by a field" },
	{ "pretty", "a number shows one in full: credhook show FILE 3" },
	{ "full raw body bodies headers detail details expand",
	  "a number shows one in full: credhook show FILE 3; -v lists with bodies" },
	{ "output out save -o", "text: > FILE; credhook convert FILE -o FILE.html writes a page" },
	{ "stats summary", "the last lines count them: credhook show FILE" },
	{ "sort reverse columns", "with --json each is a line: credhook show FILE --json | jq" },
	{ "wide long", "-v lists with bodies" },
	{ "utc time-format timezone", "times are local: TZ=UTC credhook show FILE" },
	{ "web browser page group-by histogram chart", "credhook convert FILE -o FILE.html draws it" },
	{ "pager no-pager", "nothing is paged: leave it out" },
	{ "format", "credhook convert FILE -o FILE.html makes a page, FILE.har an HTTP archive" },
	{ NULL, NULL },
};
static const struct option_group group = OPTION_GROUP_WITH("Show", rows, 0, ways);
static const struct option_use uses[] = { { &group, 0 }, { &selection_option_group, SHOW(select) } };

/* All that are chosen or selected: a line each, or in full, or with --curl that. */
static enum selection_answer append_all(struct listing *l, const struct show_args *a, bool in_full,
                                        struct curl_lines *lines, struct error *err)
{
	enum selection_answer answer;
	while ((answer = listing_next(l, err)) == SELECTION_YES) {
		if ((a->curl                                  ? curl_append_record(lines, &l->record, &l->out, err)
		     : in_full && !l->context->terminal->json ? append_in_full(l, err)
		                                              : listing_append(l, err)) < 0)
			return SELECTION_FAILED;
		if (in_full)
			listing_flush(l);
	}
	return answer;
}

/* Why a list is only a part of what was selected, and what lists all of that. */
static void append_rest(const struct listing *l, const struct show_args *a, uint64_t shown, struct buffer *out)
{
	LOCAL_BUFFER given = BUFFER_FOR(out);
	selection_append_given(uses, sizeof uses / sizeof uses[0], a, l->context->words, false, &given);
	if (l->selection.has_more)
		buffer_append_text(out, "; --limit left out the rest");
	else if (shown < l->selection.taken)
		buffer_printf(out, "; 'show%s%s' lists all", given.length > 0 ? " " : "", buffer_text(&given));
}

static int show_all(struct listing *l, const struct show_args *a, const struct text_list *captures, bool in_full,
                    struct curl_lines *lines, struct error *err)
{
	char taken[COUNT_SIZE], all[COUNT_SIZE];
	const struct selection *s = &l->selection;
	bool counts_alike = s->distinct && !in_full && !a->curl && !l->context->terminal->json;
	l->selection.counts_all = counts_alike;
	LOCAL(list_causes_release) struct list_causes *causes = NULL;
	bool explains = !counts_alike && !in_full && !a->curl && !l->selected && !l->context->terminal->quiet;
	if (explains && !(causes = l->causes = list_causes_new(l->context, captures, l->list ? l->list->spool : NULL,
	                                                       source_files_measure(&l->inputs.files) == 0, err)))
		return -1;
	enum selection_answer answer = counts_alike ? show_distinct(l, err) : append_all(l, a, in_full, lines, err);
	listing_flush(l);
	terminal_flush(l->context->terminal);
	/* A signal within a record that was being shown ends the list, as one between two does. */
	if (answer == SELECTION_FAILED && err->code != EXIT_CODE_INTERRUPTED)
		return -1;
	if (causes && answer != SELECTION_FAILED && !terminal_is_closed(l->context->terminal)) {
		if (list_causes_find(causes, err) < 0)
			return -1;
		list_causes_print(causes);
	}
	LOCAL_BUFFER counts = BUFFER_FOR(&l->context->terminal->lost);
	if (verdict_counts_sum(&l->counts.verdicts) > 0)
		arrival_append_counts(&l->counts, l->context->terminal->utf8, &counts);
	if (signals_take(l->context->signals) != 0) {
		interrupted_after(l->context->terminal, l->count, "record",
		                  counts.length > 0 ? buffer_text(&counts) : NULL);
		return EXIT_CODE_INTERRUPTED;
	}
	if (in_full)
		return EXIT_CODE_OK;
	if (s->taken == 0 && (l->list ? l->count > 0 : l->inputs.code == EXIT_CODE_OK || s->refused.records > 0))
		return selection_nothing(s, "show", l->inputs.code, err);
	uint64_t shown = l->selected ? l->selected->count : s->taken;
	uint64_t count = s->has_more || s->distinct || shown < s->taken ? s->taken : l->count;
	bool is_part = shown < count;
	LOCAL_BUFFER rest = BUFFER_FOR(&l->context->terminal->lost);
	append_rest(l, a, shown, &rest);
	if (!l->context->terminal->json)
		terminal_note(l->context->terminal, "%s%s%s record%s%s%s%s", is_part ? count_text(shown, taken) : "",
		              is_part ? " of " : "", count_text(count, all), count == 1 ? "" : "s",
		              counts.length > 0 ? ": " : "", buffer_text(&counts), buffer_text(&rest));
	selection_note(s, l->context->terminal);
	return EXIT_CODE_OK;
}

static int run_show(struct context *context, void *args, struct error *err)
{
	struct show_args *a = args;
	LOCAL(text_list_release) struct text_list captures = { 0 }, numbers = { 0 };
	struct selected_list selected = { .count = 0 };
	struct listing listing;
	struct curl_lines lines = { .terminal = context->terminal };
	for (size_t i = 0; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (text_list_add(word_is_number(word) ? &numbers : &captures, word, err) < 0)
			return -1;
	}
	if (misplaced_operand(context, OPERAND_CAPTURE, 0, err) < 0)
		return -1;
	if (captures.count == 0 && !context->list) {
		error_set(err, EXIT_CODE_USAGE, "show needs a CAPTURE");
		return numbers.count > 0 ? error_hint(err, "'%s' is a number; a file of that name has ./ before it",
		                                      numbers.items[0])
		                         : error_hint(err, "write 'credhook show capture.ndjson', and 'credhook show "
		                                           "capture.ndjson 3' for one");
	}
	selection_read_day(&a->select, &captures, captures.count == 0 ? session_list_last_us(context->list) : 0,
	                   context->signals);
	int code = listing_init(&listing, context, &captures, &a->select, err);
	listing.is_raw |= a->curl;
	bool is_whole = a->global.json || a->select.limit < UINT64_MAX || a->select.distinct || numbers.count > 0 ||
	                !listing.list;
	size_t tail = is_whole ? 0 : listing.list->tail;
	if (code == 0 && (numbers.count > 0 || tail > 0 || a->compares))
		code = listing_select(&listing, &numbers, tail, &selected, err);
	if (code == 0)
		code = a->compares ? diff_selected(&listing, err)
		                   : show_all(&listing, a, &captures, numbers.count > 0, &lines, err);
	enum exit_code refused = curl_end(&lines);
	if (code >= 0)
		code = (int)exit_code_worse((enum exit_code)code, exit_code_worse(refused, listing.inputs.code));
	listing_release_selected(&selected);
	listing_release(&listing);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook show capture.ndjson", "list it" },
	{ "credhook show outage.ndjson --status 5xx", "what the application failed on" },
	{ "credhook show capture.ndjson 3", "in full; 5-7, 5,9, last-1 are others" },
	{ "credhook show capture.ndjson 3 last --diff", "what differs between two" },
	{ "credhook show capture.ndjson 3 --curl", "a command that sends it" },
	{ NULL, NULL },
};

const struct command command_show = {
	.name = "show",
	.group = COMMAND_CHECK,
	.also =
	        (const struct command_also[]){
	                { "view cat list ls inspect stats count log logs tail print summary dump", "FILE" },
	                { "grep filter search find", "FILE --where PATH=VALUE" },
	                { "diff compare", "FILE 3 7 --diff" },
	                { "curl", "FILE 3 --curl" },
	                { NULL, NULL } },
	.usual = "FILE",
	.phrase = "look at captures",
	.common = (const char *const[]){ "curl", "diff", "events", "where", "status", "invalid", "since", "until",
	                                 "record", "limit", NULL },
	.operands = "CAPTURE... [N]...",
	.complete = COMPLETE_FILE,
	.summary = "List captured notifications, show some in full by their numbers, or compare two.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct show_args),
	.run = run_show,
	.examples = examples,
};
