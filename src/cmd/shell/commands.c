/* A line becomes a command: one of the shell's own, or an ordinary one with what the session adds to it. */
#include "base/text.h"
#include "base/url.h"
#include "cmd/notes.h"
#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "config/address.h"
#include "json/json_line.h"

#include <stdlib.h>
#include <string.h>

const struct shell_command *shell_command_named(const struct shell *s, const char *name)
{
	for (const struct shell_command *own = s->commands; own->name; own++)
		if (strcmp(own->name, name) == 0)
			return own;
	return NULL;
}

static const struct command *ordinary_named(const struct shell *s, const char *name)
{
	for (const struct command *const *at = s->context->commands; *at; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

static int refuse_unknown(const struct shell *s, const char *name, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (const struct shell_command *own = s->commands; own->name; own++)
		nearest_offer(&near, own->name);
	for (const struct command *const *at = s->context->commands; *at; at++)
		nearest_offer(&near, (*at)->name);
	error_set(err, EXIT_CODE_USAGE, "unknown command '%s'", name);
	if (nearest_result(&near))
		return error_hint(err, "did you mean %s?", nearest_result(&near));
	return error_hint(err, "'help' lists the commands");
}

static bool has_option(const struct command *command, const char *name)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = command_groups(command, groups);
	for (size_t g = 0; g < count; g++)
		for (size_t i = 0; i < groups[g].count; i++)
			if (strcmp(groups[g].options[i].name, name) == 0)
				return true;
	return false;
}

/* The session's words come first, so that the line's own win. */
static int add_session_words(const struct shell *s, const struct command *command, bool allowed,
                             struct text_list *words, struct error *err)
{
	const char *to[] = { "--to", shell_target(s) };
	if (to[1] && has_option(command, "to") && text_list_add_all(words, to, 2, err) < 0)
		return -1;
	return allowed ? text_list_add(words, "--allow-production", err) : 0;
}

static int run_ordinary(struct shell *s, const struct command *command, int argc, char *const *argv, struct error *err)
{
	LOCAL(text_list_release) struct text_list words = TEXT_LIST_INIT, defaults = TEXT_LIST_INIT;
	int allowed = 0;
	if (strcmp(command->name, "shell") == 0)
		return error_set(err, EXIT_CODE_USAGE, "this is already the shell");
	if (has_option(command, "to") && shell_check_target(s, argc, argv, err) < 0)
		return -1;
	if (has_option(command, "to") && has_option(command, "allow-production"))
		allowed = shell_ask_for_protected(s, argc, argv, err);
	if (allowed < 0 || text_list_add(&words, argv[0], err) < 0 ||
	    add_session_words(s, command, allowed == 1, &words, err) < 0 ||
	    text_list_add_all(&words, (const char *const *)argv + 1, (size_t)argc - 1, err) < 0)
		return -1;
	for (size_t i = 0; i < s->default_count; i++)
		if (text_list_add(&defaults, s->defaults[i].assignment, err) < 0)
			return -1;
	s->context->defaults = &defaults;
	int code = command_run_words(s->context, (int)words.count, (char *const *)(uintptr_t)words.items);
	s->context->defaults = NULL;
	return code;
}

#define SHELL_OPTION(field) offsetof(struct shell_options, field)
static const struct option help_rows[] = {
	{ 'h', "help", NULL, "show this help", OPTION_FLAG, .offset = SHELL_OPTION(help) },
};
static const struct option_group help_group = OPTION_GROUP("Help", help_rows, 0);

size_t shell_command_groups(const struct shell_command *command, struct option_group groups[COMMAND_GROUPS_MAX])
{
	size_t count = 0;
	for (; count < command->use_count && count < COMMAND_GROUPS_MAX - 1; count++) {
		groups[count] = *command->uses[count].group;
		groups[count].offset += command->uses[count].offset;
	}
	groups[count] = help_group;
	return count + 1;
}

/* Of a command that also exists outside, the same options are common. */
static void append_help(const struct shell *s, const struct shell_command *command, bool short_page, struct buffer *out)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	struct shell_options defaults = { .help = false };
	const struct command *const *outside = s->context->commands;
	struct error err;
	while (*outside && strcmp((*outside)->name, command->name) != 0)
		outside++;
	struct help_page page = {
		.program = "",
		.command = command->name,
		.operands = command->operands,
		.summary = command->summary,
		.groups = groups,
		.group_count = shell_command_groups(command, groups),
		.args = &defaults,
		.common = *outside ? (*outside)->common : NULL,
	};
	bool color = s->context->terminal->color_out;
	if (options_init(groups, page.group_count, NULL, &defaults, &err) < 0)
		out->failed = true;
	options_release(groups, page.group_count, &defaults);
	if (short_page && page.common)
		help_append_short(out, &page, terminal_width(), color);
	else
		help_append_page(out, &page, terminal_width(), color);
	if (command->like)
		buffer_printf(out, "\nOptions are those of '%s': '%s -h' shows them.\n", command->like, command->like);
}

void shell_append_command_json(const char *name, const char *operands, const char *summary, struct buffer *out)
{
	json_line_begin_type(out, "command");
	json_line_text(out, "name", name);
	json_line_text(out, "operands", operands);
	json_line_text(out, "summary", summary);
	json_line_finish(out);
}

static int show_help(struct shell *s, const struct shell_command *command, bool short_page)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	if (s->context->terminal->json)
		shell_append_command_json(command->name, command->operands, command->summary, &text);
	else
		append_help(s, command, short_page, &text);
	terminal_write(s->context->terminal, buffer_text(&text), text.length);
	return EXIT_CODE_OK;
}

static int check_operands(const struct shell_command *command, size_t count, struct error *err)
{
	if (count >= command->least && count <= command->most)
		return 0;
	error_set(err, EXIT_CODE_USAGE, count < command->least ? "%s needs %s" : "%s: too many arguments",
	          command->name, command->operands);
	return error_hint(err, "usage: %s%s%s", command->name, command->operands[0] ? " " : "", command->operands);
}

static int run_own(struct shell *s, const struct shell_command *command, int argc, char *const *argv, struct error *err)
{
	struct shell_options options = { .help = false };
	LOCAL(text_list_release) struct text_list operands = TEXT_LIST_INIT;
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t group_count = shell_command_groups(command, groups);
	struct shell_call call = { &options, &operands, argc - 1, argv + 1 };
	struct option_words words = { .items = NULL };
	int code = -1;
	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0))
		return show_help(s, command, argv[1][1] == 'h');
	bool reads_options = !command->like;
	if (reads_options &&
	    (options_init(groups, group_count, NULL, &options, err) < 0 ||
	     options_parse(groups, group_count, &options, argc - 1, argv + 1, &operands, &words, false, err) < 0 ||
	     options_check(groups, group_count, &words, err) < 0)) {
		if (!err->hint[0])
			error_hint(err, "'%s -h' shows the options", command->name);
	} else if (reads_options && options.help) {
		code = show_help(s, command, true);
	} else if (!reads_options || check_operands(command, operands.count, err) == 0) {
		options.json = options.json || s->context->terminal->json;
		code = command->run(s, &call, err);
	}
	options_release(groups, group_count, &options);
	free(words.items);
	return code;
}

int shell_run_words(struct shell *s, int argc, char *const *argv)
{
	static char *const help[] = { (char *)(uintptr_t) "help", NULL };
	/* A line may come from another shell. */
	if (strcmp(argv[0], "credhook") == 0) {
		argc--;
		argv++;
	}
	if (argc == 0 || strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0) {
		argc = 1;
		argv = help;
	}
	const struct shell_command *own = shell_command_named(s, argv[0]);
	const struct command *ordinary = own ? NULL : ordinary_named(s, argv[0]);
	struct error err = { .code = EXIT_CODE_OK };
	int code;
	if (own)
		code = run_own(s, own, argc, argv, &err);
	else if (ordinary)
		code = run_ordinary(s, ordinary, argc, argv, &err);
	else
		code = refuse_unknown(s, argv[0], &err);
	terminal_flush(s->context->terminal);
	if (code < 0) {
		report_error(s->context->terminal, &err);
		code = (int)err.code;
	}
	shell_take_arrivals(s);
	return code;
}

int shell_run_before(struct shell *s, const char *const *first, int argc, char *const *argv, struct error *err)
{
	LOCAL(text_list_release) struct text_list words = TEXT_LIST_INIT;
	size_t count = 0;
	while (first[count])
		count++;
	if (text_list_add_all(&words, first, count, err) < 0 ||
	    text_list_add_all(&words, (const char *const *)argv, (size_t)argc, err) < 0)
		return -1;
	return shell_run_words(s, (int)words.count, (char *const *)(uintptr_t)words.items);
}

int shell_run_line(struct shell *s, const char *text, size_t length)
{
	struct error err;
	int code = EXIT_CODE_OK;
	if (line_split(&s->line, text, length, false, &err) < 0) {
		report_error(s->context->terminal, &err);
		code = (int)err.code;
	} else if (s->line.count > 0) {
		code = shell_run_words(s, (int)s->line.count, s->line.words);
	}
	line_release(&s->line);
	return code;
}

/* The value of the last --NAME among the words, or NULL. */
static const char *option_value(int argc, char *const *argv, const char *name)
{
	const char *value = NULL;
	size_t length = strlen(name);
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, name, length) != 0)
			continue;
		const char *behind = argv[i] + 2 + length;
		if (*behind == '=')
			value = behind + 1;
		else if (*behind == '\0' && i + 1 < argc)
			value = argv[++i];
	}
	return value;
}

int shell_check_target(const struct shell *s, int argc, char *const *argv, struct error *err)
{
	const char *given = option_value(argc, argv, "to");
	if (!given && s->use && !shell_target(s)) {
		error_set(err, EXIT_CODE_USAGE, "the destination is '%s', but nothing listens in the background",
		          s->use);
		return error_hint(err, "'listen 8080' starts it");
	}
	if (!given || strcmp(given, SHELL_OWN_LISTENER) != 0 ||
	    config_environment_named(&s->config, SHELL_OWN_LISTENER))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--to '%s' is not a destination", SHELL_OWN_LISTENER);
	return error_hint(err, "write %s'use %s', then send without --to", s->listener ? "" : "'listen 8080' and ",
	                  SHELL_OWN_LISTENER);
}

int shell_ask_for_protected(struct shell *s, int argc, char *const *argv, struct error *err)
{
	LOCAL(destination_release) struct destination to = { .url = BUFFER_INIT };
	struct guarded found;
	struct error ignored; /* the command itself reports it */
	const char *given = option_value(argc, argv, "to");
	if (!s->prompt || destination_resolve(&s->config, given ? given : shell_target(s), &to, &ignored) < 0 ||
	    guard_find(&s->config, &to, NULL, &found, &ignored) <= 0)
		return 0;
	const char *name = found.environment->name;
	LOCAL_BUFFER words = BUFFER_INIT, typed = BUFFER_INIT, masked = BUFFER_INIT;
	url_append_masked(&masked, buffer_text(&to.url));
	buffer_printf(&words, "this goes to %s (%s); type '%s' to continue: ", name, buffer_text(&masked), name);
	if (shell_ask(s, buffer_text(&words), &typed) && strcmp(buffer_text(&typed), name) == 0)
		return 1;
	return error_set(err, EXIT_CODE_USAGE, "nothing was sent: '%s' was not typed", name);
}
