/* The checker: several defects, their places and hints, its limits and rules. */
#include "payload/check_internal.h"
#include "payload/ignore.h"
#include "payload/support.h"
#include "test.h"

#include <stdio.h>

struct mistake_case {
	const char *event, *from, *to;
	const char *findings; /* as support_describe() has them */
	const char *hint;     /* of the first finding; NULL: none */
};

static const struct mistake_case mistakes[] = {
	{ "user-created", "\"appKey\"", "\"appkey\"", "missing-key@/details/appKey unknown-key@/details/appkey",
	  "rename \"appkey\", which looks like a misspelling of it" },
	{ "user-created", "\"details\"", "\"detail\"", "missing-key@/details unknown-key@/detail",
	  "rename \"detail\", which looks like a misspelling of it" },
	{ "user-created", "{\"service\":\"user\",", "{", "missing-key@/service", "add \"service\": \"user\"" },
	{ "user-created", "{\"service\":\"user\",", "{\"data\":1,", "missing-key@/service unknown-key@/data",
	  "add \"service\": \"user\"" },
	{ "user-created", "\"state\"", "\"date\"",
	  "missing-key@/details/address/state unknown-key@/details/address/date", "add \"state\", a string" },
	{ "user-created", "\"appKey\"", "\"apiKeys\":1,\"apKeys\":1,\"appKeys\":1,\"appKeyz\"",
	  "missing-key@/details/appKey unknown-key@/details/apiKeys unknown-key@/details/apKeys "
	  "unknown-key@/details/appKeys unknown-key@/details/appKeyz",
	  "rename \"appKeys\", which looks like a misspelling of it" },
	{ "user-created", "\"event\":\"201\"", "\"event\":201", "wrong-type@/event", "put it in quotes: \"201\"" },
	{ "user-created", "\"event\":\"201\"", "\"event\":null", "wrong-type@/event",
	  "write \"201\" for user-created" },
	{ "user-created", "\"201\"", "\"Created\"", "unknown-event@/event", NULL },
	{ "user-created", "\"post\"", "\"POST\"", "unknown-event@/method", "write it in lower case: \"post\"" },
	{ "user-created", "\"user\"", "\"users\"", "unknown-event@/service", NULL },
	{ "user-created", "/api/user", "/user", "unknown-event@/path", "begin the path with /api (section 6, note 3)" },
	{ "user-created", "/api/user/v2", "https://x/api/user/v2", "unknown-event@/path", NULL },
	{ "user-created", "\"/api/user/v2\"", "null", "wrong-type@/path", NULL },
	{ "monitoring-service-enrolled", "/api/monitoring/v2", "/monitor/v2", "unknown-event@/path",
	  "the specification's overview lists monitoring paths as /monitor/v2...; notifications carry "
	  "/api/monitoring/v2... (section 6, note 2)" },
	{ "monitored-element-removed", "/api/monitoring/v2/idp/monitor", "/monitor/v2/idp/email", "unknown-event@/path",
	  "the specification's overview lists the path as /monitor/v2/idp/<elementType>; notifications carry "
	  "/api/monitoring/v2/idp/monitor (section 6, note 2)" },
	{ "monitoring-service-enrolled", "/api/monitoring/v2", "/api/monitor/v2", "unknown-event@/path",
	  "the specification's overview lists monitoring paths as /monitor/v2...; notifications carry "
	  "/api/monitoring/v2... (section 6, note 2)" },
	{ "monitoring-service-enrolled", "/api/monitoring/v2", "/monitoring/v2", "unknown-event@/path",
	  "begin the path with /api (section 6, note 3)" },
	{ "monitored-element-added/email", "idp/email", "idp/emails", "unknown-event@/path", NULL },
	{ "custom-authentication-succeeded", "\"200\"", "\"401\"", "unknown-event@/event",
	  "the specification's overview lists this event with status 401; the notification carries event 200" },
	{ "credit-report-ordered", "\"offCycle\":\"false\"", "\"offCycle\":false", "wrong-type@/details/offCycle",
	  "put it in quotes: \"false\"" },
	{ "credit-report-ordered", "\"offCycle\":\"false\"", "\"offCycle\":0", "wrong-type@/details/offCycle", NULL },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":\"15\"", "wrong-type@/details/ttlInMinutes",
	  "remove the quotes: 15" },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":\"-0\"", "wrong-type@/details/ttlInMinutes",
	  "remove the quotes: -0" },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":\"+15\"", "wrong-type@/details/ttlInMinutes",
	  "write digits without quotes" },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":\"--5\"", "wrong-type@/details/ttlInMinutes",
	  "write digits without quotes" },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":\"015\"", "wrong-type@/details/ttlInMinutes",
	  "write digits without quotes" },
	{ "user-token-generated", ",\"ttlInMinutes\":15", "", "missing-key@/details/ttlInMinutes",
	  "add \"ttlInMinutes\", an integer" },
	{ "bureau-alert", "\"disputeStatus\":\"Submission\"", "\"a\":1",
	  "missing-key@/details/alertDetails/disputeStatus",
	  "add \"disputeStatus\", \"Submission\" or \"Completion\"" },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":15.5", "wrong-type@/details/ttlInMinutes",
	  NULL },
	{ "user-token-generated", "\"ttlInMinutes\":15", "\"ttlInMinutes\":1.5e1",
	  "not-integer-literal@/details/ttlInMinutes", "write digits only; many readers take this for a fraction" },
	{ "user-created", "\"zip\":\"<ZIP>\"", "\"zip\":12345", "wrong-type@/details/address/zip",
	  "put it in quotes: \"12345\"" },
	{ "bureau-alert", "\"Submission\"", "12", "wrong-type@/details/alertDetails/disputeStatus", NULL },
	{ "bureau-alert", "\"Submission\"", "\"submission\"", "bad-value@/details/alertDetails/disputeStatus",
	  "write \"Submission\" or \"Completion\"" },
	{ "bureau-alert", "\"details\"", "\"path\":null,\"details\"", "unexpected-path@/path",
	  "remove the key \"path\"" },
	{ "bureau-alert", "{\"disputeStatus\"", "{\"x\":{\"y\":[]},\"disputeStatus\"", "", NULL },
	{ "user-created", "\"address\":{", "\"userToken\":1,\"address\":{", "unknown-key@/details/userToken", NULL },
	{ "user-created", "\"firstName\":\"<FIRST_NAME>\",", "", "missing-key@/details/firstName",
	  "add \"firstName\", a string" },
	{ "user-created", "\"address\":{", "\"address\":{\"firstName\":\"x\",",
	  "unknown-key@/details/address/firstName", NULL },
};

CHECKER_TEST(a_mistake_is_found_and_named)
{
	RELEASED(buffer) payload = BUFFER_INIT, seen = BUFFER_INIT;
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
		const struct mistake_case *c = &mistakes[i];
		support_build(support_kind(c->event), &payload);
		support_replace(&payload, c->from, c->to);
		const struct verdict *v = support_check(*state, buffer_text(&payload));
		support_describe(v, &seen);
		if (strcmp(buffer_text(&seen), c->findings) != 0)
			fail_msg("%s with %s: %s", c->event, c->to, buffer_text(&seen));
		const char *hint = v->finding_count > 0 ? verdict_hint(v, &v->findings[0]) : NULL;
		if (hint != c->hint && (!hint || !c->hint || strcmp(hint, c->hint) != 0))
			fail_msg("%s with %s: hint %s", c->event, c->to, hint ? hint : "none");
	}
}

CHECKER_TEST(an_event_that_differs_twice_is_told_with_both)
{
	const struct verdict *v = support_check(*state, "{\"service\":\"x\",\"event\":\"201\",\"method\":\"y\","
	                                                "\"path\":\"/api/user/v2\",\"details\":{}}");
	assert_int_equal(v->finding_count, 1);
	assert_string_equal(verdict_message(v, &v->findings[0]),
	                    "no event has this service, event, method and path; the nearest, user-created, "
	                    "has service \"user\" and method \"post\"");
	assert_string_equal(verdict_hint(v, &v->findings[0]),
	                    "correct the envelope first; the details were not checked");
}

CHECKER_TEST(ten_defects_are_ten_findings)
{
	RELEASED(buffer) payload = BUFFER_INIT, seen = BUFFER_INIT;
	support_build(support_kind("user-created"), &payload);
	support_replace(&payload, "\"service\"", "\"service\":\"user\",\"service\"");
	support_replace(&payload, "\"201\"", "201");
	support_replace(&payload, "\"appKey\":\"", "\"appKey\":\"x");
	support_replace(&payload, "\"clientKey\":\"", "\"clientKey\":\"x");
	support_replace(&payload, "\"<FIRST_NAME>\"", "\"\"");
	support_replace(&payload, "\"<LAST_NAME>\"", "null");
	support_replace(&payload, "\"<STREET>\"", "1");
	support_replace(&payload, "\"<CITY>\"", "\"\"");
	support_replace(&payload, "\"state\"", "\"zip\":1,\"province\"");
	support_describe(support_check(*state, buffer_text(&payload)), &seen);
	assert_string_equal(buffer_text(&seen),
	                    "duplicate-key@/service wrong-type@/event bad-format@/details/appKey "
	                    "bad-format@/details/clientKey empty-string@/details/firstName "
	                    "wrong-type@/details/lastName missing-key@/details/address/state "
	                    "wrong-type@/details/address/street empty-string@/details/address/city "
	                    "unknown-key@/details/address/province duplicate-key@/details/address/zip");
}

CHECKER_TEST(findings_past_the_limit_are_counted)
{
	RELEASED(buffer) text = BUFFER_INIT;
	buffer_append_byte(&text, '{');
	for (int i = 0; i < CHECK_FINDINGS_MAX + 500; i++)
		buffer_printf(&text, "%s\"k%d\":1", i > 0 ? "," : "", i);
	buffer_append_byte(&text, '}');
	const struct verdict *v = support_check(*state, buffer_text(&text));
	assert_int_equal(v->finding_count, CHECK_FINDINGS_MAX);
	assert_int_equal(v->finding_count + v->unlisted, CHECK_FINDINGS_MAX + 500 + 4);
	assert_int_equal(v->counts[FINDING_UNKNOWN_KEY], CHECK_FINDINGS_MAX + 500);
	assert_int_equal(v->counts[FINDING_MISSING_KEY], 4);
	assert_false(v->valid);
	assert_int_equal(verdict_finding(v, 0)->severity, SEVERITY_ERROR);
}

/* A misspelt appKey: how many keys that nobody listed stand before and behind it, how many findings are reported
 * first, and whether the payload has another token. */
struct crowd {
	int before, behind, findings;
	bool is_odd;
};

static void append_unknown(struct buffer *out, char letter, int count)
{
	for (int i = 0; i < count; i++)
		buffer_printf(out, "\"%c%d\":1,", letter, i);
}

static bool is_guessed(struct checker *checker, struct crowd crowd, size_t *tokens)
{
	RELEASED(buffer) payload = BUFFER_INIT, keys = BUFFER_INIT;
	bool guessed = false;
	support_build(support_kind("user-created"), &payload);
	append_unknown(&keys, 'b', crowd.before);
	buffer_append_text(&keys, "\"appkey\"");
	support_replace(&payload, "\"appKey\"", buffer_text(&keys));
	buffer_clear(&keys);
	append_unknown(&keys, 'k', crowd.behind);
	buffer_append_text(&keys, crowd.is_odd ? "\"k\":[1],\"clientKey\"" : "\"clientKey\"");
	support_replace(&payload, "\"clientKey\"", buffer_text(&keys));
	buffer_clear(&keys);
	for (int i = 0; i < crowd.findings; i++)
		buffer_append_text(&keys, "\"service\":\"user\",");
	buffer_append_text(&keys, "\"service\"");
	support_replace(&payload, "\"service\"", buffer_text(&keys));
	const struct verdict *v = support_check(checker, buffer_text(&payload));
	assert_int_equal(v->counts[FINDING_UNKNOWN_KEY], crowd.before + crowd.behind + crowd.is_odd + 1);
	for (size_t i = 0; i < v->finding_count; i++)
		guessed |= v->findings[i].id == FINDING_MISSING_KEY &&
		           strncmp(verdict_hint(v, &v->findings[i]), "rename ", strlen("rename ")) == 0;
	*tokens = v->doc->count;
	return guessed;
}

CHECKER_TEST(a_misspelling_is_not_looked_for_in_a_huge_payload)
{
	size_t least, tokens;
	assert_true(is_guessed(*state, (struct crowd){ .behind = 0 }, &least));
	int more = (int)(4096 - least);
	assert_true(is_guessed(*state, (struct crowd){ .behind = more / 2 - more % 2, .is_odd = more % 2 }, &tokens));
	assert_int_equal(tokens, 4096);
	more++;
	assert_false(is_guessed(*state, (struct crowd){ .behind = more / 2 - more % 2, .is_odd = more % 2 }, &tokens));
	assert_int_equal(tokens, 4097);
}

CHECKER_TEST(a_misspelling_is_looked_for_among_the_first_keys)
{
	size_t tokens;
	assert_true(is_guessed(*state, (struct crowd){ .before = 63 }, &tokens));
	assert_false(is_guessed(*state, (struct crowd){ .before = 64 }, &tokens));
}

CHECKER_TEST(a_misspelling_is_not_looked_for_after_many_findings)
{
	size_t tokens;
	assert_true(is_guessed(*state, (struct crowd){ .findings = 19 }, &tokens));
	assert_false(is_guessed(*state, (struct crowd){ .findings = 20 }, &tokens));
}

/* The linker puts it in the place of json_string_is(), as tests/CMakeLists.txt asks: it counts comparisons. */
static size_t compared;
bool __real_json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length);
bool __wrap_json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length);
bool __wrap_json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length)
{
	compared++;
	return __real_json_string_is(doc, token, text, length);
}

/* Findings times keys would be a thousand comparisons of each. `escaped`: those that need json_string_is(). */
static void assert_keys_compared_seldom(struct checker *checker, const char *from, const char *to, bool escaped)
{
	enum { KEYS = 20000, SELDOM = 100 };
	RELEASED(buffer) payload = BUFFER_INIT, keys = BUFFER_INIT;
	buffer_append_text(&keys, to);
	for (int i = 0; i < KEYS; i++)
		buffer_printf(&keys, "\"%s%d\":1,", escaped ? "\\u006b" : "k", i);
	support_build(support_kind("user-created"), &payload);
	support_replace(&payload, from, buffer_text(&keys));
	compared = 0;
	const struct verdict *v = support_check(checker, buffer_text(&payload));
	assert_int_equal(v->counts[FINDING_UNKNOWN_KEY], KEYS);
	assert_in_range(compared, escaped ? KEYS : 0, (size_t)KEYS * SELDOM);
}

CHECKER_TEST(many_unknown_keys_are_looked_at_a_few_times_each)
{
	for (int escaped = 0; escaped < 2; escaped++) {
		assert_keys_compared_seldom(*state, "{\"service\":\"user\",", "{", escaped);
		assert_keys_compared_seldom(*state, "\"details\":{", "\"details\":{", escaped);
		assert_keys_compared_seldom(*state, "\"address\":{", "\"address\":{", escaped);
	}
}

CHECKER_TEST(a_payload_may_have_64_mib)
{
	RELEASED(buffer) text = BUFFER_INIT, seen = BUFFER_INIT;
	struct error err;
	support_build(support_kind("user-created"), &text);
	buffer_append_repeat(&text, ' ', CHECK_PAYLOAD_MAX + 1 - text.length);
	for (size_t more = 0; more < 2; more++) {
		support_describe(check_payload(*state, text.data, CHECK_PAYLOAD_MAX + more, NULL, &err), &seen);
		assert_string_equal(buffer_text(&seen), more == 0 ? "" : "too-long@");
	}
	checker_trim(*state);
}

CHECKER_TEST(rules_make_warnings_errors_and_findings_nothing)
{
	RELEASED(buffer) payload = BUFFER_INIT, seen = BUFFER_INIT;
	support_build(support_kind("user-created"), &payload);
	support_replace(&payload, "\"<FIRST_NAME>\"", "\"\"");
	support_replace(&payload, "\"zip\"", "\"zipp\"");
	const struct verdict *v = support_check(*state, buffer_text(&payload));
	assert_int_equal(v->warnings, 2);
	assert_false(v->valid);
	struct error err;
	struct ignored missing = { .everywhere = 1u << FINDING_MISSING_KEY };
	struct ignored both = { .everywhere = 1u << FINDING_MISSING_KEY | 1u << FINDING_UNKNOWN_KEY };
	struct ignored all = { .everywhere = ~0u };
	checker_set_rules(*state, false, &missing);
	v = support_check(*state, buffer_text(&payload));
	support_describe(v, &seen);
	assert_string_equal(buffer_text(&seen), "empty-string@/details/firstName unknown-key@/details/address/zipp");
	assert_true(v->valid);
	checker_set_rules(*state, true, &both);
	v = support_check(*state, buffer_text(&payload));
	assert_int_equal(v->finding_count, 1);
	assert_int_equal(v->findings[0].severity, SEVERITY_ERROR);
	assert_int_equal(v->warnings, 0);
	assert_false(v->valid);
	checker_set_rules(*state, false, &all);
	assert_false(check_refused(*state, FINDING_WRONG_TYPE, "no", "", &err)->valid);
	assert_true(support_check(*state, buffer_text(&payload))->valid);
	checker_set_rules(*state, false, NULL);
}

CHECKER_TEST(what_is_ignored_at_a_place_is_reported_elsewhere)
{
	static const struct {
		const char *ignored, *text, *seen; /* of a user-created whose details hold the text */
	} cases[] = {
		{ "wrong-type:details.lastName", "\"firstName\":1,\"lastName\":2", "wrong-type@/details/firstName" },
		{ "missing-key:/details/firstName", "\"lastName\":\"a\"", "" },
		{ "missing-key:details.lastName,missing-key:details.firstName", "\"x\":1", "unknown-key@/details/x" },
		{ "unknown-key:details.x~1y", "\"firstName\":\"a\",\"lastName\":\"a\",\"x~1y\":1,\"x/y\":1",
		  "unknown-key@/details/x~1y" },
		{ "unknown-key:/details/x~1y", "\"firstName\":\"a\",\"lastName\":\"a\",\"x\\/y\":1", "" },
		{ "duplicate-key:details.firstName",
		  "\"firstName\":\"a\",\"firstName\":\"b\",\"firstName\":\"c\",\"lastName\":\"a\"", "" },
		{ "duplicate-key:firstName", "\"firstName\":\"a\",\"firstName\":\"b\",\"lastName\":\"a\"",
		  "duplicate-key@/details/firstName" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(ignored) ignored = { 0 };
		struct error err;
		RELEASED(buffer) payload = BUFFER_INIT, seen = BUFFER_INIT;
		assert_int_equal(ignored_parse(&ignored, cases[i].ignored, &err), 0);
		checker_set_rules(*state, false, &ignored);
		support_build(support_kind("user-created"), &payload);
		support_replace(&payload, "\"firstName\":\"<FIRST_NAME>\",\"lastName\":\"<LAST_NAME>\"", cases[i].text);
		support_describe(support_check(*state, buffer_text(&payload)), &seen);
		assert_string_equal(buffer_text(&seen), cases[i].seen);
		checker_set_rules(*state, false, NULL);
	}
}

CHECKER_TEST(an_expected_event_is_judged_by_its_name)
{
	RELEASED(buffer) payload = BUFFER_INIT, seen = BUFFER_INIT;
	struct error err;
	support_build(support_kind("authentication-failed"), &payload);
	struct check_options options = { .expected = support_kind("authentication-succeeded") };
	const struct verdict *v = check_payload(*state, payload.data, payload.length, &options, &err);
	support_describe(v, &seen);
	assert_string_equal(buffer_text(&seen), "bad-value@/event missing-key@/details/userToken");
	assert_string_equal(v->kind.event->name, "authentication-succeeded");
	options.expected = support_kind("authentication-failed");
	assert_true(check_payload(*state, payload.data, payload.length, &options, &err)->valid);
}

/* --as: what a hint names is what was asked for, and never what stands there already. */
CHECKER_TEST(a_hint_agrees_with_the_expected_event)
{
	static const struct {
		const char *payload, *from, *to, *expected;
		const char *message, *hint; /* of the last finding about the envelope */
	} rows[] = {
		{ "authentication-succeeded", "\"200\"", "200", "user-created", "event is a number, expected a string",
		  "write \"201\" for user-created" },
		{ "user-created", "\"201\"", "201", "user-created", "event is a number, expected a string",
		  "put it in quotes: \"201\"" },
		{ "bureau-alert", "\"push\"", "7", "bureau-alert", "event is a number, expected a string",
		  "write \"push\" for bureau-alert" },
		{ "monitored-element-added/email", "\"x\"", NULL, "monitored-element-added/phone",
		  "path is \"/api/monitoring/v2/idp/email\", expected "
		  "\"/api/monitoring/v2/idp/phone\" for monitored-element-added/phone",
		  NULL },
		{ "monitored-element-added/email", "idp/email", "idp/emai", "monitored-element-added/phone",
		  "path is \"/api/monitoring/v2/idp/emai\", expected "
		  "\"/api/monitoring/v2/idp/phone\" for monitored-element-added/phone",
		  NULL },
		{ "monitored-element-added/email", "idp/email", "idp/emai", "monitored-element-added",
		  "path is \"/api/monitoring/v2/idp/emai\", expected "
		  "\"/api/monitoring/v2/idp/<element_path>\" for monitored-element-added",
		  NULL },
		{ "user-created", "\"user\"", "\"alert\"", "user-created",
		  "service is \"alert\", expected \"user\" for user-created", NULL },
		{ "monitoring-service-cancelled", "\"delete\"", "\"POST\"", "monitoring-service-cancelled",
		  "method is \"POST\", expected \"delete\" for monitoring-service-cancelled", NULL },
		{ "user-created", "/api/user/v2", "/report/v2", "user-created",
		  "path is \"/report/v2\", expected \"/api/user/v2\" for user-created",
		  "begin the path with /api (section 6, note 3)" },
	};
	RELEASED(buffer) payload = BUFFER_INIT;
	struct error err;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct check_options options = { .expected = support_kind(rows[i].expected) };
		support_build(support_kind(rows[i].payload), &payload);
		if (rows[i].to)
			support_replace(&payload, rows[i].from, rows[i].to);
		const struct verdict *v = check_payload(*state, payload.data, payload.length, &options, &err);
		const struct finding *f = NULL;
		for (size_t j = 0; j < v->finding_count && !f; j++)
			if (strcmp(verdict_message(v, &v->findings[j]), rows[i].message) == 0)
				f = &v->findings[j];
		if (!f)
			fail_msg("row %zu: no \"%s\"", i, rows[i].message);
		const char *hint = verdict_hint(v, f);
		if (hint != rows[i].hint && (!hint || !rows[i].hint || strcmp(hint, rows[i].hint) != 0))
			fail_msg("row %zu: hint %s", i, hint ? hint : "none");
	}
}

CHECKER_TEST(what_is_nearest_to_an_alert_has_no_path)
{
	static const struct {
		const char *payload, *findings;
	} rows[] = {
		{ "{\"service\":\"alerts\",\"event\":\"x\",\"method\":\"y\",\"path\":\"/z\",\"details\":{}}",
		  "unknown-event@/event unexpected-path@/path" },
		{ "{\"service\":\"alerts\",\"event\":\"x\",\"method\":\"y\",\"path\":null,\"details\":{}}",
		  "unknown-event@/event unexpected-path@/path" },
		/* Nearer to another event: one mistake, one finding. */
		{ "{\"service\":\"alerts\",\"event\":\"200\",\"method\":\"get\",\"path\":\"/api/report/"
		  "v2\",\"details\":[]}",
		  "unknown-event@/service wrong-type@/details" },
	};
	RELEASED(buffer) seen = BUFFER_INIT;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		support_describe(support_check(*state, rows[i].payload), &seen);
		assert_string_equal(buffer_text(&seen), rows[i].findings);
	}
}

CHECKER_TEST(a_content_type_is_application_json)
{
	static const struct {
		const char *type;
		bool warned;
	} cases[] = {
		{ NULL, true },
		{ "application/json", false },
		{ "Application/JSON; charset=utf-8", false },
		{ "application/json ;x", false },
		{ "application/jsonp", true },
		{ "text/plain", true },
		{ "", true },
	};
	RELEASED(buffer) payload = BUFFER_INIT;
	struct error err;
	support_build(support_kind("user-created"), &payload);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct check_options options = { .checks_content_type = true, .content_type = cases[i].type };
		const struct verdict *v = check_payload(*state, payload.data, payload.length, &options, &err);
		assert_int_equal(v->finding_count, cases[i].warned);
		assert_true(v->valid);
	}
}

TEST(the_catalogue_fits_the_checkers_tables)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		assert_in_range(catalog_events[i].detail_count, 1, CHECK_MEMBERS_MAX);
	for (size_t i = 0; i < catalog_field_count; i++)
		assert_in_range(catalog_fields[i]->member_count, 0, CHECK_MEMBERS_MAX);
	for (size_t i = 0; i < catalog_field_count; i++)
		assert_in_range(strlen(catalog_fields[i]->name), 1, UINT8_MAX);
	assert_in_range(catalog_field_count, 1, IDENTIFY_FIELDS_MAX);
}
