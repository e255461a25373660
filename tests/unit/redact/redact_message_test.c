/* Redacted requests, and the proof that no original value is left. */
#include "payload/support.h"
#include "redact/proof.h"
#include "redact/redact.h"
#include "test.h"

#include <stdio.h>

static const char key[] = "0123456789abcdef";

static struct text sender, via; /* of the message that is redacted; then their fakes, which are the redactor's */

static struct redactor *new_redactor(void)
{
	struct error err;
	struct redactor *r = redactor_new(key, sizeof key - 1, false, &err);
	assert_non_null(r);
	sender = text_of("");
	via = text_of(NULL);
	return r;
}

static struct message redacted(struct redactor *r, const struct message *message)
{
	struct message out;
	enum redact_withheld withheld;
	struct error err;
	assert_int_equal(redact_message(r, message, &out, &sender, &via, &withheld, &err), 0);
	assert_int_equal(withheld, REDACT_NOT_WITHHELD);
	return out;
}

static const char *header(const char *name, const char *value)
{
	static struct redactor *r;
	static struct buffer text;
	struct header h = { text_of(name), text_of(value) };
	struct message in = { .headers = &h, .header_count = 1, .body = text_of("{}") };
	if (!r)
		r = new_redactor();
	struct message out = redacted(r, &in);
	buffer_clear(&text);
	buffer_printf(&text, "%s: %s", out.headers[0].name.text, out.headers[0].value.text);
	if (!*name) {
		redactor_free(r);
		buffer_release(&text);
		r = NULL;
	}
	return text.data;
}

TEST(few_headers_stay)
{
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
	/* What follows a NUL is of the name, too. */
	static const char name[] = "X-Request-Id\0Jane";
	struct redactor *r = new_redactor();
	struct header h = { { name, sizeof name - 1 }, text_of("1") };
	struct message in = { .headers = &h, .header_count = 1, .body = text_of("{}") };
	struct message out = redacted(r, &in);
	assert_int_equal(out.headers[0].name.length, sizeof name - 1);
	assert_memory_not_equal(out.headers[0].name.text + sizeof name - 5, "Jane", 4);
	redactor_free(r);
}

TEST(addresses_paths_and_queries_become_others)
{
	struct redactor *r = new_redactor();
	struct message in = { .method = text_of("POST"),
		              .target = text_of("/hook/j%C3%A9/?id=4711&flag#x"),
		              .body = text_of("{}") };
	sender = text_of("10.1.2.3:51234");
	struct message out = redacted(r, &in);
	assert_string_equal(out.method.text, "POST");
	assert_true(strncmp(sender.text, "192.0.2.", 8) == 0 || strncmp(sender.text, "198.51.100.", 11) == 0 ||
	            strncmp(sender.text, "203.0.113.", 10) == 0);
	assert_null(strstr(out.target.text, "hook"));
	assert_null(strstr(out.target.text, "%C3"));
	assert_null(strstr(out.target.text, "4711"));
	assert_null(strstr(out.target.text, "flag"));
	assert_non_null(strstr(out.target.text, "/?"));
	sender = text_of("[::1]:80");
	in.target = text_of("http://acme.com:81/hook");
	out = redacted(r, &in);
	assert_memory_equal(sender.text, "[2001:db8::", 11);
	assert_memory_equal(out.target.text, "http://host-", 12);
	assert_non_null(strstr(out.target.text, ".example/"));
	redactor_free(r);
}

/* Whoever has the key has files that were redacted by earlier versions, too. */
TEST(fakes_of_a_request_are_those_of_earlier_versions)
{
	static const struct {
		const char *sender, *fake;
	} senders[] = {
		{ "10.1.2.3", "192.0.2.148" },
		{ "10.1.2.3:51234", "192.0.2.148:64274" },
		{ "10.1.2.4:51234", "198.51.100.36:54002" },
		{ "2001:db8:1::5", "2001:db8::bfb9:c6d2:474e" },
		{ "[2001:db8:1::5]:80", "[2001:db8::bfb9:c6d2:474e]:24463" },
	};
	static const struct {
		const char *name, *value, *fake;
	} headers[] = {
		{ "Host", "hooks.acme.com", "host-57cfad51.example" },
		{ "Host", "HOOKS.acme.com", "host-57cfad51.example" },
		{ "User-Agent", "acme/1.0", "vwwe/2.3" },
		{ "User-Agent", "mice/1.0", "bpvr/8.1" },
		{ "User-Agent", "\xff\x80/1.0", "as/2.7" },
		{ "X-Api-Key", "q", "q" },
		{ "Accept", "text/plain;q=0.3", "nvvj/pyedt;f=1.0" },
	};
	struct redactor *r = new_redactor();
	for (size_t i = 0; i < sizeof senders / sizeof senders[0]; i++) {
		struct message in = { .method = text_of("POST"),
			              .target = text_of("/hook/4711?id=a"),
			              .body = text_of("") };
		sender = text_of(senders[i].sender);
		struct message out = redacted(r, &in);
		assert_string_equal(sender.text, senders[i].fake);
		assert_string_equal(out.target.text, "/kdrvfqvi/205365967636?oceripcy=cnqupukj");
		assert_int_equal(out.body.length, 0);
	}
	sender = text_of("");
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		struct header h = { text_of(headers[i].name), text_of(headers[i].value) };
		struct message in = { .headers = &h, .header_count = 1, .body = text_of("{}") };
		struct message out = redacted(r, &in);
		assert_string_equal(out.headers[0].value.text, headers[i].fake);
	}
	redactor_free(r);
}

/* Of a name longer than any that DNS has, the beginning decides. */
TEST(a_host_may_be_as_long_as_a_header)
{
	char host[2][301];
	struct text fakes[2];
	struct redactor *r[2] = { new_redactor(), new_redactor() };
	for (int i = 0; i < 2; i++) {
		memset(host[i], 'a', 300);
		host[i][300] = '\0';
	}
	host[1][299] = 'b';
	for (int i = 0; i < 2; i++) {
		struct header h = { text_of("Host"), text_of(host[i]) };
		struct message in = { .headers = &h, .header_count = 1, .body = text_of("{}") };
		fakes[i] = redacted(r[i], &in).headers[0].value;
	}
	assert_string_equal(fakes[0].text, fakes[1].text);
	assert_int_equal(fakes[0].length, strlen("host-01234567.example"));
	redactor_free(r[0]);
	redactor_free(r[1]);
}

static bool is_proven(struct redactor *r, const struct message *in, const char *written, unsigned *place)
{
	struct error err;
	sender = text_of("");
	struct message out = redacted(r, in);
	int result = redact_prove(r, &out, written, strlen(written), place, &err);
	assert_true(result >= 0);
	return result > 0;
}

/* A part of a target is looked for as it was written, and as what that means. */
TEST(parts_of_a_target_are_looked_for_decoded_and_not)
{
	struct redactor *r = new_redactor();
	const struct message in = { .method = text_of("POST"),
		                    .target = text_of("/v1/j%61neroe%34711?q=r%6Fberta"),
		                    .body = text_of("{}") };
	unsigned place;
	uint64_t unchecked = redactor_counts(r).unchecked;
	assert_true(is_proven(r, &in, "nothing of it", &place));
	assert_int_equal(redactor_counts(r).checked, 4);
	assert_int_equal(redactor_counts(r).unchecked, unchecked + 2); /* v1, q */
	assert_false(is_proven(r, &in, "x janeroe4711 x", &place));
	assert_int_equal(place, REDACT_PATH);
	assert_false(is_proven(r, &in, "x J%61NEROE%34711 x", &place));
	assert_int_equal(place, REDACT_PATH);
	assert_false(is_proven(r, &in, "robErta", &place));
	assert_int_equal(place, REDACT_QUERY);
	assert_false(is_proven(r, &in, "r%6fberta", &place));
	assert_int_equal(place, REDACT_QUERY);
	redactor_free(r);
}

TEST(an_address_stays_one_with_and_without_a_port)
{
	static const char *const hosts[] = { "198.18.0.7", "2001:db8:1::5" };
	struct redactor *r = new_redactor();
	const struct message in = { .method = text_of("POST"), .target = text_of("/"), .body = text_of("{}") };
	for (int i = 0; i < 2; i++) {
		char with_port[64];
		snprintf(with_port, sizeof with_port, i == 0 ? "%s:80" : "[%s]:80", hosts[i]);
		sender = text_of(hosts[i]);
		via = text_of(with_port);
		redacted(r, &in);
		assert_null(strstr(via.text, hosts[i]));
		assert_memory_equal(sender.text, via.text + i, sender.length);
		assert_non_null(strstr(via.text, i == 0 ? ":" : "]:"));
	}
	redactor_free(r);
}

static void add(struct proof *proof, const char *text, unsigned place, bool is_number)
{
	proof_add(proof, text_of(text), place, is_number, text_of(""));
}

/* A value that is also kept elsewhere must not stay in its own place. */
TEST(a_value_that_is_its_own_fake_is_a_leak_whatever_is_kept)
{
	static const char kept[] = "TransUnion-4711";
	for (int stays = 0; stays < 2; stays++) {
		struct proof proof = { .count = 0 };
		proof_begin(&proof);
		proof_keep(&proof, PROOF_COMMON, kept, strlen(kept));
		proof_add(&proof, text_of(kept), 3, false, text_of(stays ? "xTRANSUNION-4711" : "Qvnfhulpu-0393"));
		enum proof_result result = proof_search(&proof, kept, strlen(kept), NULL, 0);
		assert_int_equal(result, stays ? PROOF_FOUND : PROOF_NONE);
		if (stays)
			assert_int_equal(proof.place, 3);
		proof_release(&proof);
	}
}

/* Each encoding of a value is found; what is too short is not looked for. */
TEST(the_proof_finds_every_encoding)
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
		{ uuid, "key0D1F5B6C2A3E4F708192A3B4C5D6E7F8a", PROOF_FOUND },
		{ "\xe5\xbc\xa0\xe4\xbc\x9f", "\xe5\xbc\xa0\xe4\xbc\x9f", PROOF_FOUND },
		{ "Jane", "Jane", PROOF_NONE },             /* too short */
		{ "aaaaaaaaaa", "aaaaaaaaaa", PROOF_NONE }, /* too common */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(proof) proof = { .originals = NULL };
		proof_begin(&proof);
		add(&proof, rows[i].value, 7, false);
		enum proof_result result = proof_search(&proof, rows[i].written, strlen(rows[i].written), NULL, 0);
		if (result != rows[i].result)
			fail_msg("row %zu: %d", i, (int)result);
	}
}

/* There must be 10^8 values like it: eight digits, six letters, or six bytes outside ASCII, three of them different. */
TEST(what_is_too_short_or_too_common_is_not_looked_for)
{
	static const struct {
		const char *value;
		bool is_checked;
	} rows[] = {
		{ "1234567", false },
		{ "12345678", true },
		{ "1-2-3-4-5-6-7", false },
		{ "1-2-3-4-5-6-7-8", true },
		{ "abcde", false },
		{ "abcdef", true },
		{ "abcd12", false },
		{ "abcde1", true },
		{ "ab12345", false },
		{ "abc1234", true },
		{ "12121212", false },
		{ "12121213", true },
		{ "aaaaaa-b.", false },
		{ "aaaaaa-b.c", true },
		{ "AAAAAAAa", false },
		{ "AAAAAAab", true },
		{ "\xe5\xbc\xa0\xc3\xa9", false },
		{ "\xc3\xa9\xc3\xa8\xc3\xa9", true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(proof) proof = { .originals = NULL };
		proof_begin(&proof);
		add(&proof, rows[i].value, 7, false);
		enum proof_result result = proof_search(&proof, rows[i].value, strlen(rows[i].value), NULL, 0);
		if (result != (rows[i].is_checked ? PROOF_FOUND : PROOF_NONE) || proof.unchecked != !rows[i].is_checked)
			fail_msg("%s: %d", rows[i].value, (int)result);
	}
}

/* What is kept says nothing where it is a value elsewhere; of one record only. */
TEST(what_is_kept_is_no_leak)
{
	static const char written[] = "{\"startedDateTime\":\"x\",\"y\":\"STARTEDdatetime\"}";
	RELEASED(proof) proof = { .originals = NULL };
	for (int record = 0; record < 2; record++) {
		proof_begin(&proof);
		add(&proof, "startedDateTime", 5, false);
		assert_int_equal(proof_search(&proof, written, sizeof written - 1, NULL, 0), PROOF_FOUND);
		proof_keep(&proof, PROOF_COMMON, "{\"startedDateTime\":", 19);
		assert_int_equal(proof_search(&proof, written, sizeof written - 1, NULL, 0), PROOF_NONE);
		assert_int_equal(proof.checked, 0);
		assert_int_equal(proof.unchecked, record + 1);
	}
}

/* Each value once, at the place where it is kept; what only common words have is not one of them. */
TEST(what_stands_where_it_is_kept_is_counted)
{
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	proof_keep(&proof, PROOF_COMMON, "clientKey", 9);
	proof_keep(&proof, 7, "TransUnion", 10);
	proof_keep(&proof, 7, "Equifax Information", 19);
	proof_keep(&proof, 9, "Experian", 8);
	add(&proof, "clientKey", 1, false);
	add(&proof, "information", 1, false);
	add(&proof, "EXPERIAN", 2, false);
	add(&proof, "elsewhere", 3, false);
	add(&proof, "TransUnion", 4, false); /* kept, and not written */
	static const char written[] = "clientKey Equifax Information Experian";
	assert_int_equal(proof_search(&proof, written, sizeof written - 1, NULL, 0), PROOF_NONE);
	assert_int_equal(proof.also_kept, 2);
	assert_int_equal(proof.unchecked, 1);
	assert_int_equal(proof.checked, 2);
	for (unsigned place = 0; place < PROOF_PLACES; place++)
		assert_int_equal(proof.also_kept_at[place], place == 7 || place == 9);
	/* A record that is not written is not counted. */
	proof_begin(&proof);
	proof_keep(&proof, 8, "Experian", 8);
	add(&proof, "Experian", 2, false);
	add(&proof, "elsewhere", 3, false);
	assert_int_equal(proof_search(&proof, "Experian elsewhere", 18, NULL, 0), PROOF_FOUND);
	assert_int_equal(proof.also_kept, 2);
	assert_false(proof.also_kept_at[8]);
}

/* Nothing of the record before it is left of where something is kept. */
TEST(where_it_is_kept_is_said_of_this_record)
{
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	proof_keep(&proof, 6, "Equifax", 7);
	proof_keep(&proof, 7, "Experian", 8);
	proof_begin(&proof);
	proof_keep(&proof, 9, "Experian", 8);
	proof_keep(&proof, 7, "TransUnion", 10);
	add(&proof, "TransUnion", 1, false);
	assert_int_equal(proof_search(&proof, "TransUnion", 10, NULL, 0), PROOF_NONE);
	for (unsigned place = 0; place < PROOF_PLACES; place++)
		assert_int_equal(proof.also_kept_at[place], place == 7);
}

TEST(a_number_counts_by_itself_only)
{
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	add(&proof, "1234567890", 3, true);
	assert_int_equal(proof_search(&proof, "[11234567890]", 13, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[12345678901]", 13, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[1,1234567890]", 14, NULL, 0), PROOF_FOUND);
	assert_int_equal(proof.place, 3);
	/* The same digits as a string must not be there at all. */
	add(&proof, "1234567890", 4, false);
	assert_int_equal(proof_search(&proof, "[11234567890]", 13, NULL, 0), PROOF_FOUND);
	assert_int_equal(proof.place, 4);
}

/* However often a text that is kept is a value and in the text, it is looked up once. */
TEST(common_words_cost_little_and_are_not_counted_as_checked)
{
	RELEASED(proof) proof = { .originals = NULL };
	RELEASED(buffer) hay = BUFFER_INIT;
	proof_begin(&proof);
	proof_keep(&proof, PROOF_COMMON, "clientKey", 9);
	for (int i = 0; i < 40000; i++) {
		add(&proof, i % 2 == 0 ? "clientKey" : "clientKeX", 1, false);
		buffer_append_text(&hay, "clientKey:");
	}
	assert_int_equal(proof_search(&proof, hay.data, hay.length, NULL, 0), PROOF_NONE);
	assert_int_equal(proof.checked, 1);
	assert_int_equal(proof.unchecked, 1);
}

TEST(the_proof_resolves_escapes)
{
	static const char json[] = "{\"a\":\"M\\u0061rgarita\"}";
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	add(&proof, "Margarita", 1, false);
	assert_int_equal(proof_search(&proof, "x", 1, json, strlen(json)), PROOF_FOUND);
}

static struct text redacted_response(struct redactor *r, const char *body, const char *said, struct text *type)
{
	struct message in = { .body = text_of(body) };
	struct text text = text_of(said);
	struct error err;
	redacted(r, &in);
	assert_int_equal(redact_response(r, 256, type, &text, &err), 0);
	return text;
}

/* Neither a key nor a number of it stays, and equal ones stay equal. */
TEST(the_text_of_a_response_is_one_value)
{
	struct redactor *r = new_redactor();
	struct text type = TEXT("application/json"), page = TEXT("text/x-acme");
	char first[64];
	struct text one = redacted_response(r, "{\"a\":1}", "{\"jobnumber\":48151623,\"Title\":\"Inquiry\"}", &type);
	assert_string_equal(type.text, "application/json");
	assert_int_equal(one.length, strlen("{\"jobnumber\":48151623,\"Title\":\"Inquiry\"}"));
	assert_null(strstr(one.text, "jobnumber"));
	assert_null(strstr(one.text, "48151623"));
	assert_null(strstr(one.text, "Inquiry"));
	snprintf(first, sizeof first, "%s", one.text);
	one = redacted_response(r, "{\"b\":2}", "{\"jobnumber\":48151623,\"Title\":\"Inquiry\"}", &page);
	assert_string_equal(one.text, first);
	assert_null(strstr(page.text, "acme"));
	redactor_free(r);
}

/* The cut has left "Bartholom" of the name: that is looked for, too. */
/* Of six bytes at least: what is left of it begins or ends the text that was cut. */
TEST(the_proof_looks_for_values_that_a_cut_has_split)
{
	static const struct {
		const char *text, *written;
		bool is_found;
	} rows[] = {
		{ "unknown name bartholom", "[\"no Bartholom\"]", true },
		{ "unknown name bartholome", "[\"no Bartholome\"]", true },
		{ "unknown name Bartho", "[\"no bartho\"]", true },
		{ "unknown name Barth", "[\"no barth\"]", false },
		{ "tholomew is unknown", "[\"tholomew\"]", true },
		{ "artholomew is unknown", "[\"artholomew\"]", true },
		{ "olomew is unknown", "[\"OLOMEW\"]", true },
		{ "lomew is unknown", "[\"lomew\"]", false },
		{ "a name that is unknown", "[\"tholomew\"]", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(proof) proof = { .originals = NULL };
		size_t length = strlen(rows[i].written);
		proof_begin(&proof);
		add(&proof, "Bartholomew", 1, false);
		assert_int_equal(proof_search(&proof, rows[i].written, length, NULL, 0), PROOF_NONE);
		proof_add_split(&proof, text_of(rows[i].text), 2);
		assert_int_equal(proof_search(&proof, rows[i].written, length, NULL, 0),
		                 rows[i].is_found ? PROOF_FOUND : PROOF_NONE);
		if (rows[i].is_found)
			assert_int_equal(proof.place, 2);
	}
}

/* By chance the fake of another value may be the value; its own fake may not. */
TEST(what_a_fake_has_by_chance_is_no_leak)
{
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	add(&proof, "monica", 1, false);
	proof_add(&proof, text_of("Robert"), 2, false, text_of("Monica"));
	assert_int_equal(proof_search(&proof, "[\"Monica\"]", 10, NULL, 0), PROOF_NONE);
	proof_begin(&proof);
	proof_add(&proof, text_of("Monica"), 1, false, text_of("monica"));
	assert_int_equal(proof_search(&proof, "[\"monica\"]", 10, NULL, 0), PROOF_FOUND);
}

/* Nor is what a value of this record has in the place of an earlier one. */
TEST(values_of_the_record_before_are_not_looked_for)
{
	RELEASED(proof) proof = { .originals = NULL };
	proof_begin(&proof);
	add(&proof, "Monica", 1, false);
	assert_int_equal(proof_search(&proof, "[\"nobody\"]", 10, NULL, 0), PROOF_NONE);
	proof_begin(&proof);
	add(&proof, "Katherine", 1, false);
	assert_int_equal(proof_search(&proof, "[\"Kather\"]", 10, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[\"Monica\"]", 10, NULL, 0), PROOF_NONE);
	assert_int_equal(proof_search(&proof, "[\"Katherine\"]", 13, NULL, 0), PROOF_FOUND);
}

/* A search that hostile values would make quadratic gives up, and says so. */
TEST(the_proof_ends_in_bounded_time)
{
	RELEASED(proof) proof = { .originals = NULL };
	RELEASED(buffer) hay = BUFFER_INIT;
	char value[32];
	proof_begin(&proof);
	for (int i = 0; i < 20000; i++) {
		snprintf(value, sizeof value, "abcdef%05d-%c", i, 'a' + i % 26);
		add(&proof, value, 1, false);
	}
	for (int i = 0; i < 20000; i++)
		buffer_append_text(&hay, "abcdef-");
	assert_int_equal(proof_search(&proof, hay.data, hay.length, NULL, 0), PROOF_UNDECIDED);
}
