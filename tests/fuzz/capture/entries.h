/*
 * What holds for the reader of every format, whatever the bytes and the window: entries are numbered, and stand at
 * their places; a notification is a POST with a body and good headers, and can be written and read as a record. The
 * first byte chooses the size of the window.
 */
#ifndef CREDHOOK_FUZZ_CAPTURE_ENTRIES_H
#define CREDHOOK_FUZZ_CAPTURE_ENTRIES_H

#include "../fuzz.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/find.h"
#include "capture/entries.h"
#include "capture/format.h"

#include <unistd.h>

static inline bool same(struct text a, struct text b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

/* The record that is read again from what is written of it has everything that it had. */
static inline void require_writable(const struct capture_record *record)
{
	struct buffer line = BUFFER_INIT;
	struct capture_scratch scratch;
	struct capture_record back;
	struct error err;
	scratch = CAPTURE_SCRATCH_INIT;
	capture_record_append(record, &line);
	require(capture_record_parse(&scratch, line.data, line.length, &back, &err) == 0);
	require(same(back.request.body, record->request.body) && same(back.request.target, record->request.target));
	require(back.request.header_count == record->request.header_count && back.status == record->status);
	require(back.received_us == record->received_us);
	capture_scratch_release(&scratch);
	buffer_release(&line);
}

static inline void require_notification(const struct capture_item *entry)
{
	const struct capture_record *record = &entry->record;
	require(same(record->request.method, (struct text){ "POST", 4 }));
	require(record->request.body.text && record->request.body.text[record->request.body.length] == '\0');
	require(record->request.target.length > 0 &&
	        !memchr(record->request.target.text, '\n', record->request.target.length));
	for (size_t i = 0; i < record->request.header_count; i++) {
		const struct header *h = &record->request.headers[i];
		require(h->name.length > 0 && h->value.text && !memchr(h->value.text, '\n', h->value.length));
		require(!memchr(h->value.text, '\r', h->value.length));
	}
	require_writable(record);
}

static inline int fuzz_entries(const char *name, const uint8_t *data, size_t size)
{
	const struct format *format = format_named(name);
	struct source_options options = { .block = size > 0 ? 2 + data[0] : 2 };
	struct error err;
	struct capture_item entry;
	uint64_t number = 0;
	if (size == 0)
		return 0;
	int fd = file_make_nameless(NULL);
	require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1) && lseek(fd, 0, SEEK_SET) == 0);
	struct source *source = source_open_fd(fd, "input", &options, &err);
	struct entries *entries = entries_new(source, format, 4096, &err);
	enum source_result got;
	while ((got = entries_next(entries, &entry, &err)) == SOURCE_ITEM) {
		require(entry.line > number && entry.source.line > 0 && entry.column > 0);
		number = entry.line;
		if (entry.type == CAPTURE_ITEM_BAD) {
			require(entry.problem.message[0] != '\0');
			continue;
		}
		require(entry.source.length > 0 &&
		        find_text((const char *)data + 1, size - 1, entry.source.text, entry.source.length));
		require_notification(&entry);
	}
	require(got == SOURCE_END || err.message[0] != '\0');
	const struct entry_counts *counts = entries_counts(entries);
	require(counts->entries == counts->notifications + counts->others + counts->bad);
	entries_free(entries);
	source_close(source);
	close(fd);
	return 0;
}

#endif
