/* The durable writer when its file is moved under it: between its open and its lock, and between its open and the sync
 * of its directory. */
#include "capture/folder.h"
#include "capture/writer.h"
#include "test.h"

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/resource.h>
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

static struct capture_writer *open_writer(const char *path)
{
	struct capture_opened opened;
	struct error err;
	struct capture_writer *writer = capture_writer_open(path, CAPTURE_SYNC_BATCH, &opened, &err);
	if (!writer)
		fail_msg("%s", err.message);
	return writer;
}

static void add(struct capture_writer *writer, uint64_t seq)
{
	struct capture_record record = { .request = { .method = TEXT("POST"), .body = TEXT("{}") } };
	struct error err;
	assert_int_equal(capture_writer_add(writer, &record), seq);
	if (capture_writer_commit(writer, &err) < 0)
		fail_msg("%s", err.message);
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
	struct error err;
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(moved, sizeof moved, "%s.moved", path);
	struct capture_writer *writer = open_writer(path);
	add(writer, 1);
	assert_int_equal(capture_writer_close(writer, &err), 0);
	move_from = path;
	move_to = moved;
	writer = open_writer(path);
	assert_null(move_from);
	add(writer, 1);
	assert_int_equal(capture_writer_close(writer, &err), 0);
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
	add(writer, 1);
	assert_int_equal(rename(path, moved), 0);
	move_from = path;
	move_to = moved_again;
	move_at_sync = true;
	if (capture_writer_reopen(writer, &err) != 1)
		fail_msg("%s", err.message);
	move_at_sync = false;
	assert_null(move_from);
	add(writer, 2);
	assert_int_equal(capture_writer_close(writer, &err), 0);
	assert_lines(moved, 1);
	assert_lines(moved_again, 0);
	assert_lines(path, 1);
}
