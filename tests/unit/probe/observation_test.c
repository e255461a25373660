/* What --observe prints: what of it is masked, what a change of it is, and whom its lines name. */
#include "probe/keep/observation.h"
#include "test.h"

#include <string.h>

#define NOW 1764307855 /* 2025-11-28 05:30:55 */

static const char customer[] = "abcdefab-1234-4567-89ab-0123456789ab";
static struct error err;

static void take(struct observation *o, const char *text)
{
	struct roles roles = { NULL, 0, 0 };
	assert_int_equal(roles_add(&roles, customer, "clientKey of A1", &err), 0);
	assert_int_equal(roles_add(&roles, "1234567890", "alertId of A1", &err), 0);
	assert_int_equal(roles_add(&roles, "2234567890", "alertId of A2", &err), 0);
	assert_int_equal(roles_add(&roles, customer, "userId of A1", &err), 0); /* the first name holds */
	assert_int_equal(observation_read(o, text, strlen(text), &roles, NOW, &err), 0);
	roles_release(&roles);
}

/* The masked lines, each ended by a newline. */
static void check_masked(const char *text, const char *masked)
{
	RELEASED(observation) o = { .text = BUFFER_INIT };
	RELEASED(buffer) lines = BUFFER_INIT;
	take(&o, text);
	for (size_t i = 0; i < o.count; i++)
		buffer_printf(&lines, "%s\n", o.text.data + o.lines[i].masked);
	assert_string_equal(buffer_text(&lines), masked);
}

/* Tables are as wide as their longest row, in each of them. */
TEST(test_runs_of_separators_are_not_kept)
{
	static const struct {
		const char *parts[3], *text;
	} rows[] = {
		{ { " id |   a\n", "----+--", "--\n 1 |      x\n\n" }, " id | a\n-+-\n 1 | x\n\n" },
		{ { "a ", " ", " b" }, "a b" },
		{ { "2025-11-28 05:30:55+01:00", "|", "|x" }, "2025-11-28 05:30:55+01:00|x" },
		{ { "", "", "a--b" }, "a-b" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) text = BUFFER_INIT;
		for (size_t n = 0; n < 3; n++)
			observation_append(&text, rows[i].parts[n], strlen(rows[i].parts[n]));
		assert_string_equal(buffer_text(&text), rows[i].text);
	}
	RELEASED(buffer) text = BUFFER_INIT;
	for (size_t i = 0; i < OBSERVATION_MAX / 4; i++)
		observation_append(&text, "        x", 9);
	assert_int_equal(text.length, OBSERVATION_MAX / 2);
}

TEST(test_what_is_too_much_is_one_byte_more)
{
	static const char word[] = "0123456789";
	RELEASED(buffer) text = BUFFER_INIT;
	while (text.length + sizeof word <= OBSERVATION_MAX)
		observation_append(&text, word, sizeof word - 1);
	for (size_t i = 0; i < 3; i++)
		observation_append(&text, word, sizeof word - 1);
	assert_int_equal(text.length, OBSERVATION_MAX + 1);
}

TEST(test_what_is_masked)
{
	static const struct {
		const char *text, *masked;
	} rows[] = {
		{ "", "" },
		{ " \n\n\t\n", "" },
		{ "abcdefab-1234-4567-89ab-0123456789ab", "<clientKey of A1>\n" },
		{ "ABCDEFAB-1234-4567-89AB-0123456789AB", "<clientKey of A1>\n" },
		{ "x=AbCdEfAb12344567"
		  "89ab0123456789ab;",
		  "x <clientKey of A1>;\n" },
		{ "abcdefac-1234-4567-89ab-0123456789ab", "<uuid>\n" },
		{ "user_abcdefab-1234-4567-89ab-0123456789ab", "user_<clientKey of A1>\n" },
		{ "1234567890", "<alertId of A1>\n" },
		{ "12345678901", "#\n" },
		{ "7|user|-12.50|x1", "# user # x#\n" },
		{ "2025-11-28 05:30:55.123|a", "<time> a\n" },
		{ "2025-11-28T05:30:55Z a", "<time> a\n" },
		{ "2025-11-28 05:30:55+01:00 a", "<time> a\n" },
		{ "2025-11-28 a", "<time> a\n" },
		{ "2025-11-28 x5:30", "<time> x#:#\n" },
		{ "05:30:55+x1 a", "<time> x# a\n" },
		{ "05:30:55.5 a", "<time> a\n" },
		{ "05:30:55,123 a", "<time> a\n" },
		{ "05:30:55,123456+01:00 a", "<time> a\n" },
		{ "05:30:55,5 a", "<time>,# a\n" }, /* two columns */
		{ "05:30:55,1234,a", "<time>,#,a\n" },
		{ "05:30:55,", "<time>,\n" },
		{ "05:30:55:12 a", "<time>:# a\n" },
		{ "1764307855 a", "<time> a\n" },
		{ "1764307855.25 a", "<time> a\n" },
		{ "1764307855123 a", "<time> a\n" },
		{ "1864307855 a", "# a\n" },
		{ " id | name \n----+------\n 1  | x\n(1 row)\n", "# x\n(# rows)\nid name\n" },
		{ "[]", "" },
		{ "[{\"id\": 7,\n \"a\": \"b\"}, \"c\", 5]", "\"c\"\n#\n{\"id\": #, \"a\": \"b\"}\n" },
		{ "[not json\nb", "[not json\nb\n" },
		{ "b\na\nb", "a\nb\nb\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_masked(rows[i].text, rows[i].masked);
}

TEST(test_a_uuid_that_is_part_of_more_is_none)
{
	RELEASED(observation) o = { .text = BUFFER_INIT };
	take(&o, "abcdefab-1234-4567-89ab-0123456789abc");
	assert_int_equal(observation_count(&o, "clientKey"), 0);
	take(&o, "aabcdefab1234456789ab0123456789ab");
	assert_int_equal(observation_count(&o, "clientKey"), 0);
	take(&o, "abcdefab1234456789ab0123456789ab"
	         "abcdefab1234456789ab0123456789ab"); /* a hash, say */
	assert_int_equal(observation_count(&o, "clientKey"), 0);
}

static struct observation_change change_of(const char *before, const char *after, const char *mention)
{
	RELEASED(observation) one = { .text = BUFFER_INIT }, other = { .text = BUFFER_INIT };
	struct observation_change change;
	take(&one, before);
	take(&other, after);
	observation_compare(&one, &other, mention, &change);
	change.first = NULL;
	return change;
}

static void check_change(const char *before, const char *after, size_t came, size_t went, bool numbers)
{
	struct observation_change change = change_of(before, after, NULL);
	assert_int_equal(change.came, came);
	assert_int_equal(change.went, went);
	assert_int_equal(change.numbers, numbers);
}

TEST(test_what_a_change_is)
{
	check_change("a\nb\n", "b\na\n", 0, 0, false);
	check_change("", "a\n", 1, 0, false);
	check_change("a\n", "a\na\n", 1, 0, false);
	check_change("a\na\n", "a\n", 0, 1, false);
	check_change("a|x\n", "a|y\n", 1, 1, false);
	/* Only what is masked. */
	check_change("1|a|2025-11-28 05:30:55\n", "1|a|2025-11-28 05:30:56.5\n", 0, 0, false);
	check_change("1|a\n", "2|a\n", 0, 0, true);
	check_change("a,05:30:55,0\n", "a,05:30:56,1\n", 0, 0, true);
	check_change("1|a\n2|a\n", "2|a\n1|a\n", 0, 0, false);
	check_change("a  |b\n----\n", "a|b\n--------\n", 0, 0, false);
	check_change("(1 row)\n", "(2 rows)\n", 0, 0, true);
}

/* Whatever order they come in, and though one is the beginning of others. */
TEST(test_lines_with_a_nul_are_as_many_as_they_are)
{
	static const char printed[][12] = { "x\0z\nx\nx\0y\n", "x\0y\nx\0z\nx\n" },
	                  counted[][12] = { "x\0 1|x\n", "x\0 2|x\n" };
	static const struct roles none = { NULL, 0, 0 };
	struct observation nothing = { .text = BUFFER_INIT },
	                   looks[2] = { { .text = BUFFER_INIT }, { .text = BUFFER_INIT } };
	struct observation_change change;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(observation_read(&looks[i], printed[i], 10, &none, 0, &err), 0);
	observation_compare(&looks[0], &looks[1], NULL, &change);
	assert_false(observation_has_changed(&change));
	observation_compare(&nothing, &looks[1], NULL, &change);
	assert_int_equal(change.came, 3);
	assert_int_equal(change.twins, 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(observation_read(&looks[i], counted[i], 7, &none, 0, &err), 0);
	observation_compare(&looks[0], &looks[1], NULL, &change);
	assert_false(observation_has_changed(&change));
	assert_true(change.numbers);
	observation_release(&looks[0]);
	observation_release(&looks[1]);
}

TEST(test_a_number_is_one_where_it_is_all_there_is)
{
	assert_int_equal(change_of("5\n", " 7 \n", NULL).growth, 2);
	assert_int_equal(change_of("-5", "5", NULL).growth, 10);
	assert_int_equal(change_of("5", "5 rows", NULL).growth, 0);
	/* A list of one number is a list beside another one, and beside nothing. */
	assert_int_equal(change_of("", "1387264501", NULL).growth, 1);
	assert_int_equal(change_of("1387264501", "1387264501\n387264501", NULL).growth, 1);
	assert_int_equal(change_of("99999999999999999999", "99999999999999999998", NULL).growth, 0);
}

TEST(test_lines_that_name_somebody)
{
	const char *line = "1|ABCDEFAB-1234-4567-89AB-0123456789AB|x\n";
	struct observation_change change = change_of("a\n", "1|ABCDEFAB-1234-4567-89AB-0123456789AB|x\nb\n", " of A1>");
	RELEASED(observation) o = { .text = BUFFER_INIT };
	assert_int_equal(change.came, 1);
	assert_int_equal(change.went, 0);
	assert_int_equal(change_of(line, line, " of A1>").growth, 0);
	assert_int_equal(change_of(line, "a\n", " of A2>").growth, 0);
	take(&o, "a|abcdefab12344567"
	         "89ab0123456789ab|email\nb|1234567890\nemail\n");
	assert_int_equal(observation_count(&o, " of A1>"), 2);
	assert_int_equal(observation_count(&o, "<alertId of A1>"), 1);
	assert_int_equal(observation_count_both(&o, " of A1>", "email"), 1);
	assert_int_equal(observation_count_twins(&o, " of A1>"), 0);
	take(&o, "2|1234567890|x\nx\nx\n1234567890.4.tmp\n1|1234567890|x\n3|1234567890|x\n");
	assert_int_equal(observation_count_twins(&o, " of A1>"), 2);
	assert_int_equal(change_of(line, "1|1234567890|x\n", " of A1>").twins, 0);
	change = change_of("1|1234567890|x\n", "1|1234567890|x\n2|1234567890|x\n1234567890\n", " of A1>");
	assert_int_equal(change.came, 2);
	assert_int_equal(change.twins, 0); /* the one that was there has not come */
	change = change_of("1|1234567890|x\n", "1|1234567890|x\n2|1234567890|x\n3|1234567890|x\n", " of A1>");
	assert_int_equal(change.twins, 1);
}

TEST(test_lines_that_name_one_alone)
{
	static const char both[] = "1234567890 2234567890\n", own[] = "1234567890 Bank of America\n";
	RELEASED(observation) before = { .text = BUFFER_INIT }, after = { .text = BUFFER_INIT };
	struct observation_change change;
	take(&before, own);
	take(&after, both);
	observation_compare_alone(&before, &after, " of A1>", &change);
	assert_int_equal(change.went, 1);
	assert_int_equal(change.came, 0);
	observation_compare_alone(&before, &after, " of A2>", &change);
	assert_int_equal(change.went, 0);
	observation_compare_alone(&after, &before, " of A1>", &change);
	assert_int_equal(change.came, 1);
	assert_int_equal(change.went, 0);
}

/* What has the value of a field is compared as it stands there. */
TEST(test_lines_of_one_customer_as_they_were_read)
{
	static const struct {
		const char *text, *mention, *lines;
		size_t most;
	} rows[] = {
		{ "\n x\n1|1234567890|-7 | +3\n2|1234567890 2234567890\n3|2234567890|8\n", " of A1>",
		  "1|<alertId>|-7 | +3\n", 100 },
		{ "1|1234567890|(1 row)|2025-11-28 05:30:55|007\n1|1234567890|a", " of A1>",
		  "1|<alertId>|(1 row)|<time>|007\n1|<alertId>|a\n", 100 },
		{ " [{\"a\": 1234567890, \"b\": \"-7\"},\n {\"a\": 1}]", " of A1>",
		  "{\"a\": <alertId>, \"b\": \"-7\"}\n", 100 },
		{ "a 1234567890\nb 1234567890\nc 1234567890\n", " of A1>", "a <alertId>\nb <alertId>\n", 13 },
		{ "a 1234567890\nb-02134\nabcdefac-1234-4567-89ab-0123456789ab c\n", NULL, "<uuid> c\nb-02134\n", 100 },
		{ "a", " of A1>", "", 100 },
	};
	struct roles roles = { NULL, 0, 0 };
	assert_int_equal(roles_add(&roles, "1234567890", "alertId of A1", &err), 0);
	assert_int_equal(roles_add(&roles, "2234567890", "alertId 2 of A2", &err), 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(observation) o = { .text = BUFFER_INIT };
		RELEASED(buffer) lines = BUFFER_INIT;
		take(&o, rows[i].text);
		observation_append_own(&o, rows[i].text, &roles, NOW, rows[i].mention, rows[i].most, &lines);
		assert_string_equal(buffer_text(&lines), rows[i].lines);
	}
	roles_release(&roles);
}
