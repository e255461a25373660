/* What listen says: the ready line, a line per notification, the summary; for people or as NDJSON. */
#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/listen/listen.h"
#include "cmd/secrets.h"
#include "ui/finding_report.h"
#include "ui/json_line.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME_COLUMNS 44

static void print(struct listener *l)
{
	terminal_write(l->context->terminal, buffer_text(&l->out), l->out.length);
}

static void print_json(struct listener *l)
{
	json_line_end(&l->out);
	buffer_append_byte(&l->out, '\n');
	print(l);
}

void listen_tell_ready(struct listener *l)
{
	struct terminal *t = l->context->terminal;
	const char *url = http_server_url(l->server);
	if (l->context->global->json) {
		buffer_clear(&l->out);
		json_line_begin(&l->out);
		json_line_text(&l->out, "type", "ready");
		json_line_text(&l->out, "url", url);
		json_line_number(&l->out, "pid", getpid());
		print_json(l);
		terminal_flush(t);
	}
	terminal_announce(t, "listening on %s", url);
}

/* The time of day at this place, with milliseconds. */
static void append_time(struct buffer *out, int64_t microseconds)
{
	time_t seconds = (time_t)(microseconds / 1000000);
	struct tm local;
	char text[16];
	localtime_r(&seconds, &local);
	strftime(text, sizeof text, "%H:%M:%S", &local);
	buffer_printf(out, "%s.%03d", text, (int)(microseconds / 1000 % 1000));
}

static const char *verdict_word(const struct verdict *verdict)
{
	if (!verdict)
		return "-";
	return !verdict->valid ? "invalid" : verdict->warnings > 0 ? "warnings" : "valid";
}

static void append_name(struct buffer *out, const struct verdict *verdict)
{
	char name[CATALOG_KIND_NAME_SIZE] = "(unknown)";
	if (!verdict)
		name[0] = '-', name[1] = '\0';
	else if (verdict->kind.event)
		catalog_kind_name(verdict->kind, name);
	buffer_printf(out, "%-*s", NAME_COLUMNS, name);
}

static void tell_as_text(struct listener *l, const struct arrival *a)
{
	const struct terminal *t = l->context->terminal;
	bool color = t->color_out;
	enum style style = !a->verdict || a->verdict->valid ? STYLE_GOOD : STYLE_ERROR;
	style_append(&l->out, color, STYLE_FAINT, "#%-4llu ", (unsigned long long)a->seq);
	append_time(&l->out, a->received_us);
	buffer_append_text(&l->out, "  ");
	append_name(&l->out, a->verdict);
	style_append(&l->out, color, style, " %-8s", verdict_word(a->verdict));
	buffer_printf(&l->out, " %d\n", a->status);
	struct buffer file = BUFFER_INIT;
	buffer_printf(&file, "#%llu", (unsigned long long)a->seq);
	struct payload_origin origin = { buffer_text(&file), 1, a->request->body, a->request->body_length, NULL, NULL };
	if (a->verdict && a->verdict->finding_count > 0)
		finding_report_text(a->verdict, &origin, color, terminal_width(), &l->out);
	if (t->verbose) {
		utf8_append_safe(&l->out, a->request->body ? a->request->body : "", a->request->body_length);
		buffer_append_byte(&l->out, '\n');
	}
	buffer_release(&file);
}

static void append_headers(struct buffer *out, const struct http_request *r)
{
	json_line_key(out, "headers");
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *f = &r->fields[i];
		bool secret = secret_is_header(f->name, f->name_length);
		json_line_comma(out);
		buffer_append_byte(out, '[');
		json_append_string(out, f->name, f->name_length);
		buffer_append_byte(out, ',');
		json_append_string(out, secret ? "***" : f->value, secret ? 3 : f->value_length);
		buffer_append_byte(out, ']');
	}
	buffer_append_byte(out, ']');
}

static void tell_as_json(struct listener *l, const struct arrival *a)
{
	struct buffer *out = &l->out;
	char stamp[CLOCK_STAMP_SIZE], name[CATALOG_KIND_NAME_SIZE];
	const struct catalog_event *event = a->verdict ? a->verdict->kind.event : NULL;
	struct payload_origin origin = { "body", 1, a->request->body, a->request->body_length, NULL, NULL };
	clock_format_stamp(a->received_us, stamp);
	if (event)
		catalog_kind_name(a->verdict->kind, name);
	json_line_begin(out);
	json_line_text(out, "type", "event");
	json_line_number(out, "seq", (int64_t)a->seq);
	json_line_text(out, "received_at", stamp);
	json_line_text(out, "remote", a->remote);
	json_line_text(out, "method", a->request->method);
	json_line_bytes(out, "target", a->request->target, a->request->target_length);
	append_headers(out, a->request);
	if (l->context->terminal->verbose)
		json_line_bytes(out, "body", a->request->body ? a->request->body : "", a->request->body_length);
	json_line_text(out, "event", event ? name : NULL);
	if (a->verdict) {
		json_line_bool(out, "valid", a->verdict->valid);
		finding_report_json_findings(a->verdict, &origin, out);
	} else {
		json_line_null(out, "valid");
	}
	json_line_key(out, "response");
	buffer_printf(out, "{\"status\":%d}", a->status);
	print_json(l);
}

void listen_tell_arrival(struct listener *l, const struct arrival *a)
{
	buffer_clear(&l->out);
	if (l->context->global->json) {
		tell_as_json(l, a);
	} else if (!l->context->terminal->quiet) {
		tell_as_text(l, a);
		print(l);
	}
}

void listen_tell_refused(struct listener *l, const char *remote, int status, const char *reason)
{
	terminal_note(l->context->terminal, "refused %s: %d %s", remote, status, reason ? reason : "");
}

static void append_expectations_json(struct buffer *out, const struct expectations *expected)
{
	json_line_key(out, "expected");
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < expected->count; i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(expected->list[i].kind, name);
		json_line_comma(out);
		json_line_begin(out);
		json_line_text(out, "event", name);
		json_line_number(out, "wanted", (int64_t)expected->list[i].wanted);
		json_line_number(out, "arrived", (int64_t)expected->list[i].arrived);
		json_line_end(out);
	}
	buffer_append_byte(out, ']');
}

static void summarise_as_json(struct listener *l)
{
	struct buffer *out = &l->out;
	json_line_begin(out);
	json_line_text(out, "type", "summary");
	json_line_number(out, "received", (int64_t)l->received);
	json_line_number(out, "valid", (int64_t)l->valid);
	json_line_number(out, "invalid", (int64_t)l->invalid);
	json_line_number(out, "refused", (int64_t)l->refused);
	json_line_key(out, "events");
	json_line_begin(out);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(catalog_kind_at(i), name);
		if (l->by_kind[i] > 0)
			json_line_number(out, name, (int64_t)l->by_kind[i]);
	}
	json_line_end(out);
	append_expectations_json(out, &l->args->expected);
	json_line_bool(out, "timed_out", l->timed_out);
	print_json(l);
}

void listen_tell_summary(struct listener *l)
{
	struct buffer missing = BUFFER_INIT;
	buffer_clear(&l->out);
	if (l->context->global->json)
		summarise_as_json(l);
	terminal_flush(l->context->terminal);
	terminal_note(l->context->terminal, "%llu received: %llu valid, %llu invalid; %llu refused",
	              (unsigned long long)l->received, (unsigned long long)l->valid, (unsigned long long)l->invalid,
	              (unsigned long long)l->refused);
	listen_append_missing(&missing, &l->args->expected);
	if (missing.length > 0)
		terminal_announce(l->context->terminal, "missing: %s", buffer_text(&missing));
	buffer_release(&missing);
}
