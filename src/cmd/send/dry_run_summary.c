#include "cmd/send/dry_run_summary.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "json/json_line.h"

#include <stdio.h>
#include <string.h>

static void add_host(struct dry_run_summary *s, const struct capture_record *record)
{
	const struct text *host = message_header(&record->request, "Host");
	if (!host || host->length == 0)
		return;
	char name[sizeof s->hosts[0].name];
	snprintf(name, sizeof name, "%.*s", (int)(host->length < sizeof name ? host->length : sizeof name - 1),
	         host->text);
	size_t i = 0;
	while (i < s->host_count && strcmp(s->hosts[i].name, name) != 0)
		i++;
	if (i == SUMMARY_HOSTS) {
		s->other_hosts++;
		return;
	}
	if (i == s->host_count)
		memcpy(s->hosts[s->host_count++].name, name, sizeof name);
	s->hosts[i].count++;
}

static void add_time(struct dry_run_summary *s, int64_t us)
{
	if (us == 0) {
		s->without_time++;
		return;
	}
	if (s->previous_us != 0 && us < s->previous_us)
		s->out_of_order++;
	s->previous_us = us;
	if (s->first_us == 0 || us < s->first_us)
		s->first_us = us;
	if (us > s->last_us)
		s->last_us = us;
}

void dry_run_summary_add(struct dry_run_summary *s, const struct capture_record *record, const struct job *job)
{
	char name[CATALOG_KIND_NAME_SIZE];
	s->count++;
	s->bytes += job->body.length;
	add_time(s, record->received_us);
	add_host(s, record);
	if (job->due_ns > s->pace_ns)
		s->pace_ns = job->due_ns;
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (strcmp(name, job->name) == 0) {
			s->kinds[i]++;
			return;
		}
	}
	s->unknown++;
}

/* How long it would take by the schedule; -1: as long as the responses take. */
static int64_t estimate(const struct dry_run_summary *s, const struct replay_args *args)
{
	double by_rate = args->delivery.rate.interval_ns * (double)(s->count > 0 ? s->count - 1 : 0);
	if (args->delivery.rate.interval_ns <= 0 && args->speed.factor <= 0)
		return -1;
	return by_rate > (double)s->pace_ns ? (int64_t)by_rate : s->pace_ns;
}

static void append_as_json(struct buffer *out, const struct dry_run_summary *s, int64_t estimated, const char *url,
                           uint64_t bad)
{
	char text[CLOCK_STAMP_SIZE], name[CATALOG_KIND_NAME_SIZE];
	json_line_begin(out);
	json_line_text(out, "type", "dry-run");
	json_line_text(out, "to", url);
	json_line_number(out, "records", (int64_t)s->count);
	json_line_number(out, "bytes", (int64_t)s->bytes);
	json_line_number(out, "malformed", (int64_t)bad);
	json_line_number(out, "out_of_order", (int64_t)s->out_of_order);
	json_line_key(out, "events");
	json_line_begin(out);
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (s->kinds[i] > 0)
			json_line_number(out, name, (int64_t)s->kinds[i]);
	}
	json_line_end(out);
	json_line_number(out, "unknown_events", (int64_t)s->unknown);
	json_line_key(out, "hosts");
	json_line_begin(out);
	for (size_t i = 0; i < s->host_count; i++)
		json_line_number(out, s->hosts[i].name, (int64_t)s->hosts[i].count);
	json_line_end(out);
	clock_format_stamp(s->first_us, text);
	json_line_text(out, "first", s->first_us ? text : NULL);
	clock_format_stamp(s->last_us, text);
	json_line_text(out, "last", s->last_us ? text : NULL);
	json_line_decimal(out, "span_seconds", (double)(s->last_us - s->first_us) / 1e6);
	if (estimated >= 0)
		json_line_decimal(out, "estimated_seconds", (double)estimated / 1e9);
	else
		json_line_null(out, "estimated_seconds");
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static void append_events(struct buffer *out, const struct dry_run_summary *s)
{
	char name[CATALOG_KIND_NAME_SIZE];
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (s->kinds[i] > 0)
			buffer_printf(out, "  %10llu  %s\n", (unsigned long long)s->kinds[i], name);
	}
	if (s->unknown > 0)
		buffer_printf(out, "  %10llu  (unknown)\n", (unsigned long long)s->unknown);
	for (size_t i = 0; i < s->host_count; i++) {
		buffer_printf(out, "  %10llu  received as host ", (unsigned long long)s->hosts[i].count);
		utf8_append_safe(out, s->hosts[i].name, strlen(s->hosts[i].name));
		buffer_append_byte(out, '\n');
	}
	if (s->other_hosts > 0)
		buffer_printf(out, "  %10llu  received as other hosts\n", (unsigned long long)s->other_hosts);
}

static void append_as_text(struct buffer *out, const struct dry_run_summary *s, int64_t estimated, const char *url,
                           uint64_t bad)
{
	char first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE], duration[CLOCK_DURATION_SIZE];
	buffer_printf(out, "would send %llu record%s, %llu bytes, to %s\n", (unsigned long long)s->count,
	              s->count == 1 ? "" : "s", (unsigned long long)s->bytes, url);
	append_events(out, s);
	if (bad > 0)
		buffer_printf(out, "malformed, skipped: %llu\n", (unsigned long long)bad);
	if (s->out_of_order > 0)
		buffer_printf(out, "received out of order: %llu\n", (unsigned long long)s->out_of_order);
	if (s->first_us != 0) {
		clock_format_stamp(s->first_us, first);
		clock_format_stamp(s->last_us, last);
		int64_t span_us = s->last_us - s->first_us;
		clock_format_duration(span_us > INT64_MAX / 1000 ? INT64_MAX : span_us * 1000, duration);
		buffer_printf(out, "received from %s to %s: %s\n", first, last, duration);
	}
	if (estimated < 0)
		return;
	clock_format_duration(estimated, duration);
	buffer_printf(out, "estimated time: %s\n", duration);
}

void dry_run_summary_print(struct context *context, const struct dry_run_summary *s, const struct replay_args *args,
                           const char *masked_url, uint64_t bad)
{
	struct buffer out = BUFFER_INIT;
	int64_t estimated = estimate(s, args);
	if (context->global->json)
		append_as_json(&out, s, estimated, masked_url, bad);
	else
		append_as_text(&out, s, estimated, masked_url, bad);
	terminal_write(context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
}
