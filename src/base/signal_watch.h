/*
 * A thread that takes signals and hands them on at a descriptor: those of a terminal while a line is typed, and under
 * base/signals.h those that end a process. The caller and all other threads have them blocked meanwhile
 * (pthread_sigmask(3), thread_start()).
 */
#ifndef CREDHOOK_BASE_SIGNAL_WATCH_H
#define CREDHOOK_BASE_SIGNAL_WATCH_H

#include "base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What is done with them, in the thread. */
struct signal_watch_policy {
	sigset_t set;
	int wake; /* sent to the thread alone, to end it; another one for each watch that is open */
	/* Gets ready to wait for the next one. NULL: at once. */
	void (*before)(void *context);
	/* Gets one of them, or `wake` from outside, and may change the byte that is handed on, which is its number.
	 * False: nothing is. NULL: all of the set are. is_typed: a terminal sent it, to all that share its foreground.
	 */
	bool (*take)(void *context, int number, bool is_typed, unsigned char *byte);
	void *context;
};

/* Zero-initialise. Must not be copied or moved while it is open. */
struct signal_watch {
	int fd; /* readable when a signal was caught; for poll or a loop */
	bool is_open;
	/* Private to signal_watch.c. */
	struct signal_watch_policy policy;
	int write_fd;
	bool is_watched; /* the thread runs */
	pthread_t thread;
	atomic_bool is_closing;
};

int signal_watch_open(struct signal_watch *watch, const struct signal_watch_policy *policy, struct error *err);
/* The next byte that was handed on, without waiting; 0: there is none. */
int signal_watch_take(struct signal_watch *watch);
/* Ends the thread: signals of the set that come now stay pending. What was caught can still be taken. */
void signal_watch_stop(struct signal_watch *watch);
/* Stops it, and raises again the number of each that was caught and not taken, to arrive when it is no longer blocked.
 * No effect when it is not open. */
void signal_watch_close(struct signal_watch *watch);

#endif
