/*
 * What `credhook test` checks: const rows, the one place where a check is written; and the checks of a run, made of the
 * rows, each into as many as its name stands for, and chosen. The run, `--list`, `explain`, completion and the manual's
 * table read them.
 *
 * To add a check: a row in checks.c, and where no maker of probe/play/maker.h makes its requests, one there. To add a
 * group: its name in probe_groups, its rows, and where its checks are played in a way of their own, a player in their
 * rows. What a check does is in its row, never chosen by its name. The tests then ask for the manual's line.
 */
#ifndef CREDHOOK_PROBE_PLAN_H
#define CREDHOOK_PROBE_PLAN_H

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

/* Whether the name is the check's id, the beginning of it, or its group. */
bool probe_check_is_named(const struct probe_check *check, const char *name);

/* All borrowed. */
struct probe_choice {
	const struct text_list *wanted;   /* GROUP, ID or the beginning of one; empty: all of the level */
	const struct text_list *skipped;  /* the same */
	const struct text_list *expected; /* ID=LIST, as --expect-status has it */
	enum probe_depth level;
	enum probe_invalid invalid;
	bool observes; /* what the listener keeps can be read */
	bool starts;   /* the listener's process is ours */
	bool failed;   /* the names are ids of what failed in another run; those that no check has do not count */
};

/* Zero-initialise; release even after an error. EXIT_CODE_USAGE: a name that no check has, with the nearest; statuses
 * that cannot be read. */
int probe_plan_init(struct probe_plan *plan, const struct probe_choice *choice, struct error *err);
void probe_plan_release(struct probe_plan *plan);

/* Whether the id (or the pattern itself) is one of those that the row makes, or the beginning of one. */
bool probe_row_makes(const struct probe_row *row, const char *id);

/* Appends "2xx or 417": as expected statuses are shown. */
void probe_append_expected(struct buffer *out, const char *statuses);

#endif
