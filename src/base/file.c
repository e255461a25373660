#include "base/file.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAMES_LOOKED 16   /* of one file: for those that killed runs left */
#define TEMPORARY_NAMES        1000 /* more than write it at a time, or are in the way */
#define FIFO_PAUSE_MS          20   /* between two looks for the reader of a FIFO */

int file_cannot(const char *what, const char *path, int number, struct error *err)
{
	if (number == EINTR)
		return error_set(err, EXIT_CODE_INTERRUPTED, "cannot %s '%s': interrupted", what, path);
	if (number == ENOMEM)
		return error_no_memory(err);
	error_set(err, EXIT_CODE_IO, "cannot %s '%s': %s", what, path, strerror(number));
	if (path[0] == '{' || path[0] == '[')
		return error_hint(err, "this is not a file's name; to read from standard input, write -");
	return number == ENOENT ? file_missing_hint(path, err) : -1;
}

int file_open(const char *path, int flags, const struct signals *signals)
{
	struct stat status;
	for (;;) {
		int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0 && (errno != ENXIO || stat(path, &status) < 0 || !S_ISFIFO(status.st_mode)))
			return -1;
		bool is_open = fd >= 0, reads = (flags & O_ACCMODE) == O_RDONLY;
		if (is_open && fstat(fd, &status) == 0 && !(reads && S_ISFIFO(status.st_mode)))
			reads = false;
		if ((reads || !is_open) && !signals_wait_input(signals, fd, is_open ? -1 : FIFO_PAUSE_MS)) {
			if (is_open)
				close(fd);
			errno = EINTR;
			return -1;
		}
		if (!is_open)
			continue;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return fd;
	}
}

int file_read_whole(const char *path, struct buffer *out, const struct signals *signals, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : file_open(path, O_RDONLY, signals);
	if (fd < 0)
		return file_cannot("open", path, errno, err);
	int failed = buffer_read(out, fd, FILE_WHOLE_MAX);
	if (!is_stdin)
		close(fd);
	if (failed)
		return file_cannot("read", path, failed, err);
	if (out->length > FILE_WHOLE_MAX)
		return error_set(err, EXIT_CODE_IO, "'%s' is longer than 64 MiB", path);
	return 0;
}

int file_write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, bytes, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO; /* or it would be tried forever */
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");
	return folder && *folder ? folder : "/tmp";
}

int file_make_nameless(const char *beside)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	const char *folder = beside ? beside : temporary_folder();
	buffer_append(&path, folder, beside ? (size_t)(strrchr(beside, '/') - beside) : strlen(folder));
	buffer_append_text(&path, "/");
	int fd = path.failed ? -1 : system_open_nameless(path.data);
	if (fd >= 0)
		return fd;
	buffer_append_text(&path, "credhook-XXXXXX");
	errno = ENOMEM;
	fd = path.failed ? -1 : system_open_temporary(path.data, 0);
	if (fd >= 0)
		unlink(path.data);
	return fd;
}

int file_write_temporary(struct buffer *path, const char *suffix, mode_t mode, const char *text, size_t length,
                         struct error *err)
{
	buffer_printf(path, "%s/credhook-XXXXXX%s", temporary_folder(), suffix);
	errno = ENOMEM;
	int fd = path->failed ? -1 : system_open_temporary(path->data, (int)strlen(suffix));
	if (fd < 0)
		return file_cannot("make", buffer_text(path), errno, err);
	int failed = file_write_all(fd, text, length);
	if (!failed && fchmod(fd, mode) < 0)
		failed = errno;
	if (close(fd) < 0 && !failed)
		failed = errno;
	if (!failed)
		return 0;
	unlink(path->data);
	return file_cannot("write", path->data, failed, err);
}

/* What a link says, as a path that leads there from here. NULL: it is not a link, or there is no memory. */
static char *link_target(const char *path)
{
	struct buffer whole = BUFFER_INIT;
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof target - 1);
	if (length <= 0)
		return NULL;
	target[length] = '\0';
	buffer_printf(&whole, "%.*s%s", target[0] != '/' && slash ? (int)(slash + 1 - path) : 0, path, target);
	return whole.data;
}

/* Such a link is the kernel's, on its file system, whatever the folder is called. */
bool file_is_descriptor(const char *path)
{
	struct stat link, kernel, file;
	if (strncmp(path, "/dev/fd/", 8) == 0)
		return true; /* not a link on every system */
	if (stat(path, &file) < 0 || lstat(path, &link) < 0 || !S_ISLNK(link.st_mode) ||
	    lstat("/proc/self", &kernel) < 0)
		return false;
	if (link.st_dev == kernel.st_dev)
		return true;
	LOCAL(release_text) char *next = link_target(path);
	return next && file_is_descriptor(next);
}

/* Whether a plain file is one that is mounted alone, as containers do: another cannot be put in its place. Where the
 * system does not say, one of the same disk is not known as such. */
static bool is_mounted(const char *real)
{
	struct stat file, folder;
	int known = system_is_mounted(real);
	if (known >= 0)
		return known > 0; /* on an overlay of several disks files have the number of theirs */
	LOCAL(release_text) char *above = strdup(real);
	char *slash = above ? strrchr(above, '/') : NULL;
	if (slash)
		slash[slash == above ? 1 : 0] = '\0';
	return above && stat(real, &file) == 0 && S_ISREG(file.st_mode) && stat(slash ? above : ".", &folder) == 0 &&
	       file.st_dev != folder.st_dev;
}

int file_open_or_make(const char *path, int flags, bool *made)
{
	int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
	*made = fd >= 0;
	/* A link whose target is not there is "there", too. */
	return fd >= 0 || errno != EEXIST ? fd : open(path, flags | O_CREAT, 0600);
}

int file_lock(int fd, const char *path, bool alone, struct error *err)
{
	char type[SYSTEM_FILESYSTEM_SIZE];
	if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return 1;
	int failed = errno;
	bool is_known = system_filesystem(fd, type);
	error_set(err, EXIT_CODE_IO, "cannot lock '%s': %s%s%s%s", path, strerror(failed), is_known ? " (" : "",
	          is_known ? type : "", is_known ? ")" : "");
	return error_hint(err, "name a file on a file system that has locks: without one, two processes could write it "
	                       "at once");
}

int file_sync(int fd, const char *path, struct error *err)
{
	LOCAL(release_text) char *real = file_real_path(path);
	char *slash = real ? strrchr(real, '/') : NULL;
	if (!real)
		return error_no_memory(err);
	if (fd >= 0 && system_sync(fd) < 0 && errno != EINVAL)
		return file_cannot("sync", path, errno, err);
	if (slash)
		slash[slash == real ? 1 : 0] = '\0';
	LOCAL(file_close) int folder = open(slash ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if ((folder < 0 || system_sync(folder) < 0) && errno != EACCES && errno != EINVAL)
		return file_cannot("sync the directory of", path, errno, err);
	return 0;
}

bool file_can_be_read_again(const char *path)
{
	struct stat status;
	return !file_is_descriptor(path) && stat(path, &status) == 0 &&
	       (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

bool file_is_replaced(const char *path)
{
	struct stat status;
	return file_own_output(path) < 0 && !file_is_descriptor(path) &&
	       (stat(path, &status) < 0 || S_ISREG(status.st_mode));
}

bool file_is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Our own stdout or stderr, where it goes to this file; else -1. */
static int own_stream(const struct stat *file)
{
	struct stat own;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &own) == 0 && file_is_same(&own, file))
			return fd;
	return -1;
}

int file_own_output(const char *path)
{
	struct stat link, target;
	if (lstat(path, &link) < 0 || !S_ISLNK(link.st_mode) || stat(path, &target) < 0)
		return -1;
	return own_stream(&target);
}

int file_refuse_own_output(int fd, const char *path, struct error *err)
{
	struct stat status;
	int own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? own_stream(&status) : -1;
	if (own < 0)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "cannot append to '%s': standard %s goes to it, too", path,
	          own == STDOUT_FILENO ? "output" : "error");
	return error_hint(err, "name a file that nothing else writes to");
}

char *file_real_path(const char *path)
{
	struct buffer whole = BUFFER_INIT;
	char *real = realpath(path, NULL);
	if (real || errno == ENOMEM)
		return real;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	LOCAL(release_text) char *target = errno == ENOENT ? link_target(path) : NULL;
	if (target || errno == ENOMEM)
		return target ? file_real_path(target) : NULL;
	LOCAL(release_text) char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	LOCAL(release_text) char *real_folder = folder ? realpath(folder, NULL) : NULL;
	if (!real_folder)
		return strdup(path); /* opening it will fail */
	buffer_printf(&whole, "%s/%s", real_folder, name);
	return whole.data;
}

static void release_temporary(struct file_writer *w)
{
	if (w->signals)
		signals_keep_file(w->signals, &w->at_end);
	free(w->temporary);
	w->temporary = NULL;
}

/* Whether the name is that of the open file: where locks do not reach another run, it may have taken the name. */
static bool is_named(int fd, const char *name)
{
	struct stat held, there;
	return fstat(fd, &held) == 0 && lstat(name, &there) == 0 && file_is_same(&there, &held);
}

/* Removes what a killed run left: whoever still writes the file holds a lock on it. Such a file is a plain one of this
 * user, without a second name. */
static void remove_left_behind(const char *name)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat status;
	LOCAL(file_close) int fd = open(name, O_RDWR | flags); /* on NFS only what is open for writing can be locked */
	if (fd < 0 && errno == EACCES)
		fd = open(name, O_RDONLY | flags);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    status.st_nlink == 1 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, name))
		unlink(name);
}

/* Makes a new file and holds a lock on it. -1: with EEXIST the name is taken. */
static int make_held(const char *name, mode_t mode)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	/* Before it was locked another may have taken it for left behind. Where there are no locks nothing is removed.
	 */
	if (fd >= 0 && ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) || !is_named(fd, name))) {
		close(fd);
		fd = -1;
		errno = EEXIST;
	}
	return fd;
}

/* The names are numbered, so that no folder is searched for them. Returns 0, or an errno. */
static int take_name(struct file_writer *w, unsigned number, mode_t mode)
{
	struct buffer name = BUFFER_INIT;
	buffer_printf(&name, "%s.credhook-%u.tmp", w->real, number);
	int failed = name.failed ? ENOMEM : 0;
	if (failed == 0)
		remove_left_behind(name.data);
	if (failed == 0 && !w->temporary) {
		w->fd = make_held(name.data, mode);
		failed = w->fd < 0 ? errno : 0;
		w->temporary = w->fd < 0 ? NULL : name.data; /* the buffer's memory goes to the writer */
	}
	if (w->temporary != name.data)
		buffer_release(&name);
	return failed;
}

/* Makes a file of a new name beside the one it is to replace, with that one's mode and, where that is allowed, owner;
 * and removes those of runs that were killed. */
static int open_temporary(struct file_writer *w)
{
	struct stat old;
	bool replaces = stat(w->real, &old) == 0;
	mode_t mode = w->privacy != FILE_PUBLIC ? 0600 : replaces ? old.st_mode & 0777 : 0666;
	int failed = 0;
	for (unsigned number = 1;
	     failed == 0 ? number <= TEMPORARY_NAMES_LOOKED : failed == EEXIST && number <= TEMPORARY_NAMES; number++)
		failed = take_name(w, number, mode);
	errno = failed;
	if (failed != 0)
		return -1;
	w->at_end.path = w->temporary;
	if (w->signals)
		signals_remove_file(w->signals, &w->at_end);
	/* Else a power cut might leave neither file. */
	w->is_synced = w->privacy == FILE_PRIVATE || (replaces && old.st_size > 0);
	/* Who may not give a file away keeps it. */
	if (replaces && fchown(w->fd, old.st_uid, old.st_gid) < 0 && errno != EPERM)
		return -1;
	return replaces ? fchmod(w->fd, mode) : 0;
}

/* Opens where it is kept until it is copied to what is mounted, which has to be writable then. */
static int open_copied(struct file_writer *w)
{
	LOCAL(file_close) int there = open(w->real, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	w->is_copied = true;
	w->fd = there < 0 ? -1 : file_make_nameless(NULL);
	return w->fd < 0 ? -1 : 0;
}

int file_writer_begin(struct file_writer *w, const char *path, enum file_privacy privacy, struct signals *signals,
                      struct error *err)
{
	int result = 0;
	*w = (struct file_writer){ .fd = -1, .privacy = privacy, .signals = signals };
	w->path = strdup(path);
	w->real = file_real_path(path); /* so that a link stays one */
	if (!w->path || !w->real) {
		file_writer_drop(w);
		return error_no_memory(err);
	}
	int own = file_own_output(path);
	w->fd = own < 0 ? -1 : fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* shares its place in a file */
	if (own < 0 && file_is_replaced(path))
		result = is_mounted(w->real) ? open_copied(w) : open_temporary(w);
	else if (own < 0)
		w->fd = file_open(path, O_WRONLY | O_APPEND, signals);
	if (result == 0 && w->fd >= 0)
		return 0;
	if (errno == EEXIST) {
		error_set(err, EXIT_CODE_IO, "cannot write '%s': no free name for its temporary file", path);
		error_hint(err, "remove '%s.credhook-*.tmp'", w->real);
	} else {
		file_cannot("write", path, errno, err);
	}
	file_writer_drop(w);
	return -1;
}

int file_writer_append(struct file_writer *w, const char *bytes, size_t length, struct error *err)
{
	int failed = file_write_all(w->fd, bytes, length);
	return failed ? file_cannot("write", w->path, failed, err) : 0;
}

/* Writes all of it over what is mounted there: 0, or an errno. */
static int copy_over(const struct file_writer *w)
{
	char bytes[BUFSIZ];
	ssize_t got;
	LOCAL(file_close) int there = open(w->real, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (there < 0 || (w->privacy != FILE_PUBLIC && fchmod(there, 0600) < 0 && errno != EPERM && errno != EROFS))
		return errno;
	for (off_t at = 0; (got = pread(w->fd, bytes, sizeof bytes, at)) != 0; at += got) {
		int failed = got < 0 ? errno : file_write_all(there, bytes, (size_t)got);
		if (failed)
			return failed;
	}
	return system_sync(there) < 0 && errno != EINVAL ? errno : 0;
}

/* Puts it into its place: 0, or an errno. */
static int put(const struct file_writer *w)
{
	int failed = w->is_copied ? EBUSY : w->temporary && rename(w->temporary, w->real) < 0 ? errno : 0;
	if (failed != EBUSY)
		return failed;
	failed = copy_over(w);
	if (failed == 0 && w->temporary)
		unlink(w->temporary);
	return failed;
}

int file_writer_finish(struct file_writer *w, struct error *err)
{
	bool is_synced = w->is_synced && w->temporary;
	/* Closing may report an error of writing. Its lock is held until it is in its place. */
	int held = fcntl(w->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int result = held < 0 || (is_synced && system_sync(w->fd) < 0 && errno != EINVAL) ? -1 : close(w->fd);
	w->fd = held < 0 ? w->fd : held;
	if (result == 0 && w->temporary && !is_named(w->fd, w->temporary)) {
		result = error_set(err, EXIT_CODE_IO, "cannot write '%s': '%s' was removed or replaced", w->path,
		                   w->temporary);
		error_hint(err, "let one run at a time write it");
	} else if (result < 0 || (errno = put(w)) != 0) {
		result = file_cannot("write", w->path, errno, err);
	}
	if (result == 0)
		release_temporary(w);
	if (result == 0 && is_synced)
		result = file_sync(-1, w->real, err);
	file_writer_drop(w);
	return result;
}

void file_writer_drop(struct file_writer *w)
{
	if (w->temporary && is_named(w->fd, w->temporary))
		unlink(w->temporary);
	if (w->fd >= 0)
		close(w->fd);
	release_temporary(w);
	free(w->real);
	free(w->path);
	*w = (struct file_writer){ .fd = -1 };
}

int file_write_whole(const char *path, const char *bytes, size_t length, struct signals *signals, struct error *err)
{
	struct file_writer w;
	if (file_writer_begin(&w, path, FILE_PUBLIC, signals, err) < 0)
		return -1;
	if (file_writer_append(&w, bytes, length, err) == 0)
		return file_writer_finish(&w, err);
	file_writer_drop(&w);
	return -1;
}

int file_remove(const char *path, struct error *err)
{
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || unlink(path) == 0)
		return 0;
	int failed = errno;
	if (failed == EBUSY || is_mounted(path))
		failed = truncate(path, 0) == 0 ? 0 : errno;
	return failed == 0 ? 0 : file_cannot("remove", path, failed, err);
}

int file_make_folders_above(const char *path, struct error *err)
{
	LOCAL(release_text) char *partial = strdup(path);
	if (!partial)
		return error_no_memory(err);
	for (char *slash = partial + (path[0] == '/'); (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
		*slash = '\0';
		if (mkdir(partial, 0777) < 0 && errno != EEXIST)
			return file_cannot("make folder", partial, errno, err);
	}
	return 0;
}
