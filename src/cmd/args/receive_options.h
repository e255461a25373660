/* The options of a receiver, for `listen` and for the shell's listener. */
#ifndef CREDHOOK_CMD_ARGS_RECEIVE_OPTIONS_H
#define CREDHOOK_CMD_ARGS_RECEIVE_OPTIONS_H

#include "base/error.h"
#include "base/text.h"
#include "cmd/args/route.h"
#include "receive/receiver.h"
#include "ui/options.h"

#include <stddef.h>
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

/* For struct option: what delays, lists of statuses, faults and rules are read from. */
int receive_parse_delay(void *field, const char *value, struct error *err);   /* struct response_delay: D or D..D */
int receive_parse_respond(void *field, const char *value, struct error *err); /* struct response_statuses: N,N... */
int receive_parse_fault(void *field, const char *value, struct error *err);   /* one of struct response_faults more */
int receive_parse_rule(void *field, const char *value, struct error *err);    /* one of struct response_rules more */

#endif
