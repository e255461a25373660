/*
 * What an earlier run came to, as its --results say: for --resume and --failed-only.
 *
 * --resume wants what has no final line and was not in flight when the run was cut off; what was in flight is told, and
 * sent again with --retry-unknown only. --failed-only wants what the last line says did not end accepted, and what was
 * in flight. Memory: a byte per record that has ended, and some 300 for one whose neighbours have not.
 */
#ifndef CREDHOOK_CMD_DELIVER_EARLIER_H
#define CREDHOOK_CMD_DELIVER_EARLIER_H

#include "cmd/cmd.h"
#include "cmd/deliver/flight.h"
#include "cmd/deliver/plan.h"

struct earlier;

/* Reads what the plan's options ask for into plan->earlier (NULL: nothing), tells what is to be told: a torn last
 * line, lines that are no results, what was in flight. EXIT_CODE_IO; EXIT_CODE_USAGE: no results, or a run is still
 * writing them. */
int earlier_read(struct delivery_plan *plan, struct context *context, struct error *err);
void earlier_free(struct earlier *earlier); /* NULL is allowed */

/* Whether the record is to be sent; asked once for each time it comes along. earlier NULL: it is. */
bool earlier_wants(struct earlier *earlier, const char *input, uint64_t record);

/* For writing on: the file, open and locked (the caller's from then on), how many lines it has, and what was in flight
 * (the i-th, or NULL). */
int earlier_take_fd(struct earlier *earlier);
uint64_t earlier_lines(const struct earlier *earlier);
const struct flight *earlier_cut(const struct earlier *earlier, size_t i);

#endif
