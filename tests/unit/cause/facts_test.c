/* What can be said of a request. */
#include "base/buffer.h"
#include "catalog/catalog.h"
#include "cause/facts.h"
#include "test.h"

#include <string.h>

struct wanted {
	enum fact_kind kind;
	const char *subject, *value;
	bool found;
};

static void on_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	struct wanted *wanted = context;
	wanted->found |=
	        kind == wanted->kind && strcmp(subject, wanted->subject) == 0 && strcmp(value, wanted->value) == 0;
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	(void)context, (void)kind, (void)subject, (void)number;
}

static bool has(const char *body, enum fact_kind kind, const char *subject, const char *value)
{
	struct wanted wanted = { kind, subject, value, false };
	struct fact_request request = { .body = body, .length = strlen(body) };
	struct fact_keys keys;
	assert_true(facts_of(&request, &(struct fact_sink){ on_fact, on_measure, &wanted }, &keys));
	return wanted.found;
}

#define DETAILS(text)                                                                                                  \
	"{\"service\":\"report\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/report/v2\",\"details\":{" text \
	"}}"

TEST(test_facts)
{
	static const struct {
		const char *body;
		enum fact_kind kind;
		const char *subject, *value;
		bool has;
	} rows[] = {
		{ DETAILS(""), FACT_ABSENT, "/details/appKey", "", true },
		{ DETAILS("\"appKey\":7"), FACT_ABSENT, "/details/appKey", "", false },
		{ DETAILS("\"appKey\":\"x\""), FACT_NOT_UUID, "/details/appKey", "", true },
		{ DETAILS("\"appKey\":\"x\""), FACT_VALUE, "/details/appKey", "x", false }, /* an identifier */
		{ DETAILS("\"appKey\":\"00000000-0000-4000-8000-00000000000A\""), FACT_UPPER, "/details/appKey", "",
		  true },
		{ DETAILS("\"appKey\":\"00000000-0000-4000-8000-00000000000a\""), FACT_UPPER, "", "", false },
		{ DETAILS("\"offCycle\":\"true\""), FACT_VALUE, "/details/offCycle", "true", true },
		{ DETAILS("\"offCycle\":\"true\\u0000x\""), FACT_VALUE, "/details/offCycle", "true", false },
		{ DETAILS("\"offCycle\":\"\\u0000'\""), FACT_CHARACTERS, "/details/offCycle", "a NUL (\\u0000)", true },
		{ DETAILS("\"offCycle\":\"\\u0000'\""), FACT_CHARACTERS, "/details/offCycle", "an apostrophe", true },
		{ DETAILS("\"offCycle\":\"\\u0000\""), FACT_EMPTY, "/details/offCycle", "", false },
		{ DETAILS("\"change\":\"-7\""), FACT_MINUS, "/details/change", "", true },
		{ DETAILS("\"change\":\"+7\""), FACT_PLUS, "/details/change", "", true },
		{ DETAILS("\"change\":\"7\""), FACT_PLUS, "/details/change", "", false },
		{ DETAILS("\"address\":{\"zip\":\"02134\"}"), FACT_ZERO_FIRST, "/details/address/zip", "", true },
		{ DETAILS("\"address\":{\"zip\":\"20134\"}"), FACT_ZERO_FIRST, "/details/address/zip", "", false },
		{ DETAILS("\"address\":{\"zip\":\"07030-1234\"}"), FACT_ZERO_FIRST, "/details/address/zip", "", true },
		{ DETAILS("\"address\":{\"zip\":\"0a\"}"), FACT_ZERO_FIRST, "/details/address/zip", "", false },
		{ DETAILS("\"address\":{\"zip\":null}"), FACT_TYPE, "/details/address/zip", "null", true },
		{ DETAILS("\"offCycle\":true"), FACT_TYPE, "/details/offCycle", "a boolean", true },
		{ DETAILS("\"offCycle\":\"true\""), FACT_TYPE, "/details/offCycle", "a string", false },
		{ DETAILS("\"alertId\":\"7\""), FACT_TYPE, "/details/alertId", "a string", true },
		{ DETAILS("\"alertId\":\"7\""), FACT_NOT_UUID, "/details/alertId", "", false },
		{ DETAILS("\"alertId\":7"), FACT_TYPE, "/details/alertId", "a number", false },
		{ DETAILS("\"firstName\":\"Anna Maria\""), FACT_CHARACTERS, "/details/firstName", "a space", true },
		{ DETAILS("\"change\":\"0\""), FACT_ZERO, "/details/change", "", true },
		{ DETAILS("\"firstName\":\"\\u00e9\""), FACT_CHARACTERS, "", "characters that are not ASCII", true },
		{ DETAILS("\"firstName\":\"O'Sample\""), FACT_CHARACTERS, "/details/firstName", "an apostrophe", true },
		{ DETAILS("\"scoreModifiers\":{}"), FACT_EMPTY, "/details/scoreModifiers", "", true },
		{ DETAILS("\"scoreModifiers\":{\"a\":\"b\"}"), FACT_HOLDS_OTHER, "/details/scoreModifiers", "", true },
		{ DETAILS("\"scoreModifiers\":{\"a\":7}"), FACT_HOLDS_OTHER, "/details/scoreModifiers", "", false },
		{ DETAILS("\"scoreModifiers\":{\"a\":7}"), FACT_UNKNOWN_KEY, "", "", false }, /* its keys are open */
		{ DETAILS("\"scoreModifiers\":{\"a\":7,\"b\":\"c\"}"), FACT_HOLDS, "/details/scoreModifiers",
		  "a number", true },
		{ DETAILS("\"scoreModifiers\":{\"a\":7,\"b\":\"c\"}"), FACT_HOLDS, "/details/scoreModifiers",
		  "a string", true },
		{ DETAILS("\"scoreModifiers\":{\"a\":7}"), FACT_FILLED, "/details/scoreModifiers", "", true },
		{ DETAILS("\"sample\":7"), FACT_UNKNOWN_KEY, "", "", true },
		{ DETAILS("\"sample\":7"), FACT_UNKNOWN_KEY, "/details", "", true },
		{ "{\"sample\":7}", FACT_UNKNOWN_KEY, "/", "", true },
		{ DETAILS("\"userId\":\"a\",\"clientKey\":\"b\""), FACT_DIFFER, "/details/userId", "", true },
		{ DETAILS("\"userId\":\"a\",\"clientKey\":\"a\""), FACT_DIFFER, "/details/userId", "", false },
		{ DETAILS("\"userId\":\"a\""), FACT_DIFFER, "/details/userId", "", false },
		{ DETAILS("\"clientKey\":\"a\""), FACT_DIFFER, "/details/userId", "", false },
		/* In details it is said of any object, too; in an object of them further ones are the rule. */
		{ DETAILS("\"alertDetails\":{\"sample\":7}"), FACT_UNKNOWN_KEY, "/details/alertDetails", "", true },
		{ DETAILS("\"alertDetails\":{\"sample\":7}"), FACT_UNKNOWN_KEY, "", "", false },
		{ DETAILS("\"address\":{\"zip\":{\"zip\":7}}"), FACT_UNKNOWN_KEY, "/details/address", "", false },
		{ DETAILS("\"address\":{\"zip\":{\"zip\":7}}"), FACT_UNKNOWN_KEY, "/details/address/zip", "", false },
		{ DETAILS(""), FACT_KIND, "", "credit-report-ordered", true },
		{ DETAILS(""), FACT_SPELLING, "", "its keys in another order", false },
		{ "{\"event\":\"push\"}", FACT_ABSENT, "/service", "", true },
		{ DETAILS(""), FACT_SPELLING, "", "white space between its tokens", false },
		{ "{ \"service\":\"report\"}", FACT_SPELLING, "", "white space between its tokens", true },
		{ "{\"event\":\"push\"}", FACT_NOT_DIGITS, "/event", "", true },
		{ "{\"service\":\"\\u0075ser\"}", FACT_SERVICE, "/service", "user", true },
		{ "{\"service\":\"\\u0075ser\"}", FACT_SPELLING, "", "escaped characters (\\u0061)", true },
		{ "{\"service\":\"us\\/er\"}", FACT_SPELLING, "", "escaped characters (\\u0061)", false },
		{ "{\"event\":\"push\"}", FACT_SPELLING, "", "its keys in another order", true },
		{ "{\"path\":\"/a-b\"}", FACT_HYPHEN, "/path", "", true },
		{ "{\"path\":\"/a/b\"}", FACT_HYPHEN, "/path", "", false },
		{ "{\"path\":\"/a/b/\"}", FACT_PART, "/path", "/b/", true },
		{ "{\"path\":\"/a/b/\"}", FACT_SEGMENT, "/path", "b/", false },
		{ "{\"path\":\"/a/b/\"}", FACT_SEGMENT, "/path", "", false },
		{ "{\"path\":\"/a/b\"}", FACT_SEGMENT, "/path", "b", true },
		{ "{\"path\":\"a-b\"}", FACT_HYPHEN, "/path", "", false }, /* no path */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(has(rows[i].body, rows[i].kind, rows[i].subject, rows[i].value), rows[i].has);
}

static void list_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	assert_false(fact_rows[kind].is_measure);
	buffer_printf(context, "%s%s%s%s%s\n", fact_rows[kind].name, *subject ? " " : "", subject, *value ? " = " : "",
	              value);
}

static void list_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	assert_true(fact_rows[kind].is_measure);
	buffer_printf(context, "%s %s: %g\n", fact_rows[kind].name, subject, number);
}

/* All that is said of a payload, in the order in which it is said. */
TEST(test_nothing_else_is_said)
{
	static const struct {
		const char *body, *facts;
	} rows[] = {
		{ "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":-12,"
		  "\"appKey\":\"00000000-0000-4000-8000-00000000000a\",\"bureau\":\"abc\"}}",
		  "larger /body: 140\nlarger /head: 0\npresent /service\npresent /event\n"
		  "not-digits /event\npresent /method\npresent /details\npresent /details/alertId\n"
		  "over /details/alertId: 12\npresent /details/appKey\npresent /details/bureau\n"
		  "value /details/bureau = abc\nunder /details/bureau: 3\nlonger /details/bureau: 3\n"
		  "absent /path\nabsent /details/clientKey\nabsent /details/userId\n"
		  "absent /details/authToken\nabsent /details/userToken\n"
		  "absent /details/displayToken\nabsent /details/reportKey\n"
		  "absent /details/productCode\nabsent /details/offCycle\n"
		  "absent /details/ttlInMinutes\nabsent /details/firstName\n"
		  "absent /details/lastName\nabsent /details/address\n"
		  "absent /details/enrollmentCode\nabsent /details/monitorId\n"
		  "absent /details/scoreModifiers\nabsent /details/change\n"
		  "absent /details/alertType\nabsent /details/alertDetails\n"
		  "service /service = alerts\nevent /event = push\nmethod /method = push\n"
		  "kind = bureau-alert\n" },
		{ DETAILS("\"change\":\"7\",\"address\":{\"zip\":\"20134\"},\"scoreModifiers\":{\"a\":7}"),
		  "larger /body: 150\nlarger /head: 0\npresent /service\npresent /event\n"
		  "present /method\npresent /path\npresent /details\npresent /details/change\n"
		  "no-minus /details/change\nover /details/change: 7\npresent /details/address\n"
		  "present /details/address/zip\nvalue /details/address/zip = 20134\n"
		  "under /details/address/zip: 5\nlonger /details/address/zip: 5\n"
		  "present /details/scoreModifiers\n"
		  "holds /details/scoreModifiers = a number\nfilled /details/scoreModifiers\n"
		  "more /details/scoreModifiers: 1\nabsent /details/appKey\n"
		  "absent /details/clientKey\nabsent /details/userId\nabsent /details/authToken\n"
		  "absent /details/userToken\nabsent /details/displayToken\n"
		  "absent /details/reportKey\nabsent /details/productCode\nabsent /details/offCycle\n"
		  "absent /details/bureau\nabsent /details/ttlInMinutes\nabsent /details/firstName\nabsent "
		  "/details/lastName\n"
		  "absent /details/enrollmentCode\nabsent /details/monitorId\n"
		  "absent /details/alertId\n"
		  "absent /details/alertType\nabsent /details/alertDetails\n"
		  "service /service = report\nevent /event = 200\nmethod /method = post\n"
		  "part /path = /api/\npart /path = /report/\nsegment /path = v2\ndeeper /path: 3\n"
		  "kind = credit-report-ordered\n" },
		{ "{\"a\":", "larger /body: 5\nlarger /head: 0\ntype /body = no JSON\n" },
		{ "[1]", "larger /body: 3\nlarger /head: 0\ntype /body = an array\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) facts = BUFFER_INIT;
		struct fact_request request = { .body = rows[i].body, .length = strlen(rows[i].body) };
		struct fact_keys keys;
		assert_true(facts_of(&request, &(struct fact_sink){ list_fact, list_measure, &facts }, &keys));
		assert_string_equal(buffer_text(&facts), rows[i].facts);
	}
}

#define MOST "abcdefghijklmnopqrstuvwx"
#define MORE MOST "y"

TEST(test_a_text_that_is_a_fact_has_24_characters_at_most)
{
	static const struct {
		enum fact_kind kind;
		const char *subject;
		struct {
			const char *body, *value;
		} most, more;
	} rows[] = {
		{ FACT_SEGMENT,
		  "/path",
		  { "{\"path\":\"/api/" MOST "\"}", MOST },
		  { "{\"path\":\"/api/" MORE "\"}", MORE } },
		{ FACT_PART,
		  "/path",
		  { "{\"path\":\"/" MOST "/x\"}", "/" MOST "/" },
		  { "{\"path\":\"/" MORE "/x\"}", "/" MORE "/" } },
		{ FACT_SERVICE,
		  "/service",
		  { "{\"service\":\"" MOST "\"}", MOST },
		  { "{\"service\":\"" MORE "\"}", MORE } },
		{ FACT_VALUE,
		  "/details/offCycle",
		  { DETAILS("\"offCycle\":\"" MOST "\""), MOST },
		  { DETAILS("\"offCycle\":\"" MORE "\""), MORE } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_true(has(rows[i].most.body, rows[i].kind, rows[i].subject, rows[i].most.value));
		assert_false(has(rows[i].more.body, rows[i].kind, rows[i].subject, rows[i].more.value));
	}
}

/* Of what was recorded: where it came to, and how. What a query has as values may be secret. */
TEST(test_facts_of_an_arrival)
{
	static const struct {
		const char *target;
		enum fact_kind kind;
		const char *subject, *value;
		bool has;
	} rows[] = {
		{ "/hook?token=s3cret&b", FACT_TARGET, "", "/hook", true },
		{ "/hook?token=s3cret&b", FACT_QUERY, "token", "", true },
		{ "/hook?token=s3cret&b", FACT_QUERY, "b", "", true },
		{ "/hook?token=s3cret&b", FACT_QUERY, "token=s3cret", "", false },
		{ "/hook?token=s3cret&b", FACT_QUERY, "token=s3cret&b", "", false },
		{ "/hook?token=&b", FACT_QUERY, "token", "", true },
		{ "/hook?&=c", FACT_QUERY, "", "", false },
		{ "/hook?&b", FACT_QUERY, "b", "", true },
		{ "/hook?b&", FACT_QUERY, "b&", "", false },
		{ "/hook", FACT_TARGET, "", "/hook", true },
		{ "/hook", FACT_QUERY, "hook", "", false },
		{ "", FACT_TARGET, "", "", false },
		{ "/", FACT_HEADER, "X-Of", "a value", true },
		{ "/", FACT_HEADER, "Content-Type", "application/json", true },
		{ "/", FACT_HEADER, "X-Connection", "one", true },
		{ "/", FACT_NO_HEADER, "User-Agent", "", true },
		{ "/", FACT_NO_HEADER, "Content-Type", "", false },
		{ "/", FACT_SENDER, "", "10.0.0.1", true },
		{ "/", FACT_WAY, "", "chunks", true },
		{ "/", FACT_CHARACTERS, "/details/productCode", "a hyphen", true },
		{ "/", FACT_SPELLING, "", "characters that are not ASCII, and not escaped", true },
		{ "/", FACT_ABSENT, "/details/address/zip", "", true },
		{ "/", FACT_ABSENT, "/details/scoreModifiers", "", true },
	};
	static const char body[] = DETAILS("\"productCode\":\"a-b\",\"firstName\":\"Zo\xc3\xab\",\"address\":{}");
	const struct header headers[] = { { .name = TEXT("Content-Type"), .value = TEXT("application/json") },
		                          { .name = TEXT("X-Of"), .value = TEXT("a value") } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct fact_request request = {
			.body = body,
			.length = strlen(body),
			.headers = headers,
			.header_count = sizeof headers / sizeof headers[0],
			.header = "X-Connection:  one",
			.way = "chunks",
			.sender = "10.0.0.1",
			.is_recorded = true,
			.target = text_of(rows[i].target),
		};
		struct wanted wanted = { rows[i].kind, rows[i].subject, rows[i].value, false };
		struct fact_keys keys;
		assert_true(facts_of(&request, &(struct fact_sink){ on_fact, on_measure, &wanted }, &keys));
		if (wanted.found != rows[i].has)
			fail_msg("row %zu: %s", i, rows[i].subject);
	}
	assert_false(has(body, FACT_CHARACTERS, "/details/productCode", "a hyphen"));
	assert_false(has(body, FACT_SPELLING, "", "characters that are not ASCII, and not escaped"));
	assert_false(has(body, FACT_NO_HEADER, "User-Agent", ""));
	assert_false(has(body, FACT_ABSENT, "/details/address/zip", ""));
}

TEST(test_rows_are_whole)
{
	for (size_t i = 0; i < FACT_KINDS; i++) {
		assert_non_null(fact_rows[i].name);
		assert_non_null(fact_rows[i].phrase);
		assert_non_null(fact_rows[i].fix);
	}
}

/* The keys are the envelope's members, what the catalogue calls identifiers, and what an event begins. */
TEST(test_keys_are_the_catalogue_s)
{
	size_t count = FACT_ENVELOPE;
	for (size_t i = 0; i < FACT_ENVELOPE; i++)
		assert_string_equal(fact_key_name(i), catalog_envelope[i]->name);
	for (size_t i = 0; i < catalog_field_count; i++) {
		bool found = false;
		if (catalog_fields[i]->privacy != CATALOG_IDENTIFIER && !catalog_beginning_of(catalog_fields[i]->name))
			continue;
		for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
			found |= strcmp(fact_key_name(key), catalog_fields[i]->name) == 0;
		assert_true(found);
		count++;
	}
	assert_int_equal(count, fact_key_count());
}

TEST(test_what_several_customers_may_have)
{
	for (size_t key = 0; key < fact_key_count(); key++) {
		const char *name = fact_key_name(key);
		bool is_shared = strcmp(name, "appKey") == 0 || strcmp(name, "enrollmentCode") == 0;
		assert_int_equal(fact_key_is_shared(key), is_shared);
	}
}

static uint64_t key_of(const char *body, size_t key)
{
	struct wanted wanted = { FACT_KIND, "", "", false };
	struct fact_request request = { .body = body, .length = strlen(body) };
	struct fact_keys keys;
	assert_true(facts_of(&request, &(struct fact_sink){ on_fact, on_measure, &wanted }, &keys));
	return keys.values[key];
}

/* A listener that compares them takes them for two. */
TEST(test_a_number_is_not_the_text_of_its_digits)
{
	assert_string_equal(fact_key_name(1), "event");
	assert_true(key_of("{\"event\":\"201\"}", 1) == key_of("{ \"event\": \"\\u003201\"}", 1));
	assert_true(key_of("{\"event\":\"201\"}", 1) != key_of("{\"event\":201}", 1));
	assert_true(key_of("{\"event\":201}", 1) == key_of("{ \"event\": 201 }", 1));
	assert_true(key_of("{\"event\":201}", 1) != key_of("{\"event\":204}", 1));
}
