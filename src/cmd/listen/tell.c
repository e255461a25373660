/* A line per notification, for people or as NDJSON. It is written when the notification comes, and printed when it is
 * answered, with the answer put in. */
#include "base/clock.h"
#include "base/fit.h"
#include "base/utf8.h"
#include "cmd/listen/listen.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "json/tree.h"
#include "report/finding_report.h"

#include <string.h>
#include <time.h>

#define SHOWN_BODY   ((size_t)64 << 10) /* bytes of a body that are shown with -v */
#define NAME_COLUMNS 44                 /* of the longest name */
#define NAME_LEAST   12
#define LINE_OTHER   44 /* columns beside the name: number, time, verdict, answer */

#define NUMBER_COLUMNS  5 /* of "#" and the number, while that has four digits */
#define VERDICT_COLUMNS 8

/* The time of day at this place, with milliseconds. */
static void append_time(struct listener *l, struct buffer *out, int64_t microseconds)
{
	time_t second = (time_t)(microseconds / 1000000);
	unsigned ms = (unsigned)(microseconds / 1000 % 1000);
	if (second != l->clock.second) {
		struct tm local;
		localtime_r(&second, &local);
		strftime(l->clock.text, sizeof l->clock.text, "%H:%M:%S", &local);
		l->clock.second = second;
	}
	char fraction[] = { '.', (char)('0' + ms / 100), (char)('0' + ms / 10 % 10), (char)('0' + ms % 10) };
	buffer_append_text(out, l->clock.text);
	buffer_append(out, fraction, sizeof fraction);
}

/* A line is made for every notification, so that its parts are put together without printf. */
static void append_padded(struct buffer *out, const char *text, size_t columns)
{
	size_t length = strlen(text);
	buffer_append(out, text, length);
	buffer_append_repeat(out, ' ', (length < columns ? columns - length : 0) + 1);
}

static void append_number(struct buffer *out, bool color, uint64_t seq)
{
	style_begin(out, color, STYLE_FAINT);
	size_t before = out->length;
	buffer_append_byte(out, '#');
	buffer_append_number(out, seq);
	size_t width = out->length - before;
	buffer_append_repeat(out, ' ', (width < NUMBER_COLUMNS ? NUMBER_COLUMNS - width : 0) + 1);
	style_end(out, color, STYLE_FAINT);
}

static const char *verdict_word(const struct verdict *verdict)
{
	if (!verdict)
		return "-";
	return !verdict->valid ? "invalid" : verdict->warnings > 0 ? "warnings" : "valid";
}

/* How wide the name may be, so that a line fits the terminal; elsewhere every name has room. */
static int name_columns(const struct terminal *t)
{
	int columns = t->out_is_tty ? terminal_width() - LINE_OTHER : NAME_COLUMNS;
	if (columns > NAME_COLUMNS)
		return NAME_COLUMNS;
	return columns < NAME_LEAST ? NAME_LEAST : columns;
}

static void append_name(struct buffer *out, const struct ticket *t, int columns)
{
	char name[CATALOG_KIND_NAME_SIZE] = "(unknown)";
	if (!t->judged)
		name[0] = '-', name[1] = '\0';
	else if (t->kind.event)
		catalog_kind_name(t->kind, name);
	fit_append_column(out, name, columns);
}

static void append_repeat(struct buffer *out, const struct repeat *repeat)
{
	char span[CLOCK_DURATION_SIZE];
	if (repeat->nth == 0)
		return;
	clock_format_duration(repeat->after_us * 1000, span);
	buffer_append_text(out, "      repeat ");
	buffer_append_number(out, repeat->nth);
	buffer_append_text(out, " of #");
	buffer_append_number(out, repeat->of);
	buffer_append_text(out, " after ");
	buffer_append_text(out, span);
	buffer_append_text(out, repeat->is_identical ? ", identical\n" : ", changed\n");
}

static void append_forwarded(struct buffer *out, const struct arrival *a)
{
	char span[CLOCK_DURATION_SIZE];
	if (!a->forwarded)
		return;
	clock_format_duration(a->forwarded->latency_ns, span);
	buffer_append_text(out, "      forwarded to ");
	utf8_append_safe(out, a->forwarded_to, strlen(a->forwarded_to));
	buffer_printf(out, ", %s", span);
	if (a->forwarded->message[0] != '\0') {
		buffer_append_text(out, ": ");
		utf8_append_safe(out, a->forwarded->message, strlen(a->forwarded->message));
	}
	buffer_append_byte(out, '\n');
}

static void append_forwarded_json(struct buffer *out, const struct arrival *a)
{
	if (!a->forwarded)
		return;
	json_line_key(out, "forwarded");
	json_line_begin(out);
	json_line_text(out, "to", a->forwarded_to);
	json_line_decimal(out, "latency_ms", (double)a->forwarded->latency_ns / CLOCK_NS_PER_MS);
	if (a->forwarded->message[0] != '\0')
		json_line_text(out, "error", a->forwarded->message);
	json_line_end(out);
}

/* Lines made safe, the last one ended. */
static void append_lines(struct buffer *out, const char *text, size_t length)
{
	utf8_append_safe_lines(out, text, length);
	if (length > 0 && text[length - 1] != '\n')
		buffer_append_byte(out, '\n');
}

/* The body indented where it is JSON, and as it came where it is not, or is long. */
static void append_body(struct buffer *out, const struct arrival *a)
{
	const char *body = a->request->body;
	size_t length = a->request->body_length, shown = length;
	const struct json_doc *doc = a->verdict ? a->verdict->doc : NULL;
	struct json_object *tree;
	struct error ignored;
	if (doc && doc->count > 0 && length <= SHOWN_BODY && tree_from_doc(doc, 0, &tree, &ignored) == 0) {
		struct buffer pretty = BUFFER_INIT;
		tree_append_text(tree, true, &pretty);
		json_object_put(tree);
		append_lines(out, buffer_text(&pretty), pretty.length);
		buffer_release(&pretty);
		return;
	}
	if (shown > SHOWN_BODY)
		shown = SHOWN_BODY;
	append_lines(out, body, shown);
	if (shown < length)
		buffer_printf(out, "... and %zu bytes more\n", length - shown);
}

static void begin_text(struct ticket *ticket, const struct arrival *a)
{
	struct buffer *out = &ticket->told, origin_name = BUFFER_INIT;
	const struct terminal *t = ticket->listener->context->terminal;
	unsigned long long seq = (unsigned long long)ticket->seq;
	enum style verdict_style = !ticket->judged || ticket->valid ? STYLE_GOOD : STYLE_ERROR;
	append_number(out, t->color_out, ticket->seq);
	append_time(ticket->listener, out, a->received_us);
	buffer_append_text(out, "  ");
	append_name(out, ticket, name_columns(t));
	buffer_append_byte(out, ' ');
	style_begin(out, t->color_out, verdict_style);
	append_padded(out, verdict_word(a->verdict), VERDICT_COLUMNS);
	style_end(out, t->color_out, verdict_style);
	ticket->told_answer = out->length;
	buffer_append_byte(out, '\n');
	append_repeat(out, &a->repeat);
	append_forwarded(out, a);
	if (a->verdict && a->verdict->finding_count > 0) {
		buffer_printf(&origin_name, "#%llu", seq);
		struct payload_origin origin = { buffer_text(&origin_name), 1,    a->request->body,
			                         a->request->body_length,   NULL, NULL };
		finding_report_text(a->verdict, &origin, t->color_out, terminal_width(), out);
		buffer_release(&origin_name);
	}
	if (t->verbose)
		append_body(out, a);
}

/* The line says what the record says. With -v it is one, so that it can be replayed: the body is in it, and headers
 * are as they came. Without, it is for reading, and secrets are masked. */
static void append_record(struct ticket *t, const struct arrival *a, struct buffer *out)
{
	bool whole = t->listener->context->terminal->verbose;
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record;
	struct buffer members = BUFFER_INIT;
	if (listen_make_record(t, a, name, &record) < 0) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; !whole && i < record.header_count; i++) {
		struct capture_header *h = &t->listener->headers[i];
		if (secret_is_header(h->name.text, h->name.length))
			h->value = (struct capture_text){ SECRET_MASK, strlen(SECRET_MASK) };
	}
	capture_record_append_members(&record, whole, &members);
	json_line_comma(out);
	json_line_members(out, buffer_text(&members), members.length);
	out->failed |= members.failed;
	buffer_release(&members);
}

static void append_repeat_json(struct buffer *out, const struct repeat *repeat)
{
	if (repeat->nth == 0)
		return;
	json_line_key(out, "repeat");
	json_line_begin(out);
	json_line_number(out, "nth", (int64_t)repeat->nth);
	json_line_number(out, "of", (int64_t)repeat->of);
	json_line_decimal(out, "after_ms", (double)repeat->after_us / 1000);
	json_line_bool(out, "identical", repeat->is_identical);
	json_line_end(out);
}

static void begin_json(struct ticket *t, const struct arrival *a)
{
	struct buffer *out = &t->told;
	struct payload_origin origin = { "body", 1, a->request->body, a->request->body_length, NULL, NULL };
	json_line_begin(out);
	json_line_text(out, "type", "event");
	append_record(t, a, out);
	if (a->verdict)
		finding_report_json_findings(a->verdict, &origin, out);
	append_repeat_json(out, &a->repeat);
	append_forwarded_json(out, a);
	json_line_key(out, "response");
	t->told_answer = out->length;
}

void listen_tell_begin(struct ticket *t, const struct arrival *a)
{
	const struct listener *l = t->listener;
	if (terminal_is_closed(l->context->terminal))
		return;
	if (l->context->global->json)
		begin_json(t, a);
	else if (!l->context->terminal->quiet)
		begin_text(t, a);
}

void listen_tell_end(const struct ticket *t)
{
	struct listener *l = t->listener;
	bool json = l->context->global->json;
	const char *fault = response_fault_name(t->answer.fault);
	struct buffer *out = &l->out;
	if (t->told.length == 0)
		return;
	buffer_clear(out);
	buffer_append(out, t->told.data, t->told_answer);
	if (json)
		buffer_append_text(out, fault ? "{\"fault\":\"" : "{\"status\":");
	if (fault)
		buffer_append_text(out, fault);
	else
		buffer_append_number(out, (uint64_t)t->answer.status);
	if (json)
		buffer_append_text(out, fault ? "\"}}\n" : "}}\n");
	else
		buffer_append(out, t->told.data + t->told_answer, t->told.length - t->told_answer);
	terminal_offer(l->context->terminal, buffer_text(out), out->length);
}

void listen_tell_refused(struct listener *l, const char *remote, int status, const char *reason)
{
	if (status == 0)
		terminal_note(l->context->terminal, "refused %s: no TLS: %s", remote, reason);
	else
		terminal_note(l->context->terminal, "refused %s: %d %s", remote, status, reason ? reason : "");
}
