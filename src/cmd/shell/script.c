/* Lines from a pipe or a file: a scenario, which ends at the first line that fails. */
#include "base/fit.h"
#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BLOCK          65536
#define LINE_BYTES_MAX ((size_t)1 << 20)

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

/* The length of the next whole line (the last one may be without LF): 1; 0: interrupted; 2: no more; -1: *err. */
static int next_line(struct script *s, size_t *length, struct error *err)
{
	size_t looked = 0;
	for (;;) {
		const char *text = buffer_text(&s->text);
		const char *newline = memchr(text + looked, '\n', s->text.length - looked);
		*length = newline ? (size_t)(newline - text) : s->text.length;
		if (*length > LINE_BYTES_MAX)
			return error_set(err, EXIT_CODE_FAILED, "%s:%zu: the line is longer than 1 MiB", s->name,
			                 s->line + 1);
		if (newline)
			return 1;
		if (s->at_end)
			return s->text.length > 0 ? 1 : 2;
		looked = s->text.length;
		int got = read_more(s, err);
		if (got <= 0)
			return got;
	}
}

/* The line as messages quote it. */
static void append_shown(struct buffer *out, const struct buffer *line)
{
	const char *text = buffer_text(line);
	if (line_holds_secret(text, line->length))
		buffer_append_text(out, "(not shown: contains a secret)");
	else
		fit_append(out, text, line->length, ERROR_QUOTED_MAX);
}

/* The next line, as next_line(). */
static int take_line(struct script *s, struct buffer *line, struct error *err)
{
	size_t length = 0;
	int got = next_line(s, &length, err);
	buffer_clear(line);
	if (got != 1)
		return got;
	buffer_append(line, buffer_text(&s->text), length);
	buffer_consume(&s->text, length < s->text.length ? length + 1 : length);
	s->line++;
	return line->failed ? error_no_memory(err) : got;
}

/* Runs the line and reports its failure; returns its exit code. */
static int run_line(struct script *s, const struct buffer *line)
{
	struct terminal *t = s->shell->context->terminal;
	LOCAL_BUFFER shown = BUFFER_INIT;
	append_shown(&shown, line);
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

int shell_run_script(struct shell *shell, const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct script s = { .shell = shell, .name = is_stdin ? "standard input" : path, .fd = STDIN_FILENO };
	if (!is_stdin) {
		s.fd = open(path, O_RDONLY | O_CLOEXEC);
		if (s.fd < 0)
			return error_set(err, EXIT_CODE_IO, "cannot open '%s': %s", path, strerror(errno));
	}
	int code = shell_end_listening(shell, run_lines(&s, err));
	if (!is_stdin)
		close(s.fd);
	buffer_release(&s.text);
	return code;
}
