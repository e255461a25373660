/* --dry-run: what would go out, as requests or as curl commands with variables for secrets; and what a replay would do,
 * in numbers. Nothing is sent. */
#ifndef CREDHOOK_CMD_SEND_DRY_RUN_H
#define CREDHOOK_CMD_SEND_DRY_RUN_H

#include "capture/record.h"
#include "cmd/make.h"
#include "cmd/send/run.h"
#include "deliver/job.h"

#include <stdint.h>

/* Takes everything that the source has, and shows it on stdout. */
int send_dry_run(const struct send_run *run, const struct job_source *source, bool shows, struct error *err);

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
void dry_run_summary_add(struct dry_run_summary *summary, const struct capture_record *record, const struct job *job);
/* On stdout, for a person or as one object with --json. `bad` records were skipped. */
void dry_run_summary_print(struct context *context, const struct dry_run_summary *summary,
                           const struct replay_args *args, const char *masked_url, uint64_t bad);

#endif
