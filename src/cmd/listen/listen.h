/*
 * What the parts of listen share.
 *
 *   options.c  the option rows, and what they must not say together
 *   listen.c   sets up and ends
 *   receive.c  the server's handler: doors, verdict, answer chosen, record added
 *   forward.c  passes on to another server, whose answer goes back
 *   secure.c   its certificate
 *   commit.c   brings records to disk and only then answers
 *   capture_file.c  their file: opened, opened again, rotated
 *   (cmd/expectations.c counts what is still missing)
 *   tell.c     a line per notification; summary.c: the ready line and the summary
 *
 * A notification becomes a ticket, which waits for its record to be on disk and is answered and told then: what is told
 * and counted is what the sender got.
 */
#ifndef CREDHOOK_CMD_LISTEN_LISTEN_H
#define CREDHOOK_CMD_LISTEN_LISTEN_H

#include "base/loop.h"
#include "capture/source_files.h"
#include "capture/syncer.h"
#include "capture/writer.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "http/deliver.h"
#include "http/server.h"
#include "http/tls.h"
#include "payload/check.h"
#include "receive/repeats.h"
#include "receive/response.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum listen_validate {
	LISTEN_REPORT, /* judged and told; the answer stays as it is */
	LISTEN_REJECT, /* 422 with the findings for a payload with an error */
	LISTEN_OFF,
};

/* --expect EVENT[:N],...; an event with elements is met by any of them. */
struct expectation {
	struct catalog_kind kind;
	uint64_t wanted;
	uint64_t arrived; /* valid ones only */
	uint64_t invalid; /* those that came beside them */
};

struct expectations {
	struct expectation *list;
	size_t count;
	size_t capacity;
	bool in_order;     /* one counts only when those before it are met */
	bool out_of_order; /* and one came too early: */
	size_t early;      /* which; */
	uint64_t early_seq;
	size_t awaited; /* in place of which */
};

/* --allow CIDR */
struct listen_networks {
	struct http_network *list;
	size_t count;
	size_t capacity;
};

struct listen_args {
	struct global_options global;
	const char *capture;
	int sync;     /* enum capture_sync */
	int validate; /* enum listen_validate */
	uint64_t rotate_size;
	uint64_t rotate_keep;
	struct response_policy answers;
	struct text_list headers;
	const char *body_source; /* @FILE or text */
	const char *path;
	uint64_t max_body;
	uint64_t max_connections;
	int64_t head_timeout;
	int64_t body_timeout;
	int64_t answer_timeout;
	int64_t idle_timeout;
	struct listen_networks allowed;
	uint64_t max_per_address; /* 0: no limit */
	const char *tls_cert;
	const char *tls_key;
	const char *tls_client_ca;
	bool tls_self_signed;
	const char *forward_to; /* NULL: what no route takes is answered here */
	struct text_list routes;
	int64_t forward_timeout;
	const char *forward_cacert;
	bool forward_insecure;
	bool allow_production;
	const char *ready_file;
	struct expectations expected;
	uint64_t max_events;
	bool once;
	int64_t timeout;
	int64_t drain;
};

/* A notification that was taken in and is not answered yet. Tickets and their memory are used again. */
struct ticket {
	struct ticket *next;
	struct listener *listener;
	struct http_exchange *exchange; /* NULL: its client went away */
	uint64_t seq;
	struct catalog_kind kind; /* event NULL: nobody knows it */
	bool judged;
	bool valid;
	struct response answer;
	struct buffer body; /* of the answer, where it is not that of --body */
	const char *body_type;
	const struct http_field *fields; /* NULL: those of --header */
	size_t field_count;
	struct forwarding *forwarding; /* what it borrows from; owned. NULL: it is not forwarded */
	struct buffer told;            /* the line, but for the answer, which belongs at `told_answer` */
	size_t told_answer;
};

struct ticket_list {
	struct ticket *first;
	struct ticket *last;
};

/* Who was refused, by door. */
enum listen_door {
	LISTEN_DOOR_PATH,   /* 404 */
	LISTEN_DOOR_METHOD, /* 405 */
	LISTEN_DOOR_BODY,   /* 413 */
	LISTEN_DOOR_HEAD,   /* 414, 431 */
	LISTEN_DOOR_TIME,   /* 408 */
	LISTEN_DOOR_MEMORY, /* 503: too many large bodies at once */
	LISTEN_DOOR_TLS,    /* no handshake */
	LISTEN_DOOR_LATE,   /* more than --max-events, while it ends */
	LISTEN_DOOR_FORM,   /* no acceptable request: whatever else the server refuses */
	LISTEN_DOORS,
};

struct listener {
	struct listen_args *args;
	struct context *context;
	struct loop *loop;
	struct http_server *server;
	struct http_tls *tls; /* NULL: plain */
	char *tls_file;       /* the certificate made for this session; NULL: none. Owned */
	struct checker *checker;
	struct forwarder *forwarder; /* NULL: nothing is forwarded */
	struct responder answers;
	struct repeats *repeats;
	struct http_field *fields; /* of --header, for every answer, and room for one more */
	size_t field_count;
	struct buffer body; /* of --body */
	bool announced;     /* --ready-file is written */

	struct capture_writer *writer; /* NULL: no capture */
	struct capture_syncer *syncer; /* NULL: no --capture, or --sync none */
	struct loop_io syncer_io;
	bool syncing;
	bool reopen;             /* the capture is to be opened again by its name: SIGHUP came, or that failed */
	struct loop_timer retry; /* sets `reopen`, */
	int64_t retry_wait;      /* so long after it failed; 0: it did not */
	uint64_t lost_records;   /* in a capture that was deleted or replaced; told already */
	uint64_t rotate_at;      /* bytes in the file; more than the size asked for once rotating has failed */
	bool write_failed;       /* the capture; told already */
	struct loop_timer gather;
	int64_t sync_began;
	int64_t gather_until; /* the next sync may begin, if not `gather_wanted` records came before */
	int64_t gather_share; /* which is so long after the last one that came, */
	int64_t gather_end;   /* but no more begins here */
	size_t gather_seen;   /* records that had come when it was last asked */
	size_t gather_wanted;
	bool sync_is_short;             /* takes less than the work on what it holds */
	size_t unsynced;                /* records that no sync has begun for */
	struct source_files in_use;     /* what --ready-file must not replace */
	struct capture_header *headers; /* of a record being made */
	size_t header_capacity;

	struct ticket_list waiting; /* in the order of their records */
	size_t waiting_count;
	struct ticket *spare_tickets;
	size_t spare_count;

	struct buffer out; /* a line being written */
	struct {
		time_t second; /* 0: none yet */
		char text[9];
	} clock;           /* the time of day that was told last: one line out of thousands has another */
	uint64_t taken;    /* notifications that passed the doors */
	uint64_t received; /* and were to be answered; the following are of these */
	uint64_t valid;
	uint64_t invalid;
	uint64_t repeated;
	uint64_t unanswered; /* not, or not whole: the client went away or did not take it, or the end came */
	uint64_t cut_off;    /* of these, by the end */
	uint64_t faults;
	uint64_t by_kind[64]; /* by catalog_kind_index() */
	uint64_t refused;
	uint64_t by_door[LISTEN_DOORS];
	const struct http_request *elsewhere; /* being refused: it is for another path than --path */
	struct http_server_counts at_end;     /* the server's, once it is gone */
	bool ending;                          /* no more requests are waited for */
	bool draining;
	int64_t drain_until;
	int64_t held_until; /* the last of the answers that --delay holds back goes out */
	bool timed_out;     /* --timeout ended it */
	bool asked_to_end;  /* by a first signal */
	bool interrupted;   /* a second signal did */
	struct loop_io signal_io;
	struct loop_io stdout_io;
	struct loop_timer timeout;
};

/* What is told of one request. */
struct arrival {
	const struct http_request *request;
	const char *remote;
	int64_t received_us;
	const struct verdict *verdict; /* NULL: not judged */
	struct repeat repeat;
	const struct delivery *forwarded; /* what the target said; NULL: it was not asked */
	const char *forwarded_to;         /* the URL it went to, masked for printing */
};

/* options.c */
#define LISTEN_OPTION_USES 6
extern const struct option_use listen_option_uses[LISTEN_OPTION_USES];
void listen_default_args(void *args);
void listen_release_args(void *args);
int listen_check_args(struct listen_args *args, const struct text_list *operands, struct error *err);

/* secure.c */
int listen_secure(struct listener *listener, const char *address, struct error *err); /* before it listens */
void listen_secure_again(struct listener *listener);                                  /* SIGHUP */
void listen_secure_end(struct listener *listener);

/* receive.c: the handler of the server. */
bool listen_on_head(void *context, const struct http_request *request, struct http_refusal *refusal);
void listen_on_request(void *context, struct http_exchange *exchange);
void listen_on_abandoned(void *context, struct http_exchange *exchange);
void listen_on_unsent(void *context, uint64_t seq);
/* The answer is known: makes the record, and lets the ticket wait for the disk. */
void listen_record(struct ticket *ticket, struct arrival *arrival);
void listen_on_refused(void *context, const char *remote, int status, const char *reason);

/* forward.c */
int listen_forward_open(struct listener *listener, struct error *err);
/* Once the server listens: no target may name the address of this very listener. (By another name of this machine it
 * still may be.) */
int listen_forward_check(struct listener *listener, struct error *err);
/* Ends what is under way, so that it gets its record. */
void listen_forward_close(struct listener *listener);
/* Passes the request on where it has a target; listen_record() follows. False: it is to be answered here. */
bool listen_forward(struct ticket *ticket, const struct arrival *arrival);
void listen_forward_forget(struct ticket *ticket);

/* ticket.c */
struct ticket *listen_ticket_new(struct listener *listener, struct http_exchange *exchange); /* NULL: no memory */
void listen_ticket_free(struct ticket *ticket);                                              /* to the spares */
void listen_tickets_release(struct listener *listener);
void listen_ticket_push(struct ticket_list *list, struct ticket *ticket);
struct ticket *listen_ticket_pop(struct ticket_list *list); /* NULL: empty */
/* The record of a request, without the response. Its texts are borrowed from the request, from `name` and, until the
 * next call, from the listener's own list of headers. -1: no memory. */
int listen_make_record(const struct ticket *ticket, const struct arrival *arrival, char name[CATALOG_KIND_NAME_SIZE],
                       struct capture_record *record);

/* commit.c */
int listen_open_capture(struct listener *listener, struct error *err);
/* Adds the record of a ticket whose answer is known, and lets it wait for the disk. */
void listen_take_in(struct ticket *ticket, const struct arrival *arrival);
/* At the end of each turn: begins what can be begun, answers what may be answered. */
void listen_commit(void *context);
/* At the very end: what was added is brought to disk, and the file closed. */
void listen_close_capture(struct listener *listener);
/* Stops taking requests; what has begun is finished, for as long as --drain says. Cut short (a signal, --timeout),
 * answers that are held back longer go out at once; else that time begins when the last of them was to go out. */
void listen_end(struct listener *listener, bool is_cut_short);

/* capture_file.c */
int listen_open_writer(struct listener *listener, struct error *err);
void listen_close_writer(struct listener *listener);
/* Between two commits: opens the capture again where that is due, and rotates it. */
void listen_change_file(struct listener *listener);
void listen_reopen(struct listener *listener);
/* Counts and reports what was lost with a capture that was deleted or replaced, and that the commit opened it again. */
void listen_report_lost(struct listener *listener, bool is_reopened);

/* tell.c */
/* Writes the ticket's line into it; the answer's place stays free. */
void listen_tell_begin(struct ticket *ticket, const struct arrival *arrival);
/* Prints it with the answer that was given. */
void listen_tell_end(const struct ticket *ticket);
void listen_tell_refused(struct listener *listener, const char *remote, int status, const char *reason);

/* summary.c */
void listen_tell_ready(struct listener *listener);
void listen_tell_summary(struct listener *listener);

/* expect.c */
int listen_parse_expectation(void *field, const char *value, struct error *err);
void listen_count_expected(struct expectations *expected, const struct ticket *ticket);
bool listen_expectations_met(const struct expectations *expected);
/* "bureau-alert (1 of 3; 2 came, but invalid)", for each that is missing; empty: none. */
void listen_append_missing(struct buffer *out, const struct expectations *expected);
/* "#4 was bureau-alert, and user-created (0 of 1) was due"; nothing where all came in order. */
void listen_append_disorder(struct buffer *out, const struct expectations *expected);

#endif
