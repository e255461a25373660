#include "base/clock.h"
#include "capture/source.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK           ((size_t)64 << 10)
#define RECORD_LINE_MAX (2 * SOURCE_PAYLOAD_MAX + SOURCE_RECORD_EXTRA)
#define TORN_FILES      1000
#define TORN_PATH_SIZE  sizeof((struct capture_opened *)0)->torn_path

/* Finds the good lines of a file by reading from both ends, never the middle. Gzip data is not decompressed: records
 * cannot be appended to it. */
struct recovery_scan {
	const char *path;
	int fd;
	struct capture_scratch scratch;
	struct buffer line; /* for a line that is not in the block */
	uint64_t size;
	uint64_t good_end; /* end of the last good line */
	uint64_t last_seq;
	/* The part of the file that was read last. */
	char block[BLOCK + 1]; /* ends with a NUL */
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
	s->block[length] = '\0';
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
		const char *lf = memrchr(s->block, '\n', (size_t)(end - s->block_at));
		if (lf) {
			*start = s->block_at + (uint64_t)(lf - s->block) + 1;
			return 0;
		}
	}
	*start = 0;
	return 0;
}

/* The length of the first line: any number above RECORD_LINE_MAX if it is longer than a record can be, the size of the
 * file if it has no LF. */
static int first_line_length(struct recovery_scan *s, uint64_t *length, struct error *err)
{
	for (uint64_t at = 0; at < s->size && at <= RECORD_LINE_MAX; at += s->block_length) {
		if (load_block(s, at, s->size, err) < 0)
			return -1;
		const char *lf = memchr(s->block, '\n', s->block_length);
		*length = at + (lf ? (uint64_t)(lf - s->block) : s->block_length);
		if (lf)
			return 0;
	}
	return 0;
}

enum line_kind {
	LINE_UNREADABLE,
	LINE_RECORD,
	LINE_BLANK,
	LINE_BAD,
	LINE_OTHER_VERSION,
	LINE_OTHER_JSON, /* not a record, not torn: somebody else's */
};

/* The text is followed by an LF or a NUL. */
static enum line_kind kind_of(struct recovery_scan *s, const char *text, size_t length, struct error *err)
{
	struct capture_record record;
	struct json_fault fault;
	struct error reason;
	if (strspn(text, " \t\r") >= length)
		return LINE_BLANK;
	if (!json_read(&s->scratch.doc, text, length, &fault)) {
		if (!json_fault_is_memory(&fault))
			return LINE_BAD;
		error_no_memory(err);
		return LINE_UNREADABLE;
	}
	if (capture_record_from_doc(&s->scratch.doc, &s->scratch, &record, &reason) == 0) {
		s->last_seq = record.seq;
		return LINE_RECORD;
	}
	if (capture_is_other_version(&s->scratch.doc))
		return LINE_OTHER_VERSION;
	if (reason.code != EXIT_CODE_INTERNAL)
		return LINE_OTHER_JSON;
	*err = reason;
	return LINE_UNREADABLE;
}

static enum line_kind read_line(struct recovery_scan *s, uint64_t start, uint64_t length, struct error *err)
{
	if (length > RECORD_LINE_MAX)
		return LINE_BAD;
	if (start >= s->block_at && start + length <= s->block_at + s->block_length)
		return kind_of(s, s->block + (start - s->block_at), (size_t)length, err);
	buffer_clear(&s->line);
	if (!buffer_reserve(&s->line, (size_t)length)) {
		error_no_memory(err);
		return LINE_UNREADABLE;
	}
	if (read_at(s, s->line.data, (size_t)length, start, err) < 0)
		return LINE_UNREADABLE;
	s->line.data[length] = '\0';
	return kind_of(s, s->line.data, (size_t)length, err);
}

static int refuse_file(const struct recovery_scan *s, enum line_kind kind, const char *why, struct error *err)
{
	if (kind == LINE_UNREADABLE)
		return -1;
	if (kind == LINE_OTHER_VERSION) {
		error_set(err, EXIT_CODE_USAGE, "'%s' contains records of another version; left unchanged", s->path);
		return error_hint(err, "name a new file");
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a capture file: %s; left unchanged", s->path, why);
	return error_hint(err, "name a new file, or move this one");
}

static int scan_first_line(struct recovery_scan *s, struct error *err)
{
	uint64_t length = 0;
	if (first_line_length(s, &length, err) < 0)
		return -1;
	if (length == s->size)
		return refuse_file(s, LINE_BAD, "it has no complete line", err);
	enum line_kind kind = read_line(s, 0, length, err);
	return kind == LINE_RECORD ? 0 : refuse_file(s, kind, "its first line is not a capture record", err);
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
		enum line_kind kind = read_line(s, start, end - 1 - start, err);
		if (kind == LINE_RECORD)
			return 0;
		if (kind == LINE_BAD)
			s->good_end = start;
		else if (kind != LINE_BLANK)
			return refuse_file(s, kind, "a line after its last record is not a capture record", err);
	}
	return 0;
}

static int scan(struct recovery_scan *s, struct error *err)
{
	capture_scratch_init(&s->scratch);
	int result = scan_first_line(s, err);
	if (result == 0)
		result = scan_last_lines(s, err);
	capture_scratch_release(&s->scratch);
	buffer_release(&s->line);
	return result;
}

/* Creates a new file for the torn tail. */
static int create_torn_file(const struct recovery_scan *s, char path[TORN_PATH_SIZE], struct error *err)
{
	char stamp[32];
	time_t now = (time_t)(clock_realtime_us() / 1000000);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
	size_t length = (size_t)snprintf(path, TORN_PATH_SIZE, "%s.torn-%s", s->path, stamp);
	int fd = -1;
	errno = length + sizeof "-1000" > TORN_PATH_SIZE ? ENAMETOOLONG : EEXIST;
	for (int n = 1; n <= TORN_FILES && fd < 0 && errno == EEXIST; n++) {
		if (n > 1)
			snprintf(path + length, TORN_PATH_SIZE - length, "-%d", n);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	return fd < 0 ? file_cannot("set aside the torn tail in", path, errno, err) : fd;
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
	return fsync(to) < 0 ? file_cannot("sync", path, errno, err) : 0;
}

/* Copies the tail, syncs the copy, and only then truncates the file. */
static int set_tail_aside(struct recovery_scan *s, struct capture_opened *opened, struct error *err)
{
	int to = create_torn_file(s, opened->torn_path, err);
	if (to < 0)
		return -1;
	int result = copy_tail(s, to, opened->torn_path, err);
	close(to);
	if (result == 0)
		result = capture_writer_sync_directory(opened->torn_path, err);
	if (result < 0) {
		unlink(opened->torn_path);
		return -1;
	}
	if (ftruncate(s->fd, (off_t)s->good_end) < 0 || fsync(s->fd) < 0)
		return file_cannot("remove the torn tail of", s->path, errno, err);
	opened->torn_bytes = s->size - s->good_end;
	return 0;
}

int capture_writer_recover(struct capture_writer *w, uint64_t size, struct capture_opened *opened, struct error *err)
{
	struct recovery_scan s = { .path = w->path, .fd = w->fd, .size = size };
	int result = scan(&s, err);
	if (result == 0 && s.good_end < s.size)
		result = set_tail_aside(&s, opened, err);
	w->last_seq = opened->last_seq = s.last_seq;
	w->durable_end = s.good_end;
	return result;
}
