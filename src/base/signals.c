#include "base/signals.h"

#include "base/clock.h"
#include "base/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TYPED    0x80    /* beside the number, in the byte at `fd` */
#define RELOADS  0x40    /* likewise: a hangup at which files are read again */
#define NUMBER   0x3f    /* what is left of the byte */
#define WAKE     SIGUSR2 /* ends the thread; the prompt's is another */
#define PAUSE_MS 20      /* between two looks for a signal, since sigwait(3) has no timeout */

static bool is_ignored(int number)
{
	struct sigaction action;
	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static bool is_stop(unsigned char byte)
{
	int number = byte & NUMBER;
	return number == SIGINT || number == SIGTERM || (number == SIGHUP && !(byte & RELOADS));
}

/* By the default action of the signal, even if it was ignored. The lock stays held: no file is renamed into its place
 * meanwhile, none is made, and no child is started. */
static _Noreturn void end_process(struct signals *s, int number)
{
	sigset_t only;
	pthread_mutex_lock(&s->lock);
	for (const struct signals_file *file = s->files; file; file = file->next)
		unlink(file->path);
	for (const struct signals_child *child = s->children; child; child = child->next)
		if (child->leads_group)
			kill(-child->pid, SIGKILL);
	sigemptyset(&only);
	sigaddset(&only, number);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
	_exit(128 + number); /* pid 1 of a container: the kernel drops what has its default action */
}

/* Whether a stop that is not the first one waits to be taken. */
static bool is_urged(struct signals *s)
{
	return atomic_load(&s->stops) > 1 && atomic_load(&s->stops_waiting) > 0;
}

/* Whether one of them waits for the thread that asks. */
static bool is_pending(const sigset_t *set)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, WAKE };
	sigset_t pending;
	sigpending(&pending);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (sigismember(set, numbers[i]) == 1 && sigismember(&pending, numbers[i]) == 1)
			return true;
	return false;
}

/* Ends the process by the last stop if it is urged, and too busy or stuck to look. */
static void end_if_stuck(void *context)
{
	struct signals *s = context;
	for (int looks = 0; is_urged(s) && !is_pending(&s->watch.policy.set); looks++) {
		if (looks * PAUSE_MS >= SIGNALS_PATIENCE_S * 1000)
			end_process(s, s->stop);
		poll(NULL, 0, PAUSE_MS);
	}
}

static bool is_started(const void *context, pid_t pid)
{
	const struct signals *s = context;
	const struct signals_child *child = s->children;
	while (child && child->pid != pid)
		child = child->next;
	return child != NULL;
}

static void reap_adopted(struct signals *s)
{
	pthread_mutex_lock(&s->lock);
	processes_reap_adopted(is_started, s);
	pthread_mutex_unlock(&s->lock);
}

/* What stands for it at `fd`. 0: the kernel sends a hangup once, and the shell again, which does not count. */
static unsigned char byte_of(struct signals *s, int number, bool is_typed)
{
	unsigned char byte = (unsigned char)(number | (is_typed ? TYPED : 0));
	if (number != SIGHUP)
		return byte;
	if (atomic_load(&s->reloads))
		return byte | RELOADS;
	return atomic_exchange(&s->has_hung_up, true) ? 0 : byte;
}

/* Whether this stop counts, which then may end the process. */
static bool is_counted(struct signals *s, int number, bool is_typed)
{
	int64_t now_ns = clock_monotonic_ns();
	if (!is_typed && number == s->stop && now_ns - s->stop_ns < SIGNALS_SAME_MS * CLOCK_NS_PER_MS)
		return false;
	s->stop = number;
	s->stop_ns = now_ns;
	atomic_fetch_add(&s->stops, 1);
	unsigned allowed = atomic_load(&s->keep_second) ? 2 : 1;
	if (atomic_load(&s->stop_taken) || atomic_fetch_add(&s->stops_waiting, 1) >= allowed)
		end_process(s, number);
	return true;
}

/* At most three bytes wait at `fd` (one hangup, two stops), so that write() never blocks. */
static bool take_signal(void *context, int number, bool is_typed, unsigned char *byte)
{
	struct signals *s = context;
	if (number == WAKE || number == SIGQUIT) { /* from outside: it does what it does everywhere */
		if (!is_ignored(number))
			end_process(s, number);
		return false;
	}
	if (number == SIGCHLD) {
		reap_adopted(s);
		return false;
	}
	*byte = byte_of(s, number, is_typed);
	if (*byte == 0)
		return false;
	return is_stop(*byte) ? is_counted(s, number, is_typed) : !atomic_exchange(&s->hangup_waits, true);
}

int signals_open(struct signals *s, struct error *err)
{
	struct signal_watch_policy policy = { .wake = WAKE, .before = end_if_stuck, .take = take_signal, .context = s };
	*s = (struct signals)SIGNALS_INIT;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* beyond `ulimit -f`, write() returns EFBIG instead */
	sigemptyset(&policy.set);
	sigaddset(&policy.set, SIGINT);
	sigaddset(&policy.set, SIGTERM);
	sigaddset(&policy.set, WAKE);
	sigaddset(&policy.set, SIGCHLD);
	/* Not when ignored: sigwait() would take it and defeat nohup. */
	if (!is_ignored(SIGHUP))
		sigaddset(&policy.set, SIGHUP);
	if (!is_ignored(SIGQUIT))
		sigaddset(&policy.set, SIGQUIT);
	pthread_sigmask(SIG_BLOCK, &policy.set, &s->before);
	if (signal_watch_open(&s->watch, &policy, err) < 0) {
		pthread_sigmask(SIG_SETMASK, &s->before, NULL);
		return -1;
	}
	s->fd = s->watch.fd;
	return 0;
}

void signals_close(struct signals *s)
{
	const sigset_t *set = &s->watch.policy.set;
	bool kept = atomic_load(&s->keep_second);
	int untaken = 0;
	if (s->fd < 0)
		return;
	signal_watch_stop(&s->watch);
	for (int byte; (byte = signal_watch_take(&s->watch)) != 0;)
		untaken = is_stop((unsigned char)byte) ? byte & NUMBER : untaken;
	for (int number; is_pending(set);) { /* the thread had no time */
		sigwait(set, &number);
		untaken = is_stop(byte_of(s, number, false)) ? number : untaken;
	}
	signal_watch_close(&s->watch);
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
	*s = (struct signals)SIGNALS_INIT;
	if (untaken && !kept)
		raise(untaken);
}

void signals_reload_at_hangup(struct signals *s)
{
	atomic_store(&s->reloads, true);
}

void signals_keep_second(struct signals *s)
{
	atomic_store(&s->keep_second, true);
	atomic_store(&s->stop_taken, false);
	atomic_store(&s->stops, 0);
}

void signals_end_by_next(struct signals *s)
{
	atomic_store(&s->keep_second, false);
	atomic_store(&s->stop_taken, true);
}

int signals_take(struct signals *s)
{
	int taken = s->fd < 0 ? 0 : signal_watch_take(&s->watch);
	if (taken == 0)
		return 0;
	unsigned char byte = (unsigned char)taken;
	s->from_terminal = byte & TYPED;
	if (is_stop(byte)) {
		atomic_store(&s->stop_taken, !atomic_load(&s->keep_second));
		atomic_fetch_sub(&s->stops_waiting, 1);
	} else {
		atomic_store(&s->hangup_waits, false);
		return SIGHUP;
	}
	return (byte & NUMBER) == SIGHUP ? SIGTERM : byte & NUMBER;
}

void signals_remove_file(struct signals *s, struct signals_file *file)
{
	pthread_mutex_lock(&s->lock);
	file->next = s->files;
	s->files = file;
	pthread_mutex_unlock(&s->lock);
}

void signals_keep_file(struct signals *s, struct signals_file *file)
{
	pthread_mutex_lock(&s->lock);
	for (struct signals_file **at = &s->files; *at; at = &(*at)->next)
		if (*at == file) {
			*at = file->next;
			break;
		}
	pthread_mutex_unlock(&s->lock);
}

int signals_start_child(struct signals *s, struct signals_child *child, int (*start)(void *, pid_t *), void *context)
{
	if (!s)
		return start(context, &child->pid);
	pthread_mutex_lock(&s->lock);
	int failed = start(context, &child->pid);
	if (!failed) {
		child->next = s->children;
		s->children = child;
	}
	pthread_mutex_unlock(&s->lock);
	return failed;
}

static void take_out(struct signals *s, const struct signals_child *child)
{
	for (struct signals_child **at = &s->children; *at; at = &(*at)->next)
		if (*at == child) {
			*at = child->next;
			break;
		}
}

void signals_forget_child(struct signals *s, struct signals_child *child)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	take_out(s, child);
	pthread_mutex_unlock(&s->lock);
}

void signals_reap_child(struct signals *s, struct signals_child *child)
{
	if (!s) {
		waitpid(child->pid, NULL, 0);
		return;
	}
	pthread_mutex_lock(&s->lock);
	take_out(s, child);
	waitpid(child->pid, NULL, 0);
	processes_reap_adopted(is_started, s); /* those that it hid */
	pthread_mutex_unlock(&s->lock);
}

pid_t signals_find_adopted(struct signals *s, pid_t but_group)
{
	pthread_mutex_lock(&s->lock);
	pid_t found = processes_find_adopted(is_started, s, but_group);
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool signals_wait_input(const struct signals *s, int input, int timeout_ms)
{
	/* What is asked for each record of a file takes no system call: a signal is counted before it is at `fd`. */
	if (s && input < 0 && timeout_ms == 0 && atomic_load(&s->stops_waiting) == 0 && !atomic_load(&s->hangup_waits))
		return true;
	struct pollfd wait[2] = { { .fd = s ? s->fd : -1, .events = POLLIN }, { .fd = input, .events = POLLIN } };
	while (poll(wait, 2, timeout_ms) < 0 && errno == EINTR)
		continue;
	return wait[0].revents == 0; /* where poll() failed, read() will return the error */
}
