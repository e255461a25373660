/* The observer of a run: the destination, a line per delivery (what became of it, or with -v the whole exchange), and
 * how far it has come; and what its end needs to know of that. */
#ifndef CREDHOOK_CMD_SEND_SEND_REPORT_H
#define CREDHOOK_CMD_SEND_SEND_REPORT_H

#include "base/buffer.h"
#include "cmd/args/make.h"
#include "cmd/send/reasons.h"
#include "cmd/send/run.h"
#include "cmd/send/send_causes.h"
#include "deliver/delivery_run.h"
#include "http/page_responses.h"
#include "ui/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct send_report {
	struct send_run *run;
	bool silent;       /* --results - takes stdout */
	struct buffer out; /* reused */
	struct progress progress;
	int64_t flushed_ns;
	bool begun;        /* the destination is printed */
	uint64_t lines[2]; /* shown on a terminal: of those that were not accepted, of those that were */
	struct send_reasons reasons;
	struct send_causes causes;
	bool failed_from_files; /* one of those was not accepted */
	/* Events of what send made and was not accepted, each once. */
	char failed_made[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE];
	size_t failed_made_count;
	struct page_responses pages;
	uint64_t paged; /* accepted ones that the page lists */
};

/* Prints the destination, attempts and progress, and adds what has ended to the reports. */
struct delivery_observer send_report_observer(struct send_report *report);

#endif
