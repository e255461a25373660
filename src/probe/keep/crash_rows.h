/* The experiments of the group crash. */
#ifndef CREDHOOK_PROBE_KEEP_CRASH_ROWS_H
#define CREDHOOK_PROBE_KEEP_CRASH_ROWS_H

#include "probe/keep/experiment.h"

extern const struct experiment_row crash_restart, crash_kill, crash_stop;

/* A player, which their rows name: plays all checks of the group, with the first of them. */
probe_play play_crash;

#endif
