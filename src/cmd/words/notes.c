#include "cmd/words/notes.h"

#include "cmd/args/report_files.h"
#include "json/json_line.h"

#include <string.h>

void print_error(struct terminal *terminal, const struct error *err)
{
	LOCAL_BUFFER json = BUFFER_INIT;
	if (!terminal->json) {
		terminal_error(terminal, err);
		return;
	}
	buffer_append_text(&json, "{\"error\":");
	json_line_begin(&json);
	json_line_number(&json, "exit", (int64_t)err->code);
	json_line_text(&json, "message", err->message);
	if (err->hint[0])
		json_line_text(&json, "hint", err->hint);
	json_line_end(&json);
	buffer_append_text(&json, "}\n");
	terminal_lines(terminal, &json);
}

void interrupted_note(struct terminal *terminal, size_t in_flight)
{
	terminal_flush(terminal);
	if (in_flight > 0)
		terminal_note(terminal, "interrupted: waiting for %zu in flight; Ctrl-C again aborts", in_flight);
}

void interrupted_after(struct terminal *terminal, uint64_t count, const char *noun, const char *more)
{
	terminal_flush(terminal);
	terminal_note(terminal, "interrupted after %s %s%s%s%s", COUNT_TEXT(count), noun, count == 1 ? "" : "s",
	              more ? ": " : "", more ? more : "");
}

static void on_problem(void *context, const struct error *problem)
{
	const struct context *c = context;
	terminal_flush(c->terminal);
	print_error(c->terminal, problem);
	if (c->reports)
		report_files_case(c->reports, &(struct report_case){ .group = c->command,
		                                                     .name = "readable",
		                                                     .grade = GRADE_FAIL,
		                                                     .is_problem = true,
		                                                     .type = "unreadable",
		                                                     .message = problem->message });
}

static void on_opening(void *context, const char *path)
{
	const struct context *c = context;
	if (strcmp(path, "-") == 0)
		terminal_note_typing(c->terminal);
}

void input_notes_count(struct terminal *terminal, const char *path, const struct entry_counts *counts)
{
	LOCAL_BUFFER words = BUFFER_FOR(&terminal->lost);
	entry_counts_append(counts, &words);
	bool is_lost = counts->others > 0 || counts->bad > 0;
	terminal_say(terminal, is_lost ? TERMINAL_ANNOUNCEMENT : TERMINAL_NOTE, "%s: %s", input_name(path),
	             buffer_text(&words));
}

static void on_counted(void *context, const char *path, const struct entry_counts *counts)
{
	const struct context *c = context;
	input_notes_count(c->terminal, path, counts);
	if (counts->is_disordered)
		terminal_note(c->terminal, "%s: not in the order of time; read in the order of the file",
		              input_name(path));
}

struct inputs_observer input_notes_observer(struct context *context)
{
	return (struct inputs_observer){ on_problem, on_opening, on_counted, context };
}

void input_notes_warn_empty(struct terminal *terminal, const struct source_files *files)
{
	for (size_t i = 0; i < files->empty.count; i++)
		terminal_warn(terminal, "no .json, .ndjson or .jsonl file in '%s'", files->empty.items[i]);
}

void input_notes_name_skipped(struct terminal *terminal, const struct source_files *files)
{
	size_t all = files->skipped + files->skipped_folders;
	for (size_t i = 0; terminal->verbose && i < files->named.count; i++)
		terminal_note(terminal, "skipped: %s", files->named.paths[i]);
	if (terminal->verbose && all > files->named.count)
		terminal_note(terminal, "skipped: %zu more", all - files->named.count);
}

void input_notes_show(struct terminal *terminal, const struct source_files *files)
{
	LOCAL_BUFFER words = BUFFER_FOR(&terminal->lost);
	source_files_append_skipped(files, &words);
	if (words.length > 0)
		terminal_announce(terminal, "%s", buffer_text(&words));
	input_notes_name_skipped(terminal, files);
	input_notes_warn_empty(terminal, files);
}
