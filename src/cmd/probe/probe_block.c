/* A block of the text for people: what came of several checks, or of one, and below it what is said of them. */
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <string.h>

#define WIDEST 100

int probe_report_width(const struct probe_command *run)
{
	int width = terminal_out_width(run->context->terminal);
	return width < WIDEST || width == COLUMNS_UNLIMITED ? width : WIDEST;
}

void probe_block_sign(struct buffer *out, const struct probe_command *run, enum grade grade)
{
	const struct terminal *t = run->context->terminal;
	style_append_sign(out, t->color_out, terminal_has_signs(t), grade);
}

void probe_block_head(struct probe_command *run, const struct probe_block_head *head)
{
	struct buffer *out = &run->text.out;
	int width = probe_report_width(run);
	int at = head->indent + style_sign_columns(terminal_has_signs(run->context->terminal)) +
	         fit_columns(head->names, strlen(head->names));
	buffer_append_repeat(out, ' ', (size_t)head->indent);
	probe_block_sign(out, run, head->grade);
	buffer_append_text(out, head->names);
	if (head->is_cut && at <= width - head->least)
		fit_append_cut(out, head->words, width - at);
	else
		fit_append_wrapped(out, head->words, at, PROBE_BLOCK_INDENT, width);
	buffer_append_byte(out, '\n');
}

void probe_block_line(struct probe_command *run, const char *text)
{
	if (!*text)
		return;
	buffer_append_repeat(&run->text.out, ' ', PROBE_BLOCK_INDENT);
	fit_append_wrapped(&run->text.out, text, PROBE_BLOCK_INDENT, PROBE_BLOCK_INDENT, probe_report_width(run));
	buffer_append_byte(&run->text.out, '\n');
}

void probe_block_log(struct probe_command *run, const struct probe_check *check)
{
	probe_append_log(&run->text.out, check, run->context->global->verbose, PROBE_BLOCK_INDENT,
	                 probe_report_width(run));
}

void probe_block_more(struct buffer *names, size_t count, size_t named)
{
	if (count > named)
		buffer_printf(names, " and %zu more", count - named);
}
