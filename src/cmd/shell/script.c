/* Lines from a pipe or a file: a scenario, which ends at the first line that fails, unless it is to keep going. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/report_files.h"
#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
	bool keep_going;
	struct report_files reports;
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

/* Whether there is more on the line than blanks and a comment. */
static bool is_command(const struct buffer *line)
{
	const char *text = buffer_text(line);
	text += strspn(text, " \t\r");
	return *text != '\0' && *text != '#';
}

/* What was said of a failure: its error, else the first line. */
static void append_message(struct buffer *out, const struct buffer *said, int code)
{
	static const char error[] = "credhook: ", warning[] = "credhook: warning: ";
	const char *first = buffer_text(said), *at = first;
	while (*at && (strncmp(at, error, strlen(error)) != 0 || strncmp(at, warning, strlen(warning)) == 0))
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
	at = *at ? at + strlen(error) : first;
	if (*at)
		buffer_append(out, at, strcspn(at, "\n"));
	else
		buffer_printf(out, "exit code %d", code);
}

static void add_case(struct script *s, const struct buffer *shown, enum report_verdict verdict, int code,
                     const char *message, const char *details, int64_t ns)
{
	LOCAL_BUFFER group = BUFFER_INIT, name = BUFFER_INIT;
	char type[32];
	report_append_class(s->name, &group);
	buffer_printf(&name, "line %zu: %s", s->line, buffer_text(shown));
	snprintf(type, sizeof type, "exit-code-%d", code);
	report_files_case(&s->reports, &(struct report_case){ .group = buffer_text(&group),
	                                                      .name = buffer_text(&name),
	                                                      .verdict = verdict,
	                                                      .type = type,
	                                                      .message = message,
	                                                      .details = details,
	                                                      .ns = ns });
}

/* Runs the line and reports its failure; returns its exit code. */
static int run_line(struct script *s, const struct buffer *line)
{
	struct terminal *t = s->shell->context->terminal;
	LOCAL_BUFFER shown = BUFFER_INIT, out = BUFFER_INIT, said = BUFFER_INIT, message = BUFFER_INIT;
	append_shown(&shown, line);
	if (t->verbose)
		terminal_note(t, "%s:%zu: %s", s->name, s->line, buffer_text(&shown));
	int64_t started_ns = clock_monotonic_ns();
	if (s->reports.count > 0) {
		t->out_copy = &out;
		t->err_copy = &said;
	}
	int code = shell_run_line(s->shell, buffer_text(line), line->length);
	t->out_copy = t->err_copy = NULL;
	int64_t ns = clock_monotonic_ns() - started_ns;
	if (code != EXIT_CODE_OK) {
		append_message(&message, &said, code);
		terminal_announce(t, "%s:%zu: %s with exit code %d: %s", s->name, s->line,
		                  s->keep_going ? "failed" : "stopped", code, buffer_text(&shown));
		buffer_append(&out, buffer_text(&said), said.length);
		add_case(s, &shown, REPORT_FAILED, code, buffer_text(&message), buffer_text(&out), ns);
	} else if (is_command(line)) {
		add_case(s, &shown, REPORT_PASSED, code, NULL, NULL, ns);
	}
	return code;
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

static bool goes_on(const struct script *s, int code)
{
	const struct shell *shell = s->shell;
	if (shell->leaving || terminal_is_closed(shell->context->terminal))
		return false;
	return code == EXIT_CODE_OK || (s->keep_going && code != EXIT_CODE_INTERRUPTED);
}

static int run_lines(struct script *s, struct error *err)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	int got = 1, code = EXIT_CODE_OK;
	while (goes_on(s, code) && (got = take_line(s, &line, err)) == 1)
		code = (int)exit_code_worse((enum exit_code)code, (enum exit_code)run_line(s, &line));
	if (got < 0)
		return -1;
	return got == 0 ? EXIT_CODE_INTERRUPTED : code;
}

/* What a failure has kept from running. A pipe is not waited for. */
static void report_rest(struct script *s)
{
	struct stat status;
	struct error unused;
	LOCAL_BUFFER line = BUFFER_INIT;
	char why[64];
	snprintf(why, sizeof why, "not run: the script stopped at line %zu", s->line);
	if (s->reports.count == 0 || fstat(s->fd, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	while (take_line(s, &line, &unused) == 1) {
		LOCAL_BUFFER shown = BUFFER_INIT;
		append_shown(&shown, &line);
		if (is_command(&line))
			add_case(s, &shown, REPORT_SKIPPED, EXIT_CODE_OK, why, NULL, 0);
	}
}

static int run_script(struct script *s, const struct report_wishes *wishes, struct error *err)
{
	const struct context *context = s->shell->context;
	if (report_files_open(&s->reports, context->command, wishes, context->in_use, NULL, err) < 0)
		return -1;
	int code = run_lines(s, err);
	if (code != EXIT_CODE_OK && !s->shell->leaving)
		report_rest(s);
	code = shell_end_listening(s->shell, code);
	code = report_files_finish(&s->reports, code, context->terminal, err);
	report_files_release(&s->reports);
	return code;
}

int shell_run_script(struct shell *shell, const struct shell_script *script, struct error *err)
{
	bool is_stdin = strcmp(script->path, "-") == 0;
	struct script s = { .shell = shell,
		            .name = is_stdin ? "standard input" : script->path,
		            .fd = STDIN_FILENO,
		            .keep_going = script->keep_going };
	if (!is_stdin) {
		s.fd = open(script->path, O_RDONLY | O_CLOEXEC);
		if (s.fd < 0)
			return error_set(err, EXIT_CODE_IO, "cannot open '%s': %s", script->path, strerror(errno));
	}
	int code = run_script(&s, script->reports, err);
	if (!is_stdin)
		close(s.fd);
	buffer_release(&s.text);
	return code;
}
