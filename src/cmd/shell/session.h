/*
 * A session of the shell, in which every command runs, with a listener in the background: what it is made of, how it
 * waits, what arrives meanwhile, its destination, and how a line is run.
 *
 * Below it is listener.h; above it are builtins.h, the commands that only the shell has, and where lines come from:
 * interactive.h and scenario.h. shell.c begins and ends the session.
 */
#ifndef CREDHOOK_CMD_SHELL_SESSION_H
#define CREDHOOK_CMD_SHELL_SESSION_H

#include "base/wake.h"
#include "cmd/cmd.h"
#include "cmd/list/listing.h"
#include "cmd/shell/listener.h"
#include "cmd/shell/shell_line.h"
#include "config/config.h"
#include "ui/prompt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHELL_COMMANDS_MAX 63

struct shell {
	struct context *context;
	const struct command *commands[SHELL_COMMANDS_MAX + 1]; /* its own, and those outside; ends with NULL */
	struct config config;
	struct prompt *prompt;           /* NULL: a script */
	struct buffer typed;             /* the lines of this session that the history keeps */
	struct wake wake;                /* by its listener */
	struct line line;                /* that runs; its listener takes it over */
	struct shell_listener *listener; /* NULL: nothing listens */
	uint64_t shown;                  /* the highest number of which the line is printed, or was not wanted */
	struct verdict_counts arrived;
	bool quiet;                  /* -q of its `listen`: notifications are counted, and not shown as they come */
	struct session_list list;    /* what was opened, and what arrived */
	struct source_files *in_use; /* what no command replaces: what was opened too */
	struct buffer lines;         /* about arrivals, not printed yet */
	struct arrival_style style;  /* of these */
	struct checker *checker;
	char *use;                   /* the destination of `use`; NULL: none */
	struct owned_texts defaults; /* PATH=VALUE of `set` */
	bool asking;                 /* a question is at the prompt, and no command */
	bool leaving;
	bool terminated; /* by a signal */
};

#define SHELL_OWN_LISTENER "listener" /* the name of the session's listener as a destination */
/* Waits for input at the prompt, whose descriptor of signals this is (-1: none), an arrival (PROMPT_SHOW, unless not
 * wanted), a signal, or the deadline on the clock of clock_monotonic_ns() (0: none). PROMPT_LEAVE also where waiting
 * itself fails. */
enum prompt_event shell_wait(struct shell *shell, int prompt, bool arrivals, int64_t deadline);
/* Takes what has arrived from the listener, and prints its lines; at_prompt: above the line that is being typed. */
void shell_take_arrivals(struct shell *shell, bool at_prompt);
/* Stops the listener, if there is one, and prints the rest. Returns the session's exit code: `code`, or what is worse.
 */
int shell_end_listening(struct shell *shell, int code);
/* The prompt's words. */
void shell_append_words(const struct shell *shell, struct buffer *out);

/* Runs a line and reports its error; returns the exit code. Nothing to run is 0. */
int shell_run_line(struct shell *shell, const char *text, size_t length);
/* Runs a command with the session's destination and defaults; returns its exit code. */
int shell_run_words(struct shell *shell, int argc, char *const *argv);
/* The same with other words before these, the last of which is NULL. -1: *err. */
int shell_run_before(struct shell *shell, const char *const *first, const char *const *more, size_t more_count,
                     struct error *err);

#endif
