/* A run of `test` that has ended with the results that a test gives its checks, and what people read of it. */
#ifndef CREDHOOK_TESTS_CMD_PROBE_UNIT_H
#define CREDHOOK_TESTS_CMD_PROBE_UNIT_H

#include "../probe/unit.h"
#include "base/clock.h"
#include "cmd/probe/probe.h"
#include "probe/play/one_bug.h"
#include "probe/play/verdict.h"

#include <stdlib.h>
#include <string.h>

#define ROWS    24
#define COLUMNS 80

static struct terminal terminal;
static struct global_options global;
static struct probe_args args;
static const struct option_words typed; /* nothing was typed */
static struct context context;
static struct probe_command run;
static struct buffer seen; /* what is on the screen */

/* Chooses the checks, separated by spaces, which are all right. */
static inline void begin(const char *checks)
{
	unsetenv("COLUMNS");
	terminal = (struct terminal){ .out_is_tty = true, .utf8 = true };
	global = (struct global_options){ .quiet = false };
	args = (struct probe_args){ .observe = "cat kept", .level = PROBE_NORMAL };
	context = (struct context){ .terminal = &terminal, .global = &global, .words = &typed };
	run = (struct probe_command){ .context = &context, .args = &args, .is_screen = true };
	plan_of(&run.checks, checks);
	for (size_t i = 0; i < run.checks.count; i++)
		if (run.checks.checks[i].chosen)
			probe_end(&run.checks.checks[i], PROBE_RIGHT, NULL, "%s", "");
}

static inline struct probe_check *fail_check(const char *id, const char *fix, const char *reason)
{
	struct probe_check *check = check_named(&run.checks, id);
	probe_end(check, PROBE_FAILED, fix ? fix : check->row->fix, "%s", reason);
	return check;
}

static inline size_t count_rows(void)
{
	size_t count = 0;
	for (size_t i = 0; i < seen.length; i++)
		count += seen.data[i] == '\n';
	return count;
}

/* What a terminal of 80x24 shows at the end of a run. */
static inline void show_end(const struct probe_summary *summary)
{
	struct probe_screen frame = { .grade = GRADE_OK };
	probe_blocks_make(&run);
	probe_frame_make(&frame, &run, summary, CLOCK_NS_PER_S);
	buffer_clear(&seen);
	probe_screen_append(&seen, &run, &frame, ROWS);
	buffer_release(&frame.verdict);
	buffer_release(&frame.lines);
	buffer_release(&frame.next);
	assert_false(seen.failed);
	assert_in_range(count_rows(), 1, ROWS - 1);
}

/* What a terminal of that many rows shows, with a frame that says nothing. */
static inline const char *show(size_t rows)
{
	struct probe_screen frame = { .grade = GRADE_FAIL };
	buffer_append_text(&frame.verdict, "the verdict");
	buffer_append_text(&frame.lines, "what is around\n");
	probe_blocks_make(&run);
	buffer_clear(&seen);
	probe_screen_append(&seen, &run, &frame, rows);
	buffer_release(&frame.verdict);
	buffer_release(&frame.lines);
	buffer_release(&frame.next);
	assert_false(seen.failed);
	assert_in_range(count_rows(), 1, rows - 1);
	return buffer_text(&seen);
}

/* Whether the words stand in what was shown, which is printed where that is not as expected. */
static inline void expect_shown(const char *words, bool expected)
{
	bool is_there = strstr(buffer_text(&seen), words) != NULL;
	if (is_there != expected)
		fprintf(stderr, "'%s' is %sin\n%s\n", words, is_there ? "" : "not ", buffer_text(&seen));
	assert_int_equal(is_there, expected);
}
#define assert_shown(words)     expect_shown(words, true)
#define assert_not_shown(words) expect_shown(words, false)

static inline void end(void)
{
	for (size_t i = 0; i < run.checks.count; i++)
		buffer_release(&run.checks.checks[i].result.log);
	probe_blocks_release(&run);
	probe_plan_release(&run.checks);
	text_list_release(&run.program.words);
	buffer_release(&run.route.destination.url);
	echoes_release(&run.secrets);
	buffer_release(&run.text.out);
	buffer_release(&run.text.fix);
	buffer_release(&run.text.cells);
	buffer_release(&seen);
}

#endif
