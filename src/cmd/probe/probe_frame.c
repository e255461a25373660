/* What is around the blocks on a screen: the verdict above them, and below them the numbers and what to do next. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <string.h>

#define WHERE_THE_REST_IS "-v: all  --report html=F: a page"

static size_t count_blocks(const struct probe_command *run, enum grade grade)
{
	size_t count = 0;
	for (size_t i = 0; i < run->block_count; i++)
		count += run->blocks[i].grade == grade && run->blocks[i].checks[0]->result.verdict != GRADE_SKIP;
	return count;
}

static bool is_of(const struct probe_check *check, const char *group)
{
	return check->chosen && check->result.ended && strcmp(probe_group_of(check), group) == 0;
}

/* How many groups have a failed must. */
static size_t count_groups(const struct probe_command *run)
{
	size_t count = 0;
	for (size_t g = 0; g < probe_group_count; g++) {
		bool has_failed = false;
		for (size_t i = 0; i < run->checks.count; i++)
			has_failed |= is_of(&run->checks.checks[i], probe_groups[g]) &&
			              run->checks.checks[i].result.verdict == GRADE_FAIL;
		count += has_failed;
	}
	return count;
}

static uint64_t total_of(const struct probe_summary *s, enum probe_level level)
{
	const uint64_t *counts = s->counts[level];
	return counts[GRADE_OK] + counts[GRADE_NOTE] + counts[GRADE_WARN] + counts[GRADE_FAIL];
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* "must 85 of 96". */
static void append_count(struct buffer *out, const struct probe_summary *s, enum probe_level level)
{
	uint64_t total = total_of(s, level);
	if (total > 0)
		buffer_printf(out, "%s%s %s of %s", out->length > 0 ? ", " : "", probe_level_names[level],
		              COUNT_TEXT(s->counts[level][GRADE_OK]), COUNT_TEXT(total));
}

static void append_shoulds(struct buffer *out, const struct probe_summary *s, const char *before)
{
	uint64_t shoulds = s->counts[PROBE_SHOULD][GRADE_WARN];
	if (shoulds > 0)
		buffer_printf(out, "%s%s should%s fail%s", before, COUNT_TEXT(shoulds), plural(shoulds),
		              shoulds == 1 ? "s" : "");
}

static void make_verdict(struct probe_screen *f, const struct probe_command *run, const struct probe_summary *s)
{
	struct buffer *out = &f->verdict;
	uint64_t musts = s->counts[PROBE_MUST][GRADE_FAIL], made = 0, chosen = 0;
	size_t bugs = count_blocks(run, GRADE_FAIL), groups = count_groups(run);
	bool is_whole = s->stop == PROBE_THROUGH;
	for (size_t i = 0; i < run->checks.count; i++) {
		made += run->checks.checks[i].chosen && run->checks.checks[i].result.ended;
		chosen += run->checks.checks[i].chosen;
	}
	f->grade = musts > 0 ? GRADE_FAIL : GRADE_OK;
	if (!is_whole && !probe_is_stopped(s))
		buffer_printf(out, "%s after %s of %s checks: ",
		              s->stop == PROBE_BROKEN ? "ended by an error" : "interrupted", COUNT_TEXT(made),
		              COUNT_TEXT(chosen));
	if (musts > 0) {
		bool is_one = bugs == 1;
		const char *words =
		        probe_harm_words(&run->checks, is_one ? " loses notifications" : " lose notifications",
		                         is_one ? " loses or doubles notifications" : " lose or double notifications",
		                         is_one ? " doubles notifications" : " double notifications");
		buffer_printf(out, "%zu bug%s%s: %s must%s in %zu group%s", bugs, plural(bugs), words ? words : "",
		              COUNT_TEXT(musts), plural(musts), groups, plural(groups));
	} else if (!is_whole) {
		buffer_append_text(out, s->stop == PROBE_NOT_READY ? s->message : "none of these has failed");
	} else if (s->uncounted) {
		buffer_printf(out, "nothing shows whether the listener keeps what it accepts: %s", s->message);
	} else if (s->untested) {
		buffer_printf(out, "nothing was tested: %s", s->message);
	} else if (s->unanswered > 0) {
		buffer_printf(out, "no must failed, but %s got no response to some requests",
		              COUNT_TEXT(s->unanswered));
	} else {
		buffer_printf(out, "no must failed: %s of %s", COUNT_TEXT(s->counts[PROBE_MUST][GRADE_OK]),
		              COUNT_TEXT(total_of(s, PROBE_MUST)));
	}
	append_shoulds(out, s, "; ");
	bool is_well = musts == 0 && is_whole && !s->uncounted && !s->untested && s->unanswered == 0;
	if (is_well && s->counts[PROBE_SHOULD][GRADE_WARN] == 0 && total_of(s, PROBE_SHOULD) > 0)
		buffer_printf(out, "; shoulds %s of %s", COUNT_TEXT(s->counts[PROBE_SHOULD][GRADE_OK]),
		              COUNT_TEXT(total_of(s, PROBE_SHOULD)));
	if (musts == 0 && !(is_well && s->counts[PROBE_SHOULD][GRADE_WARN] == 0))
		f->grade = GRADE_WARN;
}

/* "ok: value 88, form 10 and 6 more": the groups where nothing failed, as many as fit. */
static void append_well(struct buffer *out, const struct probe_command *run)
{
	size_t named = 0, count = 0;
	LOCAL_BUFFER line = BUFFER_FOR(out);
	for (size_t g = 0; g < probe_group_count; g++) {
		size_t ok = 0, bad = 0;
		for (size_t i = 0; i < run->checks.count; i++) {
			const struct probe_check *check = &run->checks.checks[i];
			if (!is_of(check, probe_groups[g]))
				continue;
			ok += check->result.verdict == GRADE_OK && !check->after;
			bad += check->result.verdict == GRADE_WARN || check->result.verdict == GRADE_FAIL;
		}
		if (ok == 0 || bad > 0)
			continue;
		count++;
		if (named < count - 1 || line.length + strlen(probe_groups[g]) + strlen("ok: , 10000 and 10 more") >
		                                 (size_t)probe_report_width(run))
			continue;
		buffer_printf(&line, "%s%s %zu", named++ > 0 ? ", " : "", probe_groups[g], ok);
	}
	probe_append_more(&line, count, named);
	if (count > 0)
		buffer_printf(out, "ok: %s\n", buffer_text(&line));
}

/* The numbers, and at the end of their line where all else is. */
static void append_numbers(struct buffer *out, const struct probe_command *run, const struct probe_summary *s,
                           int64_t ns)
{
	LOCAL_BUFFER line = BUFFER_FOR(out);
	uint64_t checks = total_of(s, PROBE_MUST) + total_of(s, PROBE_SHOULD) + total_of(s, PROBE_NOTE);
	const char *rest = run->args->reports.count > 0 ? "-v: all" : WHERE_THE_REST_IS;
	int room = probe_report_width(run) - (int)strlen(rest) - 2;
	if (s->counts[PROBE_MUST][GRADE_FAIL] > 0) {
		append_count(&line, s, PROBE_MUST);
		append_count(&line, s, PROBE_SHOULD);
	} else {
		buffer_printf(&line, "%s check%s", COUNT_TEXT(checks), plural(checks));
	}
	size_t before = line.length;
	buffer_printf(&line, " in %s", DURATION_TEXT(ns));
	if ((int)line.length > room)
		buffer_consume_end(&line, line.length - before);
	buffer_append_text(out, buffer_text(&line));
	buffer_append_repeat(out, ' ', (int)line.length < room ? (size_t)(room - (int)line.length) + 2 : 2);
	buffer_printf(out, "%s\n", rest);
}

static size_t count_names(const char *names)
{
	size_t count = 1;
	while ((names = strchr(names, ',')) != NULL) {
		count++;
		names++;
	}
	return count;
}

static void append_notes(struct buffer *out, const struct probe_command *run, const struct probe_summary *s)
{
	uint64_t failed = s->counts[PROBE_MUST][GRADE_FAIL] + s->counts[PROBE_SHOULD][GRADE_WARN];
	LOCAL_BUFFER page = BUFFER_FOR(out);
	page_responses_append(&page, &s->pages);
	if (page.length > 0)
		buffer_printf(out, "%s\n", buffer_text(&page));
	if (s->traceless[0]) {
		size_t count = count_names(s->traceless);
		buffer_printf(out, "%zu kind%s got 2xx and left no trace: -v names %s\n", count, plural(count),
		              count == 1 ? "it" : "them");
	}
	if (s->settable[0]) {
		probe_append_refused(out, s);
		buffer_append_byte(out, '\n');
	}
	if (s->uncounted && s->counts[PROBE_MUST][GRADE_FAIL] > 0)
		buffer_printf(out, "nothing shows whether the listener keeps what it accepts: %s\n", s->message);
	else if (failed == 0 && s->stop == PROBE_THROUGH && !s->uncounted && !s->untested && !run->observes &&
	         run->wanted.count == 0)
		buffer_printf(out, "whether it keeps what it accepts was not looked at%s\n",
		              run->args->observe ? "" : ": --observe COMMAND");
	if (failed > 0 || probe_is_stopped(s))
		buffer_printf(out, "test data of this run contains %s\n", s->run_id);
	if (probe_is_stopped(s))
		probe_append_stopped(out, s);
}

/* What is typed next. */
static void append_next(struct buffer *out, const struct probe_command *run, const struct probe_summary *s)
{
	uint64_t failed = s->counts[PROBE_MUST][GRADE_FAIL] + s->counts[PROBE_SHOULD][GRADE_WARN];
	if (!run->is_failed_known)
		probe_append_repeat(out, run);
	else if (failed > 0)
		probe_append_repeat_of(out, run,
		                       count_blocks(run, GRADE_FAIL) > 1 ? "fix 1 first; then: " : "then: ", "--failed",
		                       PROBE_NORMAL, true); /* the level is kept with the ids */
	else if (probe_is_whole(s) && run->args->failed)
		probe_append_repeat_of(out, run, "what failed is right now; all checks: ", "",
		                       (enum probe_depth)run->args->level, true);
}

void probe_frame_make(struct probe_screen *f, const struct probe_command *run, const struct probe_summary *s,
                      int64_t ns)
{
	make_verdict(f, run, s);
	f->rows_behind = s->stop == PROBE_BROKEN ? 3 : 0; /* the error and its hint */
	if (run->context->global->quiet)
		return;
	append_well(&f->lines, run);
	append_numbers(&f->lines, run, s, ns);
	append_notes(&f->lines, run, s);
	append_next(&f->next, run, s);
}
