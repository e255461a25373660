#include "base/fit.h"
#include "base/quoted.h"
#include "capture/source.h"
#include "cmd/shell/shell.h"

#include <string.h>

#define SCRIPT_LINE_MAX ((size_t)1 << 20)

/* Runs the line and reports its failure; returns its exit code. */
static int run_line(struct shell *s, const char *name, const struct source_item *line)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER shown = BUFFER_FOR(&s->context->terminal->lost);
	if (line_holds_secret(line->text, line->length))
		buffer_append_text(&shown, "(not shown: contains a secret)");
	else
		fit_append(&shown, line->text, line->length, QUOTED_MAX);
	if (t->verbose)
		terminal_note(t, "%s:%zu: %s", name, line->line, buffer_text(&shown));
	int code = shell_run_line(s, line->text, line->length);
	if (code != EXIT_CODE_OK)
		terminal_announce(t, "%s:%zu: stopped with exit code %d: %s", name, line->line, code,
		                  buffer_text(&shown));
	return code;
}

int shell_run_scenario(struct shell *s, const char *path, struct error *err)
{
	const struct source_options options = { SOURCE_LINES, .limit = SCRIPT_LINE_MAX,
		                                .signals = s->context->signals };
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct source *source = source_open(path, &options, err);
	struct source_item line;
	int code = EXIT_CODE_OK;
	if (!source)
		return -1;
	while (code == EXIT_CODE_OK && !s->leaving && !terminal_is_closed(s->context->terminal)) {
		enum source_result got = source_next(source, &line, err);
		if (got == SOURCE_END)
			break;
		if (got == SOURCE_INTERRUPTED)
			code = signals_take(s->context->signals) ? EXIT_CODE_INTERRUPTED : EXIT_CODE_OK;
		else if (got != SOURCE_ITEM)
			code = -1;
		else if (line.too_long)
			code = error_set(err, EXIT_CODE_FAILED, "%s:%zu: the line is longer than 1 MiB", name,
			                 line.line);
		else
			code = run_line(s, name, &line);
	}
	source_close(source);
	return shell_end_listening(s, code);
}
