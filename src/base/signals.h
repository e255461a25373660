/*
 * SIGINT, SIGTERM and SIGHUP, read from a descriptor.
 *
 * While open, the three signals arrive at `fd`: SIGINT even if it was ignored (shells ignore it in background
 * commands), SIGHUP only if it was not ignored (nohup). SIGHUP is taken as a SIGTERM, once, unless the command reloads
 * at it. SIGQUIT that was not ignored ends the process at once, and the groups of its children. SIGPIPE and SIGXFSZ are
 * ignored from then on.
 *
 * The first SIGINT or SIGTERM asks the process to end. The same one again within SIGNALS_SAME_MS is still that one,
 * unless it was typed: timeout(1) signals the process and then its group, which the process is in. The next one ends it
 * at once, even if the process is stuck, in a write to a full pipe for example, and does not read the descriptor. That
 * is why a thread takes the signals; a signal handler would need a global variable and interrupt system calls
 * everywhere. The three signals are blocked in the caller and in threads started later; a child process needs the mask
 * `before`.
 */
#ifndef CREDHOOK_BASE_SIGNALS_H
#define CREDHOOK_BASE_SIGNALS_H

#include "base/error.h"
#include "base/signal_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A child process, for base/child.c. */
struct signals_child {
	pid_t pid;
	bool leads_group; /* which gets SIGKILL if a signal ends the process at once */
	struct signals_child *next;
};

/* A file that must not stay behind. */
struct signals_file {
	const char *path; /* borrowed */
	struct signals_file *next;
};

/* Must not be copied or moved while it is open. */
struct signals {
	int fd;             /* readable when a signal is waiting; for poll or a loop; -1: not open */
	sigset_t before;    /* the signal mask before signals_open() */
	bool from_terminal; /* the signal taken last was typed: the whole foreground got it */
	/* Private to signals.c. */
	struct signal_watch watch;
	int stop; /* the last one, and when it came: its thread's */
	int64_t stop_ns;
	atomic_bool reloads;
	atomic_bool has_hung_up; /* as a stop */
	atomic_bool keep_second;
	atomic_bool stop_taken;    /* and not kept: the next SIGINT or SIGTERM ends the process */
	atomic_uint stops;         /* since signals_keep_second() */
	atomic_uint stops_waiting; /* unread at `fd` */
	atomic_bool hangup_waits;
	pthread_mutex_t lock; /* of what follows */
	struct signals_file *files;
	struct signals_child *children;
};

#define SIGNALS_SAME_MS 100

#define SIGNALS_INIT                                                                                                   \
	{                                                                                                              \
		.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER                                                            \
	}

int signals_open(struct signals *s, struct error *err);
/* Restores the signal mask. A SIGINT or SIGTERM that was not taken is raised again, unless signals_keep_second() was
 * called. Safe when not open. */
void signals_close(struct signals *s);

#define SIGNALS_PATIENCE_S 1

/* From here on the second SIGINT or SIGTERM arrives at `fd` too instead of ending the process, for a command that
 * handles it. If it is not taken there for SIGNALS_PATIENCE_S it ends the process; a third one where two are unread
 * does so at once: the process is stuck. Such a command calls this when it begins to look at `fd`, also after a signal
 * that was taken before; one that takes any number of them calls it each time. */
void signals_keep_second(struct signals *s);

/* From here on SIGHUP ends nothing: signals_take() returns it each time. */
void signals_reload_at_hangup(struct signals *s);

/* From here on the next SIGINT or SIGTERM ends the process at once. */
void signals_end_by_next(struct signals *s);

/* Takes one waiting signal without blocking. Returns its number, or 0 when none is waiting. */
int signals_take(struct signals *s);

/* The file is removed if a signal ends the process at once, until it is kept. No effect when it was not to be removed.
 */
void signals_remove_file(struct signals *s, struct signals_file *file);
void signals_keep_file(struct signals *s, struct signals_file *file);

/* Starts a child by start(), which sets its number or returns an errno. While signals are open, their thread reaps what
 * ends of all others: those that this process has adopted. s NULL: only starts it. */
int signals_start_child(struct signals *s, struct signals_child *child, int (*start)(void *context, pid_t *pid),
                        void *context);
/* Does so no longer: its end, if it comes, is reaped as that of one that was adopted. */
void signals_forget_child(struct signals *s, struct signals_child *child);
/* Reaps it, which has ended. */
void signals_reap_child(struct signals *s, struct signals_child *child);
/* A process that runs, in another group than this, and that this one has adopted: a daemon of something that it has
 * started, or a child that it had before it was this program. 0: none is known. */
pid_t signals_find_adopted(struct signals *s, pid_t but_group);

/* Waits until `input` can be read (or is at its end) or a signal is waiting, at most for `timeout_ms` (-1: for good). s
 * NULL or not open: for input only; input -1: for a signal only. False: a signal is waiting. */
bool signals_wait_input(const struct signals *s, int input, int timeout_ms);

#endif
