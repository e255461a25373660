#include "base/file.h"
#include "base/hash.h"
#include "capture/writer.h"
#include "deliver/journal_internal.h"

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

/* Version 5. The part in front of the number is every version's. */
static const char magic[] = "credhook: what is in flight of the results beside this file, version ";
static const char version[] = "5\nboot ";

/* As it lies in the file, before the selection and the cells. */
struct journal_head {
	char text[sizeof magic - 1 + sizeof version - 1];
	char boot[BOOT_SIZE + 1]; /* of the machine; a line */
	uint32_t in_order;        /* 1: the run has ended, and what it wrote is on the disk */
	uint32_t has_seed;
	uint64_t seed;
	uint64_t selection; /* bytes */
	uint64_t count;     /* of cells */
	uint64_t lines;     /* of the results, at least: what was written whole */
};

#define SELECTION_AT 256
#define ALIGNMENT    64
_Static_assert(sizeof(struct journal_head) <= SELECTION_AT, "the head has its place");

/* Which boot of the machine this is; false: nobody knows. */
static bool read_boot(char boot[BOOT_SIZE])
{
	int fd = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
	bool is_known = fd >= 0 && read(fd, boot, BOOT_SIZE) == BOOT_SIZE;
	if (fd >= 0)
		close(fd);
	return is_known;
}

static size_t cells_at(size_t selection)
{
	return (SELECTION_AT + selection + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t checksum_of(uint64_t number, const struct journal_cell *cell)
{
	const char *from = (const char *)&cell->record;
	size_t length = (size_t)(cell->name - from) + strnlen(cell->name, sizeof cell->name);
	uint64_t words[] = { number, hash_bytes(from, length) };
	return hash_bytes(words, sizeof words);
}

static bool is_zeroed(const struct buffer *bytes)
{
	for (size_t i = 0; i < bytes->length; i++)
		if (bytes->data[i] != '\0')
			return false;
	return true;
}

int journal_cell_order(const void *a, const void *b)
{
	uint64_t one = ((const struct journal_cell *)a)->number, other = ((const struct journal_cell *)b)->number;
	return one < other ? -1 : one > other;
}

/* Copies the marks; those that are damaged are skipped. */
static int take_cells(struct journal_left *left, const char *from, size_t count, struct error *err)
{
	size_t capacity = 0;
	for (size_t i = 0; i < count; i++, from += sizeof(struct journal_cell)) {
		struct journal_cell cell;
		memcpy(&cell, from, sizeof cell);
		if (cell.number == 0)
			continue;
		if (checksum_of(cell.number, &cell) != cell.checksum || cell.attempt == 0) {
			left->doubt = "has a damaged mark";
			continue;
		}
		if (!ARRAY_ROOM(left->open, capacity, left->count + 1))
			return error_no_memory(err);
		cell.event[sizeof cell.event - 1] = cell.name[sizeof cell.name - 1] = '\0';
		left->open[left->count++] = cell;
	}
	if (left->count > 0)
		qsort(left->open, left->count, sizeof *left->open, journal_cell_order);
	return 0;
}

static int take_bytes(struct journal_left *left, const struct buffer *bytes, struct error *err)
{
	struct journal_head head = { .count = 0 };
	char boot[BOOT_SIZE];
	size_t begun = bytes->length < sizeof head ? bytes->length : sizeof head;
	left->found = JOURNAL_MARKS_OURS;
	if (begun > 0)
		memcpy(&head, bytes->data, begun);
	if (bytes->length == 0)
		left->doubt = "is empty";
	else if (is_zeroed(bytes))
		left->doubt = "is filled with zeros";
	else if (begun < sizeof magic - 1 || memcmp(head.text, magic, sizeof magic - 1) != 0)
		left->found = JOURNAL_MARKS_FOREIGN;
	else if (begun == sizeof head && memcmp(head.text + sizeof magic - 1, version, sizeof version - 1) != 0)
		left->doubt = "was written by another version of credhook";
	else if (begun < sizeof head || head.selection > bytes->length || cells_at(head.selection) > bytes->length ||
	         head.count > (bytes->length - cells_at(head.selection)) / sizeof(struct journal_cell))
		left->doubt = "is truncated";
	if (left->doubt || left->found == JOURNAL_MARKS_FOREIGN)
		return 0;
	if (head.in_order != 1 && (!read_boot(boot) || memcmp(boot, head.boot, sizeof boot) != 0))
		left->doubt = "was written before the machine restarted";
	left->has_head = true;
	left->lines = head.lines;
	left->has_seed = head.has_seed != 0;
	left->seed = head.seed;
	buffer_append(&left->selection, bytes->data + SELECTION_AT, head.selection);
	return take_cells(left, bytes->data + cells_at(head.selection), head.count, err);
}

enum journal_marks_found journal_left_read(struct journal_left *left, const char *results, struct error *err)
{
	struct stat status;
	LOCAL_BUFFER bytes = BUFFER_INIT;
	left->found = JOURNAL_MARKS_FAILED;
	buffer_printf(&left->path, "%s.inflight", results);
	if (left->path.failed)
		return error_no_memory(err), JOURNAL_MARKS_FAILED;
	int fd = open(left->path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		left->doubt = "is missing";
		return left->found = JOURNAL_MARKS_NONE;
	}
	if (fd < 0 || fstat(fd, &status) < 0)
		file_cannot("open", left->path.data, errno, err);
	else if (!S_ISREG(status.st_mode))
		left->found = JOURNAL_MARKS_FOREIGN;
	else if ((errno = buffer_read(&bytes, fd, SIZE_MAX / 2)) != 0)
		file_cannot("read", left->path.data, errno, err);
	else if (take_bytes(left, &bytes, err) < 0)
		left->found = JOURNAL_MARKS_FAILED;
	if (fd >= 0)
		close(fd);
	return left->found;
}

int journal_refuse_foreign(const struct journal_left *left, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a file of credhook's; left unchanged", buffer_text(&left->path));
	return error_hint(err, "move it, or name another file for the results: what is in flight is kept beside them");
}

void journal_left_release(struct journal_left *left)
{
	buffer_release(&left->path);
	buffer_release(&left->selection);
	free(left->open);
	*left = (struct journal_left){ .open = NULL };
}

/* Writes head and free cells into a file that nobody knows yet. */
static int fill(struct journal_marks *m, int fd, const char *selection, const uint64_t *seed, struct error *err)
{
	size_t length = strlen(selection);
	m->size = cells_at(length) + m->count * sizeof(struct journal_cell);
	/* Real blocks: a store into a hole of a full disk would kill us. */
	errno = posix_fallocate(fd, 0, (off_t)m->size);
	if (errno != 0)
		return file_cannot("write", m->path.data, errno, err);
	char *at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return file_cannot("map", m->path.data, errno, err);
	m->head = (struct journal_head *)(void *)at;
	m->cells = (struct journal_cell *)(void *)(at + cells_at(length));
	memcpy(m->head->text, magic, sizeof magic - 1);
	memcpy(m->head->text + sizeof magic - 1, version, sizeof version - 1);
	if (!read_boot(m->head->boot))
		memset(m->head->boot, '-', BOOT_SIZE);
	m->head->boot[BOOT_SIZE] = '\n';
	m->head->has_seed = seed != NULL;
	m->head->seed = seed ? *seed : 0;
	m->head->selection = length;
	m->head->count = m->count;
	memcpy(at + SELECTION_AT, selection, length);
	return fsync(fd) < 0 ? file_cannot("sync", m->path.data, errno, err) : 0;
}

int journal_marks_create(struct journal_marks *m, const char *results, size_t jobs, const char *selection,
                         const uint64_t *seed, struct error *err)
{
	LOCAL_BUFFER unnamed = BUFFER_INIT;
	buffer_printf(&m->path, "%s.inflight", results);
	buffer_printf(&unnamed, "%s.inflight.XXXXXX", results);
	if (m->path.failed || unnamed.failed)
		return error_no_memory(err);
	m->count = jobs;
	int fd = mkostemp(unnamed.data, O_CLOEXEC);
	int result = fd < 0 ? file_cannot("make", m->path.data, errno, err) : fill(m, fd, selection, seed, err);
	if (result == 0 && rename(unnamed.data, m->path.data) < 0)
		result = file_cannot("make", m->path.data, errno, err);
	if (result < 0 && fd >= 0)
		unlink(unnamed.data);
	if (fd >= 0)
		close(fd);
	return result < 0 ? -1 : capture_writer_sync_directory(m->path.data, err);
}

struct journal_cell *journal_marks_take(struct journal_marks *m)
{
	return m->used < m->count ? &m->cells[m->used++] : NULL;
}

bool journal_marks_any(const struct journal_marks *m)
{
	for (size_t i = 0; i < m->used; i++)
		if (__atomic_load_n(&m->cells[i].number, __ATOMIC_ACQUIRE) != 0)
			return true;
	return false;
}

void journal_marks_count_lines(struct journal_marks *m, uint64_t lines)
{
	if (m->head)
		__atomic_store_n(&m->head->lines, lines, __ATOMIC_RELEASE);
}

void journal_cell_mark(struct journal_cell *cell, const struct job *job)
{
	if (!cell)
		return;
	cell->record = job->record;
	cell->attempt = job->attempt;
	cell->has_id = job->has_id;
	cell->id = job->id;
	snprintf(cell->event, sizeof cell->event, "%.*s", (int)sizeof cell->event - 1, job->name);
	snprintf(cell->name, sizeof cell->name, "%s", job->input ? job->input : "");
	cell->checksum = checksum_of(job->number, cell);
	__atomic_store_n(&cell->number, job->number, __ATOMIC_RELEASE);
}

void journal_cell_free(struct journal_cell *cell)
{
	if (cell)
		__atomic_store_n(&cell->number, 0, __ATOMIC_RELEASE);
}

int journal_marks_finish(struct journal_marks *m, bool stay, struct error *err)
{
	if (!m->head)
		return 0;
	if (!stay)
		return unlink(m->path.data) < 0 && errno != ENOENT ? file_cannot("remove", m->path.data, errno, err)
		                                                   : 0;
	m->head->in_order = 1;
	return msync(m->head, m->size, MS_SYNC) < 0 ? file_cannot("sync", m->path.data, errno, err) : 0;
}

void journal_marks_close(struct journal_marks *m)
{
	if (m->head)
		munmap(m->head, m->size);
	buffer_release(&m->path);
	*m = (struct journal_marks){ .head = NULL };
}
