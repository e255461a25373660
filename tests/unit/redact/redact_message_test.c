/* Redacted requests, and the proof that no original value is left. */
#include "redact/proof.h"
#include "redact/redact.h"
#include "payload/support.h"

#include <stdio.h>

static const char key[] = "0123456789abcdef";

static struct redact_text text_of(const char *text)
{
	return (struct redact_text){ text, strlen(text) };
}

static struct redactor *redactor_with(const struct redact_policy *policy)
{
	struct error err;
	struct redactor *r = redactor_new(key, sizeof key - 1, policy, &err);
	assert_non_null(r);
	return r;
}

static struct redact_message redacted(struct redactor *r, const struct redact_message *message)
{
	struct redact_message out;
	enum redact_withheld withheld;
	struct error err;
	assert_int_equal(redact_message(r, message, &out, &withheld, &err), 0);
	return out;
}

static const char *header(const char *name, const char *value)
{
	static struct redactor *r;
	static struct buffer text;
	struct redact_header h = { text_of(name), text_of(value) };
	struct redact_message in = { .headers = &h, .header_count = 1, .body = text_of("{}") };
	if (!r)
		r = redactor_with(NULL);
	struct redact_message out = redacted(r, &in);
	buffer_clear(&text);
	buffer_printf(&text, "%s: %s", out.headers[0].name.text, out.headers[0].value.text);
	if (!*name) {
		redactor_free(r);
		buffer_release(&text);
		r = NULL;
	}
	return text.data;
}

static void few_headers_stay(void **state)
{
	(void)state;
	assert_string_equal(header("Content-Type", "application/json; charset=utf-8"),
	                    "Content-Type: application/json; charset=utf-8");
	assert_string_equal(header("content-type", "application/json; owner=jane"), "content-type: application/json");
	assert_string_equal(header("Accept", "*/*"), "Accept: */*");
	assert_string_equal(header("Content-Length", "2"), "Content-Length: 2");
	assert_null(strstr(header("Accept", "jane"), "jane"));
	assert_null(strstr(header("User-Agent", "acme/1.0"), "acme"));
	assert_null(strstr(header("X-Acme-Token", "x"), "Acme"));
	assert_memory_equal(header("Host", "hooks.acme.com"), "Host: host-", 11);
	header("", "");
}

static void addresses_paths_and_queries_become_others(void **state)
{
	struct redact_policy policy = { .rules = NULL };
	struct error err;
	(void)state;
	assert_int_equal(redact_policy_keep_path(&policy, "/hook", &err), 0);
	struct redactor *r = redactor_with(&policy);
	struct redact_message in = { .remote = text_of("10.1.2.3:51234"),
		                     .method = text_of("POST"),
		                     .target = text_of("/hook/j%C3%A9/?id=4711&flag#x"),
		                     .body = text_of("{}") };
	struct redact_message out = redacted(r, &in);
	assert_string_equal(out.method.text, "POST");
	assert_true(strncmp(out.remote.text, "192.0.2.", 8) == 0 || strncmp(out.remote.text, "198.51.100.", 11) == 0 ||
	            strncmp(out.remote.text, "203.0.113.", 10) == 0);
	assert_memory_equal(out.target.text, "/hook/", 6);
	assert_null(strstr(out.target.text, "%C3"));
	assert_null(strstr(out.target.text, "4711"));
	assert_null(strstr(out.target.text, "flag"));
	assert_non_null(strstr(out.target.text, "/?"));
	in.remote = text_of("[::1]:80");
	in.target = text_of("http://acme.com:81/hook");
	out = redacted(r, &in);
	assert_memory_equal(out.remote.text, "[2001:db8::", 11);
	assert_memory_equal(out.target.text, "http://host-", 12);
	assert_string_equal(out.target.text + strlen(out.target.text) - strlen(".example/hook"), ".example/hook");
	redactor_free(r);
	redact_policy_release(&policy);
}

/* Each encoding of a value is found; what is too short is not looked for. */
static void the_proof_finds_every_encoding(void **state)
{
	static const char value[] = "Jane \"O'Neil\" 4711", uuid[] = "0D1F5B6C-2a3e-4f70-8192-a3b4c5d6e7f8";
	static const struct {
		const char *value, *written;
		enum proof_result result;
	} rows[] = {
		{ value, "xx Jane \"O'Neil\" 4711 xx", PROOF_FOUND },
		{ value, "jANE \"o'nEIL\" 4711", PROOF_FOUND },
		{ value, "Jane \\\"O'Neil\\\" 4711", PROOF_FOUND },
		{ value, "Jane%20%22O%27Neil%22%204711", PROOF_FOUND },
		{ value, "%4a%61%6E%65%20%22%4f%27%4e%65%69%6c%22%20%34%37%31%31", PROOF_FOUND },
		{ value, "4A616E6520224F274E65696C222034373131", PROOF_FOUND },
		{ value, "SmFuZSAiTydOZWlsIiA0NzEx", PROOF_FOUND },
		{ value, "eEphbmUgIk8nTmVpbCIgNDcxMQ==", PROOF_FOUND },
		{ value, "eHhKYW5lICJPJ05laWwiIDQ3MTE=", PROOF_FOUND },
		{ value, "Jane O'Neil 4711", PROOF_NONE },
		{ uuid, "\"0d1f5b6c2a3e4f708192a3b4c5d6e7f8\"", PROOF_FOUND },
		{ "\xe5\xbc\xa0\xe4\xbc\x9f", "\xe5\xbc\xa0\xe4\xbc\x9f", PROOF_FOUND },
		{ "Jane", "Jane", PROOF_NONE },                 /* too short */
		{ "aaaaaaaaaa", "aaaaaaaaaa", PROOF_NONE },     /* too common */
		{ "monitoring", "\"monitoring\"", PROOF_NONE }, /* a word of the specification */
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct proof proof = { .originals = NULL };
		proof_begin(&proof);
		proof_add(&proof, rows[i].value, strlen(rows[i].value), 7, false);
		enum proof_result result = proof_search(&proof, rows[i].written, strlen(rows[i].written), NULL, 0);
		if (result != rows[i].result)
			fail_msg("row %zu: %d", i, (int)result);
		proof_release(&proof);
	}
}

/* What is written whatever the values are says nothing; of one record only. */
static void words_of_a_frame_are_common(void **state)
{
	static const char written[] = "{\"startedDateTime\":\"x\",\"y\":\"STARTEDdatetime\"}";
	struct proof proof = { .originals = NULL };
	(void)state;
	for (int record = 0; record < 2; record++) {
		proof_begin(&proof);
		proof_add(&proof, "startedDateTime", 15, 5, false);
		assert_int_equal(proof_search(&proof, written, sizeof written - 1, NULL, 0), PROOF_FOUND);
		proof.frame = "{\"startedDateTime\":";
		assert_int_equal(proof_search(&proof, written, sizeof written - 1, NULL, 0), PROOF_NONE);
		assert_int_equal(proof.checked, 0);
		assert_int_equal(proof.unchecked, record + 1);
	}
	proof_release(&proof);
}

static void a_number_counts_by_itself_only(void **state)
{
	struct proof proof = { .originals = NULL };
	(void)state;
	proof_begin(&proof);
	proof_add(&proof, "1234567890", 10, 3, true);
	assert_int_equal(proof_search(&proof, "[11234567890]", 13, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[12345678901]", 13, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[1,1234567890]", 14, NULL, 0), PROOF_FOUND);
	assert_int_equal(proof.place, 3);
	/* The same digits as a string must not be there at all. */
	proof_add(&proof, "1234567890", 10, 4, false);
	assert_int_equal(proof_search(&proof, "[11234567890]", 13, NULL, 0), PROOF_FOUND);
	assert_int_equal(proof.place, 4);
	proof_release(&proof);
}

/* However often a word of the specification is a value and in the text, it is looked up once. */
static void common_words_cost_little_and_are_not_counted_as_checked(void **state)
{
	struct proof proof = { .originals = NULL };
	struct buffer hay = BUFFER_INIT;
	(void)state;
	proof_begin(&proof);
	for (int i = 0; i < 40000; i++) {
		proof_add(&proof, i % 2 == 0 ? "clientKey" : "clientKeX", 9, 1, false);
		buffer_append_text(&hay, "clientKey:");
	}
	assert_int_equal(proof_search(&proof, hay.data, hay.length, NULL, 0), PROOF_NONE);
	assert_int_equal(proof.checked, 1);
	assert_int_equal(proof.unchecked, 1);
	buffer_release(&hay);
	proof_release(&proof);
}

static void the_proof_resolves_escapes(void **state)
{
	static const char json[] = "{\"a\":\"M\\u0061rgarita\"}";
	struct proof proof = { .originals = NULL };
	(void)state;
	proof_begin(&proof);
	proof_add(&proof, "Margarita", 9, 1, false);
	assert_int_equal(proof_search(&proof, "x", 1, json, strlen(json)), PROOF_FOUND);
	proof_release(&proof);
}

/* What is kept on purpose may hold a value that must go: then nothing is written. */
static void a_value_in_a_plain_field_is_found(void **state)
{
	static const char body[] = "{\"details\":{\"bureau\":\"margarita\",\"firstName\":\"Margarita\"}}";
	struct redactor *r = redactor_with(NULL);
	struct redact_message in = { .body = text_of(body) }, out;
	LOCAL_BUFFER name = BUFFER_INIT;
	struct error err;
	unsigned place;
	(void)state;
	out = redacted(r, &in);
	assert_int_equal(redact_prove(r, &out, out.body.text, out.body.length, &place, &err), 0);
	redact_append_place(place, &name);
	assert_string_equal(buffer_text(&name), "details.firstName");
	in.body = text_of("{\"details\":{\"bureau\":\"margarite\",\"firstName\":\"Margarita\"}}");
	out = redacted(r, &in);
	assert_int_equal(redact_prove(r, &out, out.body.text, out.body.length, &place, &err), 1);
	assert_int_equal(redactor_counts(r)->checked, 1);
	redactor_free(r);
}

/* A search that hostile values would make quadratic gives up, and says so. */
static void the_proof_ends_in_bounded_time(void **state)
{
	struct proof proof = { .originals = NULL };
	struct buffer hay = BUFFER_INIT;
	char value[32];
	(void)state;
	proof_begin(&proof);
	for (int i = 0; i < 20000; i++) {
		snprintf(value, sizeof value, "abcdef%05d-%c", i, 'a' + i % 26);
		proof_add(&proof, value, strlen(value), 1, false);
	}
	for (int i = 0; i < 20000; i++)
		buffer_append_text(&hay, "abcdef-");
	assert_int_equal(proof_search(&proof, hay.data, hay.length, NULL, 0), PROOF_UNDECIDED);
	buffer_release(&hay);
	proof_release(&proof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_headers_stay),
		cmocka_unit_test(addresses_paths_and_queries_become_others),
		cmocka_unit_test(the_proof_finds_every_encoding),
		cmocka_unit_test(words_of_a_frame_are_common),
		cmocka_unit_test(a_number_counts_by_itself_only),
		cmocka_unit_test(common_words_cost_little_and_are_not_counted_as_checked),
		cmocka_unit_test(the_proof_resolves_escapes),
		cmocka_unit_test(a_value_in_a_plain_field_is_found),
		cmocka_unit_test(the_proof_ends_in_bounded_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
