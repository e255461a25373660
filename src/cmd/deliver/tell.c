/* What is said of deliveries: a line each, a summary, and what a dry run would have sent. */
#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/deliver/run.h"
#include "cmd/secrets.h"
#include "ui/json_line.h"

#include <string.h>
#include <strings.h>

#define NAME_COLUMNS 44
#define SHOWN_ANSWER 2000 /* bytes of an answer's body */

static void append_status(struct buffer *out, const struct job *job, bool color)
{
	enum style style = job->outcome == OUTCOME_ACCEPTED && !job->late ? STYLE_GOOD : STYLE_ERROR;
	if (job->delivery.status > 0)
		style_append(out, color, style, "%d", job->delivery.status);
	else
		style_append(out, color, style, "---");
	style_append(out, color, style, " %-8s", outcome_names[job->outcome]);
}

static void append_message(struct buffer *out, const struct job *job, int64_t within)
{
	char duration[CLOCK_DURATION_SIZE];
	if (job->delivery.message[0]) {
		buffer_append_text(out, ": ");
		utf8_append_safe(out, job->delivery.message, strlen(job->delivery.message));
	}
	if (job->late) {
		clock_format_duration(within, duration);
		buffer_printf(out, ": later than %s", duration);
	}
	if (job->outcome == OUTCOME_REJECTED && job->delivery.answer_location[0]) {
		buffer_append_text(out, ": not followed to ");
		utf8_append_safe(out, job->delivery.answer_location, strlen(job->delivery.answer_location));
	}
}

static void append_answer(struct buffer *out, const struct delivery *d)
{
	size_t shown = d->answer.length < SHOWN_ANSWER ? d->answer.length : SHOWN_ANSWER;
	const char *text = buffer_text(&d->answer);
	for (size_t at = 0; at < shown;) {
		const char *newline = memchr(text + at, '\n', shown - at);
		size_t length = newline ? (size_t)(newline - text) - at : shown - at;
		buffer_append_text(out, "    ");
		utf8_append_safe(out, text + at, length);
		buffer_append_byte(out, '\n');
		at += length + 1;
	}
	if (shown < d->answer.length || d->answer_cut)
		buffer_append_text(out, "    ...\n");
}

static void tell_as_text(struct context *context, const struct delivery_plan *plan, const struct job *job,
                         struct buffer *out)
{
	char duration[CLOCK_DURATION_SIZE];
	clock_format_duration(job->delivery.latency_ns, duration);
	append_status(out, job, context->terminal->color_out);
	buffer_printf(out, "  %-*s %8s  ", NAME_COLUMNS, job->name[0] ? job->name : "(unknown)", duration);
	if (job->url.length > 0)
		address_append_masked(out, buffer_text(&job->url));
	else
		buffer_append_text(out, buffer_text(&plan->masked_url));
	append_message(out, job, plan->options->expect_within);
	buffer_append_byte(out, '\n');
	if (context->terminal->verbose && job->delivery.answer.length > 0)
		append_answer(out, &job->delivery);
	if (job->delivery.hint && job->outcome != OUTCOME_ACCEPTED) {
		style_append(out, context->terminal->color_out, STYLE_BOLD, "  hint: ");
		buffer_printf(out, "%s\n", job->delivery.hint);
	}
}

static void tell_as_json(struct context *context, const struct delivery_plan *plan, const struct job *job,
                         struct buffer *out)
{
	const struct delivery *d = &job->delivery;
	json_line_begin(out);
	json_line_text(out, "type", "delivery");
	json_line_text(out, "input", job->input);
	if (job->record > 0)
		json_line_number(out, "record", (int64_t)job->record);
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "outcome", outcome_names[job->outcome]);
	if (d->status > 0)
		json_line_number(out, "status", d->status);
	else
		json_line_null(out, "status");
	json_line_decimal(out, "latency_ms", (double)d->latency_ns / 1e6);
	json_line_number(out, "bytes", (int64_t)d->body_length);
	json_line_text(out, "url", buffer_text(&plan->masked_url));
	if (job->late)
		json_line_bool(out, "late", true);
	if (d->message[0])
		json_line_text(out, "error", d->message);
	if (context->terminal->verbose)
		json_line_bytes(out, "answer", buffer_text(&d->answer), d->answer.length);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

void delivery_tell_job(struct context *context, const struct delivery_plan *plan, const struct job *job,
                       struct buffer *out)
{
	buffer_clear(out);
	if (context->global->json)
		tell_as_json(context, plan, job, out);
	else if (!context->terminal->quiet || job->outcome != OUTCOME_ACCEPTED || job->late)
		tell_as_text(context, plan, job, out);
	terminal_write(context->terminal, buffer_text(out), out->length);
}

static uint64_t total_of(const struct delivery_counts *counts)
{
	uint64_t total = 0;
	for (int i = 0; i < OUTCOME_COUNT; i++)
		total += counts->outcomes[i];
	return total;
}

static void summarise_as_json(struct context *context, const struct delivery_counts *c, bool interrupted)
{
	struct buffer out = BUFFER_INIT;
	json_line_begin(&out);
	json_line_text(&out, "type", "summary");
	json_line_number(&out, "deliveries", (int64_t)total_of(c));
	for (int i = 0; i < OUTCOME_COUNT; i++)
		json_line_number(&out, outcome_names[i], (int64_t)c->outcomes[i]);
	json_line_number(&out, "late", (int64_t)c->late);
	json_line_key(&out, "statuses");
	json_line_begin(&out);
	for (int i = 100; i < 600; i++) {
		char status[8] = { (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0' };
		if (c->statuses[i] > 0)
			json_line_number(&out, status, (int64_t)c->statuses[i]);
	}
	json_line_end(&out);
	json_line_number(&out, "bytes", (int64_t)c->bytes);
	json_line_decimal(&out, "seconds", (double)(c->ended_ns - c->started_ns) / 1e9);
	json_line_key(&out, "latency_ms");
	json_line_begin(&out);
	json_line_decimal(&out, "p50", (double)latency_percentile(&c->latency, 50) / 1e6);
	json_line_decimal(&out, "p90", (double)latency_percentile(&c->latency, 90) / 1e6);
	json_line_decimal(&out, "p99", (double)latency_percentile(&c->latency, 99) / 1e6);
	json_line_decimal(&out, "max", (double)c->latency.max_ns / 1e6);
	json_line_end(&out);
	json_line_bool(&out, "interrupted", interrupted);
	json_line_end(&out);
	buffer_append_byte(&out, '\n');
	terminal_write(context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
}

static void append_latency(struct buffer *out, const struct delivery_counts *c)
{
	static const double percents[] = { 50, 90, 99 };
	char duration[CLOCK_DURATION_SIZE];
	for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
		clock_format_duration(latency_percentile(&c->latency, percents[i]), duration);
		buffer_printf(out, "%sp%.0f %s", i == 0 ? "; " : ", ", percents[i], duration);
	}
	clock_format_duration(c->latency.max_ns, duration);
	buffer_printf(out, ", max %s", duration);
}

void delivery_tell_summary(struct context *context, const struct delivery_counts *c, bool interrupted)
{
	struct buffer text = BUFFER_INIT;
	uint64_t total = total_of(c);
	if (context->global->json)
		summarise_as_json(context, c, interrupted);
	buffer_printf(&text, "%s%llu deliver%s:", interrupted ? "interrupted after " : "", (unsigned long long)total,
	              total == 1 ? "y" : "ies");
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (c->outcomes[i] > 0)
			buffer_printf(&text, " %llu %s,", (unsigned long long)c->outcomes[i], outcome_names[i]);
	if (c->late > 0)
		buffer_printf(&text, " %llu of them late,", (unsigned long long)c->late);
	buffer_consume_end(&text, 1);
	if (c->latency.count > 1)
		append_latency(&text, c);
	terminal_flush(context->terminal);
	terminal_note(context->terminal, "%s", buffer_text(&text));
	buffer_release(&text);
}

/* For a shell: in single quotes, one of which is written '\''. */
static void append_quoted(struct buffer *out, const char *text, size_t length)
{
	buffer_append_byte(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			buffer_append_text(out, "'\\''");
		else
			buffer_append_byte(out, text[i]);
	}
	buffer_append_byte(out, '\'');
}

/* A header line for printing: the value of a secret one is ***. */
static void append_masked_header(struct buffer *out, const char *line)
{
	size_t name = strcspn(line, ":;");
	if (secret_is_header(line, name))
		buffer_printf(out, "%.*s: ***", (int)name, line);
	else
		buffer_append_text(out, line);
}

/* A header for a curl command: a secret's value is a variable of the shell, named after it. */
static void append_curl_header(struct buffer *out, const char *line)
{
	size_t name = strcspn(line, ":;");
	buffer_append_text(out, " -H ");
	if (!secret_is_header(line, name)) {
		append_quoted(out, line, strlen(line));
		return;
	}
	buffer_printf(out, "\"%.*s: $", (int)name, line);
	for (size_t i = 0; i < name; i++) {
		char c = line[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		buffer_append_byte(out, !letter ? '_' : c >= 'a' ? (char)(c - 'a' + 'A') : c);
	}
	buffer_append_byte(out, '"');
}

static const char *url_of(const struct delivery_plan *plan, const struct job *job)
{
	return job->url.length > 0 ? buffer_text(&job->url) : buffer_text(&plan->destination.url);
}

/* The Content-Type that goes out besides the plan's headers; NULL: they hold one, which replaces every other. */
static const char *type_of(const struct delivery_plan *plan, const struct job *job)
{
	static const char name[] = "Content-Type";
	for (size_t i = 0; i < plan->headers.count; i++) {
		const char *line = plan->headers.items[i];
		if (strncasecmp(line, name, sizeof name - 1) == 0 && strcspn(line, ":;") == sizeof name - 1)
			return NULL;
	}
	return job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
}

static void append_as_curl(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	buffer_append_text(out, "curl -sS");
	struct buffer line = BUFFER_INIT, url = BUFFER_INIT;
	const char *type = type_of(plan, job);
	if (type) {
		buffer_printf(&line, "Content-Type: %s", type);
		append_curl_header(out, buffer_text(&line));
	}
	for (size_t i = 0; i < plan->headers.count; i++)
		append_curl_header(out, plan->headers.items[i]);
	buffer_append_text(out, " --data-raw "); /* which reads no file, however the body begins */
	append_quoted(out, buffer_text(&job->body), job->body.length);
	address_append_masked(&url, url_of(plan, job));
	buffer_append_byte(out, ' ');
	append_quoted(out, buffer_text(&url), url.length);
	buffer_append_byte(out, '\n');
	buffer_release(&line);
	buffer_release(&url);
}

static void append_as_request(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	struct buffer url = BUFFER_INIT;
	address_append_masked(&url, url_of(plan, job));
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

void delivery_tell_dry_run(struct context *context, const struct delivery_plan *plan, const struct job *job)
{
	struct buffer out = BUFFER_INIT;
	if (plan->options->dry_run == DRY_RUN_CURL)
		append_as_curl(plan, job, &out);
	else
		append_as_request(plan, job, &out);
	terminal_write(context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
}
