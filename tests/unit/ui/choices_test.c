/* What Tab inserts and shows. */
#include "test.h"
#include "ui/choices.h"

#include <string.h>

static const struct {
	const char *offered[5]; /* ends with NULL */
	const char *stem;
	char quote;
	const char *insert;
	const char *list;
} cases[] = {
	{ { "send", "save", NULL }, "x", 0, "", "" },
	{ { "send", "save", NULL }, "sen", 0, "d ", "" },
	{ { "send", "save", NULL }, "s", 0, "", "save  send\n" },
	{ { "user-created", "user-token-generated", NULL }, "us", 0, "er-", "" },
	{ { "details.appKey=", NULL }, "det", 0, "ails.appKey=", "" },
	{ { "fixtures/", NULL }, "fix", 0, "tures/", "" },
	{ { "a b.json", NULL }, "a", 0, "\\ b.json ", "" },
	{ { "a b.json", NULL }, "a", '\'', " b.json' ", "" },
	{ { "a \"b", NULL }, "a", '"', " \\\"b\" ", "" },
	{ { "send", NULL }, "send", 0, " ", "" },
	{ { "\xc3\xa4", "\xc3\xb6", NULL }, "", 0, "", "\xc3\xa4  \xc3\xb6\n" },
	{ { "a\x1b[2J", "b", NULL }, "", 0, "", "a\\x1B[2J  b\n" },
};

TEST(what_is_sure_is_inserted_and_the_rest_shown)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(buffer) offered = BUFFER_INIT, insert = BUFFER_INIT, list = BUFFER_INIT;
		for (size_t k = 0; cases[i].offered[k]; k++)
			buffer_append(&offered, cases[i].offered[k], strlen(cases[i].offered[k]) + 1);
		choices_complete(&offered, cases[i].stem, cases[i].quote, 80, &insert, &list);
		assert_string_equal(buffer_text(&insert), cases[i].insert);
		assert_string_equal(buffer_text(&list), cases[i].list);
	}
}

TEST(lists_go_down_columns_and_fit)
{
	static const char *const names[] = { "aa", "b", "cccc", "d", "e" };
	static const struct {
		int width;
		const char *list;
	} widths[] = {
		{ 80, "aa    b     cccc  d     e\n" },
		{ 12, "aa    d\nb     e\ncccc\n" },
		{ 3, "aa\nb\ncccc\nd\ne\n" },
	};
	for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
		RELEASED(buffer) offered = BUFFER_INIT, insert = BUFFER_INIT, list = BUFFER_INIT;
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
			buffer_append(&offered, names[k], strlen(names[k]) + 1);
		choices_complete(&offered, "", 0, widths[w].width, &insert, &list);
		assert_string_equal(buffer_text(&list), widths[w].list);
	}
}
