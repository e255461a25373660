/* Responses and their records: in which order they are complete, on a disk that waits or fails when it is told to. */
#include "capture/folder.h"
#include "receive/committer.h"
#include "test.h"

#include <errno.h>
#include <stdatomic.h>

#define MOST 16

/* Instead of the C library's, for this program: the disk. */
static atomic_int disk_waits, disk_errno, disk_syncs;
int fdatasync(int fd)
{
	(void)fd;
	disk_syncs++;
	while (disk_waits)
		usleep(100);
	errno = disk_errno;
	return disk_errno ? -1 : 0;
}

struct fixture {
	struct folder *folder;
	struct loop *loop;
	struct committer *committer;
	const char *path; /* of the capture */
	struct receive_observer observer;
	struct commit_entry entries[MOST];
	size_t used;
	size_t order[MOST]; /* of those that are complete */
	int status[MOST];
	size_t complete;
	int failures, reopened, reopen_failures; /* reported */
};

static void on_complete(void *context, struct commit_entry *entry, int status)
{
	struct fixture *f = context;
	f->order[f->complete] = (size_t)(entry - f->entries);
	f->status[f->complete++] = status;
}

static void on_notice(void *context, const struct receive_notice *notice)
{
	struct fixture *f = context;
	f->failures += notice->type == NOTICE_CAPTURE_FAILED;
	f->reopened += notice->type == NOTICE_CAPTURE_REOPENED;
	f->reopen_failures += notice->type == NOTICE_REOPEN_FAILED;
}

static void at_turn_end(void *context)
{
	struct fixture *f = context;
	committer_turn(f->committer);
}

static void start(struct fixture *f, const char *name)
{
	struct error err;
	f->path = name ? folder_file(f->folder, name) : NULL;
	f->loop = loop_new(&err);
	f->committer = committer_new(f->loop, f->path, &f->observer, on_complete, f, &err);
	assert_non_null(f->committer);
	assert_int_equal(loop_at_turn_end(f->loop, at_turn_end, f, &err), 0);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	if (folder_make((void **)&f->folder) < 0)
		return -1;
	f->observer = (struct receive_observer){ .context = f, .notice = on_notice };
	disk_waits = disk_errno = disk_syncs = 0;
	*state = f;
	return 0;
}

static int release(void **state)
{
	struct fixture *f = *state;
	disk_waits = 0;
	committer_free(f->committer);
	loop_free(f->loop);
	int result = folder_remove((void **)&f->folder);
	free(f);
	return result;
}

static void enqueue(struct fixture *f)
{
	struct commit_entry *entry = &f->entries[f->used++];
	const struct capture_record record = { .request = { .method = TEXT("POST"), .body = TEXT("{}") } };
	entry->seq = f->used;
	committer_enqueue(f->committer, entry, &record);
}

static void turn_until(struct fixture *f, size_t complete)
{
	struct error err;
	while (f->complete < complete)
		assert_int_equal(loop_turn(f->loop, &err), 0);
}

static void wait_for_syncs(int count)
{
	while (disk_syncs < count)
		usleep(100);
}

static size_t lines_of(const char *path)
{
	size_t lines = 0;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	fclose(file);
	return lines;
}

TEST_WITH(nothing_is_complete_before_its_sync_has_ended, make, release)
{
	struct fixture *f = *state;
	start(f, "capture");
	disk_waits = 1;
	enqueue(f);
	committer_turn(f->committer);
	wait_for_syncs(1);
	enqueue(f); /* for the next sync */
	enqueue(f);
	committer_turn(f->committer);
	assert_int_equal(f->complete, 0);
	disk_waits = 0;
	turn_until(f, 3);
	assert_int_equal(disk_syncs, 2);
	assert_int_equal(lines_of(f->path), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(f->order[i], i);
		assert_int_equal(f->entries[i].seq, i + 1);
		assert_int_equal(f->status[i], 0);
	}
}

TEST_WITH(after_a_failed_sync_nothing_is_accepted, make, release)
{
	struct fixture *f = *state;
	start(f, "capture");
	enqueue(f);
	committer_turn(f->committer);
	turn_until(f, 1);
	disk_errno = ENOSPC;
	enqueue(f);
	committer_turn(f->committer);
	wait_for_syncs(2);
	enqueue(f); /* while the sync that fails is under way */
	turn_until(f, 3);
	enqueue(f);
	committer_turn(f->committer);
	const int statuses[] = { 0, 507, 507, 507 };
	assert_memory_equal(f->status, statuses, sizeof statuses);
	assert_true(committer_failed(f->committer) && !committer_writes(f->committer));
	assert_int_equal(f->failures, 1);
	assert_int_equal(lines_of(f->path), 1);
}

/* A directory has its name. */
static void block_path(struct fixture *f, const char *moved)
{
	assert_int_equal(rename(f->path, moved), 0);
	assert_int_equal(mkdir(f->path, 0700), 0);
	enqueue(f);
	committer_turn(f->committer);
	turn_until(f, f->used);
}

static void unblock_path(struct fixture *f)
{
	assert_int_equal(rmdir(f->path), 0);
}

TEST_WITH(each_failure_to_reopen_is_reported_once, make, release)
{
	struct fixture *f = *state;
	char path[128], moved[160];
	start(f, "capture");
	f->path = strcpy(path, f->path);
	snprintf(moved, sizeof moved, "%s.moved", path);
	enqueue(f);
	for (int i = 1; i <= 2; i++) {
		committer_turn(f->committer);
		turn_until(f, f->used);
		block_path(f, moved); /* that it is gone is seen without asking */
		for (int again = 0; again < 2; again++) {
			committer_reopen(f->committer);
			committer_turn(f->committer);
		}
		assert_int_equal(f->reopen_failures, i);
		unblock_path(f);
		committer_reopen(f->committer);
		committer_turn(f->committer);
		assert_int_equal(f->reopened, i);
		enqueue(f);
	}
	committer_close(f->committer);
	assert_int_equal(f->complete, 5);
	assert_int_equal(lines_of(path), 1);
	assert_int_equal(lines_of(moved), 2);
}

TEST_WITH(what_could_not_be_reopened_is_tried_at_the_end, make, release)
{
	struct fixture *f = *state;
	char path[128], moved[160];
	start(f, "capture");
	f->path = strcpy(path, f->path);
	snprintf(moved, sizeof moved, "%s.moved", path);
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	committer_reopen(f->committer);
	committer_turn(f->committer);
	unblock_path(f);
	enqueue(f); /* is not written before the turn ends */
	committer_close(f->committer);
	assert_int_equal(f->reopen_failures, 1);
	assert_int_equal(lines_of(path), 1);
	assert_int_equal(lines_of(moved), 0);
}

TEST_WITH(closing_brings_all_to_disk, make, release)
{
	struct fixture *f = *state;
	start(f, "capture");
	for (int i = 0; i < 5; i++)
		enqueue(f);
	committer_close(f->committer);
	assert_int_equal(f->complete, 5);
	assert_int_equal(f->status[4], 0);
	assert_int_equal(lines_of(f->path), 5);
}

TEST_WITH(a_device_is_written_and_not_synced, make, release)
{
	struct fixture *f = *state;
	assert_int_equal(symlink("/dev/null", folder_file(f->folder, "device")), 0);
	start(f, "device");
	enqueue(f);
	assert_int_equal(f->complete, 0);
	committer_turn(f->committer);
	turn_until(f, 1);
	assert_int_equal(f->status[0], 0);
	assert_int_equal(disk_syncs, 0);
}

TEST_WITH(without_a_capture_entries_keep_their_numbers, make, release)
{
	struct fixture *f = *state;
	start(f, NULL);
	f->entries[0].seq = 7;
	committer_enqueue(f->committer, &f->entries[0], NULL);
	assert_int_equal(f->complete, 0);
	committer_turn(f->committer);
	assert_int_equal(f->complete, 1);
	assert_int_equal(f->entries[0].seq, 7);
	assert_false(committer_writes(f->committer) || committer_failed(f->committer));
}
