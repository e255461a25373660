/* The durable writer: what it promises, what it refuses, and what it does with a file that a crash cut. */
#include "base/buffer.h"
#include "capture/folder.h"
#include "capture/writer.h"
#include "test.h"

#include <errno.h>

static struct capture_record record_of(const char *body)
{
	return (struct capture_record){ .request = { .method = { "POST", 4 }, .body = { body, strlen(body) } } };
}

static struct capture_writer *open_writer(const char *path, struct capture_opened *opened)
{
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, opened, &err);
	if (!writer)
		fail_msg("%s", err.message);
	return writer;
}

static void close_writer(struct capture_writer *writer)
{
	struct error err;
	assert_int_equal(capture_writer_close(writer, &err), 0);
}

static void add_and_commit(struct capture_writer *writer, const char *body, uint64_t seq)
{
	struct capture_record record = record_of(body);
	struct error err;
	assert_int_equal(capture_writer_add(writer, &record), seq);
	if (capture_writer_commit(writer, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(capture_writer_durable_seq(writer), seq);
}

/* Appends the bodies' records to the file. */
static void write_records(const char *path, const char *const *bodies, size_t count, uint64_t first)
{
	struct capture_opened opened;
	struct capture_writer *writer = open_writer(path, &opened);
	for (size_t i = 0; i < count; i++)
		add_and_commit(writer, bodies[i], first + i);
	close_writer(writer);
}

static void assert_refused(const char *path, enum exit_code code, const char *message)
{
	struct capture_opened opened;
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, &opened, &err);
	assert_null(writer);
	if (!strstr(err.message, message))
		fail_msg("%s: %s", path, err.message);
	assert_int_equal(err.code, code);
}

/* Wherever a crash cuts a file: no whole record is lost, and the rest is set aside, byte for byte. */
FOLDER_TEST(a_file_cut_anywhere_keeps_its_whole_records)
{
	struct folder *folder = *state;
	static const char *const bodies[] = { "first", "second\n" };
	char *path = strdup(folder_file(folder, "whole"));
	write_records(path, bodies, 2, 1);
	size_t length;
	char *whole = folder_read(path, &length);
	size_t first = (size_t)(strchr(whole, '\n') - whole) + 1;
	free(path);
	path = strdup(folder_file(folder, "cut"));
	for (size_t cut = 1; cut <= length; cut++) {
		folder_write(folder, "cut", whole, cut);
		if (cut < first) {
			assert_refused(path, EXIT_CODE_USAGE, "no complete line");
			size_t left;
			char *untouched = folder_read(path, &left);
			assert_int_equal(left, cut);
			assert_memory_equal(untouched, whole, cut);
			free(untouched);
			continue;
		}
		size_t kept = cut == length ? length : first;
		struct capture_opened opened;
		struct capture_writer *writer = open_writer(path, &opened);
		assert_int_equal(opened.torn_bytes, cut - kept);
		assert_int_equal(opened.last_seq, cut == length ? 2 : 1);
		add_and_commit(writer, "next", opened.last_seq + 1);
		close_writer(writer);
		size_t after;
		char *bytes = folder_read(path, &after);
		assert_true(after > kept);
		assert_memory_equal(bytes, whole, kept);
		assert_memory_equal(bytes + kept, "{\"v\":1,", 7);
		assert_int_equal(bytes[after - 1], '\n');
		free(bytes);
		if (cut == kept)
			continue;
		struct stat status;
		assert_int_equal(stat(opened.torn_path, &status), 0);
		assert_int_equal(status.st_mode & 07777, 0600);
		size_t aside;
		char *torn = folder_read(opened.torn_path, &aside);
		assert_int_equal(aside, cut - kept);
		assert_memory_equal(torn, whole + kept, aside);
		free(torn);
	}
	free(whole);
	free(path);
}

#define RECORD "{\"v\":1,\"seq\":7,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"\"}\n"

FOLDER_TEST(what_a_crash_of_the_machine_leaves_is_set_aside)
{
	static const struct {
		const char *tail;
		size_t length, torn;
	} cases[] = {
		{ "", 0, 0 },
		{ "\n", 1, 0 },
		{ "\r\n \n", 4, 0 },
		{ "\0\0\0\0", 4, 4 },
		{ "\0\0\0\0\n", 5, 5 },
		{ "ubbish\"}\n", 9, 9 },
		{ "a\nb\n", 4, 4 },
		{ "a\n\n", 3, 3 },
		{ "{\"v\":1,\"seq\":8", 14, 14 },
		{ "a\n" RECORD, 2 + sizeof RECORD - 1, 0 },
		{ RECORD "{\"v\":1,\n", 7 + sizeof RECORD, 8 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(buffer) bytes = BUFFER_INIT;
		buffer_append_text(&bytes, RECORD);
		buffer_append(&bytes, cases[i].tail, cases[i].length);
		const char *path = folder_write(*state, "file", bytes.data, bytes.length);
		struct capture_opened opened;
		close_writer(open_writer(path, &opened));
		assert_int_equal(opened.torn_bytes, cases[i].torn);
		assert_int_equal(opened.last_seq, 7);
		struct stat status;
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_size, bytes.length - cases[i].torn);
	}
}

/* Three records, the last two of 200 KB, and the same again with the last one broken up by LFs. */
FOLDER_TEST(a_long_tail_and_a_long_last_record_are_found_from_the_end)
{
	RELEASED(buffer) body = BUFFER_INIT, bytes = BUFFER_INIT;
	buffer_append_repeat(&body, 'x', 200001);
	const char *path = folder_file(*state, "file");
	write_records(path, (const char *const[]){ "1", body.data, body.data }, 3, 1);
	size_t length;
	char *whole = folder_read(path, &length);
	whole[length - 1] = '\0';
	size_t last = strlen(strrchr(whole, '\n') + 1);
	whole[length - 1] = '\n';
	buffer_append(&bytes, whole, length);
	buffer_append(&bytes, whole, length - 1);
	bytes.data[bytes.length - 200000] = '\n';
	bytes.data[bytes.length - 300] = '\n';
	path = folder_write(*state, "file", bytes.data, bytes.length);
	struct capture_opened opened;
	close_writer(open_writer(path, &opened));
	assert_int_equal(opened.last_seq, 2);
	assert_int_equal(opened.torn_bytes, last);
	size_t kept, aside;
	char *after = folder_read(path, &kept), *torn = folder_read(opened.torn_path, &aside);
	assert_int_equal(kept, bytes.length - last);
	assert_memory_equal(after, bytes.data, kept);
	assert_int_equal(aside, last);
	assert_memory_equal(torn, bytes.data + kept, aside);
	free(after);
	free(torn);
	free(whole);
}

FOLDER_TEST(a_tail_that_cannot_be_set_aside_stays_where_it_is)
{
	struct folder *folder = *state;
	const char *path = folder_write_text(folder, "file", RECORD "torn");
	assert_int_equal(chmod(path, 0666), 0);
	folder_drop_rights(folder, 0555);
	struct capture_opened opened;
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, &opened, &err);
	folder_regain_rights();
	assert_int_equal(chmod(folder->path, 0700), 0);
	assert_null(writer);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_non_null(strstr(err.message, "cannot set aside the torn tail"));
	folder_assert_text(path, RECORD "torn");
}

FOLDER_TEST(what_is_somebody_elses_is_refused_and_untouched)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "\n", "is not a capture file" },
		{ "x", "no complete line" },
		{ "hello\n", "first line is not a capture record" },
		{ "{\"service\":\"IDENTITY\"}\n" RECORD, "first line is not a capture record" },
		{ "\n" RECORD, "first line is not a capture record" },
		{ "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":1}\n",
		  "first line is not a capture record" },
		{ "{\"v\":2,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":\"\"}\n", "first line" },
		{ RECORD "{\"v\":2,\"received_at\":\"x\",\"body\":\"\"}\ntorn", "after its last record" },
		{ RECORD "{}\n", "after its last record" },
		{ RECORD "{}\ntorn", "after its last record" },
		{ RECORD "{\"service\":\"user\"}\r\n\nno JSON\ntorn", "after its last record" },
		{ RECORD "{\"v\":1,\"received_at\":\"2026-01-02T03:04:05Z\",\"body\":1}\n", "after its last record" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *path = folder_write_text(*state, "file", cases[i].text);
		assert_refused(path, EXIT_CODE_USAGE, cases[i].message);
		folder_assert_text(path, cases[i].text);
	}
}

/* Bytes that this process has read, as the kernel counts them; 0: it does not. */
static unsigned long long bytes_read(void)
{
	unsigned long long count = 0;
	FILE *io = fopen("/proc/self/io", "re");
	if (!io)
		return 0;
	if (fscanf(io, "rchar: %llu", &count) != 1)
		count = 0;
	fclose(io);
	return count;
}

FOLDER_TEST(many_torn_lines_are_read_once_and_copied_once)
{
	RELEASED(buffer) bytes = BUFFER_INIT;
	buffer_append_text(&bytes, RECORD);
	for (int i = 0; i < 40000; i++)
		buffer_printf(&bytes, "torn %d\n", i * 7);
	const char *path = folder_write(*state, "file", bytes.data, bytes.length);
	unsigned long long before = bytes_read();
	struct capture_opened opened;
	close_writer(open_writer(path, &opened));
	unsigned long long read = bytes_read() - before;
	assert_int_equal(opened.last_seq, 7);
	assert_int_equal(opened.torn_bytes, bytes.length - (sizeof RECORD - 1));
	folder_assert_text(opened.torn_path, bytes.data + sizeof RECORD - 1);
	if (read > 3 * (unsigned long long)bytes.length)
		fail_msg("%llu bytes were read of a file of %zu", read, bytes.length);
}

FOLDER_TEST(what_is_no_place_for_records_is_refused)
{
	struct folder *folder = *state;
	assert_refused(folder->path, EXIT_CODE_IO, "Is a directory");
	assert_refused(folder_file(folder, "missing/file"), EXIT_CODE_IO, "No such file or directory");
	assert_int_equal(mkfifo(folder_file(folder, "fifo"), 0600), 0);
	assert_refused(folder_file(folder, "fifo"), EXIT_CODE_IO, "no process reads from this FIFO");
}

static void assert_stays_failed(struct capture_writer *writer, int status, const char *message)
{
	struct capture_record record = record_of("late");
	for (int i = 0; i < 2; i++) {
		struct error err = { 0 };
		assert_int_equal(capture_writer_add(writer, &record), 0);
		assert_int_equal(capture_writer_commit(writer, &err), -1);
		assert_int_equal(err.code, EXIT_CODE_IO);
		if (!strstr(err.message, message))
			fail_msg("%s", err.message);
		assert_int_equal(capture_writer_status(writer), status);
	}
}

FOLDER_TEST(a_failed_sync_takes_the_promise_back)
{
	const char *path = folder_file(*state, "file");
	struct capture_opened opened;
	struct capture_writer *writer = open_writer(path, &opened);
	add_and_commit(writer, "promised", 1);
	size_t promised, length;
	char *before = folder_read(path, &promised);
	struct capture_record record = record_of("written, and never synced");
	struct error err;
	capture_writer_add(writer, &record);
	assert_int_equal(capture_writer_begin(writer, &err), 1);
	free(folder_read(path, &length));
	assert_true(length > promised);
	capture_writer_add(writer, &record);
	assert_int_equal(capture_writer_durable_seq(writer), 1);
	assert_int_equal(capture_writer_finish(writer, EIO, &err), -1);
	assert_non_null(strstr(err.message, "cannot sync '"));
	assert_stays_failed(writer, 503, "Input/output error");
	folder_assert_text(path, before);
	close_writer(writer);
	free(before);
}

/* A disk or quota that is full is what a sender may wait for. */
FOLDER_TEST(the_status_says_whether_there_is_room)
{
	static const struct {
		int failed, status;
	} rows[] = { { ENOSPC, 507 }, { EDQUOT, 507 }, { EIO, 503 }, { ENOMEM, 503 }, { EFBIG, 503 }, { EROFS, 503 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct capture_opened opened;
		struct capture_record record = record_of("x");
		struct error err;
		struct capture_writer *writer = open_writer(folder_file(*state, "file"), &opened);
		assert_int_equal(capture_writer_status(writer), 0);
		capture_writer_add(writer, &record);
		assert_int_equal(capture_writer_begin(writer, &err), 1);
		assert_int_equal(capture_writer_finish(writer, rows[i].failed, &err), -1);
		assert_int_equal(capture_writer_status(writer), rows[i].status);
		close_writer(writer);
	}
}

FOLDER_TEST(a_file_cut_by_somebody_else_is_not_filled_with_zeros)
{
	const char *path = folder_file(*state, "file");
	struct capture_opened opened;
	struct capture_writer *writer = open_writer(path, &opened);
	add_and_commit(writer, "one", 1);
	assert_int_equal(truncate(path, 0), 0);
	struct capture_record record = record_of("two");
	struct error err;
	capture_writer_add(writer, &record);
	assert_int_equal(capture_writer_begin(writer, &err), 1);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(capture_writer_finish(writer, EIO, &err), -1);
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 0);
	close_writer(writer);
}

FOLDER_TEST(a_commit_can_be_split_around_a_sync_elsewhere)
{
	const char *path = folder_file(*state, "file");
	struct capture_opened opened;
	struct capture_writer *writer = open_writer(path, &opened);
	struct capture_record record = record_of("x");
	struct error err;
	assert_int_equal(capture_writer_begin(writer, &err), 0);
	capture_writer_add(writer, &record);
	capture_writer_add(writer, &record);
	assert_int_equal(capture_writer_begin(writer, &err), 1);
	capture_writer_add(writer, &record);
	assert_int_equal(capture_writer_finish(writer, capture_writer_sync(writer), &err), 0);
	assert_int_equal(capture_writer_durable_seq(writer), 2);
	assert_int_equal(capture_writer_commit(writer, &err), 0);
	assert_int_equal(capture_writer_durable_seq(writer), 3);
	close_writer(writer);
}

TEST(devices_are_written_to_without_lock_and_sync)
{
	struct capture_opened opened;
	struct capture_writer *first = open_writer("/dev/null", &opened);
	struct capture_writer *second = open_writer("/dev/null", &opened);
	assert_true(opened.was_empty);
	add_and_commit(first, "x", 1);
	add_and_commit(second, "x", 1);
	close_writer(first);
	close_writer(second);
}
