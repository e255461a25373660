#include "cmd/arrival.h"

#include "base/clock.h"
#include "base/fit.h"
#include "base/style.h"
#include "base/url_mask.h"
#include "base/utf8.h"
#include "http/secrets.h"
#include "receive/response.h"
#include "ui/columns.h"

#include <limits.h>
#include <string.h>

#define LINE_OTHER      36 /* columns beside the name: time, number, verdict, status, and a short path */
#define LINE_FORWARDED  41 /* with latency, and without a path */
#define LINE_WORDS      57 /* with a few words of the target's too, */
#define NAME_ENOUGH     20 /* columns of a name that stay even if there is no room for words */
#define NUMBER_COLUMNS  3  /* of "#" and the number, while that has two digits */
#define VERDICT_COLUMNS 7
#define LAID_OUT_MOST   500

/* A line being written. It is made for every notification, so that its parts are put together without printf. */
struct line {
	struct buffer *out;
	const struct arrival_style *style;
	int column;
};

static void append_text(struct line *l, const char *text)
{
	buffer_append_text(l->out, text);
	l->column += (int)strlen(text);
}

static void pad(struct line *l, int used, int columns)
{
	int blanks = (used < columns ? columns - used : 0) + 2;
	buffer_append_repeat(l->out, ' ', (size_t)blanks);
	l->column += blanks;
}

static void append_number(struct line *l, uint64_t number)
{
	size_t before = l->out->length;
	buffer_append_number(l->out, number);
	l->column += (int)(l->out->length - before);
}

/* The time of day at this place. */
static void append_time(struct line *l, struct arrival_style *style, int64_t microseconds)
{
	time_t second = (time_t)(microseconds / 1000000);
	if (second != style->clock.second) {
		struct tm local;
		localtime_r(&second, &local);
		strftime(style->clock.text, sizeof style->clock.text, "%H:%M:%S", &local);
		style->clock.second = second;
	}
	style_begin(l->out, style->color, STYLE_FAINT);
	append_text(l, style->clock.text);
	append_text(l, "  ");
	style_end(l->out, style->color, STYLE_FAINT);
}

static void append_seq(struct line *l, uint64_t seq)
{
	int before = l->column;
	append_text(l, "#");
	append_number(l, seq);
	pad(l, l->column - before, NUMBER_COLUMNS);
}

void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	if (kind.event)
		catalog_kind_name(kind, out);
	else
		strcpy(out, "(unknown)");
}

static void append_name(struct line *l, const struct arrival *a)
{
	char name[CATALOG_KIND_NAME_SIZE] = "-";
	int width = l->style->width > 0 ? l->style->width : LAID_OUT_MOST;
	int room = width - (l->style->forwards ? LINE_FORWARDED : LINE_OTHER);
	if (l->style->forwards && room > NAME_ENOUGH)
		room = width - LINE_WORDS > NAME_ENOUGH ? width - LINE_WORDS : NAME_ENOUGH;
	int columns = columns_of_name(room);
	if (a->is_checked)
		arrival_name(a->kind, name);
	fit_append_column(l->out, name, columns);
	l->column += columns;
	pad(l, 0, 0);
}

static void append_verdict(struct line *l, const struct arrival *a)
{
	const char *word = !a->is_checked ? "-" : !a->is_valid ? "invalid" : a->warnings > 0 ? "warning" : "valid";
	enum style style = !a->is_checked    ? STYLE_PLAIN
	                   : !a->is_valid    ? STYLE_ERROR
	                   : a->warnings > 0 ? STYLE_WARNING
	                                     : STYLE_GOOD;
	style_begin(l->out, l->style->color, style);
	append_text(l, word);
	style_end(l->out, l->style->color, style);
	pad(l, (int)strlen(word), VERDICT_COLUMNS);
}

/* Of a target in origin-form or absolute-form; "" for "/". */
static struct path {
	const char *text;
	size_t length;
} path_of(const char *target)
{
	const char *scheme = target[0] == '/' ? NULL : strstr(target, "://");
	if (scheme)
		target = scheme + 3 + strcspn(scheme + 3, "/?");
	size_t length = strcspn(target, "?");
	return (struct path){ target, length == 1 && *target == '/' ? 0 : length };
}

static void append_response(struct line *l, const struct arrival *a)
{
	const char *fault = response_fault_name(a->fault);
	enum style style = fault || (a->status >= 400 && a->status < 500) ? STYLE_WARNING
	                   : a->status >= 500                             ? STYLE_ERROR
	                                                                  : STYLE_PLAIN;
	if (a->is_forwarded) {
		buffer_append_text(l->out, l->style->utf8 ? "\u2192 " : "-> ");
		l->column += l->style->utf8 ? 2 : 3;
	}
	style_begin(l->out, l->style->color, style);
	if (fault)
		append_text(l, fault);
	else
		append_number(l, (uint64_t)a->status);
	style_end(l->out, l->style->color, style);
	if (a->is_forwarded) {
		char latency[CLOCK_DURATION_SIZE];
		clock_format_duration(a->latency_ns, latency);
		append_text(l, "  ");
		append_text(l, latency);
	}
}

/* Behind the line, or where it does not fit below it. */
static void append_remark(struct line *l, const char *text, size_t length)
{
	int width = l->style->width, room = width > 0 ? width - ARRIVAL_INDENT : LAID_OUT_MOST;
	if (length == 0)
		return;
	if (width > 0 && l->column + 2 + fit_columns(text, length) > width) {
		buffer_append_byte(l->out, '\n');
		buffer_append_repeat(l->out, ' ', ARRIVAL_INDENT);
		l->column = ARRIVAL_INDENT;
	} else {
		append_text(l, "  ");
	}
	l->column += fit_append(l->out, text, length, room);
}

static void append_repeat(struct line *l, const struct repeat *repeat)
{
	char span[CLOCK_DURATION_SIZE];
	LOCAL_BUFFER text = BUFFER_INIT;
	if (repeat->nth == 0)
		return;
	clock_format_duration(repeat->after_us * 1000, span);
	buffer_append_text(&text, "repeat of #");
	buffer_append_number(&text, repeat->of);
	buffer_append_text(&text, repeat->is_identical ? "" : " in other bytes");
	buffer_append_text(&text, " after ");
	buffer_append_text(&text, span);
	append_remark(l, buffer_text(&text), text.length);
}

/* "details.offCycle: ", or where the message names the key itself, "details." before it or "details: ". */
static void append_place(const char *pointer, const char *message, struct buffer *out)
{
	LOCAL_BUFFER path = BUFFER_INIT;
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
	LOCAL_BUFFER text = BUFFER_INIT, safe = BUFFER_INIT;
	bool is_error = severity == SEVERITY_ERROR;
	buffer_append_text(&text, is_error ? "" : "warning: ");
	append_place(pointer, message, &text);
	buffer_printf(&text, "%s [%s]", message, finding_rows[id].name);
	utf8_append_safe(&safe, buffer_text(&text), text.length);
	buffer_append_repeat(out, ' ', ARRIVAL_INDENT);
	style_begin(out, style->color, is_error ? STYLE_ERROR : STYLE_WARNING);
	fit_append_wrapped(out, buffer_text(&safe), ARRIVAL_INDENT, ARRIVAL_INDENT,
	                   style->width > 0 ? style->width : INT_MAX);
	style_end(out, style->color, is_error ? STYLE_ERROR : STYLE_WARNING);
	buffer_append_byte(out, '\n');
}

static void append_safe(const struct capture_text *text, struct buffer *out)
{
	utf8_append_safe(out, text->text ? text->text : "?", text->text ? text->length : 1);
}

void arrival_append_head(const struct capture_record *record, struct buffer *out)
{
	static const struct capture_text mask = { SECRET_MASK, sizeof SECRET_MASK - 1 };
	LOCAL_BUFFER target = BUFFER_INIT;
	append_safe(&record->method, out);
	buffer_append_byte(out, ' ');
	url_append_masked_reference(&target, record->target.text ? record->target.text : "?");
	utf8_append_safe(out, buffer_text(&target), target.length);
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		append_safe(&h->name, out);
		buffer_append_text(out, ": ");
		append_safe(secret_is_header(h->name.text, h->name.length) ? &mask : &h->value, out);
		buffer_append_byte(out, '\n');
	}
}

void arrival_append(const struct arrival *a, struct arrival_style *style, struct buffer *out)
{
	struct line line = { out, style, 0 };
	append_time(&line, style, a->received_us);
	append_seq(&line, a->seq);
	append_name(&line, a);
	append_verdict(&line, a);
	struct path path = path_of(a->target);
	append_response(&line, a);
	append_remark(&line, path.text, path.length);
	append_remark(&line, a->error, strlen(a->error));
	append_repeat(&line, &a->repeat);
	buffer_append_byte(out, '\n');
}
