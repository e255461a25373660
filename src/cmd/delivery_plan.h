/* The options made ready: where to, past the production guard, with all header lines. */
#ifndef CREDHOOK_CMD_DELIVERY_PLAN_H
#define CREDHOOK_CMD_DELIVERY_PLAN_H

#include "base/buffer.h"
#include "base/text.h"
#include "capture/record.h"
#include "cmd/cmd.h"
#include "cmd/delivery_options.h"
#include "config/address.h"
#include "config/config.h"
#include "http/deliver.h"

#include <stdbool.h>

struct delivery_cases;
struct journal;
struct maker;

/* Zero-initialise before. */
struct delivery_plan {
	const struct delivery_options *options; /* borrowed */
	struct config config;
	struct destination destination;
	struct detours detours;
	struct text_list headers;    /* every line to send: -H's, files read, then the environment's */
	size_t given_headers;        /* the first of them, which are -H's */
	struct text_list owned;      /* the lines among them that were made here */
	struct buffer masked_url;    /* for printing */
	struct deliver_options http; /* borrows from all of the above */
	bool has_content_type;       /* a header line sets it for all */
	bool is_unguarded;           /* no environment is protected, and it does not go to this machine */
	unsigned threads;
	const char *config_file; /* --config; NULL: not given */
	bool no_config;
	const uint64_t *fresh_ids;    /* the seed of replay's --fresh-ids; NULL: not asked for */
	const struct maker *maker;    /* of what send makes; the command's to fill in. NULL: replay */
	struct journal *journal;      /* the command's to open and to close; NULL: none is kept */
	struct delivery_cases *cases; /* of --report; the command's to free. NULL: none */
};

/* Reads the configuration, resolves --to, reads the detours, asks the guard, reads header files. Usage errors: see
 * config/address.h and config/detours.h; a header with a control character or without a colon. */
int delivery_plan_init(struct delivery_plan *plan, const struct delivery_options *options, const char *config_file,
                       bool no_config, struct error *err);
void delivery_plan_release(struct delivery_plan *plan);
/* EXIT_CODE_USAGE: the record is of a protected environment, goes elsewhere, and is not redacted. */
int delivery_plan_check_origin(const struct delivery_plan *plan, const struct capture_record *record,
                               struct error *err);
/* Before anything is sent: says that nothing guards a production environment, where that is so. */
void delivery_plan_note(const struct delivery_plan *plan, struct terminal *terminal);

/* Waits for as long as --wait says until the destination accepts a connection. EXIT_CODE_UNDELIVERED: it does not;
 * EXIT_CODE_INTERRUPTED: by a signal, which is not taken. */
int delivery_wait(struct context *context, const struct delivery_plan *plan, struct error *err);

#endif
