/*
 * Ctrl-C and its kin, read as events from a descriptor: no handler, no global flag.
 *
 * While open, SIGINT, SIGTERM and SIGHUP are blocked and arrive at `fd`, SIGINT even where a shell had it ignored (it
 * does so for background commands), but SIGHUP not where nohup did. SIGPIPE and SIGXFSZ are ignored from then on. Threads started
 * after signals_open() inherit the blocked set.
 */
#ifndef CREDHOOK_BASE_SIGNALS_H
#define CREDHOOK_BASE_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

struct signals {
	int fd; /* readable when a signal waits; for poll or epoll; -1: not open */
	sigset_t before;
	bool stop_taken; /* a SIGINT or SIGTERM was taken: the next one acts by default and kills */
};

#define SIGNALS_INIT                                                                                                   \
	{                                                                                                              \
		.fd = -1                                                                                               \
	}

int signals_open(struct signals *s, struct error *err);
void signals_close(struct signals *s); /* puts the former mask back; safe when not open */

/* Takes one waiting signal without blocking and returns its number, or 0 where none waits. Once a SIGINT or SIGTERM
 * was taken, a further one ends the process at once, unless keep_second. */
int signals_take(struct signals *s, bool keep_second);

/* Waits until `input` can be read (or is at its end) or a signal waits. True: input; false: a signal. */
bool signals_wait_input(const struct signals *s, int input);

#endif
