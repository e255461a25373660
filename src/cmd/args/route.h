/*
 * The way of a delivery: where it goes, past the production guard, with which header lines, and libcurl's settings for
 * all of that. For send, replay, test and listen --forward-to.
 */
#ifndef CREDHOOK_CMD_ARGS_ROUTE_H
#define CREDHOOK_CMD_ARGS_ROUTE_H

#include "base/buffer.h"
#include "base/clock.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "config/config.h"
#include "config/destination.h"
#include "http/deliver.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_CONNECT_TIMEOUT (10 * CLOCK_NS_PER_S) /* of each connection */

struct route_options {
	const char *to;
	bool allow_production;
	struct text_list headers; /* as given: "Name: value" or "@FILE" */
	bool insecure;
	const char *cacert;
	const char *cert;
	const char *key;
	struct text_list connect_to;
	const char *proxy;
	int64_t wait; /* for the destination to accept a connection; 0: not at all */
	int64_t max_time;
};

extern const struct option_group route_option_group; /* into a struct route_options; without --allow-production */

/* Zero-initialise before. */
struct route {
	struct config config;
	struct destination destination;
	struct detours detours;
	struct header *headers; /* all that are sent: -H's, files read, then the environment's */
	size_t header_count;
	size_t header_capacity;
	size_t given_headers;        /* the first of them, which are -H's */
	struct owned_texts files;    /* texts of header files */
	struct buffer masked_url;    /* for printing */
	struct deliver_options http; /* borrows from all of the above, and from the options */
	bool has_content_type;       /* a header line sets it for all */
	bool is_refused;             /* by the guard, which --allow-production would pass */
};

/* Reads the configuration, resolves --to, reads the detours, asks the guard, reads header files: waiting for one that
 * is a FIFO ends with a signal. Usage errors: see config/destination.h and config/detours.h; a header with a control
 * character or without a colon. */
int route_init(struct route *route, const struct route_options *options, const struct context *context,
               struct error *err);
void route_release(struct route *route);

/* Before anything is sent: says that nothing guards a production environment, where that is so. */
void route_note(const struct route *route, struct terminal *terminal);
/* Waits for as long as --wait says until the destination accepts a connection. EXIT_CODE_UNDELIVERED: it does not;
 * EXIT_CODE_INTERRUPTED: by a signal, which is not taken. */
int route_wait(const struct route *route, int64_t most_ns, struct context *context, struct error *err);

/* Appends --to and an address, in a line to type: the placeholder URL where it hides something. */
void route_append_to(const char *to, struct buffer *out);

/* Many listeners (node's, vite's) take `localhost` to be [::1] alone. Where WHERE is a bare port, nothing listens at
 * its 127.0.0.1, and something does at [::1]: appends "something listens at [::1]:3000: --to localhost:3000". Looks
 * once; option_name is without dashes. */
void route_append_elsewhere(const struct route *route, const char *option_name, struct buffer *out);

#endif
