/* The end of a run in words, numbers and a drawing. */
#include "base/clock.h"
#include "cmd/delivery_report.h"
#include "cmd/shell_text.h"
#include "json/json_line.h"
#include "ui/histogram.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MAX   32
#define MANY       100 /* responses: fewer can be seen at a glance, and have no tail */
#define KEEPS_PACE 50  /* percent of the starts */

static const struct {
	const char *name;
	double percent;
} percentiles[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 } };
#define PERCENTILES (sizeof percentiles / sizeof percentiles[0])

/* In milliseconds; null where nothing was measured. */
static void append_json_duration(struct buffer *out, const char *key, const struct latency *latency, int64_t ns)
{
	if (latency->count > 0)
		json_line_decimal(out, key, (double)ns / 1e6);
	else
		json_line_null(out, key);
}

static void append_json_latency(struct buffer *out, const char *key, const struct latency *latency)
{
	json_line_object(out, key);
	for (size_t i = 0; i < PERCENTILES; i++)
		append_json_duration(out, percentiles[i].name, latency,
		                     latency_percentile(latency, percentiles[i].percent));
	append_json_duration(out, "max", latency, latency->max_ns);
	append_json_duration(out, "mean", latency, latency_mean(latency));
	json_line_end(out);
}

/* How many rows of 1, 2, 5, 10, 20, 50 us ... to draw, without the empty ones at both ends. */
static size_t make_rows(const struct latency *latency, struct histogram_row rows[ROWS_MAX])
{
	static const int64_t steps[] = { 1, 2, 5 };
	size_t count = 0;
	unsigned index = 0;
	int64_t from, to, unit = CLOCK_NS_PER_MS / 1000;
	uint64_t seen = 0;
	for (size_t step = 0; count < ROWS_MAX && seen < latency->count; step++) {
		int64_t bound = steps[step % 3] * unit;
		struct histogram_row row = { .count = 0 };
		unit *= step % 3 == 2 ? 10 : 1;
		for (; index < LATENCY_BUCKETS; index++) {
			uint64_t in_bucket = latency_bucket(latency, index, &from, &to);
			if (from >= bound)
				break;
			row.count += in_bucket;
		}
		seen += row.count;
		if (count == 0 && row.count == 0)
			continue;
		char duration[CLOCK_DURATION_SIZE];
		clock_format_duration(bound, duration);
		snprintf(row.label, sizeof row.label, "< %s", duration);
		rows[count++] = row;
	}
	return count;
}

static void append_json_histogram(struct buffer *out, const struct latency *latency)
{
	int64_t from, to;
	json_line_array(out, "histogram");
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t in_bucket = latency_bucket(latency, i, &from, &to);
		if (in_bucket == 0)
			continue;
		json_line_begin(out);
		json_line_decimal(out, "below_ms", (double)to / 1e6);
		json_line_number(out, "count", (int64_t)in_bucket);
		json_line_end(out);
	}
	json_line_array_end(out);
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

static void append_json_counts(struct buffer *out, const struct delivery_counts *c)
{
	json_line_number(out, "deliveries", (int64_t)counts_total(c));
	for (int i = 0; i < OUTCOME_COUNT; i++)
		json_line_number(out, outcome_names[i], (int64_t)c->outcomes[i]);
	json_line_number(out, "late", (int64_t)c->late);
	json_line_number(out, "attempts", (int64_t)c->attempts);
	if (c->compared > 0) {
		json_line_number(out, "compared", (int64_t)c->compared);
		json_line_number(out, "differing", (int64_t)c->differing);
	}
	json_line_object(out, "statuses");
	for (int i = 100; i < 600; i++) {
		char status[8] = { (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0' };
		if (c->statuses[i] > 0)
			json_line_number(out, status, (int64_t)c->statuses[i]);
	}
	json_line_end(out);
}

static void report_summary_as_json(struct context *context, const struct delivery_counts *c, const struct buffer *retry)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	json_line_begin_type(&out, "summary");
	append_json_counts(&out, c);
	json_line_number(&out, "bytes", (int64_t)c->bytes);
	json_line_decimal(&out, "seconds", seconds_of(c));
	json_line_decimal(&out, "rate", rate_of(c));
	append_json_latency(&out, "latency", &c->latency);
	if (c->delay.count > 0) {
		append_json_latency(&out, "latency_from_due_ms", &c->from_due);
		append_json_latency(&out, "start_delay_ms", &c->delay);
	}
	append_json_histogram(&out, &c->latency);
	json_line_bool(&out, "interrupted", c->interrupted);
	json_line_bool(&out, "gave_up", c->gave_up);
	if (retry->length > 0)
		json_line_bytes(&out, "retry", buffer_text(retry), retry->length);
	json_line_finish(&out);
	terminal_write(context->terminal, buffer_text(&out), out.length);
	terminal_flush(context->terminal);
}

static void append_latency(struct buffer *out, const struct latency *latency)
{
	char duration[CLOCK_DURATION_SIZE];
	for (size_t i = 0; i < PERCENTILES; i++) {
		double beyond = (double)latency->count * (100 - percentiles[i].percent) / 100;
		if (percentiles[i].percent > 50 && (latency->count < MANY || beyond < 1))
			continue;
		clock_format_duration(latency_percentile(latency, percentiles[i].percent), duration);
		buffer_printf(out, "%s %s, ", percentiles[i].name, duration);
	}
	clock_format_duration(latency->max_ns, duration);
	buffer_printf(out, "max %s", duration);
}

/* Of those not accepted, what never reached the destination, and what may have. */
static void append_no_response(struct buffer *out, const struct delivery_counts *c)
{
	uint64_t unsent = c->outcomes[OUTCOME_FAILED], unknown = c->outcomes[OUTCOME_UNKNOWN];
	if (unsent > 0)
		buffer_printf(out, " (%llu not sent", (unsigned long long)unsent);
	if (unknown > 0)
		buffer_printf(out, "%s%llu without a full response", unsent > 0 ? ", " : " (",
		              (unsigned long long)unknown);
	if (unsent + unknown > 0)
		buffer_append_byte(out, ')');
}

static void append_counts(struct buffer *out, const struct delivery_plan *plan, const struct delivery_counts *c)
{
	char duration[CLOCK_DURATION_SIZE];
	uint64_t total = counts_total(c), failures = counts_failures(c);
	bool expects = plan->options->expect_status.text || plan->options->compare;
	buffer_append_text(out, c->interrupted ? "interrupted: " : c->gave_up ? "gave up: " : "");
	if (total == 0) {
		buffer_append_text(out, "no deliveries");
		return;
	}
	buffer_printf(out, "%llu %s", (unsigned long long)(total - failures), expects ? "expected" : "accepted");
	if (failures > 0)
		buffer_printf(out, ", %llu %s of %llu", (unsigned long long)failures,
		              expects ? "unexpected" : "not accepted", (unsigned long long)total);
	append_no_response(out, c);
	clock_format_duration(c->ended_ns - c->started_ns, duration);
	buffer_printf(out, " in %s", duration);
	if (c->attempts > total)
		buffer_printf(out, ", %llu attempts", (unsigned long long)c->attempts);
}

static void append_bytes(struct buffer *out, uint64_t bytes)
{
	if (bytes < 1000)
		buffer_printf(out, "%llu bytes", (unsigned long long)bytes);
	else if (bytes < 1000000)
		buffer_printf(out, "%.1f kB", (double)bytes / 1e3);
	else
		buffer_printf(out, "%.1f MB", (double)bytes / 1e6);
}

static void append_pace(struct buffer *out, const struct delivery_counts *c)
{
	buffer_printf(out, "%.*f/s, ", rate_of(c) < 100 ? 1 : 0, rate_of(c));
	append_bytes(out, c->bytes);
	for (int i = 100; i < 600; i++)
		if (c->statuses[i] > 0)
			buffer_printf(out, ", %llu x %d", (unsigned long long)c->statuses[i], i);
	if (c->compared > 0)
		buffer_printf(out, "; %llu of %llu got a different status than recorded",
		              (unsigned long long)c->differing, (unsigned long long)c->compared);
}

/* The share of starts no later than 1 ms after their time. */
static double punctual_percent(const struct latency *delay)
{
	int64_t from, to;
	uint64_t within = 0;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t in_bucket = latency_bucket(delay, i, &from, &to);
		if (from >= CLOCK_NS_PER_MS)
			break;
		within += in_bucket;
	}
	return 100.0 * (double)within / (double)delay->count;
}

static void note_latency(struct terminal *terminal, const char *what, const struct latency *latency)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	append_latency(&text, latency);
	delivery_note(terminal, "%s: %s", what, buffer_text(&text));
}

static void report_schedule(struct terminal *terminal, const struct delivery_counts *c)
{
	double punctual = punctual_percent(&c->delay);
	delivery_note(terminal, "%.1f %% started within 1 ms of the scheduled time", punctual);
	note_latency(terminal, "start delay", &c->delay);
	if (c->from_due.count > 0)
		note_latency(terminal, "latency from the scheduled time", &c->from_due);
	if (punctual < KEEPS_PACE)
		delivery_note(terminal, "hint: a higher --concurrency keeps pace with slow responses");
}

static void report_histogram(struct terminal *terminal, const struct latency *latency)
{
	struct histogram_row rows[ROWS_MAX];
	LOCAL_BUFFER text = BUFFER_INIT;
	histogram_append(&text, rows, make_rows(latency, rows), terminal_width());
	if (!terminal->quiet)
		terminal_lines(terminal, buffer_text(&text));
}

/* How fast it was; of a few deliveries the line of the sum says it. */
static void report_speed(struct context *context, const struct delivery_counts *c)
{
	struct terminal *terminal = context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT;
	bool many = c->latency.count >= MANY;
	if (many)
		note_latency(terminal, "latency", &c->latency);
	append_pace(&text, c);
	if ((many || c->compared > 0 || c->delay.count > 0) && !context->global->json)
		delivery_note(terminal, "%s", buffer_text(&text));
	if (c->delay.count > 0 && !context->global->json)
		report_schedule(terminal, c);
	if (many && !context->global->json)
		report_histogram(terminal, &c->latency);
}

static void report_sum(const struct delivery_report *report, const struct delivery_counts *c)
{
	struct terminal *terminal = report->context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT, latency = BUFFER_INIT;
	bool below = false;
	append_counts(&text, report->plan, c);
	if (c->latency.count > 1 && c->latency.count < MANY)
		append_latency(&latency, &c->latency);
	if (latency.length > 0 && text.length + latency.length + strlen("   latency ") <= (size_t)terminal_width())
		buffer_printf(&text, "   latency %s", buffer_text(&latency));
	else if (latency.length > 0)
		below = true;
	delivery_note(terminal, "%s", buffer_text(&text));
	if (below)
		delivery_note(terminal, "latency: %s", buffer_text(&latency));
}

static void report_secrets(struct terminal *terminal, const struct shell_secrets *secrets)
{
	if (secrets->any)
		delivery_note(terminal, "  before that, set each $NAME in it to the URL or secret that is not shown");
}

static void report_retry(const struct context *context, const struct buffer *retry, bool is_exact,
                         const struct shell_secrets *secrets)
{
	struct terminal *terminal = context->terminal;
	if (retry->length == 0)
		return;
	if (!is_exact && strcmp(context->command, "replay") == 0) {
		delivery_note(terminal, "hint: run it with --results FILE; then --failed-only FILE repeats only these");
		return;
	}
	terminal_note(terminal, "%s: %s", is_exact ? "retry" : "repeat all", buffer_text(retry));
	report_secrets(terminal, secrets);
}

void report_summary(const struct delivery_report *report, const struct delivery_counts *c)
{
	struct context *context = report->context;
	LOCAL_BUFFER retry = BUFFER_INIT;
	const struct buffer none = BUFFER_INIT;
	struct shell_secrets secrets = { 0 };
	bool is_all = report->total > 0 && counts_failures(c) == report->total;
	bool is_exact = retry_line_append(&retry, &report->retry, is_all, context, report->plan, &secrets);
	if (context->global->json)
		report_summary_as_json(context, c, is_exact ? &retry : &none);
	terminal_flush(context->terminal);
	report_sum(report, c);
	report_speed(context, c);
	if (!context->global->json) {
		delivery_reasons_print(&report->reasons, context->terminal);
		report_retry(context, &retry, is_exact, &secrets);
	}
	buffer_release(&secrets.fresh);
}

void report_rest(struct context *context, const struct delivery_plan *plan, bool of_earlier)
{
	const struct delivery_options *o = plan->options;
	const char *file = o->resume ? o->resume : o->results;
	LOCAL_BUFFER command = BUFFER_INIT;
	struct shell_secrets secrets = { 0 };
	if (of_earlier) {
		terminal_announce(context->terminal, "the earlier run is unfinished: --resume '%s' continues it", file);
	} else if (o->failed_only && strcmp(o->failed_only, o->results) == 0) {
		terminal_announce(context->terminal, "not all was sent: the same command continues");
	} else if (o->failed_only) {
		terminal_announce(context->terminal, "not all was sent: '%s' shows what was", file);
	} else if (strcmp(context->command, "replay") != 0) {
		terminal_announce(context->terminal,
		                  "not all was sent: 'credhook replay FILE... --resume %s' continues with the files",
		                  file);
	} else {
		retry_line_append_resume(&command, context, plan, file, &secrets);
		terminal_announce(context->terminal, "not all was sent");
		terminal_announce(context->terminal, "to continue: %s", buffer_text(&command));
		report_secrets(context->terminal, &secrets);
	}
	buffer_release(&secrets.fresh);
}

void report_unsent(const struct delivery_report *report, const struct delivery_counts *c)
{
	uint64_t rest = report->total - counts_total(c);
	if (report->total > 0)
		terminal_note(report->context->terminal, "ended early: %llu not sent", (unsigned long long)rest);
	else
		terminal_note(report->context->terminal, "ended early: not all was sent%s",
		              report->plan->options->results ? "" : "; a replay with --results FILE can be continued");
}
