/* How payloads are taken out of documents that they stand in. */
#include "base/mend.h"
#include "json/unwrap.h"
#include "test.h"

#include <string.h>

#define DEEP "take the payloads out: jq -c '..|., (strings|fromjson?)|objects|select(.a and .b)' FILE > FILE.ndjson"

static const struct {
	const char *text, *hint;
} rows[] = {
	{ "{\"payload\":{\"a\":1}}", "the payload is in \"payload\": jq -c .payload FILE > FILE.ndjson" },
	{ "{\"x\":{},\"y\":{\"b\":1},\"z\":{\"b\":1}}", "the payload is in \"y\": jq -c .y FILE > FILE.ndjson" },
	{ "{\"x\":{\"a\":1},\"y\":{\"b\":1,\"a\":1}}", "the payload is in \"y\": jq -c .y FILE > FILE.ndjson" },
	{ "{\"x\":{\"a\":1},\"y\":\"{\\\"b\\\":1,\\\"a\\\":1}\"}",
	  "the payload is in \"y\": jq -c '.y|fromjson' FILE > FILE.ndjson" },
	{ "{\"_Body9\":\"{\\\"a\\\":1}\"}",
	  "the payload is in \"_Body9\": jq -c '._Body9|fromjson' FILE > FILE.ndjson" },
	{ "{\"my-key\":{\"a\":1}}", "the payload is in \"my-key\": jq -c '.\"my-key\"' FILE > FILE.ndjson" },
	{ "{\"9\":{\"a\":1}}", "the payload is in \"9\": jq -c '.\"9\"' FILE > FILE.ndjson" },
	{ "[{\"a\":1},2]", "split the array into one payload per line: jq -c '.[]' FILE > FILE.ndjson" },
	{ "\"{\\\"b\\\":1}\"", "the payload is in the string: jq -c fromjson FILE > FILE.ndjson" },
	/* deeper than one step, or under keys that are not for a shell */
	{ "{\"it's\":{\"a\":1,\"b\":2}}", DEEP },
	{ "{\"\\u202e\":{\"a\":1,\"b\":2}}", DEEP },
	{ "{\"\":{\"a\":1,\"b\":2}}", DEEP },
	{ "[{\"x\":{\"a\":1,\"b\":2}}]", DEEP },
	{ "[1,{\"a\":1,\"b\":2}]", DEEP },
	{ "{\"x\":[\"{\\\"a\\\":1,\\\"b\\\":2}\"]}", DEEP },
	/* nothing is there */
	{ "{\"x\":{\"y\":1}}", "" },
	{ "{\"x\":\"{}\"}", "" },
	{ "{\"x\":[\"a\",\"b\"],\"y\":\"a b\"}", "" },
	{ "{\"x\":[{\"a\":1}]}", "" },
	{ "[]", "" },
	{ "{}", "" },
	{ "\"a\"", "" },
	{ "12", "" },
};

TEST(the_line_is_said)
{
	static const char *const names[] = { "a", "b" };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT, hint = BUFFER_INIT;
		struct mend_file file = { .path = "-" };
		struct json_doc doc;
		doc = JSON_DOC_INIT;
		assert_true(json_read(&doc, rows[i].text, strlen(rows[i].text), NULL));
		json_append_unwrap(&doc, names, JSON_WHOLE, &hint, &file.key);
		mend_append(&out, buffer_text(&hint), &file);
		assert_string_equal(buffer_text(&out), rows[i].hint);
		json_doc_release(&doc);
	}
}

/* In a file of lines the others stay; of what was received there is nothing to type. */
TEST(the_depth_decides)
{
	static const char *const names[] = { "a", "b" };
	static const struct {
		const char *text, *line, *received;
	} deep[] = {
		{ "{\"p\":{\"a\":1}}", "the payload is in \"p\": jq -c '(.p?|objects) // .' FILE > FILE.ndjson",
		  "the payload is in \"p\"" },
		{ "{\"p\":\"{\\\"a\\\":1}\"}",
		  "the payload is in \"p\": jq -c '(.p?|fromjson?) // .' FILE > FILE.ndjson",
		  "the payload is in \"p\"" },
		{ "[{\"a\":1}]",
		  "split the array into one payload per line: jq -c '(arrays|.[]) // .' FILE > FILE.ndjson",
		  "the body is an array: each notification has a request of its own" },
		{ "\"{\\\"b\\\":1}\"",
		  "the payload is in the string: jq -c '(strings|fromjson?) // .' FILE > FILE.ndjson",
		  "the body was encoded twice: it is a string with the payload in it" },
		{ "[[{\"a\":1,\"b\":2}]]",
		  "take the payloads out: jq -c '(..|., (strings|fromjson?)|objects|select(.a and .b)) // .' FILE > "
		  "FILE.ndjson",
		  "there are payloads deeper in the body" },
	};
	for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++)
		for (enum json_depth depth = JSON_RECEIVED; depth <= JSON_FIRST; depth++) {
			RELEASED(buffer) out = BUFFER_INIT, hint = BUFFER_INIT;
			struct mend_file file = { .path = "-" };
			struct json_doc doc;
			doc = JSON_DOC_INIT;
			assert_true(json_read(&doc, deep[i].text, strlen(deep[i].text), NULL));
			json_append_unwrap(&doc, names, depth, &hint, &file.key);
			mend_append(&out, buffer_text(&hint), &file);
			assert_string_equal(buffer_text(&out),
			                    depth == JSON_RECEIVED ? deep[i].received : deep[i].line);
			json_doc_release(&doc);
		}
}
