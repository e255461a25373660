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

static int sync_errno;
static const char *removed_at_sync;

int fdatasync(int fd)
{
	(void)fd;
	if (removed_at_sync)
		unlink(removed_at_sync);
	errno = sync_errno;
	return sync_errno ? -1 : 0;
}

char *realpath(const char *restrict path, char *restrict resolved)
{
	char *(*real)(const char *, char *) = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "realpath");
	if (move_from && move_at_sync)
		move();
	return real(path, resolved);
}

static struct capture_writer *open_writer(const char *path)
{
	struct capture_opened opened;
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, &opened, &err);
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
	char path[128];
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	struct capture_writer *writer = open_writer(path);
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
}

FOLDER_TEST(a_capture_that_replaces_it_is_appended_to)
{
	char path[128], other[160];
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(other, sizeof other, "%s.other", path);
	struct capture_writer *writer = open_writer(other);
	commit(writer, 1);
	close_writer(writer);
	writer = open_writer(path);
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

/* Other records are in the file that takes the name: whose number is not given out yet follows them. */
FOLDER_TEST(numbers_follow_those_of_the_file_that_replaces_it)
{
	static const struct {
		uint64_t others, next, pending_next;
	} rows[] = { { 1, 3, 4 }, { 2, 3, 4 }, { 5, 6, 4 } };
	for (int pending = 0; pending < 2; pending++) {
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			char path[128], other[160];
			struct error err;
			snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
			snprintf(other, sizeof other, "%s.other", path);
			struct capture_writer *writer = open_writer(other);
			for (uint64_t seq = 1; seq <= rows[i].others; seq++)
				commit(writer, seq);
			close_writer(writer);
			writer = open_writer(path);
			commit(writer, 1);
			commit(writer, 2);
			if (pending)
				add(writer, 3); /* was told already */
			assert_int_equal(rename(other, path), 0);
			assert_int_equal(capture_writer_reopen(writer, &err), 1);
			commit(writer, pending ? rows[i].pending_next : rows[i].next);
			assert_int_equal(capture_writer_durable_seq(writer),
			                 pending ? rows[i].pending_next : rows[i].next);
			assert_int_equal(capture_writer_lost_records(writer), 2);
			close_writer(writer);
			assert_int_equal(unlink(path), 0);
		}
	}
}

/* A record that is written when the name is gone, and what is there then; NULL: the name is removed. */
static struct capture_writer *lose_name(const char *path, const char *successor)
{
	struct capture_writer *writer = open_writer(path);
	commit(writer, 1);
	add(writer, 2);
	begin(writer);
	assert_int_equal(unlink(path), 0);
	if (successor)
		assert_int_equal(symlink(successor, path), 0);
	return writer;
}

/* The record is refused for good, with that status. */
static void assert_not_rescued(struct capture_writer *writer, const char *message, int status)
{
	struct error err;
	assert_int_equal(capture_writer_finish(writer, 0, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_IO);
	if (!strstr(err.message, message))
		fail_msg("%s", err.message);
	assert_int_equal(capture_writer_status(writer), status);
	assert_int_equal(capture_writer_durable_seq(writer), 1);
	close_writer(writer);
}

FOLDER_TEST(what_was_written_again_stays_when_the_next_one_fails)
{
	char path[128];
	struct error err;
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	struct capture_writer *writer = lose_name(path, NULL);
	assert_int_equal(finish(writer), 1);
	add(writer, 3);
	begin(writer);
	assert_int_equal(capture_writer_finish(writer, EIO, &err), -1);
	assert_seqs(path, 2, 2);
	close_writer(writer);
}

FOLDER_TEST(what_cannot_be_written_again_is_not_accepted)
{
	char path[128];
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	assert_not_rescued(lose_name(path, "/"), "was deleted or replaced, and cannot be reopened: ", 503);
	assert_int_equal(unlink(path), 0);
	assert_not_rescued(lose_name(path, "/dev/full"), "cannot write '", 507);
	assert_int_equal(unlink(path), 0);
	struct capture_writer *writer = lose_name(path, NULL);
	sync_errno = EIO;
	assert_not_rescued(writer, "cannot sync '", 503);
	sync_errno = 0;
	assert_int_equal(unlink(path), 0);
	writer = lose_name(path, NULL);
	removed_at_sync = path;
	assert_not_rescued(writer, "it is deleted or replaced repeatedly", 503);
	removed_at_sync = NULL;
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
	struct capture_writer *writer = open_writer(path);
	commit(writer, 1);
	close_writer(writer);
	move_from = path;
	move_to = moved;
	writer = open_writer(path);
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
	struct capture_writer *writer = open_writer(path);
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
