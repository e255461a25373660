/* Words of a check and of its cause, for people and for programs: what came, why, what to do, and the line to type. */
#include "base/clock.h"
#include "base/shell_text.h"
#include "cmd/probe/probe.h"
#include "cmd/words/again.h"
#include "probe/play/flight.h"

#include <stdio.h>
#include <string.h>

#define SLOW_REST_NS (120 * CLOCK_NS_PER_S) /* of a run of which its time is said */

/* Whether the line says it by itself, or it says only how a run is shown and kept. */
static bool is_of_line(const struct option *option)
{
	static const char *const names[] = { "to",    "failed",  "level", "observe", "report",
		                             "quiet", "verbose", "color", "json" };
	bool is_of_line = false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		is_of_line |= strcmp(option->name, names[i]) == 0;
	return is_of_line;
}

/* The other options, as they were typed. */
static void append_options(struct buffer *out, const struct probe_command *run)
{
	const struct option_words *words = run->context->words;
	for (size_t i = 0; i < words->count; i++) {
		const struct option_word *word = &words->items[i];
		if (word->option && !is_of_line(word->option))
			again_append_option(out, &run->secrets, word);
	}
}

void probe_append_again(struct buffer *out, const struct probe_command *run, const char *ids, enum probe_depth level,
                        bool observes)
{
	const char *const *words = run->program.words.items;
	buffer_printf(out, "credhook test%s%s", ids[0] ? " " : "", ids);
	/* An environment has headers of its own, and one that nobody named is the default. */
	if (!run->route.destination.environment)
		route_append_to(buffer_text(&run->route.destination.url), out);
	else if (run->args->route.to)
		route_append_to(run->args->route.to, out);
	if (level != PROBE_NORMAL)
		buffer_printf(out, " --level %s", probe_depth_names[level]);
	append_options(out, run);
	if (observes && run->args->observe) {
		buffer_append_text(out, " --observe ");
		again_append_word(out, &run->secrets, run->args->observe, NULL);
	}
	for (size_t i = 0; i + 1 < run->program.words.count; i++) {
		buffer_append_text(out, i == 0 ? " -- " : " ");
		again_append_word(out, &run->secrets, words[i], i > 0 ? words[i - 1] : NULL);
	}
}

void probe_append_retry(struct buffer *out, const struct probe_command *run, const struct probe_check *check)
{
	LOCAL_BUFFER id = BUFFER_FOR(out);
	shell_append(&id, check->id, strlen(check->id));
	probe_append_again(out, run, buffer_text(&id), (enum probe_depth)run->args->level,
	                   probe_group_observes(probe_group_of(check)));
}

void probe_append_slowness(struct buffer *out, const struct probe_command *run)
{
	int64_t spent = 0, count = 0;
	double rest = 0, quick_rest = 0, abreast = 0; /* requests one after the other; of the first */
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		const struct probe_row *row = check->row;
		bool counts = row->expansion == PROBE_KINDS && check->result.ended && check->result.ns > 0;
		spent += counts ? check->result.ns : 0;
		count += counts;
		if (!check->chosen || check->result.ended || !row->make)
			continue;
		double requests = row->requests > 0 ? row->requests : 1;
		requests /= row->connections > 0 ? row->connections : 1;
		rest += requests;
		quick_rest += check->depth == PROBE_QUICK ? requests : 0;
		abreast += probe_row_goes_abreast(row) ? requests : 0;
	}
	int64_t each_ns = count > 0 ? spent / count : 0;
	if (rest * (double)each_ns <= (double)SLOW_REST_NS)
		return;
	unsigned width = flight_width_of(each_ns, run->route.http.max_time_ns);
	double shortest = rest - abreast + abreast / width;
	buffer_printf(out, "a check takes %s; the rest about %s", DURATION_TEXT(each_ns),
	              DURATION_TEXT((int64_t)(shortest * (double)each_ns)));
	if (width > 1) /* the second where it serves one at a time */
		buffer_printf(out, " to %s", DURATION_TEXT((int64_t)(rest * (double)each_ns)));
	if (run->args->level != PROBE_QUICK)
		buffer_printf(out, ", with --level quick %s", DURATION_TEXT((int64_t)(quick_rest * (double)each_ns)));
}

void probe_append_response(struct buffer *out, int status, const char *words)
{
	char title[16]; /* of many a page: "500 Internal Server Error" */
	int length = snprintf(title, sizeof title, "%d ", status);
	buffer_printf(out, "%d%s", status, *words ? ": " : "");
	buffer_append_text(out, words + (strncmp(words, title, (size_t)length) == 0 ? length : 0));
}

void probe_append_outcome(struct buffer *out, const struct probe_check *check, const char *reason)
{
	const struct probe_result *r = &check->result;
	bool sent = check->row->make != NULL && (!check->row->observes || (reason[0] == '\0' && r->status > 0));
	/* Something else than its status is not right: it was slow. */
	sent &= !(reason[0] && status_set_contains(&check->expected.ok, r->status));
	if (sent && r->verdict != GRADE_SKIP) {
		buffer_printf(out, "expected %s, ", buffer_text(&check->expected.text));
		if (r->status > 0) {
			buffer_append_text(out, "got ");
			probe_append_response(out, r->status, reason);
			return;
		}
	}
	buffer_append_text(out, reason);
}

void probe_append_cause(struct buffer *out, const struct probe_command *run, size_t number, bool several)
{
	const struct cause *cause = &run->causes[number - 1];
	cause_append_words(cause, several, out);
	if (cause->type == CAUSE_LASTS && cause->alike != CAUSE_NO_CHECK && cause->unlike != CAUSE_NO_CHECK)
		buffer_printf(out, ": %s, after %s", run->checks.checks[cause->alike].id,
		              run->checks.checks[cause->unlike].id);
	if (cause->type == CAUSE_UNKNOWN && cause->alike != CAUSE_NO_CHECK && cause->unlike != CAUSE_NO_CHECK)
		buffer_printf(out, "; nearest to each other: %s, refused, and %s, accepted",
		              run->checks.checks[cause->alike].id, run->checks.checks[cause->unlike].id);
}

void probe_append_cause_fix(struct buffer *out, const struct probe_command *run, size_t number)
{
	const struct cause *cause = &run->causes[number - 1];
	const struct probe_result *first = cause->check_count > 0 ? &run->checks.checks[cause->checks[0]].result : NULL;
	bool is_header = cause->check_count == 1 && cause->fact_count == 1 && cause->facts[0].kind == FACT_HEADER;
	bool is_crowd = first && cause->status == 0 && first->unanswered > 0;
	/* The check of a header knows more of it, and that of many connections. */
	if (first && first->fix && (is_header || is_crowd))
		buffer_append_text(out, first->fix);
	else
		cause_append_fix(cause, out);
}

void probe_append_log_time(struct buffer *out, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	bool proxy = r->status == 502 || r->status == 504;
	char at[CLOCK_STAMP_SIZE];
	clock_format_local(clock_realtime_of(r->broke_ns), at);
	buffer_printf(out, "the listener %s: its log at %s says why",
	              proxy ? "did not respond to the proxy in front of it" : "failed", at + CLOCK_DATE_SIZE);
}

void probe_append_fix(struct buffer *out, const struct probe_command *run, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	if (r->broke_ns != 0 && r->log.length == 0) {
		probe_append_log_time(out, check);
		buffer_append_text(out, r->fix || r->cause > 0 ? "; " : "");
	}
	LOCAL_BUFFER fix = BUFFER_FOR(out);
	if (r->cause > 0)
		probe_append_cause_fix(&fix, run, r->cause);
	if (fix.length == 0)
		buffer_append_text(&fix, r->fix ? r->fix : "");
	buffer_append(out, fix.data, fix.length);
}

void probe_append_refused(struct buffer *out, const struct probe_summary *s)
{
	const char *only = s->is_only_refused ? "only " : "";
	bool is_list = strchr(s->settable, ',') != NULL;
	if (s->refused.event)
		buffer_printf(out, "%s%s was refused", only, KIND_NAME(s->refused));
	else
		buffer_printf(out, "%sevents with %s were refused", only, s->settable);
	buffer_printf(out, ": if the listener knows only some values, --set %s=VALUE gives one%s%s",
	              is_list ? "PATH" : s->settable, is_list ? "; PATH: " : "", is_list ? s->settable : "");
}

void probe_append_stopped(struct buffer *out, const struct probe_summary *s)
{
	buffer_printf(out, "stopped at %s: %s; %zu check%s not run\n", s->last,
	              s->stop == PROBE_GONE ? "the listener is gone" : s->message, s->not_run,
	              s->not_run == 1 ? "" : "s");
}

const char *probe_harm_words(const struct probe_plan *plan, const char *lost, const char *either, const char *twice)
{
	bool loses = false, doubles = false;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_result *r = &plan->checks[i].result;
		bool has_failed = r->verdict == GRADE_FAIL, is_double = r->is_double && !r->ended_listener;
		loses |= has_failed && !is_double && !r->is_contrary;
		doubles |= has_failed && is_double;
	}
	return loses && doubles ? either : doubles ? twice : loses ? lost : NULL;
}
