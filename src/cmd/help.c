/* help: the list of commands, or one command's page. */
#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/explain.h"
#include "json/json_line.h"

#include <stdlib.h>
#include <string.h>

struct help_args {
	struct global_options global;
	bool complete;
};

#define HELP(field) offsetof(struct help_args, field)
static const struct option rows[] = {
	{ 0, "complete", NULL, "list what could end the command line 'credhook COMMAND...', for completion scripts",
	  OPTION_FLAG, .offset = HELP(complete) },
};
static const struct option_group group = OPTION_GROUP("For scripts", rows, 0);
static const struct option_use uses[] = { { &group, 0 } };

/* A row of a list with the first clause of its text, so that the list can be taken in at a glance. */
static void append_clause(struct buffer *out, const char *term, const char *text, int term_width, int width)
{
	const char *end = strpbrk(text, ":;");
	while (end && end[1] != ' ')
		end = strpbrk(end + 1, ":;");
	struct buffer clause = BUFFER_INIT;
	size_t length = end ? (size_t)(end - text) : strlen(text);
	buffer_append(&clause, text, length > 0 && text[length - 1] == '.' ? length - 1 : length);
	help_append_row(out, term, buffer_text(&clause), term_width, width);
	buffer_release(&clause);
}

static void append_overview(struct buffer *out, const struct command *const *commands, int width, bool color)
{
	help_append_wrapped(out, "usage: credhook COMMAND [ARGUMENT]... [OPTION]...", 0, 7, width);
	buffer_append_byte(out, '\n');
	help_append_wrapped(out,
	                    "Send, validate, capture and replay the event notifications (webhooks) of a credit-data "
	                    "service.",
	                    0, 0, width < 100 ? width : 100);
	buffer_append_text(out, "\n\n");
	style_append(out, color, STYLE_BOLD, "Commands:");
	buffer_append_byte(out, '\n');
	for (size_t i = 0; commands[i]; i++)
		append_clause(out, commands[i]->name, commands[i]->summary, 10, width);
	buffer_append_byte(out, '\n');
	style_append(out, color, STYLE_BOLD, "Exit codes:");
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < exit_code_row_count; i++) {
		struct buffer code = BUFFER_INIT;
		buffer_printf(&code, "%d", (int)exit_code_rows[i].code);
		append_clause(out, buffer_text(&code), exit_code_rows[i].meaning, 3, width);
		buffer_release(&code);
	}
	help_append_group(out, &global_option_group, &(struct global_options){ 0 }, width, color);
	buffer_append_byte(out, '\n');
	struct buffer topics = BUFFER_INIT;
	struct topic topic;
	buffer_append_text(&topics, "topics: ");
	for (size_t i = 0; topic_format_at(i, &topic); i++)
		buffer_printf(&topics, "%s, ", topic.name);
	buffer_append_text(&topics, "events, outcomes, findings, exit codes, and what 'credhook explain' lists; "
	                            "'credhook help TOPIC' tells of one.");
	help_append_wrapped(out, buffer_text(&topics), 0, 0, width < 100 ? width : 100);
	buffer_append_byte(out, '\n');
	buffer_release(&topics);
	help_append_wrapped(out,
	                    "'credhook COMMAND -h' shows a command's options, 'credhook help COMMAND' its manual page.",
	                    0, 0, width < 100 ? width : 100);
	buffer_append_byte(out, '\n');
}

static void append_option_json(struct buffer *out, const struct option_group *of, const struct option *o,
                               const void *args)
{
	struct buffer value = BUFFER_INIT;
	json_line_comma(out);
	json_line_begin(out);
	json_line_text(out, "group", of->title);
	json_line_text(out, "name", o->name);
	json_line_bytes(out, "letter", &o->letter, o->letter ? 1 : 0);
	json_line_text(out, "argument", o->argument);
	json_line_bool(out, "argument_optional", o->argument_optional);
	json_line_text(out, "help", o->help);
	options_append_default(&value, of, o, args);
	json_line_text(out, "default", value.length > 0 ? buffer_text(&value) : NULL);
	buffer_release(&value);
	json_line_array(out, "choices");
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		json_line_element(out, o->choices[i]);
	json_line_array_end(out);
	json_line_end(out);
}

/* What scripts that write or check completions and manuals read. */
static void append_command_json(struct buffer *out, const struct command *command, const void *args)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = command_groups(command, groups);
	json_line_begin(out);
	json_line_text(out, "name", command->name);
	json_line_text(out, "operands", command->operands);
	json_line_text(out, "summary", command->summary);
	json_line_array(out, "options");
	for (size_t g = 0; g < count; g++)
		for (size_t i = 0; i < groups[g].count; i++)
			append_option_json(out, &groups[g], &groups[g].options[i], args);
	json_line_array_end(out);
	json_line_array(out, "examples");
	for (const struct help_example *e = command->examples; e && e->command; e++) {
		json_line_comma(out);
		json_line_begin(out);
		json_line_text(out, "command", e->command);
		json_line_text(out, "meaning", e->meaning);
		json_line_end(out);
	}
	buffer_append_text(out, "]}\n");
}

static int run_complete(struct context *context)
{
	struct completion completion = { .commands = context->commands, .word = "" };
	struct buffer text = BUFFER_INIT;
	complete_words(&completion, context->operands);
	completion_append(&text, &completion);
	terminal_write(context->terminal, buffer_text(&text), text.length);
	completion_release(&completion);
	buffer_release(&text);
	return EXIT_CODE_OK;
}

static void append_command_help(struct buffer *out, const struct command *command, const void *args, bool names_only,
                                int width, bool color)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	struct help_page page = { .command = command->name,
		                  .operands = command->operands,
		                  .summary = command->summary,
		                  .groups = groups,
		                  .group_count = command_groups(command, groups) - 1, /* without the global one */
		                  .args = args,
		                  .brief = &global_option_group,
		                  .names_only = names_only,
		                  .examples = command->examples };
	help_append_page(out, &page, width, color);
	if (names_only) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "'credhook help %s' tells what each option does.", command->name);
		help_append_wrapped(out, buffer_text(&text), 0, 0, width);
		buffer_append_byte(out, '\n');
		buffer_release(&text);
	}
}

static int count_lines(const struct buffer *text)
{
	int lines = 0;
	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* A command's page, with the values that its options have where they are not given. */
static void append_page(struct buffer *out, const struct terminal *terminal, const struct command *command,
                        bool on_one_screen)
{
	int width = terminal_width(), height = terminal_height(terminal);
	void *args = calloc(1, command->args_size);
	if (!args) {
		out->failed = true;
		return;
	}
	if (command->defaults)
		command->defaults(args);
	if (terminal->json) {
		append_command_json(out, command, args);
	} else {
		append_command_help(out, command, args, false, width, terminal->color_out);
		if (on_one_screen && height > 0 && count_lines(out) >= height) { /* the prompt needs a line */
			buffer_clear(out);
			append_command_help(out, command, args, true, width, terminal->color_out);
		}
	}
	if (command->release)
		command->release(args);
	free(args);
}

int command_show_help(struct terminal *terminal, const struct command *command, bool on_one_screen)
{
	struct buffer text = BUFFER_INIT;
	append_page(&text, terminal, command, on_one_screen);
	terminal_write(terminal, buffer_text(&text), text.length);
	buffer_release(&text);
	return EXIT_CODE_OK;
}

int command_show_overview(struct terminal *terminal, const struct command *const *commands)
{
	struct buffer text = BUFFER_INIT;
	if (!terminal->json)
		append_overview(&text, commands, terminal_width(), terminal->color_out);
	for (size_t i = 0; terminal->json && commands[i]; i++)
		append_page(&text, terminal, commands[i], false);
	terminal_write(terminal, buffer_text(&text), text.length);
	buffer_release(&text);
	return EXIT_CODE_OK;
}

static bool has_page(const struct command *const *commands, const char *name)
{
	struct topic topic;
	struct error unused;
	for (size_t i = 0; topic_format_at(i, &topic); i++)
		if (strcmp(topic.name, name) == 0)
			return true;
	return command_named(commands, name, &unused) != NULL;
}

static int run_help(struct context *context, void *args, struct error *err)
{
	const struct help_args *a = args;
	const struct text_list *names = context->operands;
	if (a->complete)
		return run_complete(context);
	bool at_terminal = context->terminal->out_is_tty && !context->global->json;
	if (names->count == 1 && at_terminal && has_page(context->commands, names->items[0]) &&
	    command_show_manual(names->items[0]))
		return EXIT_CODE_OK;
	struct buffer text = BUFFER_INIT;
	int code = EXIT_CODE_OK;
	for (size_t i = 0; i < names->count && code == EXIT_CODE_OK; i++) {
		const struct command *command = command_named(context->commands, names->items[i], err);
		if (command)
			append_page(&text, context->terminal, command, false);
		else if (!explain_topic(&text, context->terminal, names->items[i]))
			code = -1;
	}
	if (code == EXIT_CODE_OK)
		terminal_write(context->terminal, buffer_text(&text), text.length);
	buffer_release(&text);
	if (names->count == 0)
		command_show_overview(context->terminal, context->commands);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook help", "list the commands" },
	{ "credhook help validate", "show the options of a command" },
	{ "credhook help capture", "tell what is in a capture" },
	{ NULL, NULL },
};

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND|TOPIC]...",
	.complete = COMPLETE_COMMAND_OR_TOPIC,
	.summary = "Show what there is, or a command's options, or what a topic is; --json gives it to scripts.",
	.uses = uses,
	.use_count = 1,
	.args_size = sizeof(struct help_args),
	.run = run_help,
	.examples = examples,
};
