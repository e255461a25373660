/* The end of the text for people: what the run comes to, what to fix first, and why nothing was graded. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <string.h>

bool probe_reads_number(const struct probe_command *run)
{
	bool reads = false;
	for (size_t i = 0; i < run->checks.count; i++)
		reads |= run->checks.checks[i].chosen && run->checks.checks[i].row->counts;
	return reads && run->args->observe;
}

static void append_verdict(struct buffer *out, const struct probe_command *run, const struct probe_summary *s)
{
	unsigned long long musts = s->counts[PROBE_MUST][GRADE_FAIL], shoulds = s->counts[PROBE_SHOULD][GRADE_FAIL];
	const struct probe_report *text = &run->text;
	static const char unseen[] = "nothing shows whether the listener keeps what it accepts";
	if (s->stop == PROBE_INTERRUPTED)
		buffer_append_text(out, "interrupted: the other checks were not made; ");
	if (musts > 0)
		buffer_printf(out, "%llu must%s failed: real deliveries would be lost. Fix first: %s", musts,
		              musts == 1 ? "" : "s", buffer_text(&text->fix));
	else if (shoulds > 0)
		buffer_printf(out, "no must failed, but %llu should%s did", shoulds, shoulds == 1 ? "" : "s");
	else if (!s->uncounted)
		buffer_append_text(out, "no check failed");
	if (text->fix_count > TEST_FIXES_MOST)
		buffer_printf(out, " and %zu more", text->fix_count - TEST_FIXES_MOST);
	if (s->uncounted)
		buffer_printf(out, "%s%s: %s", musts + shoulds > 0 ? "; " : "", unseen, s->message);
	else if (musts == 0 && s->stop == PROBE_THROUGH && !probe_reads_number(run) &&
	         run->context->operands->count == 0)
		buffer_printf(out, "; %s%s", unseen, run->args->observe ? "" : " (--observe COMMAND looks)");
}

void probe_append_summary(struct buffer *out, const struct probe_command *run, const struct probe_summary *s)
{
	uint64_t invalid = s->invalid[0] + s->invalid[1] + s->invalid[2];
	const char *comma = "";
	for (int level = 0; level < PROBE_LEVELS; level++) {
		const uint64_t *counts = s->counts[level];
		unsigned long long ok = counts[GRADE_OK], total = ok + counts[GRADE_WARN] + counts[GRADE_FAIL];
		if (total == 0)
			continue;
		buffer_printf(out, "%s%s %llu of %llu", comma, probe_level_names[level], ok, total);
		comma = ", ";
	}
	buffer_append_byte(out, '\n');
	if (invalid > 0)
		buffer_printf(out, "invalid payloads: accepted %s of %s, refused %s", COUNT_TEXT(s->invalid[0]),
		              COUNT_TEXT(invalid), COUNT_TEXT(s->invalid[1]));
	if (s->invalid[2] > 0)
		buffer_printf(out, ", neither %s", COUNT_TEXT(s->invalid[2]));
	buffer_append_byte(out, '\n');
	if (s->slowest.event)
		buffer_printf(out, "latency: p50 %s, slowest %s %s", DURATION_TEXT(s->median_ns), KIND_NAME(s->slowest),
		              DURATION_TEXT(s->slowest_ns));
	buffer_append_byte(out, '\n');
	append_verdict(out, run, s);
	buffer_append_byte(out, '\n');
}

/* Commands are not broken: they are copied. */
static void append_repeat(struct probe_command *run, const char *before, const char *id)
{
	const struct probe_args *a = run->args;
	buffer_append_text(&run->text.out, before);
	probe_append_retry(&run->text.out, run, id);
	if (a->route.headers.count > 0 || a->edits.count > 0)
		buffer_append_text(&run->text.out, " (with the same -H and --set)");
	buffer_append_byte(&run->text.out, '\n');
}

/* Several paths stand behind, for PATH. */
static void note_settable(struct terminal *t, const struct probe_summary *s)
{
	bool is_list = strchr(s->settable, ',') != NULL;
	LOCAL_BUFFER refused = BUFFER_FOR(&t->lost);
	if (s->refused.event) {
		buffer_printf(&refused, "%s was", KIND_NAME(s->refused));
	} else {
		buffer_printf(&refused, "events with %s were", s->settable);
	}
	terminal_note(t, "only %s refused: if the listener knows only some values, --set %s=VALUE gives one%s%s",
	              buffer_text(&refused), is_list ? "PATH" : s->settable, is_list ? "; PATH: " : "",
	              is_list ? s->settable : "");
}

void probe_report_end(struct probe_command *run, const struct probe_summary *s)
{
	struct terminal *t = run->context->terminal;
	struct buffer *out = &run->text.out;
	LOCAL_BUFFER lines = BUFFER_FOR(out);
	buffer_fail_if(out, run->text.cells.failed || run->text.fix.failed);
	if (run->text.cells.length > 0)
		buffer_printf(out, "%s\n%s", buffer_text(&run->text.cells),
		              run->text.noted ? "-v shows what is noted or skipped\n" : "");
	probe_append_summary(&lines, run, s);
	for (char *line = lines.data, *end; line && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (end == line || (run->context->global->quiet && end[1] != '\0'))
			continue;
		fit_append_wrapped(out, line, 0, 2, probe_report_width(run));
		buffer_append_byte(out, '\n');
	}
	if (s->stop == PROBE_GONE) {
		buffer_printf(&run->text.out, "stopped at %s: the listener is gone; %zu check%s not run\n", s->last,
		              s->not_run, s->not_run == 1 ? "" : "s");
		append_repeat(run, "its log says why; start it again and run: ", s->last);
	} else if (run->text.repeat && !run->context->global->quiet) {
		append_repeat(run, "repeat one: ", run->text.repeat);
	}
	terminal_write_buffer(t, out);
	terminal_flush(t);
	if (s->settable[0])
		note_settable(t, s);
	if (run->context->global->verbose || s->stop == PROBE_GONE ||
	    s->counts[PROBE_MUST][GRADE_FAIL] + s->counts[PROBE_SHOULD][GRADE_FAIL] > 0)
		terminal_note(t, "test data of this run contains %s", s->run_id);
}

/* What to give it, by the status that all events got. */
static const char *way_in(int status)
{
	switch (status) {
	case 401:
	case 403:
	case 407:
		return "give it what it asks for: -H 'Authorization: ...', or -H @FILE";
	case 404:
	case 405:
		return "is the path of --to right?";
	}
	return status == 502 || status == 504
	               ? "this is a proxy whose listener does not respond: is the listener running?"
	       : status == 0   ? "see the listener's log; --max-time waits longer"
	       : status < 400  ? "give --to the URL at which it responds itself: senders do not follow redirects"
	       : status >= 500 ? "see the listener's log; is the path of --to right, does it need a header (-H)?"
	                       : "does it know only some values? --set details.appKey=VALUE sets one, -H adds a header";
}

int probe_refuse(const struct probe_command *run, const struct probe_summary *s, struct error *err)
{
	const char *colon = s->message[0] ? ": " : "";
	if (s->stop == PROBE_UNREACHABLE) {
		error_set(err, EXIT_CODE_UNDELIVERED, "no response from '%s', so nothing was graded: %s",
		          buffer_text(&run->route.masked_url), s->message[0] ? s->message : "not sent");
		return s->hint ? error_hint(err, "%s", s->hint) : -1;
	}
	if (s->too_long) {
		error_set(err, EXIT_CODE_FAILED,
		          "every valid event gets too long a response, so nothing was graded%s%s", colon, s->message);
		return error_hint(err, "%s", s->hint);
	}
	if (s->status == 0)
		error_set(err, EXIT_CODE_FAILED, "no valid event gets a response, so nothing was graded%s%s", colon,
		          s->message);
	else
		error_set(err, EXIT_CODE_FAILED, "every valid event gets %d, so nothing was graded%s%s", s->status,
		          colon, s->message);
	return error_hint(err, "%s", way_in(s->status));
}
