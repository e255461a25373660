/*
 * What `credhook test` checks: const rows, the one place where a check is written. The plan, `--list`, `explain`,
 * completion and the manual's table read them.
 *
 * To add a check: a row in checks.c, and where no maker of probe/play/maker.h makes its requests, one there. To add a
 * group: its name in probe_groups, its rows, and where its checks are played in a way of their own, a player in their
 * rows. What a check does is in its row, never chosen by its name. The tests then ask for the manual's line.
 */
#ifndef CREDHOOK_PROBE_CHECKS_H
#define CREDHOOK_PROBE_CHECKS_H

#include "probe/play/probe_check.h"

extern const char *const probe_level_names[PROBE_LEVELS]; /* must, should, note */
extern const char *const probe_depth_names[];             /* quick, normal, deep, NULL */

extern const struct probe_row probe_rows[];
extern const size_t probe_row_count;

/* The groups in the order in which they are played. */
extern const char *const probe_groups[];
extern const size_t probe_group_count;
/* Whether a row of the group sends something, still-up apart. */
bool probe_group_sends(const char *group);
/* Whether a row of the group looks at what --observe reads. */
bool probe_group_observes(const char *group);

#endif
