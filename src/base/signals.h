/*
 * Ctrl-C and its kin, read as events from a descriptor.
 *
 * While open, SIGINT, SIGTERM and SIGHUP arrive at `fd`, SIGINT even where a shell had it ignored (it does so for
 * background commands), but SIGHUP not where nohup did. SIGPIPE and SIGXFSZ are ignored from then on.
 *
 * The first SIGINT or SIGTERM asks to come to an end; the next one ends the process at once, as it would without all
 * this, however busy or stuck the process is (in a write that nobody reads, say). So a thread takes them: whoever is
 * stuck does not look at a descriptor. A handler would do as well, but needs a variable to find its pipe by, and
 * interrupts system calls everywhere. All three are blocked in the caller and in threads started later; a program that
 * is started needs the mask `before`.
 */
#ifndef CREDHOOK_BASE_SIGNALS_H
#define CREDHOOK_BASE_SIGNALS_H

#include "base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Not to be copied or moved while it is open. */
struct signals {
	int fd;          /* readable when a signal waits; for poll or epoll; -1: not open */
	sigset_t before; /* the mask of signals_open()'s caller */
	/* The rest is signals.c's own. */
	int write_fd;
	sigset_t set;
	pthread_t thread;
	atomic_bool keep_second;
	atomic_bool stop_taken;    /* and not kept: the next one ends the process */
	atomic_uint stops_waiting; /* at `fd` */
	atomic_bool hangup_waits;
};

#define SIGNALS_INIT                                                                                                   \
	{                                                                                                              \
		.fd = -1, .write_fd = -1                                                                               \
	}

int signals_open(struct signals *s, struct error *err);
/* Puts the former mask back; safe when not open. A SIGINT or SIGTERM that nobody took acts then, unless
 * signals_keep_second() holds. */
void signals_close(struct signals *s);

/* Whether the second SIGINT or SIGTERM is to arrive at `fd` too: for a command that knows what to do then. Where two
 * wait there, the process is stuck, and a third one ends it even so. It is called where such a command begins to look
 * at `fd`, also after one was taken without it. */
void signals_keep_second(struct signals *s, bool keep);

/* Takes one waiting signal without blocking and returns its number, or 0 where none waits. */
int signals_take(struct signals *s);

/* Waits until `input` can be read (or is at its end) or a signal waits. True: input; false: a signal. */
bool signals_wait_input(const struct signals *s, int input);

#endif
