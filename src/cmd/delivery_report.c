/* What is said of each delivery: a line and what helps, or what a dry run would have sent. */
#include "cmd/delivery_report.h"

#include "base/clock.h"
#include "base/fit.h"
#include "base/url_mask.h"
#include "base/utf8.h"
#include "cmd/curl_line.h"
#include "cmd/delivery_hints.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "ui/help.h"

#include <limits.h>
#include <string.h>

#define NAME_COLUMNS  44
#define NAME_LEAST    12
#define OTHER_COLUMNS 25 /* of status, outcome and time, and of the blanks between all */
#define PLACE_ENOUGH  32 /* a place that is longer is cut before names are */
#define PLACE_LEAST   8
#define SHOWN_ANSWER  2000 /* bytes of an answer's body with -v */
#define SHOWN_PIECE   240  /* without */

void delivery_report_release(struct delivery_report *report)
{
	buffer_release(&report->out);
}

static bool went_well(const struct job *job)
{
	return job->outcome == OUTCOME_ACCEPTED && !job->late;
}

static void append_status(struct buffer *out, const struct job *job, bool color)
{
	enum style style = went_well(job) ? STYLE_GOOD : STYLE_ERROR;
	if (job->delivery.status > 0)
		style_append(out, color, style, "%d", job->delivery.status);
	else
		style_append(out, color, style, "---");
	style_append(out, color, style, " %-8s", outcome_names[job->outcome]);
}

static void append_message(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	char duration[CLOCK_DURATION_SIZE];
	if (job->delivery.message[0]) {
		buffer_append_text(out, ": ");
		utf8_append_safe(out, job->delivery.message, strlen(job->delivery.message));
	}
	if (job->late) {
		clock_format_duration(plan->options->expect_within, duration);
		buffer_printf(out, ": later than %s", duration);
	}
	if (job->recorded_status > 0 && job->recorded_status != job->delivery.status)
		buffer_printf(out, ": %d when recorded", job->recorded_status);
	if (job->outcome == OUTCOME_REJECTED && job->delivery.answer_location[0]) {
		struct buffer place = BUFFER_INIT; /* servers repeat what they were asked with */
		url_append_masked_reference(&place, job->delivery.answer_location);
		buffer_append_text(out, ": not followed to ");
		utf8_append_safe(out, buffer_text(&place), place.length);
		buffer_release(&place);
	}
	if (!job->final) {
		clock_format_duration(job->retry_ns, duration);
		buffer_printf(out, "; attempt %u, the next in %s", job->attempt, duration);
	} else if (job->attempt > 1) {
		buffer_printf(out, "; attempt %u", job->attempt);
	}
}

static void append_answer(struct buffer *out, const struct delivery *d, size_t most)
{
	size_t shown = d->answer.length < most ? d->answer.length : most;
	const char *text = buffer_text(&d->answer);
	for (size_t at = 0; at < shown;) {
		const char *newline = memchr(text + at, '\n', shown - at);
		size_t length = newline ? (size_t)(newline - text) - at : shown - at;
		buffer_append_text(out, "    ");
		utf8_append_safe(out, text + at, length > 0 && newline && newline[-1] == '\r' ? length - 1 : length);
		buffer_append_byte(out, '\n');
		at += length + 1;
	}
	if (shown < d->answer.length || d->answer_cut)
		buffer_append_text(out, "    ...\n");
}

/* What helps, below the line of a failure: a piece of the answer and advice, once per kind. */
static void append_help(struct delivery_report *report, const struct job *job)
{
	struct buffer *out = &report->out;
	const struct delivery *d = &job->delivery;
	bool color = report->context->terminal->color_out;
	int kind = job->outcome == OUTCOME_UNKNOWN ? 600 : d->status > 0 && d->status < 600 ? d->status : 0;
	struct buffer hint = BUFFER_INIT;
	if (!report->advised[kind]) {
		report->advised[kind] = true;
		if (!report->context->terminal->verbose && d->status >= 400 && d->answer.length > 0)
			append_answer(out, d, SHOWN_PIECE);
		hint_append(&hint, report->plan, job);
	}
	if (hint.length > 0) {
		style_append(out, color, STYLE_BOLD, "  hint: ");
		buffer_printf(out, "%s\n", buffer_text(&hint));
	}
	buffer_release(&hint);
}

/* Where the job goes, or went: a recorded target may be in it, and so anything. */
static void append_place(struct buffer *place, const struct delivery_plan *plan, const struct job *job)
{
	if (job->url.length > 0)
		url_append_masked(place, buffer_text(&job->url));
	else
		buffer_append_text(place, buffer_text(&plan->masked_url));
}

/* The columns of a line; without a terminal there are enough for all. */
struct layout {
	int width;
	int name;
	int place; /* 0: it is left out */
};

static struct layout lay_out(const struct delivery_report *report)
{
	struct layout layout = { INT_MAX, NAME_COLUMNS, INT_MAX };
	const struct buffer *place = &report->plan->masked_url; /* not the job's own, so that lines look alike */
	if (!report->context->terminal->out_is_tty)
		return layout;
	layout.width = terminal_width();
	int room = layout.width - OTHER_COLUMNS;
	if (room < NAME_LEAST + PLACE_LEAST) {
		layout.name = room < NAME_LEAST ? NAME_LEAST : room;
		layout.place = 0;
		return layout;
	}
	int wanted = fit_columns(buffer_text(place), place->length);
	if (wanted > PLACE_ENOUGH)
		wanted = PLACE_ENOUGH;
	layout.name = room - (wanted < room / 2 ? wanted : room / 2);
	if (layout.name > NAME_COLUMNS)
		layout.name = NAME_COLUMNS;
	layout.place = room - layout.name;
	return layout;
}

/* Returns the columns it takes. */
static int append_fitting_place(struct delivery_report *report, const struct job *job, const struct layout *layout)
{
	struct buffer place = BUFFER_INIT;
	int used = 0;
	append_place(&place, report->plan, job);
	if (layout->place > 0) {
		buffer_append_text(&report->out, "  ");
		used = fit_append(&report->out, buffer_text(&place), place.length, layout->place);
	}
	buffer_release(&place);
	return used;
}

/* Behind the line, or below it where it does not fit. */
static void append_fitting_message(struct delivery_report *report, const struct job *job, const struct layout *layout,
                                   int at)
{
	struct buffer message = BUFFER_INIT;
	append_message(&message, report->plan, job);
	const char *words = buffer_text(&message);
	if (message.length > 0 && (layout->place == 0 || fit_columns(words, message.length) > layout->width - at)) {
		buffer_append_text(&report->out, "\n  ");
		help_append_wrapped(&report->out, words + strspn(words, ":; "), 2, 2, layout->width);
	} else {
		buffer_append(&report->out, words, message.length);
	}
	buffer_release(&message);
}

static void report_as_text(struct delivery_report *report, const struct job *job)
{
	char duration[CLOCK_DURATION_SIZE];
	struct buffer *out = &report->out;
	struct layout layout = lay_out(report);
	if (layout.width == INT_MAX && strlen(job->name) > (size_t)layout.name)
		layout.name = (int)strlen(job->name);
	clock_format_duration(job->delivery.latency_ns, duration);
	append_status(out, job, report->context->terminal->color_out);
	buffer_append_text(out, "  ");
	fit_append_column(out, job->name[0] ? job->name : "(unknown)", layout.name);
	buffer_printf(out, " %8s", duration);
	int used = append_fitting_place(report, job, &layout);
	append_fitting_message(report, job, &layout, OTHER_COLUMNS + layout.name + used);
	buffer_append_byte(out, '\n');
	if (report->context->terminal->verbose && job->delivery.answer.length > 0)
		append_answer(out, &job->delivery, SHOWN_ANSWER);
	if (job->final && !went_well(job))
		append_help(report, job);
}

static void report_as_json(struct delivery_report *report, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	struct buffer *out = &report->out, place = BUFFER_INIT;
	json_line_begin(out);
	json_line_text(out, "type", "delivery");
	json_line_text(out, "input", job->input);
	if (job->record > 0)
		json_line_number(out, "record", (int64_t)job->record);
	json_line_number(out, "attempt", job->attempt);
	json_line_bool(out, "final", job->final);
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "outcome", outcome_names[job->outcome]);
	if (d->status > 0)
		json_line_number(out, "status", d->status);
	else
		json_line_null(out, "status");
	if (job->recorded_status > 0)
		json_line_number(out, "recorded_status", job->recorded_status);
	json_line_decimal(out, "latency_ms", (double)d->latency_ns / 1e6);
	json_line_number(out, "bytes", (int64_t)d->body_length);
	append_place(&place, report->plan, job);
	json_line_bytes(out, "url", buffer_text(&place), place.length);
	buffer_release(&place);
	if (job->late)
		json_line_bool(out, "late", true);
	if (!job->final)
		json_line_decimal(out, "retry_ms", (double)job->retry_ns / 1e6);
	if (d->message[0])
		json_line_text(out, "error", d->message);
	if (report->context->terminal->verbose)
		json_line_bytes(out, "answer", buffer_text(&d->answer), d->answer.length);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

void report_attempt(struct delivery_report *report, const struct job *job)
{
	struct terminal *terminal = report->context->terminal;
	buffer_clear(&report->out);
	if (job->final && !went_well(job))
		retry_line_add(&report->retry, job);
	if (report->silent)
		return;
	if (report->context->global->json)
		report_as_json(report, job);
	else if (!terminal->quiet || !went_well(job))
		report_as_text(report, job);
	terminal_write(terminal, buffer_text(&report->out), report->out.length);
}

/* A header line for printing: the value of a secret one is masked. */
static void append_masked_header(struct buffer *out, const char *line)
{
	const char *secret = secret_of_header_line(line);
	if (secret)
		buffer_printf(out, "%.*s%s", (int)(secret - line), line, SECRET_MASK);
	else
		buffer_append_text(out, line);
}

static const char *url_of(const struct delivery_plan *plan, const struct job *job)
{
	return job->url.length > 0 ? buffer_text(&job->url) : buffer_text(&plan->destination.url);
}

/* The Content-Type that goes out besides the plan's headers; NULL: they hold one, which replaces every other. */
static const char *type_of(const struct delivery_plan *plan, const struct job *job)
{
	if (plan->has_content_type)
		return NULL;
	return job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
}

static void append_as_request(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	struct buffer url = BUFFER_INIT;
	url_append_masked(&url, url_of(plan, job));
	buffer_printf(out, "POST %s\n", buffer_text(&url));
	const char *type = type_of(plan, job);
	if (type)
		buffer_printf(out, "Content-Type: %s\n", type);
	buffer_printf(out, "Content-Length: %zu\n", job->body.length);
	for (size_t i = 0; i < plan->headers.count; i++) {
		append_masked_header(out, plan->headers.items[i]);
		buffer_append_byte(out, '\n');
	}
	buffer_append_byte(out, '\n');
	buffer_append(out, buffer_text(&job->body), job->body.length);
	buffer_append_text(out, "\n\n");
	buffer_release(&url);
}

static void append_header_json(struct buffer *out, const char *line)
{
	size_t name = strcspn(line, ":;");
	const char *value = line[name] ? line + name + 1 + strspn(line + name + 1, " \t") : "";
	if (secret_of_header_line(line))
		value = SECRET_MASK;
	json_line_comma(out);
	buffer_append_byte(out, '[');
	json_line_string(out, line, name);
	buffer_append_byte(out, ',');
	json_line_string(out, value, strlen(value));
	buffer_append_byte(out, ']');
}

static void append_as_json(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	struct buffer url = BUFFER_INIT, type = BUFFER_INIT;
	url_append_masked(&url, url_of(plan, job));
	json_line_begin(out);
	json_line_text(out, "type", "request");
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "method", "POST");
	json_line_bytes(out, "url", buffer_text(&url), url.length);
	json_line_key(out, "headers");
	buffer_append_byte(out, '[');
	if (type_of(plan, job)) {
		buffer_printf(&type, "Content-Type: %s", type_of(plan, job));
		append_header_json(out, buffer_text(&type));
	}
	for (size_t i = 0; i < plan->headers.count; i++)
		append_header_json(out, plan->headers.items[i]);
	buffer_append_byte(out, ']');
	json_line_bytes(out, "body", buffer_text(&job->body), job->body.length);
	json_line_end(out);
	buffer_append_byte(out, '\n');
	buffer_release(&url);
	buffer_release(&type);
}

/* Which record to look in for the values. */
static void report_fresh(struct context *context, const struct job *job, struct shell_secrets *secrets)
{
	if (secrets->fresh.length == 0)
		return;
	terminal_flush(context->terminal);
	terminal_note(context->terminal, "the value of %s is that of %s:%llu", buffer_text(&secrets->fresh),
	              job->input ? job->input : job->name, (unsigned long long)job->record);
	buffer_clear(&secrets->fresh);
}

void report_dry_run(struct context *context, const struct delivery_plan *plan, const struct job *job,
                    struct shell_secrets *secrets)
{
	struct buffer out = BUFFER_INIT, request = BUFFER_INIT;
	if (plan->options->dry_run == DRY_RUN_CURL) {
		curl_line_append(&out, plan, job, secrets);
	} else if (context->global->json) {
		append_as_json(plan, job, &out);
	} else {
		bool safe = context->terminal->out_is_tty; /* a file or another program gets the very bytes */
		append_as_request(plan, job, safe ? &request : &out);
		utf8_append_safe_lines(&out, buffer_text(&request), request.length);
		out.failed |= request.failed;
	}
	terminal_write(context->terminal, buffer_text(&out), out.length);
	buffer_release(&request);
	buffer_release(&out);
	report_fresh(context, job, secrets);
}
