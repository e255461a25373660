/* Entries of another tool's capture: how long one may be, whatever the blocks in which it is read. */
#include "base/buffer.h"
#include "capture/entries.h"
#include "capture/folder.h"
#include "test.h"

#define LIMIT     ((size_t)2048) /* of a body */
#define LIMIT_ALL (2 * LIMIT + SOURCE_RECORD_EXTRA)
#define BODY      "\"{\\\"service\\\":1}\""

/* An entry of this length; 0: as short as can be. */
static void append_entry(struct buffer *har, size_t length)
{
	size_t from = har->length;
	buffer_append_text(har, "{\"request\":{\"method\":\"POST\",\"url\":\"http://a/\",\"headers\":[],\"postData\":{"
	                        "\"mimeType\":\"application/json\",\"text\":" BODY "}},\"comment\":\"");
	if (length > 0)
		buffer_append_repeat(har, 'x', length - 2 - (har->length - from));
	buffer_append_text(har, "\"}");
}

#define TO_THE_LIMIT 1 /* a block that ends where an entry of the limit does */

/* What becomes of an entry of that length, R a record and B a bad one, and of the short ones around it. */
static const char *read_entries(struct folder *folder, size_t length, size_t block, struct error *problem)
{
	static char kinds[8];
	RELEASED(buffer) har = BUFFER_INIT;
	struct source_options options = { .type = SOURCE_SINGLE, .limit = LIMIT, .block = block };
	struct capture_item item;
	struct error err;
	size_t count = 0;
	buffer_append_text(&har, "{\"log\":{\"version\":\"1.2\",\"creator\":{},\"entries\":[");
	append_entry(&har, 0);
	buffer_append_text(&har, ",\n");
	if (block == TO_THE_LIMIT)
		options.block = har.length + LIMIT_ALL;
	append_entry(&har, length);
	buffer_append_text(&har, ",\n");
	append_entry(&har, 0);
	buffer_append_text(&har, "]}}");
	struct source *source = source_open(folder_write(folder, "x.har", har.data, har.length), &options, &err);
	struct entries *entries = entries_new(source, format_named("har"), LIMIT, &err);
	assert_non_null(entries);
	while (entries_next(entries, &item, &err) == SOURCE_ITEM) {
		assert_true(count + 1 < sizeof kinds);
		assert_int_equal(item.line, count + 1);
		assert_int_equal(item.source.line, count + 1);
		if (item.type == CAPTURE_ITEM_BAD) {
			*problem = item.problem;
			assert_in_range(item.source.length, LIMIT_ALL,
			                LIMIT_ALL + (options.block ? options.block : 1 << 18));
		} else
			assert_int_equal(item.record.request.body.length, 13);
		kinds[count++] = item.type == CAPTURE_ITEM_RECORD ? 'R' : 'B';
	}
	kinds[count] = '\0';
	entries_free(entries);
	source_close(source);
	return kinds;
}

FOLDER_TEST(an_entry_of_the_limit_is_read_and_a_longer_one_is_skipped)
{
	static const size_t blocks[] = { 0, TO_THE_LIMIT, 4096, 100000, 2 * LIMIT_ALL };
	struct error problem = { 0 };
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		assert_string_equal(read_entries(*state, LIMIT_ALL, blocks[i], &problem), "RRR");
		assert_string_equal(problem.message, "");
		assert_string_equal(read_entries(*state, LIMIT_ALL + 1, blocks[i], &problem), "RBR");
		assert_string_equal(problem.message, "the entry is too long");
		assert_string_equal(read_entries(*state, 3 * LIMIT_ALL, blocks[i], &problem), "RBR");
		problem = (struct error){ 0 };
	}
}
