/* Bodies to replay: from captures and payload files, with bad records reported and skipped. */
#include "capture/folder.h"
#include "capture/reader.h"
#include "test.h"

#define RECORD(body) "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"" body "\"}"

static const char kinds[] = {
	[CAPTURE_ITEM_RECORD] = 'R',
	[CAPTURE_ITEM_PAYLOAD] = 'P',
	[CAPTURE_ITEM_BAD] = 'B',
};

FOLDER_TEST(the_kind_of_each_line)
{
	static const struct {
		const char *name, *input, *items; /* LINE KIND BODY| */
	} cases[] = {
		{ "a.ndjson", RECORD("1") "\n" RECORD("x\\n") "\n", "1R1|2Rx\n|" },
		{ "a", RECORD("1") "\n\n" RECORD("2") "\n", "1R1|3R2|" },
		{ "a.json", RECORD("1") "\n", "1R1|" },
		{ "a.ndjson", "{\"service\":1}\r\n[2]\n", "1P{\"service\":1}|2P[2]|" },
		{ "a.json", "{\n\"a\": 1}\n", "1P{\n\"a\": 1}\n|" },
		/* What is replayed is not judged. */
		{ "a.ndjson", "{\"a\":}\n[2]\n", "1P{\"a\":}|2P[2]|" },
		/* A torn record is no payload, nor is anything else in a file of records. */
		{ "a.ndjson", RECORD("1") "\n{\"v\":1,\"rec", "1R1|2B|" },
		{ "a.ndjson", RECORD("1") "\n{}\nrubbish\n" RECORD("2") "\n", "1R1|2B|3B|4R2|" },
		{ "a.ndjson", "{\"v\":1,\"rec\n{}\n", "1B|2P{}|" },
		{ "a.ndjson", "{}\n" RECORD("1") "\n{}\n", "1P{}|2R1|3P{}|" },
		{ "a.ndjson", "{\"v\":7,\"received_at\":\"x\",\"body\":\"\"}\n", "1B|" },
		{ "a.ndjson", RECORD("123456789") "\n" RECORD("1234567890123456789012345678901") "\n",
		  "1R123456789|2B|" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_write_text(*state, cases[i].name, cases[i].input);
		struct error err;
		struct capture_reader *reader =
		        capture_reader_open(path, &(struct source_options){ .limit = 30 }, CAPTURE_ACCEPTS_TEXT, &err);
		assert_non_null(reader);
		struct buffer items = BUFFER_INIT;
		struct capture_item item;
		enum source_result result;
		while ((result = capture_reader_next(reader, &item, &err)) == SOURCE_ITEM) {
			buffer_printf(&items, "%zu%c", item.line, kinds[item.kind]);
			buffer_append(&items, item.record.request.body.text, item.record.request.body.length);
			buffer_append_byte(&items, '|');
			if (item.kind == CAPTURE_ITEM_BAD) {
				assert_true(strlen(item.problem.message) > 0);
				assert_null(item.record.request.body.text);
			}
		}
		assert_int_equal(result, SOURCE_END);
		if (strcmp(buffer_text(&items), cases[i].items) != 0)
			fail_msg("<%s>: <%s>", cases[i].input, buffer_text(&items));
		buffer_release(&items);
		capture_reader_close(reader);
	}
}

FOLDER_TEST(what_is_wrong_with_a_line_is_told)
{
	static const struct {
		const char *line, *problem;
	} cases[] = {
		{ "{\"v\":1,\"rec", "torn record: column 12: " },
		{ "{\"v\":1,\"rec\n", "bad record: column 12: " },
		{ "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":1}\n",
		  "record key 'body' is not a string" },
		{ "{\"v\":2,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"\"}\n", "record key 'v' is not 1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_write_text(*state, "a.ndjson", cases[i].line);
		struct error err;
		struct capture_item item;
		struct capture_reader *reader =
		        capture_reader_open(path, &(struct source_options){ 0 }, CAPTURE_ACCEPTS_TEXT, &err);
		assert_int_equal(capture_reader_next(reader, &item, &err), SOURCE_ITEM);
		assert_int_equal(item.kind, CAPTURE_ITEM_BAD);
		if (!strstr(item.problem.message, cases[i].problem))
			fail_msg("%s", item.problem.message);
		assert_int_equal(item.problem.code, EXIT_CODE_FAILED);
		capture_reader_close(reader);
	}
}

FOLDER_TEST(an_input_that_cannot_be_read_is_an_error)
{
	struct error err;
	assert_null(capture_reader_open(folder_file(*state, "missing"), &(struct source_options){ 0 },
	                                CAPTURE_ACCEPTS_TEXT, &err));
	assert_int_equal(err.code, EXIT_CODE_IO);
}
