/* --set, --unset and --merge: what each changes, in which events, and what is refused. */
#include "payload/edit.h"
#include "payload/support.h"
#include "test.h"

/* How an edit is written on the command line: '=' and ':=' set, '-' unsets, '{' merges. */
static int add(struct edits *edits, const char *text, struct error *err)
{
	if (text[0] == '{')
		return edits_add_merge(edits, "patch", text, strlen(text), err);
	if (text[0] == '-')
		return edits_add_unset(edits, text + 1, err);
	return edits_add_set(edits, text, err);
}

TEST(an_edit_changes_its_bytes_and_no_others)
{
	static const struct {
		const char *edit, *before, *after;
	} cases[] = {
		{ "details.clientKey=x", "{ \"details\" : {\"clientKey\" :\"y\", \"z\":1} }",
		  "{ \"details\" : {\"clientKey\" :\"x\", \"z\":1} }" },
		{ "/details/ttlInMinutes=30", "{\"details\":{\"ttlInMinutes\":15}}",
		  "{\"details\":{\"ttlInMinutes\":30}}" },
		{ "details.ttlInMinutes:=\"30\"", "{\"details\":{\"ttlInMinutes\":15}}",
		  "{\"details\":{\"ttlInMinutes\":\"30\"}}" },
		{ "details.new:=[1, 2]", "{\"details\":{}}", "{\"details\":{\"new\":[1, 2]}}" },
		{ "-details.appKey", "{\"details\":{\"appKey\":\"a\",\"b\":1}}", "{\"details\":{\"b\":1}}" },
		{ "-details.absent", "{\"details\":{\"b\":1}}", "{\"details\":{\"b\":1}}" },
		{ "{\"details\":{\"b\":null,\"c\":2}}", "{\"details\":{\"b\":1}}", "{\"details\":{\"c\":2}}" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(edits) edits = { 0 };
		struct error err;
		RELEASED(buffer) out = BUFFER_INIT;
		assert_int_equal(add(&edits, cases[i].edit, &err), 0);
		const struct catalog_event *event = support_kind("user-token-generated").event;
		assert_int_equal(edits_apply(&edits, event, cases[i].before, strlen(cases[i].before), &out, &err), 0);
		if (strcmp(buffer_text(&out), cases[i].after) != 0)
			fail_msg("%s: %s", cases[i].edit, buffer_text(&out));
	}
}

TEST(text_takes_the_type_of_its_field)
{
	static const struct {
		const char *edit, *event;
		bool converts;
	} cases[] = {
		{ "details.ttlInMinutes=5", "user-token-generated", true },
		{ "details.ttlInMinutes=five", "user-token-generated", false },
		{ "details.offCycle=true", "credit-report-ordered", true },
		{ "details.offCycle=yes", "credit-report-ordered", false },
		{ "details.change=-5", "credit-score-simulated", true },
		{ "details.change=5.5", "credit-score-simulated", false },
		{ "details.appKey=ffffffff-ffff-ffff-ffff-ffffffffffff", "user-created", true },
		{ "details.appKey=1", "user-created", false },
		{ "details.clientKey=1", "user-created", false }, /* a UUID there, and a string elsewhere */
		{ "details.clientKey=1", "bureau-alert", true },
		{ "details.alertDetails.disputeStatus=Completion", "bureau-alert", true },
		{ "details.alertDetails.disputeStatus=Done", "bureau-alert", false },
		{ "details.bureau=x", "user-created", false }, /* no such field in this event */
		{ "details.address.zip=12345", "user-created", true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(edits) edits = { 0 };
		struct error err;
		struct catalog_kind kind = support_kind(cases[i].event);
		assert_int_equal(add(&edits, cases[i].edit, &err), 0);
		int result = edits_check(&edits, &kind, 1, &err);
		if ((result == 0) != cases[i].converts)
			fail_msg("%s in %s: %s", cases[i].edit, cases[i].event, result == 0 ? "fine" : err.message);
		if (result < 0) {
			assert_int_equal(err.code, EXIT_CODE_USAGE);
			assert_non_null(strstr(err.hint, ":=JSON"));
		}
	}
}

/* edits_apply() refuses what edits_check() was not asked about. */
TEST(text_that_does_not_convert_is_put_nowhere)
{
	RELEASED(edits) edits = { 0 };
	struct error err;
	RELEASED(buffer) out = BUFFER_INIT;
	const struct catalog_event *event = support_kind("user-token-generated").event;
	assert_int_equal(add(&edits, "details.ttlInMinutes=five", &err), 0);
	assert_int_equal(edits_apply(&edits, event, "{\"details\":{}}", 14, &out, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_USAGE);
	assert_non_null(strstr(err.message, "integer"));
	assert_int_equal(out.length, 0);
}

TEST(an_unset_has_to_name_what_may_be_there)
{
	static const struct {
		const char *edits[2];
		const char *hint; /* what it says for a user-created; NULL: fine */
	} cases[] = {
		{ { "-details.appKey" }, NULL },
		{ { "-details" }, NULL },
		{ { "-/details/address/zip" }, NULL },
		{ { "-path" }, NULL },
		{ { "-details.appKye" }, "did you mean details.appKey?" },
		{ { "-appKey" }, "details.appKey?" },
		{ { "-details.bureau" }, "explain EVENT" },
		{ { "-details.scoreModifiers.changes" }, "explain EVENT" },
		{ { "-details.nothing.of.ours" }, "explain EVENT" },
		{ { "details.appKye:=1", "-details.appKye" }, NULL },
		{ { "details.appKye:={\"a\":1}", "-details.appKye.a" }, NULL },
		{ { "/details/x/appKye:=1", "-details.x" }, NULL },
		{ { "details.appKyes:=1", "-details.appKye" }, NULL },
		{ { "-details.appKye", "details.appKye:=1" }, "appKey?" },
		{ { "{\"a\":1}", "-a" }, NULL },
	};
	struct catalog_kind created = support_kind("user-created");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(edits) edits = { 0 };
		struct error err;
		for (size_t e = 0; e < 2 && cases[i].edits[e]; e++)
			assert_int_equal(add(&edits, cases[i].edits[e], &err), 0);
		error_set(&err, EXIT_CODE_USAGE, "%s", "");
		int result = edits_check(&edits, &created, 1, &err);
		if ((result == 0) != (cases[i].hint == NULL) || (cases[i].hint && !strstr(err.hint, cases[i].hint)))
			fail_msg("%s: %d, %s, %s", cases[i].edits[0], result, err.message, err.hint);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
	}
}

TEST(what_is_no_edit_is_a_usage_error)
{
	static const char *const cases[] = {
		"", "details", "=x", ":=1", "a:={", "a:=", "/a~2=1", "{\"a\"", "{} {}", "-"
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(edits) edits = { 0 };
		struct error err;
		if (add(&edits, cases[i], &err) == 0)
			fail_msg("<%s> is accepted", cases[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
	}
}

TEST(a_pointer_names_what_the_event_lists)
{
	const struct catalog_event *created = support_kind("user-created").event;
	const struct catalog_event *alert = support_kind("bureau-alert").event;
	assert_int_equal(edit_member(created, "/details/clientKey", NULL)->type, CATALOG_UUID);
	assert_int_equal(edit_member(alert, "/details/clientKey", NULL)->type, CATALOG_STRING);
	assert_non_null(edit_member(created, "/details/address/zip", NULL));
	assert_non_null(edit_member(created, "/path", NULL));
	assert_null(edit_member(alert, "/path", NULL));
	assert_null(edit_member(created, "/details/bureau", NULL));
	assert_null(edit_member(created, "/details/address/zip/x", NULL));
	assert_null(edit_member(created, "", NULL));
}
