#include "capture/source_files.h"

#include "capture/source.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void source_files_release(struct source_files *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->files[i].path);
	free(list->files);
	for (size_t i = 0; i < list->named.count; i++)
		free(list->named.paths[i]);
	text_list_release(&list->empty);
	*list = (struct source_files){ .count = 0 };
}

/* errnum: why it cannot be read; 0: no problem. False: out of memory. */
static bool add_file(struct source_files *list, const char *path, int errnum)
{
	char *copy = strdup(path);
	if (!copy || !ARRAY_ROOM(list->files, list->capacity, list->count + 1)) {
		free(copy);
		return false;
	}
	list->files[list->count++] = (struct source_file){ copy, errnum, 0 };
	return true;
}

/* Counts what is not read. False: out of memory. */
static bool skip(struct source_files *list, const char *path, size_t *count)
{
	++*count;
	if (list->named.count == SOURCE_SKIPPED_NAMED)
		return true;
	char *copy = strdup(path);
	if (copy)
		list->named.paths[list->named.count++] = copy;
	return copy != NULL;
}

/* What editors, systems and package managers put into folders: ._x.json, .#x.json, .git. It is read where it is named.
 */
static bool is_nobodys(const char *name)
{
	return name[0] == '.' || strcmp(name, "node_modules") == 0;
}

/* Adds what is under the folder. Follows no link but the folder itself. */
static bool add_folder(struct source_files *list, char *folder)
{
	FTS *walk = fts_open((char *const[]){ folder, NULL }, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *entry = NULL;
	bool good = walk != NULL;
	while (good && (entry = fts_read(walk)) != NULL) {
		bool wanted = source_type_of_name(entry->fts_name) != SOURCE_DETECT, is_file = entry->fts_info == FTS_F;
		struct stat status;
		bool is_skipped = entry->fts_level > FTS_ROOTLEVEL && is_nobodys(entry->fts_name);
		if (entry->fts_info == FTS_D && is_skipped) {
			good = skip(list, entry->fts_path, &list->skipped_folders);
			fts_set(walk, entry, FTS_SKIP);
		}
		if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP)
			continue;
		if (is_skipped)
			good = skip(list, entry->fts_path, &list->skipped);
		else if (entry->fts_info == FTS_DNR)
			good = add_file(list, entry->fts_path, entry->fts_errno);
		else if (wanted && !is_file && stat(entry->fts_path, &status) < 0)
			good = add_file(list, entry->fts_path, errno);
		else if (wanted && (is_file || S_ISREG(status.st_mode)))
			good = add_file(list, entry->fts_path, 0);
		else
			good = skip(list, entry->fts_path, &list->skipped);
	}
	good = good && errno == 0; /* of fts_read() */
	if (walk)
		fts_close(walk);
	return good;
}

static int by_path(const void *a, const void *b)
{
	const struct source_file *left = a, *right = b;
	return strcmp(left->path, right->path);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int source_files_add(struct source_files *list, const char *argument, struct error *err)
{
	struct stat status;
	size_t before = list->count;
	if (strcmp(argument, "-") == 0 || stat(argument, &status) < 0 || !S_ISDIR(status.st_mode))
		return source_files_add_path(list, argument, err);
	LOCAL(release_text) char *folder = strdup(argument);
	if (!folder || !add_folder(list, folder))
		return error_no_memory(err);
	qsort(list->named.paths, list->named.count, sizeof *list->named.paths, by_text);
	if (list->count == before)
		return text_list_add(&list->empty, argument, err);
	qsort(list->files + before, list->count - before, sizeof *list->files, by_path);
	return 0;
}

int source_files_add_path(struct source_files *list, const char *path, struct error *err)
{
	return add_file(list, path, 0) ? 0 : error_no_memory(err);
}

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

uint64_t source_files_measure(struct source_files *list)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct source_file *file = &list->files[i];
		struct stat status;
		if (strcmp(file->path, "-") == 0)
			return 0;
		if (file->problem || stat(file->path, &status) < 0)
			continue;
		if (!S_ISREG(status.st_mode))
			return 0;
		file->size = (uint64_t)status.st_size;
		sum += file->size;
	}
	return sum;
}

void source_files_append_skipped(const struct source_files *list, struct buffer *out)
{
	size_t files = list->skipped, folders = list->skipped_folders;
	if (files > 0)
		buffer_printf(out, "%zu other file%s%s", files, files == 1 ? "" : "s", folders > 0 ? " and " : "");
	if (folders > 0)
		buffer_printf(out, "%zu folder%s", folders, folders == 1 ? "" : "s");
	if (files + folders > 0)
		buffer_append_text(out, " skipped");
}
