/* shell: a session for testing by hand; from a pipe or a file, a scenario. */
#include "cmd/shell/shell.h"

struct shell_args {
	struct global_options global;
	const char *file;
};

static const struct option rows[] = {
	{ 'f', "file", "FILE", "run this file's lines, stop at the first that fails", OPTION_TEXT, COMPLETE_FILE,
	  .offset = offsetof(struct shell_args, file) },
};
static const struct option_group group = OPTION_GROUP("Shell", rows, 0);
static const struct option_use uses[] = { { &group, 0 } };

static void read_history(struct shell *s)
{
	struct error problem;
	if (line_history_read(&s->history, &problem) < 0)
		terminal_warn(s->context->terminal, "%s", problem.message);
	for (size_t i = 0; i < s->history.count; i++)
		prompt_remember(s->prompt, s->history.lines[i]);
}

static void remember(struct shell *s, struct buffer *line)
{
	while (line->length > 0 && line->data[line->length - 1] == ' ')
		buffer_consume_end(line, 1);
	if (line->length == 0)
		return;
	line_history_add(&s->history, buffer_text(line));
	prompt_remember(s->prompt, buffer_text(line));
}

static int run_prompt(struct shell *s, struct error *err)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER words = BUFFER_INIT, line = BUFFER_INIT;
	enum prompt_result result = PROMPT_LINE;
	terminal_note(t, "credhook %s: 'help' lists the commands, Tab completes, Ctrl-D ends", CREDHOOK_VERSION);
	while (!s->leaving && !terminal_is_closed(t) && result != PROMPT_END && result != PROMPT_FAILED) {
		shell_take_arrivals(s);
		buffer_clear(&words);
		shell_append_words(s, &words);
		terminal_flush(t);
		result = prompt_read(s->prompt, buffer_text(&words), &line, err);
		if (result != PROMPT_LINE || line.length == 0)
			continue;
		remember(s, &line);
		if (shell_run_line(s, buffer_text(&line), line.length) == EXIT_CODE_INTERRUPTED)
			terminal_erase_echo(t);
	}
	if (result == PROMPT_END)
		terminal_printf(t, "\n");
	if (result == PROMPT_FAILED)
		return -1;
	return s->terminated ? EXIT_CODE_INTERRUPTED : EXIT_CODE_OK;
}

static int run_interactive(struct shell *s, struct error *err)
{
	const struct prompt_handler handler = { s, shell_prompt_wait, shell_complete };
	struct error problem;
	s->prompt = prompt_new(&handler, false, err);
	if (!s->prompt)
		return -1;
	read_history(s);
	int code = run_prompt(s, err);
	if (line_history_write(&s->history, &problem) < 0)
		terminal_warn(s->context->terminal, "cannot keep the history: %s", problem.message);
	prompt_free(s->prompt);
	s->prompt = NULL;
	return shell_end_listening(s, code);
}

static int run_shell(struct context *context, void *args, struct error *err)
{
	const struct shell_args *a = args;
	LOCAL(source_files_release) struct source_files script = { .also_in_use = context->in_use };
	struct context session = *context;
	struct shell s = { .context = &session, .wake_fd = -1 };
	session.in_use = &script;
	const char *path = a->file ? a->file : "-";
	bool is_prompt = !a->file && prompt_is_possible(false);
	int code = -1;
	if (context->operands->count > 0) {
		error_set(err, EXIT_CODE_USAGE, "unexpected argument '%s'", context->operands->items[0]);
		return error_hint(err, "to run a scenario: credhook shell -f FILE");
	}
	if (source_files_add_path(&script, path, err) == 0 &&
	    config_load(&s.config, a->global.config, a->global.no_config, err) == 0 &&
	    shell_session_open(&s, err) == 0) {
		code = is_prompt ? run_interactive(&s, err) : shell_run_script(&s, path, err);
	}
	shell_session_close(&s);
	line_history_release(&s.history);
	config_release(&s.config);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook shell", "type commands; 'listen 8080' shows notifications as they arrive" },
	{ "credhook shell -f samples/scenarios/onboarding.credhook", "run a scenario" },
	{ "echo 'build user-created' | credhook shell", "the same lines from a pipe" },
	{ NULL, NULL },
};

const struct command command_shell = {
	.name = "shell",
	.group = COMMAND_LEARN,
	.phrase = "an interactive prompt for all commands",
	.common = (const char *const[]){ "file", "config", NULL },
	.operands = "",
	.summary = "Type commands with a listener in the background, or run a scenario from a file.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct shell_args),
	.run = run_shell,
	.examples = examples,
};
