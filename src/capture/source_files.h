/*
 * The inputs that FILE|DIR|- arguments mean: a directory stands for every .json, .ndjson and .jsonl file under it.
 * What else is in it is left out, and counted.
 *
 * The files of a directory come in the order of their paths' bytes. A symbolic link to a file counts as one; a link to
 * a directory is followed when it is the argument itself and nowhere below, so that a loop of links is harmless. FIFOs
 * and devices inside a directory are left out.
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_FILES_H
#define CREDHOOK_CAPTURE_SOURCE_FILES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_file {
	char *path;    /* as source_open() takes it */
	char *problem; /* NULL, or why it cannot be had (a directory that cannot be read, say): cannot open 'x': ... */
	bool found;    /* found in a directory, not named by an argument */
	uint64_t size; /* bytes, once they were measured */
};

struct source_files {
	struct source_file *files;
	size_t count;
	size_t capacity;
	size_t left_out;                        /* other files, and what is no file, in directories */
	char *left_out_first;                   /* the first of them in the order of paths; NULL: none */
	struct text_list empty;                 /* arguments, borrowed: directories in which nothing was found */
	const struct source_files *also_in_use; /* borrowed; NULL: none. Not inputs: for replace_check() only */
};

#define SOURCE_FILES_INIT                                                                                              \
	{                                                                                                              \
		NULL, 0, 0, 0, NULL, TEXT_LIST_INIT, NULL                                                              \
	}

void source_files_release(struct source_files *list);

/* Adds what one argument means: itself (also "-", and a file that does not exist: opening it will tell), or the files
 * under it. A directory that cannot be read becomes an entry with a problem, and the walk goes on. -1: no memory. */
int source_files_add(struct source_files *list, const char *argument, struct error *err);

/* Adds a path as it is, whatever it leads to. -1: no memory. */
int source_files_add_path(struct source_files *list, const char *path, struct error *err);

/* Completes the error about a file that there is not, where its folder has one of a similar name. */
void source_files_hint_near(const char *path, struct error *err);

/* Looks up how many bytes each file has, and returns the sum. What cannot be had counts for nothing. 0: one of them is
 * no regular file, so that nobody knows how much there will be to read. */
uint64_t source_files_measure(struct source_files *list);

/* Appends "3 other files left out, such as 'd/notes.txt'"; nothing where none was. */
void source_files_append_skipped(const struct source_files *list, struct buffer *out);

#endif
