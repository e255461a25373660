#include "redact/redact_key.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_LEAST ((size_t)16)   /* bytes */
#define KEY_MOST  ((size_t)4096) /* of a file */

static int refuse_key(const char *path, const char *why, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "key file '%s' %s", path, why);
	return error_hint(err, "make one: (umask 077; head -c 32 /dev/urandom > FILE)");
}

/* A key that others can read, or that can be guessed, would undo every fake made with it. */
int redaction_key_read(const char *path, struct buffer *key, const struct signals *signals, struct error *err)
{
	struct stat status;
	int fd = file_open(path, O_RDONLY, signals);
	if (fd < 0)
		return file_cannot("open", path, errno, err);
	int failed = fstat(fd, &status) < 0 ? errno : 0;
	bool is_private = !failed && (status.st_mode & 077) == 0;
	if (is_private)
		failed = buffer_read(key, fd, KEY_MOST);
	close(fd);
	if (key->failed)
		return error_no_memory(err);
	if (failed)
		return file_cannot("read", path, failed, err);
	if (!is_private)
		return refuse_key(path, "can be read by others: its mode must be 0600", err);
	if (key->length < KEY_LEAST)
		return refuse_key(path, "is shorter than 16 bytes", err);
	if (key->length > KEY_MOST)
		return refuse_key(path, "is longer than 4096 bytes", err);
	return 0;
}

int redaction_key_make(struct buffer *key, struct error *err)
{
	char bytes[32];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot get random bytes: %s", strerror(errno));
	buffer_append(key, bytes, sizeof bytes);
	explicit_bzero(bytes, sizeof bytes);
	return key->failed ? error_no_memory(err) : 0;
}

void redaction_key_release(struct buffer *key)
{
	if (key->data)
		explicit_bzero(key->data, key->length);
	buffer_release(key);
}
