/* Errors, and notes on inputs: which files were skipped, and what is wrong with those that are read. */
#ifndef CREDHOOK_CMD_WORDS_NOTES_H
#define CREDHOOK_CMD_WORDS_NOTES_H

#include "capture/inputs.h"
#include "cmd/cmd.h"

/* Prints the error to stderr, with its hint; with --json as {"error":{"exit","message","hint"?}}. Never dropped. */
void print_error(struct terminal *terminal, const struct error *err);

/* By a first Ctrl-C, while requests are in flight: what happens now. Prints what is held back; a second one loses it.
 */
void interrupted_note(struct terminal *terminal, size_t in_flight);
/* The last line of a command that only reads: how far it got, as in "interrupted after 3 records", and what came of it;
 * NULL: nothing. */
void interrupted_after(struct terminal *terminal, uint64_t count, const char *noun, const char *more);

/* Writes to the terminal of the context. */
struct inputs_observer input_notes_observer(struct context *context);
/* Verbose: names what was skipped in directories, a line each; of very many the first. */
void input_notes_name_skipped(struct terminal *terminal, const struct source_files *files);
/* Warns of directories among the arguments in which nothing was found. */
void input_notes_warn_empty(struct terminal *terminal, const struct source_files *files);
/* That, and what is skipped in directories. */
void input_notes_show(struct terminal *terminal, const struct source_files *files);
/* What another tool's capture held: a note, unless some of it was left out. */
void input_notes_count(struct terminal *terminal, const char *path, const struct entry_counts *counts);

#endif
