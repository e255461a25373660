/* Bodies to replay: from captures and payload files, with bad records reported and skipped. */
#include "capture/folder.h"
#include "capture/inputs.h"
#include "test.h"

#include <stdlib.h>

#define RECORD(body) "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"" body "\"}"

/* LINE KIND BODY| of each item; of a bad one what is wrong with it goes to `problem`. */
struct seen {
	struct buffer items;
	struct error problem;
};

static void on_problem(void *context, const struct error *problem)
{
	struct seen *seen = context;
	const char *name = strrchr(problem->message, '/'), *colon = name ? strchr(name, ':') : NULL;
	seen->problem = *problem;
	if (colon && strstr(problem->message, ": skipped: "))
		buffer_printf(&seen->items, "%luB|", strtoul(colon + 1, NULL, 10)); /* of FILE:LINE:COLUMN the line */
}

static void on_opening(void *context, const char *path)
{
	(void)context;
	(void)path;
}

static struct seen read_all(const char *path, size_t limit)
{
	struct seen seen = { BUFFER_INIT, { .code = EXIT_CODE_OK } };
	const struct inputs_observer observer = { .problem = on_problem, .opening = on_opening, .context = &seen };
	struct text_list arguments = { 0 };
	struct inputs inputs;
	struct capture_item item;
	struct error err;
	enum inputs_got got;
	assert_int_equal(text_list_add(&arguments, path, &err), 0);
	assert_int_equal(inputs_init(&inputs, &arguments, CAPTURE_ACCEPTS_TEXT, &observer, NULL, &err), 0);
	inputs.limit = limit;
	while ((got = inputs_next(&inputs, &item, &err)) == INPUTS_ITEM) {
		buffer_printf(&seen.items, "%zu%c", item.line, item.type == CAPTURE_ITEM_RECORD ? 'R' : 'P');
		buffer_append(&seen.items, item.record.request.body.text, item.record.request.body.length);
		buffer_append_byte(&seen.items, '|');
	}
	assert_int_equal(got, INPUTS_NONE);
	inputs_release(&inputs);
	text_list_release(&arguments);
	return seen;
}

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
		struct seen seen = read_all(folder_write_text(*state, cases[i].name, cases[i].input), 30);
		if (strcmp(buffer_text(&seen.items), cases[i].items) != 0)
			fail_msg("<%s>: <%s>", cases[i].input, buffer_text(&seen.items));
		buffer_release(&seen.items);
	}
}

FOLDER_TEST(what_is_wrong_with_a_line_is_told)
{
	static const struct {
		const char *line, *problem;
	} cases[] = {
		{ "{\"v\":1,\"rec", "a.ndjson:1:12: skipped: torn record: " },
		{ "{\"v\":1,\"rec\n", "a.ndjson:1:12: skipped: bad record: " },
		{ "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":1}\n",
		  "record key 'body' is not a string" },
		{ "{\"v\":2,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"\"}\n", "record key 'v' is not 1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct seen seen = read_all(folder_write_text(*state, "a.ndjson", cases[i].line), SOURCE_PAYLOAD_MAX);
		assert_string_equal(buffer_text(&seen.items), "1B|");
		if (!strstr(seen.problem.message, cases[i].problem))
			fail_msg("%s", seen.problem.message);
		assert_int_equal(seen.problem.code, EXIT_CODE_FAILED);
		buffer_release(&seen.items);
	}
}
