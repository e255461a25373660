/*
 * The inputs that FILE|DIR|- arguments mean: a directory stands for every .json, .ndjson and .jsonl file under it.
 *
 * The files of a directory come in the order of their paths' bytes. A symbolic link to a file counts as one; a link to
 * a directory is followed when it is the argument itself and nowhere below, so that a loop of links is harmless. FIFOs
 * and devices inside a directory are left out.
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_FILES_H
#define CREDHOOK_CAPTURE_SOURCE_FILES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct source_file {
	char *path;    /* as source_open() takes it */
	char *problem; /* NULL, or why it cannot be had (a directory that cannot be read, say): cannot open 'x': ... */
	bool found;    /* found in a directory, not named by an argument */
};

struct source_files {
	struct source_file *files;
	size_t count;
	size_t capacity;
};

#define SOURCE_FILES_INIT                                                                                              \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}

void source_files_release(struct source_files *list);

/* Adds what one argument means: itself (also "-", and a file that does not exist: opening it will tell), or the files
 * under it. A directory that cannot be read becomes an entry with a problem, and the walk goes on. -1: no memory. */
int source_files_add(struct source_files *list, const char *argument, struct error *err);

#endif
