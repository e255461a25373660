/*
 * The entries of a file in the order of time, for files whose entries are not. Private to src/capture.
 *
 * The file is read to find them, and then each is read at its place. An entry takes 24 bytes.
 */
#ifndef CREDHOOK_CAPTURE_ENTRY_INDEX_H
#define CREDHOOK_CAPTURE_ENTRY_INDEX_H

#include "capture/entries.h"

#define ENTRY_INDEX_MAX ((size_t)700000) /* 16 MiB */

struct entry_index;

/* SOURCE_ITEM: *index is made, or NULL: the file cannot be read twice (a pipe, compressed), its entries are in order,
 * or there are too many. Else as source_next(). */
enum source_result entry_index_new(const char *path, const struct format *format, const struct source_options *options,
                                   size_t limit, struct entry_index **index, struct error *err);
void entry_index_free(struct entry_index *index); /* NULL is allowed */

/* The next notification or bad entry. `entries` is used to read it. */
enum source_result entry_index_next(struct entry_index *index, struct entries *entries, struct entry *entry,
                                    struct error *err);

const struct entry_counts *entry_index_counts(const struct entry_index *index); /* of the whole file */
uint64_t entry_index_first_hash(const struct entry_index *index);
/* How much was handed out, in bytes of the file. */
uint64_t entry_index_position(const struct entry_index *index);

#endif
