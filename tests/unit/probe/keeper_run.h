/* A run in front of a keeper. */
#ifndef CREDHOOK_TESTS_PROBE_KEEPER_RUN_H
#define CREDHOOK_TESTS_PROBE_KEEPER_RUN_H

#include "keeper_world.h"

#define KEEPER_CHECKS 512 /* the length of a list of them */

struct keeper_run {
	struct probe_plan plan;
	struct probe_summary summary;
	struct error err;
	int code;
	size_t ended; /* checks, as the observer was told */
};

static inline void on_causes(void *context, const struct cause *causes, size_t count)
{
	(void)context, (void)causes, (void)count;
}

static inline void on_check(void *context, const struct probe_check *check)
{
	((struct keeper_run *)context)->ended += check->chosen;
}

static inline void on_group(void *context, const char *group)
{
	(void)context, (void)group;
}

static inline void on_interrupted(void *context, size_t in_flight)
{
	(void)context, (void)in_flight;
}

static inline void on_unended(void *context, const struct probe_check *check)
{
	(void)context, (void)check;
}

static inline int64_t on_progress(void *context, size_t ended, size_t total, const struct probe_check *at, int64_t now)
{
	(void)context, (void)ended, (void)total, (void)at, (void)now;
	return 0;
}

static const struct probe_observer keeper_observer = { on_causes,  on_check,    on_group, on_interrupted,
	                                               on_unended, on_progress, NULL };

/* A plan takes longer to make than many a run takes. So the last one is made once, of the checks that are chosen and of
 * those of `deliver`, by whose choice the run knows what is delivered anyway; a run has a copy. */
struct keeper_plan {
	char checks[KEEPER_CHECKS];
	bool is_ours;
	struct probe_plan made;
};

static inline void keeper_make_plan(struct keeper_plan *kept, const char *checks, bool is_ours)
{
	char words[KEEPER_CHECKS], unwanted[] = "still-up";
	struct probe_plan *plan = &kept->made;
	struct error err;
	size_t left = 0;
	probe_plan_release(plan);
	snprintf(kept->checks, sizeof kept->checks, "%s", checks);
	snprintf(words, sizeof words, "%s", checks);
	kept->is_ours = is_ours;
	struct text_list wanted = words_of(words), none = { 0 },
	                 skipped = strstr(checks, "still-up") ? none : words_of(unwanted);
	struct probe_choice choice = { .wanted = &wanted,
		                       .skipped = &skipped,
		                       .expected = &none,
		                       .level = PROBE_NORMAL,
		                       .invalid = PROBE_INVALID_AUTO,
		                       .observes = true,
		                       .starts = is_ours };
	assert_int_equal(probe_plan_init(plan, &choice, &err), 0);
	text_list_release(&wanted);
	text_list_release(&skipped);
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i], last = plan->checks[left];
		if (!check->chosen && check->row->expansion != PROBE_KINDS)
			continue;
		plan->checks[left++] = *check;
		*check = last;
	}
	for (size_t i = left; i < plan->count; i++) {
		free(plan->checks[i].id);
		buffer_release(&plan->checks[i].expected.text);
	}
	plan->count = left;
}

static inline struct probe_options keeper_options(struct keeper *k, struct probe_plan *plan, bool is_ours)
{
	return (struct probe_options){ .plan = plan,
		                       .http = &k->http,
		                       .seed = 7,
		                       .store = { keeper_read, k },
		                       .listener = is_ours ? &k->listener : NULL,
		                       .customers_most = k->customers_most,
		                       .deep = k->is_deep,
		                       .edits = { k->edits },
		                       .named = true,
		                       .world = k->world };
}

/* A plan for the run. */
static inline void keeper_plan(struct keeper_run *run, const char *checks, bool is_ours)
{
	static struct keeper_plan last;
	if (strcmp(last.checks, checks) != 0 || last.is_ours != is_ours)
		keeper_make_plan(&last, checks, is_ours);
	*run = (struct keeper_run){ .plan = last.made };
	run->plan.checks = calloc(last.made.count, sizeof *run->plan.checks);
	assert_non_null(run->plan.checks);
	memcpy(run->plan.checks, last.made.checks, last.made.count * sizeof *run->plan.checks);
}

/* Plays the checks, separated by spaces. `is_ours`: its process is. Release the run. */
static inline void keeper_play(struct keeper *k, const char *checks, bool is_ours, struct keeper_run *run)
{
	struct probe_observer own = keeper_observer;
	unsigned long failing = fail_at;
	fail_at = 0;
	keeper_plan(run, checks, is_ours);
	own.context = run;
	struct probe_options options = keeper_options(k, &run->plan, is_ours);
	allocations = 0;
	fail_at = failing;
	run->code = probe_run(&options, &own, &run->summary, &run->err);
	fail_at = 0;
}

static inline void keeper_run_release(struct keeper_run *run)
{
	probe_summary_release(&run->summary);
	for (size_t i = 0; i < run->plan.count; i++) {
		struct probe_result *r = &run->plan.checks[i].result;
		struct buffer *all[] = { &r->log, &r->request.head, &r->request.body, &r->response.head,
			                 &r->response.body };
		for (size_t b = 0; b < sizeof all / sizeof all[0]; b++)
			buffer_release(all[b]);
	}
	free(run->plan.checks);
}

static inline bool has_failed(const struct probe_check *check)
{
	enum grade bad = check->level == PROBE_MUST ? GRADE_FAIL : GRADE_WARN;
	return check->chosen && check->level != PROBE_NOTE && check->result.ended && check->result.verdict == bad;
}

static inline size_t count_failed(const struct probe_plan *plan)
{
	size_t count = 0;
	for (size_t i = 0; i < plan->count; i++)
		count += has_failed(&plan->checks[i]);
	return count;
}

/* Whether the id is one of the words, or begins with one. */
static inline bool is_one_of(const char *id, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		if (length > 0 && strncmp(id, at, length) == 0)
			return true;
		at += length;
	}
	return false;
}

#endif
