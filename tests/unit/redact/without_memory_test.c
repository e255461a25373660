/* Memory that runs out while something is redacted is said: nothing is withheld for it, or passes as it was. */
#include "failing_memory.h"
#include "payload/support.h"
#include "redact/redact.h"
#include "test.h"

static const char body[] =
        "{\"service\":\"user\",\"event\":\"user created\",\"details\":{\"firstName\":\"Jane\",\"age\":41,"
        "\"zip\":[true,\"\\u00e9\",{\"Jane\":\"Jane\"}]}}";
static const struct header headers[] = { HEADER("Host", "hooks.acme.com"), HEADER("X-Acme", "token"),
	                                 HEADER("Cookie", "a=b") };
static const struct message whole = { .method = TEXT("POST"),
	                              .target = TEXT("/hook/jane?id=4711"),
	                              .headers = headers,
	                              .header_count = sizeof headers / sizeof headers[0],
	                              .body = { body, sizeof body - 1 } };

/* Appends all that is left of the message and of its response; -1: no memory. */
static int redact(struct buffer *out, struct error *err)
{
	struct message redacted;
	struct text remote = TEXT("10.1.2.3:51234"), via = TEXT("10.1.2.4"), type = TEXT("text/plain"),
	            text = TEXT("no such customer: Jane");
	enum redact_withheld withheld;
	struct redactor *r = redactor_new("0123456789abcdef", 16, false, err);
	int code = r ? redact_message(r, &whole, &redacted, &remote, &via, &withheld, err) : -1;
	if (code == 0) {
		assert_int_equal(withheld, REDACT_NOT_WITHHELD);
		code = redact_response(r, 1024, &type, &text, err);
	}
	const struct text *const texts[] = { &redacted.target, &redacted.body, &remote, &via, &type, &text };
	for (size_t i = 0; code == 0 && i < sizeof texts / sizeof texts[0]; i++)
		buffer_append(out, texts[i]->text, texts[i]->length);
	for (size_t i = 0; code == 0 && i < redacted.header_count; i++) {
		buffer_append(out, redacted.headers[i].name.text, redacted.headers[i].name.length);
		buffer_append(out, redacted.headers[i].value.text, redacted.headers[i].value.length);
	}
	redactor_free(r);
	return code;
}

TEST(whichever_allocation_fails)
{
	RELEASED(buffer) usual = BUFFER_INIT;
	struct error err;
	bool has_failed = true;
	unsigned refused = 0;
	assert_int_equal(redact(&usual, &err), 0);
	assert_null(strstr(buffer_text(&usual), "Jane"));
	for (unsigned long number = 1; has_failed; number++) {
		RELEASED(buffer) out = BUFFER_INIT;
		assert_true(buffer_reserve(&out, usual.length + 1));
		fail_at = number;
		allocations = 0;
		int code = redact(&out, &err);
		has_failed = allocations >= fail_at;
		fail_at = 0;
		if (code < 0)
			assert_string_equal(err.message, "out of memory");
		else
			assert_string_equal(buffer_text(&out), buffer_text(&usual));
		refused += code < 0;
	}
	assert_true(refused > 10);
}
