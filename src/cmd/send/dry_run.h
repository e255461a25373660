/* --dry-run: what would go out, as requests or as curl commands with variables for secrets; and what a replay would do,
 * in numbers. Nothing is sent. */
#ifndef CREDHOOK_CMD_SEND_DRY_RUN_H
#define CREDHOOK_CMD_SEND_DRY_RUN_H

#include "base/error.h"
#include "capture/record.h"
#include "catalog/catalog.h"
#include "cmd/args/make.h"
#include "cmd/send/run.h"
#include "deliver/job.h"

#include <stdint.h>

/* Takes everything there is, and shows it on stdout, unless numbers will say it. */
int send_dry_run(struct send_run *run, struct error *err);

/* Zero-initialise. */
struct dry_run_summary {
	uint64_t count;
	uint64_t bytes;
	int64_t first_us;
	int64_t last_us; /* the latest */
	int64_t pace_ns; /* --speed: when the last one would start */
	uint64_t unknown;
	uint64_t kinds[MAKER_KINDS_MAX]; /* in the catalogue's order */
};

/* A record that was chosen. */
void dry_run_summary_add(struct dry_run_summary *summary, const struct capture_record *record, struct catalog_kind kind,
                         const struct job *job);
/* On stdout, for a person or as one object with --json. `speed` is that of struct replay_args. */
void dry_run_summary_print(const struct send_run *run, const struct dry_run_summary *summary, double speed);

#endif
