#include "base/clock.h"
#include "capture/source.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK           ((size_t)64 << 10)
#define RECORD_LINE_MAX (2 * SOURCE_PAYLOAD_MAX + SOURCE_RECORD_EXTRA)
#define TORN_FILES      1000

/* Which lines of the file are good; read from both ends, never in between. The bytes are judged as they stand: what
 * source.h unpacks while reading is nothing that records can be appended to. */
struct survey {
	const char *path;
	int fd;
	struct capture_scratch scratch;
	uint64_t size;
	uint64_t good_end; /* behind the last good line */
	uint64_t last_seq;
	/* The part of the file read last: many short lines cost one read. */
	char block[BLOCK];
	uint64_t block_at;
	size_t block_length;
};

static int foreign(const struct survey *s, const char *why, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is no capture file: %s", s->path, why);
	return error_hint(err, "name a new file, or move this one away; it was left untouched");
}

static int other_version(const struct survey *s, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' holds records of another version than 1", s->path);
	return error_hint(err, "name a new file; this one was left untouched");
}

static int read_at(struct survey *s, char *bytes, size_t length, uint64_t at, struct error *err)
{
	while (length > 0) {
		ssize_t got = pread(s->fd, bytes, length, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return capture_writer_cannot(err, "read", s->path, got < 0 ? errno : EIO);
		bytes += got;
		length -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

static int load_block(struct survey *s, uint64_t at, size_t length, struct error *err)
{
	s->block_length = 0;
	if (read_at(s, s->block, length, at, err) < 0)
		return -1;
	s->block_at = at;
	s->block_length = length;
	return 0;
}

/* Where the line that holds the byte before `end` begins: behind the last LF before it, or 0. */
static int line_start(struct survey *s, uint64_t end, uint64_t *start, struct error *err)
{
	for (; end > 0; end = s->block_at) {
		if (end <= s->block_at || end > s->block_at + s->block_length) {
			size_t length = end < BLOCK ? (size_t)end : BLOCK;
			if (load_block(s, end - length, length, err) < 0)
				return -1;
		}
		const char *lf = memrchr(s->block, '\n', (size_t)(end - s->block_at));
		if (lf) {
			*start = s->block_at + (uint64_t)(lf - s->block) + 1;
			return 0;
		}
	}
	*start = 0;
	return 0;
}

/* The length of the first line, or where it is longer than any record more than RECORD_LINE_MAX; the file's size where
 * no LF ends it. */
static int first_line_length(struct survey *s, uint64_t *length, struct error *err)
{
	for (uint64_t at = 0; at < s->size && at <= RECORD_LINE_MAX; at += s->block_length) {
		if (load_block(s, at, s->size - at < BLOCK ? (size_t)(s->size - at) : BLOCK, err) < 0)
			return -1;
		const char *lf = memchr(s->block, '\n', s->block_length);
		*length = at + (lf ? (uint64_t)(lf - s->block) : s->block_length);
		if (lf)
			return 0;
	}
	return 0;
}

enum line_kind {
	LINE_RECORD,
	LINE_OTHER_VERSION,
	LINE_OTHER_JSON, /* whole, but no record: somebody meant it to be there */
	LINE_BLANK,
	LINE_BAD,
	LINE_UNREADABLE,
};

static enum line_kind judge_text(struct survey *s, const char *text, size_t length, struct error *err)
{
	struct capture_record record;
	struct json_fault fault;
	struct error reason;
	if (strspn(text, " \t\r") == length)
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

static enum line_kind judge_line(struct survey *s, uint64_t start, uint64_t length, struct error *err)
{
	if (length > RECORD_LINE_MAX)
		return LINE_BAD;
	char *text = malloc((size_t)length + 1);
	if (!text) {
		error_no_memory(err);
		return LINE_UNREADABLE;
	}
	enum line_kind kind = LINE_UNREADABLE;
	int result = 0;
	if (start >= s->block_at && start + length <= s->block_at + s->block_length)
		memcpy(text, s->block + (start - s->block_at), (size_t)length);
	else
		result = read_at(s, text, (size_t)length, start, err);
	text[length] = '\0';
	if (result == 0)
		kind = judge_text(s, text, (size_t)length, err);
	free(text);
	return kind;
}

static int survey_first_line(struct survey *s, struct error *err)
{
	uint64_t length = 0;
	if (first_line_length(s, &length, err) < 0)
		return -1;
	if (length == s->size)
		return foreign(s, "it holds no whole line", err);
	switch (judge_line(s, 0, length, err)) {
	case LINE_RECORD:
		return 0;
	case LINE_UNREADABLE:
		return -1;
	case LINE_OTHER_VERSION:
		return other_version(s, err);
	default:
		return foreign(s, "its first line is no capture record", err);
	}
}

/* From the end back to the last line that is a record. What stands behind it, but blank lines, is torn where no writer
 * ended it: bytes without an LF, or, after a crash of the machine, lines of which some blocks never reached the disk.
 */
static int survey_last_lines(struct survey *s, struct error *err)
{
	uint64_t end, start;
	if (line_start(s, s->size, &s->good_end, err) < 0)
		return -1;
	for (end = s->good_end; end > 0; end = start) {
		if (line_start(s, end - 1, &start, err) < 0)
			return -1;
		if (start == 0)
			return 0; /* the first line, which is known to be good */
		enum line_kind kind = judge_line(s, start, end - 1 - start, err);
		if (kind == LINE_RECORD)
			return 0;
		if (kind == LINE_UNREADABLE)
			return -1;
		if (kind == LINE_OTHER_VERSION)
			return other_version(s, err);
		if (kind == LINE_OTHER_JSON)
			return foreign(s, "a line behind its last record is no capture record", err);
		if (kind == LINE_BAD)
			s->good_end = start;
	}
	return 0;
}

/* Makes the file that the torn tail goes to: one that was not there before. */
static int create_torn_file(const struct survey *s, struct capture_opened *opened, struct error *err)
{
	char stamp[32];
	time_t now = (time_t)(clock_realtime_us() / 1000000);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
	for (int n = 1; n <= TORN_FILES; n++) {
		char suffix[16] = "";
		if (n > 1)
			snprintf(suffix, sizeof suffix, "-%d", n);
		int length =
		        snprintf(opened->torn_path, sizeof opened->torn_path, "%s.torn-%s%s", s->path, stamp, suffix);
		if (length < 0 || (size_t)length >= sizeof opened->torn_path)
			return capture_writer_cannot(err, "set aside the torn tail of", s->path, ENAMETOOLONG);
		int fd = open(opened->torn_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	return capture_writer_cannot(err, "set aside the torn tail in", opened->torn_path, errno);
}

static int copy_tail(struct survey *s, int to, const char *path, struct error *err)
{
	char block[BLOCK];
	for (uint64_t at = s->good_end; at < s->size;) {
		size_t length = s->size - at < BLOCK ? (size_t)(s->size - at) : BLOCK;
		if (read_at(s, block, length, at, err) < 0)
			return -1;
		int failed = capture_write_all(to, block, length);
		if (failed)
			return capture_writer_cannot(err, "set aside the torn tail in", path, failed);
		at += length;
	}
	return fsync(to) < 0 ? capture_writer_cannot(err, "sync", path, errno) : 0;
}

/* Copies the tail, and only when the copy is on disk cuts it off. */
static int set_tail_aside(struct survey *s, struct capture_opened *opened, struct error *err)
{
	int to = create_torn_file(s, opened, err);
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
		return capture_writer_cannot(err, "cut the torn tail off", s->path, errno);
	opened->torn_bytes = s->size - s->good_end;
	return 0;
}

int capture_writer_survey(struct capture_writer *w, uint64_t size, struct capture_opened *opened, struct error *err)
{
	struct survey s = { .path = w->path, .fd = w->fd, .size = size };
	capture_scratch_init(&s.scratch);
	int result = survey_first_line(&s, err);
	if (result == 0)
		result = survey_last_lines(&s, err);
	if (result == 0 && s.good_end < s.size)
		result = set_tail_aside(&s, opened, err);
	capture_scratch_release(&s.scratch);
	w->last_seq = opened->last_seq = s.last_seq;
	w->durable_end = s.good_end;
	return result;
}

uint64_t capture_writer_rotated_seq(const struct capture_writer *w)
{
	char path[PATH_MAX];
	struct error ignored;
	struct stat status;
	uint64_t seq = 0;
	if ((size_t)snprintf(path, sizeof path, "%s.1", w->path) >= sizeof path)
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		struct survey s = { .path = path, .fd = fd, .size = (uint64_t)status.st_size };
		capture_scratch_init(&s.scratch);
		if (survey_first_line(&s, &ignored) == 0 && survey_last_lines(&s, &ignored) == 0)
			seq = s.last_seq;
		capture_scratch_release(&s.scratch);
	}
	close(fd);
	return seq;
}
