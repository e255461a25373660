/* How far a run has come, while it runs: one line that is drawn anew on a terminal, or a line every few seconds. */
#ifndef CREDHOOK_CMD_DELIVERY_PROGRESS_H
#define CREDHOOK_CMD_DELIVERY_PROGRESS_H

#include "base/loop.h"
#include "cmd/delivery_options.h"
#include "deliver/counts.h"
#include "ui/terminal.h"

struct run_progress {
	struct terminal *terminal;
	struct loop *loop;
	const struct delivery_counts *counts;
	uint64_t total;   /* deliveries there will be; 0: not known */
	int64_t duration; /* ns after which the run is stopped; 0: it is not */
	size_t (*in_flight)(void *context);
	double (*share)(void *context); /* that is done; see cmd/share.h */
	void *context;
	bool plain;
	struct loop_timer timer;
	int64_t began_ns; /* nothing was given out before */
	int64_t last_ns;  /* the time before, for the rate */
	uint64_t last_attempts;
	struct buffer line; /* told last */
};

/* Begins to tell, where that is wanted. The struct is filled in up to `context`. */
void run_progress_start(struct run_progress *progress, enum progress_choice choice);
/* After results were written to the same terminal: the line is there again, below them. */
void run_progress_again(struct run_progress *progress);
/* Takes the line away. May be called again, and where nothing was begun. */
void run_progress_stop(struct run_progress *progress);

#endif
