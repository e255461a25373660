/*
 * Which answer a notification gets: what a sender's tests ask for, chosen from the options. Pure but for the memory of
 * lists, and repeatable: the same options, seed and notifications in the same order give the same answers.
 *
 * The first rule that matches (and is not used up) decides alone; what it does not say is as --status, --delay and
 * --retry-after have it. Without one: 422 for what --validate reject rejects, else the next of --respond (or --status),
 * which --fail-rate turns into a 500; and --fault spoils any of these.
 */
#ifndef CREDHOOK_CMD_LISTEN_ANSWERS_H
#define CREDHOOK_CMD_LISTEN_ANSWERS_H

#include "base/error.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "http/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_CERTAIN 1000000000u /* a probability of 1 */

/* What comes of a notification with some probability. */
struct answer_fault {
	enum http_fault fault; /* HTTP_FAULT_NONE: none */
	uint32_t probability;  /* in 1 / ANSWER_CERTAIN */
};

/* Nanoseconds; evenly between the two. */
struct answer_delay {
	bool given;
	int64_t least;
	int64_t most;
};

/* A number that may be absent: --seed, --retry-after (seconds). */
struct answer_number {
	bool given;
	uint64_t value;
};

struct answer_statuses {
	int *list;
	size_t count;
	size_t capacity;
};

/* event=NAME,valid=yes|no -> status, fault, delay, retry-after; times=N. */
struct answer_rule {
	bool any_event;
	struct catalog_kind kind; /* event NULL: what nobody knows; element NULL: any of them */
	bool judged;              /* `valid` counts */
	bool valid;
	int status; /* 0: not said */
	struct answer_fault fault;
	struct answer_delay delay;
	struct answer_number retry_after;
	uint64_t times; /* 0: always */
	uint64_t used;
};

struct answer_rules {
	struct answer_rule *list;
	size_t count;
	size_t capacity;
};

/* As the command line has it. Zero-initialise; status then is 200. */
struct answer_options {
	uint64_t status;
	struct answer_statuses respond;
	uint32_t fail_rate; /* in 1 / ANSWER_CERTAIN */
	struct answer_number seed;
	struct answer_fault fault;
	struct answer_delay delay;
	struct answer_number retry_after;
	struct answer_rules rules;
};

void answer_options_release(struct answer_options *options);
bool answer_options_ask_verdict(const struct answer_options *options); /* a rule asks for the event or its validity */

/* The options' parsers (see struct option); each names its option in errors. */
int answer_parse_delay(void *field, const char *value, struct error *err);       /* struct answer_delay: D or D..D */
int answer_parse_respond(void *field, const char *value, struct error *err);     /* struct answer_statuses: N,N... */
int answer_parse_probability(void *field, const char *value, struct error *err); /* uint32_t: 0.1 or 10% */
int answer_parse_fault(void *field, const char *value, struct error *err);       /* struct answer_fault: KIND[:P] */
int answer_parse_seed(void *field, const char *value, struct error *err);        /* struct answer_number */
int answer_parse_retry_after(void *field, const char *value, struct error *err); /* struct answer_number: S */
int answer_parse_rule(void *field, const char *value, struct error *err);        /* struct answer_rules: one more */

const char *answer_rule_key(size_t index);            /* event, valid, ...; NULL behind the last */
const char *answer_fault_name(enum http_fault fault); /* reset, empty, ...; NULL for HTTP_FAULT_NONE */

/* Of one notification. */
struct answer {
	int status;
	enum http_fault fault;
	int64_t delay_ns;
	struct answer_number retry_after;
	bool is_own; /* a rule or --fail-rate wants it: what is forwarded otherwise is not */
};

struct answers {
	struct answer_options *options; /* borrowed; its rules are used up here */
	struct random random;
	size_t responded;
};

void answers_init(struct answers *answers, struct answer_options *options);
/* kind.event NULL: nobody knows it. rejected: --validate reject has a 422 for it. */
void answers_choose(struct answers *answers, struct catalog_kind kind, bool valid, bool rejected,
                    struct answer *answer);

#endif
