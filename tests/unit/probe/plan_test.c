/* Which checks the rows make, and which of them are chosen. */
#include "probe/unit.h"
#include "test.h"

#include <stdio.h>

static struct error err;

static int make_plan(struct probe_plan *plan, const char *wanted, const char *skipped, const char *expected,
                     enum probe_depth level, enum probe_invalid invalid)
{
	static char texts[3][1024];
	snprintf(texts[0], sizeof texts[0], "%s", wanted);
	snprintf(texts[1], sizeof texts[1], "%s", skipped);
	snprintf(texts[2], sizeof texts[2], "%s", expected);
	struct text_list lists[3] = { words_of(texts[0]), words_of(texts[1]), words_of(texts[2]) };
	struct probe_choice choice = {
		.wanted = &lists[0], .skipped = &lists[1], .expected = &lists[2], .level = level, .invalid = invalid
	};
	*plan = (struct probe_plan){ NULL, 0, 0 };
	int result = probe_plan_init(plan, &choice, &err);
	for (size_t i = 0; i < 3; i++)
		text_list_release(&lists[i]);
	return result;
}

/* The chosen ones, as one text. */
static char *chosen(const struct probe_plan *plan)
{
	struct buffer out = BUFFER_INIT;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->checks[i].chosen)
			buffer_printf(&out, "%s ", plan->checks[i].id);
	buffer_append_byte(&out, '\0');
	return out.data;
}

static void check_chosen(const char *wanted, const char *skipped, enum probe_depth level, const char *ids)
{
	struct probe_plan plan;
	assert_int_equal(make_plan(&plan, wanted, skipped, "", level, PROBE_INVALID_AUTO), 0);
	char *found = chosen(&plan);
	assert_string_equal(found, ids);
	free(found);
	probe_plan_release(&plan);
}

TEST(test_operands_choose)
{
	check_chosen("repeat", "", PROBE_QUICK, "repeat/again still-up/repeat ");
	check_chosen("repeat", "", PROBE_NORMAL, "repeat/again repeat/later repeat/concurrent still-up/repeat ");
	check_chosen("repeat", "still-up repeat/later", PROBE_NORMAL, "repeat/again repeat/concurrent ");
	check_chosen("repeat/later", "", PROBE_QUICK, "repeat/later still-up/repeat ");
	check_chosen("bad/unexpected-path", "", PROBE_NORMAL, "bad/unexpected-path:path still-up/bad ");
	check_chosen("bad/missing-key:details.appKey:bureau-alert", "still-up", PROBE_NORMAL,
	             "bad/missing-key:details.appKey:bureau-alert ");
	check_chosen("bad/missing-key:details.appKey:bureau-alert repeat/again", "bad still-up", PROBE_NORMAL,
	             "repeat/again ");
	check_chosen("slow", "", PROBE_NORMAL, "slow/head slow/body still-up/slow ");
	check_chosen("path response/size", "path/other still-up", PROBE_NORMAL, "path/trailing-slash response/size ");
}

/* The group is played behind which that is seen: as its level has it, and what of it was named alone. */
TEST(test_still_up_of_a_group_needs_the_group)
{
	check_chosen("still-up/repeat", "", PROBE_QUICK, "repeat/again still-up/repeat ");
	check_chosen("still-up/repeat still-up/slow", "", PROBE_NORMAL,
	             "repeat/again repeat/later repeat/concurrent still-up/repeat slow/head slow/body still-up/slow ");
	check_chosen("still-up/repeat repeat/later", "", PROBE_NORMAL, "repeat/later still-up/repeat ");
	check_chosen("still-up/repeat", "repeat/later", PROBE_NORMAL,
	             "repeat/again repeat/concurrent still-up/repeat ");
	struct probe_plan plan;
	assert_int_equal(make_plan(&plan, "still-up", "", "", PROBE_NORMAL, PROBE_INVALID_AUTO), 0);
	assert_true(check_named(&plan, "deliver/user-created")->chosen);
	assert_true(check_named(&plan, "still-up/repeat")->chosen);
	probe_plan_release(&plan);
}

TEST(test_what_only_looks_needs_the_rest)
{
	struct probe_plan plan;
	static const char *const names[] = { "leak", "leak/trace" };
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(make_plan(&plan, names[i], "", "", PROBE_NORMAL, PROBE_INVALID_AUTO), 0);
		assert_true(check_named(&plan, "deliver/user-created")->chosen);
		assert_true(check_named(&plan, "deliver/user-created")->aside); /* it is not graded */
		assert_true(check_named(&plan, "leak/trace")->chosen && !check_named(&plan, "leak/trace")->aside);
		assert_false(check_named(&plan, "time/response")->chosen);
		assert_false(check_named(&plan, "still-up/deliver")->chosen);
		probe_plan_release(&plan);
	}
	/* The server shows its certificate without a request. */
	check_chosen("tls", "", PROBE_NORMAL, "tls/trust tls/expiry ");
	assert_int_equal(make_plan(&plan, "tls", "tls", "", PROBE_NORMAL, PROBE_INVALID_AUTO), -1);
	probe_plan_release(&plan);
}

/* Where ids are named, all others of the level are sent for the causes of what fails, but for those that take long, or
 * go out in a way of their own: once something has failed; where it is what failed before, at once those that it comes
 * behind in its group, the events, and all where something looks at responses. */
TEST(test_what_is_sent_beside_what_is_named)
{
	static const struct {
		const char *wanted, *skipped, *id;
		bool is_aside, is_before;
	} rows[] = {
		{ "json/empty", "", "json/truncated", true, true },
		{ "json/empty", "", "deliver/user-created", true, true },
		{ "json/empty", "", "repeat/again", true, false },
		{ "json/empty leak/trace", "", "repeat/again", true, true },
		{ "json/empty tls/trust", "", "repeat/again", true, false },
		{ "json/empty", "", "json/empty", false, true },
		{ "json/empty", "", "json/depth-100000", false, false },
		{ "json/empty", "", "still-up/json", false, true },
		{ "json/empty", "", "still-up/bad", false, false },
		{ "json/empty", "", "leak/trace", false, false },
		{ "repeat/again", "", "repeat/later", false, false },
		{ "repeat/again", "", "repeat/concurrent", false, false },
		{ "http/head-4k", "", "http/chunked", false, false },
		{ "http/head-4k", "", "http/pieces", false, false },
		{ "http/head-4k", "", "effect/none", false, false },
		{ "deliver json/empty", "", "json/truncated", false, false }, /* a group, too */
		{ "deliver json/empty", "", "json/empty", false, true },
		{ "json/empty", "json/truncated", "json/truncated", false, false },
		{ "json/empty", "json/truncated", "json/nan", true, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char words[64], unwanted[64];
		snprintf(words, sizeof words, "%s", rows[i].wanted);
		snprintf(unwanted, sizeof unwanted, "%s", rows[i].skipped);
		struct text_list wanted = words_of(words), skipped = words_of(unwanted), none = { 0 };
		for (int failed = 0; failed < 2; failed++) {
			struct probe_plan plan = { NULL, 0, 0 };
			const struct probe_choice choice = { .wanted = &wanted,
				                             .skipped = &skipped,
				                             .expected = &none,
				                             .level = PROBE_NORMAL,
				                             .failed = failed > 0 };
			assert_int_equal(probe_plan_init(&plan, &choice, &err), 0);
			const struct probe_check *check = check_named(&plan, rows[i].id);
			bool is_chosen = rows[i].is_before && (failed || !rows[i].is_aside);
			if (check->aside != rows[i].is_aside || check->chosen != is_chosen)
				fail_msg("%zu, %d: %d, %d", i, failed, check->aside, check->chosen);
			probe_plan_release(&plan);
		}
		text_list_release(&wanted);
		text_list_release(&skipped);
	}
}

/* Another version had other checks. */
TEST(test_what_failed_before_may_be_no_check_any_more)
{
	static const struct {
		const char *wanted;
		bool failed;
		int code;
	} rows[] = { { "json/empty json/gone", true, 0 },
		     { "json/empty json/gone", false, -1 },
		     { "json/gone", true, -1 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char words[64];
		snprintf(words, sizeof words, "%s", rows[i].wanted);
		struct text_list wanted = words_of(words), none = { 0 };
		const struct probe_choice choice = {
			.wanted = &wanted, .skipped = &none, .expected = &none, .failed = rows[i].failed
		};
		struct probe_plan plan = { NULL, 0, 0 };
		assert_int_equal(probe_plan_init(&plan, &choice, &err), rows[i].code);
		probe_plan_release(&plan);
		text_list_release(&wanted);
	}
}

TEST(test_mistakes_are_refused)
{
	static const struct {
		const char *wanted, *expected, *hint;
	} rows[] = {
		{ "delivr", "", "did you mean 'deliver'?" },
		{ "deliver/user-craeted", "", "did you mean 'deliver/user-created'?" },
		{ "", "repeat", "write --expect-status repeat/again=2xx,409, for example" },
		{ "", "repeat/agian=409", "did you mean 'repeat/again'?" },
		{ "", "response/content-type=200", "--skip response/content-type leaves it out" },
		{ "", "tls=2xx", "--skip tls leaves it out" },
		{ "", "repeat=2xx,accept",
		  "write statuses from 100 to 599, separated by commas or |: 204,2xx,500-503" },
	};
	struct probe_plan plan;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(
		        make_plan(&plan, rows[i].wanted, "", rows[i].expected, PROBE_NORMAL, PROBE_INVALID_AUTO), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_string_equal(err.hint, rows[i].hint);
		probe_plan_release(&plan);
	}
}

/* The address may have been divided at a '=' of its password, so that its part hides nothing. */
TEST(test_a_mistake_shows_no_secret)
{
	static const char *const words[] = { "http://user:open=sesame@host/", "https://host/?token=open=sesame" };
	struct probe_plan plan;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		assert_int_equal(make_plan(&plan, "", "", words[i], PROBE_NORMAL, PROBE_INVALID_AUTO), -1);
		assert_non_null(strstr(err.message, "host"));
		assert_null(strstr(err.message, "open"));
		assert_null(strstr(err.message, "sesame"));
		probe_plan_release(&plan);
	}
}

TEST(test_expectations_win)
{
	struct probe_plan plan;
	assert_int_equal(make_plan(&plan, "", "",
	                           "repeat=2xx,409 value/credit-report-ordered:offCycle=true=418 bad/top-null=2xx "
	                           "http/keep-alive=closed form/utf8=closed",
	                           PROBE_NORMAL, PROBE_INVALID_REJECT),
	                 0);
	const struct probe_expected *repeat = &check_named(&plan, "repeat/again")->expected;
	assert_true(status_set_contains(&repeat->ok, 409) && status_set_contains(&repeat->ok, 200));
	assert_string_equal(buffer_text(&repeat->text), "2xx or 409");
	const struct probe_expected *value = &check_named(&plan, "value/credit-report-ordered:offCycle=true")->expected;
	assert_string_equal(buffer_text(&value->text), "418");
	assert_true(value->is_contrary && !repeat->is_contrary &&
	            !check_named(&plan, "repeat/later")->expected.is_contrary);
	const struct probe_expected *bad = &check_named(&plan, "bad/wrong-type:details")->expected;
	assert_true(status_set_contains(&bad->ok, 422) && !status_set_contains(&bad->ok, 200));
	assert_true(check_named(&plan, "bad/top-null")->expected.is_contrary); /* 4xx are meant */
	assert_true(check_named(&plan, "form/utf8")->expected.is_contrary);
	assert_false(check_named(&plan, "http/keep-alive")->expected.is_contrary);
	const struct probe_expected *size = &check_named(&plan, "size/16m")->expected;
	assert_true(size->closed_tolerated && !size->closed_ok && status_set_contains(&size->tolerated, 200));
	probe_plan_release(&plan);
}

/* However many statuses there are, the last one counts, and all are said. */
TEST(test_expectations_have_no_bound)
{
	static const char id[] = "repeat/again=";
	RELEASED(buffer) list = BUFFER_INIT, said = BUFFER_INIT;
	struct probe_plan plan;
	for (int status = 400; status < 500; status++) {
		buffer_printf(&list, "%s%d", status == 400 ? id : ",", status);
		buffer_printf(&said, "%s%d", status == 400 ? "" : ", ", status);
	}
	buffer_append_text(&list, "|closed");
	buffer_append_text(&said, "|closed");
	assert_int_equal(make_plan(&plan, "", "", buffer_text(&list), PROBE_NORMAL, PROBE_INVALID_AUTO), 0);
	const struct probe_expected *repeat = &check_named(&plan, "repeat/again")->expected;
	for (int status = 400; status < 500; status++)
		assert_true(status_set_contains(&repeat->ok, status));
	assert_true(repeat->closed_ok && !status_set_contains(&repeat->ok, 500));
	/* ", 499|closed" is " or 499|closed" there. */
	assert_memory_equal(buffer_text(&repeat->text), buffer_text(&said), said.length - strlen(", 499|closed"));
	assert_int_equal(repeat->text.length, said.length + strlen(" or ") - strlen(", "));
	probe_plan_release(&plan);
}

/* Each id is found again, and by one row of its pattern. */
TEST(test_rows_know_their_ids)
{
	struct probe_plan plan;
	assert_int_equal(make_plan(&plan, "", "", "", PROBE_DEEP, PROBE_INVALID_AUTO), 0);
	for (size_t i = 0; i < plan.count; i++) {
		const struct probe_check *check = &plan.checks[i];
		if (check->row->expansion != PROBE_VALUES)
			assert_true(probe_row_makes(check->row, check->id));
		assert_true(i == 0 || strcmp(check->id, plan.checks[i - 1].id) != 0);
	}
	assert_false(probe_row_makes(check_named(&plan, "path/other")->row, "path/others"));
	probe_plan_release(&plan);
	for (size_t i = 0; i < probe_row_count; i++) {
		char id[128];
		snprintf(id, sizeof id, "%s/%s", probe_rows[i].group, probe_rows[i].name);
		assert_true(probe_row_makes(&probe_rows[i], id)); /* the pattern itself */
	}
}

/* What looks at what is kept, or ends the listener, is played where that can be done. */
TEST(test_what_cannot_be_played_is_not_chosen_by_itself)
{
	struct text_list none = { 0 };
	for (int can = 0; can < 4; can++) {
		struct probe_plan plan = { NULL, 0, 0 };
		struct probe_choice choice = { .wanted = &none,
			                       .skipped = &none,
			                       .expected = &none,
			                       .level = PROBE_DEEP,
			                       .observes = can & 1,
			                       .starts = can & 2 };
		assert_int_equal(probe_plan_init(&plan, &choice, &err), 0);
		assert_true(check_named(&plan, "deliver/user-created")->chosen);
		assert_int_equal(check_named(&plan, "effect/none")->chosen, choice.observes);
		assert_int_equal(check_named(&plan, "crash/kill")->chosen, choice.observes && choice.starts);
		probe_plan_release(&plan);
	}
}

/* A likely value that is refused has failed, a rare one is noted. */
TEST(test_what_is_tolerated_of_a_value_depends_on_its_chance)
{
	static const struct {
		const char *id;
		enum probe_level level;
		bool is_tolerated;
	} rows[] = {
		{ "value/user-token-generated:ttlInMinutes=90", PROBE_SHOULD, false },
		{ "value/user-token-generated:ttlInMinutes=1440", PROBE_SHOULD, false },
		{ "value/user-token-generated:ttlInMinutes=0", PROBE_SHOULD, true },
		{ "value/credit-report-ordered:offCycle=true", PROBE_MUST, false },
	};
	struct probe_plan plan;
	assert_int_equal(make_plan(&plan, "", "", "", PROBE_NORMAL, PROBE_INVALID_AUTO), 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct probe_check *check = check_named(&plan, rows[i].id);
		assert_int_equal(check->level, rows[i].level);
		assert_int_equal(status_set_contains(&check->expected.tolerated, 422), rows[i].is_tolerated);
	}
	probe_plan_release(&plan);
}

TEST(test_rows_are_whole)
{
	for (size_t i = 0; i < probe_row_count; i++) {
		const struct probe_row *row = &probe_rows[i];
		assert_true(!row->make != !row->look); /* it sends something, or looks at what was sent */
		assert_true(!row->framing || row->play);
		assert_true(row->sent && row->ok && row->source && row->why && row->fix);
		assert_true(row->fix[strlen(row->fix) - 1] != '.');
		bool listed = false;
		for (size_t g = 0; g < probe_group_count; g++)
			listed = listed || strcmp(probe_groups[g], row->group) == 0;
		assert_true(listed);
	}
}
