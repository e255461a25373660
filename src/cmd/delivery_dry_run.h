/* --dry-run: what would go out, as requests or as curl commands, with variables for secrets. */
#ifndef CREDHOOK_CMD_DELIVERY_DRY_RUN_H
#define CREDHOOK_CMD_DELIVERY_DRY_RUN_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "deliver/run.h"

/* Shows everything the source has on stdout, and sends nothing. */
int delivery_dry_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                     struct error *err);

#endif
