#include "cmd/arrival.h"

#include "base/fit.h"
#include "base/style.h"
#include "receive/response.h"
#include "ui/columns.h"

#include <limits.h>
#include <string.h>

#define LINE_OTHER      44 /* columns beside the name: number, time, verdict, response */
#define NUMBER_COLUMNS  5  /* of "#" and the number, while that has four digits */
#define VERDICT_COLUMNS 8

/* The time of day at this place, with milliseconds. */
static void append_time(struct arrival_style *style, struct buffer *out, int64_t microseconds)
{
	time_t second = (time_t)(microseconds / 1000000);
	unsigned ms = (unsigned)(microseconds / 1000 % 1000);
	if (second != style->clock.second) {
		struct tm local;
		localtime_r(&second, &local);
		strftime(style->clock.text, sizeof style->clock.text, "%H:%M:%S", &local);
		style->clock.second = second;
	}
	char fraction[] = { '.', (char)('0' + ms / 100), (char)('0' + ms / 10 % 10), (char)('0' + ms % 10) };
	buffer_append_text(out, style->clock.text);
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

void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	if (kind.event)
		catalog_kind_name(kind, out);
	else
		strcpy(out, "(unknown)");
}

static void append_verdict(const struct arrival *a, bool color, struct buffer *out)
{
	const char *word = !a->is_checked ? "-" : !a->is_valid ? "invalid" : a->warnings > 0 ? "warnings" : "valid";
	enum style style = !a->is_checked || a->is_valid ? STYLE_GOOD : STYLE_ERROR;
	style_begin(out, color, style);
	append_padded(out, word, VERDICT_COLUMNS);
	style_end(out, color, style);
}

void arrival_append(const struct arrival *a, struct arrival_style *style, struct buffer *out)
{
	char name[CATALOG_KIND_NAME_SIZE] = "-";
	const char *fault = response_fault_name(a->fault);
	if (a->is_checked)
		arrival_name(a->kind, name);
	append_number(out, style->color, a->seq);
	append_time(style, out, a->received_us);
	buffer_append_text(out, "  ");
	fit_append_column(out, name, columns_of_name(style->width > 0 ? style->width - LINE_OTHER : INT_MAX));
	buffer_append_byte(out, ' ');
	append_verdict(a, style->color, out);
	if (fault)
		buffer_append_text(out, fault);
	else
		buffer_append_number(out, (uint64_t)a->status);
	buffer_append_byte(out, '\n');
}
