#include "base/quoted.h"
#include "base/text.h"
#include "cmd/args/distinct.h"
#include "cmd/show/show.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct convert_files {
	const char *folder;
	struct output_file output;
	struct distinct *there; /* what files have that are named by shapes; NULL: they are numbered */
	struct shaper *shaper;
	uint64_t *numbers;    /* of the last file of each kind, and behind them of what is unknown */
	uint64_t added, kept; /* what was written, and what was there already */
};

bool convert_files_is_folder(const char *path)
{
	struct stat status;
	return text_ends_with(path, strlen(path), "/") || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static void append_path(const struct convert_files *f, const char *name, struct buffer *path)
{
	buffer_printf(path, "%s%s%s", f->folder, text_ends_with(f->folder, strlen(f->folder), "/") ? "" : "/", name);
}

/* Takes what is in a file of the folder, so that it is not new. */
static int read_file(struct convert_files *f, const char *name, struct checker *checker, struct error *err)
{
	struct stat status;
	struct distinct_taken taken;
	LOCAL_BUFFER path = BUFFER_INIT, body = BUFFER_INIT;
	append_path(f, name, &path);
	if (path.failed)
		return error_no_memory(err);
	if (stat(path.data, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (file_read_whole(path.data, &body, f->output.signals, err) < 0)
		return -1;
	const struct verdict *verdict = check_payload(checker, buffer_text(&body), body.length, NULL, err);
	return verdict && distinct_takes(f->there, verdict, 0, &taken, err) >= 0 ? 0 : -1;
}

static int read_folder(struct convert_files *f, struct checker *checker, struct error *err)
{
	DIR *folder = opendir(f->folder);
	int result = 0;
	if (!folder)
		return errno == ENOENT ? 0 : file_cannot("open", f->folder, errno, err);
	errno = 0;
	for (const struct dirent *entry; result == 0 && (entry = readdir(folder)); errno = 0)
		if (shape_is_file_name(entry->d_name))
			result = read_file(f, entry->d_name, checker, err);
	if (result == 0 && errno != 0)
		result = file_cannot("read", f->folder, errno, err);
	closedir(folder);
	return result;
}

struct convert_files *convert_files_new(const char *folder, bool distinct, const struct output_file *output,
                                        struct checker *checker, struct error *err)
{
	struct convert_files *f = calloc(1, sizeof *f);
	uint64_t *numbers = calloc(catalog_kind_count() + 1, sizeof *numbers);
	if (!f || !numbers) {
		free(f);
		free(numbers);
		return error_no_memory_null(err);
	}
	*f = (struct convert_files){ .folder = folder, .output = *output, .numbers = numbers };
	if (!distinct ||
	    ((f->shaper = shaper_new(err)) && (f->there = distinct_new(err)) && read_folder(f, checker, err) == 0))
		return f;
	convert_files_free(f);
	return NULL;
}

void convert_files_free(struct convert_files *f)
{
	if (!f)
		return;
	output_abandon(&f->output);
	distinct_free(f->there);
	shaper_free(f->shaper);
	free(f->numbers);
	free(f);
}

/* What the file is named by: the shape, with the values of the codes. */
static int name_by_shape(struct convert_files *f, const struct verdict *verdict, unsigned char id[SHAPE_ID_SIZE],
                         struct error *err)
{
	const struct catalog_field *field;
	struct text value;
	int result = shape_of(f->shaper, verdict, id, err);
	for (size_t nth = 0; result == 0 && shape_code(f->shaper, verdict, nth, &field, &value); nth++)
		result = shape_with_code(f->shaper, id, field, value, id, err);
	return result;
}

/* Returns 1; 0: it was there, or what is named by shapes finds its name taken; -1. */
static int write_file(struct convert_files *f, const char *name, struct text body, struct error *err)
{
	struct stat status;
	LOCAL_BUFFER path = BUFFER_INIT;
	append_path(f, name, &path);
	if (path.failed)
		return error_no_memory(err);
	if (f->there && lstat(path.data, &status) == 0)
		return 0;
	if (f->there && errno != ENOENT)
		return file_cannot("look at", path.data, errno, err);
	if (f->added == 0 && file_make_folders_above(path.data, err) < 0)
		return -1;
	f->output.path = path.data;
	return output_write(&f->output, body.text, body.length, err);
}

/* The same of one that is named by its shape, unless there is nothing new in it. What has that name by then has
 * something else in it, be it another shape with the same first digits: two in four thousand million are. It gets more
 * of them. */
static int write_distinct(struct convert_files *f, struct text body, const struct verdict *verdict, struct error *err)
{
	char name[SHAPE_FILE_NAME_SIZE];
	unsigned char id[SHAPE_ID_SIZE];
	struct distinct_taken taken;
	int result = distinct_takes(f->there, verdict, 0, &taken, err);
	if (result <= 0)
		return result;
	if (name_by_shape(f, verdict, id, err) < 0)
		return -1;
	for (size_t digits = SHAPE_FILE_DIGITS; digits <= (size_t)2 * SHAPE_ID_SIZE; digits += SHAPE_FILE_DIGITS) {
		shape_file_name(verdict->kind, id, digits, name);
		result = write_file(f, name, body, err);
		if (result != 0)
			return result;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is there in %s, and is something else; not replaced", name, f->folder);
	return error_hint(err, "remove it, or name another folder");
}

static int write_numbered(struct convert_files *f, struct text body, const struct verdict *verdict, struct error *err)
{
	char name[SHAPE_FILE_NAME_SIZE], stem[CATALOG_KIND_NAME_SIZE];
	size_t kind = verdict->kind.event ? catalog_kind_index(verdict->kind) : catalog_kind_count();
	if (f->added + f->kept == CONVERT_FILES_MOST) {
		error_set(err, EXIT_CODE_USAGE, "more than %s records for a folder", COUNT_TEXT(CONVERT_FILES_MOST));
		return error_hint(err, "--distinct takes one of each shape, --limit the first ones");
	}
	snprintf(name, sizeof name, "%s-%llu.json", catalog_kind_stem(verdict->kind, stem),
	         (unsigned long long)++f->numbers[kind]);
	return write_file(f, name, body, err);
}

int convert_files_add(struct convert_files *f, struct text body, const struct verdict *verdict, struct error *err)
{
	int result = f->there ? write_distinct(f, body, verdict, err) : write_numbered(f, body, verdict, err);
	f->added += result > 0;
	f->kept += result == 0;
	return result < 0 ? -1 : 0;
}

uint64_t convert_files_count(const struct convert_files *f)
{
	return f->added;
}

void convert_files_note(const struct convert_files *f, struct terminal *terminal)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	const char *folder = quoted_word(&name, f->folder);
	uint64_t all = f->added + f->kept;
	if (f->kept == 0)
		terminal_note(terminal, "%s file%s written to %s", COUNT_TEXT(all), all == 1 ? "" : "s", folder);
	else if (f->added > 0)
		terminal_note(terminal, "%s of %s files written to %s, the rest %s", COUNT_TEXT(f->added),
		              COUNT_TEXT(all), folder, f->there ? "known there" : "unchanged");
	else if (f->there)
		terminal_note(terminal, "nothing written to %s: it has %s", folder,
		              all == 1 ? "a file for it" : "files for all");
	else
		terminal_note(terminal, "%s file%s unchanged in %s", COUNT_TEXT(all), all == 1 ? "" : "s", folder);
}
