/* How deliveries are made: the options that send and replay share, in curl's words where curl has one. */
#ifndef CREDHOOK_CMD_DELIVERY_OPTIONS_H
#define CREDHOOK_CMD_DELIVERY_OPTIONS_H

#include "base/clock.h"
#include "base/text.h"
#include "cmd/report.h"
#include "deliver/run.h"
#include "http/status_set.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stdint.h>

enum dry_run {
	DRY_RUN_OFF,
	DRY_RUN_REQUEST, /* the request that would go out */
	DRY_RUN_CURL,    /* the curl command that sends the same */
};

/* --rate N[/s|m|h]: the time from one start to the next; 0: as fast as responses come. */
struct delivery_rate {
	double interval_ns;
};

/* What --expect-status is when it is not given. */
#define DELIVERY_EXPECTED_DEFAULT "2xx"

#define DELIVERY_CONNECT_TIMEOUT (10 * CLOCK_NS_PER_S) /* of each connection */

struct delivery_options {
	const char *to;
	bool allow_production;
	bool allow_unredacted;    /* records of protected environments */
	struct text_list headers; /* as given: "Name: value" or "@FILE" */
	bool insecure;
	const char *cacert;
	const char *cert;
	const char *key;
	struct text_list connect_to;
	const char *unix_socket;
	const char *proxy;
	int64_t wait; /* for the destination to accept a connection; 0: not at all */
	int64_t max_time;
	uint64_t concurrency;
	struct delivery_rate rate;
	struct {
		const char *text; /* as given; NULL: not */
		struct status_set set;
	} expect_status;
	int64_t expect_within;
	int dry_run; /* enum dry_run */

	uint64_t retry;
	int64_t retry_delay; /* 0: 1 s, doubled each time */
	bool retry_unknown;

	const char *results; /* NULL: none; "-": stdout */
	struct report_wishes reports;
	uint64_t max_failures; /* UINT64_MAX: unlimited */

	/* replay's */
	const char *resume;
	const char *failed_only;
	bool compare;
};

extern const struct option_group delivery_option_group;       /* all into a struct delivery_options */
extern const struct option_group delivery_route_option_group; /* where to and how, never to production */
extern const struct option_group delivery_retry_option_group;
extern const struct option_group delivery_results_option_group;
extern const struct option_group delivery_again_option_group; /* --resume, --failed-only, --compare */

/* The value of --rate. Usage errors say what is taken. */
int delivery_parse_rate(void *field, const char *value, struct error *err);

/* Usage errors of options that do not go together. */
int delivery_options_check(const struct delivery_options *options, struct error *err);

#endif
