/* What failures have in common, in the text for people: before the groups, a block for each cause. */
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <string.h>

#define NAMES_LINE 72 /* columns, beyond which they are counted */

static const struct probe_check *check_of(const struct probe_command *run, const struct cause *cause, size_t index)
{
	return &run->checks.checks[cause->checks[index]];
}

/* Whether the check is shown with the cause. */
static bool is_of(const struct probe_check *check, size_t number)
{
	return check->result.cause == number;
}

/* Counts the checks of the cause, from this verdict on. */
static size_t count_of(const struct probe_command *run, const struct cause *cause, size_t number, enum grade least)
{
	size_t count = 0;
	for (size_t i = 0; i < cause->check_count; i++) {
		const struct probe_check *check = check_of(run, cause, i);
		count += is_of(check, number) && check->result.verdict >= least;
	}
	return count;
}

/* The worst of its checks; what was tolerated is a note. */
static enum grade grade_of(const struct probe_command *run, const struct cause *cause, size_t number)
{
	enum grade worst = GRADE_OK;
	for (size_t i = 0; i < cause->check_count; i++) {
		const struct probe_check *check = check_of(run, cause, i);
		if (is_of(check, number) && check->result.verdict > worst)
			worst = check->result.verdict;
	}
	return worst;
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

/* "deliver authentication-failed, user-created and 5 more": the names within the first group, counts of the others. */
static void append_names(const struct probe_command *run, const struct cause *cause, size_t number, struct buffer *out)
{
	bool verbose = run->context->global->verbose;
	for (size_t g = 0; g < probe_group_count; g++) {
		size_t count = 0, of = 0;
		for (size_t i = 0; i < cause->check_count; i++) {
			const struct probe_check *check = check_of(run, cause, i);
			of += is_of(check, number) && strcmp(check->row->group, probe_groups[g]) == 0;
		}
		if (of == 0)
			continue;
		bool named = verbose || out->length == 0 || of == 1;
		buffer_printf(out, "%s%s ", out->length > 0 ? "; " : "", probe_groups[g]);
		for (size_t i = 0; named && i < cause->check_count && (verbose || count < PROBE_BLOCK_NAMES); i++) {
			const struct probe_check *check = check_of(run, cause, i);
			const char *name = strchr(check->id, '/') + 1;
			if (!is_of(check, number) || strcmp(check->row->group, probe_groups[g]) != 0)
				continue;
			if (!verbose && count > 0 && out->length + strlen(name) > NAMES_LINE)
				break;
			buffer_printf(out, "%s%s", count++ > 0 ? ", " : "", name);
		}
		if (named)
			probe_block_more(out, of, count);
		else
			buffer_printf(out, "%zu", of);
	}
}

/* The first check of the cause where the listener ended over each of them; NULL: it did not. */
static const struct probe_check *find_ended(const struct probe_command *run, const struct cause *cause, size_t number)
{
	const struct probe_check *first = NULL;
	for (size_t i = 0; i < cause->check_count; i++) {
		const struct probe_check *check = check_of(run, cause, i);
		if (is_of(check, number) && !check->result.ended_listener)
			return NULL;
		first = !first && is_of(check, number) ? check : first;
	}
	return first;
}

/* What a listener responds may be a page: without -v, the line that it begins. */
static void append_head(struct probe_command *run, const struct cause *cause, size_t number, size_t musts)
{
	size_t count = count_of(run, cause, number, GRADE_OK);
	const char *response = cause->words;
	LOCAL_BUFFER words = BUFFER_FOR(&run->text.out);
	/* That it ended says more than what came of its connection. */
	const struct probe_check *ended = find_ended(run, cause, number);
	response = ended ? ended->result.reason : response;
	for (size_t i = 0; count == 1 && i < cause->check_count; i++) {
		const struct probe_check *check = check_of(run, cause, i);
		if (!is_of(check, number))
			continue;
		buffer_printf(&words, "%s: ", check->id);
		response = check->result.unanswered > 0 ? check->result.reason : response;
	}
	const char *what = cause->type == CAUSE_UNKNOWN ? "one response" : "one cause";
	if (count > 1 && musts > 0)
		buffer_printf(&words, "%zu of %zu musts, %s: ", musts, count_musts(run), what);
	else if (count > 1)
		buffer_printf(&words, "%zu checks, %s: ", count, what);
	if (cause->status > 0)
		probe_append_response(&words, cause->status, response);
	else
		buffer_append_text(&words, response);
	struct probe_block_head head = { .grade = grade_of(run, cause, number),
		                         .names = "",
		                         .words = buffer_text(&words),
		                         .is_cut = cause->status > 0 && !run->context->global->verbose };
	probe_block_head(run, &head);
}

static void append_block(struct probe_command *run, const struct cause *cause, size_t number)
{
	struct probe_report *text = &run->text;
	const struct global_options *global = run->context->global;
	size_t musts = count_of(run, cause, number, GRADE_FAIL), count = count_of(run, cause, number, GRADE_OK);
	enum grade grade = grade_of(run, cause, number);
	LOCAL_BUFFER words = BUFFER_FOR(&text->out), fix = BUFFER_FOR(&text->out), names = BUFFER_FOR(&text->out);
	bool is_shown = grade == GRADE_NOTE ? global->verbose : grade == GRADE_WARN ? !global->quiet : true;
	if (count == 0 || !is_shown)
		return;
	const struct probe_check *first = NULL;
	for (size_t i = 0; i < cause->check_count && !first; i++) {
		const struct probe_check *check = check_of(run, cause, i);
		first = is_of(check, number) && check->result.verdict == grade ? check : NULL;
	}
	probe_report_fix(text, first);
	append_head(run, cause, number, musts);
	probe_append_cause(&words, run, number, count > 1);
	probe_block_line(run, buffer_text(&words));
	probe_append_cause_fix(&fix, run, number);
	if (fix.length == 0)
		buffer_append_text(&fix, first->result.fix ? first->result.fix : "");
	probe_block_line(run, buffer_text(&fix));
	if (count > 1)
		append_names(run, cause, number, &names);
	probe_block_line(run, buffer_text(&names));
	probe_block_log(run, first);
}

void probe_report_causes(struct probe_command *run)
{
	static const enum grade order[] = { GRADE_FAIL, GRADE_WARN, GRADE_NOTE };
	for (size_t g = 0; g < sizeof order / sizeof order[0]; g++)
		for (size_t i = 0; i < run->cause_count; i++)
			if (grade_of(run, &run->causes[i], i + 1) == order[g])
				append_block(run, &run->causes[i], i + 1);
	probe_report_print(run);
}
