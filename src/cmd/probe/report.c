/* The text for people: a line per group, and below it what did not go well. */
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <langinfo.h>
#include <string.h>

#define CELL_COLUMNS 20
#define CELL_GAP     "  "
#define ALIKE_NAMED  4
#define NAME_COLUMNS 30
#define DETAIL       6 /* columns before what is said of a check */
#define WIDEST       100

static const struct {
	enum style style;
	const char *sign, *word;
} marks[PROBE_VERDICTS] = {
	[PROBE_OK] = { STYLE_GOOD, "\xE2\x9C\x93", "ok  " },
	[PROBE_WARN] = { STYLE_WARNING, "!", "warn" },
	[PROBE_FAIL] = { STYLE_ERROR, "\xE2\x9C\x97", "FAIL" },
	[PROBE_SKIP] = { STYLE_FAINT, "-", "skip" },
};

int test_report_width(void)
{
	int width = terminal_width();
	return width < WIDEST ? width : WIDEST;
}

/* Returns its columns. */
static int append_mark(struct buffer *out, const struct terminal *t, enum probe_verdict verdict)
{
	bool signs = t->out_is_tty && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	style_append(out, t->color_out, marks[verdict].style, "%s", signs ? marks[verdict].sign : marks[verdict].word);
	return signs ? 1 : 4;
}

static void write_out(struct test_run *run)
{
	struct test_report_text *text = &run->text;
	terminal_write(run->context->terminal, buffer_text(&text->out), text->out.length);
	buffer_clear(&text->out);
}

static void end_shared_line(struct test_report_text *text)
{
	if (text->column > 0)
		buffer_append_byte(&text->out, '\n');
	text->column = 0;
}

/* Groups that went well stand side by side. */
static void append_cell(struct test_run *run, const char *group, size_t count)
{
	struct test_report_text *text = &run->text;
	if (text->column + CELL_COLUMNS > test_report_width())
		end_shared_line(text);
	if (text->column > 0)
		buffer_append_text(&text->out, CELL_GAP);
	append_mark(&text->out, run->context->terminal, PROBE_OK);
	buffer_printf(&text->out, " %-9s%4zu", group, count);
	text->column += CELL_COLUMNS;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether one line speaks for both. */
static bool is_alike(const struct probe_check *a, const struct probe_check *b)
{
	return a->result.verdict == b->result.verdict && a->result.status == b->result.status && !a->after &&
	       !b->after && same_text(a->result.fix, b->result.fix) &&
	       strcmp(a->result.reason, b->result.reason) == 0 &&
	       (a->result.verdict == PROBE_SKIP || strcmp(a->expected.text, b->expected.text) == 0);
}

/* The check's name within its group. */
static const char *name_of(const struct probe_check *check)
{
	return check->after ? check->id : strchr(check->id, '/') + 1;
}

/* Whether an earlier one of the group speaks for the check. */
static bool is_spoken_for(const struct test_run *run, size_t first, size_t at)
{
	for (size_t i = first; i < at; i++)
		if (is_alike(run->ended[at], run->ended[i]))
			return true;
	return false;
}

/* Whether `count` that ended are all alike. */
static bool is_spoken_for_all(const struct test_run *run, size_t first, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!is_alike(run->ended[first], run->ended[first + i]))
			return false;
	return true;
}

/* "the same: top-null, top-array and 3 more": the later ones of the group that ended alike. */
static void append_alike(struct buffer *out, const struct test_run *run, size_t at)
{
	size_t count = 0;
	for (size_t i = at + 1; i < run->ended_count; i++) {
		if (!is_alike(run->ended[at], run->ended[i]))
			continue;
		if (count < ALIKE_NAMED)
			buffer_printf(out, "%s %s", count == 0 ? "the same:" : ",", name_of(run->ended[i]));
		count++;
	}
	if (count > ALIKE_NAMED)
		buffer_printf(out, " and %zu more", count - ALIKE_NAMED);
}

static void append_line(struct buffer *out, const char *text, int width)
{
	buffer_append_repeat(out, ' ', DETAIL);
	fit_append_wrapped(out, text, DETAIL, DETAIL, width);
	buffer_append_byte(out, '\n');
}

static void append_retry(struct test_run *run, const struct probe_check *check)
{
	struct buffer words = BUFFER_INIT;
	test_append_retry(&words, run, check);
	buffer_append_repeat(&run->text.out, ' ', DETAIL);
	style_append(&run->text.out, run->context->terminal->color_out, STYLE_FAINT, "%s", buffer_text(&words));
	buffer_append_byte(&run->text.out, '\n');
	buffer_release(&words);
}

/* The name, and what came of it beside it or, where that is too long, below. */
static void append_outcome(struct test_run *run, const struct probe_check *check, int width)
{
	struct buffer *out = &run->text.out, words = BUFFER_INIT;
	const char *name = name_of(check);
	test_append_outcome(&words, check);
	buffer_append_text(out, "    ");
	int at = 5 + append_mark(out, run->context->terminal, check->result.verdict);
	at += (int)(strlen(name) > NAME_COLUMNS ? strlen(name) : NAME_COLUMNS);
	if (words.length > 0 && at + 1 + (int)words.length <= width) {
		buffer_printf(out, " %-*s %s\n", NAME_COLUMNS, name, buffer_text(&words));
	} else {
		buffer_printf(out, " %s\n", name);
		if (words.length > 0)
			append_line(out, buffer_text(&words), width);
	}
	buffer_release(&words);
}

static void append_check(struct test_run *run, size_t at, bool alone)
{
	const struct probe_check *check = run->ended[at];
	struct buffer alike = BUFFER_INIT;
	int width = test_report_width();
	append_outcome(run, check, width);
	if (!alone)
		append_alike(&alike, run, at);
	if (alike.length > 0)
		append_line(&run->text.out, buffer_text(&alike), width);
	if (check->result.fix)
		append_line(&run->text.out, check->result.fix, width);
	if (check->result.verdict == PROBE_WARN || check->result.verdict == PROBE_FAIL)
		append_retry(run, check);
	buffer_release(&alike);
}

static void append_count(struct buffer *out, size_t count, const char *one, const char *many)
{
	if (count > 0)
		buffer_printf(out, ", %zu %s", count, count == 1 ? one : many);
}

/* True: there is nothing more to say of the group. */
static bool append_group_line(struct test_run *run, const char *group, size_t first,
                              const size_t counts[PROBE_VERDICTS])
{
	struct buffer *out = &run->text.out;
	enum probe_verdict worst = counts[PROBE_FAIL] > 0   ? PROBE_FAIL
	                           : counts[PROBE_WARN] > 0 ? PROBE_WARN
	                           : counts[PROBE_OK] > 0   ? PROBE_OK
	                                                    : PROBE_SKIP;
	size_t total = counts[PROBE_OK] + counts[PROBE_WARN] + counts[PROBE_FAIL] + counts[PROBE_SKIP];
	append_mark(out, run->context->terminal, worst);
	if (counts[PROBE_SKIP] == total && is_spoken_for_all(run, first, total)) {
		buffer_printf(out, " %-9s%s\n", group, run->ended[first]->result.reason);
		return true;
	}
	buffer_printf(out, " %-9s%zu of %zu ok", group, counts[PROBE_OK], total);
	append_count(out, counts[PROBE_FAIL], "failed", "failed");
	append_count(out, counts[PROBE_WARN], "warning", "warnings");
	append_count(out, counts[PROBE_SKIP], "skipped", "skipped");
	buffer_append_byte(out, '\n');
	return false;
}

/* The check after the group is counted with it only where it has something to say. */
void test_report_group(struct test_run *run, const char *group)
{
	bool verbose = run->context->global->verbose;
	struct test_report_text *text = &run->text;
	size_t counts[PROBE_VERDICTS] = { 0 }, first = text->first;
	text->first = run->ended_count;
	for (size_t i = first; i < run->ended_count; i++)
		if (!run->ended[i]->after || run->ended[i]->result.verdict != PROBE_OK)
			counts[run->ended[i]->result.verdict]++;
	if (!verbose && counts[PROBE_WARN] + counts[PROBE_FAIL] + counts[PROBE_SKIP] == 0) {
		append_cell(run, group, counts[PROBE_OK]);
		return;
	}
	end_shared_line(text);
	bool said = append_group_line(run, group, first, counts);
	for (size_t i = first; i < run->ended_count && !said; i++)
		if (verbose || (run->ended[i]->result.verdict != PROBE_OK && !is_spoken_for(run, first, i)))
			append_check(run, i, verbose);
	write_out(run);
}

void test_report_flush(struct test_run *run)
{
	end_shared_line(&run->text);
	write_out(run);
}
