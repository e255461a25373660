/* Plans to test with. */
#ifndef CREDHOOK_TESTS_PROBE_UNIT_H
#define CREDHOOK_TESTS_PROBE_UNIT_H

#include "probe/plan.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words, separated by spaces, as a list; release it. `text` is changed. */
static inline struct text_list words_of(char *text)
{
	struct text_list list = { 0 };
	struct error err;
	char *rest = NULL;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		assert_int_equal(text_list_add(&list, word, &err), 0);
	return list;
}

static inline struct probe_check *check_named(struct probe_plan *plan, const char *id)
{
	size_t at = 0;
	while (at + 1 < plan->count && strcmp(plan->checks[at].id, id) != 0)
		at++;
	assert_string_equal(plan->checks[at].id, id);
	return &plan->checks[at];
}

/* A plan of the checks, separated by spaces, with --observe and COMMAND. */
static inline void plan_of(struct probe_plan *plan, const char *checks)
{
	char words[512];
	snprintf(words, sizeof words, "%s", checks);
	struct text_list wanted = words_of(words), none = { 0 };
	const struct probe_choice choice = { .wanted = &wanted,
		                             .skipped = &none,
		                             .expected = &none,
		                             .level = PROBE_NORMAL,
		                             .invalid = PROBE_INVALID_AUTO,
		                             .observes = true,
		                             .starts = true };
	struct error err;
	assert_int_equal(probe_plan_init(plan, &choice, &err), 0);
	text_list_release(&wanted);
}

#endif
