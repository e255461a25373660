/*
 * What the parts of listen share.
 *
 *   options.c  the option rows and their checks; those of any receiver are in cmd/receive_options.c
 *   listen.c   starts a receiver, and ends
 *   command.c  COMMAND, which runs while it listens
 *   report.c   puts into words what it reports: a line per notification; the rest is in cmd/receive_report.c
 *   summary.c  the ready line and the summary
 */
#ifndef CREDHOOK_CMD_LISTEN_LISTEN_H
#define CREDHOOK_CMD_LISTEN_LISTEN_H

#include "base/child.h"
#include "base/clock.h"
#include "base/loop.h"
#include "capture/source_files.h"
#include "cmd/arrival.h"
#include "cmd/cmd.h"
#include "cmd/expectations.h"
#include "cmd/receive_options.h"
#include "receive/receiver.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct listen_args {
	struct global_options global;
	struct receive_args receive;
	const char *ready_file;
	struct expectations expected;
	uint64_t max_events;
	int64_t timeout;
};

/* What is behind "--". */
struct listen_command {
	const char *name; /* NULL: there is none */
	struct child child;
	bool timed_out; /* it ran longer than --timeout */
	struct loop_io io;
	struct rlimit files; /* the limit before the receiver raises it */
};

#define LISTEN_STATUSES 600
#define LISTEN_DRAIN    (5 * CLOCK_NS_PER_S) /* for open requests on shutdown */
/* For what is expected after the end of COMMAND, and for COMMAND between SIGTERM and SIGKILL. */
#define LISTEN_COMMAND_GRACE (5 * CLOCK_NS_PER_S)

struct listen {
	const struct listen_args *args;
	struct context *context;
	struct loop *loop;
	struct receive_setup setup;
	struct receiver *receiver;
	struct expectations *expected; /* the args', with what has arrived */
	struct source_files in_use;    /* what --ready-file must not replace */
	struct buffer out;             /* a line being written */
	struct arrival_style style;    /* of lines for people */
	struct header *masked;         /* headers of a line of JSON */
	size_t masked_capacity;
	uint64_t forwarded[LISTEN_STATUSES]; /* by the target's status; [0]: without a response */
	struct listen_command command;
	bool has_ended;    /* the receiver; COMMAND may still run */
	bool announced;    /* --ready-file is written */
	bool timed_out;    /* --timeout ended it */
	bool asked_to_end; /* by a first signal */
	bool interrupted;  /* a second signal did */
	struct loop_io signal_io;
	struct loop_io stdout_io;
	struct loop_timer timeout;
};

/* options.c */
#define LISTEN_OPTION_USES 6
extern const struct option_use listen_option_uses[LISTEN_OPTION_USES];
int listen_check_args(const struct listen_args *args, const struct context *context, struct error *err);
size_t listen_address_count(const struct context *context); /* operands before COMMAND */

/* command.c */
/* Starts it, if there is one; *err has the exit code of a shell if it cannot be run. The loop calls ended() once it has
 * ended, to be reaped. */
int listen_command_start(struct listen *listen, void (*ended)(void *listen, uint32_t events), struct error *err);
/* Sends it, and what it started where it has a group of its own, a signal, unless it got it from the terminal. No
 * effect if it does not run. */
void listen_command_signal(struct listen *listen, int number, bool from_terminal);
void listen_command_reap(struct listen *listen); /* waits for its end, and sets its exit code */
/* Ends it for good if it runs, or what is left of it if it ran longer than --timeout. */
void listen_command_stop(struct listen *listen);

/* report.c: for struct receive_observer; the context is a struct listen. */
void listen_report_notification(struct listen *listen, const struct notification *notification);
void listen_report_refused(void *context, const struct refusal *refusal);
void listen_report_notice(void *context, const struct receive_notice *notice);

/* summary.c */
void listen_print_ready(struct listen *listen);
void listen_print_summary(struct listen *listen); /* the receiver is closed */

#endif
