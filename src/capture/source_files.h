/*
 * The inputs given by FILE|DIR|- arguments. A directory means all .json, .ndjson and .jsonl files under it, with or
 * without .gz, in byte order of their paths; other entries are skipped and counted, and so is what begins with a dot,
 * and node_modules.
 *
 * A symbolic link to a file counts as a file. A link to a directory is followed only if it is the argument itself, so
 * that a loop of links is harmless. FIFOs and devices in a directory are skipped.
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_FILES_H
#define CREDHOOK_CAPTURE_SOURCE_FILES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

#define SOURCE_SKIPPED_NAMED 100

struct source_file {
	char *path;    /* for source_open() */
	int problem;   /* why it cannot be opened (an unreadable directory), an errno; 0: none */
	uint64_t size; /* bytes, after source_files_measure() */
};

/* Zero-initialise. */
struct source_files {
	struct source_file *files;
	size_t count;
	size_t capacity;
	size_t skipped;         /* other entries of directories, */
	size_t skipped_folders; /* and folders of these that were not looked into */
	struct source_skipped {
		char *paths[SOURCE_SKIPPED_NAMED];
		size_t count;
	} named;                                /* the first of both, sorted */
	struct text_list empty;                 /* arguments, borrowed: directories without any such file */
	const struct source_files *also_in_use; /* for replace_check() only; borrowed; NULL: none */
};

void source_files_release(struct source_files *list);

/* Adds the argument itself (also "-", or a file that does not exist), or the files under it. A directory that cannot be
 * read becomes an entry with a problem. -1: out of memory. */
int source_files_add(struct source_files *list, const char *argument, struct error *err);

/* Adds a path itself, even if it is a directory. -1: out of memory. */
int source_files_add_path(struct source_files *list, const char *path, struct error *err);

/* What an input is called in what is said of a place in it: <stdin> for "-". */
const char *input_name(const char *path);

/* Sets the size of each file and returns the sum, in bytes. Files that cannot be read count as 0. 0: one of them is not
 * a regular file, so the amount is unknown. */
uint64_t source_files_measure(struct source_files *list);

/* Appends "3 other files and 1 folder skipped", or nothing. */
void source_files_append_skipped(const struct source_files *list, struct buffer *out);

#endif
