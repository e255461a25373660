#include "deliver/journal_marks.h"

#include "base/buffer.h"
#include "capture/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
#define BOOT_SIZE 36

/* Version 4. The part in front of the number is every version's. */
static const char magic[] = "credhook: what is in flight of the results beside this file, version ";
static const char version[] = "4\nboot ";

/* As it lies in the file, before the cells. */
struct journal_head {
	char text[sizeof magic - 1 + sizeof version - 1];
	char boot[BOOT_SIZE + 1]; /* of the machine; a line */
	uint32_t in_order;        /* 1: the run has ended, and what it wrote is on the disk */
	uint64_t count;           /* of cells */
	uint64_t lines;           /* of the results, at least: what was written whole */
};

#define CELLS_AT 256
_Static_assert(sizeof(struct journal_head) <= CELLS_AT, "the head has its place");

const char *const journal_doubt_words[] = {
	[JOURNAL_TRUSTED] = "",
	[JOURNAL_MISSING] = "is missing",
	[JOURNAL_EMPTY] = "is empty",
	[JOURNAL_ZEROED] = "is filled with zeros",
	[JOURNAL_TRUNCATED] = "is truncated",
	[JOURNAL_VERSION] = "was written by another version of credhook",
	[JOURNAL_RESTARTED] = "was written before the machine restarted",
	[JOURNAL_SHORTENED] = "counts more lines than the results have",
};

static int cannot(const char *what, const char *path, struct error *err)
{
	return error_set(err, EXIT_CODE_IO, "cannot %s '%s': %s", what, path, strerror(errno));
}

static char *path_of(const char *results)
{
	struct buffer path = BUFFER_INIT;
	buffer_printf(&path, "%s.inflight", results);
	if (path.failed)
		buffer_release(&path);
	return path.data;
}

/* Which boot of the machine this is; false: nobody knows. */
static bool read_boot(char boot[BOOT_SIZE])
{
	int fd = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
	bool is_known = fd >= 0 && read(fd, boot, BOOT_SIZE) == BOOT_SIZE;
	if (fd >= 0)
		close(fd);
	return is_known;
}

static size_t size_of(size_t cells)
{
	return CELLS_AT + cells * sizeof(struct journal_cell);
}

static int map(struct journal_marks *m, int fd, size_t cells, struct error *err)
{
	void *at = mmap(NULL, size_of(cells), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return cannot("map", m->path, err);
	m->head = at;
	m->cells = (struct journal_cell *)(void *)((char *)at + CELLS_AT);
	m->count = cells;
	return 0;
}

static bool is_zeroed(int fd)
{
	char block[4096];
	ssize_t got;
	for (off_t at = 0; (got = pread(fd, block, sizeof block, at)) > 0; at += got)
		for (ssize_t i = 0; i < got; i++)
			if (block[i] != '\0')
				return false;
	return got == 0;
}

/* What the file is, from its first bytes and its size. */
static enum journal_marks_found look(struct journal_marks *m, int fd, off_t size, size_t *cells)
{
	struct journal_head head = { .count = 0 };
	ssize_t got = pread(fd, &head, sizeof head, 0);
	size_t begun = got > 0 ? (size_t)got : 0;
	m->doubt = JOURNAL_TRUSTED;
	if (size == 0) {
		m->doubt = JOURNAL_EMPTY;
		return JOURNAL_MARKS_OURS;
	}
	if (head.text[0] == '\0' && is_zeroed(fd)) {
		m->doubt = JOURNAL_ZEROED;
		return JOURNAL_MARKS_OURS;
	}
	if (begun < sizeof magic - 1 || memcmp(head.text, magic, sizeof magic - 1) != 0)
		return JOURNAL_MARKS_FOREIGN;
	if (begun == sizeof head && memcmp(head.text + sizeof magic - 1, version, sizeof version - 1) != 0)
		m->doubt = JOURNAL_VERSION;
	else if (begun < sizeof head || head.count > SIZE_MAX / 2 / sizeof(struct journal_cell) ||
	         (uint64_t)size < size_of((size_t)head.count))
		m->doubt = JOURNAL_TRUNCATED;
	else
		*cells = (size_t)head.count;
	return JOURNAL_MARKS_OURS;
}

enum journal_marks_found journal_marks_read(struct journal_marks *m, const char *results, struct error *err)
{
	struct stat status;
	char boot[BOOT_SIZE];
	size_t cells = 0;
	m->path = path_of(results);
	if (!m->path)
		return (enum journal_marks_found)error_no_memory(err);
	int fd = open(m->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return JOURNAL_MARKS_NONE;
	enum journal_marks_found found = JOURNAL_MARKS_FAILED;
	if (fd < 0 || fstat(fd, &status) < 0)
		cannot("open", m->path, err);
	else if (!S_ISREG(status.st_mode))
		found = JOURNAL_MARKS_FOREIGN;
	else
		found = look(m, fd, status.st_size, &cells);
	if (found == JOURNAL_MARKS_OURS && m->doubt == JOURNAL_TRUSTED && map(m, fd, cells, err) < 0)
		found = JOURNAL_MARKS_FAILED;
	if (m->head && m->head->in_order != 1 && (!read_boot(boot) || memcmp(boot, m->head->boot, sizeof boot) != 0))
		m->doubt = JOURNAL_RESTARTED;
	m->lines = m->head ? m->head->lines : 0;
	if (fd >= 0)
		close(fd);
	return found;
}

const struct journal_cell *journal_marks_next(const struct journal_marks *m, enum journal_cell_kind kind, size_t *at)
{
	while (*at < m->count) {
		const struct journal_cell *cell = &m->cells[(*at)++];
		if (__atomic_load_n(&cell->kind, __ATOMIC_ACQUIRE) == (uint32_t)kind)
			return cell;
	}
	return NULL;
}

/* Writes head and cells into a file that nobody knows yet. */
static int fill(struct journal_marks *m, const struct journal_marks *earlier, int fd, size_t cells, struct error *err)
{
	const struct journal_cell *cell;
	size_t at = 0;
	/* Real blocks: a store into a hole of a full disk would kill us. */
	errno = posix_fallocate(fd, 0, (off_t)size_of(cells));
	if (errno != 0)
		return cannot("write", m->path, err);
	if (map(m, fd, cells, err) < 0)
		return -1;
	memcpy(m->head->text, magic, sizeof magic - 1);
	memcpy(m->head->text + sizeof magic - 1, version, sizeof version - 1);
	if (!read_boot(m->head->boot))
		memset(m->head->boot, '-', BOOT_SIZE);
	m->head->boot[BOOT_SIZE] = '\n';
	m->head->count = cells;
	for (size_t to = 0; (cell = journal_marks_next(earlier, JOURNAL_CELL_INPUT, &at)) != NULL; to++)
		m->cells[to] = *cell;
	return fsync(fd) < 0 ? cannot("sync", m->path, err) : 0;
}

int journal_marks_create(struct journal_marks *m, const struct journal_marks *earlier, const char *results, size_t jobs,
                         struct error *err)
{
	struct buffer unnamed = BUFFER_INIT;
	size_t at = 0, inputs = jobs + 2; /* of each job, the one that is read, and the next */
	m->path = path_of(results);
	buffer_printf(&unnamed, "%s.inflight.XXXXXX", results);
	if (!m->path || unnamed.failed) {
		buffer_release(&unnamed);
		return error_no_memory(err);
	}
	while (journal_marks_next(earlier, JOURNAL_CELL_INPUT, &at))
		inputs++;
	int fd = mkostemp(unnamed.data, O_CLOEXEC);
	int result = fd < 0 ? cannot("make", m->path, err) : fill(m, earlier, fd, inputs + jobs, err);
	if (result == 0 && rename(unnamed.data, m->path) < 0)
		result = cannot("make", m->path, err);
	if (result < 0 && fd >= 0)
		unlink(unnamed.data);
	if (fd >= 0)
		close(fd);
	buffer_release(&unnamed);
	m->inputs = m->used = inputs;
	return result < 0 ? -1 : capture_writer_sync_directory(m->path, err);
}

struct journal_cell *journal_marks_take_job(struct journal_marks *m)
{
	return m->used < m->count ? &m->cells[m->used++] : NULL;
}

struct journal_cell *journal_marks_add_input(struct journal_marks *m, uint64_t id, const char *name)
{
	for (size_t i = 0; i < m->inputs; i++) {
		struct journal_cell *cell = &m->cells[i];
		if (cell->kind != JOURNAL_CELL_FREE)
			continue;
		cell->id = id;
		snprintf(cell->name, sizeof cell->name, "%s", name);
		__atomic_store_n(&cell->kind, JOURNAL_CELL_INPUT, __ATOMIC_RELEASE);
		return cell;
	}
	return NULL;
}

struct journal_cell *journal_marks_find_input(const struct journal_marks *m, uint64_t id)
{
	for (size_t i = 0; i < m->inputs; i++)
		if (m->cells[i].kind == JOURNAL_CELL_INPUT && m->cells[i].id == id)
			return &m->cells[i];
	return NULL;
}

void journal_marks_count_lines(struct journal_marks *m, uint64_t lines)
{
	if (m->head)
		__atomic_store_n(&m->head->lines, lines, __ATOMIC_RELEASE);
}

void journal_cell_mark(struct journal_cell *cell, const struct job *job, uint64_t id)
{
	if (!cell)
		return;
	cell->attempt = job->attempt;
	cell->id = id;
	cell->record = job->record;
	cell->hash = job->hash;
	cell->line = 0;
	snprintf(cell->name, sizeof cell->name, "%s", job->input ? job->input : "");
	snprintf(cell->event, sizeof cell->event, "%.*s", (int)sizeof cell->event - 1, job->name);
	__atomic_store_n(&cell->kind, JOURNAL_CELL_MARK, __ATOMIC_RELEASE);
}

void journal_cell_end_at(struct journal_cell *cell, uint64_t line)
{
	if (cell)
		__atomic_store_n(&cell->line, line, __ATOMIC_RELEASE);
}

void journal_cell_free(struct journal_cell *cell)
{
	if (cell)
		__atomic_store_n(&cell->kind, JOURNAL_CELL_FREE, __ATOMIC_RELEASE);
}

int journal_marks_finish(struct journal_marks *m, bool stay, struct error *err)
{
	if (!m->head)
		return 0;
	if (!stay)
		return unlink(m->path) < 0 && errno != ENOENT ? cannot("remove", m->path, err) : 0;
	m->head->in_order = 1;
	return msync(m->head, size_of(m->count), MS_SYNC) < 0 ? cannot("sync", m->path, err) : 0;
}

void journal_marks_close(struct journal_marks *m)
{
	if (m->head)
		munmap(m->head, size_of(m->count));
	free(m->path);
	*m = (struct journal_marks){ 0 };
}
