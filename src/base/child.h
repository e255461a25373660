/*
 * Child processes: the one way to start one, to wait for it and to end it.
 *
 * It gets the default actions of the signals that this process handles or ignores, and no descriptors but its three.
 *
 * A process that has ended keeps its number until it is reaped. One with a group of its own is reaped by child_end() or
 * child_release() alone: until then the number is its group's, and a signal to the group reaches nobody else. What has
 * ended and is not reaped, a zombie, is nowhere taken for alive.
 */
#ifndef CREDHOOK_BASE_CHILD_H
#define CREDHOOK_BASE_CHILD_H

#include "base/signals.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

enum child_stream {
	CHILD_OURS,   /* the one of this process */
	CHILD_NULL,   /* nothing to read; what is written is dropped */
	CHILD_PIPE,   /* the other end is `pipe_fd`; for the input, or for the output and what it writes to stderr */
	CHILD_STDERR, /* as output: the stderr of this process */
	CHILD_ERRORS, /* as errors: a pipe of their own, whose other end is `errors_fd` */
};

/* Borrowed while it starts; `signals` until it was released. */
struct child_policy {
	const char *const *words;   /* its name, found in $PATH unless it has a slash, and arguments; ends in NULL */
	struct signals *signals;    /* whose mask of before it gets; NULL: none are open */
	const struct rlimit *files; /* of open files; NULL: ours */
	enum child_stream input, output, errors;
	bool own_group; /* a process group of its own: signals reach what it starts, and Ctrl-C does not reach it */
};

/* Must not be moved between child_start() and its release where there are signals. */
struct child {
	struct signals_child known; /* its number; 0: not started, or released */
	struct signals *signals;
	bool runs;
	int fd; /* readable once it has ended, for poll or a loop; child_wait() closes it. -1: there is no thread for it
	         */
	int pipe_fd, errors_fd; /* the caller closes them; -1: none */
	int code;               /* once it has ended: its exit code, or 128 + the signal that ended it */
	int signal;             /* that one; 0: none */
};

/* Returns 0, or an errno: ENOENT where there is no such program. */
int child_start(struct child *child, const struct child_policy *how);
/* Waits until it has ended, at most for `timeout_ms`, or until a signal waits to be taken; -1: for good, whatever
 * signals wait. True: it has ended, and `code` is set; also when it was not started. Closes `fd`, and releases one
 * without a group. */
bool child_wait(struct child *child, int timeout_ms);
/* To all of its group where it has one. One that is stopped continues first. No effect if it does not run. */
void child_signal(const struct child *child, int number);
/* Ends it, and all of its group where it has one, by SIGKILL; child_end() waits for that. */
void child_kill(const struct child *child);
/* Whether it, or anything of its group where it has one, is alive. Where the system does not say, the group is while
 * one of it has the other end of the pipe. */
bool child_is_left(struct child *child);
/* Ends it, and all of its group where it has one, also where only that is left: with SIGTERM, and with SIGKILL what has
 * not ended within `patience_ms`, or when a signal waits to be taken; then releases it. Returns 0, or the number of one
 * that goes on, since it is another user's: it is no longer ours then. */
pid_t child_end(struct child *child, int patience_ms);
/* Gives its number back, once it has ended; what it left behind goes on. Safe when it was not started. */
void child_release(struct child *child);

#endif
