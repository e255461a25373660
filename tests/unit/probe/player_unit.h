/* A player in front of a keeper, which plays nothing by itself: for tests of one machine of a run. */
#ifndef CREDHOOK_TESTS_PROBE_PLAYER_UNIT_H
#define CREDHOOK_TESTS_PROBE_PLAYER_UNIT_H

#include "keeper_run.h"
#include "probe/play/player.h"

static struct keeper keeper;
static struct keeper_run run;
static struct probe_options options;
static struct probe_observer observer;
static struct player player;

/* A keeper of the kind, and a run of the checks, in which nothing has been sent. Close it. */
static inline void player_open(const struct keeper_kind *kind, const char *checks, bool is_ours)
{
	keeper_open(&keeper, kind);
	keeper_plan(&run, checks, is_ours);
	options = keeper_options(&keeper, &run.plan, is_ours);
	observer = keeper_observer;
	observer.context = &run;
	assert_int_equal(player_init(&player, &options, &observer, &run.summary, &run.err), 0);
}

static inline void player_close(void)
{
	player_release(&player);
	keeper_run_release(&run);
}

static inline struct probe_check *check_of(const char *id)
{
	return check_named(&run.plan, id);
}

/* How long something took on the keeper's clock. */
#define TOOK(ns_, call_)                                                                                               \
	do {                                                                                                           \
		int64_t began_ = keeper.now_ns;                                                                        \
		assert_int_equal((call_), 0);                                                                          \
		(ns_) = keeper.now_ns - began_;                                                                        \
	} while (0)

static inline void assert_between(int64_t ns, int64_t least, int64_t most)
{
	if (ns < least || ns > most)
		fail_msg("%s, not from %s to %s", DURATION_TEXT(ns), DURATION_TEXT(least), DURATION_TEXT(most));
}

#endif
