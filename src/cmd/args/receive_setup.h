/* From the options of a receiver to its policy. */
#ifndef CREDHOOK_CMD_ARGS_RECEIVE_SETUP_H
#define CREDHOOK_CMD_ARGS_RECEIVE_SETUP_H

#include "base/buffer.h"
#include "cmd/args/receive_options.h"
#include "cmd/args/route.h"
#include "cmd/cmd.h"
#include "receive/receiver.h"

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

#endif
