/*
 * Ctrl-C and its kin, read as events from a descriptor: no handler, no global flag.
 *
 * While open, SIGINT, SIGTERM and SIGHUP are blocked and arrive at `fd`, SIGINT even where a shell had it ignored (it
 * does so for background commands), but SIGHUP not where nohup did. SIGPIPE and SIGXFSZ are ignored from then on.
 * Threads started after signals_open() inherit the blocked set.
 *
 * The first SIGINT or SIGTERM asks to come to an end; the next one ends the process at once, as it would without all
 * this. That holds however busy or stuck the process is (in a write that nobody reads, say): a thread waits for them.
 */
#ifndef CREDHOOK_BASE_SIGNALS_H
#define CREDHOOK_BASE_SIGNALS_H

#include "base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Not to be copied or moved while it is open. */
struct signals {
	int fd; /* readable when a signal waits; for poll or epoll; -1: not open */
	sigset_t before;
	/* The rest is signals.c's own. */
	sigset_t set;
	int source_fd;  /* the signalfd */
	int forward_fd; /* the writing end of `fd` */
	int end_fd;     /* tells the thread to end; -1: there is no thread, and `fd` is the signalfd */
	pthread_t thread;
	atomic_bool keep_second;
	atomic_bool stop_waits;   /* a SIGINT or SIGTERM is at `fd` */
	atomic_bool hangup_waits; /* a SIGHUP is */
	int64_t stop_since;       /* of the thread: when the SIGINT or SIGTERM that waits came */
};

#define SIGNALS_INIT                                                                                                   \
	{                                                                                                              \
		.fd = -1, .source_fd = -1, .forward_fd = -1, .end_fd = -1                                              \
	}

int signals_open(struct signals *s, struct error *err);
/* Puts the former mask back; safe when not open. A SIGINT or SIGTERM that nobody took acts then, unless
 * signals_keep_second() holds. */
void signals_close(struct signals *s);

/* Whether every SIGINT and SIGTERM is to arrive at `fd`, and none to end the process: for a command that knows what to
 * do at the second one too. Where one has waited there for a second, the process is stuck, and the next one ends it all
 * the same. It is called where such a command begins to look at `fd`, and takes back what the last one
 * that was taken has set going. */
void signals_keep_second(struct signals *s, bool keep);

/* Takes one waiting signal without blocking and returns its number, or 0 where none waits. */
int signals_take(struct signals *s);

/* Waits until `input` can be read (or is at its end) or a signal waits. True: input; false: a signal. */
bool signals_wait_input(const struct signals *s, int input);

#endif
