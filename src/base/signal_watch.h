/*
 * Signals that are read from a descriptor for a while, such as those of a terminal while a line is typed: the caller
 * and all other threads have them blocked meanwhile (pthread_sigmask(3), thread_start()). For those that end a
 * process there is base/signals.h.
 */
#ifndef CREDHOOK_BASE_SIGNAL_WATCH_H
#define CREDHOOK_BASE_SIGNAL_WATCH_H

#include "base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Zero-initialise. Must not be copied or moved while it is open. */
struct signal_watch {
	int fd; /* readable when a signal was caught; for poll or a loop */
	bool is_open;
	/* Private to signal_watch.c. */
	int write_fd;
	sigset_t set; /* and what ends the thread */
	pthread_t thread;
	atomic_bool is_closing;
};

/* SIGUSR1 must not be one of them. */
int signal_watch_open(struct signal_watch *watch, const sigset_t *set, struct error *err);
/* The next one that was caught, without waiting; 0: there is none. */
int signal_watch_take(struct signal_watch *watch);
/* What was caught and not taken is raised again, to arrive when it is no longer blocked. No effect when it is not open.
 */
void signal_watch_close(struct signal_watch *watch);

#endif
