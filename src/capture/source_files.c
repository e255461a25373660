#include "capture/source_files.h"

#include "base/text.h"
#include "capture/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Entries of a directory that are examined for a hint. */
#define HINT_ENTRIES_MAX 10000

/* Directories still to be read. A list, since recursion into a deep tree could exhaust the stack. */
struct walk {
	struct source_files *list;
	char **folders;
	size_t count, capacity;
};

void source_files_release(struct source_files *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->files[i].path);
		free(list->files[i].problem);
	}
	free(list->files);
	free(list->skipped_first);
	text_list_release(&list->empty);
	*list = (struct source_files)SOURCE_FILES_INIT;
}

static char *problem_text(const char *path, int errnum)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "cannot open '%s': %s", path, strerror(errnum));
	if (!text.failed)
		return text.data;
	buffer_release(&text);
	return NULL;
}

/* Takes ownership of `path`. errnum 0: no problem. False: out of memory. */
static bool add_file(struct source_files *list, char *path, bool found, int errnum)
{
	bool has_room = ARRAY_ROOM(list->files, list->capacity, list->count + 1);
	char *problem = errnum ? problem_text(path, errnum) : NULL;
	if (!has_room || (errnum && !problem)) {
		free(problem);
		free(path);
		return false;
	}
	list->files[list->count++] = (struct source_file){ path, problem, found, 0 };
	return true;
}

/* Takes ownership of `path`. */
static void skip_file(struct source_files *list, char *path)
{
	bool first = !list->skipped_first || strcmp(path, list->skipped_first) < 0;
	list->skipped++;
	free(first ? list->skipped_first : path);
	if (first)
		list->skipped_first = path;
}

static char *join(const char *folder, const char *name)
{
	struct buffer path = BUFFER_INIT;
	size_t length = strlen(folder);
	buffer_append(&path, folder, length);
	if (length == 0 || folder[length - 1] != '/')
		buffer_append_byte(&path, '/');
	buffer_append_text(&path, name);
	if (!path.failed)
		return path.data;
	buffer_release(&path);
	return NULL;
}

/* Takes ownership of `path`. */
static bool push_folder(struct walk *walk, char *path)
{
	if (!ARRAY_ROOM(walk->folders, walk->capacity, walk->count + 1)) {
		free(path);
		return false;
	}
	walk->folders[walk->count++] = path;
	return true;
}

static bool add_entry(struct walk *walk, const char *folder, int fd, const struct dirent *entry)
{
	const char *name = entry->d_name;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	struct stat status;
	int errnum = 0;
	bool wanted = source_kind_of_name(name) != SOURCE_DETECT;
	bool is_folder = entry->d_type == DT_DIR, is_file = entry->d_type == DT_REG;
	if (entry->d_type == DT_UNKNOWN && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		is_folder = S_ISDIR(status.st_mode);
	if (!is_folder && !is_file && wanted) {
		if (fstatat(fd, name, &status, 0) < 0)
			errnum = errno;
		else
			wanted = S_ISREG(status.st_mode);
	}
	char *path = join(folder, name);
	if (!path)
		return false;
	if (is_folder)
		return push_folder(walk, path);
	if (wanted)
		return add_file(walk->list, path, true, errnum);
	skip_file(walk->list, path);
	return true;
}

/* Takes ownership of `folder`. */
static bool read_folder(struct walk *walk, char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	if (!stream) {
		int errnum = errno;
		if (fd >= 0)
			close(fd);
		return add_file(walk->list, folder, true, errnum);
	}
	bool good = true;
	errno = 0;
	for (struct dirent *entry; good && (entry = readdir(stream)); errno = 0)
		good = add_entry(walk, folder, fd, entry);
	int errnum = errno;
	closedir(stream);
	if (good && errnum)
		return add_file(walk->list, folder, true, errnum);
	free(folder);
	return good;
}

static int by_path(const void *a, const void *b)
{
	const struct source_file *left = a, *right = b;
	return strcmp(left->path, right->path);
}

int source_files_add(struct source_files *list, const char *argument, struct error *err)
{
	struct stat status;
	char *path = strdup(argument);
	if (!path)
		return error_no_memory(err);
	if (strcmp(argument, "-") == 0 || stat(argument, &status) < 0 || !S_ISDIR(status.st_mode))
		return add_file(list, path, false, 0) ? 0 : error_no_memory(err);
	struct walk walk = { .list = list };
	size_t before = list->count;
	bool good = push_folder(&walk, path);
	while (good && walk.count > 0)
		good = read_folder(&walk, walk.folders[--walk.count]);
	while (walk.count > 0)
		free(walk.folders[--walk.count]);
	free(walk.folders);
	if (!good)
		return error_no_memory(err);
	if (list->count == before)
		return text_list_add(&list->empty, argument, err);
	qsort(list->files + before, list->count - before, sizeof *list->files, by_path);
	return 0;
}

int source_files_add_path(struct source_files *list, const char *path, struct error *err)
{
	char *copy = strdup(path);
	return copy && add_file(list, copy, false, 0) ? 0 : error_no_memory(err);
}

void source_files_hint_near(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	DIR *stream = folder ? opendir(folder) : NULL;
	struct nearest near;
	char kept[sizeof((struct dirent *)NULL)->d_name];
	nearest_init(&near, name, strlen(name));
	struct dirent *entry;
	for (int i = 0; stream && i < HINT_ENTRIES_MAX && (entry = readdir(stream)); i++) {
		nearest_offer(&near, entry->d_name);
		if (near.best == entry->d_name) /* the next readdir() overwrites it */
			near.best = strcpy(kept, entry->d_name);
	}
	if (nearest_result(&near))
		error_hint(err, "did you mean %s%s?", slash ? folder : "", near.best);
	if (stream)
		closedir(stream);
	free(folder);
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
	if (list->skipped == 1)
		buffer_printf(out, "1 other file skipped: '%s'", list->skipped_first);
	else if (list->skipped > 1)
		buffer_printf(out, "%zu other files skipped, such as '%s'", list->skipped, list->skipped_first);
}
