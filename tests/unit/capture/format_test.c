/* Files of another kind are known by their beginning, in whatever pieces it comes, and notifications never are. */
#include "base/buffer.h"
#include "capture/format.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOREPLAY "1 932079936fa4306fc308d67588178d17d823647c 1439818823587396305 200\nPOST / HTTP/1.1\r\n"
#define VEGETA   "{\"method\":\"POST\",\"url\":\"http://a/\",\"header\":{},\"body\":\"e30=\"}"
#define RESULT   "{\"input\":null,\"record\":1,\"attempt\":1,\"final\":true}"

static const struct {
	const char *text, *name; /* NULL: none */
} rows[] = {
	{ "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"x\"},\"entries\":[]}}", "har" },
	{ "{\"log\":{\"entries\":[{\"request\":{}}]}}", "har" },
	{ "[{\"log\":{\"version\":\"1.2\",\"creator\":{}}},{}]", "har" },
	{ "{\"log\":{\"version\":\"1.2\"}}", NULL },
	{ "{\"log\":\"text\"}", NULL },
	{ GOREPLAY, "gor" },
	{ "4" GOREPLAY, NULL },
	{ "1 932079936fa4306f some words\n", NULL },
	{ VEGETA, "vegeta" },
	{ "{\"method\":\"post\",\"url\":\"/api\"}", NULL },
	{ "{\"httpMethod\":\"POST\",\"isBase64Encoded\":false}", "aws" },
	{ "[{\"rawPath\":\"/\",\"requestContext\":{\"http\":{}}}]", "aws" },
	{ "{\"httpMethod\":\"POST\"}", NULL },
	{ "{\"Records\":[{\"messageId\":\"1\",\"eventSource\":\"aws:sqs\",\"body\":\"\"}]}", "aws-messages" },
	{ "{\"Messages\":[{\"MessageId\":\"1\",\"ReceiptHandle\":\"2\",\"Body\":\"{}\"}]}", "aws-messages" },
	{ "{\"Type\":\"Notification\",\"TopicArn\":\"arn:aws:sns:x\",\"Message\":\"{}\"}", "aws-messages" },
	{ "{\"Messages\":[]}", NULL },
	{ "{\"uri\":\"/api/requests/http\",\"requests\":[]}", "ngrok" },
	{ "{\"requests\":[]}", NULL },
	{ "{\"data\":[{\"uuid\":\"1\",\"token_id\":\"2\"}]}", "webhook.site" },
	{ "{\"data\":[{\"uuid\":\"1\"}]}", NULL },
	{ "93:7:version;2:21#4:type;4:http;}", "mitmproxy" },
	{ "93:7:", NULL },
	{ "12:30:45 a line of a log", NULL },
	{ "\xD4\xC3\xB2\xA1 and so on", "pcap" },
	{ "\x0A\x0D\x0D\x0A....\x4D\x3C\x2B\x1A", "pcap" },
	{ "\n\r\r\n{}", NULL },
	{ "{\"info\":{\"_postman_id\":\"1\"}}", "postman" },
	{ "{\"info\":{\"name\":\"1\"}}", NULL },
	{ "{\"topic\":\"t\",\"partition\":0,\"offset\":7,\"key\":null,\"payload\":\"{}\"}", "kcat" },
	{ "{\"topic\":\"t\",\"offset\":7}", NULL },
	{ "{\"requests\":[{\"id\":\"1\",\"request\":{\"url\":\"/\",\"loggedDate\":1}}]}", "wiremock" },
	{ "{\"requests\":[],\"meta\":{\"total\":0},\"requestJournalDisabled\":false}", "wiremock" },
	{ "[{\"method\":\"POST\",\"path\":\"/\",\"headers\":{},\"keepAlive\":true}]", "mockserver" },
	{ "[{\"httpRequest\":{\"method\":\"POST\"},\"timestamp\":\"x\"}]", "mockserver" },
	{ "{\"method\":\"POST\",\"path\":\"/\"}", NULL },
	{ "[{\"_index\":\"x\",\"_source\":{\"layers\":{}}}]", "tshark" },
	{ "uuid,type,token_id,ip,content\n1,web,2,::1,{}\n", "webhook.site-csv" },
	{ "\"uuid\",\"token_id\",\"content\"\n", "webhook.site-csv" },
	{ "uuid,content\n1,token_id,\n", NULL },
	{ "\x1F", NULL },
	{ "PK\3\4\24\0", "zip" },
	{ "PK and so on", NULL },
	{ RESULT, "results" },
	{ "{\"input\":1,\"record\":\"x\",\"attempt\":1}", NULL },
	{ "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", "json-schema" },
	{ "{\"$schema\":\"./mine.json\"}", NULL },
	{ "{\"environments\":{}}", "config" },
	{ "{\"path\":\"/api/user/v2\"}", NULL },
	{ "{\"fields\":{},\"event\":\"201\"}", NULL },
	{ "{}", NULL },
	{ "[]", NULL },
	{ "", NULL },
	{ "null", NULL },
	{ "{\n \"v\":1,\"received_at\":\"x\",\"body\":\"\"}\n{", "records" },
	{ "{\n \"v\":1,\"received_at\":\"x\",\"headers\":[]}\n{", "records" },
	{ "{\"v\":1,\n\"received_at\":\"x\",\"body\":\"\"}\n{", "records" },
	{ "{\n\"v\":1,\"received_at\":\"x\",\"headers\":[],\"body\":\"", "records" },
	{ "{\n\"type\":\"ready\",\"pid\":1}\n{", "records" },
	{ "{\n \"v\":1,\"received_at\":\"x\",\"body\":\"\"}\n", NULL },
	{ "{\"v\":1,\"received_at\":\"x\",\"body\":\"\"}\n{", NULL },
	/* a torn line */
	{ "{\"v\":1,\"received_at\":\"x\",\"body\":\"\",\n{\"v\":1}", NULL },
	{ "{\"v\":1,\"received_at\":\"x\",\"body\":\"\",\"event\":\n{\"v\":1}\n{", NULL },
	{ "[{\"v\":1,\"received_at\":\"x\",\"body\":\"\"}]", "record-array" },
	{ "[{\"type\":\"ready\",\"pid\":1}]", "record-array" },
	/* at any depth, in a string, or cut off; not a record alone */
	{ "{\"a\":[[{\"received_at\":\"x\",\"headers\":[]}]]}", "records-inside" },
	{ "{\"service\":1,\"a\":{\"v\":1,\"received_at\":\"x\"}}", "records-inside" },
	{ "{\"a\":\" {\\\"v\\\":1,\\\"received_at\\\":1}\"}", "records-inside" },
	{ "{\"a\":\"got {\\\"v\\\":1,\\\"received_at\\\":1} \"}", "records-among-words" },
	{ "{\"service\":1,\"a\":\"[INFO] {\\\"method\\\":1,\\\"target\\\":1,\\u0022headers\\u0022:[\"}",
	  "records-among-words" },
	{ "{\"a\":[\"x {\\\"method\\\":1,\\\"url\\\":1,\\\"httpVersion\\\":1}\"]}", "records-among-words" },
	{ "{\"a\":\"x \\\"{\\\\\\\"v\\\\\\\":1,\\\\\\\"received_at\\\\\\\":1}\\\"\"}", "records-among-words" },
	{ "{\"service\":1,\"a\":\"the \\\"method\\\" of a target, its headers\"}", NULL },
	{ "\"[{\\\"target\\\":1,\\\"headers\\\":1,\\\"method\\\":1}]\"", NULL },
	{ "[1,{\"method\":\"POST\",\"target\":\"/\",\"headers\":[[\"a\",", "records-inside" },
	{ "{\"entries\":[{\"startedDateTime\":\"x\",\"request\":{}}]}", "har-entries" },
	{ "{\"request\":{\"method\":\"POST\",\"url\":\"/\",\"httpVersion\":\"\",\"hea", "har-entries" },
	{ "{\"details\":{\"v\":1,\"received_at\":\"x\",\"headers\":[]}}", "records-inside" },
	{ "{\"service\":1,\"details\":[{\"startedDateTime\":\"x\",\"request\":{}}]}", "har-entries" },
	{ "{\"v\":1,\"received_at\":\"x\",\"body\":\"{\\\"received_at\\\":1,\\\"headers\\\":1}\"}", NULL },
	{ "{\"received_at\":\"x\",\"request\":{\"method\":\"POST\",\"url\":\"/\"}}", NULL },
	/* whatever else stands in it, what may be a notification is none of them */
	{ "{\"log\":{\"version\":\"1\",\"creator\":{}},\"service\":1}", NULL },
	{ "{\"$schema\":\"json-schema.org\",\"details\":{}}", NULL },
	{ "{\"environments\":{},\"details\":1}", NULL },
	{ "[{\"log\":{\"version\":\"1\",\"creator\":{}},\"service\":1}]", NULL },
};

static const char *name_of(const struct format *format)
{
	return format ? format->name : "none";
}

TEST(each_kind_is_known)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool more;
		const struct format *found =
		        format_of_beginning(rows[i].text, strlen(rows[i].text), true, SOURCE_DETECT, &more);
		assert_string_equal(name_of(found), rows[i].name ? rows[i].name : "none");
		assert_false(more);
	}
}

/* A line of it is none, even where nothing follows. */
TEST(lines_are_no_record)
{
	static const char one[] = "{\n \"v\":1,\"received_at\":\"x\",\"body\":\"\"}\n";
	bool more;
	assert_string_equal(name_of(format_of_beginning(one, strlen(one), true, SOURCE_LINES, &more)), "records");
	assert_null(format_of_beginning(one, strlen(one), true, SOURCE_SINGLE, &more));
	assert_null(format_of_beginning(one, strlen(one), false, SOURCE_SINGLE, &more));
	assert_true(more);
}

/* Ours and those with a reader, in the order of the table. */
TEST(inputs_are_named)
{
	const char *const *name = format_input_names;
	assert_string_equal(*name++, "auto");
	for (size_t i = 0; i < capture_format_count; i++)
		if (capture_formats[i].reader || strcmp(capture_formats[i].name, FORMAT_RECORD) == 0)
			assert_string_equal(*name++, capture_formats[i].name);
	assert_null(*name);
}

/* What has an end for its names is written, and nothing else; a page is not compressed. */
TEST(outputs_are_named)
{
	const char *const *name = format_output_names;
	RELEASED(buffer) ends = BUFFER_INIT;
	assert_string_equal(*name++, "auto");
	for (size_t i = 0; i < capture_format_count; i++) {
		assert_true(capture_formats[i].ends[0] || !capture_formats[i].writer);
		if (capture_formats[i].ends[0])
			assert_string_equal(*name++, capture_formats[i].name);
	}
	assert_null(*name);
	assert_string_equal(name_of(format_of_name("x.ndjson")), FORMAT_RECORD);
	assert_string_equal(name_of(format_of_name("x.JSONL.gz")), FORMAT_RECORD);
	assert_string_equal(name_of(format_of_name("x.html")), "html");
	assert_string_equal(name_of(format_of_name("x.html.gz")), "none");
	assert_string_equal(name_of(format_of_name("har")), "none");
	assert_string_equal(name_of(format_of_name(".gz")), "none");
	format_append_ends(&ends);
	assert_string_equal(buffer_text(&ends), ".ndjson[.gz], .jsonl[.gz], .har[.gz], .html");
}

/* Over 64 KiB of it, and no end. */
TEST(a_long_document_is_known_by_its_beginning)
{
	RELEASED(buffer) text = BUFFER_INIT;
	bool more;
	buffer_append_text(&text,
	                   "\xEF\xBB\xBF \n{\"log\":{\"version\":\"1.2\",\"creator\":{},\"pages\":[],\"entries\":[");
	assert_null(format_of_beginning(text.data, text.length, false, SOURCE_DETECT, &more));
	assert_true(more);
	buffer_append_repeat(&text, ' ', FORMAT_LOOK_MAX);
	assert_string_equal(name_of(format_of_beginning(text.data, text.length, false, SOURCE_DETECT, &more)), "har");
	buffer_clear(&text);
	buffer_append_text(&text, "{\"log\":{\"comment\":\"");
	buffer_append_repeat(&text, 'x', FORMAT_LOOK_MAX);
	assert_null(format_of_beginning(text.data, FORMAT_LOOK_MAX - 1, false, SOURCE_DETECT, &more));
	assert_true(more);
	assert_null(format_of_beginning(text.data, text.length, false, SOURCE_DETECT, &more));
	assert_false(more);
}

/* In pieces of 3 bytes; and what is handed out behind the look is all of it. */
TEST(a_source_is_looked_at_and_loses_nothing)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct source_options options = { .type = SOURCE_SINGLE, .block = 3 };
		struct error err;
		struct source_item item;
		const struct format *found;
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		size_t length = strlen(rows[i].text);
		assert_int_equal(write(ends[1], rows[i].text, length), length);
		close(ends[1]);
		struct source *source = source_open_fd(ends[0], "input", &options, &err);
		assert_non_null(source);
		assert_int_equal(format_look(source, &found, &err), SOURCE_ITEM);
		assert_string_equal(name_of(found), rows[i].name ? rows[i].name : "none");
		assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
		assert_int_equal(item.length, length);
		assert_memory_equal(item.text, rows[i].text, length);
		source_close(source);
		close(ends[0]);
	}
}

/* A pipe that has a whole line, and stays open, is not waited for. */
TEST(a_whole_line_is_enough)
{
	static const char *const lines[] = { "{\"service\":\"user\"}\n", VEGETA, "{\"v\":1}", "[]" };
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct error err;
		const struct format *found;
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		assert_true(write(ends[1], lines[i], strlen(lines[i])) > 0);
		struct source *source = source_open_fd(ends[0], "input", &(struct source_options){ 0 }, &err);
		source_set_wait(source, false);
		assert_int_equal(format_look(source, &found, &err), SOURCE_ITEM);
		assert_string_equal(name_of(found), i == 1 ? "vegeta" : "none");
		source_close(source);
		close(ends[0]);
		close(ends[1]);
	}
}

TEST(half_a_document_is_waited_for)
{
	struct error err;
	const struct format *found;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "{\"method\":\"POST\",\"ur", 20), 20);
	struct source *source = source_open_fd(ends[0], "input", &(struct source_options){ 0 }, &err);
	source_set_wait(source, false);
	assert_int_equal(format_look(source, &found, &err), SOURCE_LATER);
	assert_int_equal(write(ends[1], "l\":\"http://a/\"}", 15), 15);
	assert_int_equal(format_look(source, &found, &err), SOURCE_ITEM);
	assert_string_equal(name_of(found), "vegeta");
	source_close(source);
	close(ends[0]);
	close(ends[1]);
}
