/*
 * Which requests are notifications, and which response each gets, chosen by the options. Pure but for the memory
 * of lists and what is random.
 *
 * The first rule that matches (and is not used up) comes first; what it leaves out is as without it: --delay waits,
 * and the response is 422 for what --validate reject rejects, else the next of --respond (or 200). A fault of --fault
 * takes the place of any of these; one that is only a status not that of a 422. Where a rule has a status or a fault
 * of its own, --fault is not asked.
 */
#ifndef CREDHOOK_RECEIVE_RESPONSE_H
#define CREDHOOK_RECEIVE_RESPONSE_H

#include "base/error.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "http/server.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESPONSE_CERTAIN 1000000000u /* a probability of 1 */

/* A fault injected with some probability: one of the connection, or a status. */
struct response_fault {
	enum http_fault fault; /* HTTP_FAULT_NONE: */
	int status;            /* this one; 0: no fault */
	uint32_t probability;  /* in 1 / RESPONSE_CERTAIN */
};

/* One of them at most; their probabilities add up. */
struct response_faults {
	struct response_fault *list;
	size_t count;
	size_t capacity;
};

/* Nanoseconds; evenly between the two. */
struct response_delay {
	bool given;
	int64_t least;
	int64_t most;
};

struct response_statuses {
	int *list;
	size_t count;
	size_t capacity;
};

/* event=NAME,valid=yes|no -> status, fault, delay; times=N. */
struct response_rule {
	bool any_event;
	struct catalog_kind kind; /* event NULL: unknown; element NULL: any of them */
	bool needs_verdict;       /* `valid` counts */
	bool valid;
	int status; /* 0: not given */
	struct response_fault fault;
	struct response_delay delay;
	uint64_t times; /* 0: always */
};

struct response_rules {
	struct response_rule *list;
	size_t count;
	size_t capacity;
};

/* As the command line has it. */
struct response_policy {
	struct response_statuses respond;
	struct response_faults faults;
	struct response_delay delay;
	struct response_rules rules;
};

const char *response_fault_name(enum http_fault fault); /* reset, empty, ...; NULL for HTTP_FAULT_NONE */

/* What one notification gets. */
struct response {
	int status;
	enum http_fault fault;
	int64_t delay_ns;
	bool is_faulty;
	bool is_own; /* a status of a rule or --fault: not forwarded */
};

struct responder {
	const struct response_policy *policy; /* borrowed */
	struct random random;
	size_t responded;
	uint64_t *used; /* how often, for each rule */
};

int responder_init(struct responder *responder, const struct response_policy *policy, struct error *err);
void responder_release(struct responder *responder);
/* kind.event NULL: unknown. rejected: RECEIVE_REJECT has a 422 for it. */
struct response responder_choose(struct responder *responder, struct catalog_kind kind, bool valid, bool rejected);

/* Whether the head is accepted; else *refusal is the response. path NULL: every path. */
bool admission_of_head(const char *path, const struct message *request, struct http_refusal *refusal);
/* The reason of a refusal by the server with this status. */
enum receive_refusal admission_reason(int status);

#endif
