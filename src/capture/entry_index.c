#include "capture/entry_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory that a longer entry needed is given back. */
#define KEPT_MAX ((size_t)2 << 20)

struct slot {
	int64_t time_us;
	uint64_t offset;
	uint32_t length;
	uint32_t number;
};

struct entry_index {
	int fd;
	struct slot *heap; /* the earliest first; of equal ones the one that is first in the file */
	size_t count, capacity;
	size_t whole; /* slots at first */
	uint64_t size;
	struct buffer text;
	struct entry_counts counts;
	uint64_t first_hash;
};

void entry_index_free(struct entry_index *x)
{
	if (!x)
		return;
	if (x->fd >= 0)
		close(x->fd);
	free(x->heap);
	buffer_release(&x->text);
	free(x);
}

static bool is_before(const struct slot *a, const struct slot *b)
{
	return a->time_us != b->time_us ? a->time_us < b->time_us : a->offset < b->offset;
}

static void sift_down(struct entry_index *x, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= x->count)
			return;
		if (child + 1 < x->count && is_before(&x->heap[child + 1], &x->heap[child]))
			child++;
		if (!is_before(&x->heap[child], &x->heap[at]))
			return;
		struct slot swap = x->heap[at];
		x->heap[at] = x->heap[child];
		x->heap[child] = swap;
		at = child;
	}
}

/* A plain file whose bytes are its text, open for reading; -1: it is not one. */
static int open_plain(const char *path, uint64_t *size)
{
	struct stat status;
	unsigned char first[2] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is_plain = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	                pread(fd, first, sizeof first, 0) == 2 && !(first[0] == 0x1F && first[1] == 0x8B);
	if (is_plain) {
		*size = (uint64_t)status.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* What cannot be read has no time: it stays behind the entry before it. */
static int add(struct entry_index *x, const struct entry *entry, int64_t *last_us, struct error *err)
{
	if (entry->record.received_us > 0)
		*last_us = entry->record.received_us;
	if (x->count == x->capacity) {
		struct slot *grown = array_grow(x->heap, &x->capacity, x->count + 1, sizeof *grown);
		if (!grown)
			return error_no_memory(err);
		x->heap = grown;
	}
	x->heap[x->count++] =
	        (struct slot){ *last_us, entry->offset, (uint32_t)entry->length, (uint32_t)entry->number };
	return 0;
}

/* Reads the file; without an index only as far as it is in order. */
static enum source_result walk(const char *path, const struct format *format, const struct source_options *options,
                               size_t limit, struct entry_index *x, bool *is_disordered, struct error *err)
{
	struct source *source = source_open(path, options, err);
	struct entries *entries = source ? entries_new(source, format, limit, err) : NULL;
	enum source_result got = entries ? SOURCE_ITEM : SOURCE_ERROR;
	struct entry entry;
	int64_t last_us = 0;
	while (got == SOURCE_ITEM && (x || !*is_disordered)) {
		got = entries_next(entries, &entry, err);
		*is_disordered = entries && entries_counts(entries)->is_disordered;
		if (got != SOURCE_ITEM || !x || entry.kind == ENTRY_OTHER)
			continue;
		if (x->count == ENTRY_INDEX_MAX || entry.length > UINT32_MAX || entry.number > UINT32_MAX)
			break;
		if (add(x, &entry, &last_us, err) < 0)
			got = SOURCE_ERROR;
	}
	if (x && entries) {
		x->counts = *entries_counts(entries);
		x->counts.is_sorted = true;
		x->first_hash = entries_first_hash(entries);
	}
	entries_free(entries);
	source_close(source);
	return got;
}

enum source_result entry_index_new(const char *path, const struct format *format, const struct source_options *options,
                                   size_t limit, struct entry_index **index, struct error *err)
{
	bool is_disordered = false;
	uint64_t size = 0;
	int fd = open_plain(path, &size);
	*index = NULL;
	if (fd < 0)
		return SOURCE_ITEM;
	enum source_result got = walk(path, format, options, limit, NULL, &is_disordered, err);
	struct entry_index *x = is_disordered ? calloc(1, sizeof *x) : NULL;
	if (!x) {
		close(fd);
		if (is_disordered)
			return error_no_memory(err), SOURCE_ERROR;
		return got == SOURCE_END ? SOURCE_ITEM : got;
	}
	x->fd = fd;
	x->size = size;
	got = walk(path, format, options, limit, x, &is_disordered, err);
	if (got == SOURCE_END) {
		x->whole = x->count;
		for (size_t i = x->count / 2; i > 0; i--)
			sift_down(x, i - 1);
		*index = x;
		return SOURCE_ITEM;
	}
	entry_index_free(x);
	return got;
}

/* Reads an entry's text again. False: the file has changed, or cannot be read. */
static bool load(struct entry_index *x, const struct slot *slot)
{
	if (x->text.capacity > KEPT_MAX)
		buffer_release(&x->text);
	buffer_clear(&x->text);
	if (!buffer_reserve(&x->text, slot->length))
		return false;
	while (x->text.length < slot->length) {
		ssize_t got = pread(x->fd, x->text.data + x->text.length, slot->length - x->text.length,
		                    (off_t)(slot->offset + x->text.length));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		x->text.length += (size_t)got;
	}
	return true;
}

enum source_result entry_index_next(struct entry_index *x, struct entries *entries, struct entry *entry,
                                    struct error *err)
{
	if (x->count == 0)
		return SOURCE_END;
	struct slot slot = x->heap[0];
	x->heap[0] = x->heap[--x->count];
	sift_down(x, 0);
	if (!load(x, &slot)) {
		error_set(err, x->text.failed ? EXIT_CODE_INTERNAL : EXIT_CODE_IO,
		          "cannot read entry %lu again: the file has changed", (unsigned long)slot.number);
		return SOURCE_ERROR;
	}
	*entry = (struct entry){
		.number = slot.number, .text = x->text.data, .length = x->text.length, .offset = slot.offset
	};
	return entries_read(entries, entry, err) < 0 ? SOURCE_ERROR : SOURCE_ITEM;
}

const struct entry_counts *entry_index_counts(const struct entry_index *x)
{
	return &x->counts;
}

uint64_t entry_index_first_hash(const struct entry_index *x)
{
	return x->first_hash;
}

uint64_t entry_index_position(const struct entry_index *x)
{
	return x->whole == 0 ? x->size : (uint64_t)((double)x->size * (double)(x->whole - x->count) / (double)x->whole);
}
