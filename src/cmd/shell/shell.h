/*
 * The shell: a session in which every command runs, with a listener in the background.
 *
 * shell.c is the session and its row; commands.c runs a line; builtins.c is the table of the commands that only the
 * shell has. To add one: write its function, and one row there; help and completion read the row.
 */
#ifndef CREDHOOK_CMD_SHELL_SHELL_H
#define CREDHOOK_CMD_SHELL_SHELL_H

#include "base/loop.h"
#include "cmd/cmd.h"
#include "cmd/shell/listener.h"
#include "cmd/shell/typed.h"
#include "config/config.h"
#include "receive/history.h"
#include "ui/prompt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a session is busy waiting for, and what happened meanwhile. */
enum shell_event {
	SHELL_INPUT = 1,
	SHELL_ARRIVAL = 2,
	SHELL_INTERRUPT = 4,
	SHELL_LEAVE = 8,
	SHELL_TIME = 16,
};

/* A default: what --default is given in each command that knows it. */
struct shell_default {
	char *path;
	char *assignment; /* PATH=VALUE */
};

struct shell {
	struct context *context;
	struct config config;
	struct prompt *prompt; /* NULL: a script */
	struct line_history history;
	struct loop *loop;
	struct loop_io signal_io;
	struct loop_io wake_io;
	struct loop_io input_io;
	struct loop_timer deadline;
	unsigned happened; /* enum shell_event */
	int wake_fd;
	struct shell_listener *listener; /* NULL: nothing listens */
	struct history *received;
	uint64_t next_number;
	struct buffer told; /* lines about arrivals that were not printed yet */
	char *use;          /* where `use` said that things go; NULL: nowhere */
	struct shell_default *defaults;
	size_t default_count;
	size_t default_capacity;
	bool asking; /* a question is at the prompt, and no command */
	bool leaving;
	bool terminated; /* by a signal */
};

/* What the options of the shell's own commands write to. */
struct shell_options {
	bool help;
	bool json;
	struct receive_args listen;
	int64_t within;
	bool invalid;
};

struct shell_call {
	struct shell_options *options;
	const struct text_list *operands;
	int argc; /* the words behind the command's name as they are, for one that passes them on */
	char *const *argv;
};

struct shell_command {
	const char *name;
	const char *operands;             /* synopsis */
	enum completion_kind complete[2]; /* of the first operand, and of those that follow */
	const char *summary;
	size_t least; /* operands */
	size_t most;
	const struct option_group *options; /* into a struct shell_options; NULL: none of its own */
	/* Its options are those of the command of this name: what stands behind the operands is passed on to it. NULL:
	 * no. */
	const char *like;
	/* Returns an exit code, or -1 with *err. */
	int (*run)(struct shell *shell, const struct shell_call *call, struct error *err);
};

/* builtins.c */
extern const struct shell_command shell_commands[];
extern const size_t shell_command_count;
extern const struct option_group shell_common_options; /* of every one of them */
const struct shell_command *shell_command_named(const char *name);

/* commands.c: runs lines. */
/* Runs a line and tells its error; returns the exit code. Nothing to run is 0. */
int shell_run_line(struct shell *shell, const char *text, size_t length);
/* Runs one of the ordinary commands with the session's destination and defaults; returns its exit code. */
int shell_run_words(struct shell *shell, int argc, char *const *argv);

/* target.c: where things go. */
/* What --to is to be, borrowed; NULL: nothing is said, and the configuration's sandbox or an error follows. */
const char *shell_target(const struct shell *shell);
/* How it is called in the prompt: an environment, "listener", an address; "" for none. */
const char *shell_target_label(const struct shell *shell);
/* Refuses the session's listener where there is none, or where --to names it, which only `use` can. */
int shell_check_target(const struct shell *shell, int argc, char *const *argv, struct error *err);
/* Where the words lead to a protected place: asks for its name to be typed. 1: it was, and the command may go there;
 * 0: nobody has to be asked; -1: refused. */
int shell_ask_for_protected(struct shell *shell, int argc, char *const *argv, struct error *err);
/* The value of the last --NAME among the words, or NULL. */
const char *shell_option_value(int argc, char *const *argv, const char *name);

/* session.c: waiting, and what arrives meanwhile. */
int shell_session_open(struct shell *shell, struct error *err);
void shell_session_close(struct shell *shell);
/* Waits for input on fd (-1: none), an arrival (unless not wanted), a signal, or the deadline on the clock of
 * clock_monotonic_ns() (0: none). Returns a set of enum shell_event; 0: waiting itself failed. */
unsigned shell_wait(struct shell *shell, int fd, bool arrivals, int64_t deadline);
/* Takes in what arrived, and prints what is to be said of it. */
void shell_take_arrivals(struct shell *shell);
/* Tells of an arrival, or of all that were not told yet. */
void shell_append_arrival(const struct history_entry *arrival, bool color, struct buffer *out);
void shell_append_arrival_json(const struct history_entry *arrival, struct buffer *out);
/* The notification that a word of the command line means: "12", "#12", or "last". NULL: a usage error says what there
 * is. */
struct history_entry *shell_arrival_named(const struct shell *shell, const char *word, struct error *err);
/* A command as help --json lists it in the shell, and a newline. */
void shell_append_command_json(const char *name, const char *operands, const char *summary, struct buffer *out);
/* Asks a question at the prompt: true with the answer in *answer; false: nobody can be asked, or Ctrl-C, Ctrl-D. */
bool shell_ask(struct shell *shell, const char *words, struct buffer *answer);
/* For struct prompt_handler. */
enum prompt_event shell_prompt_wait(void *context, int fd, bool input_only);
/* The prompt's words. */
void shell_append_words(const struct shell *shell, struct buffer *out);

/* complete.c: Tab. */
void shell_complete(void *context, const char *line, size_t length, struct buffer *insert, struct buffer *list);

/* script.c: lines from a file ("-": standard input). Returns the exit code of the first that failed, or 0; -1: *err. */
int shell_run_script(struct shell *shell, const char *path, struct error *err);

/* show.c, diff.c, edit.c: the larger ones of the shell's own commands. */
int shell_show(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_diff(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_resend(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_save(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_edit(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_expect(struct shell *shell, const struct shell_call *call, struct error *err);
int shell_pause(struct shell *shell, const struct shell_call *call, struct error *err);

#endif
