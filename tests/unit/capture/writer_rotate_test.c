/* The durable writer when its file goes away under it: a rotation that fails half way, one that another writer does
 * between this one's open and its lock, and a move between its open and the sync of its directory. */
#include "capture/folder.h"
#include "capture/writer.h"

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
	struct capture_record record = { .method = { "POST", 4 }, .body = { "{}", 2 } };
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

static void assert_absent(const char *path)
{
	assert_int_equal(access(path, F_OK), -1);
}

/* Lets this process have so many descriptors that it is able to open `more` more. */
static void allow_descriptors(rlim_t more, struct rlimit *before)
{
	int next = dup(STDIN_FILENO);
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
	struct rlimit limit = { (rlim_t)next + more, before->rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* free 0: the new file cannot be made; 1: it is made, but its directory cannot be synced. */
static void a_rotation_that_fails_leaves_all_as_it_was_and_the_next_one_works(void **state)
{
	for (rlim_t free_descriptors = 0; free_descriptors < 2; free_descriptors++) {
		struct rlimit before;
		struct error err;
		char path[128], rotated[160];
		snprintf(path, sizeof path, "%s", folder_file(*state, free_descriptors ? "one" : "none"));
		snprintf(rotated, sizeof rotated, "%s.1", path);
		struct capture_writer *writer = open_writer(path);
		add(writer, 1);
		allow_descriptors(free_descriptors, &before);
		int result = capture_writer_rotate(writer, 0, &err);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(result, -1);
		assert_int_equal(err.code, EXIT_CODE_IO);
		assert_absent(rotated);
		add(writer, 2);
		assert_lines(path, 2);
		if (capture_writer_rotate(writer, 0, &err) < 0)
			fail_msg("%s", err.message);
		add(writer, 3);
		assert_lines(rotated, 2);
		assert_lines(path, 1);
		assert_int_equal(capture_writer_close(writer, &err), 0);
	}
}

static void a_file_that_is_rotated_before_it_is_locked_is_not_written_to(void **state)
{
	char path[128], rotated[160];
	struct error err;
	snprintf(path, sizeof path, "%s", folder_file(*state, "file"));
	snprintf(rotated, sizeof rotated, "%s.1", path);
	struct capture_writer *writer = open_writer(path);
	add(writer, 1);
	assert_int_equal(capture_writer_close(writer, &err), 0);
	move_from = path;
	move_to = rotated;
	writer = open_writer(path);
	assert_null(move_from);
	add(writer, 2);
	assert_int_equal(capture_writer_close(writer, &err), 0);
	assert_lines(rotated, 1);
	assert_lines(path, 1);
}

/* A file of another's in the way, at any number that would move, and as the one that --rotate-keep would take away. */
static void a_file_that_is_not_ours_stays(void **state)
{
	for (unsigned foreign = 1; foreign <= 3; foreign++) {
		for (uint64_t keep = 0; keep <= 3; keep += 3) {
			struct error err;
			char path[128], numbered[160], name[16];
			snprintf(name, sizeof name, "f%u-%u", foreign, (unsigned)keep);
			snprintf(path, sizeof path, "%s", folder_file(*state, name));
			struct capture_writer *writer = open_writer(path);
			add(writer, 1);
			for (unsigned i = 1; i <= 3; i++) {
				if (capture_writer_rotate(writer, 0, &err) < 0)
					fail_msg("%s", err.message);
				add(writer, i + 1);
			}
			snprintf(numbered, sizeof numbered, "%s.%u", path, foreign);
			assert_int_equal(unlink(numbered), 0);
			folder_write_text(*state, numbered + strlen(((struct folder *)*state)->path) + 1, "a log\n");
			assert_int_equal(capture_writer_rotate(writer, keep, &err), -1);
			assert_int_equal(err.code, EXIT_CODE_IO);
			assert_non_null(strstr(err.message, numbered));
			for (unsigned i = 1; i <= 3; i++) {
				snprintf(numbered, sizeof numbered, "%s.%u", path, i);
				assert_lines(numbered, 1);
			}
			snprintf(numbered, sizeof numbered, "%s.4", path);
			assert_absent(numbered);
			add(writer, 5);
			assert_lines(path, 2);
			snprintf(numbered, sizeof numbered, "%s.%u", path, foreign);
			assert_int_equal(unlink(numbered), 0);
			assert_int_equal(capture_writer_rotate(writer, keep, &err), 0);
			assert_int_equal(capture_writer_close(writer, &err), 0);
		}
	}
}

static void a_file_that_is_moved_before_its_directory_is_synced_is_made_again(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(a_rotation_that_fails_leaves_all_as_it_was_and_the_next_one_works),
		WITH_FOLDER(a_file_that_is_rotated_before_it_is_locked_is_not_written_to),
		WITH_FOLDER(a_file_that_is_not_ours_stays),
		WITH_FOLDER(a_file_that_is_moved_before_its_directory_is_synced_is_made_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
