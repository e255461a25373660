/* shell: the other commands at a prompt or from a file, with a session around them. */
#ifndef CREDHOOK_CMD_SHELL_SHELL_H
#define CREDHOOK_CMD_SHELL_SHELL_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/wake.h"
#include "cmd/args/receive_options.h"
#include "cmd/cmd.h"
#include "cmd/list/listing.h"
#include "cmd/list/spool.h"
#include "cmd/words/receive_words.h"
#include "config/config.h"
#include "ui/prompt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * shell_line.c: a line of the shell as words.
 *
 * Blanks separate words; '...' keeps everything, "..." everything but \" and \\; a backslash outside quotes takes the
 * next character as it is; # at the beginning of a word starts a comment. There is no redirection and no pipe.
 */

/* Zero-initialise. */
struct line {
	char **words; /* count of them and a NULL */
	size_t count;
	size_t capacity;
	struct buffer text; /* the words, each with a NUL after it */
	char quote;         /* the one that was not closed, or 0 */
	bool in_word;       /* the text ends in its last word (not after it, nor in a comment) */
	bool in_comment;
};

/* Replaces what *line holds. With `unfinished`, for completion, an open quote is not an error. Usage errors: an
 * unclosed quote, a NUL character. */
int line_split(struct line *line, const char *text, size_t length, bool unfinished, struct error *err);
void line_release(struct line *line);

/* Whether the text contains a secret: the value of a header (-H), a password or token in a URL. Such a line is neither
 * kept nor shown. */
bool line_holds_secret(const char *text, size_t length);

/*
 * listener.c: the session's listener: a receiver with the options of `listen`, in a thread and on a loop of its own, so
 * that it responds while the session runs another loop (a `send` to this very receiver).
 *
 * It adds the notifications to the spool, from its thread, in which all signals are blocked.
 */

struct shell_listener;

/* Listens, and returns once it does, with "listening on ..." on stderr. Takes over the args and the line that they
 * borrow from, even where it fails. The spool is borrowed. `arrived` is woken when there are notifications or
 * words. */
struct shell_listener *shell_listener_start(const char *address, struct receive_args *args, struct line *line,
                                            struct context *context, struct spool *spool, const struct wake *arrived,
                                            struct error *err);
const char *shell_listener_url(const struct shell_listener *listener);
bool shell_listener_forwards(const struct shell_listener *listener);
/* The next of what else it reports: what could not be kept, too. False: nothing more. */
bool shell_listener_next_words(struct shell_listener *listener, struct receive_words *words);
/* Finishes open requests, for a second at most. Returns 0, or EXIT_CODE_IO: not every
 * record is on disk. */
int shell_listener_stop(struct shell_listener *listener);
void shell_listener_free(struct shell_listener *listener); /* stops too; NULL is allowed */

/*
 * session.c: a session of the shell, in which every command runs, with a listener in the background: what it is made
 * of, how it waits, what arrives meanwhile, its destination, and how a line is run.
 */

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

/* builtins.c: the commands that only the shell has, with rows like those of all other commands. */

extern const struct command shell_commands[]; /* the last has no name */

/* history.c: the lines of former sessions: $XDG_STATE_HOME/credhook/history, else ~/.local/state/credhook/history, mode
 * 0600; the latest last. */

/* A line that begins with a blank, or contains a control character or a secret, is not kept. */
bool history_keeps(const char *line);
/* The path and the text of the file, which may be missing. An empty path: there is no place for it. */
int history_read(struct buffer *path, struct buffer *text, struct error *err);
/* Adds this session's lines to what the file holds by now, and leaves out the oldest. */
int history_write(const struct buffer *typed, struct error *err);

/* scenario.c: lines from a pipe or a file: a scenario, which ends at the first line that fails. */

/* "-": standard input. Returns the exit code of the line that failed; 0: none did; -1: *err. */
int shell_run_scenario(struct shell *shell, const char *path, struct error *err);

/* shell_complete.c: Tab: the ordinary commands as in cmd/words/complete.h, and the session's own words. */

/* For struct prompt_handler; the context is a struct shell. */
void shell_complete(void *context, const char *line, size_t length, struct buffer *insert, struct buffer *list);

/* interactive.c: lines that are typed at the prompt. */

/* Until the session is left. Returns its exit code; -1: *err. */
int shell_run_interactive(struct shell *shell, struct error *err);

#endif
