#include "ui/help.h"

#include "base/child.h"
#include "base/file.h"
#include "base/fit.h"
#include "base/system.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LESS           "command -v less >/dev/null || exit 127; exec less -FRX"
#define CANNOT_EXECUTE 126 /* and 127, of /bin/sh: there is no such command */
#define PAGE_TERM      26  /* columns of a term beside its explanation */
#define SHORT_TERM     18  /* on a page that fits a screen */
#define WIDEST_LINE    100
#define NARROWEST_TEXT 30

void help_append_row(struct buffer *out, const char *term, const char *text, int term_width, int width)
{
	int indent = term_width + 4;
	if (width > WIDEST_LINE)
		width = WIDEST_LINE;
	if (width - indent < NARROWEST_TEXT) /* the explanation goes below */
		indent = 6;
	buffer_printf(out, "  %s", term);
	int at = 2 + (int)strlen(term);
	if (at + 2 > indent) {
		buffer_append_byte(out, '\n');
		at = 0;
	}
	buffer_append_repeat(out, ' ', (size_t)(indent - at));
	fit_append_wrapped(out, text, indent, indent, width);
	buffer_append_byte(out, '\n');
}

static void append_option(struct buffer *out, const struct option *option, const struct help_page *page, int term_width,
                          int width)
{
	LOCAL_BUFFER term = BUFFER_FOR(out), text = BUFFER_FOR(out);
	const char *value = option_initial_value(option, page->initials);
	if (option->letter)
		buffer_printf(&term, "-%c, ", option->letter);
	buffer_printf(&term, "--%s", option->name);
	if (option->argument)
		buffer_printf(&term, option->argument_optional ? "[=%s]" : " %s", option->argument);
	buffer_append_text(&text, option->help);
	if (option->choices) {
		buffer_append_text(&text, ": ");
		options_append_choices(&text, option->choices);
	}
	if (value)
		buffer_printf(&text, " (default %s)", value);
	help_append_row(out, buffer_text(&term), buffer_text(&text), term_width, width);
}

static void append_head(struct buffer *out, const struct help_page *page, int width)
{
	LOCAL_BUFFER usage = BUFFER_FOR(out);
	buffer_printf(&usage, "usage: credhook %s%s%s%s\n", page->command, page->operands[0] ? " " : "", page->operands,
	              strstr(page->operands, "OPTION") ? "" : " [OPTION]...");
	fit_append_wrapped(out, buffer_text(&usage), 0, 7, width);
	fit_append_wrapped(out, page->summary, 0, 0, width);
	buffer_append_byte(out, '\n');
}

/* The command with its meaning behind it; where that is too long it is above, or not at all if `is_short`. */
static void append_example(struct buffer *out, const struct help_example *example, int width, bool color, bool is_short)
{
	LOCAL_BUFFER meaning = BUFFER_FOR(out);
	bool fits = strlen("    # ") + strlen(example->command) + strlen(example->meaning) <= (size_t)width;
	buffer_append_text(&meaning, "  ");
	style_append(&meaning, color, STYLE_FAINT, "# %s", example->meaning);
	if (!fits && !is_short)
		buffer_printf(out, "%s\n", buffer_text(&meaning));
	buffer_printf(out, "  %s%s\n", example->command, fits ? buffer_text(&meaning) : "");
}

void help_append_short(struct buffer *out, const struct help_page *page, int width, bool color)
{
	size_t others = 0;
	width = width < WIDEST_LINE ? width : WIDEST_LINE;
	append_head(out, page, width);
	if (page->common)
		buffer_append_byte(out, '\n');
	for (size_t g = 0; g < page->group_count; g++)
		others += page->groups[g].count;
	for (const char *const *name = page->common; name && *name; name++) {
		const struct option *option = options_find(page->groups, page->group_count, 0, *name, strlen(*name));
		if (!option)
			continue;
		append_option(out, option, page, SHORT_TERM, width);
		others--;
	}
	buffer_append_byte(out, '\n');
	for (size_t i = 0; page->examples && i < HELP_EXAMPLES_MAX && page->examples[i].command; i++)
		append_example(out, &page->examples[i], width, color, true);
	LOCAL_BUFFER more = BUFFER_FOR(out);
	buffer_printf(&more, "\n%zu more options: credhook %s --help\n", others, page->command);
	fit_append_wrapped(out, buffer_text(&more), 0, 0, width);
}

void help_append_page(struct buffer *out, const struct help_page *page, int width, bool color)
{
	width = width < WIDEST_LINE ? width : WIDEST_LINE;
	append_head(out, page, width);
	for (size_t g = 0; g < page->group_count; g++) {
		if (g == 0 || strcmp(page->groups[g].title, page->groups[g - 1].title) != 0) {
			buffer_append_byte(out, '\n');
			style_append(out, color, STYLE_BOLD, "%s:", page->groups[g].title);
			buffer_append_byte(out, '\n');
		}
		for (size_t i = 0; i < page->groups[g].count; i++)
			append_option(out, &page->groups[g].options[i], page, PAGE_TERM, width);
	}
	if (!page->examples)
		return;
	buffer_append_byte(out, '\n');
	style_append(out, color, STYLE_BOLD, "Examples:");
	buffer_append_byte(out, '\n');
	for (const struct help_example *example = page->examples; example->command; example++)
		append_example(out, example, width, color, false);
	buffer_printf(out, "\nSee also: man credhook-%s\n", page->command);
}

/* Whether a program may show what is long a page at a time: not where nobody could turn a page. */
static bool is_paging_wanted(const struct terminal *t)
{
	const char *pager = getenv("PAGER"), *term = getenv("TERM");
	bool is_wanted = pager ? pager[0] != '\0' && strcmp(pager, "cat") != 0 : term && strcmp(term, "dumb") != 0;
	return is_wanted && t->out_is_tty;
}

/* Runs a program that has the terminal, and with it Ctrl-C; `text`, or NULL, is for its input. Returns its exit code:
 * from CANNOT_EXECUTE on it could not be started. */
static int run_program(const struct child_policy *how, const struct buffer *text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	struct child child;
	int code = CANNOT_EXECUTE;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	if (child_start(&child, how) == 0) {
		if (text) {
			/* Not to its end where the user leaves the pager. */
			file_write_all(child.pipe_fd, buffer_text(text), text->length);
			close(child.pipe_fd);
		}
		child_wait(&child, -1);
		code = child.signal ? 0 : child.code;
	}
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return code;
}

void pager_show(struct terminal *t, const struct buffer *text)
{
	const char *pager = getenv("PAGER");
	const struct child_policy how = { .words = (const char *const[]){ "/bin/sh", "-c", pager ? pager : LESS, NULL },
		                          .input = CHILD_PIPE };
	struct winsize size = { .ws_row = 0 };
	bool is_long = t->out_is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
	               text_count_lines(buffer_text(text), text->length) >= size.ws_row;
	if (is_long && is_paging_wanted(t) && !text->failed) {
		terminal_flush(t);
		if (run_program(&how, text) < CANNOT_EXECUTE)
			return;
	}
	terminal_write_buffer(t, text);
}

/* The file of a page: beside the program where it was built, or where packages and archives have it. False: in neither.
 */
static bool find_page(const char *page, struct buffer *path)
{
	static const char *const places[][2] = { { "man/", ".7.gz" },
		                                 { "../share/man/man7/", ".7.gz" },
		                                 { "../share/man/man7/", ".7" } };
	char program[PATH_MAX];
	char *slash = system_program(program, sizeof program) ? strrchr(program, '/') : NULL;
	for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
		slash[1] = '\0';
		buffer_clear(path);
		buffer_printf(path, "%s%s%s%s", program, places[i][0], page, places[i][1]);
		if (access(buffer_text(path), R_OK) == 0)
			return true;
	}
	return false;
}

int manual_show(struct terminal *t, const char *page, bool may_page, struct signals *signals, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	bool is_found = find_page(page, &path), is_paged = may_page && is_paging_wanted(t);
	const char *const words[] = {
		"env", "MANPAGER=cat", "man", is_found ? buffer_text(&path) : "7", is_found ? NULL : page, NULL
	};
	const struct child_policy how = { .words = is_paged ? words + 2 : words,
		                          .signals = signals,
		                          .input = is_paged ? CHILD_OURS : CHILD_NULL,
		                          .errors = is_found ? CHILD_OURS : CHILD_NULL };
	terminal_flush(t);
	int code = run_program(&how, NULL);
	if (code == 0)
		return EXIT_CODE_OK;
	if (code >= CANNOT_EXECUTE)
		error_set(err, EXIT_CODE_IO, "cannot show %s(7): there is no program 'man'", page);
	else
		error_set(err, EXIT_CODE_IO, "cannot show %s(7): man cannot find or read it", page);
	if (code >= CANNOT_EXECUTE && is_found)
		return error_hint(err, "install man-db; the page is %s", buffer_text(&path));
	if (code >= CANNOT_EXECUTE)
		return error_hint(err, "install man-db");
	return error_hint(err, "the manual is in credhook's package and archive, in share/man; from the sources 'cmake "
	                       "--install build' installs it");
}
