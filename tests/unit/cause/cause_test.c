/* What failures have in common, of tables of requests and listeners that are functions. */
#include "cause/cause.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALERT_BODY                                                                                                     \
	"{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"clientKey\":"                   \
	"\"aaaaaaaa-0000-4000-8000-000000000001\",\"alertId\":1234567,\"alertType\":\"sample\"}}"
#define API_BODY(event, method, path, details)                                                                         \
	"{\"service\":\"report\",\"event\":\"" event "\",\"method\":\"" method "\",\"path\":\"" path                   \
	"\",\"details\":{" details "}}"
#define CUSTOMER(digit) "\"clientKey\":\"aaaaaaaa-0000-4000-8000-00000000000" digit "\""

#define REPORT(digit) "\"reportKey\":\"bbbbbbbb-0000-4000-8000-00000000000" digit "\""

static const char ordered[] = API_BODY("200", "post", "/api/report/v2", CUSTOMER("1") ",\"offCycle\":\"false\"");
static const char off_cycle[] = API_BODY("200", "post", "/api/report/v2", CUSTOMER("1") ",\"offCycle\":\"true\"");
static const char product[] =
        API_BODY("200", "post", "/api/report/v2", CUSTOMER("1") ",\"offCycle\":\"true\",\"productCode\":\"a\"");
static const char retrieved[] = API_BODY("200", "get", "/api/report/v2", CUSTOMER("1"));
static const char other_customer[] = API_BODY("200", "get", "/api/report/v2", CUSTOMER("2"));
static const char report_retrieved[] = API_BODY("200", "get", "/api/report/v2", CUSTOMER("1") "," REPORT("1"));
static const char report_token[] = API_BODY("200", "put", "/api/report/v2", CUSTOMER("1") "," REPORT("1"));
static const char other_report[] = API_BODY("200", "put", "/api/report/v2", CUSTOMER("1") "," REPORT("2"));
static const char report_of_product[] = API_BODY(
        "200", "post", "/api/report/v2", CUSTOMER("1") "," REPORT("2") ",\"offCycle\":\"true\",\"productCode\":\"a\"");
static const char token[] = API_BODY("200", "put", "/api/report/v2", CUSTOMER("1"));
static const char session[] = API_BODY("200", "post", "/api/authenticate/v2", CUSTOMER("1"));
static const char logged_in[] = "{\"service\":\"authenticate\",\"event\":\"200\",\"method\":\"post\",\"path\":"
                                "\"/api/authenticate/v2\",\"details\":{" CUSTOMER("1") "}}";
static const char retrieval[] = API_BODY("200", "get", "/api/authenticate/v2", CUSTOMER("1"));
static const char no_retrieval[] = API_BODY("204", "get", "/api/authenticate/v2", CUSTOMER("1"));
static const char off_cycle_user[] = API_BODY("200", "post", "/api/user/v2", CUSTOMER("1") ",\"offCycle\":\"true\"");
static const char off_cycle_lookup[] = API_BODY("204", "get", "/api/report/v2", CUSTOMER("1") ",\"offCycle\":\"true\"");
static const char apostrophe[] = API_BODY("200", "get", "/api/report/v2", CUSTOMER("1") ",\"productCode\":\"O'S\"");
static const char emoji[] =
        API_BODY("200", "get", "/api/report/v2", CUSTOMER("1") ",\"productCode\":\"\xf0\x9f\x98\x80\"");
static const char emoji_elsewhere[] =
        API_BODY("200", "get", "/api/report/v2", CUSTOMER("1") ",\"firstName\":\"\xf0\x9f\x98\x80\"");
static const char user[] = API_BODY("201", "post", "/api/user/v2", CUSTOMER("1"));

#define CREATED_BODY(digit)                                                                                            \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/"                            \
	"v2\",\"details\":{" CUSTOMER(digit) "}}"
#define CANCELLED_BODY(digit)                                                                                          \
	"{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"delete\",\"path\":\"/api/monitoring/"              \
	"v2\",\"details\":{" CUSTOMER(digit) ",\"enrollmentCode\":\"sample\"}}"
#define ENROLLED_BODY(digit)                                                                                           \
	"{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/monitoring/"                \
	"v2\",\"details\":{" CUSTOMER(digit) ",\"userId\":\"aaaaaaaa-0000-4000-8000-00000000000" digit                 \
	                                     "\",\"enrollmentCode\":\"sample\"}}"

static const char of_nobody[] = API_BODY("200", "get", "/api/report/v2", "\"offCycle\":\"false\"");
static const char created[] = CREATED_BODY("1");
static const char enrolled[] = ENROLLED_BODY("1");
static const char enrolled_unknown[] = ENROLLED_BODY("3");
static const char cancelled_unknown[] = CANCELLED_BODY("3");
static const char enrolled_twice[] =
        "{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/monitoring/v2\","
        "\"details\":{" CUSTOMER("1") ",\"enrollmentCode\":\"sample\",\"offCycle\":\"false\"}}";
static const char unknown_customer[] = API_BODY("200", "get", "/api/report/v2", CUSTOMER("3"));

#define PERSON_BODY(name, zip)                                                                                         \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/"                            \
	"v2\",\"details\":{" CUSTOMER("1") ",\"firstName\":\"" name "\",\"address\":{\"zip\":\"" zip "\"}}}"
static const char person[] = PERSON_BODY("Anna", "97205");
static const char person_beyond_ascii[] = PERSON_BODY("Jos\xc3\xa9-Maria-Luisa", "60602");
static const char person_of_two_words[] = PERSON_BODY("Anna Maria", "60602");
static const char person_of_boston[] = PERSON_BODY("Anna", "02134");
static const char person_of_jersey[] = PERSON_BODY("Anna", "08901");

#define ADDRESS_BODY(zip)                                                                                              \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/"                            \
	"v2\",\"details\":{" CUSTOMER("1") ",\"address\":{\"zip\":\"" zip "\"}}}"
static const char address_of_portland[] = ADDRESS_BODY("97205");
static const char address_of_chicago[] = ADDRESS_BODY("60602");

#define SIMULATED_BODY(change)                                                                                         \
	"{\"service\":\"score-simulator\",\"event\":\"200\",\"method\":\"post\",\"path\":"                             \
	"\"/api/report/v2/score-simulator\",\"details\":{" CUSTOMER("1") ",\"change\":\"" change "\"}}"
static const char changed[] = SIMULATED_BODY("7");
static const char lowered[] = SIMULATED_BODY("-7");
static const char lowered_far[] = SIMULATED_BODY("-250");
static const char changed_far[] = SIMULATED_BODY("123456789012345678901234567890");

/* A listener: the status to a body, and its words; `nth` counts its requests from 1. */
typedef int respond(const char *body, unsigned nth, const char **words);

static int accepts(const char *body, unsigned nth, const char **words)
{
	(void)body, (void)nth, (void)words;
	return 200;
}

static int needs_path(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "KeyError: 'path'";
	return strstr(body, "\"path\"") ? 200 : 500;
}

static int reads_event(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "ValueError: 'push'";
	return strstr(body, "\"event\":\"push\"") ? 500 : 200;
}

static int refuses_true(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "no such value";
	return strstr(body, "\"true\"") ? 422 : 200;
}

/* Its words have a name of their own each time. */
static int refuses_true_in_jobs(const char *body, unsigned nth, const char **words)
{
	static char said[64];
	snprintf(said, sizeof said, "job %c-%u failed", (char)('a' + nth % 26), nth);
	*words = said;
	return strstr(body, "\"true\"") ? 422 : 200;
}

static int names_what_is_true(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = strstr(body, "productCode") ? "invalid order of a product" : "invalid order";
	return strstr(body, "\"true\"") ? 422 : 200;
}

static int refuses_off_cycle(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "no such field";
	return strstr(body, "offCycle") ? 422 : 200;
}

static int refuses_user_id(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "no such field";
	return strstr(body, "userId") ? 422 : 200;
}

/* Alerts have no path; others need one. */
static int knows_no_session(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "not found";
	if (!strstr(body, "\"path\""))
		return strstr(body, "\"alerts\"") ? 200 : 404;
	return strstr(body, "/authenticate/") ? 404 : 200;
}

static int refuses_zip(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "no such field";
	return strstr(body, "zip") ? 422 : 200;
}

/* Takes the methods and paths that it knows. */
static int has_a_table(const char *body, unsigned nth, const char **words)
{
	static const char *const routes[] = { "\"post\",\"path\":\"/api/report/v2\"",
		                              "\"get\",\"path\":\"/api/report/v2\"",
		                              "\"post\",\"path\":\"/api/user/v2\"",
		                              "\"post\",\"path\":\"/api/authenticate/v2\"" };
	bool is_known = false;
	(void)nth;
	*words = "not found";
	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
		is_known |= strstr(body, routes[i]) != NULL;
	return is_known ? 200 : 404;
}

static int refuses_true_in_post(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "no such value";
	return strstr(body, "\"post\"") && strstr(body, "\"true\"") ? 422 : 200;
}

static int refuses_true_in_post_without_product(const char *body, unsigned nth, const char **words)
{
	return strstr(body, "productCode") ? 200 : refuses_true_in_post(body, nth, words);
}

static int refuses_put_and_true(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "Internal Server Error";
	return strstr(body, "\"put\"") || strstr(body, "\"true\"") ? 500 : 200;
}

static int refuses_every_third(const char *body, unsigned nth, const char **words)
{
	(void)body;
	*words = "database is locked";
	return nth % 3 == 2 ? 500 : 200;
}

/* The status is 500 where the letter of the request is 'x'. */
static const char *failures;

static int fails_as_listed(const char *body, unsigned nth, const char **words)
{
	(void)body;
	*words = "database is locked";
	return nth <= strlen(failures) && failures[nth - 1] == 'x' ? 500 : 200;
}

/* Recognizes a repeat, and limits the rate of one method. */
static int knows_repeats_and_limits(const char *body, unsigned nth, const char **words)
{
	static char before[16384];
	bool is_limited = strstr(body, "\"put\"") != NULL, is_known = nth > 1 && strstr(before, body);
	before[0] = nth == 1 ? '\0' : before[0];
	if (strlen(before) + strlen(body) < sizeof before)
		strcat(before, body);
	*words = is_limited ? "slow down" : "duplicate";
	return is_limited ? 429 : is_known ? 409 : 200;
}

/* Stores three bytes a character at most. */
static int refuses_emoji(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "Incorrect string value";
	return strstr(body, "\xf0") ? 500 : 200;
}

static int limits_the_rate(const char *body, unsigned nth, const char **words)
{
	(void)body;
	*words = "slow down";
	return nth > 2 ? 429 : 200;
}

/* Reads the change as an unsigned number. */
static int takes_no_minus(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "ValueError";
	return strstr(body, "\"-") ? 500 : 200;
}

static int wants_names_of_one_word(const char *body, unsigned nth, const char **words)
{
	const char *name = strstr(body, "\"firstName\":\"");
	(void)nth;
	*words = "invalid input";
	return name && strcspn(name + 13, " ") < strcspn(name + 13, "\"") ? 422 : 200;
}

/* Prints the zip as the number that it has read. */
static int takes_zips_for_numbers(const char *body, unsigned nth, const char **words)
{
	(void)nth;
	*words = "invalid input";
	return strstr(body, "\"zip\":\"0") ? 422 : 200;
}

/* Reads the change as one signed byte. */
static int has_a_byte(const char *body, unsigned nth, const char **words)
{
	const char *change = strstr(body, "\"change\"");
	double number = change ? strtod(change + 10, NULL) : 0;
	(void)nth;
	*words = "Value out of range";
	return number < -128 || number > 127 ? 500 : 200;
}

/* From the one with an apostrophe on, it takes none. */
static int breaks_on_apostrophe(const char *body, unsigned nth, const char **words)
{
	static bool is_broken;
	is_broken = (is_broken && nth > 1) || strchr(body, '\'');
	*words = "current transaction is aborted";
	return is_broken ? 500 : 200;
}

static char seen[64][128];
static size_t seen_count;

/* Whether what it recognizes a notification by came before. */
static bool is_known(const char *key)
{
	for (size_t i = 0; i < seen_count; i++)
		if (strcmp(seen[i], key) == 0)
			return true;
	if (seen_count < 64)
		strcpy(seen[seen_count++], key);
	return false;
}

/* Its users are those that it was told of. */
static int wants_known_users(const char *body, unsigned nth, const char **words)
{
	const char *id = strstr(body, strstr(body, "\"201\"") ? "clientKey" : "userId");
	char key[40];
	(void)nth;
	*words = "no such user";
	if (id)
		snprintf(key, sizeof key, "%.36s", strchr(id, ':') + 2);
	if (!id || is_known(key) || strstr(body, "\"201\""))
		return 200;
	seen_count--;
	return 500;
}

/* The same, and it takes no user after the first. */
static int takes_one_user(const char *body, unsigned nth, const char **words)
{
	if (nth == 1 || !strstr(body, "\"201\""))
		return wants_known_users(body, nth, words);
	*words = "no more users";
	return 507;
}

/* Refuses what has a customer and `length` bytes of something else that came before; NULL: it has none of that. */
static int knows_customer_and(const char *body, const char *other, int length, const char **words)
{
	const char *customer = strstr(body, "clientKey");
	char key[128];
	*words = "duplicate";
	snprintf(key, sizeof key, "%.36s %.*s", customer ? customer + 12 : "", length, other ? other : "");
	return is_known(key) ? 409 : 200;
}

/* A report is stored once, when it is right. */
static int refuses_true_in_new_reports(const char *body, unsigned nth, const char **words)
{
	const char *report = strstr(body, "reportKey");
	char key[40];
	int status = refuses_true(body, nth, words);
	if (!report)
		return status;
	snprintf(key, sizeof key, "%.36s", report + 12);
	if (is_known(key)) {
		*words = "duplicate";
		return strstr(body, "\"post\"") ? 409 : 200;
	}
	seen_count -= status != 200;
	return status;
}

/* Takes notifications with the same customer and path for the same. */
static int knows_customer_and_path(const char *body, unsigned nth, const char **words)
{
	const char *path = strstr(body, "\"path\"");
	(void)nth;
	return knows_customer_and(body, path ? path + 8 : NULL, 20, words);
}

/* The same with the report, also where none of them has one. */
static int knows_customer_and_report(const char *body, unsigned nth, const char **words)
{
	const char *report = strstr(body, "reportKey");
	(void)nth;
	return knows_customer_and(body, report ? report + 12 : NULL, 36, words);
}

/* The same with the whole envelope. */
static int knows_customer_and_envelope(const char *body, unsigned nth, const char **words)
{
	const char *details = strstr(body, "details");
	(void)nth;
	return knows_customer_and(body, body, details ? (int)(details - body) : 0, words);
}

/* The same code of two customers is one too many; the same customer may have it again. */
static int knows_codes(const char *body, unsigned nth, const char **words)
{
	const char *code = strstr(body, "enrollmentCode"), *customer = strstr(body, "clientKey");
	char of[40], key[128];
	(void)nth;
	*words = "Internal Server Error";
	if (!code || !customer || !strstr(body, "\"post\""))
		return 200;
	snprintf(of, sizeof of, "%.36s", customer + 12);
	for (size_t i = 0; i < seen_count; i++)
		if (strncmp(seen[i], code, strcspn(code, ",}")) == 0)
			return strstr(seen[i], of) ? 200 : 500;
	snprintf(key, sizeof key, "%.*s %s", (int)strcspn(code, ",}"), code, of);
	assert_false(is_known(key));
	return 200;
}

/* Knows repeats by their bytes, and then takes no code twice. */
static int has_a_key_of_codes(const char *body, unsigned nth, const char **words)
{
	const char *code = strstr(body, "enrollmentCode");
	char bytes[128], key[128];
	(void)nth;
	*words = "Internal Server Error";
	if (!code || !strstr(body, "\"post\""))
		return 200;
	snprintf(bytes, sizeof bytes, "%zu %.100s", strlen(body), strstr(body, "details"));
	for (size_t i = 0; i < seen_count; i++)
		if (strcmp(seen[i], bytes) == 0)
			return 200;
	snprintf(key, sizeof key, "%.*s", (int)strcspn(code, ",}"), code);
	if (is_known(key))
		return 500;
	is_known(bytes);
	return 200;
}

struct play {
	respond *listener;
	unsigned nth;
	int64_t now;
	size_t asked;
};

static struct cause_request request_to(struct play *play, const char *body, size_t length)
{
	const char *words = "";
	struct cause_request request = { .what = { .body = body, .length = length }, .words = "" };
	request.status = play->listener(body, ++play->nth, &words);
	request.side = request.status == 200 ? CAUSE_ACCEPTED : *body == '{' ? CAUSE_FAILED : CAUSE_ASIDE;
	request.words = request.status == 200 ? "" : words;
	request.check = CAUSE_NO_CHECK;
	request.sent_ns = play->now++;
	request.finished_ns = play->now++;
	return request;
}

static int send_question(void *context, const struct cause_question *question, struct cause_response *response,
                         struct error *err)
{
	struct play *play = context;
	struct cause_request request = request_to(play, question->body, question->length);
	(void)err;
	play->asked++;
	*response = (struct cause_response){ request.side, request.status, request.words, request.sent_ns,
		                             request.finished_ns };
	return CAUSE_SENT;
}

static void add_bodies(struct cause_finder *finder, struct play *play, const char *const *bodies, size_t count)
{
	struct error err;
	for (size_t i = 0; i < count; i++) {
		struct cause_request request = request_to(play, bodies[i], strlen(bodies[i]));
		request.check = i;
		assert_int_equal(cause_add(finder, &request, &err), 0);
	}
}

static size_t questions; /* of the last play */

/* Sends the bodies one after the other, then what is asked, and appends what is said of the causes, a line each.
 * Returns how many checks the first has. */
static size_t play_all(respond *listener, const char *const *bodies, size_t count, struct buffer *out)
{
	struct error err;
	struct play play = { .listener = listener, .now = 1 };
	const struct cause_sender sender = { send_question, &play };
	struct cause_finder *finder = cause_finder_new(&err);
	const struct cause *causes;
	size_t cause_count;
	seen_count = 0;
	assert_non_null(finder);
	add_bodies(finder, &play, bodies, count);
	assert_int_equal(cause_find(finder, &sender, &causes, &cause_count, &err), 0);
	questions = play.asked;
	for (size_t i = 0; i < cause_count; i++) {
		cause_append_words(&causes[i], causes[i].check_count > 1, out);
		buffer_append_byte(out, '\n');
	}
	size_t checks = cause_count > 0 ? causes[0].check_count : 0;
	cause_finder_free(finder);
	return checks;
}

TEST(test_causes_are_found)
{
	static const struct {
		respond *listener;
		const char *bodies[12];
		const char *words;
		size_t questions;
	} rows[] = {
		{ accepts, { ordered, ALERT_BODY }, "", 0 },
		{ needs_path, { ordered, user, ALERT_BODY }, "it has no path\n", 7 },
		{ reads_event, { ordered, user, ALERT_BODY }, "it has something else than digits as event\n", 8 },
		{ refuses_true, { ordered, user, off_cycle }, "it has offCycle \"true\"\n", 5 },
		{ refuses_true_in_jobs, { ordered, user, off_cycle, product }, "each has offCycle \"true\"\n", 8 },
		{ names_what_is_true, { ordered, user, off_cycle, product }, "each has offCycle \"true\"\n", 10 },
		/* Another value there shows something else than none. */
		{ refuses_off_cycle, { user, retrieved, ordered }, "it has offCycle\n", 8 },
		/* The object without it is accepted. */
		{ refuses_zip, { created, ordered, address_of_portland, address_of_chicago }, "each has zip\n", 11 },
		/* What it refers to had begun. */
		{ refuses_user_id, { created, enrolled, user, retrieved }, "it has userId\n", 9 },
		{ wants_known_users,
		  { created, enrolled, unknown_customer, enrolled_unknown },
		  "it refers to a userId that no accepted notification has begun\n",
		  8 },
		{ wants_known_users,
		  { of_nobody, created, enrolled, unknown_customer, enrolled_unknown },
		  "it refers to a userId that no accepted notification has begun\n",
		  8 },
		/* Nobody can be begun for the question: it is asked with one that is known. */
		{ takes_one_user,
		  { created, enrolled, unknown_customer, enrolled_unknown },
		  "it refers to a userId that no accepted notification has begun\n",
		  8 },
		/* It is not that the customer is unknown: one that is known gets the same. */
		{ knows_codes,
		  { created, user, enrolled, retrieved, cancelled_unknown, enrolled_twice, unknown_customer,
		    enrolled_unknown },
		  "it has the enrollmentCode that another clientKey had first and has method \"post\"\n",
		  13 },
		{ has_a_key_of_codes,
		  { created, user, enrolled, enrolled, retrieved, enrolled_twice, cancelled_unknown, enrolled_unknown },
		  "each came after an accepted notification with the same enrollmentCode and method\n",
		  10 },
		/* Whether another path there is accepted is asked with one, also where some have none. */
		{ knows_no_session,
		  { user, ALERT_BODY, retrieved, ordered, logged_in },
		  "it has a path with \"/authenticate/\"\n",
		  7 },
		/* It refuses all that it does not expect: what a question adds, too. */
		{ has_a_table,
		  { user, ordered, retrieved, session, token },
		  "it has method \"put\", or is credit-report-display-token-generated; one of these is why: they "
		  "always "
		  "came together\n",
		  6 },
		{ has_a_table,
		  { ordered, retrieved, user, session, retrieval, no_retrieval },
		  "each has a path with \"/authenticate/\" and has method \"get\"\n",
		  10 },
		/* An accepted one has it, too: it is not said alone. */
		{ refuses_true_in_post,
		  { user, user, ordered, ordered, off_cycle_lookup, off_cycle, off_cycle_user },
		  "each has offCycle \"true\" and has method \"post\"\n",
		  10 },
		/* Three rounds. */
		{ refuses_true_in_post_without_product,
		  { user, ordered, token, off_cycle_lookup, product, off_cycle },
		  "it has no productCode, has offCycle \"true\" and has method \"post\"\n",
		  9 },
		{ refuses_put_and_true,
		  { ordered, user, retrieved, token, off_cycle },
		  "it has method \"put\"\nit has offCycle \"true\"\n",
		  10 },
		/* That of most checks comes first. */
		{ refuses_put_and_true,
		  { ordered, user, retrieved, token, off_cycle, product },
		  "each has offCycle \"true\"\nit has method \"put\"\n",
		  13 },
		{ breaks_on_apostrophe,
		  { created, retrieved, apostrophe, session, ALERT_BODY },
		  "from the first on, no request was accepted, not even one like those before\n",
		  1 },
		/* What it does not fit into is as narrow below 0. */
		{ has_a_byte,
		  { user, changed, lowered, lowered_far, changed_far },
		  "each has a change further from 0 than each that was accepted (up to 7)\n",
		  10 },
		{ wants_names_of_one_word,
		  { person, person_beyond_ascii, ordered, person_of_two_words },
		  "it has a space in firstName\n",
		  5 },
		{ takes_zips_for_numbers,
		  { person, person_beyond_ascii, person_of_boston, person_of_jersey },
		  "each has a zip that begins with 0\n",
		  8 },
		/* Only one of them was sent (--set): another one is asked about. */
		{ takes_zips_for_numbers,
		  { created, ordered, person_of_boston },
		  "it has a zip that begins with 0\n",
		  6 },
		/* By now the report is stored, so it is asked about with another one. */
		{ refuses_true_in_new_reports,
		  { ordered, user, report_of_product, other_report },
		  "it has offCycle \"true\"\n",
		  6 },
		/* It is asked with the same digits. */
		{ takes_no_minus, { user, changed, lowered_far }, "it has a minus in change\n", 7 },
		/* One of the causes has no facts. */
		{ knows_repeats_and_limits,
		  { ordered, ordered, user, token },
		  "it is the same as an accepted notification before\n"
		  "comes and goes: 1 of 7 requests; the listener limits their rate\n",
		  3 },
		/* No member fits alone, and both that are true of any text do. */
		{ refuses_emoji,
		  { ordered, user, emoji, emoji_elsewhere },
		  "each has characters that are not ASCII in its texts\n",
		  8 },
		{ knows_customer_and_path,
		  { user, ordered, session, retrieved, token, other_customer, ALERT_BODY },
		  "each came after an accepted notification with the same clientKey and path\n",
		  7 },
		/* Two identifiers together; of the first that is asked about one is absent, and compared so. */
		{ knows_customer_and_report,
		  { user, report_retrieved, report_token, ordered, other_report, retrieved, other_customer },
		  "each came after an accepted notification with the same clientKey and reportKey\n",
		  12 },
		{ knows_customer_and_envelope,
		  { user, ordered, retrieved, off_cycle, token, session, retrieval, no_retrieval, created,
		    other_customer, product },
		  "each came after an accepted notification with the same clientKey, service, event, method and "
		  "path\n",
		  7 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		size_t count = 0;
		while (rows[i].bodies[count])
			count++;
		play_all(rows[i].listener, rows[i].bodies, count, &out);
		assert_string_equal(buffer_text(&out), rows[i].words);
		assert_int_equal(questions, rows[i].questions);
	}
}

TEST(test_what_comes_and_goes_has_no_cause)
{
	static const char *const bodies[] = { ordered, user, retrieved, token, other_customer, ALERT_BODY };
	RELEASED(buffer) flaky = BUFFER_INIT;
	RELEASED(buffer) busy = BUFFER_INIT;
	play_all(refuses_every_third, bodies, 6, &flaky);
	assert_ptr_equal(strstr(buffer_text(&flaky), "comes and goes: "), buffer_text(&flaky));
	play_all(limits_the_rate, bodies, 6, &busy);
	assert_string_equal(buffer_text(&busy), "comes and goes: 4 of 6 requests; the listener limits their rate\n");
}

TEST(test_it_is_asked_until_another_response_comes)
{
	static const char *const bodies[] = { ordered, user, other_customer, token, session, ALERT_BODY };
	static const struct {
		const char *failures; /* those of the bodies, then of what is asked */
		bool comes_and_goes;
	} rows[] = {
		{ "..x..."
		  "..",
		  true },
		{ "..x..."
		  "xx."
		  "xx.",
		  true }, /* the same again twice, with new identifiers twice */
		{ "..x..."
		  "xxx.",
		  false }, /* always */
		{ "..x..."
		  "xx."
		  "xxx",
		  false }, /* it is recognized when it comes again */
		{ "..x..x"
		  "xxx"
		  "x"
		  "xx."
		  ".",
		  true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		failures = rows[i].failures;
		play_all(fails_as_listed, bodies, 6, &out);
		assert_int_equal(strncmp(buffer_text(&out), "comes and goes: ", 16) == 0, rows[i].comes_and_goes);
	}
}

/* An invalid one that fails like them has its place there, unless it always does. */
TEST(test_what_need_not_be_accepted_comes_and_goes_too)
{
	static const char *const bodies[] = { ordered, user, "[1]", "[2]", ALERT_BODY };
	RELEASED(buffer) out = BUFFER_INIT;
	failures = ".xx.."
	           "."  /* the user again */
	           "."; /* [1] again */
	assert_int_equal(play_all(fails_as_listed, bodies, 5, &out), 2);
	failures = ".xx.."
	           "."
	           "xxx";
	assert_int_equal(play_all(fails_as_listed, bodies, 5, &out), 1);
}

/* Adds a request that was sent and ended then. */
static void add_at(struct cause_finder *finder, const char *body, int status, int64_t sent, int64_t finished,
                   size_t check, bool at_once)
{
	struct error err;
	struct cause_request request = { .what = { .body = body, .length = strlen(body) },
		                         .side = status == 200 ? CAUSE_ACCEPTED : CAUSE_FAILED,
		                         .status = status,
		                         .words = status == 200 ? "" : "duplicate",
		                         .check = check,
		                         .is_fixed = true,
		                         .at_once = at_once,
		                         .sent_ns = sent,
		                         .finished_ns = finished };
	assert_int_equal(cause_add(finder, &request, &err), 0);
}

static bool is_after_found(struct cause_finder *finder)
{
	const struct cause *causes;
	struct error err;
	size_t count;
	bool found = false;
	assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < causes[i].fact_count; f++)
			found |= causes[i].facts[f].kind == FACT_AFTER || causes[i].facts[f].kind == FACT_AFTER_PRESENT;
	cause_finder_free(finder);
	return found;
}

TEST(test_before_is_what_had_ended)
{
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	add_at(finder, ordered, 200, 1, 2, 0, false);
	add_at(finder, other_customer, 200, 3, 4, 1, false);
	add_at(finder, retrieved, 409, 5, 6, 2, false);
	assert_true(is_after_found(finder));

	/* In flight together: neither before nor after. */
	finder = cause_finder_new(&err);
	add_at(finder, ordered, 200, 1, 6, 0, true);
	add_at(finder, other_customer, 200, 7, 8, 1, false);
	add_at(finder, retrieved, 409, 2, 5, 2, true);
	assert_false(is_after_found(finder));

	finder = cause_finder_new(&err);
	add_at(finder, ordered, 200, 1, 2, 0, false);
	cause_forget(finder); /* the listener has ended */
	add_at(finder, other_customer, 200, 3, 4, 1, false);
	add_at(finder, retrieved, 409, 5, 6, 2, false);
	assert_false(is_after_found(finder));
}

TEST(test_more_requests_than_are_kept)
{
	struct error err;
	struct cause_finder *finder = cause_finder_new(&err);
	const struct cause *causes;
	size_t count;
	char body[256];
	for (size_t i = 0; i < CAUSE_ROWS_MOST + 10; i++) {
		snprintf(body, sizeof body, API_BODY("200", "get", "/api/report/v2", "\"productCode\":\"code-%zu\""),
		         i);
		add_at(finder, body, i % 2 == 0 ? 200 : 500, (int64_t)(2 * i), (int64_t)(2 * i + 1), i, false);
	}
	assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
	assert_true(count <= CAUSE_PARTS_MOST);
	cause_finder_free(finder);
}

/* What is asked is sent, unless the sender says otherwise; then what is known so far is said. */
struct stubborn {
	struct play play;
	size_t limit;
	int answer; /* beyond it */
	bool is_beyond;
	struct cause_finder *finder;
};

static int send_some(void *context, const struct cause_question *question, struct cause_response *response,
                     struct error *err)
{
	struct stubborn *s = context;
	s->is_beyond = s->play.asked == s->limit;
	if (s->play.asked == s->limit && s->answer < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "no more");
	if (s->play.asked == s->limit)
		return s->answer;
	return send_question(&s->play, question, response, err);
}

TEST(test_the_sender_may_have_enough)
{
	static const char *const bodies[] = { ordered, user, off_cycle, product };
	static const int answers[] = { CAUSE_ENOUGH, CAUSE_NOT_SENT, -1 };
	for (size_t limit = 0; limit < 8; limit++)
		for (size_t a = 0; a < 3; a++) {
			struct error err;
			struct stubborn s = { .play = { .listener = refuses_true, .now = 1 },
				              .limit = limit,
				              .answer = answers[a] };
			const struct cause_sender sender = { send_some, &s };
			struct cause_finder *finder = cause_finder_new(&err);
			const struct cause *causes;
			size_t count;
			add_bodies(finder, &s.play, bodies, 4);
			int result = cause_find(finder, &sender, &causes, &count, &err);
			bool is_error = answers[a] < 0 && s.is_beyond;
			assert_int_equal(result, is_error ? -1 : 0);
			if (is_error)
				assert_string_equal(err.message, "no more");
			/* Whatever ended it, what is known is said. */
			assert_true(count == 1 &&
			            (causes[0].type != CAUSE_FOUND || causes[0].facts[0].kind == FACT_VALUE));
			cause_finder_free(finder);
		}
}

#define KNOWN_APPLICATION "\"appKey\":\"cccccccc-0000-4000-8000-000000000001\""

/* Knows one application, and reads event as a number. */
static int knows_an_application(const char *body, unsigned nth, const char **words)
{
	if (strstr(body, KNOWN_APPLICATION))
		return reads_event(body, nth, words);
	*words = "forbidden";
	return 403;
}

TEST(test_what_the_user_has_set_is_kept)
{
	static const char *const bodies[] = {
		API_BODY("201", "post", "/api/user/v2", CUSTOMER("1") "," KNOWN_APPLICATION),
		"{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{" CUSTOMER(
		        "1") "," KNOWN_APPLICATION "}}",
		"{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{" CUSTOMER(
		        "2") "," KNOWN_APPLICATION "}}",
		API_BODY("200", "get", "/api/report/v2", CUSTOMER("1") "," KNOWN_APPLICATION),
	};
	struct error err;
	struct play play = { .listener = knows_an_application, .now = 1 };
	const struct cause_sender sender = { send_question, &play };
	struct cause_finder *finder = cause_finder_new(&err);
	const struct cause *causes;
	size_t count;
	cause_keep(finder, "/details/appKey");
	add_bodies(finder, &play, bodies, 4);
	assert_int_equal(cause_find(finder, &sender, &causes, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(causes[0].type, CAUSE_FOUND);
	assert_int_equal(causes[0].facts[0].kind, FACT_NOT_DIGITS);
	cause_finder_free(finder);
}

static int needs_path_in_silence(const char *body, unsigned nth, const char **words)
{
	int status = needs_path(body, nth, words);
	*words = "Internal Server Error";
	return status;
}

TEST(test_without_a_sender_the_requests_say_what_they_can)
{
	static const char *const bodies[] = { ordered, user, ALERT_BODY };
	static const struct {
		respond *listener;
		size_t count;
	} rows[] = {
		{ needs_path_in_silence, 0 }, /* one failure, and nothing that tells its facts apart */
		{ needs_path, 1 },            /* the response names the member */
	};
	for (size_t i = 0; i < 2; i++) {
		struct error err;
		struct play play = { .listener = rows[i].listener, .now = 1 };
		struct cause_finder *finder = cause_finder_new(&err);
		const struct cause *causes;
		size_t count;
		add_bodies(finder, &play, bodies, 3);
		/* Asked again it says the same. */
		for (int time = 0; time < 2; time++) {
			assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
			assert_int_equal(count, rows[i].count);
			assert_true(count == 0 || causes[0].facts[0].kind == FACT_ABSENT);
		}
		cause_finder_free(finder);
	}
}

/* Some text has them: where that is the same member in each, that is said; else any. */
TEST(test_characters_are_of_one_member_or_of_any)
{
	static const char plain[] = API_BODY("200", "get", "/api/report/v2",
	                                     CUSTOMER("1") ",\"productCode\":\"ABCD\",\"firstName\":\"ABCD\"");
	static const char first[] = API_BODY("200", "get", "/api/report/v2",
	                                     CUSTOMER("1") ",\"productCode\":\"\xf0\x9f\x98\x80\","
	                                                   "\"firstName\":\"ABCD\"");
	static const char other[] = API_BODY("200", "get", "/api/report/v2",
	                                     CUSTOMER("1") ",\"productCode\":\"ABCD\","
	                                                   "\"firstName\":\"\xf0\x9f\x98\x80\"");
	static const char both[] = API_BODY("200", "get", "/api/report/v2",
	                                    CUSTOMER("1") ",\"productCode\":\"\xf0\x9f\x98\x80\","
	                                                  "\"firstName\":\"\xf0\x9f\x98\x80\"");
	static const char *const bodies[][4] = { { plain, first, plain, first },
		                                 { plain, first, plain, other },
		                                 { plain, both, plain, both } };
	static const char *const said[] = { "clientKey, or has characters that are not ASCII in productCode;",
		                            "clientKey, or has characters that are not ASCII in its texts;",
		                            "clientKey, has characters that are not ASCII in its texts, or has" };
	for (size_t i = 0; i < 3; i++) {
		struct error err;
		struct play play = { .listener = refuses_emoji, .now = 1 };
		struct cause_finder *finder = cause_finder_new(&err);
		const struct cause *causes;
		size_t count;
		add_bodies(finder, &play, bodies[i], 4);
		assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
		RELEASED(buffer) out = BUFFER_INIT;
		assert_int_equal(count, 1);
		cause_append_words(&causes[0], true, &out);
		if (!strstr(buffer_text(&out), said[i]))
			fail_msg("not '%s': %s", said[i], buffer_text(&out));
		cause_finder_free(finder);
	}
}

/* One says what the member is, and one what came before: neither stands for the other. */
TEST(test_that_a_user_is_new_is_said_beside_that_there_is_one)
{
	static const char *const bodies[] = {
		user,
		"{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/monitoring/v2\","
		"\"details\":{" CUSTOMER("3") ",\"enrollmentCode\":\"sample\"}}",
		"{\"service\":\"monitoring\",\"event\":\"200\",\"method\":\"post\",\"path\":\"/api/monitoring/v2\","
		"\"details\":{" CUSTOMER("4") ",\"enrollmentCode\":\"sample\"}}",
		ENROLLED_BODY("5"), ENROLLED_BODY("6")
	};
	struct error err;
	struct play play = { .listener = refuses_user_id, .now = 1 };
	struct cause_finder *finder = cause_finder_new(&err);
	RELEASED(buffer) out = BUFFER_INIT;
	const struct cause *causes;
	size_t count;
	add_bodies(finder, &play, bodies, 5);
	assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
	assert_int_equal(count, 1);
	cause_append_words(&causes[0], true, &out);
	assert_string_equal(
	        buffer_text(&out),
	        "each refers to a userId that no accepted notification has begun, has a larger body than each that "
	        "was accepted (up to 171 bytes), or has userId; one of these is why: they always came together");
	cause_finder_free(finder);
}

/* Of facts that fit equally, those come first that the response names, or the log: a member in any spelling, a value.
 */
TEST(test_what_is_said_comes_first)
{
	static const struct {
		const char *words, *log;
		enum fact_kind kind; /* of the first fact */
		const char *subject;
		enum cause_type type;
	} rows[] = {
		{ "KeyError: 'path'", "", FACT_ABSENT, "/path", CAUSE_FOUND },
		{ "Internal Server Error", "app.py:41: KeyError: 'path'", FACT_ABSENT, "/path", CAUSE_FOUND },
		{ "no alert_id please", "", FACT_PRESENT, "/details/alertId", CAUSE_FOUND },
		{ "Key (id)=(1234567) already exists", "", FACT_PRESENT, "/details/alertId", CAUSE_FOUND },
		{ "what is a sample here", "", FACT_PRESENT, "/details/alertType", CAUSE_FOUND },
		{ "what is 'sample' here", "", FACT_PRESENT, "/details/alertType", CAUSE_FOUND },
		{ "in /srv/path/alertId.py", "", FACT_KIND, "", CAUSE_FOUND }, /* files */
		{ "POST /alerts/1234567/x", "", FACT_KIND, "", CAUSE_FOUND },
		{ "push failed", "", FACT_KIND, "", CAUSE_FOUND }, /* a word */
		{ "'push' failed", "", FACT_NOT_DIGITS, "/event", CAUSE_TOGETHER },
		{ "push", "", FACT_KIND, "", CAUSE_FOUND },
		{ "a 'push of it", "", FACT_KIND, "", CAUSE_FOUND }, /* one quote */
		{ "a push' of it", "", FACT_KIND, "", CAUSE_FOUND },
		{ "path is missing", "", FACT_ABSENT, "/path", CAUSE_FOUND },
		{ "there is no path.", "", FACT_ABSENT, "/path", CAUSE_FOUND },
		{ "no subpath here", "", FACT_KIND, "", CAUSE_FOUND }, /* other words */
		{ "no paths here", "", FACT_KIND, "", CAUSE_FOUND },
		{ "a subsample of it", "", FACT_KIND, "", CAUSE_FOUND },
		{ "some samples of it", "", FACT_KIND, "", CAUSE_FOUND },
		{ "in path/of.it", "", FACT_KIND, "", CAUSE_FOUND },
		{ "in /path again", "", FACT_KIND, "", CAUSE_FOUND },
		{ "in path.py", "", FACT_KIND, "", CAUSE_FOUND },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct error err;
		struct cause_finder *finder = cause_finder_new(&err);
		const struct cause *causes;
		size_t count;
		for (size_t n = 0; n < 3; n++) {
			const char *body = n == 0 ? user : ALERT_BODY;
			struct cause_request request = { .what = { .body = body, .length = strlen(body) },
				                         .side = n == 0 ? CAUSE_ACCEPTED : CAUSE_FAILED,
				                         .status = n == 0 ? 200 : 500,
				                         .words = n == 0 ? "" : rows[i].words,
				                         .log = text_of(n == 0 ? "" : rows[i].log),
				                         .check = n,
				                         .sent_ns = (int64_t)(2 * n),
				                         .finished_ns = (int64_t)(2 * n + 1) };
			assert_int_equal(cause_add(finder, &request, &err), 0);
		}
		assert_int_equal(cause_find(finder, NULL, &causes, &count, &err), 0);
		if (count != 1 || causes[0].type != rows[i].type || causes[0].facts[0].kind != rows[i].kind)
			fail_msg("%s: %s", rows[i].words, count > 0 ? fact_rows[causes[0].facts[0].kind].name : "none");
		assert_string_equal(causes[0].facts[0].subject, rows[i].subject);
		cause_finder_free(finder);
	}
}

/* Where nothing is accepted any more, what the failed ones have in common says nothing: it is not asked about. */
TEST(test_what_lasts_takes_one_question)
{
	static const char *const bodies[] = { created, retrieved, apostrophe, session, ALERT_BODY };
	struct error err;
	struct play play = { .listener = breaks_on_apostrophe, .now = 1 };
	const struct cause_sender sender = { send_question, &play };
	struct cause_finder *finder = cause_finder_new(&err);
	const struct cause *causes;
	size_t count;
	add_bodies(finder, &play, bodies, 5);
	assert_int_equal(cause_find(finder, &sender, &causes, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(causes[0].type, CAUSE_LASTS);
	assert_int_equal(play.asked, 1);
	cause_finder_free(finder);
}

/* The listener ends over the first question, and what it had accepted is not there any more. */
static int send_and_end(void *context, const struct cause_question *question, struct cause_response *response,
                        struct error *err)
{
	struct stubborn *s = context;
	int sent = send_question(&s->play, question, response, err);
	if (s->play.asked == 1) {
		cause_forget(s->finder);
		seen_count = 0;
	}
	return sent;
}

TEST(test_a_listener_may_end_over_a_question)
{
	static const char *const bodies[] = { user, ordered, session, retrieved, token, other_customer, ALERT_BODY };
	struct error err;
	struct stubborn s = { .play = { .listener = knows_customer_and_path, .now = 1 } };
	const struct cause_sender sender = { send_and_end, &s };
	const struct cause *causes;
	size_t count;
	seen_count = 0;
	s.finder = cause_finder_new(&err);
	add_bodies(s.finder, &s.play, bodies, 7);
	assert_int_equal(cause_find(s.finder, &sender, &causes, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		assert_true(causes[i].type != CAUSE_FOUND || causes[i].facts[0].kind == FACT_AFTER ||
		            causes[i].facts[0].kind == FACT_AFTER_PRESENT);
	cause_finder_free(s.finder);
}

/* The same fact is mended otherwise where the response says more of it. */
TEST(test_what_to_do_depends_on_the_response)
{
	static const struct {
		struct cause_fact fact;
		int status;
		const char *words; /* in what is said */
	} rows[] = {
		{ { .kind = FACT_AT_ONCE, .subject = "others", .value = "" }, 500, "needs a lock, or one each" },
		{ { .kind = FACT_AT_ONCE, .subject = "others", .value = "" }, 0, "the accept queue" },
		{ { .kind = FACT_AT_ONCE, .subject = "others", .value = "" }, 503, "let requests wait" },
		{ { .kind = FACT_CHARACTERS, .subject = "", .value = "an apostrophe" }, 500, "as parameters" },
		{ { .kind = FACT_CHARACTERS, .subject = "", .value = "an apostrophe" }, 422, "take any character" },
		{ { .kind = FACT_CHARACTERS, .subject = "", .value = "a backslash" }, 500, "take any character" },
		{ { .kind = FACT_LARGER, .subject = "/body", .value = "700" }, 413, "raise the limit" },
		{ { .kind = FACT_LARGER, .subject = "/body", .value = "700" }, 500, "read the whole body" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cause cause = { .type = CAUSE_FOUND, .status = rows[i].status, .facts = { rows[i].fact } };
		RELEASED(buffer) out = BUFFER_INIT;
		cause.fact_count = 1;
		cause_append_fix(&cause, &out);
		assert_non_null(strstr(buffer_text(&out), rows[i].words));
	}
}
