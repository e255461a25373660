/* show and resend: one notification. */
#include "base/fit.h"
#include "base/utf8.h"
#include "capture/record.h"
#include "cmd/arrival.h"
#include "cmd/files.h"
#include "cmd/shell/shell.h"
#include "json/json_line.h"
#include "payload/build.h"
#include "payload/check.h"
#include "receive/response.h"
#include "report/finding_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BELOW_INDENT 6

struct page {
	struct buffer out;
	const struct verdict *verdict; /* on `text` */
	const char *text;              /* pretty */
	size_t length;
	size_t next_finding;
	uint32_t next_token;
	bool color;
	int width;
};

static enum style style_of(const struct json_token *t)
{
	if (t->flags & JSON_KEY)
		return STYLE_BOLD;
	return t->type == JSON_STRING ? STYLE_GOOD : t->type == JSON_NUMBER ? STYLE_WARNING : STYLE_FAINT;
}

/* Appends [start, end) of the text made safe; returns its columns. */
static int append_safe(struct page *p, size_t start, size_t end, enum style style)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, p->text + start, end - start);
	int columns = 0;
	uint32_t c;
	for (size_t at = 0, size = 1; at < safe.length && size > 0; at += size) {
		size = utf8_decode(safe.data + at, safe.length - at, &c);
		columns += utf8_width(c);
	}
	if (safe.length > 0)
		style_append(&p->out, p->color, style, "%s", buffer_text(&safe));
	return columns;
}

/* The line, its keys and values in their colours. */
static int append_line(struct page *p, size_t start, size_t end)
{
	const struct json_doc *doc = p->verdict->doc;
	int columns = 0;
	size_t at = start;
	for (; p->next_token < doc->count && doc->tokens[p->next_token].start < end; p->next_token++) {
		const struct json_token *t = &doc->tokens[p->next_token];
		if (t->type == JSON_OBJECT || t->type == JSON_ARRAY || t->start < at)
			continue;
		columns += append_safe(p, at, t->start, STYLE_PLAIN);
		columns += append_safe(p, t->start, t->end, style_of(t));
		at = t->end;
	}
	return columns + append_safe(p, at, end, STYLE_PLAIN);
}

/* After the line if there is room, else below it. */
static void append_finding(struct page *p, const struct finding *f, bool first, int columns)
{
	LOCAL_BUFFER words = BUFFER_INIT, safe = BUFFER_INIT;
	const char *hint = verdict_hint(p->verdict, f);
	enum style style = f->severity == SEVERITY_ERROR ? STYLE_ERROR : STYLE_WARNING;
	buffer_printf(&words, "%s: %s [%s]", severity_name(f->severity), verdict_message(p->verdict, f),
	              finding_rows[f->id].name);
	utf8_append_safe(&safe, buffer_text(&words), words.length);
	if (first && columns + 5 + (int)utf8_count(safe.data, safe.length) <= p->width) {
		style_append(&p->out, p->color, style, "  <- %s", buffer_text(&safe));
		buffer_append_byte(&p->out, '\n');
	} else {
		if (first)
			buffer_append_byte(&p->out, '\n');
		buffer_clear(&words);
		fit_append_wrapped(&words, buffer_text(&safe), BELOW_INDENT, BELOW_INDENT, p->width);
		style_append(&p->out, p->color, style, "   ^  %s", buffer_text(&words));
		buffer_append_byte(&p->out, '\n');
	}
	if (hint) {
		buffer_clear(&safe);
		utf8_append_safe(&safe, hint, strlen(hint));
		buffer_append_text(&p->out, "      fix: ");
		fit_append_wrapped(&p->out, buffer_text(&safe), 11, 11, p->width);
		buffer_append_byte(&p->out, '\n');
	}
}

static void append_pretty(struct page *p)
{
	const struct verdict *v = p->verdict;
	for (size_t start = 0; start < p->length;) {
		const char *newline = memchr(p->text + start, '\n', p->length - start);
		size_t end = newline ? (size_t)(newline - p->text) : p->length;
		int columns = append_line(p, start, end);
		bool first = true;
		while (p->next_finding < v->finding_count && v->findings[p->next_finding].start <= end) {
			append_finding(p, &v->findings[p->next_finding++], first, columns);
			first = false;
		}
		if (first)
			buffer_append_byte(&p->out, '\n');
		start = end + 1;
	}
}

static void append_head(struct page *p, const struct history_entry *a, const struct capture_record *record)
{
	char name[CATALOG_KIND_NAME_SIZE], stamp[64];
	const char *fault = response_fault_name(a->fault);
	LOCAL_BUFFER line = BUFFER_INIT;
	time_t second = (time_t)(a->received_us / 1000000);
	struct tm local;
	localtime_r(&second, &local);
	strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S %Z", &local);
	arrival_name(a->kind, name);
	buffer_printf(&line, "#%llu %s at %s from %s, ", (unsigned long long)a->number, name, stamp,
	              record->remote.text ? record->remote.text : "?");
	if (fault)
		buffer_printf(&line, "fault %s", fault);
	else
		buffer_printf(&line, "status %d", a->status);
	utf8_append_safe(&p->out, buffer_text(&line), line.length);
	buffer_append_byte(&p->out, '\n');
	style_begin(&p->out, p->color, STYLE_FAINT);
	arrival_append_head(record, &p->out);
	style_end(&p->out, p->color, STYLE_FAINT);
	buffer_append_byte(&p->out, '\n');
}

/* The body, checked as it is shown; one that is not JSON as validate shows it. */
static int append_body(struct page *p, const struct history_entry *a, const struct capture_record *record,
                       struct error *err)
{
	struct checker *checker = checker_new(err);
	LOCAL_BUFFER pretty = BUFFER_INIT, name = BUFFER_INIT;
	const struct capture_text *type = capture_record_header(record, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	struct error no_json;
	if (!checker)
		return -1;
	bool is_json = build_pretty(record->body.text, record->body.length, &pretty, &no_json) == 0;
	p->text = is_json ? buffer_text(&pretty) : record->body.text;
	p->length = is_json ? pretty.length : record->body.length;
	p->verdict = check_payload(checker, p->text, p->length, &options, err);
	if (p->verdict && is_json) {
		append_pretty(p);
	} else if (p->verdict) {
		buffer_printf(&name, "#%llu", (unsigned long long)a->number);
		struct payload_origin origin = { buffer_text(&name), 1, p->text, p->length, NULL, NULL, 1 };
		finding_report_text(p->verdict, &origin, p->color, p->width, &p->out);
	}
	bool is_checked = p->verdict != NULL;
	checker_free(checker);
	return is_checked ? 0 : -1;
}

int shell_show(struct shell *s, const struct shell_call *call, struct error *err)
{
	const struct history_entry *a = shell_arrival_named(s, call->operands->items[0], err);
	struct page page = { .color = s->context->terminal->color_out, .width = terminal_width() };
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record;
	int code = -1;
	if (!a)
		return -1;
	if (call->options->json) {
		json_line_members(&page.out, a->record, a->length);
		terminal_write(s->context->terminal, buffer_text(&page.out), page.out.length);
		buffer_release(&page.out);
		return EXIT_CODE_OK;
	}
	if (capture_record_parse(&scratch, a->record, a->length, &record, err) == 0) {
		append_head(&page, a, &record);
		code = append_body(&page, a, &record, err);
	}
	if (code == 0)
		terminal_write(s->context->terminal, buffer_text(&page.out), page.out.length);
	buffer_release(&page.out);
	return code;
}

/* The records of the leading words that are numbers, in memory: replay reads them from there. */
static int write_records(struct shell *s, const struct shell_call *call, int *used, int fd, struct error *err)
{
	LOCAL_BUFFER all = BUFFER_INIT;
	int result = 0;
	for (*used = 0; *used < call->argc && call->argv[*used][0] != '-' && result == 0; (*used)++) {
		const struct history_entry *a = shell_arrival_named(s, call->argv[*used], err);
		if (!a)
			result = -1;
		else
			buffer_append(&all, a->record, a->length);
	}
	if (result == 0 && all.length == 0) {
		error_set(err, EXIT_CODE_USAGE, "resend: missing number of a notification");
		result = error_hint(err, "usage: resend N, or resend N --to WHERE");
	}
	for (size_t at = 0; result == 0 && at < all.length;) {
		ssize_t written = write(fd, buffer_text(&all) + at, all.length - at);
		if (written <= 0)
			result = error_set(err, EXIT_CODE_IO, "cannot keep the notifications in memory");
		else
			at += (size_t)written;
	}
	if (all.failed)
		result = error_no_memory(err);
	return result;
}

int shell_resend(struct shell *s, const struct shell_call *call, struct error *err)
{
	char path[40];
	const char *first[] = { "replay", path, NULL };
	int used = 0, code = -1;
	int fd = memfd_create("notifications", MFD_CLOEXEC);
	if (fd < 0)
		return error_set(err, EXIT_CODE_IO, "cannot keep the notifications in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write_records(s, call, &used, fd, err) == 0)
		code = shell_run_before(s, first, call->argc - used, call->argv + used, err);
	close(fd);
	return code;
}
