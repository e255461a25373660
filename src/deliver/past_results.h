/*
 * What the results of an earlier run say became of each record, for comparing a new run with it. A record is known by
 * its content, as in the journal (deliver/journal.h); of those with one id the k-th that comes by is compared with the
 * k-th that ended. It takes 40 to 56 bytes a line.
 */
#ifndef CREDHOOK_DELIVER_PAST_RESULTS_H
#define CREDHOOK_DELIVER_PAST_RESULTS_H

#include "base/signals.h"
#include "deliver/job.h"

struct past_results;

/* Reads the final lines of the file; `signals` end that. EXIT_CODE_IO, EXIT_CODE_INTERRUPTED; EXIT_CODE_USAGE: it is
 * not a file of results. */
int past_results_read(struct past_results **results, const char *path, const struct signals *signals,
                      struct error *err);
void past_results_free(struct past_results *results); /* NULL is allowed */

/* The status that the record's next delivery got; 0: it got no response. False: there is no further one. */
bool past_results_take(struct past_results *results, const struct capture_id *id, int *status);

/* How many of them were not taken. */
uint64_t past_results_left(const struct past_results *results);
/* Whether the run had come to its end. */
bool past_results_are_whole(const struct past_results *results);
/* How many lines are torn, or not lines of results. */
uint64_t past_results_bad_lines(const struct past_results *results);

#endif
