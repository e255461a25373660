#include "base/system.h"

#include <fcntl.h>
#include <unistd.h>

/* Who sent a signal is not known: in the foreground of a terminal, SIGINT is taken for typed. */
static bool is_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	bool is = fd >= 0 && tcgetpgrp(fd) == getpgrp();
	if (fd >= 0)
		close(fd);
	return is;
}

int system_wait_signal(const sigset_t *set, bool *is_typed)
{
	int number;
	while (sigwait(set, &number) != 0)
		continue;
	*is_typed = number == SIGINT && is_foreground();
	return number;
}
