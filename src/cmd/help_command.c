/* help: the overview, a command's options, or a topic. */
#include "base/fit.h"
#include "cmd/cmd.h"
#include "cmd/topics/topics.h"
#include "cmd/words/complete.h"
#include "cmd/words/misplaced.h"
#include "json/tree.h"

#include <string.h>

#define GROUP_COLUMNS   13
#define COMMAND_COLUMNS 11

struct help_args {
	struct global_options global;
	bool complete;
};

#define HELP(field) offsetof(struct help_args, field)
static const struct option rows[] = {
	{ 0, "complete", NULL, "list what could end the command line given as words", OPTION_FLAG,
	  .offset = HELP(complete) },
};
static const struct option_group group = OPTION_GROUP("Automation", rows, 0);
static const struct option_use uses[] = { { &group, 0 } };

static const char *const group_titles[COMMAND_GROUPS] = { "Deliver", "Receive", "Check", "Make",
	                                                  "Learn",   "Session", "Other" };

static const struct help_example first_steps[] = {
	{ "credhook listen 8080", "receive and check notifications" },
	{ "credhook send user-created --to :8080", "send one event" },
	{ "credhook test --to :3000/hook", "find what your listener gets wrong" },
};

static void append_label(struct buffer *out, const char *label, bool is_new, bool color)
{
	if (is_new)
		style_append(out, color, STYLE_BOLD, "%s", label);
	buffer_append_repeat(out, ' ', GROUP_COLUMNS - (is_new ? strlen(label) : 0));
}

static void append_overview(struct buffer *out, const struct command *const *commands, int width, bool color)
{
	fit_append_wrapped(out, "credhook - send, check, receive and replay credit-service webhooks", 0, 0, width);
	buffer_append_text(out, "\n\n");
	style_append(out, color, STYLE_BOLD, "Try first:");
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < sizeof first_steps / sizeof first_steps[0]; i++)
		help_append_row(out, first_steps[i].command, first_steps[i].meaning, 40, width);
	buffer_append_byte(out, '\n');
	for (int g = 0; g < COMMAND_OTHER; g++) {
		bool is_first = true;
		for (size_t i = 0; commands[i]; i++) {
			if ((int)commands[i]->group != g)
				continue;
			append_label(out, group_titles[g], is_first, color);
			buffer_printf(out, "%-*s", COMMAND_COLUMNS, commands[i]->name);
			fit_append_wrapped(out, commands[i]->phrase, GROUP_COLUMNS + COMMAND_COLUMNS,
			                   GROUP_COLUMNS + COMMAND_COLUMNS, width);
			buffer_append_byte(out, '\n');
			is_first = false;
		}
	}
	/* In one line. */
	LOCAL_BUFFER names = BUFFER_FOR(out);
	for (size_t i = 0; commands[i]; i++)
		if (commands[i]->group == COMMAND_OTHER)
			buffer_printf(&names, "%s%s%s", names.length > 0 ? ", " : "", commands[i]->name,
			              commands[i] == &command_help ? " [exit-codes|findings|outcomes]" : "");
	append_label(out, group_titles[COMMAND_OTHER], true, color);
	fit_append_wrapped(out, buffer_text(&names), GROUP_COLUMNS, GROUP_COLUMNS, width);
	buffer_append_byte(out, '\n');
	buffer_append_byte(out, '\n');
	fit_append_wrapped(out, "credhook COMMAND -h for the common options, --help for all; man credhook", 0, 0,
	                   width);
	buffer_append_byte(out, '\n');
}

static json_object *option_tree(const struct command *command, const struct option_group *of, const struct option *o)
{
	json_object *choices = tree_list();
	bool is_common = false;
	for (const char *const *name = command->common; name && *name; name++)
		is_common |= strcmp(*name, o->name) == 0;
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		choices = tree_add(choices, tree_text(o->choices[i]));
	return tree_object("group", tree_text(of->title), "name", tree_text(o->name), "letter",
	                   tree_text((const char[]){ o->letter, '\0' }), "argument", tree_text(o->argument),
	                   "argument_optional", tree_bool(o->argument_optional), "help", tree_text(o->help), "default",
	                   tree_text(option_initial_value(o, command->initials)), "choices", choices, "common",
	                   tree_bool(is_common), NULL);
}

/* What scripts that write or check completions and manuals read. */
static void append_command_json(struct buffer *out, const struct command *command)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = command_groups(command, groups);
	json_object *options = tree_list(), *examples = tree_list();
	for (size_t g = 0; g < count; g++)
		for (size_t i = 0; i < groups[g].count; i++)
			options = tree_add(options, option_tree(command, &groups[g], &groups[g].options[i]));
	for (const struct help_example *e = command->examples; e && e->command; e++)
		examples = tree_add(examples, tree_object("command", tree_text(e->command), "meaning",
		                                          tree_text(e->meaning), NULL));
	json_object *root =
	        tree_object("name", tree_text(command->name), "group", tree_text(group_titles[command->group]),
	                    "phrase", tree_text(command->phrase), "operands", tree_text(command->operands), "summary",
	                    tree_text(command->summary), "options", options, "examples", examples, NULL);
	tree_append(root, JSON_COMPACT, out);
	buffer_append_byte(out, '\n');
}

/* A command's page, with the values that its options have where they are not given. */
static void append_page(struct buffer *out, const struct terminal *terminal, const struct command *command,
                        enum option_help wanted)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	struct help_page page = { .command = command->name,
		                  .operands = command->operands,
		                  .summary = command->summary,
		                  .groups = groups,
		                  .group_count = command_groups(command, groups),
		                  .initials = command->initials,
		                  .common = command->common,
		                  .examples = command->examples };
	if (terminal->json)
		append_command_json(out, command);
	else if (command->like)
		buffer_printf(out, "usage: credhook %s %s\n%s\nOptions are those of '%s': '%s -h' shows them.\n",
		              command->name, command->operands, command->summary, command->like, command->like);
	else if (wanted == OPTION_HELP_COMMON)
		help_append_short(out, &page, terminal_width(), terminal->color_out);
	else
		help_append_page(out, &page, terminal_width(), terminal->color_out);
}

static int show(struct terminal *terminal, const struct buffer *text, bool may_page)
{
	if (may_page && !terminal->json)
		pager_show(terminal, text);
	else
		terminal_write_buffer(terminal, text);
	return EXIT_CODE_OK;
}

int command_show_help(struct terminal *terminal, const struct command *command, enum option_help wanted, bool may_page)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	append_page(&text, terminal, command, wanted);
	return show(terminal, &text, may_page && wanted == OPTION_HELP_ALL);
}

int command_show_overview(struct terminal *terminal, const struct command *const *commands)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	if (!terminal->json)
		append_overview(&text, commands, terminal_width(), terminal->color_out);
	for (size_t i = 0; terminal->json && commands[i]; i++)
		append_page(&text, terminal, commands[i], OPTION_HELP_ALL);
	return show(terminal, &text, false);
}

/* From here on Ctrl-C is the pager's. */
static void leave_signals(struct context *context)
{
	if (!context->session)
		signals_close(context->signals);
}

static int show_manual(struct context *context, const char *page, struct error *err)
{
	leave_signals(context);
	return manual_show(context->terminal, page, !context->session, context->session ? context->signals : NULL, err);
}

/* A topic_found(): the page that is about nothing else. */
static void take_page(void *arg, const struct topic *topic, const char *list)
{
	if (!list)
		*(const char **)arg = topic->page;
}

static int run_help(struct context *context, void *args, struct error *err)
{
	const struct help_args *a = args;
	const struct text_list *names = context->operands;
	LOCAL_BUFFER text = BUFFER_INIT;
	if (a->complete) {
		struct completion completion = { .commands = context->commands };
		complete_words(&completion, names);
		completion_append(&text, &completion);
		completion_release(&completion);
		return show(context->terminal, &text, false);
	}
	if (names->count == 0)
		return command_show_overview(context->terminal, context->commands);
	const char *page = NULL;
	if (names->count == 1 && !context->terminal->json)
		topic_find(names->items[0], take_page, &page);
	if (page)
		return show_manual(context, page, err);
	/* The topic may come as several words: help exit codes. */
	LOCAL_BUFFER words = BUFFER_FOR(&text);
	for (size_t i = 0; i < names->count; i++)
		buffer_printf(&words, "%s%s", i > 0 ? " " : "", names->items[i]);
	bool is_one = names->count > 1 && explain_topic(&text, context->terminal, buffer_text(&words)) > 0;
	for (size_t i = 0; i < names->count && !is_one; i++) {
		struct error unknown;
		const struct command *command = command_named(context->commands, names->items[i], &unknown);
		if (command) {
			append_page(&text, context->terminal, command, OPTION_HELP_ALL);
		} else if (explain_topic(&text, context->terminal, names->items[i]) == 0) {
			error_set(err, EXIT_CODE_USAGE, "'%s' is not a command or topic", names->items[i]);
			misplaced_command_hint(context->commands, names->items[i], err);
			return -1;
		}
	}
	leave_signals(context);
	return show(context->terminal, &text, !context->session);
}

static const struct help_example examples[] = {
	{ "credhook help", "the commands" },
	{ "credhook help send", "all options of a command" },
	{ "credhook help exit-codes", "a topic" },
	{ NULL, NULL },
};

const struct command command_help = {
	.name = "help",
	.group = COMMAND_OTHER,
	.also = (const struct command_also[]){ { "man usage commands ? -l -?", "" }, { NULL, NULL } },
	.phrase = "show the commands, a command's options, or a topic",
	.operands = "[COMMAND|TOPIC]...",
	.complete = COMPLETE_COMMAND,
	.summary = "Show the commands, all options of a command, or a topic of 'credhook explain'.",
	.common = (const char *const[]){ "json", NULL },
	.uses = uses,
	.use_count = 1,
	.args_size = sizeof(struct help_args),
	.run = run_help,
	.examples = examples,
};
