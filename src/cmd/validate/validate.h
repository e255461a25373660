/* What is asked for. */
#ifndef CREDHOOK_CMD_VALIDATE_VALIDATE_H
#define CREDHOOK_CMD_VALIDATE_VALIDATE_H

#include "cmd/args/report_files.h"
#include "cmd/cmd.h"
#include "cmd/validate/coverage.h"
#include "payload/ignore.h"

#include <stdbool.h>

struct seen;

struct validate_args {
	struct global_options global;
	bool lines;
	bool strict;
	bool expect_invalid;
	bool coverage;
	bool is_text; /* stdout is for people: there is no --json, and no report */
	struct catalog_kind event;
	struct ignored ignored;
	struct requirement requirement;
	struct report_requests reports;
	const char *against; /* NULL: nothing */
	struct seen *seen;   /* what is there; NULL: nothing, or not yet */
	bool collects;       /* this is the run that reads it */
};

#endif
