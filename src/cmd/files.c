#include "cmd/files.h"

#include "capture/replace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_writer_open(struct file_writer *w, const char *path, bool is_private, const struct source_files *in_use,
                     struct signals *signals, struct error *err)
{
	*w = (struct file_writer){ .fd = -1 };
	if (file_own_output(path) < 0 && replace_check(path, in_use, err) < 0)
		return -1;
	return file_writer_begin(w, path, is_private, signals, err);
}

int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct signals *signals, struct error *err)
{
	struct file_writer w;
	if (file_writer_open(&w, path, false, in_use, signals, err) < 0)
		return -1;
	if (file_writer_append(&w, bytes, length, err) == 0)
		return file_writer_finish(&w, err);
	file_writer_abandon(&w);
	return -1;
}

int file_remove(const char *path, const struct source_files *in_use, struct error *err)
{
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || !file_is_replaceable(path))
		return 0;
	if (replace_check(path, in_use, err) < 0)
		return -1;
	return unlink(path) == 0 ? 0 : file_cannot("remove", path, errno, err);
}
