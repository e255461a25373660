/* Redacted payloads: what stays, what becomes a fake, and that a checker says the same of them. */
#include "json/pointer.h"
#include "payload/break.h"
#include "payload/form.h"
#include "payload/support.h"
#include "payload/variants.h"
#include "redact/redact.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

static const char key[] = "0123456789abcdef";

static struct redactor *redactor_with(const char *keep)
{
	struct error err;
	struct redactor *r = redactor_new(key, sizeof key - 1, false, &err);
	assert_non_null(r);
	if (keep)
		assert_int_equal(redactor_keep(r, keep, &err), 0);
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
	RELEASED(buffer) out = BUFFER_INIT;
	redacted(r, text, strlen(text), &out);
	assert_like(buffer_text(&out), pattern);
}

#define DETAILS(text) "{\"details\":{" text "}}"

TEST(listed_values_stay)
{
	struct redactor *r = redactor_with(NULL);
	static const char *const texts[] = {
		"{\"service\":\"report\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/report/v2\"}",
		" { \"details\" : {\"offCycle\":\"true\", \"bureau\" :\"\"}\n} ",
		DETAILS("\"ttlInMinutes\":15,\"offCycle\":false"),
		DETAILS("\"ttlInMinutes\":123456"),
		DETAILS("\"alertDetails\":{\"disputeStatus\":\"Completion\"}"),
		DETAILS("\"scoreModifiers\":{\"on-time.24\":\"\"}"),
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_becomes(r, texts[i], texts[i]);
	redactor_free(r);
}

/* Whatever looks like a code or a word, unless the catalogue has it in that field. */
TEST(all_other_values_are_replaced)
{
	struct redactor *r = redactor_with(NULL);
	static const struct {
		const char *text, *pattern;
	} rows[] = {
		{ DETAILS("\"bureau\":\"Anna Bauer, born 3 Mar 85\""),
		  DETAILS("\"bureau\":\"Aaaa Aaaaa, aaaa 0 Aaa 00\"") },
		{ DETAILS("\"bureau\":\"efx\",\"productCode\":\"P 1\""),
		  DETAILS("\"bureau\":\"aaaaaaaa\",\"productCode\":\"A 0AAAAA\"") },
		{ DETAILS("\"alertType\":\"x.y\",\"enrollmentCode\":\"e_1\""),
		  DETAILS("\"alertType\":\"a.aaaaaa\",\"enrollmentCode\":\"a_0aaaaa\"") },
		{ DETAILS("\"bureau\":12,\"offCycle\":1"), DETAILS("\"bureau\":00,\"offCycle\":0") },
		{ DETAILS("\"ttlInMinutes\":\"Jane Doe\""), DETAILS("\"ttlInMinutes\":\"Aaaa Aaa\"") },
		{ DETAILS("\"ttlInMinutes\":19850303"), DETAILS("\"ttlInMinutes\":00000000") },
		{ DETAILS("\"ttlInMinutes\":1234567"), DETAILS("\"ttlInMinutes\":0000000") },
		{ DETAILS("\"ttlInMinutes\":15.25"), DETAILS("\"ttlInMinutes\":00.00") },
		{ DETAILS("\"monitorId\":4711"), DETAILS("\"monitorId\":0000") },
		{ DETAILS("\"offCycle\":17"), DETAILS("\"offCycle\":00") },
		{ "{\"service\":4711}", "{\"service\":0000}" },
		{ DETAILS("\"scoreModifiers\":{\"on-time\":1,\"123-45-6789\":1,\"Anna Bauer\":1}"),
		  DETAILS("\"scoreModifiers\":{\"on-time\":0,\"000-00-0000\":0,\"Aaaa Aaaaa\":0}") },
		{ DETAILS("\"scoreModifiers\":{\"on-time\":{\"anna\":[{\"bauer\":1}]}}"),
		  DETAILS("\"scoreModifiers\":{\"on-time\":{\"aaaaaaaa\":[{\"aaaaaaaa\":0}]}}") },
		{ DETAILS("\"change\":{\"anna\":1}"), DETAILS("\"change\":{\"aaaaaaaa\":0}") },
		/* A field is one where the catalogue has it. */
		{ DETAILS("\"note\":{\"offCycle\":\"true\"}"), DETAILS("\"aaaaaaaa\":{\"offCycle\":\"aaaaaaaa\"}") },
		{ DETAILS("\"firstName\":{\"offCycle\":\"true\"}"),
		  DETAILS("\"firstName\":{\"offCycle\":\"aaaaaaaa\"}") },
		{ DETAILS("\"alertDetails\":{\"disputeStatus\":\"Anna\"}"),
		  DETAILS("\"alertDetails\":{\"disputeStatus\":\"Aaaaaaaa\"}") },
		{ "{\"service\":\"Anna Bauer\",\"event\":\"202\",\"method\":\"annabauer\"}",
		  "{\"service\":\"Aaaa Aaaaa\",\"event\":\"000000000000\",\"method\":\"aaaaaaaaa\"}" },
		{ "{\"path\":\"/api/user/v2/jane.doe\"}", "{\"path\":\"/aaa/aaaa/a0/aaaa.aaa\"}" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		assert_becomes(r, rows[i].text, rows[i].pattern);
		redacted(r, rows[i].text, strlen(rows[i].text), &out);
		assert_string_not_equal(buffer_text(&out), rows[i].text);
	}
	redactor_free(r);
}

/* The name of a modifier is of one word, at most forty characters, and four digits in a row, six in all. */
TEST(a_modifier_keeps_a_short_name_of_one_word)
{
	struct redactor *r = redactor_with(NULL);
	static const struct {
		const char *name;
		bool stays;
	} rows[] = {
		{ "score2024", true },
		{ "score20245", false },
		{ "a12-34-56", true },
		{ "a12-34-567", false },
		{ "abcdefghijklmnopqrstuvwxyz-abcdefghijklm", true },
		{ "abcdefghijklmnopqrstuvwxyz-abcdefghijklmn", false },
		{ "on-time_a.b:c", true },
		{ "on/time", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		char text[128];
		snprintf(text, sizeof text, DETAILS("\"scoreModifiers\":{\"%s\":\"\"}"), rows[i].name);
		redacted(r, text, strlen(text), &out);
		assert_int_equal(strcmp(buffer_text(&out), text) == 0, rows[i].stays);
	}
	redactor_free(r);
}

TEST(values_keep_their_shape)
{
	struct redactor *r = redactor_with(NULL);
	assert_becomes(r, DETAILS("\"firstName\":\"Jane-Ann\",\"lastName\":\"O'Neil\""),
	               DETAILS("\"firstName\":\"Aaaa-Aaa\",\"lastName\":\"A'Aaaa\""));
	assert_becomes(r, DETAILS("\"address\":{\"street\":\"12 Elm St\",\"zip\":\"90210-1\",\"state\":\"ca\"}"),
	               DETAILS("\"address\":{\"street\":\"00 Aaa Aa\",\"zip\":\"00000-0\",\"state\":\"aa\"}"));
	assert_becomes(r, DETAILS("\"change\":\"-12\""), DETAILS("\"change\":\"-00\""));
	assert_becomes(r, DETAILS("\"monitorId\":120, \"alertId\":-1.50"),
	               DETAILS("\"monitorId\":000, \"alertId\":-0.00"));
	assert_becomes(r, DETAILS("\"scoreModifiers\":{\"onTime\":{\"n\":[12,true]}}"),
	               DETAILS("\"scoreModifiers\":{\"onTime\":{\"aaaaaaaa\":[00,false]}}"));
	assert_becomes(r, DETAILS("\"clientKey\":\"ab\",\"userId\":\"12\""),
	               DETAILS("\"clientKey\":\"aaaaaaaa\",\"userId\":\"000000000000\""));
	assert_becomes(r, DETAILS("\"alertDetails\":{\"disputeStatus\":\"Submission\",\"memo\":\"Call 555\"}"),
	               DETAILS("\"alertDetails\":{\"disputeStatus\":\"Submission\",\"aaaaaaaa\":\"Aaaa 000\"}"));
	assert_becomes(r, DETAILS("\"firstName\":\"J\\u00e9\",\"lastName\":\"\xe5\xbc\xa0\""),
	               DETAILS("\"firstName\":\"A~~\",\"lastName\":\"~~~\""));
	redactor_free(r);
}

TEST(one_customer_stays_one)
{
	static const char upper[] = "{\"details\":{\"clientKey\":\"FD1F5B6C-2A3E-4F70-8192-A3B4C5D6E7F8\"}}",
	                  lower[] = "{\"x\":\"fd1f5b6c-2a3e-4f70-8192-a3b4c5d6e7f8\"}";
	struct redactor *r = redactor_with(NULL), *other = redactor_with(NULL);
	RELEASED(buffer) a = BUFFER_INIT, b = BUFFER_INIT;
	redacted(r, upper, strlen(upper), &a);
	redacted(other, lower, strlen(lower), &b);
	const char *first = strstr(buffer_text(&a), "Key\":\"") + 6, *second = strchr(buffer_text(&b), ':') + 2;
	assert_true(form_is_uuid(first, 36) && form_is_uuid(second, 36));
	assert_int_equal(first[14], '4');
	for (size_t i = 0; i < 36; i++) {
		assert_int_equal(first[i] | 0x20, second[i] | 0x20);
		assert_true(first[i] < 'a' && (second[i] < 'A' || second[i] > 'Z'));
	}
	redactor_free(r);
	redactor_free(other);
}

/* Whoever has the key has files that were redacted by earlier versions, too. */
TEST(fakes_are_those_of_earlier_versions)
{
	struct redactor *r = redactor_with(NULL);
	static const char before[] =
	        DETAILS("\"clientKey\":\"45a8a1b8-ccd8-4bcf-83cf-9b0d4c767a56\",\"userId\":\"4711\","
	                "\"appKey\":\"Key-1\",\"firstName\":\"Jane-Ann\",\"lastName\":\"O'Neil\","
	                "\"address\":{\"street\":\"12 Elm St\",\"zip\":\"43215\",\"state\":\"OH\"},"
	                "\"bureau\":\"efx\",\"scoreModifiers\":{\"on-time\":-120500.0},"
	                "\"monitorId\":4711,\"nobody\":[\"knows\",\"Zo\u00eb 7\",true,[1.5]]"),
	                  after[] = DETAILS(
	                          "\"clientKey\":\"03cc35de-a95b-491d-b0a2-3a91277ffde7\",\"userId\":\"205365967636\","
	                          "\"appKey\":\"Eft-2tjz\",\"firstName\":\"Sizo-Poz\",\"lastName\":\"A'Fipa\","
	                          "\"address\":{\"street\":\"01 Muc Oh\",\"zip\":\"98976\",\"state\":\"XR\"},"
	                          "\"bureau\":\"gkmonsmx\",\"scoreModifiers\":{\"on-time\":-460800.0},"
	                          "\"monitorId\":5611,\"tuggwolb\":[\"mzefuvqz\",\"Gy\u010f 7\",false,[1.4]]");
	for (int round = 0; round < 2; round++) {
		RELEASED(buffer) out = BUFFER_INIT;
		redacted(r, before, strlen(before), &out);
		assert_string_equal(buffer_text(&out), after);
	}
	redactor_free(r);
}

/* The shapes that have bounds, at these. */
TEST(fakes_at_the_bounds_of_their_shapes_are_those_of_earlier_versions)
{
	static const struct {
		const char *before, *after;
	} rows[] = {
		/* Letters stay hexadecimal from sixteen on. */
		{ "\"0123456789abcdef\"", "\"4227609395dafcaa\"" },
		{ "\"0123456789abcde\"", "\"0430504949wbykg\"" },
		/* Eight characters are enough, and fewer become eight, or of digits twelve. */
		{ "\"12345678\"", "\"42152660\"" },
		{ "\"1234567\"", "\"888105916545\"" },
		{ "\"abcdefgh\"", "\"itolsbiv\"" },
		{ "\"abcdefg\"", "\"brmuydrs\"" },
		/* One character outside ASCII is enough to be no permutation. */
		{ "\"\xc3\xa9\"", "\"\xc5\x86"
		                  "RGHDKSL\"" },
		{ "\"\xe5\xbc\xa0\"", "\"\xe8\xa6\xba"
		                      "WUWPXFP\"" },
		{ "\"\xf0\x9f\x98\x80 abc\"", "\"\xf0\x9f\x98\x81 wlxppa\"" },
		/* Of an exponent the zeros in front go, and no more than four digits are kept. */
		{ "1e05", "7e5" },
		{ "12.5E-00", "13.6E-0" },
		{ "1e1234", "7e1234" },
		{ "1e12345", "7e9999" },
	};
	struct redactor *r = redactor_with(NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		char text[128];
		snprintf(text, sizeof text, DETAILS("\"userId\":%s"), rows[i].before);
		redacted(r, text, strlen(text), &out);
		snprintf(text, sizeof text, DETAILS("\"userId\":%s"), rows[i].after);
		assert_string_equal(buffer_text(&out), text);
	}
	redactor_free(r);
}

/* The same, however many others were made meanwhile: more than a redactor remembers. */
TEST(a_fake_does_not_depend_on_those_before)
{
	struct redactor *r = redactor_with(NULL);
	RELEASED(buffer) alone = BUFFER_INIT, text = BUFFER_INIT, out = BUFFER_INIT;
	for (uint64_t i = 0; i < 20000; i++) {
		/* One of three comes again. */
		uint64_t n = i % 3 == 0 ? i % 300 : i;
		buffer_clear(&text);
		buffer_printf(&text,
		              DETAILS("\"firstName\":\"Ann%06" PRIx64 "\",\"alertId\":\"Ann%06" PRIx64
		                      "\",\"x\":\"Ann %06" PRIx64 "\",\"zip\":%" PRIu64),
		              n, n, n, n);
		redacted(r, buffer_text(&text), text.length, &out);
		if (i % 97 != 0)
			continue;
		struct redactor *other = redactor_with(NULL);
		redacted(other, buffer_text(&text), text.length, &alone);
		assert_string_equal(buffer_text(&out), buffer_text(&alone));
		redactor_free(other);
	}
	redactor_free(r);
}

/* All values of a short shape: none twice. */
TEST(identifiers_stay_one_to_one)
{
	struct redactor *r = redactor_with(NULL);
	RELEASED(buffer) out = BUFFER_INIT;
	bool seen[10000] = { false };
	char text[64];
	for (int i = 1000; i < 10000; i++) {
		snprintf(text, sizeof text, "{\"details\":{\"alertId\":%d}}", i);
		redacted(r, text, strlen(text), &out);
		int fake = atoi(strrchr(buffer_text(&out), ':') + 1);
		assert_in_range(fake, 1000, 9999);
		assert_false(seen[fake]);
		seen[fake] = true;
	}
	redactor_free(r);
}

/* Under every key: of the numbers of one and of two digits none keeps its value, and none gets that of another. */
TEST(no_number_stays)
{
	for (char k = 0; k < 32; k++) {
		bool seen[100] = { false };
		char other_key[sizeof key], text[64];
		RELEASED(buffer) out = BUFFER_INIT;
		struct error err;
		memcpy(other_key, key, sizeof key);
		other_key[0] = k;
		struct redactor *r = redactor_new(other_key, sizeof key - 1, false, &err);
		assert_non_null(r);
		for (int i = 1; i < 100; i++) {
			snprintf(text, sizeof text, "{\"details\":{\"alertId\":%d}}", i);
			redacted(r, text, strlen(text), &out);
			int fake = atoi(strrchr(buffer_text(&out), ':') + 1);
			assert_in_range(fake, 1, 99);
			assert_true(fake != i && (fake < 10) == (i < 10) && !seen[fake]);
			seen[fake] = true;
		}
		redactor_free(r);
	}
}

/* Under every key: what is not 0 does not become 0, and 0 stays. */
TEST(numbers_keep_their_sign)
{
	static const char text[] = DETAILS("\"monitorId\":0,\"alertId\":7,\"x\":-3,\"change\":\"-0\","
	                                   "\"scoreModifiers\":{\"n\":\"+5\",\"m\":\"007\"}");
	for (char i = 0; i < 64; i++) {
		char other_key[sizeof key];
		int alert_id, x, n, m;
		RELEASED(buffer) out = BUFFER_INIT;
		struct error err;
		memcpy(other_key, key, sizeof key);
		other_key[0] = i;
		struct redactor *r = redactor_new(other_key, sizeof key - 1, false, &err);
		assert_non_null(r);
		redacted(r, text, sizeof text - 1, &out);
		assert_int_equal(sscanf(buffer_text(&out),
		                        DETAILS("\"monitorId\":0,\"alertId\":%1d,\"%*[^\"]\":-%1d,\"change\":\"-0\","
		                                "\"scoreModifiers\":{\"n\":\"+%1d\",\"m\":\"00%1d\"}"),
		                        &alert_id, &x, &n, &m),
		                 4);
		assert_true(alert_id > 0 && x > 0 && n > 0 && m > 0);
		redactor_free(r);
	}
}

TEST(what_is_named_stays)
{
	struct redactor *r = redactor_with("details.firstName,details.alertDetails,/details/list/1,details.nothing");
	LOCAL_BUFFER unused = BUFFER_INIT;
	struct error err;
	assert_becomes(r, DETAILS("\"firstName\":\"Jo\",\"lastName\":\"Jo\""),
	               DETAILS("\"firstName\":\"Jo\",\"lastName\":\"Aa\""));
	assert_becomes(r, DETAILS("\"alertDetails\":{\"memo\":[\"7\",{\"x\":1,\"y\":true}]}"),
	               DETAILS("\"alertDetails\":{\"memo\":[\"7\",{\"x\":1,\"y\":true}]}"));
	assert_becomes(r, DETAILS("\"list\":[ \"abcdefgh\" , \"Jo\", \"Ann\" ]"),
	               DETAILS("\"aaaaaaaa\":[ \"aaaaaaaa\" , \"Jo\", \"Aaaaaaaa\" ]"));
	redactor_append_unused(r, &unused);
	assert_string_equal(buffer_text(&unused), "details.nothing");
	assert_int_equal(redactor_keep(r, "details.bureau,a..b", &err), -1);
	assert_int_equal(err.code, EXIT_CODE_USAGE);
	redactor_free(r);
}

TEST(a_mark_is_known_by_its_digits)
{
	static const struct {
		const char *text;
		bool is_mark;
	} rows[] = {
		{ "{\"key\":\"00c0ffee\"}", true },
		{ "{ \"withheld\": \"not-json\", \"key\": \"00c0ffee\" }", true },
		{ "{}", false },
		{ "true", false },
		{ "{\"key\":\"00c0ffe\"}", false },
		{ "{\"key\":\"00C0FFEE\"}", false },
		{ "{\"key\":12345678}", false },
		{ "{\"withheld\":\"not-json\"}", false },
		{ "{\"key\":\"00c0ffee\",\"withheld\":4711}", false },
		{ "{\"withheld\":4711,\"key\":\"00c0ffee\"}", false },
		{ "{\"key\":\"00c0ffee\",\"x\":\"Anna Bauer\"}", false },
	};
	struct redactor *r = redactor_with(NULL);
	char mark[REDACT_STAMP_SIZE];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(redact_is_stamp(rows[i].text, strlen(rows[i].text)), rows[i].is_mark);
	for (int why = REDACT_NOT_WITHHELD; why <= REDACT_NOT_UTF8; why++) {
		redactor_stamp(r, (enum redact_withheld)why, mark);
		assert_true(redact_is_stamp(mark, strlen(mark)));
	}
	redactor_free(r);
}

TEST(fresh_identifiers_change_nothing_else)
{
	static const char text[] = "{\"a\":\"b@c\",\"details\":{\"appKey\":\"0d1f5b6c-2a3e-4f70-8192-a3b4c5d6e7f8\","
	                           "\"userId\":\"user-17\",\"firstName\":\"Jane\",\"monitorId\":12}}";
	RELEASED(buffer) out = BUFFER_INIT;
	struct error err;
	struct redactor *r = redactor_new(key, sizeof key - 1, true, &err);
	assert_non_null(r);
	redacted(r, text, strlen(text), &out);
	assert_int_equal(strncmp(buffer_text(&out), text, (size_t)(strstr(text, "user-17") - text)), 0);
	assert_like(strstr(buffer_text(&out), "userId") + 9, "aaaa-00a\",\"firstName\":\"Jane\",\"monitorId\":00}}");
	assert_null(strstr(buffer_text(&out), "user-17"));
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
	RELEASED(buffer) out = BUFFER_INIT, before = BUFFER_INIT, after = BUFFER_INIT;
	enum redact_withheld withheld;
	struct error err;
	assert_int_equal(redact_payload(c->redactor, buffer_text(text), text->length, &out, &withheld, &err), 0);
	describe(c->checker, buffer_text(text), text->length, &before);
	describe(c->checker, buffer_text(&out), out.length, &after);
	if (strcmp(before.data, after.data) != 0)
		fail_msg("%s\n%s\n%s\n%s", before.data, after.data, buffer_text(text), buffer_text(&out));
	c->count++;
}

static void compare_broken(struct comparison *c, struct catalog_kind kind, const struct buffer *text)
{
	struct break_place places[BREAK_PLACES_MAX];
	RELEASED(buffer) broken = BUFFER_INIT;
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
}

static void compare_variants(struct comparison *c, struct catalog_kind kind, const struct buffer *text)
{
	RELEASED(buffer) varied = BUFFER_INIT;
	struct variant variant;
	struct error err;
	for (size_t i = 0; i < variant_count(kind); i++) {
		buffer_clear(&varied);
		variant_at(kind, i, &variant);
		assert_int_equal(variant_apply(&variant, buffer_text(text), text->length, &varied, &err), 0);
		assert_same_findings(c, &varied);
	}
}

/* Every variant of every kind, and every defect at every place, each time under another key. */
TEST_WITH(findings_stay_where_they_were, support_checker, support_checker_free)
{
	struct comparison c = { *state, NULL, 0 };
	char other_key[] = "0123456789abcdef";
	struct buffer text = BUFFER_INIT;
	struct error err;
	for (size_t i = 0; i < 8 * catalog_kind_count(); i++) {
		const struct story story = { .seed = i, .customer = i + 1, .serial = i + 1 };
		struct catalog_kind kind = catalog_kind_at(i / 8);
		other_key[0] = (char)i;
		c.redactor = redactor_new(other_key, sizeof other_key - 1, false, &err);
		assert_non_null(c.redactor);
		buffer_clear(&text);
		assert_int_equal(build_payload(kind, &story, &text, &err), 0);
		assert_same_findings(&c, &text);
		compare_broken(&c, kind, &text);
		compare_variants(&c, kind, &text);
		redactor_free(c.redactor);
	}
	assert_in_range(c.count, 8000, 400000);
	buffer_release(&text);
}

TEST(a_place_is_named_as_people_write_it)
{
	static const struct {
		unsigned place;
		const char *name;
	} rows[] = {
		{ REDACT_ENVELOPE, "value of the envelope" },
		{ REDACT_UNLISTED_KEY, "unknown key" },
		{ REDACT_UNLISTED_VALUE, "value of an unknown key" },
		{ REDACT_HEADER_NAME, "header name" },
		{ REDACT_HEADER_VALUE, "header value" },
		{ REDACT_HOST, "host" },
		{ REDACT_PATH, "path" },
		{ REDACT_QUERY, "query" },
		{ REDACT_REMOTE, "remote address" },
		{ REDACT_RESPONSE, "response" },
	};
	RELEASED(buffer) text = BUFFER_INIT;
	assert_int_equal(sizeof rows / sizeof rows[0], REDACT_PLACES - REDACT_FIELDS);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		buffer_clear(&text);
		redact_append_place(rows[i].place, &text);
		assert_string_equal(buffer_text(&text), rows[i].name);
	}
	buffer_clear(&text);
	for (unsigned i = 0; i < catalog_field_count; i++) {
		redact_append_place(i, &text);
		buffer_append_byte(&text, ' ');
	}
	assert_non_null(strstr(buffer_text(&text), "details.firstName "));
	assert_non_null(strstr(buffer_text(&text), "details.address.zip "));
	assert_non_null(strstr(buffer_text(&text), "details.alertDetails.disputeStatus "));
}

TEST(every_field_has_a_privacy)
{
	assert_in_range(catalog_field_count, 1, REDACT_FIELDS);
	for (size_t i = 0; i < catalog_field_count; i++)
		assert_in_range(catalog_fields[i]->privacy, CATALOG_PLAIN, CATALOG_MEMBERS);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		assert_in_range(catalog_envelope[i]->privacy, CATALOG_PLAIN, CATALOG_MEMBERS);
}
