/* The streaming source: lines, documents, their limits, and what it does where an input cannot be had. */
#include "base/buffer.h"
#include "capture/folder.h"
#include "capture/source.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* One item as a line of text: LINE[ torn|long]:TEXT, so that a whole input compares as one string. */
static void append_item(struct buffer *out, const struct source_item *item)
{
	buffer_printf(out, "%zu%s%s:", item->line, item->torn ? " torn" : "", item->too_long ? " long" : "");
	buffer_append(out, item->text, item->length);
	buffer_append_byte(out, '|');
}

static size_t read_all(const char *path, struct source_options options, struct buffer *out)
{
	struct error err;
	struct source *source = source_open(path, &options, &err);
	assert_non_null(source);
	struct source_item item;
	enum source_result result;
	while ((result = source_next(source, &item, &err)) == SOURCE_ITEM)
		append_item(out, &item);
	assert_int_equal(result, SOURCE_END);
	assert_int_equal(source_next(source, &item, &err), SOURCE_END);
	size_t blank = source_blank_lines(source);
	source_close(source);
	return blank;
}

static const size_t blocks[] = { 2, 3, 7, 64, 0 };

struct expected {
	const char *name;
	enum source_type kind;
	size_t limit;
	const char *input;
	const char *items;
	size_t blank;
};

static void assert_items(struct folder *folder, const struct expected *expected)
{
	const char *path = folder_write_text(folder, expected->name, expected->input);
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		struct source_options options = { expected->kind, expected->limit, blocks[i], NULL };
		RELEASED(buffer) items = BUFFER_INIT;
		size_t blank = read_all(path, options, &items);
		if (strcmp(buffer_text(&items), expected->items) != 0 || blank != expected->blank)
			fail_msg("%s of <%s>, block %zu: <%s>, %zu blank", expected->name, expected->input, blocks[i],
			         buffer_text(&items), blank);
	}
}

FOLDER_TEST(lines_end_with_lf_or_crlf_and_blank_ones_are_counted)
{
	static const struct expected cases[] = {
		{ "a.ndjson", SOURCE_DETECT, 0, "", "", 0 },
		{ "a.ndjson", SOURCE_DETECT, 0, "1\n2\n", "1:1|2:2|", 0 },
		{ "a.ndjson", SOURCE_DETECT, 0, "1\r\n22\r\n", "1:1|2:22|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 0, "1\n2", "1:1|2 torn:2|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 0, "1\n2\r", "1:1|2 torn:2\r|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 0, "\n\r\n \t\r\n1\n\n", "4:1|", 4 },
		{ "a.jsonl", SOURCE_DETECT, 0, "1\n  ", "1:1|", 1 },
		{ "a.jsonl", SOURCE_DETECT, 0, "\n", "", 1 },
		{ "a.jsonl", SOURCE_DETECT, 0, "a\rb\r\r\n", "1:a\rb\r|", 0 },
		{ "a.json", SOURCE_LINES, 0, "{\n}\n", "1:{|2:}|", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_items(*state, &cases[i]);
}

FOLDER_TEST(a_single_document_is_the_whole_input)
{
	static const struct expected cases[] = {
		{ "a.json", SOURCE_DETECT, 0, "", "1:|", 0 },
		{ "a.json", SOURCE_DETECT, 0, "\n\n{\n}\n", "1:\n\n{\n}\n|", 0 },
		{ "a.json", SOURCE_DETECT, 0, "1\n2\n", "1:1\n2\n|", 0 },
		{ "a.jsonl", SOURCE_SINGLE, 0, "1\n2\n", "1:1\n2\n|", 0 },
		{ "a.json", SOURCE_DETECT, 4, "1234", "1:1234|", 0 },
		{ "a.json", SOURCE_DETECT, 4, "12345", "1 long:1234|", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_items(*state, &cases[i]);
}

FOLDER_TEST(another_name_is_lines_when_its_first_line_is_a_document)
{
	static const struct expected cases[] = {
		{ "a", SOURCE_DETECT, 0, "", "1:|", 0 },
		{ "a", SOURCE_DETECT, 0, " \n ", "1: \n |", 0 },
		{ "a", SOURCE_DETECT, 0, "{}", "1:{}|", 0 },
		{ "a", SOURCE_DETECT, 0, "{}\n", "1:{}|", 0 },
		{ "a", SOURCE_DETECT, 0, "{}\r\n[\n", "1:{}|2:[|", 0 },
		{ "a.txt", SOURCE_DETECT, 0, "\n \n{}\n\n{}", "3:{}|5 torn:{}|", 3 },
		{ "a", SOURCE_DETECT, 0, "{\n}\n{}\n", "1:{\n}\n{}\n|", 0 },
		{ "a", SOURCE_DETECT, 0, "\n{\n}", "1:\n{\n}|", 0 },
		{ "a", SOURCE_DETECT, 0, "{},\n{}\n", "1:{},\n{}\n|", 0 },
		{ "a", SOURCE_DETECT, 4, "{     }\n{}\n", "1 long:{   |2:{}|", 0 },
		{ "json", SOURCE_DETECT, 0, "1\n2\n", "1:1|2:2|", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_items(*state, &cases[i]);
}

FOLDER_TEST(a_line_over_the_limit_is_flagged_and_the_next_one_is_fine)
{
	static const struct expected cases[] = {
		{ "a.jsonl", SOURCE_DETECT, 4, "1234\n12345\n1\n", "1:1234|2 long:1234|3:1|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 4, "1234\r\n12345\r\n1\r\n", "1:1234|2 long:1234|3:1|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 4, "123456789", "1 long:1234|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 4, "1234\r", "1 long:1234|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 4, "1234", "1 torn:1234|", 0 },
		{ "a.jsonl", SOURCE_DETECT, 4, "1234567\n\n12345678\n", "1 long:1234|3 long:1234|", 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_items(*state, &cases[i]);
}

FOLDER_TEST(a_records_line_may_be_longer_since_it_quotes_its_payload)
{
	struct folder *folder = *state;
	RELEASED(buffer) text = BUFFER_INIT;
	buffer_append_text(&text, "{\"v\":");
	buffer_append_repeat(&text, ' ', 1000);
	buffer_append_text(&text, "1}\n[");
	buffer_append_repeat(&text, ' ', 1000);
	buffer_append_text(&text, "1]\n1\n");
	const char *path = folder_write(folder, "a.ndjson", text.data, text.length);
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		struct error err;
		struct source_item item;
		struct source *source =
		        source_open(path, &(struct source_options){ .limit = 8, .block = blocks[i] }, &err);
		assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
		assert_false(item.too_long);
		assert_int_equal(item.length, 1007);
		assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
		assert_true(item.too_long);
		assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
		assert_int_equal(item.line, 3);
		assert_int_equal(item.length, 1);
		source_close(source);
	}
}

struct feed {
	int fd;
	size_t spaces;
};

static void *feed_long_line(void *context)
{
	struct feed *feed = context;
	static const char spaces[1 << 16] = { 0 };
	for (size_t left = feed->spaces; left > 0;) {
		size_t length = left < sizeof spaces ? left : sizeof spaces;
		ssize_t written = write(feed->fd, spaces, length);
		if (written <= 0)
			break;
		left -= (size_t)written;
	}
	if (write(feed->fd, "\n{}\n", 4) != 4)
		feed->spaces = 0;
	close(feed->fd);
	return NULL;
}

TEST(a_very_long_line_is_skipped_in_bounded_memory)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	struct feed feed = { ends[1], (size_t)300 << 20 };
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, feed_long_line, &feed), 0);
	struct error err;
	struct source_item item;
	struct source *source = source_open_fd(ends[0], "pipe", &(struct source_options){ .type = SOURCE_LINES }, &err);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_true(item.too_long);
	assert_int_equal(item.length, SOURCE_PAYLOAD_MAX);
	struct rusage before, after;
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_int_equal(item.line, 2);
	assert_int_equal(item.length, 2);
	assert_memory_equal(item.text, "{}", 2);
	assert_true(after.ru_maxrss - before.ru_maxrss < 32 << 10);
	assert_int_equal(source_next(source, &item, &err), SOURCE_END);
	source_close(source);
	close(ends[0]);
	pthread_join(thread, NULL);
	assert_true(feed.spaces > 0);
}

/* Were the line looked over from its beginning at each read, this would take minutes, and the alarm would end it. */
FOLDER_TEST(a_long_blank_line_is_looked_over_once)
{
	RELEASED(buffer) bytes = BUFFER_INIT, items = BUFFER_INIT;
	buffer_append_repeat(&bytes, ' ', (size_t)1 << 20);
	buffer_append_text(&bytes, "\n{}\n{}\n");
	const char *path = folder_write(*state, "blank", bytes.data, bytes.length);
	alarm(60);
	read_all(path, (struct source_options){ .block = 2 }, &items);
	alarm(0);
	assert_string_equal(buffer_text(&items), "2:{}|3:{}|");
}

FOLDER_TEST(what_cannot_be_opened_is_an_error_that_says_why)
{
	struct folder *folder = *state;
	struct error err;
	struct source_options options = { 0 };
	assert_null(source_open(folder_file(folder, "missing.json"), &options, &err));
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_non_null(strstr(err.message, "missing.json': No such file or directory"));
	assert_memory_equal(err.message, "cannot open '/", 14);
	assert_null(source_open(folder->path, &options, &err));
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_non_null(strstr(err.message, "Is a directory"));
	const char *path = folder_write_text(folder, "secret.json", "{}");
	assert_int_equal(chmod(path, 0), 0);
	folder_drop_rights(folder, 0755);
	struct source *source = source_open(path, &options, &err);
	folder_regain_rights();
	assert_null(source);
	assert_non_null(strstr(err.message, "Permission denied"));
}

FOLDER_TEST(a_read_error_is_told)
{
	struct folder *folder = *state;
	struct error err;
	struct source_item item;
	int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	struct source *source = source_open_fd(fd, "standard input", &(struct source_options){ 0 }, &err);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ERROR);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_string_equal(err.message, "cannot read standard input: Is a directory");
	source_close(source);
	close(fd);
}

TEST(a_signal_interrupts_a_wait_and_reading_goes_on_after_it)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	struct signals signals;
	struct error err;
	struct source_item item;
	assert_int_equal(signals_open(&signals, &err), 0);
	struct source_options options = { .type = SOURCE_DETECT, .signals = &signals };
	struct source *source = source_open_fd(ends[0], "pipe", &options, &err);
	assert_int_equal(write(ends[1], "\n\n{}\n{\"a\"", 9), 9);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_int_equal(item.line, 3);
	assert_int_equal(source_type_found(source), SOURCE_LINES);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(source_next(source, &item, &err), SOURCE_INTERRUPTED);
	assert_int_equal(source_next(source, &item, &err), SOURCE_INTERRUPTED);
	assert_int_equal(signals_take(&signals), SIGTERM);
	assert_int_equal(write(ends[1], ":1}\n", 4), 4);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_int_equal(item.length, 7);
	assert_memory_equal(item.text, "{\"a\":1}", 7);
	close(ends[1]);
	assert_int_equal(source_next(source, &item, &err), SOURCE_END);
	source_close(source);
	close(ends[0]);
	signals_close(&signals);
}

static void *write_to_fifo(void *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, "[1]\n", 4) == 4;
	close(fd);
	return good ? path : NULL;
}

FOLDER_TEST(a_fifo_is_opened_at_once_and_read_when_its_writer_comes)
{
	char *path = strdup(folder_file(*state, "fifo.ndjson"));
	assert_int_equal(mkfifo(path, 0600), 0);
	struct error err;
	struct source_item item;
	struct source *source = source_open(path, &(struct source_options){ 0 }, &err);
	assert_non_null(source);
	pthread_t thread;
	void *good;
	assert_int_equal(pthread_create(&thread, NULL, write_to_fifo, path), 0);
	assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
	assert_memory_equal(item.text, "[1]", 3);
	assert_int_equal(source_next(source, &item, &err), SOURCE_END);
	pthread_join(thread, &good);
	assert_non_null(good);
	source_close(source);
	free(path);
}

FOLDER_TEST(the_position_is_behind_what_was_handed_out)
{
	static const uint64_t positions[] = { 2, 6, 9, 11 };
	const char *path = folder_write_text(*state, "a.ndjson", "1\n\n22\n33\n[]");
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		struct source_options options = { .block = blocks[i] };
		struct source_item item;
		struct error err;
		struct source *source = source_open(path, &options, &err);
		assert_non_null(source);
		assert_int_equal(source_position(source), 0);
		for (size_t k = 0; k < 4; k++) {
			assert_int_equal(source_next(source, &item, &err), SOURCE_ITEM);
			assert_int_equal(source_position(source), positions[k]);
		}
		source_close(source);
	}
}
