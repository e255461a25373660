/* A private temporary folder for a test of files: made before it, removed with all that is in it. */
#ifndef CREDHOOK_TESTS_CAPTURE_FOLDER_H
#define CREDHOOK_TESTS_CAPTURE_FOLDER_H

#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[64];
	char file[128]; /* what folder_file() returned last */
};

static inline int folder_make(void **state)
{
	struct folder *folder = calloc(1, sizeof *folder);
	strcpy(folder->path, "/tmp/credhook-test-XXXXXX");
	*state = folder;
	return mkdtemp(folder->path) ? 0 : -1;
}

static inline int folder_remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline int folder_remove(void **state)
{
	struct folder *folder = *state;
	int result = nftw(folder->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(folder);
	return result;
}

/* The path of a name in the folder, valid until the next call. */
static inline const char *folder_file(struct folder *folder, const char *name)
{
	snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
	return folder->file;
}

static inline const char *folder_write(struct folder *folder, const char *name, const void *bytes, size_t length)
{
	const char *path = folder_file(folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return path;
}

static inline const char *folder_write_text(struct folder *folder, const char *name, const char *text)
{
	return folder_write(folder, name, text, strlen(text));
}

/* The whole file, with a NUL behind it; the caller frees. */
static inline char *folder_read(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*length = (size_t)ftell(file);
	rewind(file);
	char *bytes = malloc(*length + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	bytes[*length] = '\0';
	fclose(file);
	return bytes;
}

static inline void folder_assert_text(const char *path, const char *text)
{
	size_t length;
	char *bytes = folder_read(path, &length);
	assert_string_equal(bytes, text);
	assert_int_equal(length, strlen(text));
	free(bytes);
}

#define FOLDER_NOBODY 65534

/* Makes the folder's mode `mode` and gives up root's rights, to which no mode is a bar. */
static inline void folder_drop_rights(struct folder *folder, mode_t mode)
{
	assert_int_equal(chmod(folder->path, mode), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(FOLDER_NOBODY), 0);
}

static inline void folder_regain_rights(void)
{
	assert_int_equal(seteuid(getuid()), 0);
}

/* A test with a folder of its own: *state. */
#define FOLDER_TEST(name) TEST_WITH(name, folder_make, folder_remove)

#endif
