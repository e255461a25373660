#include "cmd/validate/report_files.h"

#include "capture/replace.h"

#include <stdlib.h>
#include <string.h>

#define WRITE_AT ((size_t)64 << 10)

static int write_pending(struct report_file *file, struct error *err)
{
	int result = file->pending.failed ? error_no_memory(err)
	                                  : file_writer_append(&file->writer, buffer_text(&file->pending),
	                                                       file->pending.length, err);
	buffer_clear(&file->pending);
	return result;
}

static int write_if_much(struct report_file *file, struct error *err)
{
	return file->pending.length >= WRITE_AT || file->pending.failed ? write_pending(file, err) : 0;
}

static int make_folders_above(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	char *folder = strndup(path, (size_t)(slash - path));
	if (!folder)
		return error_no_memory(err);
	int result = file_make_folders(folder, err);
	free(folder);
	return result;
}

int report_files_open(struct report_files *files, const struct validate_report_wishes *wishes,
                      const struct source_files *in_use, struct error *err)
{
	*files = (struct report_files){ .count = 0 };
	/* Before the first is touched. */
	for (size_t i = 0; i < wishes->count; i++)
		if (replace_check(wishes->list[i].path, in_use, err) < 0)
			return -1;
	for (size_t i = 0; i < wishes->count; i++) {
		struct report_file *file = &files->list[i];
		file->format = wishes->list[i].format;
		if (make_folders_above(wishes->list[i].path, err) < 0 ||
		    file_writer_open(&file->writer, wishes->list[i].path, in_use, err) < 0) {
			report_files_release(files);
			return -1;
		}
		files->count++;
		file->room = file->format->begin(&file->pending);
	}
	return 0;
}

int report_files_append(struct report_files *files, size_t index, const struct buffer *text, struct error *err)
{
	struct report_file *file = &files->list[index];
	size_t skip = file->any_text || text->length == 0 ? 0 : strlen(file->format->separator);
	file->any_text |= text->length > 0;
	buffer_append(&file->pending, buffer_text(text) + skip, text->length - skip);
	return write_if_much(file, err);
}

int report_files_problem(struct report_files *files, const char *message, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file->format->problem(message, &file->pending, &file->notices);
		if (write_if_much(file, err) < 0)
			return -1;
	}
	return 0;
}

int report_files_coverage(struct report_files *files, const char *event, bool covered, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file->format->coverage(event, covered, &file->pending);
		if (write_if_much(file, err) < 0)
			return -1;
	}
	return 0;
}

static int finish(struct report_file *file, struct report_totals *totals, struct error *err)
{
	struct buffer counts = BUFFER_INIT;
	totals->notices = file->notices;
	file->format->end(totals, &file->pending);
	int result = write_pending(file, err);
	if (result == 0 && file->format->patch) {
		file->format->patch(totals, &counts);
		result = file_writer_patch(&file->writer, file->room, buffer_text(&counts), counts.length, err);
	}
	buffer_release(&counts);
	return result == 0 ? file_writer_finish(&file->writer, err) : -1;
}

int report_files_finish(struct report_files *files, struct report_totals totals, struct error *err)
{
	for (size_t i = 0; i < files->count; i++)
		if (finish(&files->list[i], &totals, err) < 0)
			return -1;
	return 0;
}

void report_files_release(struct report_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		file_writer_abandon(&files->list[i].writer);
		buffer_release(&files->list[i].pending);
		buffer_release(&files->list[i].notices);
	}
	files->count = 0;
}
