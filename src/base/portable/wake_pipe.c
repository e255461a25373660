#include "base/system.h"
#include "base/wake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int wake_open(struct wake *wake, struct error *err)
{
	int ends[2];
	*wake = (struct wake){ .is_open = false };
	if (system_pipe(ends, false) < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot make a pipe: %s", strerror(errno));
	*wake = (struct wake){ .fd = ends[0], .is_open = true, .write_fd = ends[1] };
	return 0;
}

void wake_up(const struct wake *wake)
{
	while (write(wake->write_fd, "", 1) < 0 && errno == EINTR) /* where it is full, it is readable */
		continue;
}

void wake_clear(const struct wake *wake)
{
	char bytes[256];
	ssize_t count;
	do
		count = read(wake->fd, bytes, sizeof bytes);
	while (count == (ssize_t)sizeof bytes || (count < 0 && errno == EINTR));
}

void wake_close(struct wake *wake)
{
	if (wake->is_open) {
		close(wake->fd);
		close(wake->write_fd);
	}
	*wake = (struct wake){ .is_open = false };
}
