/* How far a run has come, as the share of its work that is over: from 0 to 1, or SHARE_UNKNOWN; and how long the rest
 * will take. */
#ifndef CREDHOOK_CMD_SHARE_H
#define CREDHOOK_CMD_SHARE_H

#include "base/buffer.h"

#include <stdint.h>

#define SHARE_UNKNOWN (-1.0)

/* So much of `whole` is done, or more than that. SHARE_UNKNOWN where the whole is 0. */
double share_of(uint64_t done, uint64_t whole);
/* Of `rounds` rounds, while so many are over and the next has come as far as `share`. So many rounds that they stand
 * for "until it is stopped" are SHARE_UNKNOWN. */
double share_of_rounds(double share, uint64_t round, uint64_t rounds);
/* Such a share was handed out: `over` pieces of it are over, `under_way` are not. */
double share_over(double handed_out, uint64_t over, uint64_t under_way);

#define SHARE_NO_END INT64_C(-1)
/* Nanoseconds that the rest takes at the rate since the beginning, and `most` at most (SHARE_NO_END: no such bound).
 * SHARE_NO_END: it cannot be told, or not yet. */
int64_t share_time_left(double share, int64_t elapsed_ns, int64_t most);

/* Appends "37 %", rounded down: only what is over is 100 %. */
void share_append(struct buffer *out, double share);
/* Appends ", 12 s left", ", 2m05s left", ", 3h20m left"; nothing for SHARE_NO_END. */
void share_append_left(struct buffer *out, int64_t left_ns);

#endif
