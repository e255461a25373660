#include "base/signal_watch.h"

#include "base/system.h"
#include "base/thread.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The thread, until it is woken. Where nobody takes them, what does not fit into the pipe is one of those that wait in
 * it. */
static void *forward_signals(void *context)
{
	struct signal_watch *w = context;
	const struct signal_watch_policy *p = &w->policy;
	sigset_t all = p->set;
	sigaddset(&all, p->wake);
	for (;;) {
		bool is_typed;
		if (p->before)
			p->before(p->context);
		int number = system_wait_signal(&all, &is_typed);
		if (number == p->wake && atomic_load(&w->is_closing))
			return NULL;
		unsigned char byte = (unsigned char)number;
		if (p->take ? !p->take(p->context, number, is_typed, &byte) : number == p->wake)
			continue;
		while (write(w->write_fd, &byte, 1) < 0 && errno == EINTR)
			continue;
	}
}

int signal_watch_open(struct signal_watch *w, const struct signal_watch_policy *policy, struct error *err)
{
	int ends[2];
	*w = (struct signal_watch){ .policy = *policy };
	if (system_pipe(ends, false) < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot receive signals: %s", strerror(errno));
	w->fd = ends[0];
	w->write_fd = ends[1];
	int failed = thread_start(&w->thread, forward_signals, w);
	w->is_open = w->is_watched = !failed;
	if (!failed)
		return 0;
	close(w->fd);
	close(w->write_fd);
	return error_set(err, EXIT_CODE_INTERNAL, "cannot receive signals: %s", strerror(failed));
}

int signal_watch_take(struct signal_watch *w)
{
	unsigned char byte;
	return read(w->fd, &byte, 1) == 1 ? byte : 0;
}

void signal_watch_stop(struct signal_watch *w)
{
	if (!w->is_watched)
		return;
	atomic_store(&w->is_closing, true);
	pthread_kill(w->thread, w->policy.wake);
	pthread_join(w->thread, NULL);
	w->is_watched = false;
}

void signal_watch_close(struct signal_watch *w)
{
	if (!w->is_open)
		return;
	signal_watch_stop(w);
	for (int number; (number = signal_watch_take(w)) != 0;)
		raise(number);
	close(w->fd);
	close(w->write_fd);
	w->is_open = false;
}
