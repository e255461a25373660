#include "base/signals.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STUCK CLOCK_NS_PER_S

static bool is_stop(int number)
{
	return number == SIGINT || number == SIGTERM;
}

/* From now on the next one acts by default in the calling thread, and with it ends the process. */
static void let_stops_kill(void)
{
	sigset_t stops;
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	/* A shell starts its background commands with SIGINT ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &stops, NULL);
}

/* Notes a stop; true: nobody looks, and the process is to end by it. */
static bool is_too_many(struct signals *s)
{
	int64_t now = clock_monotonic_ns();
	if (atomic_exchange(&s->stop_waits, true))
		return !atomic_load(&s->keep_second) || now - s->stop_since >= STUCK;
	s->stop_since = now;
	return false;
}

/* Passes the signals on to whoever looks at `fd`. */
static void *run(void *context)
{
	struct signals *s = context;
	struct pollfd wait[2] = { { .fd = s->source_fd, .events = POLLIN }, { .fd = s->end_fd, .events = POLLIN } };
	for (;;) {
		struct signalfd_siginfo info;
		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (wait[1].revents)
			return NULL;
		if (read(s->source_fd, &info, sizeof info) != sizeof info)
			continue;
		int number = (int)info.ssi_signo;
		if (is_stop(number) && is_too_many(s)) {
			let_stops_kill();
			raise(number);
		}
		/* One at a time, so that no flood of them keeps out the stop that follows. */
		if (number == SIGHUP && atomic_exchange(&s->hangup_waits, true))
			continue;
		/* Where the pipe is full, there are more than enough stops in it. */
		if (write(s->forward_fd, &info, sizeof info) < 0 && number == SIGHUP)
			atomic_store(&s->hangup_waits, false);
	}
}

/* The thread gets no signal but those it reads: what others arrange for theirs (SIGWINCH, say) must reach them. */
static bool create_thread(struct signals *s)
{
	sigset_t all, kept;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &kept);
	bool created = pthread_create(&s->thread, NULL, run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	return created;
}

/* False: there is no thread; then the signals are to be had from the signalfd itself. */
static bool start_thread(struct signals *s)
{
	int ends[2];
	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
		return false;
	s->end_fd = eventfd(0, EFD_CLOEXEC);
	s->forward_fd = ends[1];
	if (s->end_fd >= 0 && create_thread(s)) {
		s->fd = ends[0];
		return true;
	}
	if (s->end_fd >= 0)
		close(s->end_fd);
	close(ends[0]);
	close(ends[1]);
	s->end_fd = s->forward_fd = -1;
	return false;
}

int signals_open(struct signals *s, struct error *err)
{
	*s = (struct signals)SIGNALS_INIT;
	sigemptyset(&s->set);
	sigaddset(&s->set, SIGINT);
	sigaddset(&s->set, SIGTERM);
	struct sigaction hangup;
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(&s->set, SIGHUP); /* a signalfd reports even ignored signals: nohup would be in vain */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* past `ulimit -f`, write() is to say so */
	int failed = pthread_sigmask(SIG_BLOCK, &s->set, &s->before);
	if (failed)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot block signals: %s", strerror(failed));
	s->source_fd = signalfd(-1, &s->set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->source_fd < 0) {
		int saved = errno;
		pthread_sigmask(SIG_SETMASK, &s->before, NULL);
		return error_set(err, EXIT_CODE_INTERNAL, "cannot receive signals: %s", strerror(saved));
	}
	if (!start_thread(s))
		s->fd = s->source_fd;
	return 0;
}

void signals_close(struct signals *s)
{
	int untaken = 0;
	bool kept = atomic_load(&s->keep_second); /* a command that knows what to do with all of them has ended */
	if (s->fd < 0)
		return;
	if (s->end_fd >= 0) {
		struct signalfd_siginfo info;
		eventfd_write(s->end_fd, 1);
		pthread_join(s->thread, NULL);
		while (read(s->fd, &info, sizeof info) == sizeof info)
			untaken = is_stop((int)info.ssi_signo) ? (int)info.ssi_signo : untaken;
		close(s->end_fd);
		close(s->forward_fd);
		close(s->fd);
	}
	close(s->source_fd);
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
	*s = (struct signals)SIGNALS_INIT;
	if (untaken && !kept)
		raise(untaken);
}

void signals_keep_second(struct signals *s, bool keep)
{
	if (keep && s->fd >= 0)
		pthread_sigmask(SIG_BLOCK, &s->set, NULL);
	atomic_store(&s->keep_second, keep);
}

int signals_take(struct signals *s)
{
	struct signalfd_siginfo info;
	if (s->fd < 0 || read(s->fd, &info, sizeof info) != sizeof info)
		return 0;
	int number = (int)info.ssi_signo;
	if (number == SIGHUP)
		atomic_store(&s->hangup_waits, false);
	if (is_stop(number)) {
		atomic_store(&s->stop_waits, false);
		if (!atomic_load(&s->keep_second))
			let_stops_kill();
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
