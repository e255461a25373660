/*
 * What an earlier run came to, as its --results say: for --resume and --failed-only.
 *
 * --resume wants what has no final line and was not in flight when the run was cut off; what was in flight is told, and
 * sent again with --retry-unknown only. --failed-only wants what the last final line says did not end accepted, and
 * what was in flight. Memory: a byte per record of the inputs.
 */
#ifndef CREDHOOK_CMD_DELIVER_HISTORY_H
#define CREDHOOK_CMD_DELIVER_HISTORY_H

#include "cmd/cmd.h"
#include "cmd/deliver/flight.h"
#include "cmd/deliver/plan.h"

struct history;

/* Reads what the plan's options ask for into plan->history (NULL: nothing), tells what is to be told: a torn last
 * line, lines that are no results, what was in flight. EXIT_CODE_IO; EXIT_CODE_USAGE: no results, or a run is still
 * writing them. */
int history_read(struct delivery_plan *plan, struct context *context, struct error *err);
void history_free(struct history *history); /* NULL is allowed */

/* Whether the record is to be sent; asked once for each time it comes along. history NULL: it is. */
bool history_wants(struct history *history, const char *input, uint64_t record);

/* For writing on: the file, open and locked (the caller's from then on), how many lines it has, and what was in flight
 * (the i-th, or NULL). */
int history_take_fd(struct history *history);
uint64_t history_lines(const struct history *history);
const struct flight *history_cut(const struct history *history, size_t i);

#endif
