#include "ui/terminal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/find.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ui/output_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long terminal_unqueue() waits for readers who take nothing; in a hurry for whomever. */
#define READERS_GET          (2 * CLOCK_NS_PER_S)
#define READERS_GET_IN_HURRY (CLOCK_NS_PER_S / 10)

/* Where the caller closed one of the three standard descriptors, the next file to be opened would get its number, and
 * what is said there would go into that file. Each gets /dev/null in the wrong direction instead: using it fails. */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

/* As the environment has it: the locale in effect is UTF-8 whatever that says. */
static bool is_utf8_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return find_any_case(value, "UTF-8") || find_any_case(value, "utf8");
	}
	return false;
}

void terminal_init(struct terminal *t)
{
	occupy_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write() reports a closed pipe */
	*t = (struct terminal){ .out_is_tty = isatty(STDOUT_FILENO),
		                .err_is_tty = isatty(STDERR_FILENO),
		                .utf8 = is_utf8_locale() };
	terminal_set_color(t, COLOR_AUTO);
}

/* A variable that is empty counts as one that is not set: https://no-color.org. */
static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

/* What FORCE_COLOR of other programs and CLICOLOR_FORCE have in common; 0 asks for nothing. */
static bool is_forced(const char *name)
{
	return is_set(name) && strcmp(getenv(name), "0") != 0;
}

void terminal_set_color(struct terminal *t, enum color_choice choice)
{
	const char *term = getenv("TERM");
	bool possible = term && strcmp(term, "dumb") != 0 && !is_set("NO_COLOR");
	if (choice == COLOR_AUTO && !is_set("NO_COLOR") && (is_forced("FORCE_COLOR") || is_forced("CLICOLOR_FORCE")))
		choice = COLOR_ALWAYS;
	t->color_out = choice == COLOR_ALWAYS || (choice == COLOR_AUTO && possible && t->out_is_tty);
	t->color_err = choice == COLOR_ALWAYS || (choice == COLOR_AUTO && possible && t->err_is_tty);
}

int terminal_width(void)
{
	struct winsize size;
	int width = 0;
	const char *columns = getenv("COLUMNS");
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 && columns)
		width = (int)strtol(columns, NULL, 10);
	if (width <= 0 || width > 10000)
		width = 80;
	return width < 20 ? 20 : width;
}

int terminal_out_rows(const struct terminal *t)
{
	struct winsize size;
	return t->out_is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static void remember_failure(struct terminal *t)
{
	if (t->write_errno == 0)
		t->write_errno = errno ? errno : EIO;
}

static void hide_status(struct terminal *t)
{
	if (t->status_shown)
		fputs("\r\033[K", stderr);
	t->status_shown = false;
}

void terminal_status(struct terminal *t, const char *text)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	if (!text) {
		hide_status(t);
		return;
	}
	if (t->out_is_tty)
		terminal_flush(t);
	buffer_append_byte(&line, '\r');
	fit_append(&line, text, strlen(text), terminal_width() - 1); /* one that wraps cannot be erased */
	buffer_append_text(&line, "\033[K");
	fwrite(buffer_text(&line), 1, line.length, stderr);
	fflush(stderr);
	t->status_shown = true;
}

static void write_out(struct terminal *t, const char *bytes, size_t length, bool is_needed)
{
	/* Results on the same terminal push the status away. */
	if (t->status_shown && t->out_is_tty)
		hide_status(t);
	if (t->out_queue)
		output_queue_add(t->out_queue, bytes, length, is_needed);
	else if (t->write_errno == 0 && length > 0 && fwrite(bytes, 1, length, stdout) != length)
		remember_failure(t);
}

void terminal_write(struct terminal *t, const char *bytes, size_t length)
{
	write_out(t, bytes, length, true);
}

static void write_buffer(struct terminal *t, const struct buffer *text, bool is_needed)
{
	buffer_fail_if(&t->lost, text->failed);
	if (!text->failed)
		write_out(t, buffer_text(text), text->length, is_needed);
}

void terminal_write_buffer(struct terminal *t, const struct buffer *text)
{
	write_buffer(t, text, true);
}

void terminal_write_lines(struct terminal *t, const struct buffer *lines)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	if (!t->out_is_tty) {
		terminal_write_buffer(t, lines);
		return;
	}
	utf8_append_safe_lines(&safe, buffer_text(lines), lines->length);
	buffer_fail_if(&safe, lines->failed);
	terminal_write_buffer(t, &safe);
}

void terminal_offer(struct terminal *t, const struct buffer *lines)
{
	write_buffer(t, lines, false);
}

void terminal_printf(struct terminal *t, const char *format, ...)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	va_list args;
	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	terminal_write_buffer(t, &text);
}

void terminal_flush(struct terminal *t)
{
	if (t->out_queue)
		output_queue_flush(t->out_queue);
	else if (t->write_errno == 0 && fflush(stdout) != 0)
		remember_failure(t);
}

bool terminal_is_closed(const struct terminal *t)
{
	return t->write_errno != 0 || (t->out_queue && output_queue_errno(t->out_queue) != 0);
}

void terminal_look(struct terminal *t)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	if (t->write_errno == 0 && poll(&out, 1, 0) == 1 && out.revents & POLLERR)
		t->write_errno = EPIPE;
}

int terminal_queue(struct terminal *t, struct error *err)
{
	terminal_flush(t);
	t->out_queue = output_queue_new(STDOUT_FILENO, err);
	if (!t->out_queue)
		return -1;
	struct stat a, b;
	if (fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 && file_is_same(&a, &b))
		t->err_queue = t->out_queue;
	else
		t->err_queue = output_queue_new(STDERR_FILENO, err);
	if (t->err_queue)
		return 0;
	terminal_unqueue(t, true);
	return -1;
}

uint64_t terminal_unqueue(struct terminal *t, bool in_a_hurry)
{
	int64_t wait = in_a_hurry ? READERS_GET_IN_HURRY : READERS_GET;
	if (!t->out_queue)
		return 0;
	output_queue_drain(t->out_queue, wait, !in_a_hurry);
	uint64_t dropped = terminal_dropped(t);
	if (dropped > 0)
		terminal_warn(t, "dropped %s line%s: stdout is not being read fast enough", COUNT_TEXT(dropped),
		              dropped == 1 ? "" : "s");
	if (t->err_queue)
		output_queue_drain(t->err_queue, wait, !in_a_hurry);
	if (t->write_errno == 0)
		t->write_errno = output_queue_errno(t->out_queue);
	if (t->err_queue != t->out_queue)
		output_queue_free(t->err_queue);
	output_queue_free(t->out_queue);
	t->out_queue = t->err_queue = NULL;
	return dropped;
}

uint64_t terminal_dropped(const struct terminal *t)
{
	return t->out_queue ? output_queue_dropped(t->out_queue) : 0;
}

int terminal_closed_fd(const struct terminal *t)
{
	return output_queue_errno_fd(t->out_queue);
}

bool terminal_reader_is_gone(const struct terminal *t)
{
	return (t->out_queue ? output_queue_errno(t->out_queue) : t->write_errno) == EPIPE;
}

/* Writes to stderr at once. is_needed: where stderr is queued, it is never dropped. */
static void write_err(struct terminal *t, const char *text, size_t length, bool is_needed)
{
	if (t->err_queue) {
		output_queue_add(t->err_queue, text, length, is_needed);
		output_queue_flush(t->err_queue);
	} else {
		fwrite(text, 1, length, stderr);
		fflush(stderr);
	}
}

static void write_err_buffer(struct terminal *t, const struct buffer *text, bool is_needed)
{
	static const char no_memory[] = "credhook: out of memory\n";
	buffer_fail_if(&t->lost, text->failed);
	for (size_t i = 0; t->err_is_tty && i < text->length; i++)
		t->err_rows += text->data[i] == '\n';
	if (text->failed)
		write_err(t, no_memory, sizeof no_memory - 1, true);
	else
		write_err(t, buffer_text(text), text->length, is_needed);
}

void terminal_erase_echo(struct terminal *t)
{
	static const char erase[] = "\r  \r";
	if (t->err_is_tty)
		write_err(t, erase, sizeof erase - 1, false);
}

/* Appends safe text that begins at column `at`, broken between words on a terminal. */
static void append_words(struct terminal *t, struct buffer *line, const struct buffer *safe, int at)
{
	const char *text = buffer_text(safe);
	int width = terminal_width();
	if (t->err_is_tty && at + fit_columns(text, safe->length) > width)
		fit_append_wrapped(line, text, at, 2, width);
	else
		buffer_append(line, text, safe->length);
}

void terminal_say(struct terminal *t, enum terminal_words words, const char *format, ...)
{
	static const char warning[] = "credhook: warning: ";
	LOCAL_BUFFER line = BUFFER_FOR(&t->lost), text = BUFFER_FOR(&line), safe = BUFFER_FOR(&line);
	va_list args;
	bool is_note = words == TERMINAL_NOTE || words == TERMINAL_COMMAND;
	if (is_note && t->quiet)
		return;
	hide_status(t);
	if (words == TERMINAL_WARNING)
		style_append(&line, t->color_err, STYLE_WARNING, "%s", warning);
	va_start(args, format);
	quoted_printf(&text, words == TERMINAL_COMMAND ? QUOTED_TO_TYPE : QUOTED_TO_READ, format, args);
	va_end(args);
	utf8_append_safe(&safe, buffer_text(&text), text.length);
	if (words == TERMINAL_COMMAND)
		buffer_append(&line, buffer_text(&safe), safe.length);
	else
		append_words(t, &line, &safe, words == TERMINAL_WARNING ? (int)strlen(warning) : 0);
	buffer_append_byte(&line, '\n');
	write_err_buffer(t, &line, !is_note);
}

void terminal_note_typing(struct terminal *t)
{
	if (isatty(STDIN_FILENO))
		terminal_note(t, "reading from the terminal; end with Ctrl-D");
}

void terminal_lines(struct terminal *t, const struct buffer *text)
{
	hide_status(t);
	write_err_buffer(t, text, true);
}

void terminal_error(struct terminal *t, const struct error *err)
{
	LOCAL_BUFFER line = BUFFER_FOR(&t->lost), words = BUFFER_FOR(&line);
	hide_status(t);
	style_append(&line, t->color_err, STYLE_ERROR, "credhook: ");
	utf8_append_safe(&words, err->message, strlen(err->message));
	if (err->asks) {
		buffer_append_text(&words, "; ");
		utf8_append_safe(&words, err->hint, strlen(err->hint));
	}
	append_words(t, &line, &words, (int)strlen("credhook: "));
	if (err->hint[0] && !err->asks) {
		buffer_clear(&words);
		buffer_append_text(&line, "\n  hint: ");
		utf8_append_safe(&words, err->hint, strlen(err->hint));
		append_words(t, &line, &words, (int)strlen("  hint: "));
	}
	buffer_append_byte(&line, '\n');
	write_err_buffer(t, &line, true);
}

int terminal_finish(struct terminal *t, struct error *err)
{
	terminal_flush(t);
	if (t->lost.failed)
		return error_no_memory(err);
	if (t->write_errno == 0 || t->write_errno == EPIPE)
		return 0;
	return error_set(err, EXIT_CODE_IO, "cannot write standard output: %s", strerror(t->write_errno));
}
