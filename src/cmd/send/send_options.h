/* What send and replay are both asked for, in curl's words where curl has one. */
#ifndef CREDHOOK_CMD_SEND_SEND_OPTIONS_H
#define CREDHOOK_CMD_SEND_SEND_OPTIONS_H

#include "cmd/args/report_files.h"
#include "cmd/args/route.h"
#include "http/status.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stdint.h>

enum dry_run {
	DRY_RUN_OFF,
	DRY_RUN_REQUEST, /* the request that would go out */
	DRY_RUN_CURL,    /* the curl command that sends the same */
};

/* What --expect-status is when it is not given. */
#define SEND_EXPECTED_DEFAULT "2xx"

struct send_options {
	struct route_options route;
	bool allow_unredacted; /* records of protected environments */
	uint64_t concurrency;
	double interval_ns; /* --rate: from one start to the next; 0: as fast as responses come */
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
	struct report_requests reports;
	uint64_t max_failures; /* UINT64_MAX: unlimited */

	/* Only replay has the options: */
	const char *resume;
	const char *failed_only;
	struct send_compare {
		bool given;
		const char *results; /* of an earlier run; NULL: with what was recorded */
	} compare;
};

extern const struct option_group send_option_group; /* all into a struct send_options */
extern const struct option_group send_retry_option_group;
extern const struct option_group send_results_option_group;

/* A number with decimals at the text's start, and where it ends; NULL: none. */
const char *send_read_decimal(const char *text, double *number);
/* The value of --rate. Usage errors say what is taken. */
int send_parse_rate(void *field, const char *value, struct error *err);

#endif
