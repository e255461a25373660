/*
 * The checks of a run, made of the rows, each into as many as its name stands for, and chosen.
 */
#ifndef CREDHOOK_PROBE_PLAN_H
#define CREDHOOK_PROBE_PLAN_H

#include "probe/checks.h"

/* Whether the name is the check's id, the beginning of it, or its group. */
bool probe_check_is_named(const struct probe_check *check, const char *name);

/* The group behind which the still-up check of this id is; NULL: the name is another one. */
const char *probe_group_before(const struct probe_plan *plan, const char *name);

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
