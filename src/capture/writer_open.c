/* Opens a capture, and finds where it ends. */
#include "base/clock.h"
#include "base/find.h"
#include "capture/inputs.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_TRIES      100
#define BLOCK           ((size_t)64 << 10)
#define RECORD_LINE_MAX (2 * SOURCE_PAYLOAD_MAX + SOURCE_RECORD_EXTRA)
#define TORN_PATH_SIZE  sizeof((struct capture_opened *)0)->torn_path

/* Finds the good lines of a file by reading from both ends, never the middle. Gzip data is not decompressed: records
 * cannot be appended to it. */
struct recovery_scan {
	const char *path;
	int fd;
	struct capture_scratch scratch;
	struct buffer line; /* the one that was read last */
	uint64_t size;
	uint64_t good_end; /* end of the last good line */
	uint64_t last_seq;
	/* The part of the file that was read last. */
	char block[BLOCK];
	uint64_t block_at;
	size_t block_length;
};

static int read_at(struct recovery_scan *s, char *bytes, size_t length, uint64_t at, struct error *err)
{
	while (length > 0) {
		ssize_t got = pread(s->fd, bytes, length, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return file_cannot("read", s->path, got < 0 ? errno : EIO, err);
		bytes += got;
		length -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

/* Loads the block at `at`, or less, up to `end`. */
static int load_block(struct recovery_scan *s, uint64_t at, uint64_t end, struct error *err)
{
	size_t length = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
	s->block_length = 0;
	if (read_at(s, s->block, length, at, err) < 0)
		return -1;
	s->block_at = at;
	s->block_length = length;
	return 0;
}

/* The start of the line that ends at `end`: after the last LF before it, or 0. */
static int line_start(struct recovery_scan *s, uint64_t end, uint64_t *start, struct error *err)
{
	for (; end > 0; end = s->block_at) {
		bool is_loaded = end > s->block_at && end <= s->block_at + s->block_length;
		if (!is_loaded && load_block(s, end < BLOCK ? 0 : end - BLOCK, end, err) < 0)
			return -1;
		const char *lf = find_last(s->block, (size_t)(end - s->block_at), '\n');
		if (lf) {
			*start = s->block_at + (uint64_t)(lf - s->block) + 1;
			return 0;
		}
	}
	*start = 0;
	return 0;
}

enum line_type {
	LINE_UNREADABLE,
	LINE_RECORD,
	LINE_BLANK,
	LINE_BAD,
	LINE_OTHER_JSON, /* not a record, not torn: somebody else's */
};

static enum line_type read_line(struct recovery_scan *s, uint64_t start, uint64_t length, struct error *err)
{
	struct json_fault fault;
	if (length > RECORD_LINE_MAX)
		return LINE_BAD;
	buffer_clear(&s->line);
	if (!buffer_reserve(&s->line, (size_t)length)) {
		error_no_memory(err);
		return LINE_UNREADABLE;
	}
	if (start >= s->block_at && start + length <= s->block_at + s->block_length)
		memcpy(s->line.data, s->block + (start - s->block_at), (size_t)length);
	else if (read_at(s, s->line.data, (size_t)length, start, err) < 0)
		return LINE_UNREADABLE;
	s->line.data[length] = '\0';
	struct capture_item item = { .source = { .text = s->line.data, .length = (size_t)length } };
	if (strspn(s->line.data, " \t\r") >= length)
		return LINE_BLANK;
	if (!capture_item_read(&s->scratch, &item, &fault))
		return LINE_BAD;
	if (item.type == CAPTURE_ITEM_BAD && item.problem.code == EXIT_CODE_INTERNAL) {
		*err = item.problem;
		return LINE_UNREADABLE;
	}
	if (item.type != CAPTURE_ITEM_RECORD)
		return LINE_OTHER_JSON;
	s->last_seq = item.record.seq;
	return LINE_RECORD;
}

static int refuse_file(const struct recovery_scan *s, enum line_type type, const char *why, struct error *err)
{
	if (type == LINE_UNREADABLE)
		return -1;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a capture file: %s; left unchanged", s->path, why);
	return error_hint(err, "name a new file, or move this one");
}

/* One that is longer than a record can be is not read to its end. */
static int scan_first_line(struct recovery_scan *s, struct error *err)
{
	uint64_t length = 0;
	const char *lf = NULL;
	for (uint64_t at = 0; !lf && at < s->size && at <= RECORD_LINE_MAX; at += s->block_length) {
		if (load_block(s, at, s->size, err) < 0)
			return -1;
		lf = memchr(s->block, '\n', s->block_length);
		length = at + (lf ? (uint64_t)(lf - s->block) : s->block_length);
	}
	if (length == s->size)
		return refuse_file(s, LINE_BAD, "it has no complete line", err);
	enum line_type type = read_line(s, 0, length, err);
	return type == LINE_RECORD ? 0 : refuse_file(s, type, "its first line is not a capture record", err);
}

/* Searches backwards for the last record. After it there may be blank lines and a torn tail: bytes without an LF, or,
 * after a crash of the machine, lines with blocks that never reached the disk. */
static int scan_last_lines(struct recovery_scan *s, struct error *err)
{
	uint64_t end, start;
	if (line_start(s, s->size, &s->good_end, err) < 0)
		return -1;
	for (end = s->good_end; end > 0; end = start) {
		if (line_start(s, end - 1, &start, err) < 0)
			return -1;
		if (start == 0)
			return 0; /* the first line was checked before */
		enum line_type type = read_line(s, start, end - 1 - start, err);
		if (type == LINE_RECORD)
			return 0;
		if (type == LINE_BAD)
			s->good_end = start;
		else if (type != LINE_BLANK)
			return refuse_file(s, type, "a line after its last record is not a capture record", err);
	}
	return 0;
}

static int copy_tail(struct recovery_scan *s, int to, const char *path, struct error *err)
{
	for (uint64_t at = s->good_end; at < s->size; at += s->block_length) {
		if (load_block(s, at, s->size, err) < 0)
			return -1;
		int failed = file_write_all(to, s->block, s->block_length);
		if (failed)
			return file_cannot("set aside the torn tail in", path, failed, err);
	}
	return file_sync(to, path, err);
}

/* Copies the tail, syncs the copy, and only then truncates the file. */
static int set_tail_aside(struct recovery_scan *s, struct capture_opened *opened, struct error *err)
{
	char *path = opened->torn_path;
	int length = snprintf(path, TORN_PATH_SIZE, "%s.torn-%lld", s->path, (long long)clock_realtime_us());
	errno = ENAMETOOLONG;
	int to = (size_t)length < TORN_PATH_SIZE ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	if (to < 0)
		return file_cannot("set aside the torn tail in", path, errno, err);
	int result = copy_tail(s, to, path, err);
	close(to);
	if (result < 0) {
		unlink(path);
		return -1;
	}
	if (ftruncate(s->fd, (off_t)s->good_end) < 0)
		return file_cannot("remove the torn tail of", s->path, errno, err);
	if (file_sync(s->fd, s->path, err) < 0)
		return -1;
	opened->torn_bytes = s->size - s->good_end;
	return 0;
}

bool capture_writer_is_at_path(const struct capture_writer *w)
{
	struct stat ours, theirs;
	return fstat(w->fd, &ours) == 0 && stat(w->path, &theirs) == 0 && file_is_same(&ours, &theirs);
}

bool capture_writer_is_replaced(const struct capture_writer *w)
{
	struct stat ours, theirs;
	return w->regular && fstat(w->fd, &ours) == 0 && stat(w->path, &theirs) == 0 && !file_is_same(&ours, &theirs);
}

/* A FIFO or device is opened without O_CREAT and for writing only, and without waiting for a FIFO's reader. */
static int open_device(struct capture_writer *w, mode_t mode, struct error *err)
{
	if (S_ISDIR(mode))
		return file_cannot("open", w->path, EISDIR, err);
	if (!S_ISFIFO(mode) && !S_ISCHR(mode))
		return error_set(err, EXIT_CODE_IO, "cannot write to '%s': not a file, FIFO or character device",
		                 w->path);
	w->fd = open(w->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (w->fd < 0 && errno == ENXIO && S_ISFIFO(mode))
		return error_set(err, EXIT_CODE_IO, "cannot open '%s': no process reads from this FIFO", w->path);
	if (w->fd < 0)
		return file_cannot("open", w->path, errno, err);
	int flags = fcntl(w->fd, F_GETFL);
	if (flags < 0 || fcntl(w->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return file_cannot("open", w->path, errno, err);
	return 0;
}

static int open_path(struct capture_writer *w, struct stat *status, bool *made, struct error *err)
{
	*made = false;
	w->regular = stat(w->path, status) < 0 || S_ISREG(status->st_mode);
	if (w->regular)
		w->fd = file_open_or_make(w->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, made);
	else if (open_device(w, status->st_mode, err) < 0)
		return -1;
	if (w->fd < 0 || fstat(w->fd, status) < 0)
		return file_cannot("open", w->path, errno, err);
	if (S_ISREG(status->st_mode) != w->regular)
		return error_set(err, EXIT_CODE_IO, "cannot open '%s': it was replaced at the same time", w->path);
	return file_refuse_own_output(w->fd, w->path, err);
}

static int lock(struct capture_writer *w, const struct stat *status, bool made, struct error *err)
{
	/* Devices are not locked: /dev/null may be used by many at once. */
	int held = S_ISCHR(status->st_mode) ? 0 : file_lock(w->fd, w->path, true, err);
	if (held < 0 && made) /* it stays unused */
		unlink(w->path);
	if (held <= 0)
		return held;
	error_set(err, EXIT_CODE_IO, "cannot write to '%s': another credhook is writing to it", w->path);
	return error_hint(err, "use another capture file for each listener");
}

/* The previous owner of the lock may have moved the file between our open() and flock(): then try the new one. */
static int open_and_lock(struct capture_writer *w, struct error *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		struct stat status;
		bool made;
		if (open_path(w, &status, &made, err) < 0 || lock(w, &status, made, err) < 0)
			return -1;
		if (!w->regular)
			return 0;
		if (capture_writer_is_at_path(w)) {
			int result = file_sync(-1, w->path, err);
			if (capture_writer_is_at_path(w))
				return result;
		}
		close(w->fd);
		w->fd = -1;
	}
	return error_set(err, EXIT_CODE_IO, "cannot open '%s': it is replaced repeatedly", w->path);
}

int capture_writer_open_file(struct capture_writer *w, struct error *err)
{
	struct stat status;
	if (open_and_lock(w, err) < 0)
		return -1;
	/* Only now: the previous writer may have appended until it released the lock. */
	if (fstat(w->fd, &status) < 0)
		return file_cannot("open", w->path, errno, err);
	w->found.was_empty = !w->regular || status.st_size == 0;
	if (w->found.was_empty)
		return 0;
	struct recovery_scan s = { .path = w->path, .fd = w->fd, .scratch = CAPTURE_SCRATCH_INIT };
	s.size = (uint64_t)status.st_size;
	int result = scan_first_line(&s, err);
	if (result == 0)
		result = scan_last_lines(&s, err);
	capture_scratch_release(&s.scratch);
	buffer_release(&s.line);
	if (result == 0 && s.good_end < s.size)
		result = set_tail_aside(&s, &w->found, err);
	w->last_seq = w->found.last_seq = s.last_seq;
	w->durable_end = s.good_end;
	return result;
}
