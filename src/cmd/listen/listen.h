/* What the parts of listen share: listen.c sets up and ends, receive.c takes requests in, tell.c says what came. */
#ifndef CREDHOOK_CMD_LISTEN_LISTEN_H
#define CREDHOOK_CMD_LISTEN_LISTEN_H

#include "capture/writer.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "http/loop.h"
#include "http/server.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stdint.h>

enum listen_validate {
	LISTEN_REPORT, /* judged and told; the answer stays as it is */
	LISTEN_REJECT, /* 422 with the findings for a payload with an error */
	LISTEN_OFF,
};

/* --expect EVENT[:N]; an event with elements is met by any of them. */
struct expectation {
	struct catalog_kind kind;
	uint64_t wanted;
	uint64_t arrived; /* valid ones only */
};

struct expectations {
	struct expectation *list;
	size_t count;
	size_t capacity;
};

struct listen_args {
	struct global_options global;
	const char *capture;
	int sync;     /* enum capture_sync */
	int validate; /* enum listen_validate */
	const char *path;
	uint64_t status;
	struct text_list headers;
	const char *body_source; /* @FILE or text */
	uint64_t max_body;
	uint64_t max_connections;
	int64_t head_timeout;
	int64_t body_timeout;
	const char *ready_file;
	struct expectations expected;
	uint64_t max_events;
	bool once;
	int64_t timeout;
	int64_t drain;
};

/* A request that was taken in and waits for its record to be on disk. */
struct waiting {
	struct http_exchange *exchange; /* NULL: its client went away */
	int status;
	char *findings; /* owned: the body of a 422; NULL: the configured one */
	size_t findings_length;
};

struct listener {
	struct listen_args *args;
	struct context *context;
	struct loop *loop;
	struct http_server *server;
	struct checker *checker;
	struct capture_writer *writer; /* NULL: no capture */
	struct http_field *fields;     /* of --header, for every answer */
	size_t field_count;
	struct buffer body; /* of --body */
	struct waiting *waiting;
	size_t waiting_count;
	size_t waiting_capacity;
	struct waiting *answering; /* the batch that is being answered, while the next one gathers */
	size_t answering_capacity;
	struct buffer out; /* a line being written */
	uint64_t received;
	uint64_t valid;
	uint64_t invalid;
	uint64_t refused;
	uint64_t by_kind[64]; /* by catalog_kind_index() */
	uint64_t unknown;
	bool ending;       /* no more requests are waited for */
	bool timed_out;    /* --timeout ended it */
	bool write_failed; /* the capture; told already */
	struct error failure;
	struct loop_io signal_io;
	struct loop_timer timeout;
};

/* What is told of one request. */
struct arrival {
	const struct http_request *request;
	const char *remote;
	int64_t received_us;
	uint64_t seq;
	const struct verdict *verdict; /* NULL: not judged */
	int status;
};

/* receive.c: the handler of the server. */
bool listen_on_head(void *context, const struct http_request *request, struct http_refusal *refusal);
void listen_on_request(void *context, struct http_exchange *exchange);
void listen_on_abandoned(void *context, struct http_exchange *exchange);
void listen_on_refused(void *context, const char *remote, int status, const char *reason);
/* Writes what came in this turn to disk, and then answers. */
void listen_commit(void *context);
/* Stops taking requests; what has begun is finished. */
void listen_end(struct listener *listener);

/* tell.c: what is said of it all. */
void listen_tell_ready(struct listener *listener);
void listen_tell_arrival(struct listener *listener, const struct arrival *arrival);
void listen_tell_refused(struct listener *listener, const char *remote, int status, const char *reason);
void listen_tell_summary(struct listener *listener);

/* expect.c */
int listen_parse_expectation(void *field, const char *value, struct error *err);
void listen_count_expected(struct expectations *expected, struct catalog_kind kind);
bool listen_expectations_met(const struct expectations *expected);
/* "bureau-alert (1 of 3)", for each that is missing; empty: none. */
void listen_append_missing(struct buffer *out, const struct expectations *expected);

#endif
