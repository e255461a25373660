/*
 * --results F: one line of JSON per attempt, on disk before the job's place in F.inflight is given up.
 *
 *   {"input","record","attempt","final","event","outcome","status"|null,"due","sent"|null,"latency_ms","bytes","error"?}
 *
 * `due` is when it was to begin (where nothing sets a pace: when it began), `sent` when the request went out. `input`
 * is null for what send made, and `record` then its number. With --compare, `recorded_status` too. A line of which F
 * has only a part is written by nobody but a run that was killed: see earlier.h.
 */
#ifndef CREDHOOK_CMD_DELIVER_RESULTS_H
#define CREDHOOK_CMD_DELIVER_RESULTS_H

#include "capture/source_files.h"
#include "cmd/deliver/job.h"
#include "cmd/deliver/plan.h"
#include "ui/terminal.h"

struct results;

/* Opens what --results or --resume ask for; `jobs` may be under way at once. NULL in *results where neither does. The
 * file is locked. EXIT_CODE_USAGE: it is somebody else's, another run writes it, or a run that did not get through its
 * inputs has left it and is not resumed. EXIT_CODE_IO. */
int results_open(struct results **results, const struct delivery_plan *plan, struct terminal *terminal, size_t jobs,
                 struct error *err);

/* Whether a file may be one of results: it begins as they do, or is empty. */
bool results_look_so(int fd);
/* EXIT_CODE_USAGE: one of the files, which are to be sent, is one of results: its first line begins as theirs do. What
 * is no plain file, or cannot be read, is passed over. */
int results_refuse_inputs(const struct source_files *files, struct error *err);

/* The job's place among what is in flight, once per job. */
void results_enter(struct results *results, struct job *job);
/* From the worker's thread: the attempt begins. */
void results_begin(struct results *results, const struct job *job);
/* Its line, in memory until the flush. */
void results_add(struct results *results, const struct job *job);
/* Writes what was added. -1: EXIT_CODE_IO, and the places in flight stay marked. */
int results_flush(struct results *results, struct error *err);
/* The job's result is written. */
void results_end(const struct job *job);
/* Whether F.inflight stays at the end. `through`: the run got to the end of its inputs, and all of them have their
 * final line. NULL: false. */
bool results_stay(const struct results *results, bool through);
/* NULL is allowed. */
void results_close(struct results *results, bool through);

#endif
