/* What was expected as cases of --report: each --expect, --limit, and how COMMAND ended. */
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/listen/listen.h"

#include <string.h>

/* "2 of 3 arrived", or "5 arrived" where that is enough. */
static void append_arrived(struct buffer *message, uint64_t arrived, uint64_t wanted)
{
	buffer_append_text(message, COUNT_TEXT(arrived));
	if (arrived < wanted)
		buffer_printf(message, " of %s", COUNT_TEXT(wanted));
	buffer_append_text(message, " arrived");
}

/* What kind of expectation it is, and what it is when it is not met. */
struct case_type {
	const char *group, *failure;
};
static const struct case_type type_expect = { "expect", "missing" }, type_limit = { "limit", "missing" },
                              type_command = { "command", "command-failed" };

static void add_case(struct listen *l, const struct case_type *type, const struct buffer *name, bool is_met,
                     const struct buffer *message, const struct buffer *details)
{
	const struct report_case c = { .group = type->group,
		                       .name = buffer_text(name),
		                       .grade = is_met ? GRADE_OK : GRADE_FAIL,
		                       .failed = !is_met,
		                       .type = type->failure,
		                       .message = buffer_text(message),
		                       .details = buffer_text(details) };
	report_files_counted_case(&l->reports, &c, -1);
}

/* "bureau-alert:3,details.bureau=abc", as it would be typed. */
static void add_expectation(struct listen *l, const struct expectation *e)
{
	LOCAL_BUFFER name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT, instead = BUFFER_FOR(&details);
	expectation_append_name(&name, e, true);
	append_arrived(&message, e->arrived, e->wanted);
	expectation_append_instead(&instead, e);
	if (instead.length > 0)
		buffer_printf(&details, "came instead: %s", buffer_text(&instead));
	add_case(l, &type_expect, &name, e->arrived >= e->wanted, &message, &details);
}

static void add_limit(struct listen *l, uint64_t received)
{
	LOCAL_BUFFER name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	buffer_printf(&name, "--limit %s", COUNT_TEXT(l->args->limit));
	append_arrived(&message, received, l->args->limit);
	add_case(l, &type_limit, &name, received >= l->args->limit, &message, &details);
}

static void add_command(struct listen *l)
{
	LOCAL_BUFFER name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	utf8_append_safe(&name, l->command.name, strlen(l->command.name));
	listen_append_command_end(&message, &l->command);
	add_case(l, &type_command, &name, l->command.child.code == 0, &message, &details);
}

/* The line that matters most. */
static void append_verdict(struct buffer *out, const struct page *page)
{
	const uint64_t *counts = page->all.counts[PAGE_BY_GRADE];
	uint64_t missing = counts[GRADE_FAIL], all = missing + counts[GRADE_OK];
	const char *words = all == 1 ? "expectation is" : "expectations are";
	if (missing > 0)
		buffer_printf(out, "%s of %s %s not met\n", COUNT_TEXT(missing), COUNT_TEXT(all), words);
	else
		buffer_printf(out, "%s %s met\n", COUNT_TEXT(all), words);
}

void listen_report_cases(struct listen *l)
{
	static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "not met" }, { GRADE_OK, "met" } };
	const struct receiver_state *state = receiver_state(l->receiver);
	struct page *page = l->reports.page;
	if (l->args->reports.count == 0)
		return;
	for (size_t i = 0; i < l->expected->count; i++)
		add_expectation(l, &l->expected->list[i]);
	if (l->args->limit > 0)
		add_limit(l, state->counts.received);
	if (l->command.name)
		add_command(l);
	if (!page)
		return;
	page->series = kinds;
	page->people = PAGE_WITHOUT_PAYLOADS;
	buffer_append_text(&page->subject, state->url);
	append_verdict(&page->lines, page);
	listen_append_sums(&page->lines, l);
}
