/* What could end a command line, and that every row says what it is completed by. */
#include "cmd/args/kinds.h"
#include "cmd/cmd.h"
#include "cmd/shell/shell.h"
#include "cmd/words/complete.h"
#include "test.h"

#include <string.h>

static bool says_by_itself(const struct option *option)
{
	return !option->argument || option->type == OPTION_NUMBER || option->type == OPTION_DURATION ||
	       option->type == OPTION_CHOICE;
}

/* Returns how many rows are wrong. */
static int check_groups(const char *command, const struct option_group *groups, size_t count)
{
	int wrong = 0;
	for (size_t g = 0; g < count; g++) {
		for (size_t i = 0; i < groups[g].count; i++) {
			const struct option *option = &groups[g].options[i];
			if (says_by_itself(option) != (option->complete == COMPLETE_UNSET)) {
				print_error("%s --%s: its `complete` is %s\n", command, option->name,
				            says_by_itself(option) ? "not needed" : "missing");
				wrong++;
			}
		}
	}
	return wrong;
}

static int check_operands(const char *command, const char *operands, enum completion_type kind)
{
	if ((operands[0] == '\0') == (kind == COMPLETE_UNSET))
		return 0;
	print_error("%s: the `complete` of its operands '%s' is %d\n", command, operands, (int)kind);
	return 1;
}

static int check_command(const struct command *command)
{
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count = command_groups(command, groups);
	return check_groups(command->name, groups, count) +
	       check_operands(command->name, command->operands, command->complete);
}

TEST(test_every_row_says_what_completes_it)
{
	int wrong = 0;
	for (size_t i = 0; all_commands[i]; i++)
		wrong += check_command(all_commands[i]);
	for (const struct command *own = shell_commands; own->name; own++)
		wrong += check_command(own);
	assert_int_equal(wrong, 0);
}

static bool has_option(const struct option_group *groups, size_t count, const char *name)
{
	return options_find(groups, count, 0, name, strlen(name)) != NULL;
}

TEST(test_common_options_are_options)
{
	for (size_t i = 0; all_commands[i]; i++) {
		struct option_group groups[COMMAND_GROUPS_MAX];
		size_t count = command_groups(all_commands[i], groups);
		for (const char *const *name = all_commands[i]->common; name && *name; name++)
			if (!has_option(groups, count, *name))
				fail_msg("%s has no --%s", all_commands[i]->name, *name);
	}
}

struct row {
	const char *words[6];
	const char *lines; /* what comes of it */
};

static const struct row rows[] = {
	{ { "bui" }, "build\tmake valid (or deliberately broken) payloads\n" },
	{ { "nonsense", "" }, "" },
	{ { "send", "user-c" }, "user-created\tUser Created\n" },
	{ { "send", "--insec" }, "--insecure\tdo not check the server's certificate\n" },
	{ { "send", "--concurrency", "" }, "" },
	{ { "send", "-H", "user-c" }, "" },
	{ { "send", "-kH", "user-c" }, "" },
	{ { "send", "-kHX: y", "user-c" }, "user-created\tUser Created\n" },
	{ { "send", "--header=X: y", "user-c" }, "user-created\tUser Created\n" },
	{ { "--color", "al" }, "always\t\n" },
	{ { "--color=al" }, "--color=always\t\n" },
	{ { "--quiet=" }, "" },
	{ { "--nonsense=" }, "" },
	{ { "--config", "f", "hel" }, "help\tshow the commands, a command's options, or a topic\n" },
	{ { "help", "explai" }, "explain\texplain an event, field, finding or check\n" },
	{ { "validate", "x" }, ":files \n" },
	{ { "validate", "--as", "bureau-" }, "bureau-alert\tBureau alert\n" },
	{ { "validate", "--", "--" }, ":files \n" },
	{ { "build", "all", "--output=x" }, ":files --output=\n" },
	{ { "send", "-H", "@x" }, ":files @\n" },
	{ { "build", "user-created", "--set", "details.address.z" },
	  "details.address.zip=\tpostal code of the created user's address (personal data)\n" },
	{ { "build", "user-created", "--set", "details.nothing=" }, "" },
	{ { "validate", "--ignore=too-long,missing" },
	  "--ignore=too-long,missing-key\ta key of the event is missing, at any depth\n" },
};

TEST(test_completions)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct text_list words = { 0 };
		struct error err;
		struct completion to = { .commands = all_commands };
		struct buffer text = BUFFER_INIT;
		for (size_t w = 0; w < 6 && rows[i].words[w]; w++)
			assert_int_equal(text_list_add(&words, rows[i].words[w], &err), 0);
		complete_words(&to, &words);
		completion_append(&text, &to);
		if (strcmp(buffer_text(&text), rows[i].lines) != 0)
			fail_msg("'... %s' gave:\n%s", words.items[words.count - 1], buffer_text(&text));
		buffer_release(&text);
		completion_release(&to);
		text_list_release(&words);
	}
}
