/* What --report html=F shows of a run, the certificate of a listener. */
#include "base/clock.h"
#include "cmd/probe/probe.h"
#include "json/json_line.h"

#include <stdio.h>
#include <string.h>

#define FIXES_MOST 10

enum kind {
	KIND_OK,
	KIND_SHOULD,
	KIND_MUST,
	KIND_NOTE,
	KIND_SKIP,
};
static const char *const kinds[SERIES_KINDS][2] = { { "ok", "ok" },
	                                            { "warn", "should failed" },
	                                            { "fail", "must failed" },
	                                            { "note", "noted" },
	                                            { "skip", "skipped" } };

static enum kind kind_of(const struct probe_check *check)
{
	switch (check->result.verdict) {
	case PROBE_FAIL:
		return check->row->level == PROBE_MUST ? KIND_MUST : KIND_SHOULD;
	case PROBE_WARN:
		return KIND_NOTE;
	case PROBE_SKIP:
		return KIND_SKIP;
	default:
		return KIND_OK;
	}
}

static struct report_side side_of(const struct probe_message *m)
{
	return (struct report_side){ .head = buffer_text(&m->head),
		                     .body = buffer_text(&m->body),
		                     .length = m->body.length,
		                     .cut = m->length > m->body.length ? "the first 16 KiB" : NULL };
}

void test_page_add(struct test_run *run, const struct probe_check *check, struct report_case *c,
                   struct test_page_texts *texts)
{
	const struct probe_result *r = &check->result;
	const struct probe_row *row = check->row;
	if (!run->series)
		return;
	buffer_printf(&texts->advice, "%s: %s; expected %s (%s)\n%s\n", probe_level_names[row->level], row->sent,
	              check->expected.text, row->source, row->why);
	if (r->fix)
		buffer_printf(&texts->advice, "to do: %s\n", r->fix);
	c->mark = kinds[kind_of(check)][0];
	c->reason = r->reason;
	c->advice = buffer_text(&texts->advice);
	if (r->status > 0) {
		snprintf(texts->status, sizeof texts->status, "%d", r->status);
		c->status = texts->status;
	}
	if (r->sent_ns == 0)
		return;
	c->at_us = clock_realtime_of(r->sent_ns);
	texts->request = side_of(&r->request);
	texts->response = side_of(&r->response);
	c->request = &texts->request;
	c->response = r->response.head.length > 0 ? &texts->response : NULL;
	series_add(run->series, c->at_us / 1000, kind_of(check), r->status > 0 ? r->ns : -1);
}

static void append_fact(struct buffer *page, const char *name, const char *value)
{
	json_line_comma(page);
	buffer_append_byte(page, '[');
	json_line_element(page, name);
	json_line_element(page, value);
	buffer_append_byte(page, ']');
}

/* "3 of 111 musts failed", and the others that there are. */
static void append_counts(struct buffer *page, const struct probe_summary *s)
{
	uint64_t by_kind[SERIES_KINDS] = { 0 }, totals[PROBE_LEVELS] = { 0 };
	static const enum kind order[] = { KIND_MUST, KIND_SHOULD, KIND_NOTE, KIND_SKIP, KIND_OK };
	for (int level = 0; level < PROBE_LEVELS; level++) {
		const uint64_t *counts = s->counts[level];
		totals[level] = counts[PROBE_OK] + counts[PROBE_WARN] + counts[PROBE_FAIL];
		by_kind[level == PROBE_MUST ? KIND_MUST : KIND_SHOULD] += counts[PROBE_FAIL];
		by_kind[KIND_OK] += counts[PROBE_OK];
		by_kind[KIND_NOTE] += counts[PROBE_WARN];
		by_kind[KIND_SKIP] += counts[PROBE_SKIP];
	}
	json_line_array(page, "counts");
	for (size_t i = 0; i < SERIES_KINDS; i++) {
		unsigned long long number = by_kind[order[i]];
		LOCAL_BUFFER words = BUFFER_INIT;
		if (order[i] == KIND_MUST)
			buffer_printf(&words, "%llu of %llu musts failed", number,
			              (unsigned long long)totals[PROBE_MUST]);
		else if (order[i] == KIND_SHOULD)
			buffer_printf(&words, "%llu of %llu shoulds failed", number,
			              (unsigned long long)totals[PROBE_SHOULD]);
		else
			buffer_printf(&words, "%llu %s", number, kinds[order[i]][1]);
		if (number == 0 && order[i] != KIND_OK)
			continue;
		report_append_count(page, kinds[order[i]][0], buffer_text(&words), number);
	}
	json_line_array_end(page);
}

/* The musts that failed, each reason of a group once. */
static void append_fixes(struct buffer *page, const struct probe_plan *plan)
{
	const struct probe_check *listed[FIXES_MOST];
	size_t count = 0;
	json_line_array(page, "fix");
	for (size_t i = 0; i < plan->count && count < FIXES_MOST; i++) {
		const struct probe_check *check = &plan->checks[i];
		bool again = !check->chosen || !check->result.ended || kind_of(check) != KIND_MUST;
		for (size_t k = 0; k < count && !again; k++)
			again = listed[k]->row->group == check->row->group &&
			        strcmp(listed[k]->result.reason, check->result.reason) == 0;
		if (again)
			continue;
		listed[count++] = check;
		json_line_element(page, check->id);
	}
	json_line_array_end(page);
}

void test_page_end(struct test_run *run, const struct probe_summary *s, const char *level, double seconds)
{
	struct buffer *page = report_files_page(&run->reports);
	if (!page)
		return;
	json_line_text(page, "subject", buffer_text(&run->route.masked_url));
	json_line_decimal(page, "seconds", seconds);
	json_line_text(page, "notice", "payloads of this run are made up");
	json_line_text(page, "of", "group");
	json_line_text(page, "unit", "checks");
	json_line_text(page, "list", "checks");
	json_line_bool(page, "plotsFirst", false);
	append_counts(page, s);
	json_line_array(page, "lines");
	/* The verdict's line would repeat what is to be fixed first. */
	unsigned lines = s->counts[PROBE_MUST][PROBE_FAIL] > 0 ? TEST_SUMMARY_LINES - 1 : TEST_SUMMARY_LINES;
	for (unsigned i = 0; i < lines; i++) {
		LOCAL_BUFFER line = BUFFER_INIT;
		test_append_summary(&line, run, s, i);
		if (line.length > 0)
			json_line_element(page, buffer_text(&line));
	}
	json_line_array_end(page);
	append_fixes(page, &run->checks);
	json_line_array(page, "facts");
	append_fact(page, "tested by", "credhook " CREDHOOK_VERSION);
	append_fact(page, "level", level);
	append_fact(page, "test data", s->mark);
	json_line_array_end(page);
	series_append(run->series, kinds, page);
}
