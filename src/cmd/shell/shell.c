/* shell: a session for testing by hand; from a pipe or a file, a scenario. */
#include "cmd/shell/shell.h"

#include "base/clock.h"
#include "cmd/words/misplaced.h"

#include <stdlib.h>
#include <unistd.h>

struct shell_args {
	struct global_options global;
	const char *file;
};

static const struct option rows[] = {
	{ 'f', "file", "FILE", "run this file's lines, stop at the first that fails", OPTION_TEXT, COMPLETE_FILE,
	  .offset = offsetof(struct shell_args, file), .also = "script" },
};
static const struct option_way ways[] = {
	{ "command exec -c -e", "it reads standard input: echo 'build user-created' | credhook shell" },
	{ NULL, NULL },
};
static const struct option_group group = OPTION_GROUP_WITH("Shell", rows, 0, ways);
static const struct option_use uses[] = { { &group, 0 } };

/* Its own commands come first, and instead of those of their names. */
static void collect_commands(struct shell *s, const struct command *const *outside)
{
	size_t count = 0;
	struct error ignored;
	for (const struct command *own = shell_commands; own->name; own++)
		s->commands[count++] = own;
	for (; *outside && count < SHELL_COMMANDS_MAX; outside++)
		if (!command_named(s->commands, (*outside)->name, &ignored))
			s->commands[count++] = *outside;
}

/* `opened`: what became of the captures; what could be read of them is there. */
static int run_lines(struct shell *s, bool is_prompt, const char *path, int opened, struct error *err)
{
	if (is_prompt)
		return shell_run_interactive(s, err);
	int code = shell_run_scenario(s, path, err);
	return code < 0 ? code : (int)exit_code_worse((enum exit_code)code, (enum exit_code)opened);
}

static int run_shell(struct context *context, void *args, struct error *err)
{
	const struct shell_args *a = args;
	if (context->session)
		return error_set(err, EXIT_CODE_USAGE, "this is already the shell");
	if (misplaced_operand(context, OPERAND_FILE, 0, err) < 0)
		return -1;
	LOCAL(source_files_release) struct source_files script = { .also_in_use = context->in_use };
	struct context session = *context;
	struct shell s = { .context = &session };
	collect_commands(&s, context->commands);
	arrival_note_time(&s.style, clock_realtime_us());
	session.session = &s;
	session.list = &s.list;
	session.commands = s.commands;
	session.defaults = &s.defaults.list;
	session.in_use = s.in_use = &script;
	const char *path = a->file ? a->file : "-";
	bool is_prompt = !a->file && isatty(STDIN_FILENO) && context->terminal->out_is_tty;
	int code = -1;
	if (wake_open(&s.wake, err) == 0 && source_files_add_path(&script, path, err) == 0 &&
	    config_load(&s.config, a->global.config, a->global.no_config, err) == 0 &&
	    (s.checker = checker_new(err)) != NULL && (s.list.spool = spool_new(err)) != NULL) {
		signals_keep_second(session.signals);
		code = context->operands->count > 0 ? session_list_open(&s.list, &session, context->operands, err)
		                                    : EXIT_CODE_OK;
		if (code >= 0 && code != EXIT_CODE_INTERRUPTED)
			code = run_lines(&s, is_prompt, path, code, err);
	}
	shell_listener_free(s.listener);
	wake_close(&s.wake);
	spool_free(s.list.spool);
	owned_texts_release(&s.defaults);
	free(s.use);
	buffer_release(&s.lines);
	buffer_release(&s.typed);
	checker_free(s.checker);
	config_release(&s.config);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook shell", "type commands; 'listen 8080' shows notifications as they arrive" },
	{ "credhook shell -f samples/scenarios/onboarding.credhook", "run a scenario" },
	{ "credhook shell capture.ndjson", "look at a capture, edit and send what is in it" },
	{ "echo 'build user-created' | credhook shell", "the same lines from a pipe" },
	{ NULL, NULL },
};

const struct command command_shell = {
	.name = "shell",
	.group = COMMAND_LEARN,
	.also = (const struct command_also[]){ { "repl interactive console open edit use set", "" },
	                                       { "script exec", "-f FILE" },
	                                       { NULL, NULL } },
	.phrase = "an interactive prompt for all commands",
	.common = (const char *const[]){ "file", "config", NULL },
	.operands = "[CAPTURE]...",
	.complete = COMPLETE_FILE,
	.summary = "Type commands with a listener in the background, over captures too, or run a scenario.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct shell_args),
	.run = run_shell,
	.examples = examples,
};
