/* Which causes are said of requests: tables of what came, and what the listener said of it. */
#include "cause/cause.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define DETAILS(text)                                                                                                  \
	"{\"service\":\"sample\",\"event\":\"200\",\"method\":\"get\",\"path\":\"/api/v2\",\"details\":{" text "}}"

/* A request, and the response. */
struct given {
	const char *body;
	int status; /* 200: accepted */
	const char *words;
	bool is_aside; /* need not be explained */
	bool at_once, is_fixed;
	const char *log; /* what the listener printed; NULL: nothing */
};
#define GIVEN_MOST 19
#define TAKEN(of)                                                                                                      \
	{                                                                                                              \
		.body = of, .status = 200                                                                              \
	}
#define REFUSED(of, code, said)                                                                                        \
	{                                                                                                              \
		.body = of, .status = code, .words = said                                                              \
	}
#define ASIDE(of, code, said)                                                                                          \
	{                                                                                                              \
		.body = of, .status = code, .words = said, .is_aside = true                                            \
	}

static void add_all(struct cause_finder *finder, const struct given *given)
{
	struct error err;
	for (size_t i = 0; i < GIVEN_MOST && given[i].body; i++) {
		bool is_accepted = given[i].status == 200;
		const struct cause_request request = {
			.what = { .body = given[i].body, .length = strlen(given[i].body) },
			.side = given[i].is_aside ? CAUSE_ASIDE
			        : is_accepted     ? CAUSE_ACCEPTED
			                          : CAUSE_FAILED,
			.status = given[i].status,
			.words = is_accepted ? "" : given[i].words,
			.check = i,
			.log = given[i].log ? text_of(given[i].log) : (struct text){ .text = NULL },
			.at_once = given[i].at_once,
			.is_fixed = given[i].is_fixed,
			.sent_ns = (int64_t)(2 * i),
			.finished_ns = (int64_t)(2 * i + 1),
		};
		assert_int_equal(cause_add(finder, &request, &err), 0);
	}
}

/* The causes in words, a line each: "found 2,3: each has ...". */
static const char *said_of(struct cause_finder *finder, const struct cause_sender *sender)
{
	static char text[4096];
	const struct cause *causes;
	struct error err;
	size_t count;
	text[0] = '\0';
	assert_int_equal(cause_find(finder, sender, &causes, &count, &err), 0);
	for (size_t n = 0; n < count; n++) {
		const struct cause *c = &causes[n];
		RELEASED(buffer) out = BUFFER_INIT;
		buffer_append_text(&out, cause_type_names[c->type]);
		for (size_t i = 0; i < c->check_count; i++)
			buffer_printf(&out, "%s%zu", i == 0 ? " " : ",", c->checks[i]);
		buffer_append_text(&out, ": ");
		cause_append_words(c, c->check_count > 1, &out);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", buffer_text(&out));
	}
	return text;
}

/* The same of these requests alone. */
static const char *causes_of(const struct given *given)
{
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	assert_non_null(finder);
	add_all(finder, given);
	const char *said = said_of(finder, NULL);
	cause_finder_free(finder);
	return said;
}

#define UNKNOWN_WORDS "no difference to accepted ones was found\n"

/* The service comes first, then the path, and what is done there. */
static size_t place_of(const struct cause_fact *fact)
{
	static const enum fact_kind order[] = { FACT_SERVICE, FACT_PART, FACT_METHOD, FACT_EVENT };
	size_t at = 0;
	while (at < 4 && order[at] != fact->kind)
		at++;
	return at;
}

/* Of each place that is told apart an accepted request has another one, and all else. */
TEST(up_to_four_places_are_a_cause_together)
{
	static const char *const values[][2] = { { "sample", "others" }, { "301", "302" }, { "trace", "track" },
		                                 { "abc", "xyz" },       { "bcd", "wxy" }, { "cde", "vwx" },
		                                 { "def", "uvw" } };
	for (size_t places = 1; places <= 7; places++) {
		struct error err;
		struct cause_finder *finder = cause_finder_new(&err);
		const struct cause *causes;
		size_t count;
		char bodies[9][256];
		struct given given[GIVEN_MOST] = { { .body = NULL } };
		for (size_t i = 0; i <= places; i++) {
			const char *of[7];
			for (size_t place = 0; place < 7; place++)
				of[place] = values[place][i < places && place == i];
			snprintf(bodies[i], sizeof bodies[i],
			         "{\"service\":\"%s\",\"event\":\"%s\",\"method\":\"%s\",\"path\":\"/%s/%s/%s/%s\","
			         "\"details\":{}}",
			         of[0], of[1], of[2], of[3], of[4], of[5], of[6]);
		}
		/* Each comes twice, so that it says nothing what came before. */
		for (size_t time = 0; time < 2; time++)
			for (size_t i = 0; i < places; i++)
				given[time * places + i] = (struct given)TAKEN(bodies[i]);
		given[2 * places] = given[2 * places + 1] = (struct given)REFUSED(bodies[places], 404, "no");
		add_all(finder, given);
		assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
		assert_int_equal(count, 1);
		assert_int_equal(causes[0].type, places <= CAUSE_NAMED_MOST ? CAUSE_FOUND : CAUSE_UNKNOWN);
		assert_int_equal(causes[0].fact_count, places <= CAUSE_NAMED_MOST ? places : 0);
		for (size_t i = 1; i < causes[0].fact_count; i++)
			assert_true(place_of(&causes[0].facts[i - 1]) < place_of(&causes[0].facts[i]));
		cause_finder_free(finder);
	}
}

static const char right[] = DETAILS("\"offCycle\":\"true\",\"productCode\":\"abcd\"");
static const char no_cycle[] = DETAILS("\"offCycle\":null,\"productCode\":\"abcd\"");
static const char no_product[] = DETAILS("\"offCycle\":\"true\",\"productCode\":null");
static const char no_both[] = DETAILS("\"offCycle\":null,\"productCode\":null");

#define ROUTED(end)                                                                                                    \
	"{\"service\":\"sample\",\"event\":\"200\",\"method\":\"get\",\"path\":\"/api/" end                            \
	"\",\"details\":{\"offCycle\":null}}"
#define ROUTED_WORDS(end)                                                                                              \
	"together 2: it has no productCode, has null as offCycle, or has a path that ends in \"" end                   \
	"\"; one of these is why: they always came together\n"

TEST(what_the_response_says_of_a_path_is_the_cause)
{
	static const struct {
		const char *body, *words, *said;
	} rows[] = {
		{ ROUTED("elsewhere"), "no such route: elsewhere",
		  "found 2: it has a path that ends in \"elsewhere\"\n" },
		{ ROUTED("elsewhere"), "no such route", ROUTED_WORDS("elsewhere") },
		{ ROUTED("elsewhere"), "no route 'null'", ROUTED_WORDS("elsewhere") },
		/* Three characters at least. */
		{ ROUTED("abc"), "no route 'abc'", "found 2: it has a path that ends in \"abc\"\n" },
		{ ROUTED("ab"), "no route 'ab'", ROUTED_WORDS("ab") },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct given given[GIVEN_MOST] = { TAKEN(right), TAKEN(right),
			                                 REFUSED(rows[i].body, 404, rows[i].words) };
		assert_string_equal(causes_of(given), rows[i].said);
	}
}

#define SENT_AGAIN(cycle)                                                                                              \
	DETAILS("\"appKey\":\"aaaaaaaa-0000-4000-8000-000000000002\","                                                 \
	        "\"clientKey\":\"aaaaaaaa-0000-4000-8000-000000000001\",\"alertId\":1234567,\"offCycle\":" cycle)

static const char sent_before[] = SENT_AGAIN("\"true\"");
static const char sent_again[] = SENT_AGAIN("null");
#define CAME_AFTER(key) "came after an accepted notification with the same " key

TEST(what_the_response_says_of_what_came_before_is_the_cause)
{
	static const char *const rows[][2] = {
		{ "known client_key", "found 3: it " CAME_AFTER("clientKey") "\n" },
		{ "known: 'aaaaaaaa-0000-4000-8000-000000000001'", "found 3: it " CAME_AFTER("clientKey") "\n" },
		{ "known appKey", "found 3: it " CAME_AFTER("appKey") "\n" },
		{ "known alertId", "found 3: it " CAME_AFTER("alertId") "\n" },
		{ "known",
		  "together 3: it " CAME_AFTER("appKey") ", " CAME_AFTER("clientKey") ", " CAME_AFTER(
		          "alertId") ", or has null as offCycle; one of these is why: they always came together\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct given given[GIVEN_MOST] = { TAKEN(right), TAKEN(right), TAKEN(sent_before),
			                                 REFUSED(sent_again, 409, rows[i][0]) };
		assert_string_equal(causes_of(given), rows[i][1]);
	}
}

TEST(an_invalid_request_with_the_same_response_says_which_member_is_meant)
{
	static const struct {
		struct given given[GIVEN_MOST];
		const char *said;
	} rows[] = {
		{ { TAKEN(right), TAKEN(right), REFUSED(no_both, 500, "no") },
		  "together 2: it has null as offCycle, or has null as productCode; one of these is why: they always "
		  "came together\n" },
		{ { ASIDE(no_product, 500, "no"), TAKEN(right), TAKEN(right), REFUSED(no_both, 500, "no") },
		  "found 0,3: each has null as productCode\n" },
		{ { TAKEN(right), TAKEN(right), REFUSED(no_both, 500, "no"), ASIDE(no_product, 500, "no") },
		  "found 2,3: each has null as productCode\n" },
		{ { TAKEN(right), TAKEN(right), REFUSED(no_both, 500, "no"), ASIDE(no_product, 500, "no"),
		    ASIDE(no_cycle, 500, "no"), ASIDE(no_cycle, 500, "no") },
		  "found 2,4,5: each has null as offCycle\n" },
		{ { TAKEN(right), TAKEN(right), REFUSED(no_both, 500, "no"), ASIDE(no_product, 500, "never") },
		  "together 2: it has null as offCycle, or has null as productCode; one of these is why: they always "
		  "came together\n" },
		/* It has another cause than theirs. */
		{ { TAKEN(right), TAKEN(right), REFUSED(no_product, 500, "no"), ASIDE(no_cycle, 500, "no") },
		  "found 2: it has null as productCode\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(causes_of(rows[i].given), rows[i].said);
}

#define NAMED(product, first, last) DETAILS("\"productCode\":" product ",\"firstName\":" first ",\"lastName\":" last)

static const char named[] = NAMED("\"1234\"", "\"1234\"", "\"Sample\"");
static const char product_of_0[] = NAMED("\"0234\"", "\"1234\"", "\"Sample\"");
static const char product_of_0_and_null[] = NAMED("\"0234\"", "\"1234\"", "null");
static const char name_of_0_and_null[] = NAMED("\"1234\"", "\"0234\"", "null");
static const char product_empty_and_null[] = NAMED("\"\"", "\"1234\"", "null");
static const char product_null[] = NAMED("null", "\"1234\"", "\"Sample\"");
static const char product_number[] = NAMED("7", "\"1234\"", "null");

/* Words of one listener may only name another value; what is told apart elsewhere is said of both. */
TEST(what_is_told_apart_of_other_words_is_said_of_both)
{
	static const struct {
		struct given given[GIVEN_MOST];
		const char *said;
	} rows[] = {
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"),
		    REFUSED(product_of_0_and_null, 422, "never") },
		  "found 2,3: each has a productCode that begins with 0\n" },
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0_and_null, 422, "never"),
		    REFUSED(product_of_0, 422, "no") },
		  "found 3,2: each has a productCode that begins with 0\n" },
		/* With another status, of another member, of another kind or with another value it is another cause. */
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"),
		    REFUSED(product_of_0_and_null, 500, "never") },
		  "found 2: it has a productCode that begins with 0\n"
		  "together 3: it has null as lastName, or has a productCode that begins with 0; one of these is why: "
		  "they always came together\n" },
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"),
		    REFUSED(name_of_0_and_null, 422, "never") },
		  "found 2: it has a productCode that begins with 0\n"
		  "together 3: it has null as lastName, or has a firstName that begins with 0; one of these is why: "
		  "they always came together\n" },
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"),
		    REFUSED(product_empty_and_null, 422, "never") },
		  "found 2: it has a productCode that begins with 0\n"
		  "together 3: it has null as lastName, or has nothing in productCode; one of these is why: they "
		  "always "
		  "came together\n" },
		{ { TAKEN(named), TAKEN(named), REFUSED(product_null, 422, "no"),
		    REFUSED(product_number, 422, "never") },
		  "found 2: it has null as productCode\n"
		  "together 3: it has a number as productCode, or has null as lastName; one of these is why: they "
		  "always came together\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(causes_of(rows[i].given), rows[i].said);
}

#define MEMBERS(client, report, first, last, product, bureau)                                                          \
	DETAILS("\"clientKey\":\"" client "\",\"reportKey\":\"" report "\",\"firstName\":\"" first                     \
	        "\",\"lastName\":\"" last "\",\"productCode\":\"" product "\",\"bureau\":\"" bureau "\"")
#define ID(digits) "aaaaaaaa-0000-4000-8000-0000000000" digits
/* With identifiers of its own; all but these are as in the accepted one, which has a longer body. */
#define OF(nth, first, last, product, bureau) MEMBERS(ID("1" nth), ID("2" nth), first, last, product, bureau)

static const char whole[] = DETAILS("\"clientKey\":\"" ID("11") "\",\"reportKey\":\"" ID(
        "21") "\",\"firstName\":\"Anna\",\"lastName\":"
              "\"Ella\",\"productCode\":\"sample\",\"bureau\":\"sample\",\"city\":\"abcdefghijklmnopqrstuvwxyz\"");
static const char client_no_uuid[] =
        MEMBERS("a-client-of-thirty-six-characters-...", ID("22"), "Anna", "Ella", "sample", "sample");
static const char report_no_uuid[] =
        MEMBERS(ID("13"), "a-report-of-thirty-six-characters-...", "Anna", "Ella", "sample", "sample");
static const char first_longer[] = OF("4", "Annabel", "Ella", "sample", "sample");
static const char last_longer[] = OF("5", "Anna", "Ellabel", "sample", "sample");
static const char first_apostrophe[] = OF("6", "An'a", "Ella", "sample", "sample");
static const char last_apostrophe[] = OF("7", "Anna", "El'a", "sample", "sample");
static const char product_apostrophe[] = OF("d", "Anna", "Ella", "sam'le", "sample");
static const char last_space[] = OF("8", "Anna", "El a", "sample", "sample");
static const char product_shorter[] = OF("9", "Anna", "Ella", "abc", "sample");
static const char product_short[] = OF("a", "Anna", "Ella", "abcd", "sample");
static const char bureau_shorter[] = OF("b", "Anna", "Ella", "sample", "abc");
static const char bureau_short[] = OF("c", "Anna", "Ella", "sample", "abcd");

/* The listener says each time what it is of. */
TEST(what_is_said_of_several_members_has_one_reason)
{
	static const struct {
		struct given given[GIVEN_MOST];
		const char *said;
	} rows[] = {
		{ { TAKEN(whole), TAKEN(whole), REFUSED(client_no_uuid, 422, "a"), REFUSED(report_no_uuid, 422, "b") },
		  "members 2,3: each has something else than a UUID as clientKey or reportKey\n" },
		{ { TAKEN(whole), TAKEN(whole), REFUSED(first_longer, 422, "a"), REFUSED(last_longer, 422, "b") },
		  "members 2,3: each has a longer firstName or lastName than each that was accepted (up to 4 "
		  "characters)\n" },
		{ { TAKEN(whole), TAKEN(whole), REFUSED(first_apostrophe, 422, "a"),
		    REFUSED(last_apostrophe, 422, "b") },
		  "members 2,3: each has an apostrophe in firstName or lastName\n" },
		{ { TAKEN(whole), TAKEN(whole), REFUSED(product_shorter, 422, "a"), REFUSED(product_short, 422, "a"),
		    REFUSED(bureau_shorter, 422, "b"), REFUSED(bureau_short, 422, "b") },
		  "members 2,3,4,5: each has a shorter productCode or bureau than each that was accepted (from 6 "
		  "characters on)\n" },
		{ { TAKEN(whole), TAKEN(whole), REFUSED(first_apostrophe, 422, "a"),
		    REFUSED(last_apostrophe, 500, "b") },
		  "found 2: it has an apostrophe in firstName\nfound 3: it has an apostrophe in lastName\n" },
		{ { TAKEN(whole), TAKEN(whole), REFUSED(first_apostrophe, 422, "a"), REFUSED(last_space, 422, "b") },
		  "found 2: it has an apostrophe in firstName\nfound 3: it has a space in lastName\n" },
		/* That of any text is not that of a member. */
		{ { TAKEN(whole), TAKEN(whole), REFUSED(first_apostrophe, 422, "a"), REFUSED(last_apostrophe, 422, "a"),
		    REFUSED(product_apostrophe, 422, "b") },
		  "found 2,3: each has an apostrophe in its texts\nfound 4: it has an apostrophe in productCode\n" },
		/* Of others each member has one of its own. */
		{ { TAKEN(right), TAKEN(right), REFUSED(no_cycle, 422, "a"), REFUSED(no_product, 422, "b") },
		  "found 2: it has null as offCycle\nfound 3: it has null as productCode\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(causes_of(rows[i].given), rows[i].said);
}

TEST(up_to_four_members_are_said_together)
{
	static const char *const members[] = { "firstName", "lastName", "productCode", "bureau", "alertType" };
	struct given given[GIVEN_MOST] = { { .body = NULL } };
	char bodies[6][256];
	for (size_t i = 0; i < 6; i++) {
		size_t length = (size_t)snprintf(bodies[i], sizeof bodies[i], "{\"service\":\"sample\",\"details\":{");
		for (size_t m = 0; m < 5; m++)
			length += (size_t)snprintf(bodies[i] + length, sizeof bodies[i] - length, "%s\"%s\":\"%s\"",
			                           m > 0 ? "," : "", members[m], i == m ? "a'c" : "abc");
		snprintf(bodies[i] + length, sizeof bodies[i] - length, "}}");
	}
	given[0] = given[1] = (struct given)TAKEN(bodies[5]);
	for (size_t i = 0; i < 5; i++)
		given[2 + i] = (struct given)REFUSED(bodies[i], 422, members[i]);
	assert_string_equal(causes_of(given),
	                    "members 2,3,4,5: each has an apostrophe in firstName, lastName, productCode or bureau\n"
	                    "found 6: it has an apostrophe in alertType\n");
}

#define REPORT(method, cycle)                                                                                          \
	"{\"service\":\"report\",\"event\":\"200\",\"method\":\"" method                                               \
	"\",\"path\":\"/api/report/v2\",\"details\":{"                                                                 \
	"\"offCycle\":" cycle "}}"

static const char ordered[] = REPORT("post", "\"true\"");
static const char ordered_null[] = REPORT("post", "null");
static const char token[] = REPORT("put", "\"true\"");

TEST(one_that_is_left_over_is_not_said_of_its_kind_alone)
{
	static const char words[] =
	        "it has method \"put\", or is credit-report-display-token-generated; one of these is "
	        "why: they always came together\n";
	static const struct given alone[GIVEN_MOST] = { TAKEN(ordered), TAKEN(ordered), REFUSED(token, 500, "no") };
	static const struct given left_over[GIVEN_MOST] = { TAKEN(ordered), TAKEN(ordered),
		                                            REFUSED(ordered_null, 500, "no"),
		                                            REFUSED(ordered_null, 500, "no"),
		                                            REFUSED(token, 500, "no") };
	const char *said = causes_of(alone);
	assert_ptr_equal(strstr(said, "together 2: "), said);
	assert_string_equal(said + strlen("together 2: "), words);
	assert_string_equal(causes_of(left_over), "found 2,3: each has null as offCycle\n");
}

TEST(one_failure_without_a_difference_is_not_said)
{
	static const struct given one[GIVEN_MOST] = { REFUSED(right, 500, "no"), TAKEN(right), TAKEN(right) };
	static const struct given two[GIVEN_MOST] = { REFUSED(right, 500, "no"), REFUSED(right, 500, "no"),
		                                      TAKEN(right), TAKEN(right) };
	assert_string_equal(causes_of(one), "");
	assert_string_equal(causes_of(two), "unknown 0,1: " UNKNOWN_WORDS);
}

TEST(a_limit_of_the_rate_is_one_cause_whatever_the_words)
{
	static const struct given none[GIVEN_MOST] = { REFUSED(right, 429, "slow"), REFUSED(right, 429, "slow") };
	static const struct given two[GIVEN_MOST] = { TAKEN(right), REFUSED(right, 429, "slow"),
		                                      REFUSED(right, 429, "too fast") };
	assert_string_equal(causes_of(none),
	                    "busy 0,1: comes and goes: 2 of 2 requests; the listener limits their rate\n");
	assert_string_equal(causes_of(two),
	                    "busy 1,2: comes and goes: 2 of 3 requests; the listener limits their rate\n");
}

static const char address_of_portland[] = DETAILS("\"address\":{\"zip\":\"97205\"}");
static const char address_of_chicago[] = DETAILS("\"address\":{\"zip\":\"60602\"}");

TEST(of_an_object_and_its_member_the_object_is_said)
{
	static const struct given given[GIVEN_MOST] = { TAKEN(right), TAKEN(right),
		                                        REFUSED(address_of_portland, 422, "no zip of an address"),
		                                        REFUSED(address_of_chicago, 422, "no zip of an address") };
	assert_string_equal(causes_of(given), "found 2,3: each has address\n");
}

#define ALWAYS "; one of these is why: they always came together\n"

static const char address_empty[] = DETAILS("\"address\":{},\"lastName\":\"abcdefghijklmnopqrstuvwxyzabcdefghijklmn\"");
#define ALERT_OF(zip) DETAILS("\"alertId\":7,\"address\":{\"zip\":\"" zip "\"},\"lastName\":\"abcd\"")

/* Also where the name of the other one is as long as that of its object. */
TEST(of_a_member_and_one_of_another_object_both_are_said)
{
	static const struct given given[GIVEN_MOST] = { TAKEN(address_empty), TAKEN(address_empty),
		                                        REFUSED(ALERT_OF("97205"), 422, "no"),
		                                        REFUSED(ALERT_OF("60602"), 422, "no") };
	assert_string_equal(causes_of(given), "together 2,3: each has alertId, or has zip" ALWAYS);
}

/* Of those where nothing is found, each response is said. */
TEST(what_is_unknown_of_other_responses_is_said_of_each)
{
	static const struct given given[GIVEN_MOST] = {
		REFUSED(right, 500, "no"),
		REFUSED(right, 500, "no"),
		REFUSED(right, 502, "no"),
		REFUSED(right, 502, "no"),
		REFUSED(right, 500, "never"),
		REFUSED(right, 500, "never"),
		TAKEN(right),
		TAKEN(right),
	};
	assert_string_equal(causes_of(given),
	                    "unknown 0,1: " UNKNOWN_WORDS "unknown 2,3: " UNKNOWN_WORDS "unknown 4,5: " UNKNOWN_WORDS);
}

#define ORDERED(cycle, product, name)                                                                                  \
	DETAILS("\"offCycle\":" cycle ",\"productCode\":\"" product "\",\"lastName\":\"" name "\"")

static const char of_ella[] = ORDERED("\"true\"", "abcd", "Ella");
static const char of_ella_null[] = ORDERED("null", "abcd", "Ella");
static const char of_emma[] = ORDERED("\"true\"", "bcde", "Emma");
static const char of_emma_other[] = ORDERED("\"true\"", "cdef", "Emma");
static const char of_emma_third[] = ORDERED("\"true\"", "defg", "Emma");
static const char of_emma_too[] = ORDERED("\"true\"", "abcd", "Emma");

static const char name_null[] = NAMED("\"1234\"", "\"1234\"", "null");
static const char product_longer[] = NAMED("\"12345\"", "\"1234\"", "\"Sampl\"");

TEST(parts_of_one_response_are_said_in_the_order_of_their_first)
{
	static const struct {
		struct given given[GIVEN_MOST];
		const char *said;
	} rows[] = {
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"), REFUSED(name_null, 422, "no") },
		  "found 2: it has a productCode that begins with 0\nfound 3: it has null as lastName\n" },
		/* At least half of it has to be explained: who has what name is no fact. */
		{ { TAKEN(of_ella), TAKEN(of_ella), REFUSED(of_ella_null, 422, "no"), REFUSED(of_ella_null, 422, "no"),
		    REFUSED(of_emma_too, 422, "no"), REFUSED(of_emma_too, 422, "no") },
		  "found 2,3: each has null as offCycle\n" },
		{ { TAKEN(of_ella), TAKEN(of_ella), REFUSED(of_ella_null, 422, "no"), REFUSED(of_ella_null, 422, "no"),
		    REFUSED(of_emma_too, 422, "no"), REFUSED(of_emma_too, 422, "no"), REFUSED(of_emma_too, 422, "no") },
		  "unknown 2,3,4,5,6: " UNKNOWN_WORDS },
		/* What a value is and how long it is cannot be told apart. */
		{ { TAKEN(named), TAKEN(named), REFUSED(product_longer, 422, "no") },
		  "together 2: it has productCode \"12345\", or has a longer productCode than each that was accepted "
		  "(up "
		  "to 4 characters); one of these is why: they always came together\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(causes_of(rows[i].given), rows[i].said);
}

TEST(of_what_is_unknown_those_that_are_most_alike_are_named)
{
	static const struct given given[GIVEN_MOST] = { REFUSED(no_both, 500, "no"), REFUSED(right, 500, "no"),
		                                        REFUSED(right, 500, "no"), TAKEN(right) };
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	const struct cause *causes;
	size_t count;
	add_all(finder, given);
	assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(causes[0].type, CAUSE_UNKNOWN);
	assert_int_equal(causes[0].alike, 1);
	assert_int_equal(causes[0].unlike, 3);
	cause_finder_free(finder);
}

TEST(what_has_failed_over_something_else_is_not_explained)
{
	static const struct given given[GIVEN_MOST] = { REFUSED(no_cycle, 422, "no"), TAKEN(right), TAKEN(right),
		                                        REFUSED(no_product, 500, "no") };
	static const char *const said[] = { "found 0: it has null as offCycle\nfound 3: it has null as productCode\n",
		                            "found 0: it has null as offCycle\n", "" };
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	add_all(finder, given);
	assert_string_equal(said_of(finder, NULL), said[0]);
	cause_absolve(finder, 3);
	assert_string_equal(said_of(finder, NULL), said[1]);
	cause_absolve(finder, 1); /* it has not failed */
	assert_string_equal(said_of(finder, NULL), said[1]);
	cause_absolve(finder, 0);
	assert_string_equal(said_of(finder, NULL), said[2]);
	cause_finder_free(finder);
}

/* Each fails in its own way. */
TEST(sixteen_responses_are_explained)
{
	struct given given[GIVEN_MOST] = { TAKEN(right), TAKEN(right) };
	size_t lines = 0;
	for (int i = 0; i <= CAUSE_CLASSES_MOST; i++)
		given[2 + i] = (struct given)REFUSED(no_cycle, 500 + i, "no");
	const char *said = causes_of(given);
	for (const char *line = said; *line; line = strchr(line, '\n') + 1)
		lines++;
	assert_int_equal(lines, CAUSE_CLASSES_MOST);
	assert_non_null(strstr(said, "found 17: it has null as offCycle\n"));
	assert_null(strstr(said, "found 18: "));
}

/* A listener that is asked: what it says of the nth question. */
static size_t asked;

static int respond(struct cause_response *response, int status, const char *words)
{
	*response = (struct cause_response){ .side = status == 200 ? CAUSE_ACCEPTED : CAUSE_FAILED,
		                             .status = status,
		                             .words = status == 200 ? "" : words,
		                             .sent_ns = (int64_t)(1000 + 2 * asked),
		                             .finished_ns = (int64_t)(1001 + 2 * asked) };
	asked++;
	return CAUSE_SENT;
}

static int send_nothing(void *context, const struct cause_question *question, struct cause_response *response,
                        struct error *err)
{
	(void)context, (void)question, (void)response, (void)err;
	return CAUSE_ENOUGH;
}

#define OF_CODE(customer, cycle)                                                                                       \
	DETAILS("\"clientKey\":\"" ID(customer) "\",\"enrollmentCode\":\"abc\",\"offCycle\":" cycle)
#define CREATED(customer)                                                                                              \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/v2\",\"details\":{"          \
	"\"clientKey\":\"" ID(customer) "\"}}"
#define ENROLLED(customer, cycle)                                                                                      \
	"{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/monitoring/"                \
	"v2\",\"details\":{"                                                                                           \
	"\"clientKey\":\"" ID(customer) "\",\"userId\":\"" ID(customer) "\",\"offCycle\":" cycle "}}"

/* Where none may be sent, another reason is not ruled out. */
TEST(what_is_doubtful_until_it_is_shown_is_not_said_where_it_could_be_asked)
{
	static const struct {
		struct given given[GIVEN_MOST];
		const char *alone, *asked;
	} rows[] = {
		{ { TAKEN(OF_CODE("11", "\"true\"")), TAKEN(OF_CODE("11", "\"false\"")),
		    REFUSED(OF_CODE("12", "null"), 422, "no") },
		  "together 2: it has the enrollmentCode that another clientKey had first, or has null as "
		  "offCycle" ALWAYS,
		  "found 2: it has null as offCycle\n" },
		{ { TAKEN(CREATED("11")), TAKEN(ENROLLED("11", "\"true\"")), TAKEN(ENROLLED("11", "\"false\"")),
		    REFUSED(ENROLLED("12", "null"), 422, "no") },
		  "together 3: it refers to a clientKey that no accepted notification has begun, refers to a userId "
		  "that "
		  "no accepted notification has begun, or has null as offCycle" ALWAYS,
		  "found 3: it has null as offCycle\n" },
		/* What is left over of one response. */
		{ { TAKEN(named), TAKEN(named), REFUSED(product_of_0, 422, "no"), REFUSED(product_longer, 422, "no") },
		  "found 2: it has a productCode that begins with 0\n"
		  "together 3: it has productCode \"12345\", or has a longer productCode than each that was accepted "
		  "(up to 4 characters)" ALWAYS,
		  "found 2: it has a productCode that begins with 0\n" },
	};
	const struct cause_sender sender = { send_nothing, NULL };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct error err;
		struct cause_finder *finder = cause_finder_new(&err);
		add_all(finder, rows[i].given);
		assert_string_equal(said_of(finder, NULL), rows[i].alone);
		assert_string_equal(said_of(finder, &sender), rows[i].asked);
		cause_finder_free(finder);
	}
}

static int refuse_null_and_emma(void *context, const struct cause_question *question, struct cause_response *response,
                                struct error *err)
{
	bool is_refused = strstr(question->body, "null") || strstr(question->body, "Emma");
	(void)context, (void)err;
	return respond(response, is_refused ? 500 : 200, "no");
}

/* Who has what name is no fact: most of them have nothing in common, and fail with another code, too. */
TEST(what_was_shown_of_some_is_said_beside_the_rest)
{
	static const struct given given[GIVEN_MOST] = {
		TAKEN(of_ella),
		TAKEN(of_ella),
		REFUSED(of_ella_null, 500, "no"),
		REFUSED(of_ella_null, 500, "no"),
		REFUSED(of_emma, 500, "no"),
		REFUSED(of_emma_other, 500, "no"),
		REFUSED(of_emma_third, 500, "no"),
		TAKEN(of_ella),
	};
	const struct cause_sender sender = { refuse_null_and_emma, NULL };
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	asked = 0;
	add_all(finder, given);
	assert_string_equal(said_of(finder, &sender),
	                    "unknown 4,5,6: " UNKNOWN_WORDS "found 2,3: each has null as offCycle\n");
	cause_finder_free(finder);
}

/* How many questions were like each request. */
static size_t asked_of[GIVEN_MOST];

static int refuse_null(void *context, const struct cause_question *question, struct cause_response *response,
                       struct error *err)
{
	(void)context, (void)err;
	asked_of[question->check]++;
	return respond(response, strstr(question->body, "null") ? 422 : 200, "no");
}

static const char first_null[] = OF_CODE("21", "null");
static const char second_null[] = OF_CODE("22", "null");

/* Each is sent again three times, and once with new identifiers; then one is asked about, twice. One of several at the
 * same time is sent again once. */
TEST(only_what_was_sent_alone_and_from_a_body_that_is_kept_is_asked_about)
{
	enum { ALONE, AT_ONCE, FIXED, LARGE };
	static char large[70000];
	static const struct {
		int how[2]; /* both failures */
		size_t asked[2];
	} rows[] = {
		{ { ALONE, ALONE }, { 6, 4 } },   { { FIXED, ALONE }, { 0, 6 } }, { { ALONE, FIXED }, { 6, 0 } },
		{ { AT_ONCE, ALONE }, { 1, 6 } }, { { FIXED, FIXED }, { 0, 0 } }, { { AT_ONCE, AT_ONCE }, { 1, 1 } },
		{ { LARGE, ALONE }, { 0, 6 } },
	};
	const struct cause_sender sender = { refuse_null, NULL };
	memset(large, ' ', sizeof large - 1); /* more than is kept */
	memcpy(large, first_null, strlen(first_null));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct error err;
		struct cause_finder *finder = cause_finder_new(&err);
		struct given given[GIVEN_MOST] = { TAKEN(right), REFUSED(first_null, 422, "no"),
			                           REFUSED(second_null, 422, "no"), TAKEN(right) };
		for (size_t n = 0; n < 2; n++) {
			given[1 + n].at_once = rows[i].how[n] == AT_ONCE;
			given[1 + n].is_fixed = rows[i].how[n] == FIXED;
			given[1 + n].body = rows[i].how[n] == LARGE ? large : given[1 + n].body;
		}
		memset(asked_of, 0, sizeof asked_of);
		asked = 0;
		add_all(finder, given);
		said_of(finder, &sender);
		assert_int_equal(asked_of[1], rows[i].asked[0]);
		assert_int_equal(asked_of[2], rows[i].asked[1]);
		cause_finder_free(finder);
	}
}

static int accept_all(void *context, const struct cause_question *question, struct cause_response *response,
                      struct error *err)
{
	(void)context, (void)question, (void)err;
	return respond(response, 200, "");
}

/* It may print another line each time. */
TEST(what_comes_and_goes_is_one_cause_whatever_is_printed)
{
	const struct cause_sender sender = { accept_all, NULL };
	struct error err;
	struct given given[GIVEN_MOST] = { TAKEN(right), REFUSED(right, 500, "no"), REFUSED(right, 500, "no"),
		                           TAKEN(right) };
	struct cause_finder *finder = cause_finder_new(&err);
	given[1].log = "locked";
	given[2].log = "closed";
	asked = 0;
	add_all(finder, given);
	assert_string_equal(said_of(finder, &sender),
	                    "flaky 1,2: comes and goes: 2 of 6 requests; the same one gets another response later\n");
	cause_finder_free(finder);
}

static int fail_in_turns(void *context, const struct cause_question *question, struct cause_response *response,
                         struct error *err)
{
	(void)context, (void)err;
	asked_of[question->check]++;
	return respond(response, 500, asked % 2 == 0 ? "one" : "other");
}

/* The last that was accepted refers to another one, so it is not the one that is sent again. */
TEST(what_lasts_is_one_cause_whatever_the_words)
{
	static const char created[] = "{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":"
	                              "\"/api/user/v2\",\"details\":{\"clientKey\":\"" ID("31") "\"}}";
	static const char enrolled[] =
	        "{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":"
	        "\"/api/monitoring/v2\",\"details\":{\"clientKey\":\"" ID("31") "\",\"userId\":\"" ID("31") "\"}}";
	static const struct given given[GIVEN_MOST] = { TAKEN(right), TAKEN(created), TAKEN(enrolled),
		                                        REFUSED(no_cycle, 500, "one"), REFUSED(no_both, 500, "other") };
	const struct cause_sender sender = { fail_in_turns, NULL };
	const struct cause *causes;
	struct error err;
	size_t count;
	struct cause_finder *finder = cause_finder_new(&err);
	asked = 0;
	memset(asked_of, 0, sizeof asked_of);
	add_all(finder, given);
	assert_string_equal(said_of(finder, &sender),
	                    "lasts 3,4: from the first on, no request was accepted, not even one like those before\n");
	assert_int_equal(asked, 2);
	assert_true(asked_of[3] == 1 && asked_of[4] == 1);
	assert_int_equal(cause_find(finder, &sender, &causes, &count, &err), 0);
	assert_int_equal(causes[0].alike, 3);
	assert_int_equal(causes[0].unlike, 2);
	cause_finder_free(finder);
}

static int refuse_all(void *context, const struct cause_question *question, struct cause_response *response,
                      struct error *err)
{
	static char words[] = "of a";
	const char *name = strstr(question->body, "\"firstName\":\"");
	(void)context, (void)err;
	words[3] = name ? name[strlen("\"firstName\":\"")] : '-';
	return respond(response, name ? 500 : 200, words);
}

/* Each of sixteen has many facts, and a response of its own, that no question changes. */
TEST(it_is_asked_as_often_as_is_stated)
{
	static const char fine[] = DETAILS("\"lastName\":\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\"");
	struct given given[GIVEN_MOST] = { TAKEN(fine), TAKEN(fine) };
	char bodies[CAUSE_CLASSES_MOST][512], words[CAUSE_CLASSES_MOST][8];
	const struct cause_sender sender = { refuse_all, NULL };
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	for (size_t i = 0; i < CAUSE_CLASSES_MOST; i++) {
		snprintf(bodies[i], sizeof bodies[i],
		         DETAILS("\"firstName\":\"%c'\",\"productCode\":\"b'\",\"bureau\":\"c'\",\"alertType\":\"d'\","
		                 "\"offCycle\":\"e'\",\"disputeStatus\":\"f'\",\"address\":{\"zip\":\"h'\",\"state\":"
		                 "\"i'\"},\"enrollmentCode\":\"g'\""),
		         'a' + (int)i);
		snprintf(words[i], sizeof words[i], "of %c", 'a' + (int)i);
		given[2 + i] = (struct given)REFUSED(bodies[i], 500, words[i]);
	}
	given[2 + CAUSE_CLASSES_MOST] = (struct given)TAKEN(fine);
	asked = 0;
	add_all(finder, given);
	said_of(finder, &sender);
	assert_int_equal(asked, CAUSE_QUESTIONS_MOST);
	cause_finder_free(finder);
}
