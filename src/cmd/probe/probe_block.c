/* The blocks of a run: checks that have a cause in common, and of a group those that alone came to the same. */
#include "cmd/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_LINE 72 /* columns, beyond which they are counted */

/* In blocks, what was skipped is noted. */
static enum grade grade_of(const struct probe_check *check)
{
	enum grade verdict = check->result.verdict;
	return verdict == GRADE_SKIP ? GRADE_NOTE : verdict;
}

static bool has_ended(const struct probe_check *check)
{
	return check->chosen && check->result.ended;
}

static void add_check(struct probe_command *run, struct probe_block *block, const struct probe_check *check)
{
	size_t capacity = block->count > 0 ? block->count * 2 : 4;
	bool is_full = block->count == 0 || (block->count >= 4 && (block->count & (block->count - 1)) == 0);
	const struct probe_check **grown = NULL;
	if (is_full && !(grown = realloc(block->checks, capacity * sizeof *grown))) {
		buffer_fail_if(&run->text.out, true);
		return;
	}
	block->checks = grown ? grown : block->checks;
	block->checks[block->count++] = check;
	block->grade = grade_of(check) > block->grade ? grade_of(check) : block->grade;
	block->varies |= strcmp(check->result.reason, block->checks[0]->result.reason) != 0;
}

/* Those of the cause that are shown with it, and nowhere else. */
static void take_cause(struct probe_command *run, size_t number, struct probe_block *block)
{
	*block = (struct probe_block){ .cause = number, .grade = GRADE_OK };
	for (size_t i = 0; i < run->checks.count; i++)
		if (run->checks.checks[i].result.cause == number)
			add_check(run, block, &run->checks.checks[i]);
}

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

bool probe_has_same_fix(const struct probe_check *a, const struct probe_check *b)
{
	const char *one = a->result.fix, *other = b->result.fix;
	return !a->result.broke_ns == !b->result.broke_ns && !one == !other && (!one || strcmp(one, other) == 0);
}

static bool is_alike(const struct probe_check *a, const struct probe_check *b)
{
	/* What two identifiers of one event miss is one bug in what recognizes a repeat. */
	bool is_one_key = a->row == b->row && a->row->expansion == PROBE_DISTINCT && a->result.verdict == GRADE_FAIL;
	return a->result.verdict == b->result.verdict && a->result.status == b->result.status &&
	       !a->after == !b->after && (is_one_key || probe_has_same_fix(a, b));
}

/* Adds the check to the block of those of its group that are alike, or to a new one. */
static void take_alone(struct probe_command *run, size_t first, const struct probe_check *check)
{
	struct probe_block *b = run->blocks + first, *end = run->blocks + run->block_count;
	struct buffer key = BUFFER_INIT;
	append_key(&key, check);
	while (b < end && !(is_alike(b->checks[0], check) && strcmp(buffer_text(&b->key), buffer_text(&key)) == 0))
		b++;
	if (b == end) {
		*b = (struct probe_block){ .group = probe_group_of(check), .grade = GRADE_OK, .key = key };
		add_check(run, b, check);
		run->block_count += b->count > 0;
	} else {
		buffer_release(&key);
		add_check(run, b, check);
	}
}

static bool is_said(const struct probe_command *run, const struct probe_check *check)
{
	const struct global_options *global = run->context->global;
	enum grade grade = grade_of(check);
	return check->result.cause == 0 && !check->result.part_of &&
	       (global->quiet ? grade >= GRADE_WARN : grade != GRADE_OK || global->verbose);
}

/* Those of a group that stand alone and have something to say; what was skipped is the last of them. */
static void take_group(struct probe_command *run, const char *group)
{
	size_t first = run->block_count;
	for (int skipped = 0; skipped < 2; skipped++)
		for (size_t i = 0; i < run->checks.count; i++) {
			const struct probe_check *check = &run->checks.checks[i];
			if (has_ended(check) && strcmp(probe_group_of(check), group) == 0 && is_said(run, check) &&
			    (check->result.verdict == GRADE_SKIP) == (skipped == 1))
				take_alone(run, first, check);
		}
}

/* Adds what others explain to the blocks of these. */
static void take_parts(struct probe_command *run)
{
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i], *whole = check->result.part_of;
		for (size_t b = 0; whole && check->result.cause == 0 && b < run->block_count; b++) {
			struct probe_block *block = &run->blocks[b];
			bool is_its = false, varies = block->varies;
			for (size_t of = 0; of < block->count; of++)
				is_its |= block->checks[of] == whole;
			if (!is_its)
				continue;
			add_check(run, block, check);
			block->varies = varies; /* what is said of the whole holds for it */
		}
	}
}

void probe_blocks_make(struct probe_command *run)
{
	static const enum grade order[] = { GRADE_FAIL, GRADE_WARN, GRADE_NOTE };
	run->blocks = calloc(run->cause_count + run->checks.count + 1, sizeof *run->blocks);
	buffer_fail_if(&run->text.out, !run->blocks);
	if (!run->blocks)
		return;
	for (size_t g = 0; g < sizeof order / sizeof order[0]; g++)
		for (size_t c = 1; c <= run->cause_count; c++) {
			struct probe_block *block = &run->blocks[run->block_count];
			take_cause(run, c, block);
			if (block->count > 0 && block->grade == order[g])
				run->block_count++;
			else
				free(block->checks);
		}
	for (size_t g = 0; g < probe_group_count; g++)
		take_group(run, probe_groups[g]);
	take_parts(run);
}

const struct probe_block *probe_blocks_of(const struct probe_command *run, const char *group, size_t *count)
{
	size_t first = 0, end;
	while (first < run->block_count && (!run->blocks[first].group || strcmp(run->blocks[first].group, group) != 0))
		first++;
	for (end = first; end < run->block_count && strcmp(run->blocks[end].group, group) == 0;)
		end++;
	*count = end - first;
	return run->blocks + first;
}

void probe_blocks_release(struct probe_command *run)
{
	for (size_t i = 0; i < run->block_count; i++) {
		free(run->blocks[i].checks);
		buffer_release(&run->blocks[i].key);
	}
	free(run->blocks);
	run->blocks = NULL;
	run->block_count = 0;
}

const struct probe_check *probe_block_first(const struct probe_block *block)
{
	for (size_t i = 0; i < block->count; i++)
		if (grade_of(block->checks[i]) == block->grade)
			return block->checks[i];
	return block->checks[0];
}

size_t probe_block_musts(const struct probe_block *block)
{
	size_t count = 0;
	for (size_t i = 0; i < block->count; i++)
		count += block->checks[i]->result.verdict == GRADE_FAIL;
	return count;
}

bool probe_block_has_ended_it(const struct probe_block *block)
{
	bool all = true;
	for (size_t i = 0; i < block->count; i++)
		all &= block->checks[i]->result.ended_listener;
	return all;
}

void probe_append_more(struct buffer *names, size_t count, size_t named)
{
	if (count > named)
		buffer_printf(names, " and %zu more", count - named);
}

void probe_block_append_names(struct buffer *out, const struct probe_block *block, bool all)
{
	size_t most = all ? block->count : PROBE_BLOCK_NAMES;
	for (size_t i = 0; i < block->count && i < most; i++) {
		const struct probe_check *check = block->checks[i];
		bool is_other = check->after || strcmp(check->row->group, block->checks[0]->row->group) != 0;
		buffer_printf(out, "%s%s", i > 0 ? ", " : "", is_other ? check->id : strchr(check->id, '/') + 1);
	}
	probe_append_more(out, block->count, most);
}

void probe_block_append_groups(struct buffer *out, const struct probe_block *block, bool all)
{
	for (size_t g = 0; g < probe_group_count; g++) {
		size_t count = 0, of = 0;
		for (size_t i = 0; i < block->count; i++)
			of += strcmp(block->checks[i]->row->group, probe_groups[g]) == 0;
		if (of == 0)
			continue;
		bool named = all || out->length == 0 || of == 1;
		buffer_printf(out, "%s%s ", out->length > 0 ? "; " : "", probe_groups[g]);
		for (size_t i = 0; named && i < block->count && (all || count < PROBE_BLOCK_NAMES); i++) {
			const char *name = strchr(block->checks[i]->id, '/') + 1;
			if (strcmp(block->checks[i]->row->group, probe_groups[g]) != 0)
				continue;
			if (!all && count > 0 && out->length + strlen(name) > NAMES_LINE)
				break;
			buffer_printf(out, "%s%s", count++ > 0 ? ", " : "", name);
		}
		if (named)
			probe_append_more(out, of, count);
		else
			buffer_printf(out, "%zu", of);
	}
}

bool probe_block_has_one_fix(const struct probe_block *block)
{
	bool is_one = true;
	for (size_t i = 1; i < block->count; i++)
		is_one &= probe_has_same_fix(block->checks[0], block->checks[i]);
	return is_one;
}

/* NULL: there is none. */
static const struct catalog_field *difference_of(const struct probe_check *check)
{
	return check->kind.event ? check->kind.event->differs : NULL;
}

/* "authToken, reportKey": what second notifications of one customer differ in, each once. */
static void append_differences(struct buffer *out, const struct probe_block *block)
{
	size_t count = 0;
	for (size_t i = 0; i < block->count; i++) {
		const struct catalog_field *field = difference_of(block->checks[i]);
		bool is_known = !field;
		for (size_t earlier = 0; earlier < i; earlier++)
			is_known |= difference_of(block->checks[earlier]) == field;
		if (!is_known)
			buffer_printf(out, "%s%s", count++ > 0 ? ", " : ": ", field->name);
	}
}

void probe_block_append_fix(struct buffer *out, const struct probe_command *run, const struct probe_block *block)
{
	const struct probe_check *first = probe_block_first(block);
	size_t before = out->length;
	if (block->cause == 0 && first->row->expansion == PROBE_DISTINCT && !probe_block_has_one_fix(block)) {
		buffer_append_text(out, first->row->fix);
		append_differences(out, block);
		return;
	}
	if (block->cause > 0)
		probe_append_cause_fix(out, run, block->cause);
	if (out->length == before)
		buffer_append_text(out, first->result.fix ? first->result.fix : "");
}
