#include "cmd/arrival.h"

#include "base/clock.h"
#include "base/fit.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/head.h"
#include "http/secrets.h"
#include "ui/line.h"

#include <string.h>

#define LINE_OTHER      36 /* columns beside the name: time, number, verdict, status, and a short path */
#define LINE_FORWARDED  41 /* with latency, and without a path */
#define LINE_WORDS      57 /* with a few words of the target's too, */
#define NAME_ENOUGH     20 /* columns of a name that stay even if there is no room for words */
#define TIME_COLUMNS    8
#define DATE_COLUMNS    11 /* before the time */
#define NUMBER_COLUMNS  3  /* of "#" and the number, while that has two digits */
#define VERDICT_COLUMNS 7
#define FAULT_COLUMNS   20
#define LAID_OUT_MOST   500

/* The time at this place. */
static const char *time_of(struct arrival_style *style, int64_t microseconds)
{
	time_t second = (time_t)(microseconds / 1000000);
	if (microseconds == 0)
		return "-";
	if (second != style->clock.second)
		clock_format_local(microseconds, style->clock.text);
	style->clock.second = second;
	return style->clock.text + (style->dated ? 0 : CLOCK_DATE_SIZE);
}

void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	if (kind.event)
		catalog_kind_name(kind, out);
	else
		strcpy(out, "(unknown)");
}

/* The columns for a name. */
static int name_columns(const struct arrival_style *style)
{
	int width = style->width - (style->dated ? DATE_COLUMNS : 0);
	int room = width - (style->forwards ? LINE_FORWARDED : LINE_OTHER);
	if (style->forwards && room > NAME_ENOUGH)
		room = width - LINE_WORDS > NAME_ENOUGH ? width - LINE_WORDS : NAME_ENOUGH;
	return columns_of_name(room);
}

/* The path of a target in origin-form or absolute-form; "" for "/". */
static struct text path_of(const char *target)
{
	target = http_target_path(target);
	size_t length = strcspn(target, "?");
	return (struct text){ target, length == 1 && *target == '/' ? 0 : length };
}

static void append_response(struct text_line *l, const struct arrival *a, const struct arrival_style *arrows)
{
	enum style style = a->fault || (a->status >= 400 && a->status < 500) ? STYLE_WARNING
	                   : a->status >= 500                                ? STYLE_ERROR
	                                                                     : STYLE_PLAIN;
	LOCAL_BUFFER status = BUFFER_FOR(l->out);
	if (a->fault)
		fit_append(&status, a->fault, strlen(a->fault), FAULT_COLUMNS);
	else if (a->status > 0)
		buffer_append_number(&status, (uint64_t)a->status);
	else
		buffer_append_byte(&status, '-');
	if (a->is_forwarded)
		text_line_append(l, STYLE_PLAIN, arrows->utf8 ? "\u2192 " : "-> ");
	text_line_append(l, style, buffer_text(&status));
	if (a->is_forwarded) {
		char latency[CLOCK_DURATION_SIZE];
		clock_format_duration(a->latency_ns, latency);
		text_line_append(l, STYLE_PLAIN, "  ");
		text_line_append(l, STYLE_PLAIN, latency);
	}
}

/* Never longer than a line of people, also where there is no terminal. */
static void append_remark(struct text_line *l, const char *text, size_t length)
{
	LOCAL_BUFFER cut = BUFFER_FOR(l->out);
	fit_append(&cut, text, length, LAID_OUT_MOST);
	text_line_remark(l, buffer_text(&cut), cut.length);
}

void arrival_append_repeat(const struct repeat *repeat, struct buffer *out)
{
	char span[CLOCK_DURATION_SIZE];
	if (repeat->nth == 0)
		return;
	clock_format_duration(repeat->after_us * 1000, span);
	buffer_append_text(out, "repeat of #");
	buffer_append_number(out, repeat->of);
	if (repeat->after_us > 0) {
		buffer_append_text(out, " after ");
		buffer_append_text(out, span);
	}
}

/* "details.offCycle: ", or where the message names the key itself, "details." before it or "details: ". */
static void append_place(const char *pointer, const char *message, struct buffer *out)
{
	LOCAL_BUFFER path = BUFFER_FOR(out);
	for (const char *c = pointer[0] == '/' ? pointer + 1 : pointer; *c; c++)
		buffer_append_byte(&path, *c == '/' ? '.' : *c);
	const char *text = buffer_text(&path), *dot = strrchr(text, '.'), *key = dot ? dot + 1 : text;
	const char *named = *key ? strstr(message, key) : NULL;
	size_t length = !named ? path.length : dot ? (size_t)(dot - text) : 0;
	buffer_append(out, text, length);
	if (length > 0)
		buffer_append_text(out, named == message ? "." : ": ");
}

void arrival_append_finding(const struct arrival_style *style, enum severity severity, const char *pointer,
                            const char *message, enum finding_id id, struct buffer *out)
{
	LOCAL_BUFFER text = BUFFER_FOR(out), safe = BUFFER_FOR(out);
	bool is_error = severity == SEVERITY_ERROR;
	buffer_append_text(&text, is_error ? "" : "warning: ");
	append_place(pointer, message, &text);
	buffer_printf(&text, "%s [%s]", message, finding_rows[id].name);
	utf8_append_safe(&safe, buffer_text(&text), text.length);
	buffer_append_repeat(out, ' ', ARRIVAL_INDENT);
	style_begin(out, style->color, is_error ? STYLE_ERROR : STYLE_WARNING);
	fit_append_wrapped(out, buffer_text(&safe), ARRIVAL_INDENT, ARRIVAL_INDENT, style->width);
	style_end(out, style->color, is_error ? STYLE_ERROR : STYLE_WARNING);
	buffer_append_byte(out, '\n');
}

void arrival_append(const struct arrival *a, struct arrival_style *style, struct buffer *out)
{
	struct text_line line = { out, style->color, style->width, ARRIVAL_INDENT, 0 };
	struct text path = path_of(a->target);
	char name[CATALOG_KIND_NAME_SIZE] = "-";
	LOCAL_BUFFER number = BUFFER_FOR(out), repeat = BUFFER_FOR(out);
	buffer_append_byte(&number, '#');
	buffer_append_number(&number, a->seq);
	if (a->is_checked)
		arrival_name(a->kind, name);
	text_line_cell(&line, STYLE_FAINT, time_of(style, a->received_us),
	               TIME_COLUMNS + (style->dated ? DATE_COLUMNS : 0));
	text_line_cell(&line, STYLE_PLAIN, buffer_text(&number), NUMBER_COLUMNS);
	text_line_cell(&line, STYLE_PLAIN, name, name_columns(style));
	if (!a->is_checked)
		text_line_cell(&line, STYLE_PLAIN, "-", VERDICT_COLUMNS);
	else if (!a->is_valid)
		text_line_cell(&line, STYLE_ERROR, "invalid", VERDICT_COLUMNS);
	else if (a->warnings > 0)
		text_line_cell(&line, STYLE_WARNING, "warning", VERDICT_COLUMNS);
	else
		text_line_cell(&line, STYLE_GOOD, "valid", VERDICT_COLUMNS);
	append_response(&line, a, style);
	append_remark(&line, path.text, path.length);
	append_remark(&line, a->error, strlen(a->error));
	arrival_append_repeat(&a->repeat, &repeat);
	text_line_remark(&line, buffer_text(&repeat), repeat.length);
	buffer_append_byte(out, '\n');
}

void arrival_append_short(const struct arrival *a, struct arrival_style *style, struct buffer *out)
{
	arrival_append(a, style, out);
	if (a->message)
		arrival_append_finding(style, a->severity, a->pointer, a->message, a->first, out);
	if (a->findings > 1) {
		buffer_append_repeat(out, ' ', ARRIVAL_INDENT);
		buffer_printf(out, "and %zu more: show %llu\n", a->findings - 1, (unsigned long long)a->seq);
	}
}
