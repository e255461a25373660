/*
 * Child processes: the one way to start one, to wait for it and to end it.
 *
 * It gets the default actions of the signals that this process handles or ignores, and no descriptors but its three.
 */
#ifndef CREDHOOK_BASE_CHILD_H
#define CREDHOOK_BASE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

enum child_stream {
	CHILD_OURS,   /* the one of this process */
	CHILD_NULL,   /* nothing to read; what is written is dropped */
	CHILD_PIPE,   /* the other end is `pipe_fd`; for the input, or for the output and what it writes to stderr */
	CHILD_STDERR, /* as output: the stderr of this process */
};

/* Borrowed while it starts. */
struct child_policy {
	const char *const *words;   /* its name, found in $PATH unless it has a slash, and arguments; ends in NULL */
	const sigset_t *mask;       /* of blocked signals; NULL: none */
	const struct rlimit *files; /* of open files; NULL: ours */
	enum child_stream input, output, errors;
	bool own_group; /* a process group of its own: signals reach what it starts, and Ctrl-C does not reach it */
};

struct child {
	pid_t pid; /* 0: not started */
	bool runs;
	bool own_group;
	int fd; /* readable once it has ended, for poll or a loop; child_wait() closes it. -1: the kernel has none */
	int pipe_fd; /* the caller closes it; -1: none */
	int code;    /* once it has ended: its exit code, or 128 + the signal that ended it */
	int signal;  /* that one; 0: none */
};

/* Returns 0, or an errno: ENOENT where there is no such program. */
int child_start(struct child *child, const struct child_policy *how);
/* Waits until it has ended, at most for `timeout_ms` (-1: for good). True: it has, and `code` is set; also when it was
 * not started. Closes `fd`. */
bool child_wait(struct child *child, int timeout_ms);
/* To all of its group where it has one. One that is stopped continues first. No effect if it does not run. */
void child_signal(const struct child *child, int number);
/* Ends it, and all of its group where it has one, by SIGKILL; child_end() waits for that. */
void child_kill(const struct child *child);
/* Whether there is anything left of it, or of its group where it has one. */
bool child_is_left(struct child *child);
/* Ends it, and all of its group where it has one, also where only that is left: with SIGTERM, and with SIGKILL what has
 * not ended within `patience_ms`. */
void child_end(struct child *child, int patience_ms);

#endif
