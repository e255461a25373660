#include "cmd/list/arrival.h"

#include "base/fit.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/words/counters.h"
#include "http/head.h"
#include "http/secrets.h"
#include "json/print.h"
#include "report/excerpt.h"
#include "ui/line.h"

#include <stdio.h>
#include <string.h>

#define GAP             2
#define DATE_COLUMNS    10
#define TIME_COLUMNS    8
#define NUMBER_COLUMNS  7 /* "#100000" */
#define NAME_COLUMNS    43
#define NAME_ENOUGH     24 /* where a line has less for a name, verdict and status have a line of their own */
#define VERDICT_COLUMNS 7
#define STATUS_COLUMNS  3
#define ARROW_COLUMNS   3
#define LATENCY_COLUMNS 6 /* "999 ms" */
#define FAULT_COLUMNS   20
#define SHOWN_FINDINGS  20
#define SHOWN_BODY      ((size_t)64 << 10) /* bytes */
#define STATUSES_EACH   4
#define BEFORE_NAME     (TIME_COLUMNS + GAP + NUMBER_COLUMNS + GAP)
#define BESIDE_NAME     (BEFORE_NAME + GAP + VERDICT_COLUMNS + GAP + STATUS_COLUMNS)

bool arrival_note_time(struct arrival_style *style, int64_t received_us)
{
	time_t second = (time_t)(received_us / 1000000);
	char before[CLOCK_STAMP_SIZE];
	if (received_us == 0 || second == style->second)
		return false;
	memcpy(before, style->clock, sizeof before);
	clock_format_local(received_us, style->clock);
	style->second = second;
	return strncmp(before, style->clock, DATE_COLUMNS) != 0;
}

/* A line with what has changed. What ends the line of the notification stays in *request. */
static void append_heading(const struct arrival *a, struct arrival_style *style, struct buffer *request,
                           struct buffer *out)
{
	bool is_new_date = arrival_note_time(style, a->received_us);
	uint64_t hash = request->length > 0 ? hash_bytes(request->data, request->length) : 0;
	size_t known = 0;
	while (known < ARRIVAL_REQUESTS && style->requests[known] != hash)
		known++;
	bool is_new = hash != 0 && known == ARRIVAL_REQUESTS, is_same = known == style->request;
	if (is_new) {
		known = style->newest = (style->newest + 1) % ARRIVAL_REQUESTS;
		style->requests[known] = hash;
	}
	if (hash != 0)
		style->request = known;
	if (is_new_date || is_new) {
		style_begin(out, style->color, STYLE_BOLD);
		buffer_append(out, style->clock, is_new_date ? DATE_COLUMNS : 0);
		buffer_append_text(out, is_new_date && is_new ? "  " : "");
		if (is_new)
			fit_append(out, request->data, request->length,
			           style->width - (is_new_date ? DATE_COLUMNS + GAP : 0));
		style_end(out, style->color, STYLE_BOLD);
		buffer_append_byte(out, '\n');
	}
	if (is_new || is_same)
		buffer_clear(request);
}

void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	if (kind.event)
		catalog_kind_name(kind, out);
	else
		strcpy(out, "(unknown)");
}

/* Where the rest of the line goes if it does not fit. */
static void break_line(struct text_line *l)
{
	while (l->out->length > 0 && l->out->data[l->out->length - 1] == ' ')
		buffer_consume_end(l->out, 1);
	buffer_append_byte(l->out, '\n');
	buffer_append_repeat(l->out, ' ', ARRIVAL_INDENT);
	l->column = ARRIVAL_INDENT;
}

static void append_response(struct text_line *l, const struct arrival *a, const struct arrival_style *arrows)
{
	enum style style = a->fault || (a->status >= 400 && a->status < 500) ? STYLE_WARNING
	                   : a->status >= 500                                ? STYLE_ERROR
	                                                                     : STYLE_PLAIN;
	LOCAL_BUFFER status = BUFFER_FOR(l->out);
	bool is_shown = l->width < COLUMNS_UNLIMITED;
	if (a->fault)
		fit_append(&status, a->fault, strlen(a->fault), is_shown ? FAULT_COLUMNS : COLUMNS_UNLIMITED);
	else if (a->status > 0)
		buffer_append_number(&status, (uint64_t)a->status);
	else
		buffer_append_byte(&status, '-');
	if (l->column + (a->is_forwarded ? ARROW_COLUMNS : 0) + fit_columns(buffer_text(&status), status.length) >
	    l->width)
		break_line(l);
	if (a->is_forwarded)
		text_line_append(l, STYLE_PLAIN, arrows->utf8 ? "\u2192 " : "-> ");
	text_line_append(l, style, buffer_text(&status));
}

/* Where it does not fit, below, and what follows beside it. */
static void append_remark(struct text_line *l, const char *text, size_t length)
{
	int columns = fit_columns(text, length);
	bool is_below = length > 0 && l->column + GAP + columns > l->width;
	text_line_remark(l, text, length);
	if (is_below && l->indent + columns < l->width)
		l->column = l->indent + columns;
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

/* Wrapped to the width. */
static void append_finding(const struct arrival_style *style, struct finding_walk *walk, struct buffer *out)
{
	LOCAL_BUFFER text = BUFFER_FOR(out), safe = BUFFER_FOR(out);
	const struct finding *f = walk->finding;
	const char *message = verdict_message(walk->verdict, f);
	buffer_append_text(&text, f->severity == SEVERITY_ERROR ? "" : "warning: ");
	append_place(buffer_text(finding_walk_pointer(walk)), message, &text);
	buffer_printf(&text, "%s [%s]", message, finding_rows[f->id].name);
	utf8_append_safe(&safe, buffer_text(&text), text.length);
	buffer_append_repeat(out, ' ', ARRIVAL_INDENT);
	style_begin(out, style->color, severity_style(f->severity));
	fit_append_wrapped(out, buffer_text(&safe), ARRIVAL_INDENT, ARRIVAL_INDENT, style->width);
	style_end(out, style->color, severity_style(f->severity));
	buffer_append_byte(out, '\n');
}

void arrival_append_findings(const struct arrival_style *style, const struct text *body, const struct verdict *verdict,
                             uint64_t listed, struct buffer *out)
{
	struct payload_origin origin = { "", 1, body->text, body->length, NULL, NULL, 1 };
	struct finding_walk walk;
	char blanks[ARRIVAL_INDENT + 5];
	if (verdict->finding_count == 0)
		return;
	snprintf(blanks, sizeof blanks, "%*s", ARRIVAL_INDENT + 4, "");
	finding_walk_init(&walk, verdict, &origin, out);
	walk.errors_first = true;
	for (size_t i = 0; i < (listed > 0 ? 1 : SHOWN_FINDINGS) && finding_walk_next(&walk); i++) {
		append_finding(style, &walk, out);
		if (listed == 0)
			excerpt_append(out, &walk, blanks, "", style->color, style->width);
	}
	size_t more = finding_walk_unlisted(&walk);
	blanks[ARRIVAL_INDENT] = '\0';
	buffer_append_text(out, more > 0 ? blanks : "");
	if (listed == 0) {
		finding_walk_append_unlisted(&walk, out);
	} else if (more > 0) {
		buffer_printf(out, "and %zu more", more);
		if (style->show)
			buffer_printf(out, ": %s %llu", style->show, (unsigned long long)listed);
	}
	buffer_append_text(out, more > 0 ? "\n" : "");
	finding_walk_release(&walk);
}

static void append_alike(struct text_line *l, const struct arrival_style *style)
{
	LOCAL_BUFFER count = BUFFER_FOR(l->out);
	buffer_printf(&count, "%s%s", COUNT_TEXT(style->alike), style->utf8 ? "\u00d7" : "x");
	int blanks = style->alike_columns - fit_columns(buffer_text(&count), count.length);
	buffer_append_repeat(l->out, ' ', blanks > 0 ? (size_t)blanks : 0);
	l->column += blanks > 0 ? blanks : 0;
	text_line_cell(l, STYLE_FAINT, buffer_text(&count), 0);
}

void arrival_append(const struct arrival *a, struct arrival_style *style, struct buffer *out)
{
	struct text_line line = { out, style->color, style->width, ARRIVAL_INDENT, 0 };
	int alike_columns = style->alike_columns > 0 ? style->alike_columns + GAP : 0;
	int most = style->width - BESIDE_NAME - alike_columns - (style->forwards ? ARROW_COLUMNS : 0);
	int cell = style->forwards ? most - GAP - LATENCY_COLUMNS : most;
	bool is_narrow = cell < NAME_ENOUGH;
	char name[CATALOG_KIND_NAME_SIZE] = "-", latency[CLOCK_DURATION_SIZE] = "";
	LOCAL_BUFFER number = BUFFER_FOR(out), request = BUFFER_FOR(out), repeat = BUFFER_FOR(out);
	if (a->method.text) {
		const char *path = http_target_path(a->target.text), *end = a->target.text + a->target.length;
		const char *query = memchr(path, '?', (size_t)(end - path));
		buffer_append(&request, a->method.text, a->method.length);
		buffer_append_byte(&request, ' ');
		buffer_append(&request, path, (size_t)((query ? query : end) - path));
	}
	append_heading(a, style, &request, out);
	buffer_append_byte(&number, '#');
	buffer_append_number(&number, a->seq);
	if (a->is_checked)
		arrival_name(a->kind, name);
	if (a->is_forwarded)
		clock_format_duration(a->latency_ns, latency);
	arrival_append_repeat(&a->repeat, &repeat);
	text_line_cell(&line, STYLE_FAINT, a->received_us == 0 ? "-" : style->clock + CLOCK_DATE_SIZE, TIME_COLUMNS);
	int blanks = NUMBER_COLUMNS - (int)number.length;
	buffer_append_repeat(out, ' ', blanks > 0 ? (size_t)blanks : 0);
	line.column += blanks > 0 ? blanks : 0;
	text_line_cell(&line, STYLE_PLAIN, buffer_text(&number), 0);
	if (style->alike_columns > 0)
		append_alike(&line, style);
	/* A name that is longer than its cell is rather in the way of what only some lines have than cut. */
	most = is_narrow ? columns_of_name(style->width - BEFORE_NAME - alike_columns) : most;
	cell = is_narrow ? 0 : cell < NAME_COLUMNS ? cell : NAME_COLUMNS;
	int wide = (int)strlen(name);
	text_line_cell(&line, STYLE_PLAIN, name, wide < cell ? cell : wide < most ? wide : most);
	if (is_narrow)
		break_line(&line);
	if (!a->is_checked)
		text_line_cell(&line, STYLE_PLAIN, "-", VERDICT_COLUMNS);
	else if (!a->is_valid)
		text_line_cell(&line, STYLE_ERROR, "invalid", VERDICT_COLUMNS);
	else if (a->warnings > 0)
		text_line_cell(&line, STYLE_WARNING, "warning", VERDICT_COLUMNS);
	else
		text_line_cell(&line, STYLE_GOOD, "valid", VERDICT_COLUMNS);
	append_response(&line, a, style);
	append_remark(&line, latency, strlen(latency));
	append_remark(&line, a->error, strlen(a->error));
	if (style->alike_in)
		append_remark(&line, style->alike_in, strlen(style->alike_in));
	append_remark(&line, buffer_text(&repeat), repeat.length);
	append_remark(&line, buffer_text(&request), request.length);
	buffer_append_byte(out, '\n');
}

uint64_t verdict_counts_sum(const struct verdict_counts *counts)
{
	return counts->valid + counts->invalid + counts->unchecked;
}

void arrival_append_verdicts(const struct verdict_counts *counts, struct buffer *out)
{
	LOCAL_BUFFER list = BUFFER_FOR(out);
	counter_append(&list, counts->valid, "valid");
	counter_append(&list, counts->invalid, "invalid");
	counter_append(&list, counts->unchecked, "unchecked");
	buffer_append_text(out, list.length > 0 ? buffer_text(&list) : "0 valid");
}

void arrival_append_statuses(const uint64_t counts[ARRIVAL_STATUSES], bool utf8, struct buffer *out)
{
	uint64_t classes[ARRIVAL_STATUSES / 100] = { 0 };
	size_t different = 0;
	for (size_t status = 100; status < ARRIVAL_STATUSES; status++) {
		classes[status / 100] += counts[status];
		different += counts[status] > 0;
	}
	bool is_each = different <= STATUSES_EACH;
	for (size_t i = is_each ? 100 : 1; i < (is_each ? ARRIVAL_STATUSES : ARRIVAL_STATUSES / 100); i++) {
		char words[32];
		snprintf(words, sizeof words, "%s %zu%s", utf8 ? "\u00d7" : "x", i, is_each ? "" : "xx");
		counter_append(out, is_each ? counts[i] : classes[i], words);
	}
	counter_append(out, counts[1], counts[1] == 1 ? "fault" : "faults");
	counter_append(out, counts[0], "without a response");
}

void arrival_count(struct arrival_counts *counts, const struct verdict *verdict, int status, bool has_fault)
{
	bool is_known = status >= 100 && status < ARRIVAL_STATUSES;
	struct verdict_counts *v = &counts->verdicts;
	*(!verdict ? &v->unchecked : verdict->valid ? &v->valid : &v->invalid) += 1;
	counts->statuses[has_fault ? 1 : is_known ? status : 0]++;
}

void arrival_append_counts(const struct arrival_counts *counts, bool utf8, struct buffer *out)
{
	LOCAL_BUFFER statuses = BUFFER_FOR(out);
	arrival_append_verdicts(&counts->verdicts, out);
	if (counts->statuses[0] == verdict_counts_sum(&counts->verdicts))
		return;
	arrival_append_statuses(counts->statuses, utf8, &statuses);
	buffer_printf(out, "; %s", buffer_text(&statuses));
}

/* Lines made safe, the last one ended. */
static void append_lines(struct buffer *out, const char *text, size_t length)
{
	utf8_append_safe_lines(out, text, length);
	if (length > 0 && text[length - 1] != '\n')
		buffer_append_byte(out, '\n');
}

void arrival_append_request(const struct message *request, struct buffer *out)
{
	size_t length = request->body.length, shown = length < SHOWN_BODY ? length : SHOWN_BODY;
	LOCAL_BUFFER pretty = BUFFER_FOR(out);
	message_append_head(request, true, out);
	if (length <= SHOWN_BODY && json_pretty(request->body.text, length, &pretty)) {
		append_lines(out, buffer_text(&pretty), pretty.length);
		return;
	}
	append_lines(out, request->body.text, shown);
	if (shown < length)
		buffer_printf(out, "... and %zu bytes more\n", length - shown);
}
