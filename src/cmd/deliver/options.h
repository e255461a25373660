/* How deliveries are made: the options that send and replay share, in curl's words where curl has one. */
#ifndef CREDHOOK_CMD_DELIVER_OPTIONS_H
#define CREDHOOK_CMD_DELIVER_OPTIONS_H

#include "base/buffer.h"
#include "base/text_list.h"
#include "config/address.h"
#include "config/config.h"
#include "http/deliver.h"
#include "http/status_set.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stdint.h>

enum dry_run {
	DRY_RUN_OFF,
	DRY_RUN_REQUEST, /* the request that would go out */
	DRY_RUN_CURL,    /* the curl command that sends the same */
};

/* --rate N[/s|m|h]: 0: as fast as it is answered. */
struct delivery_rate {
	int64_t interval_ns;
};

struct delivery_options {
	const char *to;
	bool allow_production;
	struct text_list headers; /* as given: "Name: value" or "@FILE" */
	bool insecure;
	const char *cacert;
	const char *cert;
	const char *key;
	struct text_list connect_to;
	struct text_list resolve;
	const char *unix_socket;
	const char *proxy;
	int64_t connect_timeout;
	int64_t max_time;
	uint64_t concurrency;
	struct delivery_rate rate;
	struct {
		bool given;
		struct status_set set;
	} expect_status;
	int64_t expect_within;
	int dry_run; /* enum dry_run */
};

extern const struct option_group delivery_option_group; /* into a struct delivery_options */

void delivery_options_defaults(struct delivery_options *options);
void delivery_options_release(struct delivery_options *options);

/* The options made ready: where to, past the guard, with all header lines. Zero-initialise before. */
struct delivery_plan {
	const struct delivery_options *options; /* borrowed */
	struct config config;
	struct destination destination;
	struct text_list headers;    /* every line to send: the environment's, then -H's, files read */
	struct text_list owned;      /* the lines among them that were made here */
	struct buffer masked_url;    /* for printing */
	struct deliver_options http; /* borrows from all of the above */
};

/* Reads the configuration, resolves --to, asks the guard, reads header files. Usage errors: see config/address.h; a
 * header with a control character or without a colon. */
int delivery_plan_init(struct delivery_plan *plan, const struct delivery_options *options, const char *config_file,
                       bool no_config, struct error *err);
void delivery_plan_release(struct delivery_plan *plan);

#endif
