/* What send and replay are asked for: what they share, in curl's words where curl has one, and what is replay's. */
#ifndef CREDHOOK_CMD_SEND_SEND_OPTIONS_H
#define CREDHOOK_CMD_SEND_SEND_OPTIONS_H

#include "cmd/args/report_files.h"
#include "cmd/args/route.h"
#include "cmd/args/selection.h"
#include "http/status.h"
#include "payload/edit.h"
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

	/* replay's */
	const char *resume;
	const char *failed_only;
	bool compare;
};

extern const struct option_group send_option_group; /* all into a struct send_options */
extern const struct option_group send_retry_option_group;
extern const struct option_group send_results_option_group;

/* The value of --rate. Usage errors say what is taken. */
int send_parse_rate(void *field, const char *value, struct error *err);

/* --fresh-ids[=SEED] */
struct fresh_ids {
	bool given;
	struct seed seed;
};

struct replay_args {
	struct global_options global;
	bool as_recorded;
	struct fresh_ids fresh_ids;
	double speed; /* 1 keeps the recorded gaps, 2 halves them; 0 is max */
	int64_t max_wait;
	const char *keyed; /* as given */
	struct selection_shard shard;
	struct selection_options select;
	struct edits edits;
	struct send_options delivery;
};

#define REPLAY_OPTION_USES 9
extern const struct option_use replay_option_uses[REPLAY_OPTION_USES];

/* The values of --speed and --shard. */
int replay_parse_speed(void *field, const char *value, struct error *err);
int replay_parse_shard(void *field, const char *value, struct error *err);

#endif
