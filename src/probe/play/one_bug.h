/* Which failures are of one bug. Those that have a cause in common are known by that (cause/); here are the others, of
 * which one explains another one. */
#ifndef CREDHOOK_PROBE_PLAY_ONE_BUG_H
#define CREDHOOK_PROBE_PLAY_ONE_BUG_H

#include "probe/play/probe_check.h"

/* Sets part_of in the results of checks that failed over what another one has failed over; both have one cause then, if
 * one of them has any. To be called when all is known. */
void one_bug_join(struct probe_plan *plan);

#endif
