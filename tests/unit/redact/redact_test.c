/* Redacted payloads: what stays, what becomes a fake, and that a checker says the same of them. */
#include "payload/break.h"
#include "payload/form.h"
#include "redact/redact.h"
#include "payload/support.h"
#include "payload/variants.h"

#include <stdio.h>

static const char key[] = "0123456789abcdef";

static struct redactor *redactor_with(const struct redact_policy *policy)
{
	struct error err;
	struct redactor *r = redactor_new(key, sizeof key - 1, policy, &err);
	assert_non_null(r);
	return r;
}

/* The redacted text, in *out; a failure unless it has that form. */
static void redacted(struct redactor *r, const char *text, size_t length, struct buffer *out)
{
	enum redact_withheld withheld;
	struct error err;
	buffer_clear(out);
	assert_int_equal(redact_payload(r, text, length, out, &withheld, &err), 0);
	assert_int_equal(withheld, REDACT_NOT_WITHHELD);
}

/* Compares by shape: A, a and 0 stand for any letter or digit of that kind, ~ for any byte outside ASCII. */
static void assert_like(const char *text, const char *pattern)
{
	bool same = strlen(text) == strlen(pattern);
	for (size_t i = 0; same && pattern[i]; i++) {
		char c = text[i], p = pattern[i];
		same = p == 'A'   ? c >= 'A' && c <= 'Z'
		       : p == 'a' ? c >= 'a' && c <= 'z'
		       : p == '0' ? c >= '0' && c <= '9'
		       : p == '~' ? (c & 0x80) != 0
		                  : c == p;
	}
	if (!same)
		fail_msg("'%s' is not like '%s'", text, pattern);
}

static void assert_becomes(struct redactor *r, const char *text, const char *pattern)
{
	struct buffer out = BUFFER_INIT;
	redacted(r, text, strlen(text), &out);
	assert_like(buffer_text(&out), pattern);
	buffer_release(&out);
}

static void plain_fields_stay(void **state)
{
	struct redactor *r = redactor_with(NULL);
	(void)state;
	static const char *const texts[] = {
		"{\"service\":\"report\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/report/v2\"}",
		" { \"details\" : {\"offCycle\":\"true\", \"bureau\" :\"sample-bureau\",\"productCode\":\"P 1\"}\n} ",
		"{\"details\":{\"ttlInMinutes\":15,\"alertType\":\"x.y\",\"enrollmentCode\":\"e_1\"}}",
		"{\"details\":{\"alertDetails\":{\"disputeStatus\":\"Completion\"}}}",
		"{\"details\":{\"offCycle\":false,\"bureau\":\"\"}}",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_becomes(r, texts[i], texts[i]);
	/* What has not the form of its field may be anything. */
	assert_becomes(r, "{\"details\":{\"bureau\":\"jane@example.com\"}}",
	               "{\"details\":{\"bureau\":\"aaaa@aaaaaaa.aaa\"}}");
	assert_becomes(r, "{\"details\":{\"bureau\":\"1234567890123456\"}}",
	               "{\"details\":{\"bureau\":\"0000000000000000\"}}");
	assert_becomes(r, "{\"details\":{\"bureau\":\"123-45-6789\",\"productCode\":\"4111 1111 1111 1111\"}}",
	               "{\"details\":{\"bureau\":\"000-00-0000\",\"productCode\":\"0000 0000 0000 0000\"}}");
	assert_becomes(r, "{\"details\":{\"scoreModifiers\":{\"on-time 24\":1,\"123-45-6789\":1}}}",
	               "{\"details\":{\"scoreModifiers\":{\"on-time 24\":0,\"000-00-0000\":0}}}");
	assert_becomes(r, "{\"details\":{\"ttlInMinutes\":\"Jane Doe\"}}",
	               "{\"details\":{\"ttlInMinutes\":\"Aaaa Aaa\"}}");
	assert_becomes(r, "{\"path\":\"/api/user/v2/jane.doe\"}", "{\"path\":\"/api/user/v2/aaaa.aaa\"}");
	redactor_free(r);
}

static void values_keep_their_shape(void **state)
{
	struct redactor *r = redactor_with(NULL);
	(void)state;
#define DETAILS(text) "{\"details\":{" text "}}"
	assert_becomes(r, DETAILS("\"firstName\":\"Jane-Ann\",\"lastName\":\"O'Neil\""),
	               DETAILS("\"firstName\":\"Aaaa-Aaa\",\"lastName\":\"A'Aaaa\""));
	assert_becomes(r, DETAILS("\"address\":{\"street\":\"12 Elm St\",\"zip\":\"90210-1\",\"state\":\"ca\"}"),
	               DETAILS("\"address\":{\"street\":\"00 Aaa Aa\",\"zip\":\"00000-0\",\"state\":\"aa\"}"));
	assert_becomes(r, DETAILS("\"change\":\"-12\""), DETAILS("\"change\":\"-00\""));
	assert_becomes(r, DETAILS("\"monitorId\":120, \"alertId\":-1.50"),
	               DETAILS("\"monitorId\":000, \"alertId\":-0.00"));
	assert_becomes(r, DETAILS("\"scoreModifiers\":{\"onTime\":{\"n\":[12,true]}}"),
	               DETAILS("\"scoreModifiers\":{\"onTime\":{\"n\":[00,false]}}"));
	assert_becomes(r, DETAILS("\"clientKey\":\"ab\",\"userId\":\"12\""),
	               DETAILS("\"clientKey\":\"aaaaaaaa\",\"userId\":\"000000000000\""));
	assert_becomes(r, DETAILS("\"alertDetails\":{\"disputeStatus\":\"Submission\",\"memo\":\"Call 555\"}"),
	               DETAILS("\"alertDetails\":{\"disputeStatus\":\"Submission\",\"aaaaaaaa\":\"Aaaa 000\"}"));
	assert_becomes(r, DETAILS("\"firstName\":\"J\\u00e9\",\"lastName\":\"\xe5\xbc\xa0\""),
	               DETAILS("\"firstName\":\"A~~\",\"lastName\":\"~~~\""));
	redactor_free(r);
}

static void one_customer_stays_one(void **state)
{
	static const char upper[] = "{\"details\":{\"clientKey\":\"0D1F5B6C-2A3E-4F70-8192-A3B4C5D6E7F8\"}}",
	                  lower[] = "{\"x\":\"0d1f5b6c-2a3e-4f70-8192-a3b4c5d6e7f8\"}";
	struct redactor *r = redactor_with(NULL), *other = redactor_with(NULL);
	struct buffer a = BUFFER_INIT, b = BUFFER_INIT;
	(void)state;
	redacted(r, upper, strlen(upper), &a);
	redacted(other, lower, strlen(lower), &b);
	const char *first = strstr(buffer_text(&a), "Key\":\"") + 6, *second = strchr(buffer_text(&b), ':') + 2;
	assert_true(form_is_uuid(first, 36) && form_is_uuid(second, 36));
	assert_int_equal(first[14], '4');
	for (size_t i = 0; i < 36; i++) {
		assert_int_equal(first[i] | 0x20, second[i] | 0x20);
		assert_true(first[i] < 'a' && (second[i] < 'A' || second[i] > 'Z'));
	}
	buffer_release(&a);
	buffer_release(&b);
	redactor_free(r);
	redactor_free(other);
}

/* All values of a short shape: none twice. */
static void identifiers_stay_one_to_one(void **state)
{
	struct redactor *r = redactor_with(NULL);
	struct buffer out = BUFFER_INIT;
	bool seen[10000] = { false };
	char text[64];
	(void)state;
	for (int i = 1000; i < 10000; i++) {
		snprintf(text, sizeof text, "{\"details\":{\"alertId\":%d}}", i);
		redacted(r, text, strlen(text), &out);
		int fake = atoi(strrchr(buffer_text(&out), ':') + 1);
		assert_in_range(fake, 1000, 9999);
		assert_false(seen[fake]);
		seen[fake] = true;
	}
	buffer_release(&out);
	redactor_free(r);
}

static void what_is_not_json_is_withheld(void **state)
{
	struct redactor *r = redactor_with(NULL);
	struct buffer out = BUFFER_INIT;
	enum redact_withheld withheld;
	struct error err;
	(void)state;
	assert_int_equal(redact_payload(r, "{\"a\":", 5, &out, &withheld, &err), 0);
	assert_int_equal(withheld, REDACT_NOT_JSON);
	assert_int_equal(redact_payload(r, "\"\xff\"", 3, &out, &withheld, &err), 0);
	assert_int_equal(withheld, REDACT_NOT_UTF8);
	assert_int_equal(out.length, 0);
	buffer_release(&out);
	redactor_free(r);
}

static void a_policy_changes_what_becomes_of_fields(void **state)
{
	static const char policy_text[] =
	        "{\"fields\":{\"details.bureau\":\"identifier\",\"details.firstName\":\"drop\","
	        "\"details.alertDetails\":\"keep\",\"details.alertDetails.who\":\"name\",\"/details/list/1\":\"drop\","
	        "\"/details/list/2\":\"keep\",\"/details/scoreModifiers\":\"unlisted\"}}";
	struct redact_policy policy = { .rules = NULL };
	struct error err;
	(void)state;
	assert_int_equal(redact_policy_read(&policy, "p", policy_text, strlen(policy_text), &err), 0);
	struct redactor *r = redactor_with(&policy);
	assert_becomes(r, DETAILS("\"bureau\":\"efx\""), DETAILS("\"bureau\":\"aaaaaaaa\""));
	assert_becomes(r, "{\"details\":{ \"firstName\":\"Jo\" , \"appKey\":\"\"}}",
	               "{\"details\":{ \"appKey\":\"\"}}");
	assert_becomes(r, "{\"details\":{ \"appKey\":\"\" , \"firstName\":\"Jo\" }}",
	               "{\"details\":{ \"appKey\":\"\" }}");
	assert_becomes(r, DETAILS(" \"firstName\":\"Jo\" "), DETAILS(" "));
	assert_becomes(r, DETAILS("\"alertDetails\":{\"memo\":7}"), DETAILS("\"alertDetails\":{\"memo\":7}"));
	assert_becomes(r, DETAILS("\"alertDetails\":{\"memo\":[\"7\",{\"x\":1}],\"who\":\"Jane\"}"),
	               DETAILS("\"alertDetails\":{\"memo\":[\"7\",{\"x\":1}],\"who\":\"Aaaa\"}"));
	assert_becomes(r, DETAILS("\"list\":[ \"abcdefgh\" , \"Jo\", \"Ann\" ]"),
	               DETAILS("\"aaaaaaaa\":[ \"aaaaaaaa\", \"Ann\" ]"));
	assert_becomes(r, DETAILS("\"scoreModifiers\":{\"onTime\":7}"), DETAILS("\"scoreModifiers\":{\"aaAaaaaa\":0}"));
	redactor_free(r);
	redact_policy_release(&policy);
}

static void values_and_rules_are_counted(void **state)
{
	static const char
	        policy_text[] = "{\"fields\":{\"details.firstName\":\"keep\",\"details.memo\":\"drop\"}}",
	        text[] = "{\"service\":\"user\",\"details\":{\"firstName\":\"Jo\",\"bureau\":\"efx\",\"x\":[1,\"a\"],"
	                 "\"address\":{\"zip\":\"90210\",\"city\":\"Rome\"}}}";
	struct redact_policy policy = { .rules = NULL };
	struct error err;
	LOCAL_BUFFER out = BUFFER_INIT;
	(void)state;
	assert_int_equal(redact_policy_read(&policy, "p", policy_text, strlen(policy_text), &err), 0);
	struct redactor *r = redactor_with(&policy);
	for (int i = 0; i < 2; i++)
		redacted(r, text, strlen(text), &out);
	const struct redact_counts *c = redactor_counts(r);
	static const struct {
		const char *name;
		uint64_t kept, replaced;
	} rows[] = { { "value of the envelope", 2, 0 }, { "details.bureau", 2, 0 },
		     { "unknown key", 0, 2 },           { "details.address.zip", 0, 2 },
		     { "details.address.city", 0, 2 },  { "value of an unknown key", 0, 4 } };
	uint64_t seen = 0;
	for (unsigned place = 0; place < REDACT_PLACES; place++) {
		if (c->kept[place] == 0 && c->replaced[place] == 0)
			continue;
		buffer_clear(&out);
		redact_append_place(place, &out);
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			if (strcmp(rows[i].name, buffer_text(&out)) != 0)
				continue;
			assert_int_equal(c->kept[place], rows[i].kept);
			assert_int_equal(c->replaced[place], rows[i].replaced);
			seen++;
		}
	}
	assert_int_equal(seen, sizeof rows / sizeof rows[0]);
	assert_int_equal(c->rules[0], 2);
	assert_int_equal(c->rules[1], 0);
	assert_string_equal(redact_rule_name(&policy.rules[1]), "drop");
	redactor_free(r);
	redact_policy_release(&policy);
}

/* The word in front of a phrase is the one to write into a policy. */
static void phrases_begin_with_the_name_of_the_class(void **state)
{
	(void)state;
	for (int privacy = CATALOG_PLAIN; privacy <= CATALOG_UNLISTED; privacy++) {
		const struct redact_rule rule = { .action = REDACT_AS, .privacy = (enum catalog_privacy)privacy };
		const char *phrase = redact_privacy_phrase(rule.privacy), *colon = strchr(phrase, ':');
		if (privacy == CATALOG_PLAIN || privacy == CATALOG_MEMBERS) {
			assert_null(colon);
			continue;
		}
		const char *name = redact_rule_name(&rule);
		assert_int_equal(colon - phrase, strlen(name));
		assert_memory_equal(phrase, name, strlen(name));
	}
}

static void mistakes_of_a_policy_are_named(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "[]", "p:1:1: expected an object" },
		{ "{\"field\":{}}", "p:1:2: 'field' is not a key of a redaction policy" },
		{ "{\"fields\":{\"details.bureau\":\"kep\"}}", "p:1:29: 'kep' is not a way to redact" },
		{ "{\"headers\":\"x\"}", "p:1:12: expected an array of strings" },
		{ "{\"path\":[1]}", "p:1:10: expected a string" },
		{ "{\"path\":[\"a/b\"]}", "p:1:10: expected a segment of a path, without '/'" },
		{ "{\"fields\":{\"details.bureau\":5}}", "p:1:29: expected a string" },
		{ "{\"fields\":{\"a..b\":\"keep\"}}", "p:1:12: 'a..b' is not a field path" },
		{ "{\"fields\":{\"a.b\":\"keep\",\"/a/b\":\"drop\"}}",
		  "p:1:25: there is already a rule for this field" },
		{ "{", "p:1:2: the text ends inside an object" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct redact_policy policy = { .rules = NULL };
		struct error err;
		assert_int_equal(redact_policy_read(&policy, "p", rows[i].text, strlen(rows[i].text), &err), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		if (i + 1 < sizeof rows / sizeof rows[0])
			assert_string_equal(err.message, rows[i].message);
		redact_policy_release(&policy);
	}
}

static void fresh_identifiers_change_nothing_else(void **state)
{
	static const char text[] = "{\"a\":\"b@c\",\"details\":{\"appKey\":\"0d1f5b6c-2a3e-4f70-8192-a3b4c5d6e7f8\","
	                           "\"userId\":\"user-17\",\"firstName\":\"Jane\",\"monitorId\":12}}";
	struct buffer out = BUFFER_INIT;
	struct error err;
	(void)state;
	struct redactor *r = redactor_new_for_identifiers(key, sizeof key - 1, &err);
	assert_non_null(r);
	redacted(r, text, strlen(text), &out);
	assert_int_equal(strncmp(buffer_text(&out), text, (size_t)(strstr(text, "user-17") - text)), 0);
	assert_like(strstr(buffer_text(&out), "userId") + 9, "aaaa-00a\",\"firstName\":\"Jane\",\"monitorId\":00}}");
	assert_null(strstr(buffer_text(&out), "user-17"));
	buffer_release(&out);
	redactor_free(r);
}

/* Event, verdict and findings with their places; of an unknown key only where it is, since its name is replaced. */
static void describe(struct checker *checker, const char *text, size_t length, struct buffer *out)
{
	struct error err;
	const struct verdict *v = check_payload(checker, text, length, NULL, &err);
	struct json_pointer_walk walk;
	char name[CATALOG_KIND_NAME_SIZE] = "unknown";
	assert_non_null(v);
	buffer_clear(out);
	if (v->kind.event)
		catalog_kind_name(v->kind, name);
	buffer_printf(out, "%s %d", name, v->valid);
	json_pointer_walk_init(&walk, v->doc);
	for (size_t i = 0; i < v->finding_count; i++) {
		buffer_printf(out, " %s@", finding_rows[v->findings[i].id].name);
		verdict_append_pointer(v, &v->findings[i], &walk, out);
		if (v->findings[i].id == FINDING_UNKNOWN_KEY)
			out->length = (size_t)(strrchr(out->data, '/') - out->data);
	}
	buffer_append_byte(out, '\0');
}

struct comparison {
	struct checker *checker;
	struct redactor *redactor;
	size_t count;
};

static void assert_same_findings(struct comparison *c, const struct buffer *text)
{
	struct buffer out = BUFFER_INIT, before = BUFFER_INIT, after = BUFFER_INIT;
	enum redact_withheld withheld;
	struct error err;
	assert_int_equal(redact_payload(c->redactor, buffer_text(text), text->length, &out, &withheld, &err), 0);
	describe(c->checker, buffer_text(text), text->length, &before);
	describe(c->checker, buffer_text(&out), out.length, &after);
	if (strcmp(before.data, after.data) != 0)
		fail_msg("%s\n%s\n%s\n%s", before.data, after.data, buffer_text(text), buffer_text(&out));
	c->count++;
	buffer_release(&out);
	buffer_release(&before);
	buffer_release(&after);
}

static void compare_broken(struct comparison *c, struct catalog_kind kind, const struct buffer *text)
{
	struct break_place places[BREAK_PLACES_MAX];
	struct buffer broken = BUFFER_INIT;
	struct error err;
	for (int id = 0; id < FINDING_ID_COUNT; id++) {
		size_t count = break_places(kind, (enum finding_id)id, places);
		for (size_t i = 0; i < count; i++) {
			buffer_clear(&broken);
			if (id == FINDING_TOO_LONG || break_payload((enum finding_id)id, &places[i], buffer_text(text),
			                                            text->length, &broken, &err) < 0)
				continue;
			assert_same_findings(c, &broken);
		}
	}
	buffer_release(&broken);
}

static void compare_variants(struct comparison *c, struct catalog_kind kind, const struct buffer *text)
{
	struct buffer varied = BUFFER_INIT;
	struct variant variant;
	struct error err;
	for (size_t i = 0; i < variant_count(kind); i++) {
		buffer_clear(&varied);
		variant_at(kind, i, &variant);
		assert_int_equal(variant_apply(&variant, kind, buffer_text(text), text->length, &varied, &err), 0);
		assert_same_findings(c, &varied);
	}
	buffer_release(&varied);
}

/* Every variant of every kind, and every defect at every place. */
static void findings_stay_where_they_were(void **state)
{
	struct comparison c = { *state, redactor_with(NULL), 0 };
	struct buffer text = BUFFER_INIT;
	struct error err;
	for (size_t i = 0; i < 2 * catalog_kind_count(); i++) {
		const struct story story = { i, i + 1, i + 1 };
		struct catalog_kind kind = catalog_kind_at(i / 2);
		buffer_clear(&text);
		assert_int_equal(build_payload(kind, &story, &text, &err), 0);
		assert_same_findings(&c, &text);
		compare_broken(&c, kind, &text);
		compare_variants(&c, kind, &text);
	}
	assert_in_range(c.count, 2000, 100000);
	buffer_release(&text);
	redactor_free(c.redactor);
}

static void every_field_has_a_privacy(void **state)
{
	(void)state;
	assert_in_range(catalog_field_count, 1, REDACT_FIELDS);
	for (size_t i = 0; i < catalog_field_count; i++)
		assert_in_range(catalog_fields[i]->privacy, CATALOG_PLAIN, CATALOG_MEMBERS);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		assert_in_range(catalog_envelope[i]->privacy, CATALOG_PLAIN, CATALOG_MEMBERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_has_a_privacy),
		cmocka_unit_test(plain_fields_stay),
		cmocka_unit_test(values_keep_their_shape),
		cmocka_unit_test(one_customer_stays_one),
		cmocka_unit_test(identifiers_stay_one_to_one),
		cmocka_unit_test(what_is_not_json_is_withheld),
		cmocka_unit_test(a_policy_changes_what_becomes_of_fields),
		cmocka_unit_test(values_and_rules_are_counted),
		cmocka_unit_test(phrases_begin_with_the_name_of_the_class),
		cmocka_unit_test(mistakes_of_a_policy_are_named),
		cmocka_unit_test(fresh_identifiers_change_nothing_else),
		cmocka_unit_test_setup_teardown(findings_stay_where_they_were, support_checker, support_checker_free),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
