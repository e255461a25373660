/* The text for people: a line per group, below it what did not go well, in blocks of one reason each. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/probe/probe.h"
#include "cmd/shell_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CELL_COLUMNS 20
#define CELL_GAP     "  "
#define NAMES_MOST   3 /* of a block */
#define FIXES_MOST   4 /* to do first */
#define NAME_COLUMNS 30
#define DETAIL       6 /* columns before what is said of a check */
#define WIDEST       100

static int report_width(void)
{
	int width = terminal_width();
	return width < WIDEST ? width : WIDEST;
}

/* What a mark stands for: a must that fails is not a should that fails, and a warning is neither. */
enum grade {
	GRADE_OK,
	GRADE_NOTED,
	GRADE_SHOULD,
	GRADE_MUST,
};

static enum grade grade_of(const struct probe_check *check)
{
	if (check->result.verdict == PROBE_FAIL)
		return check->row->level == PROBE_MUST ? GRADE_MUST : GRADE_SHOULD;
	return check->result.verdict == PROBE_OK ? GRADE_OK : GRADE_NOTED;
}

static void append_mark(struct buffer *out, const struct terminal *t, enum grade grade)
{
	bool signs = terminal_has_signs(t);
	if (grade == GRADE_NOTED)
		style_append(out, t->color_out, STYLE_FAINT, "%-*s", style_mark_columns(signs), signs ? "-" : "note");
	else
		style_append_mark(out, t->color_out, signs,
		                  grade == GRADE_OK     ? MARK_OK
		                  : grade == GRADE_MUST ? MARK_FAIL
		                                        : MARK_WARN);
}

static void write_out(struct test_run *run)
{
	terminal_write(run->context->terminal, buffer_text(&run->text.out), run->text.out.length);
	buffer_clear(&run->text.out);
}

static void end_shared_line(struct test_report *text)
{
	if (text->column > 0)
		buffer_append_byte(&text->out, '\n');
	text->column = 0;
}

/* Groups that went well stand side by side. */
static void append_cell(struct test_run *run, const char *group, size_t count)
{
	struct test_report *text = &run->text;
	if (text->column + CELL_COLUMNS > report_width())
		end_shared_line(text);
	if (text->column > 0)
		buffer_append_text(&text->out, CELL_GAP);
	append_mark(&text->out, run->context->terminal, GRADE_OK);
	buffer_printf(&text->out, "%-9s%4zu", group, count);
	text->column += CELL_COLUMNS;
}

static void append_line(struct buffer *out, const char *text)
{
	buffer_append_repeat(out, ' ', DETAIL);
	fit_append_wrapped(out, text, DETAIL, DETAIL, report_width());
	buffer_append_byte(out, '\n');
}

/* The words without what differs from check to check: quoted names, and words with a digit in them. */
static void append_alike_words(struct buffer *out, const char *text)
{
	while (*text) {
		const char *from = text, *end = strchr("'\"", *text) ? strchr(text + 1, *text) : NULL;
		bool has_digit = false;
		for (; !end && (isalnum((unsigned char)*text) || *text == '_'); text++)
			has_digit |= isdigit((unsigned char)*text) != 0;
		if (end)
			buffer_printf(out, "%c...%c", *from, *from);
		else if (has_digit)
			buffer_append_text(out, "...");
		else
			buffer_append(out, from, text == from ? 1 : (size_t)(text - from));
		text = end ? end + 1 : text + (text == from);
	}
}

/* Whether the two fail for one reason. */
static bool is_alike(const struct probe_check *a, const struct probe_check *b)
{
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	if (a->result.verdict != b->result.verdict || grade_of(a) != grade_of(b) ||
	    a->result.status != b->result.status || (a->after != NULL) != (b->after != NULL))
		return false;
	append_alike_words(&one, a->result.reason);
	append_alike_words(&other, b->result.reason);
	return strcmp(buffer_text(&one), buffer_text(&other)) == 0;
}

/* The check's name within its group. */
static const char *name_of(const struct probe_check *check)
{
	return check->after ? check->id : strchr(check->id, '/') + 1;
}

void test_append_retry(struct buffer *out, const struct test_run *run, const char *id)
{
	buffer_append_text(out, "credhook test ");
	shell_append(out, id, strlen(id));
	buffer_append_text(out, " --to ");
	shell_append(out, buffer_text(&run->route.masked_url), run->route.masked_url.length);
}

void test_append_outcome(struct buffer *out, const struct probe_check *check, const char *reason)
{
	const struct probe_result *r = &check->result;
	bool sent = check->row->make != NULL && (!check->row->counts || reason[0] == '\0');
	if (sent && r->verdict != PROBE_SKIP) {
		buffer_printf(out, "expected %s, ", check->expected.text);
		if (r->status > 0)
			buffer_printf(out, "got %d%s", r->status, reason[0] ? ": " : "");
	}
	buffer_append_text(out, reason);
}

/* The name, and what came of it beside it or, where that is too long, below. */
static void append_outcome(struct test_run *run, const struct probe_check *check, const char *name, const char *reason)
{
	struct buffer *out = &run->text.out;
	LOCAL_BUFFER words = BUFFER_INIT;
	const struct terminal *t = run->context->terminal;
	int length = (int)strlen(name), at = 5 + style_mark_columns(terminal_has_signs(t));
	test_append_outcome(&words, check, reason);
	at += length > NAME_COLUMNS ? length : NAME_COLUMNS;
	buffer_append_text(out, "    ");
	append_mark(out, t, grade_of(check));
	if (words.length > 0 && at + (int)words.length <= report_width()) {
		buffer_printf(out, "%-*s %s\n", NAME_COLUMNS, name, buffer_text(&words));
		return;
	}
	buffer_printf(out, "%s\n", name);
	if (words.length > 0)
		append_line(out, buffer_text(&words));
}

static void note_must(struct test_report *text, const char *id)
{
	if (text->fix_count++ < FIXES_MOST)
		buffer_printf(&text->fix, "%s%s", text->fix_count > 1 ? ", " : "", id);
}

/* The check at `at` and those behind it that fail for the same reason, which it marks in `said`. */
static void append_block(struct test_run *run, size_t at, bool *said)
{
	const struct probe_check *check = run->ended[at];
	LOCAL_BUFFER names = BUFFER_INIT, alike = BUFFER_INIT, number = BUFFER_INIT;
	const char *fix = check->result.fix, *reason = check->result.reason;
	size_t count = 0;
	for (size_t i = at; i < run->ended_count; i++) {
		const struct probe_check *other = run->ended[i];
		if (i > at && (said[i] || !is_alike(check, other)))
			continue;
		said[i] = true;
		if (count++ < NAMES_MOST)
			buffer_printf(&names, "%s%s", count > 1 ? ", " : "", name_of(other));
		if (strcmp(other->result.reason, check->result.reason) != 0 && alike.length == 0) {
			append_alike_words(&alike, check->result.reason);
			reason = buffer_text(&alike);
		}
		if (fix && (!other->result.fix || strcmp(fix, other->result.fix) != 0))
			fix = check->row->fix; /* what is said of one of them does not fit the others */
	}
	if (grade_of(check) == GRADE_MUST)
		note_must(&run->text, check->id);
	if (!run->text.repeat && check->result.verdict == PROBE_FAIL)
		run->text.repeat = check->id;
	if (count > NAMES_MOST)
		buffer_printf(&names, " and %zu more", count - NAMES_MOST);
	buffer_printf(&number, "%zu checks", count);
	append_outcome(run, check, count > 1 ? buffer_text(&number) : name_of(check), reason);
	if (count > 1)
		append_line(&run->text.out, buffer_text(&names));
	if (fix)
		append_line(&run->text.out, fix);
}

/* The check after the group is counted with it only where it has something to say. */
void test_report_group(struct test_run *run, const char *group)
{
	const struct global_options *global = run->context->global;
	struct test_report *text = &run->text;
	size_t first = text->first, total = 0, counts[PROBE_VERDICTS] = { 0 };
	enum grade worst = GRADE_OK;
	bool *said = calloc(run->ended_count + 1, sizeof *said);
	text->first = run->ended_count;
	for (size_t i = first; i < run->ended_count && said; i++) {
		const struct probe_check *check = run->ended[i];
		enum grade grade = grade_of(check);
		said[i] = global->quiet ? grade < GRADE_SHOULD : grade == GRADE_OK && !global->verbose;
		if (check->after && grade == GRADE_OK)
			continue;
		total++;
		counts[check->result.verdict]++;
		worst = grade > worst ? grade : worst;
	}
	if (worst == GRADE_OK && !global->verbose && !global->quiet)
		append_cell(run, group, counts[PROBE_OK]);
	if (global->quiet ? worst < GRADE_SHOULD : worst == GRADE_OK && !global->verbose) {
		free(said);
		return;
	}
	end_shared_line(text);
	append_mark(&text->out, run->context->terminal, worst);
	bool one_reason = counts[PROBE_SKIP] == total;
	for (size_t i = first; i < run->ended_count && one_reason; i++)
		one_reason = run->ended[i]->after || is_alike(run->ended[first], run->ended[i]);
	if (one_reason) {
		buffer_printf(&text->out, "%-9s%s\n", group, run->ended[first]->result.reason);
		memset(said, true, run->ended_count);
	} else {
		buffer_printf(&text->out, "%-9s%zu of %zu ok%s", group, counts[PROBE_OK], total,
		              counts[PROBE_SKIP] > 0 ? "" : "\n");
		if (counts[PROBE_SKIP] > 0)
			buffer_printf(&text->out, ", %zu skipped\n", counts[PROBE_SKIP]);
	}
	for (size_t i = first; i < run->ended_count; i++)
		if (!said[i])
			append_block(run, i, said);
	free(said);
	write_out(run);
}

static void append_counts(struct buffer *out, const struct probe_summary *s)
{
	for (int level = 0; level < PROBE_LEVELS; level++) {
		const uint64_t *counts = s->counts[level];
		unsigned long long ok = counts[PROBE_OK], total = ok + counts[PROBE_WARN] + counts[PROBE_FAIL];
		if (total > 0)
			buffer_printf(out, "%s%s %llu of %llu", out->length > 0 ? ", " : "", probe_level_names[level],
			              ok, total);
	}
}

static void append_invalid(struct buffer *out, const struct probe_summary *s)
{
	uint64_t total = s->invalid[0] + s->invalid[1] + s->invalid[2];
	if (total == 0)
		return;
	buffer_printf(out, "invalid payloads: accepted %llu of %llu, refused %llu", (unsigned long long)s->invalid[0],
	              (unsigned long long)total, (unsigned long long)s->invalid[1]);
	if (s->invalid[2] > 0)
		buffer_printf(out, ", neither %llu", (unsigned long long)s->invalid[2]);
}

static void append_latency(struct buffer *out, const struct probe_summary *s)
{
	char median[CLOCK_DURATION_SIZE], slowest[CLOCK_DURATION_SIZE], name[CATALOG_KIND_NAME_SIZE];
	if (!s->slowest.event)
		return;
	clock_format_duration(s->median_ns, median);
	clock_format_duration(s->slowest_ns, slowest);
	catalog_kind_name(s->slowest, name);
	buffer_printf(out, "latency: p50 %s, slowest %s %s", median, name, slowest);
}

static void append_verdict(struct buffer *out, const struct test_run *run, const struct probe_summary *s)
{
	unsigned long long musts = s->counts[PROBE_MUST][PROBE_FAIL], shoulds = s->counts[PROBE_SHOULD][PROBE_FAIL];
	const struct test_report *text = &run->text;
	if (s->stop == PROBE_INTERRUPTED)
		buffer_append_text(out, "interrupted: the other checks were not made; ");
	if (musts == 0 && shoulds == 0)
		buffer_append_text(out, "no check failed");
	else if (musts == 0)
		buffer_printf(out, "no must failed, but %llu should%s did", shoulds, shoulds == 1 ? "" : "s");
	else
		buffer_printf(out, "%llu must%s failed: real deliveries would be lost. Fix first: %s", musts,
		              musts == 1 ? "" : "s", buffer_text(&text->fix));
	if (text->fix_count > FIXES_MOST)
		buffer_printf(out, " and %zu more", text->fix_count - FIXES_MOST);
}

static void write_wrapped(struct test_run *run, struct buffer *line)
{
	struct buffer *out = &run->text.out;
	if (line->length > 0) {
		fit_append_wrapped(out, buffer_text(line), 0, 2, report_width());
		buffer_append_byte(out, '\n');
	}
	buffer_release(line);
}

/* Commands are not broken: they are copied. */
static void append_repeat(struct test_run *run, const char *before, const char *id)
{
	const struct test_args *a = run->args;
	buffer_append_text(&run->text.out, before);
	test_append_retry(&run->text.out, run, id);
	if (a->route.headers.count > 0 || a->edits.count > 0)
		buffer_append_text(&run->text.out, " (with the same -H and --set)");
	buffer_append_byte(&run->text.out, '\n');
}

void test_report_end(struct test_run *run, const struct probe_summary *s)
{
	struct terminal *t = run->context->terminal;
	struct buffer counts = BUFFER_INIT, invalid = BUFFER_INIT, latency = BUFFER_INIT, verdict = BUFFER_INIT;
	end_shared_line(&run->text);
	if (!run->context->global->quiet) {
		append_counts(&counts, s);
		append_invalid(&invalid, s);
		append_latency(&latency, s);
	}
	append_verdict(&verdict, run, s);
	write_wrapped(run, &counts);
	write_wrapped(run, &invalid);
	write_wrapped(run, &latency);
	write_wrapped(run, &verdict);
	if (s->stop == PROBE_GONE) {
		buffer_printf(&run->text.out, "stopped at %s: the listener is gone; %zu check%s not run\n", s->last,
		              s->not_run, s->not_run == 1 ? "" : "s");
		append_repeat(run, "its log says why; start it again and run: ", s->last);
	} else if (run->text.repeat && !run->context->global->quiet) {
		append_repeat(run, "repeat one: ", run->text.repeat);
	}
	write_out(run);
	terminal_flush(t);
	if (s->common_field)
		terminal_note(t, "only events with details.%s were refused: --set details.%s=VALUE gives one it knows",
		              s->common_field, s->common_field);
	terminal_note(t, "test data of this run contains %s", s->mark);
}

/* What to give it, by the status that all events got. */
static const char *way_in(int status)
{
	switch (status) {
	case 401:
	case 403:
	case 407:
		return "give it what it asks for: -H 'Authorization: ...', or -H @FILE";
	case 404:
	case 405:
		return "is the path of --to right?";
	}
	return status == 0     ? "see the listener's log; --max-time waits longer"
	       : status < 400  ? "give --to the URL at which it responds itself: senders do not follow redirects"
	       : status >= 500 ? "see the listener's log; is the path of --to right, does it need a header (-H)?"
	                       : "does it know only some values? --set details.appKey=VALUE sets one, -H adds a header";
}

int test_refuse(const struct test_run *run, const struct probe_summary *s, struct error *err)
{
	const char *colon = s->message[0] ? ": " : "";
	if (s->stop == PROBE_UNREACHABLE) {
		error_set(err, EXIT_CODE_UNDELIVERED, "no response from '%s', so nothing was graded: %s",
		          buffer_text(&run->route.masked_url), s->message[0] ? s->message : "not sent");
		return s->hint ? error_hint(err, "%s", s->hint) : -1;
	}
	if (s->status == 0)
		error_set(err, EXIT_CODE_FAILED, "no valid event gets a response, so nothing was graded%s%s", colon,
		          s->message);
	else
		error_set(err, EXIT_CODE_FAILED, "every valid event gets %d, so nothing was graded%s%s", s->status,
		          colon, s->message);
	return error_hint(err, "%s", way_in(s->status));
}
