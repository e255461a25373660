/* The text for people: the causes, then a line per group, below it what did not go well, in blocks. */
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <stdio.h>
#include <string.h>

#define WIDEST       100
#define CELL_COLUMNS 20
#define CELL_GAP     "  "
#define COUNT_END    13 /* columns behind the sign */
#define BLOCKS_MOST  2  /* of a group */
#define MUSTS_MOST   5  /* blocks of musts that fail */
#define BESIDE_LEAST 36 /* columns for what came of a check, where it is cut */
#define NAME_COLUMNS 24
#define INDENT       6 /* columns before what is said below a block's first line */

int probe_report_width(const struct probe_command *run)
{
	int width = terminal_out_width(run->context->terminal);
	return width < WIDEST || width == COLUMNS_UNLIMITED ? width : WIDEST;
}

static void append_sign(struct buffer *out, const struct probe_command *run, enum grade grade)
{
	const struct terminal *t = run->context->terminal;
	style_append_sign(out, t->color_out, terminal_has_signs(t), grade);
}

void probe_report_print(struct probe_command *run)
{
	if (!run->text.is_hidden)
		terminal_write_buffer(run->context->terminal, &run->text.out);
	buffer_clear(&run->text.out);
}

/* A line below the first; none of an empty text. */
static void append_line(struct probe_command *run, const char *text)
{
	if (!*text)
		return;
	buffer_append_repeat(&run->text.out, ' ', INDENT);
	fit_append_wrapped(&run->text.out, text, INDENT, INDENT, probe_report_width(run));
	buffer_append_byte(&run->text.out, '\n');
}

/* What the listener printed of the check. */
static void append_log(struct probe_command *run, const struct probe_check *check)
{
	probe_append_log(&run->text.out, check, run->context->global->verbose, INDENT, probe_report_width(run));
}

/* Names a failed must among those to fix first. */
static void add_fix(struct probe_report *text, const struct probe_check *check)
{
	bool is_to_fix = check->result.verdict == GRADE_FAIL && !check->result.ended_by_itself;
	if (is_to_fix && text->fix_count++ < TEST_FIXES_MOST)
		buffer_printf(&text->fix, "%s%s", text->fix_count > 1 ? ", " : "", check->id);
}

static size_t count_musts(const struct probe_command *run)
{
	size_t count = 0;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		count += check->chosen && check->result.ended && check->level == PROBE_MUST &&
		         check->result.verdict != GRADE_SKIP;
	}
	return count;
}

/* The first line of a block: its sign, the names, and what came, which is cut where it takes more than the line and has
 * `least` columns of it, or else wrapped. */
static void append_first(struct probe_command *run, enum grade grade, int indent, const char *names, const char *words,
                         bool is_cut, int least)
{
	struct buffer *out = &run->text.out;
	int width = probe_report_width(run);
	int at = indent + style_sign_columns(terminal_has_signs(run->context->terminal)) +
	         fit_columns(names, strlen(names));
	buffer_append_repeat(out, ' ', (size_t)indent);
	append_sign(out, run, grade);
	buffer_append_text(out, names);
	if (is_cut && at <= width - least)
		fit_append_cut(out, words, width - at);
	else
		fit_append_wrapped(out, words, at, INDENT, width);
	buffer_append_byte(out, '\n');
}

/* What a listener responds may be a page: without -v, the line that it begins. */
static void append_first_of_cause(struct probe_command *run, const struct probe_block *b)
{
	const struct cause *cause = &run->causes[b->cause - 1];
	const struct probe_result *one = &b->checks[0]->result;
	const char *what = cause->type == CAUSE_UNKNOWN ? "one response" : "one cause";
	size_t musts = probe_block_musts(b);
	LOCAL_BUFFER words = BUFFER_FOR(&run->text.out);
	/* That it ended says more than what came of its connection. */
	const char *response =
	        probe_block_has_ended_it(b) || (b->count == 1 && one->unanswered > 0) ? one->reason : cause->words;
	if (b->count == 1)
		buffer_printf(&words, "%s: ", b->checks[0]->id);
	else if (musts > 0)
		buffer_printf(&words, "%zu of %zu musts, %s: ", musts, count_musts(run), what);
	else
		buffer_printf(&words, "%zu checks, %s: ", b->count, what);
	if (cause->status > 0)
		probe_append_response(&words, cause->status, response);
	else
		buffer_append_text(&words, response);
	append_first(run, b->grade, 0, "", buffer_text(&words), cause->status > 0 && !run->context->global->verbose, 0);
}

static void append_cause(struct probe_command *run, const struct probe_block *b)
{
	LOCAL_BUFFER words = BUFFER_FOR(&run->text.out), fix = BUFFER_FOR(&words), names = BUFFER_FOR(&words);
	add_fix(&run->text, probe_block_first(b));
	append_first_of_cause(run, b);
	probe_append_cause(&words, run, b->cause, b->count > 1);
	append_line(run, buffer_text(&words));
	probe_block_append_fix(&fix, run, b);
	append_line(run, buffer_text(&fix));
	if (b->count > 1)
		probe_block_append_groups(&names, b, run->context->global->verbose);
	append_line(run, buffer_text(&names));
	append_log(run, probe_block_first(b));
}

void probe_report_causes(struct probe_command *run)
{
	const struct global_options *global = run->context->global;
	for (size_t i = 0; i < run->block_count; i++) {
		const struct probe_block *b = &run->blocks[i];
		bool is_shown = b->grade == GRADE_NOTE ? global->verbose : b->grade != GRADE_WARN || !global->quiet;
		if (b->cause > 0 && is_shown)
			append_cause(run, b);
	}
	probe_report_print(run);
}

/* Groups that have no failure of their own stand side by side, at the end. */
static void append_cell(struct probe_command *run, enum grade grade, const char *group, const size_t counts[GRADES])
{
	struct probe_report *text = &run->text;
	if (text->column > 0) {
		bool full = text->column + CELL_COLUMNS > terminal_width();
		buffer_append_text(&text->cells, full ? "\n" : CELL_GAP);
		text->column = full ? 0 : text->column;
	}
	size_t graded = counts[GRADE_OK] + counts[GRADE_NOTE] + counts[GRADE_WARN] + counts[GRADE_FAIL];
	char count[sizeof "skipped" + 2 * 20] = "skipped";
	if (grade == GRADE_OK)
		snprintf(count, sizeof count, "%zu", graded);
	else if (graded > 0)
		snprintf(count, sizeof count, "%zu/%zu", counts[GRADE_OK], graded + counts[GRADE_SKIP]);
	append_sign(&text->cells, run, grade);
	int room = COUNT_END - (int)strlen(group), wanted = (int)strlen(count) + 1;
	buffer_printf(&text->cells, "%s%*s", group, room > wanted ? room : wanted, count);
	text->column += CELL_COLUMNS;
	text->noted |= counts[GRADE_NOTE] + counts[GRADE_SKIP] > 0;
}

/* Their names and what came of them: on the line of the group, whose head is given, or on one of its own. */
static void append_alone(struct probe_command *run, const struct probe_block *b, const char *head)
{
	struct probe_report *text = &run->text;
	const struct probe_check *check = b->checks[0];
	LOCAL_BUFFER number = BUFFER_FOR(&text->out), before = BUFFER_FOR(&text->out), words = BUFFER_FOR(&text->out),
	             names = BUFFER_FOR(&text->out);
	probe_block_append_names(&names, b, run->context->global->verbose && b->grade >= GRADE_WARN);
	bool short_names = names.length <= NAME_COLUMNS;
	add_fix(text, check);
	buffer_printf(&number, "%zu checks", b->count);
	const char *name = buffer_text(b->count == 1 || short_names ? &names : &number);
	probe_append_outcome(&words, check, b->varies ? buffer_text(&b->key) : check->result.reason);
	if (head)
		buffer_printf(&before, "%s: %s: ", head, name);
	else
		buffer_printf(&before, "%-*s%s", words.length > 0 ? NAME_COLUMNS : 0, name,
		              words.length > 0 ? " " : "");
	append_first(run, b->grade, head ? 0 : INDENT - 2, buffer_text(&before), buffer_text(&words),
	             !run->context->global->verbose, BESIDE_LEAST);
	if (b->count > 1 && !short_names)
		append_line(run, buffer_text(&names));
}

static void append_advice(struct probe_command *run, struct buffer *advice)
{
	append_line(run, buffer_text(advice));
	buffer_clear(advice);
}

/* What to do about it; where the log is, once a run. */
static void append_fix_once(struct probe_command *run, struct buffer *advice, const struct probe_block *b)
{
	const struct probe_check *check = b->checks[0];
	const struct probe_result *r = &check->result;
	if (!probe_block_has_one_fix(b))
		probe_block_append_fix(advice, run, b);
	else if (run->text.has_said_log && r->broke_ns != 0)
		buffer_append_text(advice, r->fix ? r->fix : "");
	else
		probe_append_fix(advice, run, check);
	run->text.has_said_log |= r->broke_ns != 0;
}

/* The blocks of a group that are shown, what to do once behind those that have it in common. */
static void append_blocks(struct probe_command *run, const struct probe_block *blocks, size_t count, const char *head)
{
	bool verbose = run->context->global->verbose;
	const struct probe_check *before = NULL; /* of the block above */
	size_t rest = 0;
	LOCAL_BUFFER advice = BUFFER_FOR(&run->text.out);
	for (size_t i = 0; i < count; i++) {
		const struct probe_block *b = &blocks[i];
		const struct probe_check *first = b->checks[0];
		if (!verbose && (b->grade == GRADE_NOTE || i >= (b->grade == GRADE_FAIL ? MUSTS_MOST : BLOCKS_MOST))) {
			rest += b->count;
			run->text.fix_count += b->grade == GRADE_FAIL;
			continue;
		}
		if (before && !probe_has_same_fix(before, first))
			append_advice(run, &advice);
		before = first;
		append_alone(run, b, i == 0 ? head : NULL);
		/* What a warning is about is a choice: -v says what others choose. */
		if (advice.length == 0 && (b->grade > GRADE_NOTE || verbose))
			append_fix_once(run, &advice, b);
		if (first->result.log.length > 0)
			append_advice(run, &advice);
		append_log(run, first);
	}
	append_advice(run, &advice);
	if (rest > 0)
		buffer_printf(&run->text.out, "      %zu more: -v shows them\n", rest);
}

/* Counts the checks of the group by verdict. Returns the worst grade; *own: of those that no block elsewhere says. */
static enum grade count_group(const struct probe_command *run, const char *group, size_t counts[GRADES],
                              enum grade *own)
{
	enum grade worst = GRADE_OK;
	*own = GRADE_OK;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		enum grade grade = check->result.verdict == GRADE_SKIP ? GRADE_NOTE : check->result.verdict;
		if (!check->chosen || !check->result.ended || strcmp(probe_group_of(check), group) != 0 ||
		    (check->after && grade == GRADE_OK)) /* it is counted only where it has something to say */
			continue;
		counts[check->result.verdict]++;
		worst = grade > worst ? grade : worst;
		bool is_elsewhere = check->result.part_of && strcmp(check->result.part_of->row->group, group) != 0;
		if (check->result.cause == 0 && !is_elsewhere)
			*own = grade > *own ? grade : *own;
	}
	return worst;
}

void probe_report_group(struct probe_command *run, const char *group)
{
	const struct global_options *global = run->context->global;
	struct buffer *out = &run->text.out;
	size_t counts[GRADES] = { 0 }, count = 0, skipped = 0;
	enum grade own, worst = count_group(run, group, counts, &own);
	size_t rest = counts[GRADE_OK] + counts[GRADE_NOTE] + counts[GRADE_WARN] + counts[GRADE_FAIL];
	const char *skip = NULL;
	const struct probe_block *blocks = probe_blocks_of(run, group, &count);
	for (size_t i = 0; i < count; i++)
		skipped += blocks[i].checks[0]->result.verdict == GRADE_SKIP;
	/* What has all that it needs, and is skipped, says why. */
	bool is_missed = rest == 0 && counts[GRADE_SKIP] > 0 && run->args->observe && run->listener.words;
	bool is_cell = own <= GRADE_NOTE && !global->verbose && !is_missed;
	if (is_cell && !global->quiet)
		append_cell(run, worst, group, counts);
	if (count == 0 || is_cell)
		return;
	LOCAL_BUFFER head = BUFFER_FOR(out);
	if (skipped == 1) /* one reason for all of them */
		skip = blocks[count - 1].checks[0]->result.reason;
	buffer_printf(&head, "%-9s", group);
	if (rest > 0)
		buffer_printf(&head, "%zu of %zu ok", counts[GRADE_OK], rest + counts[GRADE_SKIP]);
	if (counts[GRADE_SKIP] > 0 && rest > 0)
		buffer_printf(&head, ", %zu skipped%s", counts[GRADE_SKIP], skip ? ": " : "");
	buffer_append_text(&head, skip ? skip : "");
	bool is_only = !skip && !global->verbose && worst == GRADE_WARN && count == 1;
	if (!is_only) {
		append_sign(out, run, worst);
		buffer_printf(out, "%s\n", buffer_text(&head));
	}
	append_blocks(run, blocks, count - (skip != NULL), is_only ? buffer_text(&head) : NULL);
	probe_report_print(run);
}
