/* The capture record: its exact form, every byte there and back, and faulty ones refused by the name of the key. */
#include "base/clock.h"
#include "capture/record.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct header content_type[] = { { TEXT("Content-Type"), TEXT("application/json") } };

/* The one of the specification of records. */
static struct capture_record sample(void)
{
	struct capture_record record = {
		.seq = 1,
		.remote = TEXT("127.0.0.1:5123"),
		.request = { .method = TEXT("POST"),
		             .target = TEXT("/hook?x=1"),
		             .headers = content_type,
		             .header_count = 1,
		             .body = TEXT("{\"a\": \"b/c\"}") },
		.event = TEXT("user-created"),
		.valid = CAPTURE_VALID,
		.status = 200,
	};
	assert_true(clock_parse_stamp("2026-01-02T03:04:05.123456Z", &record.received_us));
	return record;
}

TEST(a_record_is_one_line_with_its_keys_in_order)
{
	struct capture_record record = sample();
	RELEASED(buffer) line = BUFFER_INIT;
	capture_record_append(&record, &line);
	assert_string_equal(
	        buffer_text(&line),
	        "{\"v\":1,\"seq\":1,\"received_at\":\"2026-01-02T03:04:05.123456Z\","
	        "\"remote\":\"127.0.0.1:5123\",\"method\":\"POST\",\"target\":\"/hook?x=1\","
	        "\"headers\":[[\"Content-Type\",\"application/json\"]],\"body\":\"{\\\"a\\\": \\\"b/c\\\"}\","
	        "\"event\":\"user-created\",\"valid\":true,\"response\":{\"status\":200}}\n");
	buffer_clear(&line);
	record.request.body = (struct text)TEXT("\xff\x00");
	record.event = (struct text){ NULL, 0 };
	record.valid = CAPTURE_INVALID;
	record.status = 0;
	record.fault = (struct text)TEXT("reset");
	record.request.header_count = 0;
	capture_record_append(&record, &line);
	assert_non_null(strstr(buffer_text(&line), ",\"headers\":[],\"body_base64\":\"/wA=\",\"event\":null,"
	                                           "\"valid\":false,\"response\":{\"fault\":\"reset\"}}\n"));
	buffer_clear(&line);
	record.valid = CAPTURE_UNCHECKED;
	record.fault = (struct text){ NULL, 0 };
	capture_record_append(&record, &line);
	assert_non_null(strstr(buffer_text(&line), ",\"valid\":null,\"response\":null}\n"));
}

static void assert_text(struct text got, struct text expected)
{
	if (!expected.text) {
		assert_null(got.text);
		return;
	}
	assert_non_null(got.text);
	assert_int_equal(got.length, expected.length);
	assert_memory_equal(got.text, expected.text, expected.length);
	assert_int_equal(got.text[got.length], '\0');
}

static void assert_round_trip(struct capture_scratch *scratch, const struct capture_record *record)
{
	RELEASED(buffer) line = BUFFER_INIT;
	struct capture_record back;
	struct error err;
	capture_record_append(record, &line);
	assert_false(line.failed);
	assert_ptr_equal(memchr(line.data, '\n', line.length), line.data + line.length - 1);
	if (capture_record_parse(scratch, line.data, line.length, &back, &err) < 0)
		fail_msg("%s: %s", err.message, line.data);
	assert_int_equal(back.seq, record->seq);
	assert_int_equal(back.received_us, record->received_us);
	assert_text(back.remote, record->remote);
	assert_text(back.request.method, record->request.method);
	assert_text(back.request.target, record->request.target);
	assert_int_equal(back.request.header_count, record->request.header_count);
	for (size_t i = 0; i < record->request.header_count; i++) {
		assert_text(back.request.headers[i].name, record->request.headers[i].name);
		assert_text(back.request.headers[i].value, record->request.headers[i].value);
	}
	assert_text(back.request.body, record->request.body);
	assert_text(back.event, record->event);
	assert_text(back.fault, record->fault);
	assert_int_equal(back.valid, record->valid);
	assert_int_equal(back.status, record->status);
	assert_text(back.response_type, record->response_type);
	assert_text(back.response_text, record->response_text);
	assert_int_equal(scratch->doc.tokens[back.body_token].type, JSON_STRING);
}

TEST(every_body_comes_back_exactly)
{
	static const struct text bodies[] = {
		TEXT(""),
		TEXT("{}\r\n"),
		TEXT("\0\1\2\x1f\x7f"),
		TEXT("\xef\xbb\xbf{}"),
		TEXT("\xe2\x82\xac \xf0\x9f\x92\xb3 \xe2\x80\xa8"),
		TEXT("\xc0\x80"),
		TEXT("\xed\xa0\x80"),
		TEXT("\xf4\x90\x80\x80"),
		TEXT("cut \xe2\x82"),
		TEXT("\\u0000 \\ \" /"),
	};
	RELEASED(capture_scratch) scratch;
	scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record = sample();
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		record.request.body = bodies[i];
		assert_round_trip(&scratch, &record);
	}
	uint32_t seed = 1;
	for (size_t length = 0; length < 300; length++) {
		char bytes[300];
		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24 & (length % 2 ? 0xFF : 0x7F));
		record.request.body = (struct text){ bytes, length };
		assert_round_trip(&scratch, &record);
	}
}

TEST(texts_that_are_no_utf8_come_back_exactly)
{
	static const struct header headers[] = {
		{ TEXT("X-Latin"), TEXT("caf\xe9") },    { TEXT("X-Latin-As-UTF-8"), TEXT("caf\xc3\xa9") },
		{ TEXT("X-Raw"), TEXT("\xff\xfe\x80") }, { TEXT(""), TEXT("") },
		{ TEXT("N\xff"), TEXT("\\xff") },
	};
	RELEASED(capture_scratch) scratch;
	scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record = sample();
	record.request.headers = headers;
	record.request.header_count = sizeof headers / sizeof headers[0];
	record.request.target = (struct text)TEXT("/\xe9?\x80");
	assert_round_trip(&scratch, &record);
	RELEASED(buffer) line = BUFFER_INIT;
	capture_record_append(&record, &line);
	assert_non_null(strstr(buffer_text(&line), "[\"X-Latin\",{\"base64\":\"Y2Fm6Q==\"}]"));
}

TEST(the_beginning_of_a_response_comes_back_exactly)
{
	static const struct text texts[] = { TEXT("{\"error\":\"unknown alertType\"}"), TEXT("\xff\x00\xfe"),
		                             TEXT("é") };
	struct capture_record record = sample();
	RELEASED(capture_scratch) scratch;
	RELEASED(buffer) line = BUFFER_INIT;
	scratch = CAPTURE_SCRATCH_INIT;
	record.status = 422;
	record.response_type = (struct text)TEXT("application/json");
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		record.response_text = texts[i];
		assert_round_trip(&scratch, &record);
	}
	record.response_text = texts[1];
	capture_record_append(&record, &line);
	assert_non_null(strstr(buffer_text(&line), "\"response\":{\"status\":422,\"type\":\"application/json\","
	                                           "\"text_base64\":\"/wD+\"}}\n"));
}

/* Between two characters, or, of what is not text, anywhere. */
TEST(a_response_is_cut_between_two_characters)
{
	char text[CAPTURE_RESPONSE_MOST + 4];
	memset(text, 'x', sizeof text);
	assert_int_equal(capture_response_cut((struct text){ text, CAPTURE_RESPONSE_MOST }).length,
	                 CAPTURE_RESPONSE_MOST);
	assert_int_equal(capture_response_cut((struct text){ text, sizeof text }).length, CAPTURE_RESPONSE_MOST);
	memcpy(text + CAPTURE_RESPONSE_MOST - 1, "\xe2\x82\xac", 3);
	assert_int_equal(capture_response_cut((struct text){ text, sizeof text }).length, CAPTURE_RESPONSE_MOST - 1);
	text[0] = '\xff';
	assert_int_equal(capture_response_cut((struct text){ text, sizeof text }).length, CAPTURE_RESPONSE_MOST);
}

TEST(a_large_body_of_controls_is_not_blown_up)
{
	RELEASED(buffer) body = BUFFER_INIT, line = BUFFER_INIT;
	buffer_append_repeat(&body, '\1', 100000);
	struct capture_record record = sample();
	record.request.body = (struct text){ body.data, body.length };
	capture_record_append(&record, &line);
	assert_true(line.length < 2 * body.length);
	RELEASED(capture_scratch) scratch;
	scratch = CAPTURE_SCRATCH_INIT;
	assert_round_trip(&scratch, &record);
}

TEST(what_is_absent_has_its_default)
{
	static const char line[] = "{ \"x\": [1], \"received_at\": \"2026-01-02T04:04:05+01:00\", \"v\": 1,"
	                           "\"body\": \"\\u00e9\", \"event\": null, \"response\": {}, \"headers\": null }\r\n";
	RELEASED(capture_scratch) scratch;
	struct capture_record record;
	struct error err;
	scratch = CAPTURE_SCRATCH_INIT;
	assert_int_equal(capture_record_parse(&scratch, line, sizeof line - 1, &record, &err), 0);
	assert_int_equal(record.seq, 0);
	assert_int_equal(record.received_us, INT64_C(1767323045000000));
	assert_string_equal(record.received_at.text, "2026-01-02T04:04:05+01:00");
	assert_string_equal(record.request.body.text, "\xc3\xa9");
	assert_null(record.request.method.text);
	assert_null(record.request.target.text);
	assert_null(record.event.text);
	assert_null(record.fault.text);
	assert_int_equal(record.request.header_count, 0);
	assert_int_equal(record.valid, CAPTURE_UNCHECKED);
	assert_int_equal(record.status, 0);
	assert_false(record.body_base64);
	assert_int_equal(line[scratch.doc.tokens[record.body_token].start], '"');
	assert_memory_equal(line + scratch.doc.tokens[record.body_token].start, "\"\\u00e9\"", 8);
}

#define AT   "\"received_at\":\"2026-01-02T03:04:05Z\""
#define HEAD "{\"v\":1," AT ","

TEST(a_faulty_record_is_refused_by_the_name_of_its_key)
{
	static const char *const cases[][2] = {
		{ "", "not JSON at column 1" },
		{ HEAD "\"body\":\"", "not JSON at column" },
		{ "[]", "not a capture record" },
		{ HEAD "\"bodies\":\"\"}", "a record without its body" },
		{ "{\"v\":2," AT ",\"body\":\"\"}", "'v' is not 1" },
		{ "{\"v\":1.0," AT ",\"body\":\"\"}", "'v' is not 1" },
		{ "{\"v\":\"1\"," AT ",\"body\":\"\"}", "'v' is not 1" },
		{ "{\"v\":1,\"received_at\":1,\"body\":\"\"}", "'received_at' is not a string" },
		{ "{\"v\":1,\"received_at\":\"yesterday\",\"body\":\"\"}", "'received_at' is not an RFC 3339 time" },
		{ "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\\u0000\",\"body\":\"\"}",
		  "'received_at' is not an RFC 3339" },
		{ HEAD "\"body\":null}", "'body' is not a string" },
		{ HEAD "\"body\":{}}", "'body' is not a string" },
		{ HEAD "\"body_base64\":1}", "'body_base64' is not a string" },
		{ HEAD "\"body_base64\":\"Zg\"}", "'body_base64' is not base64" },
		{ HEAD "\"body\":\"\",\"body_base64\":\"\"}", "both 'body' and 'body_base64'" },
		{ HEAD "\"body\":\"\",\"seq\":\"1\"}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"seq\":-1}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"seq\":1.5}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"seq\":18446744073709551616}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"seq\":1e2}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"seq\":null}", "'seq' is not an integer" },
		{ HEAD "\"body\":\"\",\"remote\":1}", "'remote' is not a string" },
		{ HEAD "\"body\":\"\",\"scheme\":1}", "'scheme' is not a string" },
		{ HEAD "\"body\":\"\",\"method\":[]}", "'method' is not a string" },
		{ HEAD "\"body\":\"\",\"target\":{}}", "'target' is not a string" },
		{ HEAD "\"body\":\"\",\"target\":{\"base64\":\"!\"}}", "'target' is not base64" },
		{ HEAD "\"body\":\"\",\"headers\":{}}", "'headers' is not an array of" },
		{ HEAD "\"body\":\"\",\"headers\":[\"a\"]}", "'headers' is not an array of" },
		{ HEAD "\"body\":\"\",\"headers\":[[\"a\"]]}", "'headers' is not an array of" },
		{ HEAD "\"body\":\"\",\"headers\":[[\"a\",\"b\",\"c\"]]}", "'headers' is not an array of" },
		{ HEAD "\"body\":\"\",\"headers\":[[\"a\",1]]}", "'headers' is not a string" },
		{ HEAD "\"body\":\"\",\"event\":7}", "'event' is not a string" },
		{ HEAD "\"body\":\"\",\"valid\":1}", "'valid' is not a boolean" },
		{ HEAD "\"body\":\"\",\"response\":200}", "'response' is not an object" },
		{ HEAD "\"body\":\"\",\"response\":{\"status\":99}}", "'response.status' is not an HTTP status" },
		{ HEAD "\"body\":\"\",\"response\":{\"status\":\"200\"}}", "'response.status' is not an HTTP status" },
		{ HEAD "\"body\":\"\",\"response\":{\"fault\":1}}", "'response.fault' is not a string" },
		{ HEAD "\"body\":\"\",\"response\":{\"type\":1}}", "'response.type' is not a string" },
		{ HEAD "\"body\":\"\",\"response\":{\"text\":1}}", "'response.text' is not a string" },
		{ HEAD "\"body\":\"\",\"response\":{\"text_base64\":\"!\"}}", "'response.text_base64' is not base64" },
	};
	RELEASED(capture_scratch) scratch;
	scratch = CAPTURE_SCRATCH_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct capture_record record;
		struct error err = { 0 };
		if (capture_record_parse(&scratch, cases[i][0], strlen(cases[i][0]), &record, &err) == 0)
			fail_msg("accepted: %s", cases[i][0]);
		if (!strstr(err.message, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], err.message);
		assert_int_equal(err.code, EXIT_CODE_FAILED);
	}
}

TEST(a_record_is_told_from_a_payload)
{
	static const struct {
		const char *text;
		bool record;
	} cases[] = {
		{ HEAD "\"body\":\"\"}", true },
		{ HEAD "\"body_base64\":\"\"}", true },
		{ HEAD "\"body\":5,\"seq\":\"x\"}", true },
		{ "{\"v\":2," AT ",\"body\":\"\"}", true },
		{ "{\"v\":1,\"body\":\"\"}", false },
		{ "{" AT ",\"body\":\"\"}", false },
		{ HEAD "\"b\":\"\"}", false },
		{ "{\"service\":\"IDENTITY\",\"event\":\"200\"}", false },
		{ "[1]", false },
		{ "null", false },
	};
	RELEASED(json_doc) doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(json_read(&doc, cases[i].text, strlen(cases[i].text), &fault));
		assert_int_equal(capture_line_of(&doc) == CAPTURE_ITEM_RECORD, cases[i].record);
	}
}
