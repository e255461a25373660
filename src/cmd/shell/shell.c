/* shell: a session for testing by hand; from a pipe or a file, a scenario. */
#include "cmd/shell/shell.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/fit.h"
#include "capture/replace.h"
#include "capture/source.h"
#include "cmd/shell/shell_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* The lines of former sessions: $XDG_STATE_HOME/credhook/history, else ~/.local/state/credhook/history, mode 0600; the
 * latest last. */

#define TYPED_LINES_MAX 1000
#define LINE_BYTES_MAX  8192

/* A line that begins with a blank, or contains a control character or a secret, is not kept. */
static bool is_kept(const char *line)
{
	size_t length = strlen(line);
	if (length == 0 || length > LINE_BYTES_MAX || line[0] == ' ' || line[0] == '\t')
		return false;
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7F)
			return false;
	return !line_holds_secret(line, length);
}

/* The path and the text of the file, which may be missing. A relative $XDG_STATE_HOME does not count, as its
 * specification asks. An empty path: there is no place for it. */
static int read_history(struct buffer *path, struct buffer *text, struct error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		buffer_printf(path, "%s/credhook/history", state);
	else if (home && home[0] == '/')
		buffer_printf(path, "%s/.local/state/credhook/history", home);
	if (path->length == 0 || access(buffer_text(path), F_OK) < 0)
		return 0;
	return file_read_whole(buffer_text(path), text, NULL, err);
}

/* Adds this session's lines to what the file holds by now, and leaves out the oldest. */
static int write_history(const struct buffer *typed, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT, text = BUFFER_INIT;
	if (typed->length == 0)
		return 0;
	if (read_history(&path, &text, err) < 0)
		return -1;
	if (path.length == 0)
		return 0;
	buffer_append(&text, typed->data, typed->length);
	const char *from = buffer_text(&text);
	size_t lines = 0;
	for (size_t i = 0; i < text.length; i++)
		lines += text.data[i] == '\n';
	for (; lines > TYPED_LINES_MAX; lines--)
		from = strchr(from, '\n') + 1;
	mode_t before = umask(077); /* what is typed may hold secrets */
	int result = text.failed ? error_no_memory(err) : file_make_folders_above(buffer_text(&path), err);
	if (result == 0)
		result = replace_check(buffer_text(&path), NULL, err);
	if (result == 0)
		result = file_write_whole(buffer_text(&path), from, strlen(from), NULL, err);
	umask(before);
	return result;
}

/* Lines from a pipe or a file: a scenario, which ends at the first line that fails. */

#define SCRIPT_LINE_MAX ((size_t)1 << 20)

/* Runs the line and reports its failure; returns its exit code. */
static int run_script_line(struct shell *s, const char *name, const struct source_item *line)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER shown = BUFFER_FOR(&s->context->terminal->lost);
	if (line_holds_secret(line->text, line->length))
		buffer_append_text(&shown, "(not shown: contains a secret)");
	else
		fit_append(&shown, line->text, line->length, ERROR_QUOTED_MAX);
	if (t->verbose)
		terminal_note(t, "%s:%zu: %s", name, line->line, buffer_text(&shown));
	int code = shell_run_line(s, line->text, line->length);
	if (code != EXIT_CODE_OK)
		terminal_announce(t, "%s:%zu: stopped with exit code %d: %s", name, line->line, code,
		                  buffer_text(&shown));
	return code;
}

/* "-": standard input. Returns the exit code of the line that failed; 0: none did; -1: *err. */
static int run_script(struct shell *s, const char *path, struct error *err)
{
	const struct source_options options = { SOURCE_LINES, .limit = SCRIPT_LINE_MAX,
		                                .signals = s->context->signals };
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct source *source = source_open(path, &options, err);
	struct source_item line;
	int code = EXIT_CODE_OK;
	if (!source)
		return -1;
	while (code == EXIT_CODE_OK && !s->leaving && !terminal_is_closed(s->context->terminal)) {
		enum source_result got = source_next(source, &line, err);
		if (got == SOURCE_END)
			break;
		if (got == SOURCE_INTERRUPTED)
			code = signals_take(s->context->signals) ? EXIT_CODE_INTERRUPTED : EXIT_CODE_OK;
		else if (got != SOURCE_ITEM)
			code = -1;
		else if (line.too_long)
			code = error_set(err, EXIT_CODE_FAILED, "%s:%zu: the line is longer than 1 MiB", name,
			                 line.line);
		else
			code = run_script_line(s, name, &line);
	}
	source_close(source);
	return shell_end_listening(s, code);
}

/* At the prompt. */

/* ui/prompt.h calls this where it reads a line. */
static enum prompt_event wait_at_prompt(void *context, int signals, bool input_only)
{
	enum prompt_event event = shell_wait(context, signals, !input_only, 0);
	if (event == PROMPT_SHOW)
		shell_take_arrivals(context, true);
	return event;
}

static int run_prompt(struct shell *s, struct error *err)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER words = BUFFER_INIT, line = BUFFER_INIT;
	enum prompt_result result = PROMPT_LINE;
	terminal_note(t, "credhook %s: 'help' lists the commands, Tab completes, Ctrl-D ends", CREDHOOK_VERSION);
	while (!s->leaving && !terminal_is_closed(t) && result != PROMPT_END && result != PROMPT_FAILED) {
		shell_take_arrivals(s, false);
		buffer_clear(&words);
		shell_append_words(s, &words);
		terminal_flush(t);
		result = prompt_read(s->prompt, buffer_text(&words), &line, err);
		if (result != PROMPT_LINE || line.length == 0)
			continue;
		while (line.length > 0 && line.data[line.length - 1] == ' ')
			buffer_consume_end(&line, 1);
		if (is_kept(buffer_text(&line)))
			buffer_printf(&s->typed, "%s\n", buffer_text(&line));
		if (line.length > 0)
			prompt_remember(s->prompt, buffer_text(&line));
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
	const struct prompt_handler handler = { s, wait_at_prompt, shell_complete };
	LOCAL_BUFFER path = BUFFER_INIT, former = BUFFER_INIT;
	struct error problem;
	s->prompt = prompt_new(&handler, err);
	if (!s->prompt)
		return -1;
	if (read_history(&path, &former, &problem) < 0) {
		terminal_warn(s->context->terminal, "%s", problem.message);
		buffer_release(&former);
	}
	char *rest = former.data;
	for (const char *typed; (typed = strsep(&rest, "\n")) != NULL;)
		if (is_kept(typed))
			prompt_remember(s->prompt, typed);
	int code = run_prompt(s, err);
	if (write_history(&s->typed, &problem) < 0)
		terminal_warn(s->context->terminal, "cannot keep the history: %s", problem.message);
	prompt_free(s->prompt);
	s->prompt = NULL;
	return shell_end_listening(s, code);
}

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

static int run_shell(struct context *context, void *args, struct error *err)
{
	const struct shell_args *a = args;
	if (context->session)
		return error_set(err, EXIT_CODE_USAGE, "this is already the shell");
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
		if (code == EXIT_CODE_OK || (is_prompt && code > 0 && code != EXIT_CODE_INTERRUPTED))
			code = is_prompt ? run_interactive(&s, err) : run_script(&s, path, err);
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
