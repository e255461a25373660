#include "base/signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(struct signals *s, struct error *err)
{
	*s = (struct signals)SIGNALS_INIT;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	struct sigaction hangup;
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP); /* a signalfd reports even ignored signals: nohup would be in vain */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* past `ulimit -f`, write() is to say so */
	int failed = pthread_sigmask(SIG_BLOCK, &set, &s->before);
	if (failed)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot block signals: %s", strerror(failed));
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->fd < 0) {
		int saved = errno;
		pthread_sigmask(SIG_SETMASK, &s->before, NULL);
		return error_set(err, EXIT_CODE_INTERNAL, "cannot receive signals: %s", strerror(saved));
	}
	return 0;
}

void signals_close(struct signals *s)
{
	if (s->fd < 0)
		return;
	close(s->fd);
	s->fd = -1;
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

int signals_take(struct signals *s, bool keep_second)
{
	struct signalfd_siginfo info;
	if (s->fd < 0 || read(s->fd, &info, sizeof info) != sizeof info)
		return 0;
	int number = (int)info.ssi_signo;
	if (number != SIGHUP && !s->stop_taken) {
		s->stop_taken = true;
		if (!keep_second) {
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, SIGINT);
			sigaddset(&set, SIGTERM);
			/* A shell starts its background commands with SIGINT ignored. */
			signal(SIGINT, SIG_DFL);
			signal(SIGTERM, SIG_DFL);
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		}
	}
	return number;
}

bool signals_wait_input(const struct signals *s, int input)
{
	struct pollfd wait[2] = { { .fd = s->fd, .events = POLLIN }, { .fd = input, .events = POLLIN } };
	for (;;) {
		int ready = poll(wait, 2, -1);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready < 0)
			return true; /* let read() tell what is wrong */
		return wait[0].revents == 0;
	}
}
