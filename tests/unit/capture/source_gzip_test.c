/* gzip inputs: whole, in members, cut at every byte, damaged, followed by something; and blocks of lines. */
#include "base/buffer.h"
#include "capture/folder.h"
#include "capture/source.h"
#include "test.h"

#include <zlib.h>

/* Appends one gzip member that holds the bytes. */
static void pack(struct buffer *out, const char *bytes, size_t length)
{
	z_stream z = { 0 };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t room = deflateBound(&z, length);
	assert_true(buffer_reserve(out, room));
	z.next_in = (unsigned char *)(uintptr_t)bytes;
	z.avail_in = (unsigned)length;
	z.next_out = (unsigned char *)out->data + out->length;
	z.avail_out = (unsigned)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->length += room - z.avail_out;
	deflateEnd(&z);
}

/* "LINE:TEXT|" per item, then the error's message in <>. */
static void describe(const char *path, size_t block, bool in_blocks, struct buffer *out)
{
	struct source_options options = { .block = block };
	struct error err;
	struct source_item item;
	struct source *lines = NULL, *source = source_open(path, &options, &err);
	assert_non_null(source);
	enum source_result got;
	buffer_clear(out);
	if (in_blocks) {
		while ((got = source_next_block(source, &lines, &err)) == SOURCE_ITEM)
			while (source_next(lines, &item, &err) == SOURCE_ITEM)
				buffer_printf(out, "%zu:%.*s|", item.line, (int)item.length, item.text);
	} else {
		while ((got = source_next(source, &item, &err)) == SOURCE_ITEM)
			buffer_printf(out, "%zu:%.*s|", item.line, (int)item.length, item.text);
	}
	if (got == SOURCE_ERROR) {
		assert_int_equal(err.code, EXIT_CODE_IO);
		assert_non_null(strstr(err.message, path));
		buffer_printf(out, "<%s>", strrchr(err.message, ':') + 2);
	}
	source_close(lines);
	source_close(source);
}

static void assert_items(struct folder *folder, const char *name, const struct buffer *bytes, const char *expected)
{
	static const size_t blocks[] = { 2, 7, 0 };
	char *path = strdup(folder_write(folder, name, bytes->data, bytes->length));
	for (size_t i = 0; i < 6; i++) {
		RELEASED(buffer) seen = BUFFER_INIT;
		describe(path, blocks[i / 2], i % 2 == 1, &seen);
		if (strcmp(buffer_text(&seen), expected) != 0)
			fail_msg("%s: %s, expected %s", name, buffer_text(&seen), expected);
	}
	free(path);
}

FOLDER_TEST(packed_inputs_are_read_as_what_is_in_them)
{
	RELEASED(buffer) one = BUFFER_INIT, two = BUFFER_INIT;
	pack(&one, "{}\n[]\n", 6);
	assert_items(*state, "a.ndjson.gz", &one, "1:{}|2:[]|");
	assert_items(*state, "a.jsonl.gz", &one, "1:{}|2:[]|");
	assert_items(*state, "a.json.gz", &one, "1:{}\n[]\n|");
	assert_items(*state, "a.ndjson", &one, "1:{}|2:[]|"); /* told by its bytes */
	assert_items(*state, "a.gz", &one, "1:{}|2:[]|");
	/* Members one after another are one text. */
	buffer_append(&two, one.data, one.length);
	pack(&two, "", 0);
	pack(&two, "nul", 3);
	pack(&two, "l", 1);
	assert_items(*state, "b.ndjson.gz", &two, "1:{}|2:[]|3:null|");
	buffer_append(&two, (const char[200000]){ 0 }, 200000); /* padding, as on a tape */
	assert_items(*state, "c.ndjson.gz", &two, "1:{}|2:[]|3:null|");
	buffer_clear(&two);
	buffer_append_text(&two, "\x1f{}\n"); /* half of what gzip data begins with */
	assert_items(*state, "d.ndjson", &two, "1:\x1f{}|");
}

FOLDER_TEST(damaged_data_is_an_error_that_names_the_file)
{
	RELEASED(buffer) whole = BUFFER_INIT, bytes = BUFFER_INIT;
	pack(&whole, "{}\n[]\n", 6);
	buffer_append(&bytes, whole.data, whole.length);
	buffer_append_text(&bytes, "junk");
	assert_items(*state, "b.json.gz", &bytes, "<the gzip data is followed by something else>");
	buffer_clear(&bytes);
	buffer_append(&bytes, whole.data, whole.length);
	bytes.data[bytes.length - 5] ^= 1; /* of the checksum */
	assert_items(*state, "c.json.gz", &bytes, "<the gzip data is damaged>");
	/* Cut at every byte: never taken for whole, and what came before the cut is lines only. */
	for (size_t length = 2; length < whole.length; length++) {
		RELEASED(buffer) seen = BUFFER_INIT;
		describe(folder_write(*state, "d.ndjson.gz", whole.data, length), 0, false, &seen);
		if (!strstr(buffer_text(&seen), "<the gzip data is truncated>"))
			fail_msg("cut at %zu: %s", length, buffer_text(&seen));
	}
}

FOLDER_TEST(what_is_unpacked_keeps_to_the_limit)
{
	RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
	buffer_append_repeat(&text, ' ', 8 << 20);
	pack(&bytes, text.data, text.length);
	assert_true(bytes.length < 16384);
	const char *path = folder_write(*state, "bomb.json.gz", bytes.data, bytes.length);
	struct source_options options = { .limit = 1000 };
	struct source_item item;
	struct error err;
	struct source *source = source_open(path, &options, &err);
	assert_non_null(source);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_true(item.too_long);
	assert_int_equal(item.length, 1000);
	assert_int_equal(source_next(source, &item, &err), SOURCE_END);
	source_close(source);
}

/* All of it is unpacked at once, and yet not all is handed out. */
FOLDER_TEST(the_position_is_a_share_of_the_packed_bytes)
{
	RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
	for (unsigned i = 0; i < 1000; i++)
		buffer_printf(&text, "%u\n", 1000 + (i * 7919) % 9000);
	pack(&bytes, text.data, text.length);
	const char *path = folder_write(*state, "a.ndjson.gz", bytes.data, bytes.length);
	struct source_options options = { .type = SOURCE_LINES };
	struct source_item item;
	struct error err;
	struct source *source = source_open(path, &options, &err);
	assert_non_null(source);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
		if (i == 249)
			assert_in_range(source_position(source), bytes.length / 5, bytes.length / 3);
	}
	assert_int_equal(source_position(source), bytes.length);
	source_close(source);
}
