/* The durable writer when its file is deleted, moved or replaced: what was not promised yet goes to the file that has
 * the name then, and what was is counted. */
#include "capture/folder.h"
#include "capture/writer.h"
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>

/* In place of libc's: what this names is renamed once, just before the next lock is taken (or the next sync of a
 * directory). */
static const char *move_from, *move_to;
static bool move_at_sync;

static void move(void)
{
	rename(move_from, move_to);
	move_from = NULL;
}

int flock(int fd, int operation)
{
	if (move_from && !move_at_sync)
		move();
	return (int)syscall(SYS_flock, fd, operation);
}

char *realpath(const char *restrict path, char *restrict resolved)
{
	char *(*real)(const char *, char *) = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "realpath");
	if (move_from && move_at_sync)
		move();
	return real(path, resolved);
}

static struct capture_writer *open_writer(const char *path, enum capture_sync sync)
{
	struct capture_opened opened;
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, sync, &opened, &err);
	if (!writer)
		fail_msg("%s", err.message);
	return writer;
}

static void add(struct capture_writer *writer, uint64_t seq)
{
	struct capture_record record = { .request = { .method = TEXT("POST"), .body = TEXT("{}") } };
	assert_int_equal(capture_writer_add(writer, &record), seq);
}

static void begin(struct capture_writer *writer)
{
	struct error err;
	if (capture_writer_begin(writer, &err) != 1)
		fail_msg("nothing was written");
}

static int finish(struct capture_writer *writer)
{
	struct error err;
	int result = capture_writer_finish(writer, capture_writer_sync(writer), &err);
	if (result < 0)
		fail_msg("%s", err.message);
	return result;
}

static void commit(struct capture_writer *writer, uint64_t seq)
{
	struct error err;
	add(writer, seq);
	if (capture_writer_commit(writer, &err) < 0)
		fail_msg("%s", err.message);
}

static void close_writer(struct capture_writer *writer)
{
	struct error err;
	assert_int_equal(capture_writer_close(writer, &err), 0);
}

/* The file holds exactly the records with these numbers. */
static void assert_seqs(const char *path, uint64_t first, uint64_t last)
{
	size_t length;
	char *bytes = folder_read(path, &length), expected[64];
	const char *at = bytes;
	for (uint64_t seq = first; seq <= last; seq++) {
		snprintf(expected, sizeof expected, "{\"v\":1,\"seq\":%d,", (int)seq);
		if (strncmp(at, expected, strlen(expected)) != 0)
			fail_msg("%s: not %s: %.40s", path, expected, at);
		at = strchr(at, '\n') + 1;
	}
	assert_int_equal(*at, '\0');
	free(bytes);
}

FOLDER_TEST(what_is_written_when_the_file_is_deleted_goes_to_the_new_one)
{
	static const enum capture_sync ways[] = { CAPTURE_SYNC_BATCH, CAPTURE_SYNC_NONE };
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
		struct capture_writer *writer = open_writer(path, ways[i]);
		commit(writer, 1);
		add(writer, 2);
		begin(writer);
		add(writer, 3);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(capture_writer_lost_records(writer), 1);
		assert_int_equal(finish(writer), 1);
		assert_int_equal(capture_writer_durable_seq(writer), 2);
		assert_seqs(path, 2, 2);
		begin(writer);
		assert_int_equal(finish(writer), 0);
		commit(writer, 4);
		assert_seqs(path, 2, 4);
		assert_int_equal(capture_writer_lost_records(writer), 1);
		close_writer(writer);
		assert_int_equal(unlink(path), 0);
	}
}

FOLDER_TEST(a_capture_that_replaces_it_is_appended_to)
{
	char path[128], other[160];
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(other, sizeof other, "%s.other", path);
	struct capture_writer *writer = open_writer(other, CAPTURE_SYNC_BATCH);
	commit(writer, 1);
	close_writer(writer);
	writer = open_writer(path, CAPTURE_SYNC_BATCH);
	commit(writer, 1);
	add(writer, 2);
	begin(writer);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(finish(writer), 1);
	assert_int_equal(capture_writer_found(writer)->last_seq, 1);
	assert_seqs(path, 1, 2);
	assert_int_equal(capture_writer_lost_records(writer), 1);
	close_writer(writer);
}

static void assert_lines(const char *path, size_t expected)
{
	size_t length, lines = 0;
	char *bytes = folder_read(path, &length);
	for (size_t i = 0; i < length; i++)
		lines += bytes[i] == '\n';
	free(bytes);
	if (lines != expected)
		fail_msg("%s: %zu lines", path, lines);
}

FOLDER_TEST(a_file_that_is_moved_before_it_is_locked_is_not_written_to)
{
	char path[128], moved[160];
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(moved, sizeof moved, "%s.moved", path);
	struct capture_writer *writer = open_writer(path, CAPTURE_SYNC_BATCH);
	commit(writer, 1);
	close_writer(writer);
	move_from = path;
	move_to = moved;
	writer = open_writer(path, CAPTURE_SYNC_BATCH);
	assert_null(move_from);
	commit(writer, 1);
	close_writer(writer);
	assert_lines(moved, 1);
	assert_lines(path, 1);
}

FOLDER_TEST(a_file_that_is_moved_before_its_directory_is_synced_is_made_again)
{
	char path[128], moved[160], moved_again[160];
	struct error err;
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(moved, sizeof moved, "%s.moved", path);
	snprintf(moved_again, sizeof moved_again, "%s.again", path);
	struct capture_writer *writer = open_writer(path, CAPTURE_SYNC_BATCH);
	commit(writer, 1);
	assert_int_equal(rename(path, moved), 0);
	move_from = path;
	move_to = moved_again;
	move_at_sync = true;
	if (capture_writer_reopen(writer, &err) != 1)
		fail_msg("%s", err.message);
	move_at_sync = false;
	assert_null(move_from);
	commit(writer, 2);
	close_writer(writer);
	assert_lines(moved, 1);
	assert_lines(moved_again, 0);
	assert_lines(path, 1);
}
