/* The text for people: a line per group, below it what did not go well, in blocks of one reason each. */
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_COLUMNS 20
#define CELL_GAP     "  "
#define COUNT_END    13 /* columns behind the sign */
#define BLOCKS_MOST  2  /* of a group */
#define MUSTS_MOST   5  /* blocks of musts that fail */
#define BESIDE_LEAST 36 /* columns for what came of a check, where it is cut */
#define NAME_COLUMNS 24

/* In the text, what was skipped is noted. */
static enum grade grade_of(const struct probe_check *check)
{
	enum grade verdict = check->result.verdict;
	return verdict == GRADE_SKIP ? GRADE_NOTE : verdict;
}

/* Groups where nothing failed stand side by side, at the end. */
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
	probe_block_sign(&text->cells, run, grade);
	int room = COUNT_END - (int)strlen(group), wanted = (int)strlen(count) + 1;
	buffer_printf(&text->cells, "%s%*s", group, room > wanted ? room : wanted, count);
	text->column += CELL_COLUMNS;
	text->noted |= grade == GRADE_NOTE;
}

/* Checks of a group that came to the same. */
struct block {
	const struct probe_check *first;
	struct buffer key;   /* what their reasons have in common */
	struct buffer names; /* of the first of them */
	size_t count;
	bool varies; /* the reasons differ in the rest */
};

/* The reason without what differs from check to check: quoted names, and words with a digit in them. */
static void append_key(struct buffer *out, const struct probe_check *check)
{
	for (const char *text = check->result.reason; *text;) {
		size_t plain = strcspn(text, "'\"");
		text_append_alike(out, text, plain);
		text += plain;
		const char *end = *text ? strchr(text + 1, *text) : NULL;
		if (end)
			buffer_printf(out, "%c...%c", *text, *text);
		else if (*text)
			buffer_append_byte(out, *text);
		text = end ? end + 1 : text + (*text != '\0');
	}
}

/* Whether the same is to be done about both. */
static bool has_same_fix(const struct probe_check *a, const struct probe_check *b)
{
	const char *one = a->result.fix, *other = b->result.fix;
	return !a->result.broke_ns == !b->result.broke_ns && !one == !other && (!one || strcmp(one, other) == 0);
}

static bool is_alike(const struct probe_check *a, const struct probe_check *b)
{
	return a->result.verdict == b->result.verdict && a->result.status == b->result.status &&
	       !a->after == !b->after && has_same_fix(a, b);
}

/* Adds the check to the block of those that are alike, or to a new one. */
static void add_to_block(struct block *blocks, size_t *count, const struct probe_check *check)
{
	struct block *b = blocks;
	struct buffer key = BUFFER_INIT;
	append_key(&key, check);
	while (b < blocks + *count &&
	       !(is_alike(b->first, check) && strcmp(buffer_text(&b->key), buffer_text(&key)) == 0))
		b++;
	if (b == blocks + *count) {
		*b = (struct block){ .first = check, .key = key };
		++*count;
	} else {
		buffer_release(&key);
	}
	const char *name = check->after ? check->id : strchr(check->id, '/') + 1; /* within its group */
	if (b->count++ < PROBE_BLOCK_NAMES)
		buffer_printf(&b->names, "%s%s", b->count > 1 ? ", " : "", name);
	b->varies |= strcmp(check->result.reason, b->first->result.reason) != 0;
}

/* Their names and what came of them: on the line of the group, whose head is given, or on one of its own. */
static void append_block(struct probe_command *run, struct block *b, const char *head)
{
	struct probe_report *text = &run->text;
	const struct probe_check *check = b->first;
	LOCAL_BUFFER number = BUFFER_FOR(&text->out), before = BUFFER_FOR(&text->out), words = BUFFER_FOR(&text->out);
	probe_block_more(&b->names, b->count, PROBE_BLOCK_NAMES);
	bool short_names = b->names.length <= NAME_COLUMNS;
	probe_report_fix(text, check);
	buffer_printf(&number, "%zu checks", b->count);
	const char *name = buffer_text(b->count == 1 || short_names ? &b->names : &number);
	probe_append_outcome(&words, check, b->varies ? buffer_text(&b->key) : check->result.reason);
	if (head)
		buffer_printf(&before, "%s: %s: ", head, name);
	else
		buffer_printf(&before, "%-*s%s", words.length > 0 ? NAME_COLUMNS : 0, name,
		              words.length > 0 ? " " : "");
	struct probe_block_head line = { .indent = head ? 0 : PROBE_BLOCK_INDENT - 2,
		                         .grade = grade_of(check),
		                         .names = buffer_text(&before),
		                         .words = buffer_text(&words),
		                         .is_cut = !run->context->global->verbose,
		                         .least = BESIDE_LEAST };
	probe_block_head(run, &line);
	if (b->count > 1 && !short_names)
		probe_block_line(run, buffer_text(&b->names));
}

void probe_report_print(struct probe_command *run)
{
	if (!run->text.is_hidden)
		terminal_write_buffer(run->context->terminal, &run->text.out);
	buffer_clear(&run->text.out);
}

void probe_report_fix(struct probe_report *text, const struct probe_check *check)
{
	if (check->result.verdict == GRADE_FAIL && text->fix_count++ < TEST_FIXES_MOST)
		buffer_printf(&text->fix, "%s%s", text->fix_count > 1 ? ", " : "", check->id);
}

static void append_advice(struct probe_command *run, struct buffer *advice)
{
	probe_block_line(run, buffer_text(advice));
	buffer_clear(advice);
}

/* What to do about it; where the log is, once a run. */
static void append_fix_once(struct probe_command *run, struct buffer *advice, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	if (run->text.has_said_log && r->broke_ns != 0)
		buffer_append_text(advice, r->fix ? r->fix : "");
	else
		probe_append_fix(advice, run, check);
	run->text.has_said_log |= r->broke_ns != 0;
}

/* The blocks of a group that are shown, what to do once behind those that have it in common. */
static void append_blocks(struct probe_command *run, struct block *blocks, size_t count, const char *head)
{
	bool verbose = run->context->global->verbose;
	const struct probe_check *before = NULL; /* of the block above */
	size_t rest = 0;
	LOCAL_BUFFER advice = BUFFER_FOR(&run->text.out);
	for (size_t i = 0; i < count; i++) {
		struct block *b = &blocks[i];
		enum grade grade = grade_of(b->first);
		if (!verbose && (grade == GRADE_NOTE || i >= (grade == GRADE_FAIL ? MUSTS_MOST : BLOCKS_MOST))) {
			rest += b->count;
			run->text.fix_count += grade == GRADE_FAIL;
			continue;
		}
		if (before && !has_same_fix(before, b->first))
			append_advice(run, &advice);
		before = b->first;
		append_block(run, b, i == 0 ? head : NULL);
		/* What a warning is about is a choice: -v says what others choose. */
		if (advice.length == 0 && (grade > GRADE_NOTE || verbose))
			append_fix_once(run, &advice, b->first);
		if (b->first->result.log.length > 0)
			append_advice(run, &advice);
		probe_block_log(run, b->first);
	}
	append_advice(run, &advice);
	if (rest > 0)
		buffer_printf(&run->text.out, "      %zu more: -v shows them\n", rest);
}

/* Puts what has something to say into blocks; what was skipped is the last of them. Returns the worst grade. */
static enum grade take_group(const struct probe_command *run, const char *group, struct block *blocks, size_t *count,
                             size_t counts[GRADES])
{
	const struct global_options *global = run->context->global;
	enum grade worst = GRADE_OK;
	for (int skipped = 0; skipped < 2; skipped++) {
		for (size_t i = 0; i < run->checks.count; i++) {
			const struct probe_check *check = &run->checks.checks[i];
			enum grade grade = grade_of(check);
			if (!check->chosen || !check->result.ended ||
			    (check->result.verdict == GRADE_SKIP) != (skipped == 1) ||
			    strcmp(probe_group_of(check), group) != 0)
				continue;
			bool stands_alone = check->result.cause == 0;
			if (stands_alone &&
			    (global->quiet ? grade >= GRADE_WARN : grade != GRADE_OK || global->verbose))
				add_to_block(blocks, count, check);
			if (check->after && grade == GRADE_OK)
				continue; /* it is counted only where it has something to say */
			counts[check->result.verdict]++;
			grade = stands_alone || grade < GRADE_NOTE ? grade
			                                           : GRADE_NOTE; /* it is in the block of its cause */
			worst = grade > worst ? grade : worst;
		}
	}
	return worst;
}

void probe_report_group(struct probe_command *run, const char *group)
{
	const struct global_options *global = run->context->global;
	struct buffer *out = &run->text.out;
	size_t counts[GRADES] = { 0 }, count = 0, skipped = 0;
	struct block *blocks = calloc(run->checks.count, sizeof *blocks);
	enum grade worst = blocks ? take_group(run, group, blocks, &count, counts) : GRADE_OK;
	size_t rest = counts[GRADE_OK] + counts[GRADE_NOTE] + counts[GRADE_WARN] + counts[GRADE_FAIL];
	const char *skip = NULL;
	for (size_t i = 0; i < count; i++)
		skipped += blocks[i].first->result.verdict == GRADE_SKIP;
	/* What has all that it needs, and is skipped, says why. */
	bool is_missed = rest == 0 && counts[GRADE_SKIP] > 0 && run->args->observe && run->listener.words;
	bool is_cell = worst <= GRADE_NOTE && !global->verbose && !is_missed;
	if (is_cell && !global->quiet)
		append_cell(run, worst, group, counts);
	if (count > 0 && !is_cell) {
		LOCAL_BUFFER head = BUFFER_FOR(out);
		if (skipped == 1) /* one reason for all of them */
			skip = blocks[count - 1].first->result.reason;
		buffer_printf(&head, "%-9s", group);
		if (rest > 0)
			buffer_printf(&head, "%zu of %zu ok", counts[GRADE_OK], rest + counts[GRADE_SKIP]);
		if (counts[GRADE_SKIP] > 0 && rest > 0)
			buffer_printf(&head, ", %zu skipped%s", counts[GRADE_SKIP], skip ? ": " : "");
		buffer_append_text(&head, skip ? skip : "");
		bool is_only = !skip && !global->verbose && worst == GRADE_WARN && count == 1;
		if (!is_only) {
			probe_block_sign(out, run, worst);
			buffer_printf(out, "%s\n", buffer_text(&head));
		}
		append_blocks(run, blocks, count - (skip != NULL), is_only ? buffer_text(&head) : NULL);
		probe_report_print(run);
	}
	for (size_t i = 0; i < count; i++) {
		buffer_release(&blocks[i].key);
		buffer_release(&blocks[i].names);
	}
	free(blocks);
}
