#include "ui/help.h"

#include "ui/terminal.h"

#include <string.h>

#define WIDEST_TERM 30
#define WIDEST_LINE 100

void help_append_wrapped(struct buffer *out, const char *text, int at, int indent, int width)
{
	int column = at;
	bool first = true;
	while (*text) {
		size_t length = strcspn(text, " ");
		if (!first && column + 1 + (int)length > width) {
			buffer_append_byte(out, '\n');
			buffer_append_repeat(out, ' ', (size_t)indent);
			column = indent;
		} else if (!first) {
			buffer_append_byte(out, ' ');
			column++;
		}
		buffer_append(out, text, length);
		column += (int)length;
		first = false;
		text += length;
		text += strspn(text, " ");
	}
}

void help_append_row(struct buffer *out, const char *term, const char *text, int term_width, int width)
{
	int indent = term_width + 4;
	if (width > WIDEST_LINE)
		width = WIDEST_LINE;
	if (indent > width / 2) /* a narrow terminal: the explanation goes below */
		indent = 6;
	buffer_printf(out, "  %s", term);
	int at = 2 + (int)strlen(term);
	if (at + 2 > indent) {
		buffer_append_byte(out, '\n');
		at = 0;
	}
	buffer_append_repeat(out, ' ', (size_t)(indent - at));
	help_append_wrapped(out, text, indent, indent, width);
	buffer_append_byte(out, '\n');
}

static int widest_term(const struct option_group *groups, size_t group_count)
{
	int widest = 0;
	struct buffer term = BUFFER_INIT;
	for (size_t g = 0; g < group_count; g++) {
		for (size_t i = 0; i < groups[g].count; i++) {
			buffer_clear(&term);
			options_append_synopsis(&term, &groups[g].options[i]);
			if ((int)term.length > widest && term.length <= WIDEST_TERM)
				widest = (int)term.length;
		}
	}
	buffer_release(&term);
	return widest;
}

/* What it does, which values it takes, and which one it has. */
static void append_meaning(struct buffer *out, const struct option_group *group, const struct option *o,
                           const void *args)
{
	struct buffer value = BUFFER_INIT;
	buffer_append_text(out, o->help);
	if (o->choices) {
		buffer_append_text(out, ": ");
		options_append_choices(out, o->choices);
	}
	options_append_default(&value, group, o, args);
	if (value.length > 0)
		buffer_printf(out, " (default %s)", buffer_text(&value));
	buffer_release(&value);
}

static void append_group(struct buffer *out, const struct option_group *group, const void *args, int term_width,
                         int width, bool color)
{
	struct buffer term = BUFFER_INIT, text = BUFFER_INIT;
	buffer_append_byte(out, '\n');
	style_append(out, color, STYLE_BOLD, "%s:", group->title);
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < group->count; i++) {
		const struct option *o = &group->options[i];
		buffer_clear(&term);
		buffer_clear(&text);
		options_append_synopsis(&term, o);
		append_meaning(&text, group, o, args);
		help_append_row(out, buffer_text(&term), buffer_text(&text), term_width, width);
	}
	buffer_release(&term);
	buffer_release(&text);
}

void help_append_group(struct buffer *out, const struct option_group *group, const void *args, int width, bool color)
{
	append_group(out, group, args, widest_term(group, 1), width, color);
}

/* The options by name only, filling lines behind the title. */
static void append_brief_group(struct buffer *out, const struct option_group *group, int width, bool color)
{
	struct buffer term = BUFFER_INIT;
	style_append(out, color, STYLE_BOLD, "%s:", group->title);
	int column = (int)strlen(group->title) + 1;
	for (size_t i = 0; i < group->count; i++) {
		buffer_clear(&term);
		const struct option *option = &group->options[i];
		if (option->letter)
			buffer_printf(&term, "-%c, ", option->letter);
		buffer_printf(&term, "--%s", option->name);
		if (column > 0 && column + 2 + (int)term.length > width) {
			buffer_append_byte(out, '\n');
			column = 0;
		}
		buffer_printf(out, "  %s", buffer_text(&term));
		column += 2 + (int)term.length;
	}
	buffer_append_byte(out, '\n');
	buffer_release(&term);
}

/* The command with its meaning behind it, or where that is too long above it. */
static void append_example(struct buffer *out, const struct help_example *example, bool names_only, int width,
                           bool color)
{
	size_t length = strlen(example->command) + strlen(example->meaning) + strlen("    # ");
	if (names_only) {
		buffer_printf(out, "  %s\n", example->command);
		return;
	}
	if (length > (size_t)width) {
		style_append(out, color, STYLE_FAINT, "  # %s", example->meaning);
		buffer_printf(out, "\n  %s\n", example->command);
		return;
	}
	buffer_printf(out, "  %s  ", example->command);
	style_append(out, color, STYLE_FAINT, "# %s", example->meaning);
	buffer_append_byte(out, '\n');
}

void help_append_page(struct buffer *out, const struct help_page *page, int width, bool color)
{
	int text_width = width < WIDEST_LINE ? width : WIDEST_LINE;
	struct buffer usage = BUFFER_INIT;
	buffer_printf(&usage, "usage: credhook %s%s%s [OPTION]...", page->command, page->operands[0] ? " " : "",
	              page->operands);
	help_append_wrapped(out, buffer_text(&usage), 0, 7, text_width);
	buffer_append_byte(out, '\n');
	help_append_wrapped(out, page->summary, 0, 0, text_width);
	buffer_append_byte(out, '\n');
	int term_width = widest_term(page->groups, page->group_count);
	if (page->names_only)
		buffer_append_byte(out, '\n');
	for (size_t g = 0; g < page->group_count; g++) {
		if (page->names_only)
			append_brief_group(out, &page->groups[g], text_width, color);
		else
			append_group(out, &page->groups[g], page->args, term_width, width, color);
	}
	if (page->brief && !page->names_only)
		buffer_append_byte(out, '\n');
	if (page->brief)
		append_brief_group(out, page->brief, text_width, color);
	if (page->examples && page->examples[0].command) {
		buffer_append_byte(out, '\n');
		style_append(out, color, STYLE_BOLD, "Examples:");
		buffer_append_byte(out, '\n');
		for (size_t i = 0; i < HELP_EXAMPLES_MAX && page->examples[i].command; i++)
			append_example(out, &page->examples[i], page->names_only, text_width, color);
	}
	buffer_release(&usage);
}
