#include "cmd/args/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As sh(1) and env(1) exit. */
#define CANNOT_EXECUTE 126
#define NOT_FOUND      127

struct text_list program_operands_before(const struct context *context)
{
	struct text_list own = *context->operands;
	own.count = context->words->has_dashes ? context->words->before : own.count;
	own.capacity = 0;
	return own;
}

int program_init(struct program *program, const struct context *context, const char *purpose, struct error *err)
{
	const struct text_list *all = context->operands;
	size_t before = program_operands_before(context).count;
	if (!context->words->has_dashes)
		return 0;
	if (before == all->count) {
		error_set(err, EXIT_CODE_USAGE, "missing COMMAND after '--'");
		return error_hint(err, "write -- COMMAND ARG..., %s", purpose);
	}
	if (text_list_add_all(&program->words, all->items + before, all->count - before, err) < 0)
		return -1;
	return text_list_add(&program->words, NULL, err);
}

void program_release(struct program *program)
{
	text_list_release(&program->words);
}

int program_set_url(const char *url, struct error *err)
{
	return setenv("CREDHOOK_URL", url, 1) < 0 ? error_no_memory(err) : 0;
}

int program_cannot_start(const char *name, int failed, struct error *err)
{
	int code = failed == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
	error_set(err, (enum exit_code)code, "cannot run '%s': %s", name, strerror(failed));
	if (failed == ENOEXEC)
		return error_hint(err, "a script needs a first line such as #!/bin/sh");
	if (strpbrk(name, " ;|&$"))
		return error_hint(err, "COMMAND is not run by a shell; if it needs one, write -- sh -c '...'");
	return -1;
}

void program_warn_left(struct terminal *terminal, const char *name, pid_t pid)
{
	terminal_warn(terminal, "'%s' still runs, pid %ld: not ours to end", name, (long)pid);
}
