#include "probe/keep/lookout.h"

#include "probe/play/player.h"
#include "probe/play/requests.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <string.h>

#define AGREE_NS      (100 * CLOCK_NS_PER_MS) /* between two that agree, at least */
#define GAP_NS        (250 * CLOCK_NS_PER_MS) /* between two in a quiet time, at most */
#define QUIET_NS      CLOCK_NS_PER_S
#define QUIET_LAGS    3
#define RESTLESS_NS   (30 * CLOCK_NS_PER_S) /* after which it is never still */
#define READ_AGAIN_NS (5 * CLOCK_NS_PER_S)

void lookout_release(struct lookout *l)
{
	roles_release(&l->roles);
	observation_release(&l->now);
	observation_release(&l->before);
	buffer_release(&l->text);
	buffer_release(&l->read);
}

bool lookout_is_blind(const struct lookout *l)
{
	return l->problem[0] != '\0' || player_is_over(l->player);
}

static int64_t longest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t shortest(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A longer one than the longest wait would not help. */
void lookout_note_lag(struct lookout *l, int64_t ns)
{
	l->lag_ns = longest(l->lag_ns, shortest(ns, LOOKOUT_EXPECTED_NS));
}

void lookout_pause(struct lookout *l, int64_t ns)
{
	struct player *p = l->player;
	bool is_over = ns <= 0 || player_wait(p, ns);
	requests_show_progress(p, player_now(p));
	if (is_over)
		return;
	int number = signals_take(p->options->signals);
	if (number != SIGINT && number != SIGTERM)
		return;
	p->summary->stop = PROBE_INTERRUPTED;
	p->observer->interrupted(p->observer->context, 0);
}

/* Makes `now` of the text. Most looks show what the one before has shown, and are not read again. */
static int take_text(struct lookout *l, struct error *err)
{
	bool is_same = l->read.length > 0 && l->read.length == l->text.length && l->roles_then == l->roles.count &&
	               memcmp(l->read.data, l->text.data, l->text.length) == 0;
	if (is_same)
		return observation_copy(&l->before, &l->now, err);
	struct observation last = l->before;
	l->before = l->now;
	l->now = last;
	buffer_swap(&l->read, &l->text);
	l->roles_then = l->roles.count;
	int code = observation_read(&l->now, buffer_text(&l->read), l->read.length, &l->roles,
	                            world_date_s(&l->player->options->world), err);
	if (code < 0)
		buffer_clear(&l->read);
	return code;
}

int lookout_look(struct lookout *l, struct error *err)
{
	const struct probe_store *store = &l->player->options->store;
	int64_t end = player_now(l->player) + READ_AGAIN_NS;
	struct error failed;
	while (!lookout_is_blind(l)) {
		buffer_clear(&l->text);
		if (store->read(store->context, &l->text, &failed) == 0)
			return take_text(l, err);
		if (player_now(l->player) >= end)
			probe_excerpt(failed.message, strlen(failed.message), l->problem);
		else
			lookout_pause(l, AGREE_NS);
	}
	return 0;
}

/* Whether the last two looks show the same. */
static bool agree(const struct lookout *l)
{
	struct observation_change change;
	observation_compare(&l->before, &l->now, NULL, &change);
	return !observation_has_changed(&change);
}

int lookout_settle(struct lookout *l, struct error *err)
{
	int64_t end = player_now(l->player) + RESTLESS_NS;
	if (lookout_look(l, err) < 0)
		return -1;
	while (!lookout_is_blind(l)) {
		lookout_pause(l, longest(AGREE_NS, l->lag_ns));
		if (lookout_look(l, err) < 0)
			return -1;
		if (agree(l))
			return 0;
		if (player_now(l->player) >= end)
			snprintf(l->problem, sizeof l->problem, "what --observe prints never holds still");
	}
	return 0;
}

/* What a look shows may be from its beginning: the quiet time ends where the last look that shows no change began, and
 * begins where one that shows a change has ended. So a look that takes longer than that by itself proves nothing. The
 * looks in between are for the lag, which is short if anything comes at all: they grow apart until something does. */
int lookout_quiet(struct lookout *l, int64_t since_ns, struct error *err)
{
	int64_t began = player_now(l->player), end = began + RESTLESS_NS, changed_ns = since_ns, gap = AGREE_NS;
	if (lookout_look(l, err) < 0)
		return -1;
	if (!agree(l)) /* since the look before */
		changed_ns = player_now(l->player);
	while (!lookout_is_blind(l)) {
		int64_t quiet = longest(QUIET_NS, QUIET_LAGS * l->lag_ns);
		if (began - changed_ns >= quiet)
			break;
		lookout_pause(l, shortest(changed_ns + quiet - player_now(l->player), gap));
		gap = shortest(2 * gap, GAP_NS);
		began = player_now(l->player);
		if (lookout_look(l, err) < 0)
			return -1;
		if (!agree(l)) {
			lookout_note_lag(l, began - changed_ns);
			changed_ns = player_now(l->player);
			gap = AGREE_NS;
		}
		if (began >= end)
			snprintf(l->problem, sizeof l->problem, "what --observe prints never holds still");
	}
	return 0;
}
