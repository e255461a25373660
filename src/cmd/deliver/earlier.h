/*
 * What an earlier run came to, as its --results say: for --resume and --failed-only.
 *
 * --resume wants what has no final line and was not in flight when the run was cut off; what was in flight is told, and
 * sent again with --retry-unknown only. --failed-only wants what the last line says did not end accepted, and what was
 * in flight. An input is the one that the results name so, else the one that is the same file. Memory: a byte per
 * record that has ended, and some 300 for one whose neighbours have not; some 200 per input.
 */
#ifndef CREDHOOK_CMD_DELIVER_EARLIER_H
#define CREDHOOK_CMD_DELIVER_EARLIER_H

#include "capture/source_files.h"
#include "cmd/cmd.h"
#include "cmd/deliver/flight.h"
#include "cmd/deliver/plan.h"

struct earlier;

/* Reads what the plan's options ask for into plan->earlier (NULL: nothing), tells what is to be told: a torn last
 * line, lines that are no results, what was in flight. EXIT_CODE_IO; EXIT_CODE_USAGE: no results, or a run is still
 * writing them. */
int earlier_read(struct delivery_plan *plan, struct context *context, struct error *err);
void earlier_free(struct earlier *earlier); /* NULL is allowed */

/* EXIT_CODE_USAGE: the results are of inputs, and none of these files is among them. earlier NULL: 0. */
int earlier_check_inputs(const struct earlier *earlier, const struct source_files *files, struct error *err);

/* Whether the record is to be sent; asked once for each time it comes along. earlier NULL: it is. */
bool earlier_wants(struct earlier *earlier, const char *input, uint64_t record);

/* For writing on: the file, open and locked (the caller's from then on), how many lines it has, and what was in flight
 * (the i-th, or NULL). */
int earlier_take_fd(struct earlier *earlier);
uint64_t earlier_lines(const struct earlier *earlier);
const struct flight *earlier_cut(const struct earlier *earlier, size_t i);
/* How many of those that --resume has left out so far did not end accepted. */
uint64_t earlier_not_accepted(const struct earlier *earlier);
/* Whether they are of a run that did not get through its inputs. */
bool earlier_is_partial(const struct earlier *earlier);

#endif
