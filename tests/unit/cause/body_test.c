/* The bodies of questions: what is changed in them, and how. */
#include "cause/cause_internal.h"
#include "test.h"

#include <string.h>

#define BODY(details) "{\"service\":\"sample\",\"details\":{" details "}}"

static struct cause_finder *finder_of(const char *const *bodies, size_t count)
{
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	assert_non_null(finder);
	for (size_t i = 0; i < count; i++) {
		const struct cause_request request = { .what = { .body = bodies[i], .length = strlen(bodies[i]) },
			                               .side = CAUSE_FAILED,
			                               .words = "",
			                               .sent_ns = (int64_t)(2 * i),
			                               .finished_ns = (int64_t)(2 * i + 1) };
		assert_int_equal(cause_add(finder, &request, &err), 0);
	}
	return finder;
}

#define LOWER "\"clientKey\":\"aaaaaaaa-0000-4000-8000-00000000000"
#define UPPER "\"clientKey\":\"AAAAAAAA-0000-4000-8000-00000000000"

TEST(identifiers_are_new_in_the_same_form)
{
	static const struct {
		const char *body;
		unsigned time;
		const char *fresh; /* NULL: none can be made */
	} rows[] = {
		{ BODY(LOWER "1\""), 0, BODY("\"clientKey\":\"aaaaaaaa-0000-4000-8000-000000a8cdec\"") },
		{ BODY(LOWER "1\""), 1, BODY("\"clientKey\":\"aaaaaaaa-0000-4000-8000-000000afcdeb\"") },
		{ BODY(UPPER "1\""), 0, BODY("\"clientKey\":\"AAAAAAAA-0000-4000-8000-000000A8CDEC\"") },
		{ BODY("\"clientKey\":\"aaaaaaaa-0000-4000-8000-00000000000\""), 0, NULL }, /* too short */
		{ BODY("\"alertId\":1234567"), 0, BODY("\"alertId\":1234570") },
		{ BODY("\"alertId\":1999"), 2, BODY("\"alertId\":1004") },
		{ BODY("\"alertId\":1234"), 0, BODY("\"alertId\":1237") },
		{ BODY("\"alertId\":123"), 0, NULL },
		{ BODY("\"alertId\":true"), 0, NULL },
		/* What several may have is of any length. */
		{ BODY("\"enrollmentCode\":\"sample\""), 0, BODY("\"enrollmentCode\":\"samplea8cdec\"") },
		{ BODY("\"enrollmentCode\":\"abcdefghijk\""), 0, BODY("\"enrollmentCode\":\"abcdefghijka8cdec\"") },
		{ BODY("\"enrollmentCode\":\"abcdefghijkl\""), 0, BODY("\"enrollmentCode\":\"abcdefa8cdec\"") },
		{ BODY("\"offCycle\":\"true\""), 0, NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cause_finder *finder = finder_of(&rows[i].body, 1);
		if (body_fresh(finder, 0, rows[i].time) != (rows[i].fresh != NULL))
			fail_msg("row %zu: %s", i, buffer_text(&finder->body));
		if (rows[i].fresh)
			assert_string_equal(buffer_text(&finder->body), rows[i].fresh);
		cause_finder_free(finder);
	}
}

/* What came before, and what the user has set, stays. */
TEST(only_what_was_new_is_new_again)
{
	static const char *const bodies[] = { BODY(LOWER "1\""), BODY(LOWER "1\",\"alertId\":1234567"),
		                              BODY(LOWER "2\",\"alertId\":2234567") };
	struct cause_finder *finder = finder_of(bodies, 3);
	assert_true(body_fresh(finder, 1, 0));
	assert_string_equal(buffer_text(&finder->body), BODY(LOWER "1\",\"alertId\":1234570"));
	cause_keep(finder, "/details/clientKey");
	assert_true(body_fresh(finder, 2, 0));
	assert_string_equal(buffer_text(&finder->body), BODY(LOWER "2\",\"alertId\":2234570"));
	assert_false(body_fresh(finder, 0, 0));
	cause_finder_free(finder);
}

TEST(a_body_is_without_what_the_fact_is_about)
{
	static const struct {
		enum fact_kind kind;
		char subject[32];
		const char *value, *body, *without; /* NULL: none can be made */
	} rows[] = {
		{ FACT_PRESENT, "/details/offCycle", "", BODY("\"offCycle\":\"true\""), BODY("") },
		{ FACT_MINUS, "/details/change", "", BODY("\"change\":\"-12\""), BODY("\"change\":\"12\"") },
		{ FACT_PLUS, "/details/change", "", BODY("\"change\":\"+12\""), BODY("\"change\":\"12\"") },
		{ FACT_NO_MINUS, "/details/change", "", BODY("\"change\":\"12\""), BODY("\"change\":\"-12\"") },
		{ FACT_NO_MINUS, "/details/change", "", BODY("\"change\":\"+12\""), BODY("\"change\":\"-12\"") },
		{ FACT_NO_MINUS, "/details/change", "", BODY("\"change\":\"\""), BODY("\"change\":\"-7\"") },
		{ FACT_FILLED, "/details/scoreModifiers", "", BODY("\"scoreModifiers\":{\"a\":7}"),
		  BODY("\"scoreModifiers\":{}") },
		/* Another value that is valid, where there is one. */
		{ FACT_VALUE, "/details/bureau", "abc", BODY("\"bureau\":\"abc\""), BODY("\"bureau\":\"X1\"") },
		{ FACT_VALUE, "/details/bureau", "X1", BODY("\"bureau\":\"X1\""), NULL },
		{ FACT_VALUE, "/details/address/zip", "02134", BODY("\"address\":{\"zip\":\"02134\"}"),
		  BODY("\"address\":{\"zip\":\"08901\"}") },
		{ FACT_TYPE, "/details/firstName", "null", BODY("\"firstName\":null"), NULL },
		{ FACT_UNKNOWN_KEY, "/details", "", BODY("\"other\":7"), NULL },
		{ FACT_LARGER_HEAD, "/head", "", BODY(""), NULL },
		{ FACT_HEADER, "Accept", "any", BODY(""), NULL },
		{ FACT_KIND, "", "bureau-alert", BODY(""), NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cause_finder *finder = finder_of(&rows[i].body, 1);
		char subject[32];
		memcpy(subject, rows[i].subject, sizeof subject);
		const struct fact fact = { .kind = rows[i].kind, .subject = subject, .value = rows[i].value };
		if (body_without(finder, 0, &fact) != (rows[i].without != NULL))
			fail_msg("row %zu: %s", i, buffer_text(&finder->body));
		if (rows[i].without)
			assert_string_equal(buffer_text(&finder->body), rows[i].without);
		cause_finder_free(finder);
	}
}
