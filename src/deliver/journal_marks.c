#include "base/file.h"
#include "base/hash.h"
#include "base/system.h"
#include "capture/replace.h"
#include "deliver/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = MARKS_BEGIN "1\nboot ";

/* As it lies in the file, before the selection and the cells. */
struct journal_head {
	char text[sizeof magic - 1];
	char boot[SYSTEM_BOOT_SIZE + 1]; /* of the machine; a line */
	uint32_t in_order;               /* 1: the run has ended, and what it wrote is on the disk */
	uint32_t has_seed;
	uint64_t seed;
	uint64_t selection; /* bytes */
	uint64_t count;     /* of cells */
	uint64_t lines;     /* of the results, at least: what was written whole */
};

#define SELECTION_AT 256
#define ALIGNMENT    64
_Static_assert(sizeof(struct journal_head) <= SELECTION_AT, "the head has its place");

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

int journal_cell_order(const void *a, const void *b)
{
	uint64_t one = ((const struct journal_cell *)a)->number, other = ((const struct journal_cell *)b)->number;
	return one < other ? -1 : one > other;
}

/* Copies the marks; those that are damaged are skipped. */
static int take_cells(struct journal_past *past, const char *from, size_t count, struct error *err)
{
	size_t capacity = 0;
	for (size_t i = 0; i < count; i++, from += sizeof(struct journal_cell)) {
		struct journal_cell cell;
		memcpy(&cell, from, sizeof cell);
		if (cell.number == 0)
			continue;
		past->has_marks = true;
		if (checksum_of(cell.number, &cell) != cell.checksum || cell.attempt == 0 ||
		    cell.number > JOURNAL_NUMBER_MAX) {
			past->doubt = "has a damaged mark";
			continue;
		}
		if (!ARRAY_ROOM(past->open, capacity, past->open_count + 1))
			return error_no_memory(err);
		cell.event[sizeof cell.event - 1] = cell.name[sizeof cell.name - 1] = '\0';
		past->has_ids |= cell.has_id != 0;
		past->open[past->open_count++] = cell;
	}
	if (past->open_count > 0)
		qsort(past->open, past->open_count, sizeof *past->open, journal_cell_order);
	return 0;
}

static int take_foreign(struct journal_past *past, struct error *err)
{
	if (past->is_only_read) {
		past->doubt = "was not written by credhook";
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' was not written by credhook; left unchanged", past->marks_path.data);
	return error_hint(err, "move it, or name another file for the results: what is in flight is kept beside them");
}

static int take_bytes(struct journal_past *past, const struct buffer *bytes, struct error *err)
{
	struct journal_head head = { .count = 0 };
	char boot[SYSTEM_BOOT_SIZE];
	size_t begun = bytes->length < sizeof head ? bytes->length : sizeof head;
	if (begun > 0)
		memcpy(&head, bytes->data, begun);
	size_t more = bytes->length > 0 ? bytes->length - 1 : 0;
	bool is_empty = bytes->length == 0 || (*bytes->data == '\0' && memcmp(bytes->data, bytes->data + 1, more) == 0);
	if (!is_empty && memcmp(head.text, MARKS_BEGIN, strlen(MARKS_BEGIN)) != 0)
		return take_foreign(past, err);
	if (is_empty || memcmp(head.text, magic, sizeof magic - 1) != 0) {
		past->doubt =
		        is_empty ? "is empty, or filled with zeros" : "was written by another version of credhook";
		return 0;
	}
	if (begun < sizeof head || head.selection > bytes->length || cells_at(head.selection) > bytes->length ||
	    head.count > (bytes->length - cells_at(head.selection)) / sizeof(struct journal_cell)) {
		past->doubt = "is truncated";
		return 0;
	}
	if (head.in_order != 1 && (!system_boot(boot) || memcmp(boot, head.boot, sizeof boot) != 0))
		past->doubt = "was written before the machine restarted";
	past->marked_lines = head.lines;
	past->has_seed = head.has_seed != 0;
	past->seed = head.seed;
	past->has_selection = true;
	buffer_append(&past->selection, bytes->data + SELECTION_AT, head.selection);
	return take_cells(past, bytes->data + cells_at(head.selection), head.count, err);
}

int journal_marks_read(struct journal_past *past, struct error *err)
{
	struct stat status;
	LOCAL_BUFFER bytes = BUFFER_INIT;
	buffer_printf(&past->marks_path, "%s" MARKS_NAME_END, past->path);
	if (past->marks_path.failed)
		return error_no_memory(err);
	const char *path = past->marks_path.data;
	LOCAL(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &status) < 0)
		return file_cannot("open", path, errno, err);
	if (!S_ISREG(status.st_mode))
		return take_foreign(past, err) < 0 ? -1 : 1;
	if ((errno = buffer_read(&bytes, fd, SIZE_MAX / 2)) != 0)
		return file_cannot("read", path, errno, err);
	return take_bytes(past, &bytes, err) < 0 ? -1 : 1;
}

/* Writes head and free cells into a file that nobody knows yet. */
static int fill(struct journal_marks *m, int fd, const char *selection, const struct seed *seed, struct error *err)
{
	size_t length = strlen(selection);
	m->size = cells_at(length) + m->count * sizeof(struct journal_cell);
	/* Real blocks: a store into a hole of a full disk would kill us. */
	errno = system_allocate(fd, (off_t)m->size);
	if (errno != 0)
		return file_cannot("write", m->path.data, errno, err);
	char *at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return file_cannot("map", m->path.data, errno, err);
	m->head = (struct journal_head *)(void *)at;
	m->cells = (struct journal_cell *)(void *)(at + cells_at(length));
	memcpy(m->head->text, magic, sizeof magic - 1);
	if (!system_boot(m->head->boot))
		memset(m->head->boot, '-', SYSTEM_BOOT_SIZE);
	m->head->boot[SYSTEM_BOOT_SIZE] = '\n';
	m->head->has_seed = seed && seed->given;
	m->head->seed = seed && seed->given ? seed->value : 0;
	m->head->selection = length;
	m->head->count = m->count;
	memcpy(at + SELECTION_AT, selection, length);
	return 0;
}

int journal_marks_create(struct journal_marks *m, const char *results, size_t jobs, const char *selection,
                         const struct seed *seed, struct error *err)
{
	struct file_writer file;
	buffer_printf(&m->path, "%s" MARKS_NAME_END, results);
	if (m->path.failed)
		return error_no_memory(err);
	m->count = jobs;
	if (file_writer_begin(&file, m->path.data, FILE_PRIVATE, NULL, err) < 0)
		return -1;
	int result = fill(m, file.fd, selection, seed, err);
	if (result < 0)
		file_writer_drop(&file);
	else
		result = file_writer_finish(&file, err);
	return result;
}

void journal_enter(struct journal *j, struct job *job)
{
	if (j && j->marks.used < j->marks.count)
		job->mark = &j->marks.cells[j->marks.used++];
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

void journal_begin(const struct job *job)
{
	struct journal_cell *cell = job->mark;
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

void journal_end(const struct job *job)
{
	if (job->mark)
		__atomic_store_n(&job->mark->number, 0, __ATOMIC_RELEASE);
}

int journal_marks_finish(struct journal_marks *m, bool stay, struct error *err)
{
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
