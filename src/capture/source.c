/* A source, opened and closed. */
#include "base/file.h"
#include "base/system.h"
#include "base/text.h"
#include "capture/source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_BLOCK ((size_t)256 << 10)

struct source *source_open_fd(int fd, const char *name, const struct source_options *options, struct error *err)
{
	struct source *s = calloc(1, sizeof *s);
	if (!s)
		return error_no_memory_null(err);
	s->fd = fd;
	s->left = UINT64_MAX;
	s->type = options->type != SOURCE_DETECT ? options->type : source_type_of_name(name);
	s->limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX;
	s->block = options->block ? options->block : DEFAULT_BLOCK;
	s->signals = options->signals;
	s->line = 1;
	s->name = strdup(name);
	if (!s->name || !ARRAY_ROOM(s->window, s->capacity, s->block)) {
		source_close(s);
		return error_no_memory_null(err);
	}
	return s;
}

struct source *source_open(const char *path, const struct source_options *options, struct error *err)
{
	if (strcmp(path, "-") == 0)
		return source_open_fd(STDIN_FILENO, "standard input", options, err);
	struct source *s = source_open_fd(-1, path, options, err);
	if (!s)
		return NULL;
	/* O_NONBLOCK: open() must not wait for the writer of a FIFO, since no signal would end that; poll() waits. */
	int fd = s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	s->owns_fd = true;
	struct stat status;
	if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) {
		if ((size_t)status.st_size > s->block)
			system_expect_reading(fd);
		/* Ignore what is appended meanwhile: a replay to the listener that writes the same file would never
		 * end. Files in /proc have size 0. */
		if (S_ISREG(status.st_mode) && status.st_size > 0)
			s->left = (uint64_t)status.st_size;
		return s;
	}
	file_cannot("open", path, fd >= 0 ? EISDIR : errno, err);
	source_close(s);
	return NULL;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	source_gzip_free(source->gzip);
	if (source->owns_fd && source->fd >= 0)
		close(source->fd);
	free(source->window);
	free(source->name);
	free(source);
}

void source_set_wait(struct source *source, bool wait)
{
	source->no_wait = !wait;
}

int source_fd(const struct source *source)
{
	return source->fd;
}

const char *source_name(const struct source *source)
{
	return source->name;
}

size_t source_blank_lines(const struct source *source)
{
	return source->blank;
}

enum source_type source_type_found(const struct source *source)
{
	return source->type;
}

struct mend_file source_mend_file(const struct source *source, const char *path)
{
	return (struct mend_file){ .path = path,
		                   .is_lines = source->type == SOURCE_LINES,
		                   .is_packed = source->gzip || source->is_packed };
}

enum source_type source_type_of_name(const char *path)
{
	size_t length = strlen(path);
	if (text_ends_with(path, length, ".gz"))
		length -= 3;
	if (text_ends_with(path, length, ".json"))
		return SOURCE_SINGLE;
	bool are_lines = text_ends_with(path, length, ".ndjson") || text_ends_with(path, length, ".jsonl");
	return are_lines ? SOURCE_LINES : SOURCE_DETECT;
}
