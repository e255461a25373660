/*
 * The listener's own process, where the run starts it: COMMAND of `test ... -- COMMAND`. It has a process group of its
 * own, which is signalled as a whole; what it prints is kept (base/child_output.h).
 *
 * Whether it listens is looked for by the run's clock (probe/play/world.h). By the system's are the
 * waits for the end of a process, in base/child.c, and for the quiet of what it prints (child_output_settle()): only
 * real time lets a real process end, and a listener_control has nothing of that to wait for.
 */
#ifndef CREDHOOK_PROBE_PLAY_LISTENER_PROCESS_H
#define CREDHOOK_PROBE_PLAY_LISTENER_PROCESS_H

#include "base/child.h"
#include "base/child_output.h"
#include "base/signals.h"
#include "http/deliver.h"
#include "http/secrets.h"

struct probe_world;

#define LISTENER_END_MS 5000 /* between SIGTERM and SIGKILL */

enum listener_state {
	LISTENER_FAILED = -1, /* *err says why */
	LISTENER_READY,
	LISTENER_NOT_RUN,     /* there is no such program, or it may not be run */
	LISTENER_ENDED,       /* before it accepted a connection; its `child` says how */
	LISTENER_DEAF,        /* accepts no connection */
	LISTENER_INTERRUPTED, /* by a signal, which is not taken */
};

/* A listener that is not a process, for tests. */
struct listener_control {
	int (*start)(void *context);                                 /* 0, or an errno, as child_start() */
	void (*signal)(void *context, int number);                   /* what it ends has ended at once */
	bool (*runs)(void *context);                                 /* it, or what it has left */
	void (*append_listening)(void *context, struct buffer *out); /* elsewhere; NULL: it does not */
	void *context;
};

/* Set `words` to `signals`; all is borrowed. Must not move from listener_start() to listener_close(). */
struct listener {
	const char *const *words;           /* end in NULL */
	const struct deliver_options *http; /* where it is to listen */
	int64_t wait_ns;                    /* until it does */
	struct signals *signals;
	const struct probe_world *world; /* whose clock and connections these are; NULL: the real one */
	const struct echoes *secrets;    /* of what is sent to it: masked in what it prints */
	/* Until it accepts a connection, something of it may listen elsewhere: "node listens at 127.0.0.1:3402"; NULL:
	 * unasked.
	 */
	void (*listens_elsewhere)(void *context, const char *where);
	/* It cannot be ended: it is another user's, or at the end of the run a process that has left its group. NULL:
	 * unsaid. */
	void (*goes_on)(void *context, pid_t pid);
	void *context;
	/* The listener's. */
	struct child child;
	struct child_output output;
	bool is_open;       /* to be closed */
	bool had_others;    /* this process had children that it has not started: one that is left may be of these */
	int64_t started_ns; /* monotonic: when it was started last */
	bool is_detached;   /* the process ended, and something still listens: it is not ours to watch */
	int not_run;        /* LISTENER_NOT_RUN: the errno */
	char refused[sizeof((struct exchange *)0)->message]; /* LISTENER_DEAF: why no connection was made */
	const struct listener_control *control;              /* NULL: it is a process */
};

/* Starts it, and waits until it accepts a connection. */
enum listener_state listener_start(struct listener *listener, struct error *err);
/* The same after it has ended; one that ends early, since it cannot bind yet, is started again until the wait is over.
 */
enum listener_state listener_restart(struct listener *listener, struct error *err);
/* Sends the signal, SIGTERM or SIGKILL, to all of its group, and does not wait. */
void listener_signal(struct listener *listener, int number);
/* Ends it and all of its group: by SIGTERM, after LISTENER_END_MS by SIGKILL. */
void listener_stop(struct listener *listener);
/* The same, by SIGKILL at once. */
void listener_kill(struct listener *listener);
/* Ends it where it runs. Safe when it was never started. */
void listener_close(struct listener *listener);

/* Whether the process has ended, and nothing accepts connections. */
bool listener_is_gone(struct listener *listener);
/* Whether something accepts a connection now. */
bool listener_accepts(const struct deliver_options *http);
/* Waits until it prints no more of what it got last, a second at most. */
void listener_settle_printed(struct listener *listener);
/* Appends what it printed from the position on, the last `most` bytes at most, as it may be shown (printed.h). */
void listener_append_printed(struct listener *listener, uint64_t from, size_t most, struct buffer *out);
/* How it ended: "exit code 1", "signal 11 (Segmentation fault)". */
void listener_append_end(const struct listener *listener, struct buffer *out);

#endif
