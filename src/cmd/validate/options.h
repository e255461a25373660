/* The options of validate, as the command line gave them. */
#ifndef CREDHOOK_CMD_VALIDATE_OPTIONS_H
#define CREDHOOK_CMD_VALIDATE_OPTIONS_H

#include "cmd/cmd.h"
#include "cmd/report_options.h"
#include "cmd/validate/coverage.h"
#include "payload/ignore.h"

#include <stdint.h>

enum validate_format {
	VALIDATE_TEXT,
	VALIDATE_JSON,
	VALIDATE_GITHUB,
	VALIDATE_NOTHING, /* a report goes to stdout */
};

struct validate_args {
	struct global_options global;
	bool lines;
	bool single;
	bool strict;
	bool expect_invalid;
	bool coverage;
	int format; /* enum validate_format */
	struct catalog_kind event;
	struct ignored ignored;
	uint64_t jobs; /* 0: the processors */
	struct coverage_demand demand;
	struct report_wishes reports;
};

#define VALIDATE_OPTION_USES 3
extern const struct option_use validate_option_uses[VALIDATE_OPTION_USES];
void validate_release(void *args);
/* Checks what involves several options. */
int validate_check_args(struct validate_args *args, struct error *err);

#endif
