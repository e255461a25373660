#include "cmd/words/why_words.h"

#include "base/clock.h"
#include "base/fit.h"
#include "base/mend.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/args/where.h"
#include "json/json_line.h"

#include <string.h>

#define INDENT 4

/* "08:14:07"; with the date where the two are of different days. */
static void append_time(int64_t us, bool has_date, struct buffer *out)
{
	char stamp[CLOCK_STAMP_SIZE];
	clock_format_local(us, stamp);
	buffer_append_text(out, has_date ? stamp : stamp + CLOCK_DATE_SIZE);
}

static bool are_of_two_days(const struct day_cause *c)
{
	char first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE];
	clock_format_local(c->first_us, first);
	clock_format_local(c->last_us, last);
	return memcmp(first, last, CLOCK_DATE_SIZE) != 0;
}

/* "from 11:02:10 to 11:09:41". */
static void append_span(const struct day_cause *c, struct buffer *out)
{
	bool dated = are_of_two_days(c);
	if (c->first_us == 0 || c->last_us <= c->first_us) { /* of captures without times, or of one moment */
		buffer_printf(out, "from #%llu to #%llu", (unsigned long long)c->first, (unsigned long long)c->last);
		return;
	}
	buffer_append_text(out, "from ");
	append_time(c->first_us, dated, out);
	buffer_append_text(out, " to ");
	append_time(c->last_us, dated, out);
}

static void append_why(const struct day_cause *c, const struct cause_style *style, struct buffer *out)
{
	switch (c->type) {
	case DAY_SPAN:
		append_span(c, out);
		if (c->is_only)
			buffer_append_text(out, c->has_after ? " only; accepted ones of the same kinds "
			                                     : " and to the end; accepted ones of the same kinds ");
		else
			buffer_append_text(out, " none of the same kinds was accepted; some were ");
		buffer_append_text(out, c->has_before && c->has_after ? "before and after"
		                        : c->has_before               ? "before"
		                                                      : "after");
		if (c->fact_count > 0) {
			buffer_append_text(out, "; ");
			day_append_facts(c, out);
		}
		return;
	case DAY_FACTS:
		if (c->is_in_span) {
			append_span(c, out);
			buffer_append_byte(out, ' ');
		}
		day_append_facts(c, out);
		return;
	case DAY_BUSY:
		buffer_printf(out, "comes and goes: %s of %s requests; the listener limits their rate",
		              COUNT_TEXT(c->failed), COUNT_TEXT(c->accepted + c->failed));
		return;
	case DAY_UNKNOWN:
	case DAY_TYPES:
		if (c->accepted == 0) {
			buffer_printf(out, "nothing that was %s was accepted, so there is nothing to compare with",
			              style->is_sent ? "sent" : "recorded");
			return;
		}
		if (c->accepted < DAY_ACCEPTED_LEAST) {
			buffer_printf(out, "%s accepted %s too few to compare with: from %d on a cause is said",
			              COUNT_TEXT(c->accepted), c->accepted == 1 ? "one is" : "ones are",
			              DAY_ACCEPTED_LEAST);
			return;
		}
		buffer_printf(out, "no difference found in what was %s", style->is_sent ? "sent" : "recorded");
	}
}

void why_words_append_line(const struct day_cause *cause, const struct cause_style *style, struct buffer *out)
{
	LOCAL_BUFFER why = BUFFER_FOR(out);
	append_why(cause, style, &why);
	utf8_append_safe(out, buffer_text(&why), why.length);
}

/* Whether a line can have it that a person types, who has no command for what quotes cannot hold. */
static bool can_be_typed(const char *word)
{
	for (const char *c = word; *c; c++)
		if (*c == '\'' || (unsigned char)*c < ' ' || (unsigned char)*c >= 0x7F)
			return false;
	return true;
}

/* Whether --where takes it so. */
static bool is_taken(const char *word)
{
	struct where_list list = { .count = 0 };
	struct error unused;
	bool is_taken = where_add(&list, word, &unused) == 0;
	where_release(&list);
	return is_taken;
}

static bool append_filter(const struct cause_fact *f, struct buffer *out)
{
	LOCAL_BUFFER path = BUFFER_FOR(out), word = BUFFER_FOR(out);
	bool is_event = f->kind == FACT_KIND;
	if (!is_event && f->kind != FACT_VALUE && f->kind != FACT_EVENT && f->kind != FACT_METHOD &&
	    f->kind != FACT_SERVICE)
		return false;
	for (const char *c = is_event ? "" : f->subject + 1; *c; c++)
		buffer_append_byte(&path, *c == '/' ? '.' : *c);
	buffer_printf(&word, "%s=%s", buffer_text(&path), f->value);
	if (!can_be_typed(buffer_text(&word)) || (!is_event && !is_taken(buffer_text(&word))))
		return false;
	buffer_append_text(out, is_event ? " --events " : " --where ");
	if (!is_event) {
		shell_append(out, path.data, path.length);
		buffer_append_byte(out, '=');
	}
	if (is_event || f->value[0] != '\0')
		shell_append(out, f->value, strlen(f->value));
	return true;
}

/* Appends the options of `show` that select exactly these. False: there are none, and nothing is appended. */
static bool append_where(const struct day_cause *c, const struct cause_style *style, struct buffer *out)
{
	size_t from = out->length;
	bool good = c->type == DAY_FACTS && c->is_exact && !style->is_part && !style->is_sent;
	if (!good)
		return false;
	buffer_printf(out, "--status %d", c->status);
	for (size_t i = 0; good && i < (c->needs_all ? c->fact_count : 1); i++)
		good = append_filter(&c->facts[i], out);
	if (!good)
		buffer_consume_end(out, out->length - from);
	return good;
}

/* "credhook show FILE", or "show" in a shell. False: there is no such line. */
static bool append_show(const struct cause_style *style, struct buffer *out)
{
	if (style->is_session)
		buffer_append_text(out, "show");
	else if (style->capture)
		mend_append(out, "credhook show FILE", &(struct mend_file){ .path = style->capture });
	return style->is_session || style->capture;
}

/* What shows them: options, or the first numbers. */
static void append_place(const struct day_cause *c, const struct cause_style *style, struct buffer *out)
{
	bool dated = are_of_two_days(c);
	if (c->type == DAY_UNKNOWN && c->unlike > 0) {
		buffer_append_text(out, "most alike: ");
		if (append_show(style, out))
			buffer_printf(out, " %llu %llu --diff", (unsigned long long)c->alike,
			              (unsigned long long)c->unlike);
		else
			buffer_printf(out, "#%llu and #%llu", (unsigned long long)c->alike,
			              (unsigned long long)c->unlike);
		return;
	}
	for (int end = 0; end < (c->last != c->first ? 2 : 1); end++) {
		int64_t us = end ? c->last_us : c->first_us;
		buffer_printf(out, "%s#%llu", end ? " to " : "", (unsigned long long)(end ? c->last : c->first));
		buffer_append_text(out, us != 0 ? " " : "");
		if (us != 0)
			append_time(us, dated, out);
	}
	buffer_append_text(out, "; ");
	if (append_where(c, style, out))
		return;
	bool is_typed = append_show(style, out);
	for (size_t i = 0; i < c->number_count; i++)
		buffer_printf(out, "%s%s%llu", is_typed || i > 0 ? " " : "", is_typed ? "" : "#",
		              (unsigned long long)c->numbers[i]);
}

/* A line below the first; one that is typed is not broken. */
static void append_below(const struct cause_style *style, const char *text, bool is_typed, struct buffer *out)
{
	buffer_append_repeat(out, ' ', INDENT);
	fit_append_wrapped(out, text, INDENT, INDENT, is_typed ? COLUMNS_UNLIMITED : style->width);
	buffer_append_byte(out, '\n');
}

static void append_cause(const struct day_cause *c, const struct cause_style *style, struct buffer *out)
{
	LOCAL_BUFFER head = BUFFER_FOR(out), said = BUFFER_FOR(out), why = BUFFER_FOR(out), place = BUFFER_FOR(out);
	buffer_printf(&head, "%s %s %d ", COUNT_TEXT(c->failed), style->utf8 ? "\u00d7" : "x", c->status);
	style_append(out, style->color, STYLE_BOLD, "%s", buffer_text(&head));
	utf8_append_safe(&said, *c->said ? c->said : "(no words)", strlen(*c->said ? c->said : "(no words)"));
	fit_append_cut(out, buffer_text(&said), style->width - fit_columns(buffer_text(&head), head.length));
	buffer_append_byte(out, '\n');
	why_words_append_line(c, style, &why);
	append_below(style, buffer_text(&why), false, out);
	append_place(c, style, &place);
	append_below(style, buffer_text(&place), true, out);
}

void why_words_append(const struct day_cause *causes, size_t count, const struct cause_style *style, struct buffer *out)
{
	for (size_t i = 0; i < count; i++)
		append_cause(&causes[i], style, out);
}

void why_words_append_json(const struct day_cause *c, const struct cause_style *style, struct buffer *out)
{
	LOCAL_BUFFER why = BUFFER_FOR(out), where = BUFFER_FOR(out);
	append_why(c, style, &why);
	json_line_begin_type(out, "cause");
	json_line_number(out, "status", c->status);
	json_line_text(out, "text", c->said);
	json_line_number(out, "failed", (int64_t)c->failed);
	json_line_array(out, "facts");
	for (size_t i = 0; i < c->fact_count; i++) {
		json_line_begin(out);
		json_line_text(out, "fact", fact_rows[c->facts[i].kind].name);
		json_line_text(out, "subject", c->facts[i].subject);
		json_line_text(out, "value", c->facts[i].value ? c->facts[i].value : "");
		json_line_end(out);
	}
	json_line_array_end(out);
	json_line_text(out, "why", buffer_text(&why));
	json_line_number(out, "accepted", (int64_t)c->accepted);
	json_line_number(out, "first", (int64_t)c->first);
	json_line_number(out, "last", (int64_t)c->last);
	json_line_text(out, "where", append_where(c, style, &where) ? buffer_text(&where) : NULL);
	json_line_finish(out);
}
