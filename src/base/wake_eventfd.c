#include "base/wake.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int wake_open(struct wake *wake, struct error *err)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	*wake = (struct wake){ .fd = fd, .is_open = fd >= 0, .write_fd = fd };
	return fd >= 0 ? 0 : error_set(err, EXIT_CODE_INTERNAL, "cannot make an eventfd: %s", strerror(errno));
}

void wake_up(const struct wake *wake)
{
	eventfd_write(wake->write_fd, 1); /* fails only at its limit: it is readable then */
}

void wake_clear(const struct wake *wake)
{
	eventfd_read(wake->fd, &(eventfd_t){ 0 });
}

void wake_close(struct wake *wake)
{
	if (wake->is_open)
		close(wake->fd);
	*wake = (struct wake){ .is_open = false };
}
