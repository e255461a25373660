/*
 * COMMAND and its arguments, behind "--": a program that runs beside the command, with the URL in $CREDHOOK_URL. For
 * listen, whose sender it is, and for test, whose listener.
 */
#ifndef CREDHOOK_CMD_ARGS_PROGRAM_H
#define CREDHOOK_CMD_ARGS_PROGRAM_H

#include "cmd/cmd.h"

/* Zero-initialise; release. */
struct program {
	struct text_list words; /* end in NULL; empty: there is none */
};

/* The operands that are the command's own: those before "--". Borrows from the context. */
struct text_list program_operands_before(const struct context *context);
/* Takes what stands behind "--"; EXIT_CODE_USAGE: nothing does. `purpose` ends the hint for that: "to run it while
 * listening". */
int program_init(struct program *program, const struct context *context, const char *purpose, struct error *err);
void program_release(struct program *program);

static inline const char *program_name(const struct program *program)
{
	return program->words.count > 0 ? program->words.items[0] : NULL;
}

/* Sets $CREDHOOK_URL, for programs that are started from here on. */
int program_set_url(const char *url, struct error *err);
/* What child_end() could not end: "'sudo' still runs, pid 4711: not ours to end". */
void program_warn_left(struct terminal *terminal, const char *name, pid_t pid);
/* child_start() has failed with this errno: the exit code is a shell's, 126 or 127. */
int program_cannot_start(const char *name, int failed, struct error *err);

#endif
