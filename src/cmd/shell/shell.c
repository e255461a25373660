/* shell: a session for testing by hand; from a pipe or a file, a scenario. */
#include "cmd/shell/shell.h"

#include "base/buffer.h"
#include "base/fit.h"
#include "cmd/files.h"
#include "cmd/shell/line.h"

#include <errno.h>
#include <fcntl.h>
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
	  .offset = offsetof(struct shell_args, file) },
};
static const struct option_group group = OPTION_GROUP("Shell", rows, 0);
static const struct option_use uses[] = { { &group, 0 } };

/* The lines of former sessions: $XDG_STATE_HOME/credhook/history, else ~/.local/state/credhook/history, mode 0600; each
 * once, the latest last. */

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

/* The folder of the file; false: unknown. A relative $XDG_STATE_HOME does not count, as its specification asks. */
static bool append_folder(struct buffer *path)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		buffer_printf(path, "%s/credhook", state);
	else if (home && home[0] == '/')
		buffer_printf(path, "%s/.local/state/credhook", home);
	return path->length > 0 && !path->failed;
}

/* A missing file is not an error. */
static int read_file(const char *path, struct buffer *text, struct error *err)
{
	return access(path, F_OK) == 0 ? file_read_whole(path, text, NULL, err) : 0;
}

/* The next of the lines that are kept, ended in the text; NULL: no more. */
static char *next_kept(char **rest)
{
	char *line;
	while ((line = strsep(rest, "\n")) != NULL)
		if (is_kept(line))
			return line;
	return NULL;
}

static int read_history(struct shell *s, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT, text = BUFFER_INIT;
	if (!append_folder(&path))
		return 0;
	buffer_append_text(&path, "/history");
	if (read_file(buffer_text(&path), &text, err) < 0)
		return -1;
	char *rest = text.data;
	for (const char *line; (line = next_kept(&rest)) != NULL;)
		prompt_remember(s->prompt, line);
	return 0;
}

/* Replaces the text by its last lines, each once. */
static void keep_latest(struct buffer *text)
{
	const char *lines[TYPED_LINES_MAX];
	size_t count = 0;
	struct buffer kept = BUFFER_INIT;
	char *rest = text->data;
	for (const char *line; (line = next_kept(&rest)) != NULL;) {
		size_t at = 0;
		while (at < count && strcmp(lines[at], line) != 0)
			at++;
		if (at == TYPED_LINES_MAX)
			at = 0; /* the oldest makes room */
		if (at < count)
			memmove(lines + at, lines + at + 1, (--count - at) * sizeof lines[0]);
		lines[count++] = line;
	}
	for (size_t i = 0; i < count; i++)
		buffer_printf(&kept, "%s\n", lines[i]);
	buffer_release(text);
	*text = kept;
}

/* Adds this session's lines to what the file holds by now. */
static int write_history(const struct buffer *typed, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT, text = BUFFER_INIT;
	if (typed->length == 0 || !append_folder(&path))
		return 0;
	mode_t before = umask(077); /* what is typed may hold secrets */
	int result = file_make_folders(buffer_text(&path), err);
	buffer_append_text(&path, "/history");
	if (result == 0)
		result = read_file(buffer_text(&path), &text, err);
	if (text.length > 0 && text.data[text.length - 1] != '\n')
		buffer_append_byte(&text, '\n');
	buffer_append(&text, typed->data, typed->length);
	keep_latest(&text);
	if (result == 0)
		result = text.failed ? error_no_memory(err)
		                     : file_write_whole(buffer_text(&path), buffer_text(&text), text.length, NULL, NULL,
		                                        err);
	umask(before);
	return result;
}

/* Lines from a pipe or a file: a scenario, which ends at the first line that fails. */

#define BLOCK           65536
#define SCRIPT_LINE_MAX ((size_t)1 << 20)

struct script {
	struct shell *shell;
	const char *name; /* for messages */
	int fd;
	struct buffer text; /* read, and not run yet */
	size_t line;        /* that runs */
	bool at_end;
};

/* More of the script; Ctrl-C interrupts the wait for a pipe. 1; 0: interrupted; -1: *err. */
static int read_more(struct script *s, struct error *err)
{
	struct signals *signals = s->shell->context->signals;
	if (!buffer_reserve(&s->text, BLOCK))
		return error_no_memory(err);
	if (!signals_wait_input(signals, s->fd)) {
		signals_take(signals);
		return 0;
	}
	ssize_t got = read(s->fd, s->text.data + s->text.length, BLOCK);
	if (got < 0 && errno != EINTR)
		return error_set(err, EXIT_CODE_IO, "cannot read '%s': %s", s->name, strerror(errno));
	if (got == 0)
		s->at_end = true;
	if (got > 0)
		s->text.length += (size_t)got;
	return 1;
}

/* The next line (the last one may be without LF): 1; 0: interrupted; 2: no more; -1: *err. */
static int take_line(struct script *s, struct buffer *line, struct error *err)
{
	const char *newline;
	size_t looked = 0;
	while (!(newline = memchr(buffer_text(&s->text) + looked, '\n', s->text.length - looked)) && !s->at_end &&
	       s->text.length <= SCRIPT_LINE_MAX) {
		looked = s->text.length;
		int got = read_more(s, err);
		if (got <= 0)
			return got;
	}
	size_t length = newline ? (size_t)(newline - s->text.data) : s->text.length;
	if (length > SCRIPT_LINE_MAX)
		return error_set(err, EXIT_CODE_FAILED, "%s:%zu: the line is longer than 1 MiB", s->name, s->line + 1);
	if (!newline && length == 0)
		return 2;
	buffer_clear(line);
	buffer_append(line, buffer_text(&s->text), length);
	buffer_consume(&s->text, newline ? length + 1 : length);
	s->line++;
	return line->failed ? error_no_memory(err) : 1;
}

/* Runs the line and reports its failure; returns its exit code. */
static int run_line(struct script *s, const struct buffer *line)
{
	struct terminal *t = s->shell->context->terminal;
	LOCAL_BUFFER shown = BUFFER_INIT;
	/* The line as messages quote it. */
	const char *text = buffer_text(line);
	if (line_holds_secret(text, line->length))
		buffer_append_text(&shown, "(not shown: contains a secret)");
	else
		fit_append(&shown, text, line->length, ERROR_QUOTED_MAX);
	if (t->verbose)
		terminal_note(t, "%s:%zu: %s", s->name, s->line, buffer_text(&shown));
	int code = shell_run_line(s->shell, buffer_text(line), line->length);
	if (code != EXIT_CODE_OK)
		terminal_announce(t, "%s:%zu: stopped with exit code %d: %s", s->name, s->line, code,
		                  buffer_text(&shown));
	return code;
}

static int run_lines(struct script *s, struct error *err)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	int got = 1, code = EXIT_CODE_OK;
	while (code == EXIT_CODE_OK && !s->shell->leaving && !terminal_is_closed(s->shell->context->terminal) &&
	       (got = take_line(s, &line, err)) == 1)
		code = run_line(s, &line);
	if (got < 0)
		return -1;
	return got == 0 ? EXIT_CODE_INTERRUPTED : code;
}

/* "-": standard input. Returns the exit code of the line that failed; 0: none did; -1: *err. */
static int run_script(struct shell *shell, const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct script s = { .shell = shell, .name = is_stdin ? "standard input" : path, .fd = STDIN_FILENO };
	if (!is_stdin) {
		s.fd = file_open(path, O_RDONLY, shell->context->signals);
		if (s.fd < 0)
			return error_set(err, EXIT_CODE_IO, "cannot open '%s': %s", path, strerror(errno));
	}
	int code = shell_end_listening(shell, run_lines(&s, err));
	if (!is_stdin)
		close(s.fd);
	buffer_release(&s.text);
	return code;
}

/* At the prompt. */

static void remember(struct shell *s, struct buffer *line)
{
	while (line->length > 0 && line->data[line->length - 1] == ' ')
		buffer_consume_end(line, 1);
	if (line->length == 0)
		return;
	if (is_kept(buffer_text(line)))
		buffer_printf(&s->typed, "%s\n", buffer_text(line));
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
	if (read_history(s, &problem) < 0)
		terminal_warn(s->context->terminal, "%s", problem.message);
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
	struct shell s = { .context = &session, .wake_fd = -1 };
	collect_commands(&s, context->commands);
	session.session = &s;
	session.commands = s.commands;
	session.defaults = &s.defaults;
	session.in_use = s.in_use = &script;
	const char *path = a->file ? a->file : "-";
	bool is_prompt = !a->file && prompt_is_possible(false);
	int code = -1;
	if (source_files_add_path(&script, path, err) == 0 &&
	    config_load(&s.config, a->global.config, a->global.no_config, err) == 0 &&
	    shell_session_open(&s, err) == 0) {
		code = context->operands->count > 0 ? shell_open(&s, context->operands, err) : EXIT_CODE_OK;
		if (code == EXIT_CODE_OK || (is_prompt && code > 0 && code != EXIT_CODE_INTERRUPTED))
			code = is_prompt ? run_interactive(&s, err) : run_script(&s, path, err);
	}
	shell_session_close(&s);
	buffer_release(&s.typed);
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
