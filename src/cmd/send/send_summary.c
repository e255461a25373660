#include "base/clock.h"
#include "base/file.h"
#include "base/shell_text.h"
#include "base/utf8.h"
#include "cmd/send/send.h"
#include "cmd/words/again.h"
#include "cmd/words/counters.h"
#include "json/json_line.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MANY 100 /* responses: fewer can be seen at a glance, and have no tail */

static const struct {
	const char *name;
	double percent;
} percentiles[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 } };
#define PERCENTILES (sizeof percentiles / sizeof percentiles[0])

/* In milliseconds; null where nothing was measured. */
static void append_json_latency(struct buffer *out, const char *key, const struct latency *latency)
{
	double unit = latency->count > 0 ? 1e6 : (double)NAN;
	json_line_object(out, key);
	for (size_t i = 0; i < PERCENTILES; i++)
		json_line_decimal(out, percentiles[i].name,
		                  (double)latency_percentile(latency, percentiles[i].percent) / unit);
	json_line_decimal(out, "max", (double)latency->max_ns / unit);
	json_line_decimal(out, "mean", (double)latency_mean(latency) / unit);
	json_line_end(out);
}

#define AT(counter) offsetof(struct delivery_counts, counter)
#define ROWS(rows)  rows, sizeof(rows) / sizeof(rows)[0]

static const struct counter_row counters[] = {
	{ "accepted", NULL, AT(outcomes[OUTCOME_ACCEPTED]) },
	{ "rejected", NULL, AT(outcomes[OUTCOME_REJECTED]) },
	{ "failed", "not sent", AT(outcomes[OUTCOME_FAILED]) },
	{ "unknown", "without a full response", AT(outcomes[OUTCOME_UNKNOWN]) },
	{ "late", NULL, AT(late) },
	{ "attempts", NULL, AT(attempts) },
};
/* Where there was something to compare with. */
static const struct counter_row comparison[] = {
	{ "compared", NULL, AT(compared) },
	{ "differing", NULL, AT(differing) },
};

/* As members, or with a sign for "times" as ", 3 x 500". */
static void append_statuses(struct buffer *out, const struct delivery_counts *c, const char *times)
{
	for (int i = 100; i < 600; i++) {
		char name[8];
		snprintf(name, sizeof name, "%d", i);
		if (c->statuses[i] > 0 && times)
			buffer_printf(out, ", %s %s %s", COUNT_TEXT(c->statuses[i]), times, name);
		else if (c->statuses[i] > 0)
			json_line_number(out, name, (int64_t)c->statuses[i]);
	}
}

static double seconds_of(const struct delivery_counts *c)
{
	return (double)(c->ended_ns - c->started_ns) / 1e9;
}

static double rate_of(const struct delivery_counts *c)
{
	double seconds = seconds_of(c);
	return seconds > 0 ? (double)c->attempts / seconds : 0;
}

static void report_summary_as_json(struct context *context, const struct send_causes *causes,
                                   const struct delivery_counts *c)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	send_causes_append_json(causes, &out);
	json_line_begin_type(&out, "summary");
	json_line_number(&out, "deliveries", (int64_t)counts_total(c));
	counters_append_json(&out, ROWS(counters), c);
	if (c->compared > 0)
		counters_append_json(&out, ROWS(comparison), c);
	json_line_object(&out, "statuses");
	append_statuses(&out, c, NULL);
	json_line_end(&out);
	json_line_number(&out, "bytes", (int64_t)c->bytes);
	json_line_decimal(&out, "seconds", seconds_of(c));
	json_line_decimal(&out, "rate", rate_of(c));
	append_json_latency(&out, "latency", &c->latency);
	if (c->delay.count > 0) {
		append_json_latency(&out, "latency_from_due_ms", &c->from_due);
		append_json_latency(&out, "start_delay_ms", &c->delay);
	}
	int64_t from, to;
	json_line_array(&out, "histogram");
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t in_bucket = latency_bucket(&c->latency, i, &from, &to);
		if (in_bucket == 0)
			continue;
		json_line_begin(&out);
		json_line_decimal(&out, "below_ms", (double)to / 1e6);
		json_line_number(&out, "count", (int64_t)in_bucket);
		json_line_end(&out);
	}
	json_line_array_end(&out);
	json_line_bool(&out, "interrupted", c->interrupted);
	json_line_bool(&out, "gave_up", c->gave_up);
	json_line_finish(&out);
	terminal_write_buffer(context->terminal, &out);
	terminal_flush(context->terminal);
}

static void append_latency(struct buffer *out, const struct latency *latency)
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		double beyond = (double)latency->count * (100 - percentiles[i].percent) / 100;
		if (percentiles[i].percent > 50 && (latency->count < MANY || beyond < 1))
			continue;
		buffer_printf(out, "%s %s, ", percentiles[i].name,
		              DURATION_TEXT(latency_percentile(latency, percentiles[i].percent)));
	}
	buffer_printf(out, "max %s", DURATION_TEXT(latency->max_ns));
}

static void append_counts(struct buffer *out, const struct send_run *run, const struct delivery_counts *c)
{
	uint64_t total = counts_total(c), failures = counts_failures(c);
	bool expects = run->options->expect_status.text || run->options->compare.given;
	buffer_append_text(out, c->interrupted ? "interrupted: " : c->gave_up ? "gave up: " : "");
	if (total == 0) {
		buffer_append_text(out, "no deliveries");
		return;
	}
	buffer_printf(out, "%s %s", COUNT_TEXT(total - failures), expects ? "expected" : "accepted");
	if (failures > 0)
		buffer_printf(out, ", %s %s of %s", COUNT_TEXT(failures), expects ? "unexpected" : "not accepted",
		              COUNT_TEXT(total));
	LOCAL_BUFFER list = BUFFER_FOR(out);
	counters_append_words(&list, ROWS(counters), c);
	if (list.length > 0)
		buffer_printf(out, " (%s)", buffer_text(&list));
	buffer_printf(out, " in %s", DURATION_TEXT(c->ended_ns - c->started_ns));
	if (c->attempts > total)
		buffer_printf(out, ", %s attempts", COUNT_TEXT(c->attempts));
}

static void append_pace(struct buffer *out, const struct send_run *run, const struct delivery_counts *c, bool utf8)
{
	size_t before = out->length;
	progress_append_rate(out, rate_of(c), rate_of(c) < 100);
	buffer_printf(out, "%s%.1f kB", out->length > before ? ", " : "", (double)c->bytes / 1e3);
	append_statuses(out, c, utf8 ? "\u00d7" : "x");
	if (c->compared > 0)
		buffer_printf(out, "; %s of %s got a different status than %s", COUNT_TEXT(c->differing),
		              COUNT_TEXT(c->compared),
		              run->options->compare.results ? "in the earlier run" : "recorded");
}

void send_summary_append_lines(struct buffer *out, const struct send_run *run, const struct delivery_counts *c)
{
	append_counts(out, run, c);
	buffer_append_byte(out, '\n');
	if (c->latency.count > 1) {
		buffer_append_text(out, "latency: ");
		append_latency(out, &c->latency);
	}
	buffer_append_byte(out, '\n');
	if (c->attempts > 0)
		append_pace(out, run, c, true);
	buffer_append_byte(out, '\n');
}

/* What changes what is sent, to whom, or what is right. */
static void append_altering(struct buffer *out, const struct option_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].option && words->items[i].option->alters)
			again_append_option(out, NULL, &words->items[i]);
}

/* "credhook replay F --failed-only R --to WHERE", or --resume. False: a file cannot be read again, or not by replay, or
 * its name cannot be shown. */
static bool append_replay(struct buffer *out, const struct send_run *run, const char *option, const char *results)
{
	const struct text_list *files = run->files;
	buffer_append_text(out, "credhook replay");
	for (size_t i = 0; i < files->count; i++) {
		const char *input = files->items[i];
		LOCAL_BUFFER shown = BUFFER_FOR(out);
		utf8_append_safe(&shown, input, strlen(input));
		if (!file_can_be_read_again(input) || strcmp(buffer_text(&shown), input) != 0)
			return false;
		buffer_append_byte(out, ' ');
		shell_append_file(out, input);
	}
	buffer_printf(out, " %s ", option);
	shell_append_file(out, results);
	if (run->options->route.to)
		route_append_to(run->options->route.to, out);
	append_altering(out, run->context->words);
	return files->count > 0 && !run->any_bytes;
}

static bool is_of_group(const struct option_group *group, const struct option *option)
{
	return option >= group->options && option < group->options + group->count;
}

/* " with --break ...": what payloads are made with, beside their seed. */
static void append_made_with(struct buffer *out, const struct option_words *words)
{
	LOCAL_BUFFER options = BUFFER_FOR(out);
	for (size_t i = 0; i < words->count; i++) {
		const struct option *option = words->items[i].option;
		bool makes = option &&
		             (is_of_group(&make_option_group, option) || is_of_group(&make_set_option_group, option));
		if (makes && strcmp(option->name, "seed") != 0)
			again_append_option(&options, NULL, &words->items[i]);
	}
	if (options.length > 0)
		buffer_printf(out, " with%s", buffer_text(&options));
}

/* What sends again what was not accepted. */
static void report_retry(const struct send_report *report)
{
	struct terminal *terminal = report->run->context->terminal;
	const char *file = report->run->options->resume ? report->run->options->resume : report->run->options->results;
	const char *results = file && strcmp(file, "-") != 0 ? file : NULL;
	size_t made = report->failed_made_count;
	LOCAL_BUFFER text = BUFFER_FOR(&terminal->lost), kinds = BUFFER_FOR(&terminal->lost);
	LOCAL_BUFFER with = BUFFER_FOR(&terminal->lost);
	if (report->failed_from_files && !results && !report->run->any_bytes)
		terminal_note(terminal, "--results FILE keeps the outcomes for --failed-only");
	else if (report->failed_from_files && results && append_replay(&text, report->run, "--failed-only", results))
		terminal_command(terminal, "retry: %s", buffer_text(&text));
	for (size_t i = 0; i < made && made < catalog_kind_count(); i++)
		buffer_printf(&kinds, "%s%s", i > 0 ? ", " : "", report->failed_made[i]);
	if (made == catalog_kind_count())
		buffer_append_text(&kinds, "all");
	append_made_with(&with, report->run->context->words);
	if (made > 0)
		terminal_note(terminal, "seed %llu%s makes the same payloads: %s",
		              (unsigned long long)report->run->maker->seed, buffer_text(&with), buffer_text(&kinds));
}

static void print_summary(const struct send_report *report, const struct delivery_counts *c)
{
	struct context *context = report->run->context;
	struct terminal *terminal = context->terminal;
	const struct send_reasons *reasons = &report->reasons;
	bool many = c->latency.count >= MANY, json = context->global->json;
	LOCAL_BUFFER sum = BUFFER_FOR(&terminal->lost), latency = BUFFER_FOR(&sum), pace = BUFFER_FOR(&sum);
	LOCAL_BUFFER page = BUFFER_FOR(&terminal->lost);
	if (json)
		report_summary_as_json(context, &report->causes, c);
	send_reasons_print_unsent(reasons, terminal);
	terminal_flush(terminal);
	append_counts(&sum, report->run, c);
	if (c->latency.count > 1)
		append_latency(&latency, &c->latency);
	if (latency.length > 0 && !many)
		buffer_printf(&sum, "   latency %s", buffer_text(&latency));
	/* The line of what kept everything from being sent is the sum, too. */
	if (reasons->count != 1 || reasons->items[0].without_line != counts_total(c) || c->interrupted || c->gave_up)
		terminal_note(terminal, "%s", buffer_text(&sum));
	if (many)
		terminal_note(terminal, "latency: %s", buffer_text(&latency));
	append_pace(&pace, report->run, c, terminal->utf8);
	if ((many || c->compared > 0) && !json)
		terminal_note(terminal, "%s", buffer_text(&pace));
	page_responses_append(&page, &report->pages);
	if (page.length > 0)
		terminal_warn(terminal, "%s", buffer_text(&page));
	if (json)
		return;
	send_reasons_print(reasons, &report->causes, terminal);
	report_retry(report);
}

/* What sends the rest. What came by send, replay continues, to the address that it gets. */
static void report_rest(const struct send_run *run)
{
	const struct send_options *o = run->options;
	const char *results = o->resume ? o->resume : o->results;
	struct terminal *t = run->context->terminal;
	LOCAL_BUFFER command = BUFFER_FOR(&t->lost), name = BUFFER_FOR(&t->lost);
	shell_append_quoted_file(&name, results);
	terminal_announce(t,
	                  run->maker ? "not all was sent: replay with --resume %s and the same --to continues with the "
	                               "files"
	                             : "not all was sent: the same command with --resume %s continues",
	                  buffer_text(&name));
	if (run->maker && append_replay(&command, run, "--resume", results))
		terminal_command(t, "continue: %s", buffer_text(&command));
}

void send_summary_end(const struct send_report *report, const struct delivery_result *result, const struct error *err)
{
	const struct send_run *run = report->run;
	const struct send_options *o = run->options;
	const struct delivery_counts *c = &result->counts;
	struct terminal *t = run->context->terminal;
	terminal_flush(t);
	if (c->ended_ns == 0)
		return;
	print_summary(report, c);
	if (o->compare.given && !o->compare.results && c->compared == 0 && counts_total(c) > 0)
		terminal_announce(t, "--compare: no record has a status, so there was nothing to compare with");
	if (result->rest && !(err && err->code == EXIT_CODE_USAGE))
		report_rest(run);
	else if (result->unsent && !err && run->total > 0)
		terminal_announce(t, "ended early: %s not sent", COUNT_TEXT(run->total - counts_total(c)));
	else if (result->unsent && !err)
		terminal_announce(t, "ended early: not all was sent%s",
		                  o->results ? "" : "; a replay with --results FILE can be continued");
}
