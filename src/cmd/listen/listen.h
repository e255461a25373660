/*
 * What the parts of listen share.
 *
 *   listen.c          its options, and those of any receiver (cmd/args/receive_options.h); starts the receiver and
 *                     COMMAND, and ends
 *   listen_report.c   puts into words what it reports: the ready line, a line per notification, the summary; the rest
 *                     is in cmd/words/receive_words.c
 *   listen_cases.c    what was expected as cases of --report
 */
#ifndef CREDHOOK_CMD_LISTEN_LISTEN_H
#define CREDHOOK_CMD_LISTEN_LISTEN_H

#include "base/child.h"
#include "base/clock.h"
#include "base/loop.h"
#include "cmd/args/expectations.h"
#include "cmd/args/receive_setup.h"
#include "cmd/args/report_files.h"
#include "cmd/cmd.h"
#include "cmd/list/arrival.h"
#include "receive/receiver.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct program;

struct listen_args {
	struct global_options global;
	struct receive_args receive;
	const char *ready_file;
	struct expectations expected;
	uint64_t limit;
	int64_t timeout;
	struct report_requests reports;
};

/* What --timeout has done to COMMAND. */
enum overtime {
	OVERTIME_NONE,
	OVERTIME_TERM, /* it ran longer, and got SIGTERM */
	OVERTIME_KILL, /* and did not end by that either */
};

/* What is behind "--". */
struct listen_command {
	const struct program *program;
	const char *name; /* NULL: there is none */
	struct child child;
	enum overtime overtime;
	bool is_left; /* it could not be ended */
	struct loop_io io;
	struct rlimit files; /* the limit before the receiver raises it */
};

#define LISTEN_DRAIN (5 * CLOCK_NS_PER_S) /* for open requests on shutdown */
/* For what is expected after the end of COMMAND, and for COMMAND between SIGTERM and SIGKILL. */
#define LISTEN_COMMAND_GRACE (5 * CLOCK_NS_PER_S)

struct listen {
	const struct listen_args *args;
	struct context *context;
	struct loop *loop;
	struct receive_setup setup;
	struct receiver *receiver;
	struct expectations *expected; /* the args', with what has arrived */
	struct report_files reports;
	bool is_silent;             /* a report has stdout for itself */
	struct buffer out;          /* a line being written */
	struct arrival_style style; /* of lines for people */
	struct header *masked;      /* headers of a line of JSON */
	size_t masked_capacity;
	uint64_t forwarded[ARRIVAL_STATUSES]; /* by the target's status; [0]: without a response */
	struct listen_command command;
	bool has_looked;   /* where the target listens, since it refused a connection */
	bool has_ended;    /* the receiver; COMMAND may still run */
	bool announced;    /* --ready-file is written */
	bool timed_out;    /* --timeout ended it */
	bool asked_to_end; /* by a first signal */
	bool interrupted;  /* a second signal did */
	struct loop_io signal_io;
	struct loop_io stdout_io;
	struct loop_timer timeout;
};

/* For struct receive_observer; the context is a struct listen. */
void listen_report_notification(struct listen *listen, const struct notification *notification);
void listen_report_refused(void *context, const struct refusal *refusal);
void listen_report_notice(void *context, const struct receive_notice *notice);
void listen_print_ready(struct listen *listen);
void listen_print_summary(struct listen *listen); /* the receiver is closed */
/* "7 received: 6 valid, 1 invalid; forwarded: 6 × 200; 2 refused: 2 at another path" */
void listen_append_sums(struct buffer *line, const struct listen *listen);
/* "exited with 3" */
void listen_append_command_end(struct buffer *out, const struct listen_command *command);

/* A case for each expectation, for --limit and for COMMAND; the receiver is closed. */
void listen_report_cases(struct listen *listen);

#endif
