/* The end of the report, and why nothing was graded. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/probe/probe.h"

static void append_level(struct buffer *out, const struct probe_summary *s, enum probe_level level)
{
	const uint64_t *counts = s->counts[level];
	uint64_t total = counts[PROBE_OK] + counts[PROBE_WARN] + counts[PROBE_FAIL];
	if (total == 0)
		return;
	buffer_printf(out, "%s%s ", out->length > 0 ? ", " : "", probe_level_names[level]);
	buffer_printf(out, "%llu of %llu", (unsigned long long)counts[PROBE_OK], (unsigned long long)total);
}

static void append_invalid(struct buffer *out, const struct probe_summary *s)
{
	uint64_t total = s->invalid[0] + s->invalid[1] + s->invalid[2];
	if (total == 0)
		return;
	buffer_printf(out, "invalid payloads: accepted %llu of %llu, refused %llu", (unsigned long long)s->invalid[0],
	              (unsigned long long)total, (unsigned long long)s->invalid[1]);
	if (s->invalid[2] > 0)
		buffer_printf(out, ", neither %llu", (unsigned long long)s->invalid[2]);
}

static void append_latency(struct buffer *out, const struct probe_summary *s)
{
	char median[CLOCK_DURATION_SIZE], slowest[CLOCK_DURATION_SIZE], name[CATALOG_KIND_NAME_SIZE];
	if (!s->slowest.event)
		return;
	clock_format_duration(s->median_ns, median);
	clock_format_duration(s->slowest_ns, slowest);
	catalog_kind_name(s->slowest, name);
	buffer_printf(out, "latency: p50 %s, slowest %s %s", median, name, slowest);
}

static void append_verdict(struct buffer *out, const struct probe_summary *s)
{
	uint64_t musts = s->counts[PROBE_MUST][PROBE_FAIL], shoulds = s->counts[PROBE_SHOULD][PROBE_FAIL];
	if (s->stop == PROBE_INTERRUPTED)
		buffer_append_text(out, "interrupted: the other checks were not made; ");
	if (musts > 0)
		buffer_printf(out, "%llu 'must' check%s failed: real deliveries would be lost or repeated",
		              (unsigned long long)musts, musts == 1 ? "" : "s");
	else if (shoulds > 0)
		buffer_printf(out, "no 'must' check failed, but %llu 'should' check%s did", (unsigned long long)shoulds,
		              shoulds == 1 ? "" : "s");
	else
		buffer_append_text(out, "no check failed");
}

static void append_levels(struct buffer *out, const struct probe_summary *s)
{
	for (int level = 0; level < PROBE_LEVELS; level++)
		append_level(out, s, (enum probe_level)level);
}

void test_report_end(struct test_run *run, const struct probe_summary *s)
{
	static void (*const lines[])(struct buffer *, const struct probe_summary *) = {
		append_levels,
		append_invalid,
		append_latency,
		append_verdict,
	};
	struct terminal *t = run->context->terminal;
	test_report_flush(run);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		LOCAL_BUFFER line = BUFFER_INIT, out = BUFFER_INIT;
		lines[i](&line, s);
		if (line.length == 0)
			continue;
		fit_append_wrapped(&out, buffer_text(&line), 0, 2, test_report_width());
		buffer_append_byte(&out, '\n');
		terminal_write(t, buffer_text(&out), out.length);
	}
	terminal_flush(t);
	if (s->common_field)
		terminal_note(t, "only events with details.%s were refused: --set details.%s=VALUE gives one it knows",
		              s->common_field, s->common_field);
	terminal_note(t, "test data of this run contains %s", s->mark);
}

static int hint_way_in(const struct probe_summary *s, struct error *err)
{
	if (s->status == 401 || s->status == 403 || s->status == 407)
		return error_hint(err, "authentication required? -H @FILE adds a header");
	if (s->status == 404 || s->status == 405)
		return error_hint(err, "is the path of --to right?");
	if (s->common_field)
		return error_hint(err, "--set details.%s=VALUE gives a value that the listener knows", s->common_field);
	return error_hint(err, "does it know only some values? --set details.appKey=VALUE sets one");
}

int test_refuse(const struct test_run *run, const struct probe_summary *s, struct error *err)
{
	const char *url = buffer_text(&run->route.masked_url);
	if (s->stop == PROBE_UNREACHABLE) {
		error_set(err, EXIT_CODE_UNDELIVERED, "no response from '%s', so nothing was graded: %s", url,
		          s->message[0] ? s->message : "not sent");
		return s->hint ? error_hint(err, "%s", s->hint) : -1;
	}
	error_set(err, EXIT_CODE_FAILED, "'%s' responds %d to valid payloads, so nothing was graded%s%s", url,
	          s->status, s->message[0] ? ": " : "", s->message);
	return hint_way_in(s, err);
}
