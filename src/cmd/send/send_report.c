#include "base/clock.h"
#include "base/fit.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/send/send.h"
#include "cmd/words/notes.h"
#include "http/head.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "ui/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is reported reaches a pipe after this time at the latest: whoever reads it may be acting on each line. */
#define FLUSH_EVERY (CLOCK_NS_PER_S / 200)

#define LINES_MOST    50 /* of accepted deliveries, and on a terminal of others */
#define REMARK_INDENT 7
#define DURATION      9    /* columns, the blank in front included */
#define SHOWN_BODY    2000 /* bytes of a body with -v */
#define RESPONSE_END  512  /* bytes of each end of a response's body in JSON */

static bool went_well(const struct job *job)
{
	return job->outcome == OUTCOME_ACCEPTED && !job->late;
}

/* Where the job goes, or went, its secrets masked: a recorded target may be in it, and so anything. */
static void append_url(struct buffer *out, const struct send_run *run, const struct job *job)
{
	if (job->exchange.request.target.text)
		url_append_masked(out, job->exchange.request.target.text);
	else
		buffer_append_text(out, buffer_text(&run->route.masked_url));
}

static void append_destination(struct send_report *report)
{
	const struct buffer *url = &report->run->route.masked_url;
	if (report->begun)
		return;
	buffer_append_text(&report->out, "to ");
	utf8_append_safe(&report->out, buffer_text(url), url->length);
	buffer_append_byte(&report->out, '\n');
	report->begun = true;
}

/* Empties the text. */
static void append_remark(struct buffer *out, struct buffer *text)
{
	if (text->length > 0)
		buffer_printf(out, "%s%s", out->length > 0 ? ", " : "", buffer_text(text));
	buffer_clear(text);
}

/* What the columns do not say: the status that was expected, the attempt, the job's own target; and if `whole` the
 * message that otherwise comes at the end. */
static void append_remarks(struct buffer *out, const struct send_run *run, const struct job *job, bool whole)
{
	LOCAL_BUFFER text = BUFFER_FOR(out);
	send_append_expected(out, run, job);
	if (job->refused && job->input) { /* somebody has to find it */
		utf8_append_safe(&text, job->input, strlen(job->input));
		buffer_printf(&text, ":%llu: ", (unsigned long long)job->record);
	}
	if (job->late || !job->final || job->outcome == OUTCOME_FAILED || whole)
		send_append_message(&text, run, job);
	append_remark(out, &text);
	if (!job->final) {
		buffer_printf(&text, "attempt %u, next in %s", job->attempt, DURATION_TEXT(job->retry_ns));
	} else if (job->attempt > 1) {
		buffer_printf(&text, "attempt %u", job->attempt);
	}
	append_remark(out, &text);
	/* The path and query of a job that has its own. */
	LOCAL_BUFFER url = BUFFER_FOR(out);
	append_url(&url, run, job);
	const char *authority = strstr(buffer_text(&url), "://");
	if (job->exchange.request.target.text && authority) {
		const char *target = authority + 3 + strcspn(authority + 3, "/?#");
		buffer_append_text(&text, "to ");
		utf8_append_safe(&text, target, strlen(target));
	}
	append_remark(out, &text);
}

static void append_line(struct send_report *report, const struct job *job)
{
	const struct terminal *t = report->run->context->terminal;
	struct buffer *out = &report->out;
	LOCAL_BUFFER remarks = BUFFER_INIT;
	enum grade grade = went_well(job) ? GRADE_OK : job->final ? GRADE_FAIL : GRADE_WARN;
	int width = terminal_out_width(t), column = style_sign_columns(terminal_has_signs(t)) + (int)sizeof "500 ";
	int name = columns_of_name(width - column - DURATION);
	style_append_sign(out, t->color_out, terminal_has_signs(t), grade);
	send_append_status(out, job);
	buffer_append_text(out, "  ");
	fit_append_column(out, job->name[0] ? job->name : "(unknown)", name);
	buffer_printf(out, " %*s", DURATION - 1, DURATION_TEXT(job->exchange.latency_ns));
	struct text_line line = { out, t->color_out, width, REMARK_INDENT, column + name + DURATION };
	append_remarks(&remarks, report->run, job, t->verbose);
	text_line_remark(&line, buffer_text(&remarks), remarks.length);
	buffer_append_byte(out, '\n');
}

/* A line of a head, its secret masked, a URL in it also. `line` ends with a NUL. */
static void append_head_line(struct buffer *out, char *line)
{
	static const char location[] = "Location: ";
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	char *text = line + 2, *target = strchr(text, ' '), *version = strrchr(text, ' ');
	struct error ignored;
	struct header h;
	header_read_option(text, strlen(text), &h, &ignored);
	if (line[0] == '>' && target < version && strncmp(version, " HTTP/", 6) == 0) {
		*version = '\0';
		buffer_printf(&shown, "%.*s", (int)(target + 1 - line), line);
		url_append_masked_reference(&shown, text_of(target + 1));
		buffer_printf(&shown, " %s", version + 1);
	} else if (strncasecmp(text, location, sizeof location - 1) == 0) {
		buffer_printf(&shown, "< %s", location);
		url_append_masked_reference(&shown, text_of(text + sizeof location - 1));
	} else if (*text == ' ' || *text == '\t') { /* continues the value of the line before */
		buffer_printf(&shown, "%.*s%s", (int)(text - line), line, SECRET_MASK);
	} else if (header_is_secret(&h) && strncmp(text, "HTTP/", 5) != 0) {
		buffer_printf(&shown, "%.*s%s", (int)(h.value.text - line), line, SECRET_MASK);
	} else {
		buffer_append_text(&shown, line);
	}
	utf8_append_safe(out, buffer_text(&shown), shown.length);
	buffer_append_byte(out, '\n');
}

static void append_body(struct buffer *out, char prefix, const char *body, size_t length, bool is_cut)
{
	size_t shown = length < SHOWN_BODY ? length : SHOWN_BODY;
	for (size_t at = 0; at < shown;) {
		const char *newline = memchr(body + at, '\n', shown - at);
		size_t line = newline ? (size_t)(newline - body) - at : shown - at;
		buffer_printf(out, "%c ", prefix);
		utf8_append_safe(out, body + at, line > 0 && newline && newline[-1] == '\r' ? line - 1 : line);
		buffer_append_byte(out, '\n');
		at += line + 1;
	}
	if (shown < length || is_cut)
		buffer_printf(out, "%c ...\n", prefix);
}

/* Request and response, as curl -v shows them. No body goes behind CONNECT, which a proxy reads. */
static void append_exchange(struct buffer *out, const struct job *job)
{
	const struct exchange *x = &job->exchange;
	LOCAL_BUFFER line = BUFFER_FOR(out);
	bool begins = true, is_sent = false; /* a head; with the body */
	for (const char *at = buffer_text(&x->trace), *end = at + x->trace.length; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);
		buffer_clear(&line);
		buffer_append(&line, at, length);
		if (begins)
			is_sent = at[0] == '>' && strncmp(buffer_text(&line), "> CONNECT ", 10) != 0;
		if (line.data)
			append_head_line(out, line.data);
		begins = length <= 2;
		if (begins && is_sent)
			append_body(out, '>', buffer_text(&job->body), job->body.length, false);
		at += length + 1;
	}
	append_body(out, '<', x->response.body.text, x->response.body.length, x->response_cut);
}

static void report_as_json(struct send_report *report, const struct job *job)
{
	const struct exchange *x = &job->exchange;
	struct buffer *out = &report->out;
	LOCAL_BUFFER url = BUFFER_FOR(out);
	json_line_begin_type(out, "delivery");
	json_line_text(out, "input", job->input);
	if (job->record > 0)
		json_line_number(out, "record", (int64_t)job->record);
	json_line_number(out, "attempt", job->attempt);
	json_line_bool(out, "final", job->final);
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "outcome", outcome_names[job->outcome]);
	if (x->status > 0)
		json_line_number(out, "status", x->status);
	else
		json_line_text(out, "status", NULL);
	if (job->has_recorded && job->recorded_status > 0)
		json_line_number(out, "recorded_status", job->recorded_status);
	json_line_decimal(out, "latency_ms", (double)x->latency_ns / 1e6);
	json_line_number(out, "bytes", (int64_t)job->body.length);
	append_url(&url, report->run, job);
	json_line_bytes(out, "url", buffer_text(&url), url.length);
	if (job->late)
		json_line_bool(out, "late", true);
	if (!job->final)
		json_line_decimal(out, "retry_ms", (double)job->retry_ns / 1e6);
	if (x->message[0])
		json_line_text(out, "error", x->message);
	if (!went_well(job)) {
		size_t length = x->response.body.length, head = length < RESPONSE_END ? length : RESPONSE_END;
		size_t tail = length - head < RESPONSE_END ? length - head : RESPONSE_END;
		json_line_bytes(out, "response_head", x->response.body.text, head);
		json_line_bytes(out, "response_tail", x->response.body.text + length - tail, tail);
	}
	if (report->run->context->terminal->verbose)
		json_line_bytes(out, "response", x->response.body.text, x->response.body.length);
	json_line_finish(out);
}

/* Accepted ones while they are few, and on a terminal not more of the others than somebody can look at, since the
 * reasons come at the end. */
static bool is_shown(struct send_report *report, const struct job *job)
{
	const struct terminal *t = report->run->context->terminal;
	/* Another status than before is news, also where it is better now. */
	bool is_news = job->has_recorded && job->recorded_status != job->exchange.status;
	if (t->quiet && went_well(job))
		return false;
	if (t->verbose || (!t->out_is_tty && (!went_well(job) || is_news)))
		return true;
	if (went_well(job) && !is_news && report->run->total > LINES_MOST)
		return false;
	uint64_t before = report->lines[went_well(job)]++;
	if (before == LINES_MOST)
		buffer_printf(&report->out, "... no more %s lines; -v shows all\n",
		              went_well(job) ? "accepted" : "failed");
	return before < LINES_MOST;
}

/* Nothing was sent, since nothing could be: that is about the destination, and said once, at the end. Not where it is
 * about one record. */
static bool is_unsent(const struct send_report *report, const struct job *job)
{
	const struct context *context = report->run->context;
	return job->final && job->attempt == 1 && job->outcome == OUTCOME_FAILED && !(job->refused && job->input) &&
	       !context->terminal->verbose && !context->global->json && !report->silent;
}

/* Whether --failed-only sends it again: what was late was accepted, what is unknown may have been. */
static bool is_sent_again(const struct job *job)
{
	return job->input && job->final && (job->outcome == OUTCOME_REJECTED || job->outcome == OUTCOME_FAILED);
}

/* For the line that says how to send it again. */
static void note_failed(struct send_report *report, const struct job *job)
{
	char name[CATALOG_KIND_NAME_SIZE] = "";
	report->failed_from_files |= is_sent_again(job);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(job->name, " "), job->name);
	for (size_t i = 0; i < report->failed_made_count; i++)
		if (strcmp(report->failed_made[i], name) == 0)
			return;
	if (!job->input && report->failed_made_count < MAKER_KINDS_MAX)
		memcpy(report->failed_made[report->failed_made_count++], name, sizeof name);
}

static void on_given_up(void *context, const struct job *job, bool in_flight)
{
	struct send_report *report = context;
	note_failed(report, job);
	if (!in_flight) {
		send_causes_add(&report->causes, report->run->context, job, false);
		send_reasons_add(&report->reasons, report->run, job, report->causes.number, true);
	}
	send_report_case(report, job, in_flight);
}

/* A line, with -v request and response; on a terminal those that were accepted only while they are few. What keeps all
 * from being sent is one line. */
static bool on_attempt(void *context, const struct job *job)
{
	struct send_report *report = context;
	struct terminal *terminal = report->run->context->terminal;
	bool json = report->run->context->global->json, unsent = is_unsent(report, job);
	buffer_clear(&report->out);
	page_responses_add(&report->pages, &job->exchange);
	if (job->final)
		send_causes_add(&report->causes, report->run->context, job, went_well(job));
	if (job->final && !went_well(job)) {
		note_failed(report, job);
		send_reasons_add(&report->reasons, report->run, job, report->causes.number, !unsent);
	}
	if (json && !report->silent) {
		report_as_json(report, job);
	} else if (!report->silent && (unsent || is_shown(report, job))) {
		append_destination(report);
		if (!unsent)
			append_line(report, job);
		if (terminal->verbose)
			append_exchange(&report->out, job);
	}
	terminal_write_buffer(terminal, &report->out);
	if (job->final)
		send_report_case(report, job, false);
	return !terminal_is_closed(terminal) || !(json || report->silent);
}

static void on_interrupted(void *context, size_t in_flight)
{
	const struct send_report *r = context;
	interrupted_note(r->run->context->terminal, in_flight);
}

/* Where the source has ended, all was handed out, whether its length is known or not; some of that is not over. */
static double fraction_done(const struct send_report *r, const struct delivery_state *state)
{
	const struct send_run *run = r->run;
	uint64_t over = counts_total(state->counts);
	double handed_out = PROGRESS_UNKNOWN;
	uint64_t read, whole;
	if (state->stopping)
		return PROGRESS_UNKNOWN;
	if (run->total > 0)
		return progress_fraction(over, run->total);
	inputs_measure(&run->inputs, &read, &whole);
	if (state->exhausted)
		handed_out = 1;
	else if (!run->maker || run->maker->kind_count == 0) /* events and files have no measure in common */
		handed_out = fmax(progress_fraction(read, whole), progress_fraction(run->taken, run->most_taken));
	return handed_out > 0 ? handed_out * progress_fraction(over, over + state->under_way) : handed_out;
}

/* At once where somebody looks on or waits for the line, or may end this with a second signal; else in blocks, every
 * few milliseconds. */
static int64_t on_turn_end(void *context, const struct delivery_state *state)
{
	struct send_report *r = context;
	struct terminal *t = r->run->context->terminal;
	bool at_once =
	        t->out_is_tty || r->run->options->concurrency == 1 || state->waiting || state->counts->interrupted;
	int64_t due = 0;
	/* Where everything goes, once; what was begun is not yet reported. */
	if (state->in_flight > 0 && !r->begun && !r->silent && !r->run->context->global->json && !t->quiet) {
		append_destination(r);
		terminal_write_buffer(t, &r->out);
	}
	if (r->progress.due_ns > 0 && r->progress.due_ns <= state->now_ns) {
		const struct delivery_counts *c = state->counts;
		uint64_t over = counts_total(c);
		LOCAL_BUFFER words = BUFFER_INIT;
		if (over == 0 && state->in_flight == 0)
			progress_restart(&r->progress, state->now_ns);
		buffer_printf(&words, "%s", COUNT_TEXT(over));
		if (r->run->total > 0)
			buffer_printf(&words, " of %s", COUNT_TEXT(r->run->total));
		buffer_printf(&words, " done, %s not accepted", COUNT_TEXT(counts_failures(c)));
		progress_display(&r->progress, buffer_text(&words), fraction_done(r, state), c->attempts,
		                 state->now_ns);
	}
	if (at_once || state->now_ns - r->flushed_ns >= FLUSH_EVERY) {
		terminal_flush(t);
		progress_redraw(&r->progress);
		r->flushed_ns = state->now_ns;
	} else {
		due = r->flushed_ns + FLUSH_EVERY;
	}
	return due == 0 || (r->progress.due_ns > 0 && r->progress.due_ns < due) ? r->progress.due_ns : due;
}

struct delivery_observer send_report_observer(struct send_report *report)
{
	return (struct delivery_observer){ on_attempt, on_interrupted, on_turn_end, on_given_up, report };
}
