/* A receiver on the command line, for `listen` and for the shell's listener: its options, how they become its policy,
 * and what it reports besides notifications, in words. */
#ifndef CREDHOOK_CMD_RECEIVE_H
#define CREDHOOK_CMD_RECEIVE_H

#include "base/buffer.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/route.h"
#include "receive/receiver.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stdint.h>

/* --allow CIDR */
struct receive_networks {
	struct http_network *list;
	size_t count;
	size_t capacity;
};

struct receive_args {
	struct receive_policy policy; /* what options set as it is; receive_setup_init() adds the rest */
	struct text_list headers;
	const char *body_source; /* @FILE or text */
	uint64_t max_body;
	struct receive_networks allowed;
	struct receive_networks trusted;
	struct route_options forward; /* to NULL: it responds itself */
};

/* The groups, and as the first rows of a command's uses: `offset` is where its struct receive_args lies. */
extern const struct option_group receive_capture_group, receive_response_group, receive_admission_group,
        receive_forward_group, receive_tls_group;
#define RECEIVE_OPTION_USES(offset)                                                                                    \
	{ &receive_capture_group, offset }, { &receive_response_group, offset }, { &receive_admission_group, offset }, \
	        { &receive_forward_group, offset },                                                                    \
	{                                                                                                              \
		&receive_tls_group, offset                                                                             \
	}

void receive_args_release(struct receive_args *args);
/* Refuses options that exclude each other. */
int receive_args_check(const struct receive_args *args, struct error *err);

/* A policy and what it borrows from, besides the args. Zero-initialise. */
struct receive_setup {
	struct receive_policy policy; /* limit, first_number and drain are the caller's to set */
	struct header *fields;
	struct buffer body;
	struct route target;
};
/* Both stay as they are until the receiver is free. */
int receive_setup_init(struct receive_setup *setup, const struct receive_args *args, const struct context *context,
                       struct error *err);
void receive_setup_release(struct receive_setup *setup);
/* Once a receiver listens at the URL: refuses it as the target of --forward-to. (Another name of this machine is not
 * recognised.) */
int receive_setup_check_target(const struct receive_setup *setup, const char *url, struct error *err);

/* For struct option: what delays, lists of statuses, faults and rules are read from. */
int receive_parse_delay(void *field, const char *value, struct error *err);   /* struct response_delay: D or D..D */
int receive_parse_respond(void *field, const char *value, struct error *err); /* struct response_statuses: N,N... */
int receive_parse_fault(void *field, const char *value, struct error *err);   /* one of struct response_faults more */
int receive_parse_rule(void *field, const char *value, struct error *err);    /* one of struct response_rules more */

enum receive_level {
	RECEIVE_NOTE,
	RECEIVE_WARNING,
	RECEIVE_ERROR,
};

/* A value that can be kept and copied. */
struct receive_words {
	enum receive_level level;
	struct error text; /* the hint only of a RECEIVE_ERROR */
};

void receive_words_of_refusal(struct receive_words *words, const struct refusal *refusal,
                              const struct receive_args *args);
void receive_words_of_notice(struct receive_words *words, const struct receive_notice *notice,
                             const struct receive_args *args);
/* To stderr. */
void receive_print_words(struct terminal *terminal, const struct receive_words *words);
/* Where it listens and forwards, how to trust its certificate, and who can connect. */
void receive_print_ready(struct terminal *terminal, const struct receiver *receiver, const struct receive_setup *setup);

#endif
