/* What other tools call commands and options: no such word is one of ours where it is answered, and each answer names
 * commands and options that there are. */
#include "cmd/cmd.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The command under consideration, and all its option groups. */
struct subject {
	const struct command *command;
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t count;
};

static struct subject subject_of(const struct command *command)
{
	struct subject s = { .command = command };
	s.count = command_groups(command, s.groups);
	return s;
}

static const struct command *find_command(const char *name, size_t length)
{
	for (size_t i = 0; all_commands[i]; i++)
		if (strlen(all_commands[i]->name) == length && memcmp(all_commands[i]->name, name, length) == 0)
			return all_commands[i];
	return NULL;
}

static const struct option *find(const struct subject *s, const char *word, size_t length)
{
	bool is_letter = length == 2 && word[0] == '-';
	return options_find(s->groups, s->count, is_letter ? word[1] : '\0', is_letter ? NULL : word, length);
}

/* None of the words is an option of the command. */
static void check_words(const struct subject *s, const char *words)
{
	for (const char *at = words; at && *at;) {
		size_t length = strcspn(at, " ");
		if (length == 0 || at[length] == '\0' ? length == 0 : at[length + 1] == '\0')
			fail_msg("%s: '%s' has a blank too many", s->command->name, words);
		if (length == 1 || (at[0] == '-' && length != 2))
			fail_msg("%s: '%.*s' is neither a letter with its dash nor a name", s->command->name,
			         (int)length, at);
		if (find(s, at, length))
			fail_msg("%s: '%.*s' is an option of it", s->command->name, (int)length, at);
		at += length + (at[length] == ' ');
	}
}

/* Each option named in the text is one of the command's, or of the last one named before it. */
static void check_text(const struct subject *own, const char *text)
{
	struct subject s = *own;
	for (const char *at = text; *at; at++) {
		bool begins = at == text || strchr(" (:'", at[-1]);
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
		if (begins && strncmp(at, "credhook ", strlen("credhook ")) == 0) {
			at += strlen("credhook ");
			word = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
			const struct command *named = find_command(at, word);
			if (!named)
				fail_msg("%s: there is no '%.*s': %s", own->command->name, (int)word, at, text);
			else
				s = subject_of(named);
		} else if (begins && strncmp(at, "--", 2) == 0 && word > 2 && !find(&s, at + 2, word - 2)) {
			fail_msg("%s: %s has no '%.*s': %s", own->command->name, s.command->name, (int)word, at, text);
		} else if (at[0] == '|') {
			s = *own;
		}
	}
}

TEST(no_word_is_an_option_and_each_answer_names_what_there_is)
{
	size_t words = 0;
	for (size_t c = 0; all_commands[c]; c++) {
		struct subject s = subject_of(all_commands[c]);
		for (size_t g = 0; g < s.count; g++) {
			bool is_last = g + 1 == s.count; /* its ways hold where nothing else does */
			for (size_t i = 0; i < s.groups[g].count; i++) {
				check_words(&s, s.groups[g].options[i].also);
				words += s.groups[g].options[i].also != NULL;
			}
			for (const struct option_way *way = s.groups[g].ways; way && way->words; way++, words++) {
				if (!is_last)
					check_words(&s, way->words);
				check_text(&s, way->text);
			}
		}
	}
	assert_true(words > 100);
}

TEST(no_word_is_a_command)
{
	char text[200];
	for (size_t c = 0; all_commands[c]; c++) {
		struct subject s = subject_of(all_commands[c]);
		for (const struct command_also *also = s.command->also; also && also->words; also++) {
			for (const char *at = also->words; *at;) {
				size_t length = strcspn(at, " ");
				if (length == 0 || find_command(at, length))
					fail_msg("%s: '%.*s' is a command", s.command->name, (int)length, at);
				at += length + (at[length] == ' ');
			}
			snprintf(text, sizeof text, "credhook %s %s", s.command->name, also->rest);
			check_text(&s, text);
		}
	}
}

/* The checks above notice what they are for. */
TEST(words_are_found_whole)
{
	assert_true(option_is_among("-d data body", "-d"));
	assert_true(option_is_among("-d data body", "data"));
	assert_true(option_is_among("-d data body", "body"));
	assert_false(option_is_among("-d data body", "dat"));
	assert_false(option_is_among("-d data body", "ata"));
	assert_false(option_is_among("-d data body", "data body "));
	assert_false(option_is_among("-d data body", ""));
	assert_false(option_is_among(NULL, "data"));
	struct subject send = subject_of(&command_send);
	assert_non_null(find(&send, "to", 2));
	assert_non_null(find(&send, "-H", 2));
	assert_null(find(&send, "-d", 2));
}
