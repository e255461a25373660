/* How a cause is said: what its facts are called, which article they get, and how several are joined. */
#include "cause/cause.h"
#include "test.h"

#include <string.h>

#define FACT(kind_, subject_, value_)                                                                                  \
	{                                                                                                              \
		.kind = (kind_), .subject = (subject_), .value = (value_)                                              \
	}
#define PRESENT(subject)    FACT(FACT_PRESENT, subject, "")
#define UNKNOWN_IN(subject) FACT(FACT_UNKNOWN_KEY, subject, "")

TEST(test_a_cause_is_said_with_the_names_of_its_facts)
{
	static const struct {
		struct cause cause;
		bool several;
		const char *words;
	} rows[] = {
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { PRESENT("/details/offCycle") } },
		  false,
		  "it has offCycle" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { PRESENT("path") } }, true, "each has path" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { UNKNOWN_IN("") } },
		  false,
		  "it has a key in an object that the specification does not list" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { UNKNOWN_IN("/") } },
		  false,
		  "it has a key in the notification that the specification does not list" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { UNKNOWN_IN("/details") } },
		  false,
		  "it has a key in details that the specification does not list" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { FACT(FACT_UPPER, "", "") } },
		  true,
		  "each has its identifiers in upper case" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { FACT(FACT_CHARACTERS, "", "an apostrophe") } },
		  true,
		  "each has an apostrophe in its texts" },
		/* Behind "a" the article that the name has. */
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { FACT(FACT_NEW, "/details/enrollmentCode", "") } },
		  false,
		  "it refers to an enrollmentCode that no accepted notification has begun" },
		{ { .type = CAUSE_FOUND, .fact_count = 1, .facts = { FACT(FACT_NEW, "/details/userId", "") } },
		  false,
		  "it refers to a userId that no accepted notification has begun" },
		{ { .type = CAUSE_FOUND, .fact_count = 2, .facts = { PRESENT("/a"), PRESENT("/b") } },
		  false,
		  "it has a and has b" },
		{ { .type = CAUSE_FOUND, .fact_count = 3, .facts = { PRESENT("/a"), PRESENT("/b"), PRESENT("/c") } },
		  true,
		  "each has a, has b and has c" },
		{ { .type = CAUSE_TOGETHER, .fact_count = 2, .facts = { PRESENT("/a"), PRESENT("/b") } },
		  false,
		  "it has a, or has b; one of these is why: they always came together" },
		{ { .type = CAUSE_TOGETHER, .fact_count = 1, .facts = { PRESENT("/a") } }, false, "it has a" },
		{ { .type = CAUSE_MEMBERS,
		    .fact_count = 3,
		    .facts = { FACT(FACT_CHARACTERS, "/a", "an apostrophe"),
		               FACT(FACT_CHARACTERS, "/b", "an apostrophe"),
		               FACT(FACT_CHARACTERS, "/c", "an apostrophe") } },
		  true,
		  "each has an apostrophe in a, b or c" },
		{ { .type = CAUSE_BUSY, .failed = 4, .total = 6 },
		  true,
		  "comes and goes: 4 of 6 requests; the listener limits their rate" },
		{ { .type = CAUSE_FLAKY, .failed = 2, .total = 9 },
		  true,
		  "comes and goes: 2 of 9 requests; the same one gets another response later" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		cause_append_words(&rows[i].cause, rows[i].several, &out);
		assert_string_equal(buffer_text(&out), rows[i].words);
	}
}

TEST(test_what_to_do_is_said_once_for_each_fact_that_may_be_why)
{
	static const struct {
		struct cause cause;
		const char *words;
	} rows[] = {
		{ { .type = CAUSE_FOUND, .status = 302, .fact_count = 1, .facts = { PRESENT("/a") } },
		  "respond 2xx at this URL: senders do not follow redirects" },
		{ { .type = CAUSE_FOUND, .status = 299, .fact_count = 1, .facts = { UNKNOWN_IN("/a") } },
		  "ignore keys that are not known" },
		{ { .type = CAUSE_FOUND, .status = 400, .fact_count = 1, .facts = { UNKNOWN_IN("/a") } },
		  "ignore keys that are not known" },
		{ { .type = CAUSE_FOUND, .status = 422, .fact_count = 2, .facts = { UNKNOWN_IN("/a"), PRESENT("/b") } },
		  "ignore keys that are not known" },
		{ { .type = CAUSE_TOGETHER,
		    .status = 422,
		    .fact_count = 3,
		    .facts = { UNKNOWN_IN("/a"), UNKNOWN_IN("/b"), FACT(FACT_SEGMENT, "/path", "v2") } },
		  "ignore keys that are not known; or take each path of section 6" },
		/* Where it comes to, or how, is what a login is asked for. */
		{ { .type = CAUSE_FOUND, .status = 404, .fact_count = 1, .facts = { FACT(FACT_PART, "/path", "x") } },
		  "take each path of section 6" },
		{ { .type = CAUSE_FOUND, .status = 401, .fact_count = 1, .facts = { FACT(FACT_PART, "/path", "x") } },
		  "let notifications in without a login, or give what the listener asks for with -H" },
		{ { .type = CAUSE_FOUND, .status = 401, .fact_count = 1, .facts = { UNKNOWN_IN("/a") } },
		  "ignore keys that are not known" },
		{ { .type = CAUSE_FOUND, .status = 411, .fact_count = 1, .facts = { FACT(FACT_WAY, "", "chunks") } },
		  "read chunked bodies, too, which have no Content-Length" },
		{ { .type = CAUSE_FOUND, .status = 411, .fact_count = 1, .facts = { FACT(FACT_PART, "/path", "x") } },
		  "take each path of section 6" },
		/* A service and what else the envelope says is a route. */
		{ { .type = CAUSE_FOUND,
		    .status = 404,
		    .fact_count = 2,
		    .facts = { FACT(FACT_SERVICE, "/service", "user"), FACT(FACT_METHOD, "/method", "put") } },
		  "add it to what the listener routes: every event of section 6 is accepted, also one that is not "
		  "used" },
		{ { .type = CAUSE_FOUND,
		    .status = 404,
		    .fact_count = 1,
		    .facts = { FACT(FACT_SERVICE, "/service", "user") } },
		  "take notifications of every service, also of \"user\" (section 2.1)" },
		{ { .type = CAUSE_UNKNOWN, .status = 500 }, "" },
		{ { .type = CAUSE_UNKNOWN, .status = 403 },
		  "no login is missing, since others like it were accepted: see what refuses them (a limit of the "
		  "rate, a firewall)" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		cause_append_fix(&rows[i].cause, &out);
		assert_string_equal(buffer_text(&out), rows[i].words);
	}
}

TEST(a_status_that_says_what_is_wrong_has_a_fix_of_its_own)
{
	static const struct {
		int status;
		const char *words; /* in the fix; NULL: there is none */
	} rows[] = {
		{ 401, "without a login, or" },
		{ 403, "a CSRF token" },
		{ 404, "the URL takes other notifications" },
		{ 405, "accept POST" },
		{ 411, "read chunked bodies" },
		{ 413, "raise the limit of the request body" },
		{ 415, "application/json" },
		{ 0, NULL },
		{ 400, NULL },
		{ 402, NULL },
		{ 500, NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *fix = cause_fix_of_status(rows[i].status);
		assert_int_equal(fix != NULL, rows[i].words != NULL);
		if (fix)
			assert_non_null(strstr(fix, rows[i].words));
	}
}
