/*
 * The subcommands: a file (or a folder) and one row each.
 *
 * To add a subcommand:
 *   - src/cmd/NAME.c, or a folder for several parts, with its option rows, its struct of arguments (global_options
 *     first) and its `const struct command command_NAME`; what another command could use goes into a folder that
 *     commands share (src/README.md). Declare the row below, add its address to all_commands[] in commands.c, and list
 *     the files in CMakeLists.txt. The overview (by .group and .phrase), -h (.common) and completion read the row. The
 *     overview has to fit a screen of 24 lines (tests/e2e/help_test.py holds it to that), and NAME is no longer a word
 *     that stands for another command (.also).
 *   - man/credhook-NAME.1, and in man/options.txt a text for each option of its own. Where a text there names the
 *     commands that it is for, it names this one, too. tests/tools/update-docs.py fills in the tables.
 *   - Its line in README.md's table of commands.
 *   - tests/schema/output-NAME.json, or a line in SCHEMA_OF of tests/e2e/output_schemas_test.py where --json prints
 *     nothing or what another command prints.
 *   - Its folder, where it has one, in the line `# rooms:` of its scripts in tests/e2e.
 * The tests ask for what is forgotten.
 */
#ifndef CREDHOOK_CMD_CMD_H
#define CREDHOOK_CMD_CMD_H

#include "base/error.h"
#include "base/signals.h"
#include "base/text.h"
#include "capture/source_files.h"
#include "ui/help.h"
#include "ui/options.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>

/* What every command takes, and what may stand before the command's name too. */
struct global_options {
	int help; /* enum option_help */
	bool version;
	bool quiet;
	bool verbose;
	bool json;
	bool no_config;
	int color; /* enum color_choice */
	const char *config;
};

extern const struct option_group global_option_group;

struct command;
struct shell;
struct session_list;

/* What a command works with. */
struct context {
	struct terminal *terminal;
	const struct global_options *global;
	const struct text_list *operands;
	struct signals *signals;
	struct shell *session;                 /* whose line this is: signals and terminal stay its; NULL: none */
	const char *to;                        /* of a session: where a line without --to sends. NULL: none */
	const struct session_list *list;       /* of a session (cmd/list/session_list.h); NULL: none */
	const struct text_list *defaults;      /* PATH=TEXT, of a session: as the configuration's. NULL: none */
	const char *command;                   /* its name */
	const struct option_words *words;      /* what stood behind it, as it was given */
	const struct command *const *commands; /* all there are; ends with NULL */
	struct report_files *reports;          /* of which problems of the inputs are cases, too; NULL: of none */
	/* What no command replaces, whether it reads it itself or not: the configuration that wins, what its options
	 * name (COMPLETE_FILE, COMPLETE_AT_FILE), and what a session around it reads. For the also_in_use of a
	 * command's own list, which has its operands. */
	const struct source_files *in_use;
};

/* A group of options, and where its struct lies in the command's. */
struct option_use {
	const struct option_group *group;
	size_t offset;
};

/* Where a command stands in the overview. */
enum command_group {
	COMMAND_DELIVER,
	COMMAND_RECEIVE,
	COMMAND_CHECK,
	COMMAND_MAKE,
	COMMAND_LEARN,
	COMMAND_SESSION, /* only at the shell's prompt */
	COMMAND_OTHER,   /* only named there */
	COMMAND_GROUPS,
};

/* What other tools call a command, and what is typed here behind its name for that. */
struct command_also {
	const char *words; /* between single spaces */
	const char *rest;  /* "": nothing */
};

struct command {
	const char *name;
	enum command_group group;
	const char *phrase;              /* in the overview; lower case, 50 characters at most, no full stop */
	const struct command_also *also; /* ends with NULL words; NULL: nothing */
	const char *usual;               /* what is typed behind its name, for hints: "FILE"; NULL: nothing */
	const char *operands;            /* synopsis: "[FILE|DIR|-]..."; "": it takes none, */
	const char *instead;             /* and this is the hint for whoever gives one; NULL: no hint */
	enum completion_type complete;   /* of the operands, where there are any */
	bool runs_command;               /* what is behind "--" is another program and its arguments */
	const char *like;    /* its options are those of the command of this name: they are operands here. NULL: no */
	const char *summary; /* a sentence or two for its help */
	const char *const *common;     /* names of the options that -h shows; ends with NULL. NULL: none */
	const struct option_use *uses; /* its option groups, without the global one */
	size_t use_count;
	size_t args_size; /* of the struct the option rows write to; its first member is a struct global_options */
	/* Where a shared row's initial value is another one here; ends with a NULL name. NULL: nowhere. */
	const struct option_initial *initials;
	/* Returns an exit code, or -1 with *err for main to print; err->code is then the exit code. */
	int (*run)(struct context *context, void *args, struct error *err);
	const struct help_example *examples; /* ends with a NULL command; each works as it stands */
};

extern const struct command command_events, command_explain, command_build, command_convert, command_validate,
        command_send, command_listen, command_replay, command_test, command_shell, command_config, command_help,
        command_completion, command_version, command_schema, command_show;

/* For main(), which hands it on: whatever works with commands in general gets it from its caller. */
extern const struct command *const all_commands[];

/* Reads the command line, runs the command and returns the exit code; a failure is in *err for main to print. */
int cmd_main(struct terminal *terminal, const struct command *const *commands, int argc, char *const *argv,
             struct error *err);

/* Runs a command within a session, which keeps the second signal for itself (signals_keep_second()): argv[0] is the
 * command's name, the outer one's global options hold for it too. Prints its error, puts the terminal's settings back
 * and returns the exit code. */
int command_run_words(struct context *outer, int argc, char *const *argv);

/* The command of that name, or NULL with a usage error (for misplaced_command_hint()). */
const struct command *command_named(const struct command *const *commands, const char *name, struct error *err);
/* Shows the overview; with --json the help of every command. */
int command_show_overview(struct terminal *terminal, const struct command *const *commands);
/* Shows a command's help: its common options on one screen, or all of them. With --json the same for both. */
int command_show_help(struct terminal *terminal, const struct command *command, enum option_help wanted, bool may_page);
int command_show_version(struct terminal *terminal);
/* All option groups of a command, the global one last. At most COMMAND_GROUPS_MAX. */
#define COMMAND_GROUPS_MAX 12
size_t command_groups(const struct command *command, struct option_group groups[COMMAND_GROUPS_MAX]);

#endif
