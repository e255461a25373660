/* What could end a command line, and that every argument's name says what may stand there. */
#include "cmd/cmd.h"
#include "cmd/complete.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka.h must come behind setjmp.h. */
/* clang-format off */
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

/* Returns how many are unknown. */
static int expect_known(const char *command, const char *what, const char *argument)
{
	struct completion to = { .word = "" };
	bool known = complete_argument(&to, argument);
	if (!known)
		print_error("%s --%s: what may '%s' be? Add the name to complete_values.c\n", command, what, argument);
	completion_release(&to);
	return known ? 0 : 1;
}

static void test_every_argument_is_known(void **state)
{
	(void)state;
	int unknown = 0;
	for (size_t i = 0; i < command_count; i++) {
		struct option_group groups[COMMAND_GROUPS_MAX];
		size_t count = command_groups(commands[i], groups);
		for (size_t g = 0; g < count; g++)
			for (size_t o = 0; o < groups[g].count; o++)
				if (groups[g].options[o].argument && !groups[g].options[o].choices)
					unknown += expect_known(commands[i]->name, groups[g].options[o].name,
					                        groups[g].options[o].argument);
	}
	assert_int_equal(unknown, 0);
}

static void test_an_unknown_name_is_told(void **state)
{
	(void)state;
	struct completion to = { .word = "" };
	assert_false(complete_argument(&to, "NONSENSE"));
	assert_false(complete_argument(&to, "FILE|NONSENSE"));
	assert_false(complete_argument(&to, "FILE|"));
	completion_release(&to);
}

struct row {
	const char *words[6];
	const char *lines; /* what comes of it */
};

static const struct row rows[] = {
	{ { "bui" }, "build\tMake valid payloads of events, one per line.\n" },
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
	{ { "--config", "f", "hel" },
	  "help\tShow what there is, or a command's options, or what a topic is; --json gives it to scripts.\n" },
	{ { "validate", "-" }, "-\tstandard input\n:files \n" },
	{ { "validate", "--event", "bureau-" }, "bureau-alert\tBureau alert\n" },
	{ { "validate", "--", "--" }, ":files \n" },
	{ { "build", "all", "--out-dir=x" }, ":folders --out-dir=\n" },
	{ { "send", "-H", "@x" }, ":files @\n" },
	{ { "build", "user-created", "--set", "details.address.z" },
	  "details.address.zip=\tpostal code of the created user's address (personal data)\n" },
	{ { "build", "user-created", "--set", "details.nothing=" }, "" },
	{ { "build", "credit-report-ordered", "--set=details.offCycle=t" }, "--set=details.offCycle=true\t\n" },
	{ { "build", "bureau-alert", "--break", "bad-value:details.a" },
	  "bad-value:details.alertDetails.disputeStatus\tSubmission or Completion; passed through from the bureaus\n" },
	{ { "build", "bureau-alert", "--break", "nonsense:" }, "" },
	{ { "validate", "--ignore=too-long,missing" },
	  "--ignore=too-long,missing-key\ta key that the catalogue lists for the event, at any depth, is absent\n" },
	{ { "validate", "--report", "j" }, "junit=\t\n" },
	{ { "validate", "--report", "junit=x" }, ":files junit=\n" },
	{ { "listen", "--fault", "re" }, "reset\t\n" },
	{ { "listen", "--rule", "ev" }, "event=\t\n" },
	{ { "listen", "--rule", "times=2,fault=h" }, "times=2,fault=hang\t\n" },
	{ { "listen", "--route", "user-c" }, "user-created=\tUser Created\n" },
	{ { "listen", "--no-config", "--route", "user-created=" }, "" },
	{ { "listen", "--rule", "event=user-c" }, "event=user-created\tUser Created\n" },
};

/* "-" offers the options as well: they are left out here. */
static void drop_options(struct buffer *lines)
{
	struct buffer kept = BUFFER_INIT;
	for (const char *at = buffer_text(lines); *at;) {
		size_t length = strcspn(at, "\n") + 1;
		if (strncmp(at, "--", 2) != 0)
			buffer_append(&kept, at, length);
		at += length;
	}
	buffer_release(lines);
	*lines = kept;
}

static void test_completions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct text_list words = TEXT_LIST_INIT;
		struct error err;
		struct completion to;
		struct buffer text = BUFFER_INIT;
		for (size_t w = 0; w < 6 && rows[i].words[w]; w++)
			assert_int_equal(text_list_add(&words, rows[i].words[w], &err), 0);
		complete_words(&to, &words);
		completion_append(&text, &to);
		if (strcmp(words.items[words.count - 1], "-") == 0)
			drop_options(&text);
		if (strcmp(buffer_text(&text), rows[i].lines) != 0)
			fail_msg("'... %s' gave:\n%s", words.items[words.count - 1], buffer_text(&text));
		buffer_release(&text);
		completion_release(&to);
		text_list_release(&words);
	}
}

static void test_no_word_at_all(void **state)
{
	(void)state;
	struct text_list none = TEXT_LIST_INIT;
	struct completion to;
	complete_words(&to, &none);
	assert_non_null(strstr(buffer_text(&to.lines), "send\t"));
	completion_release(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_argument_is_known),
		cmocka_unit_test(test_an_unknown_name_is_told),
		cmocka_unit_test(test_completions),
		cmocka_unit_test(test_no_word_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
