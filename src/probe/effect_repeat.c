/* Checks of what comes again: one after the other, and at the same time. */
#include "probe/effect.h"
#include "probe/player.h"

#include <stdio.h>
#include <string.h>

#define AT_ONCE       5 /* connections */
#define AT_ONCE_PACKS 3 /* of each kind, with customers of their own */

/* once: sent again. */

static void say_once(struct trial *t, struct probe_check *check, int64_t growth)
{
	const char *alike = check->level == PROBE_MUST ? "" : "; two alike may be two, as payloads have no id";
	t->keeps_repeats = true;
	if (t->is_number)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "the number grew by %lld for one, and by %lld when the same came again%s",
		          (long long)t->lines, (long long)growth, alike);
	else
		probe_end(check, PROBE_FAILED, check->row->fix, "sent twice it left %lld line%s more than once%s",
		          (long long)growth, growth == 1 ? "" : "s", alike);
}

/* Whether a repeat should not get the status: a listener that is busy, or silent, is not blamed. */
static bool is_odd(const struct probe_check *check, int status)
{
	const struct probe_expected *e = &check->expected;
	bool is_busy = status == 0 || status == 429 || status == 503;
	return !is_busy && !status_set_contains(&e->ok, status) && !status_set_contains(&e->tolerated, status);
}

/* Says of a repeat with a non-2xx status what that comes to. */
static void say_status(struct probe_check *check, int status)
{
	if (is_odd(check, status))
		probe_end(check, PROBE_FAILED, check->row->fix, "the repeat got %d", status);
	else if (status_set_contains(&check->expected.tolerated, status))
		probe_end(check, PROBE_TOLERATED, check->row->fix, "the repeat got %d", status);
	else if (status > 0)
		probe_end(check, PROBE_SKIPPED, NULL, "the repeat got %d", status);
	else
		probe_end(check, PROBE_SKIPPED, NULL, "the repeat got no response");
}

static bool is_suspect(const struct trial *t)
{
	return t->is_suspect;
}

static bool has_once(const struct effects *e, const struct trial *t)
{
	return t->has_trace && effect_check(e, PART_ONCE, &t->kind);
}

/* Sends the first ones of the trials again, and looks when all is quiet. */
static int send_again(struct effects *e, bool suspects, struct error *err)
{
	if (effect_quiet(e, err) < 0)
		return -1;
	for (size_t i = 0; i < e->count; i++)
		if ((suspects ? is_suspect(&e->trials[i]) : has_once(e, &e->trials[i])) &&
		    effect_send(e, &e->trials[i].first, err) < 0)
			return -1;
	return lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err);
}

/* Suspects that lines do not name: what all of them together have done clears all of them, or none, or each is sent
 * again by itself. */
static int say_unnamed(struct effects *e, struct error *err)
{
	int64_t wanted = 0, growth = 0;
	struct observation_change change;
	for (size_t i = 0; i < e->count; i++) {
		struct trial *t = &e->trials[i];
		if (!t->is_suspect || t->is_mentioned)
			continue;
		wanted += t->lines;
		growth = effect_growth(e, t, &change);
	}
	for (size_t i = 0; i < e->count && growth > 0; i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = effect_check(e, PART_ONCE, &t->kind);
		if (!t->is_suspect || t->is_mentioned || !check)
			continue;
		int64_t own = t->lines;
		if (growth != wanted) {
			if (effect_quiet(e, err) < 0 || effect_send(e, &t->first, err) < 0 ||
			    lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err) < 0)
				return -1;
			own = effect_growth(e, t, &change);
		}
		if (own > 0 && !effect_is_blind(e))
			say_once(t, check, own);
	}
	return 0;
}

int effect_once(struct effects *e, struct error *err)
{
	struct observation_change change;
	bool any = false;
	if (send_again(e, false, err) < 0)
		return -1;
	for (size_t i = 0; i < e->count && !effect_is_blind(e); i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = has_once(e, t) ? effect_check(e, PART_ONCE, &t->kind) : NULL;
		int status = t->first.status;
		t->is_suspect = check && (effect_growth(e, t, &change) > 0 || is_odd(check, status));
		any |= t->is_suspect;
		if (check && !t->is_suspect && !delivery_accepted(&t->first))
			say_status(check, status);
		else if (check && !t->is_suspect && change.numbers && (t->is_mentioned || t->is_weak))
			probe_end(check, PROBE_TOLERATED, check->row->fix,
			          "a number in %s changed, as a counter of deliveries may; a balance or a sum must not",
			          t->is_mentioned ? "the customer's lines" : "what is kept");
	}
	if (!any || effect_is_blind(e))
		return 0;
	if (trial_learn_suspects(&e->ground, e->trials, e->count, err) < 0 || send_again(e, true, err) < 0)
		return -1;
	for (size_t i = 0; i < e->count && !effect_is_blind(e); i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = effect_check(e, PART_ONCE, &t->kind);
		int64_t growth = t->is_suspect && t->is_mentioned && check ? effect_growth(e, t, &change) : 0;
		if (growth > 0)
			say_once(t, check, growth);
		else if (t->is_suspect && check && !delivery_accepted(&t->first))
			say_status(check, t->first.status);
	}
	return effect_is_blind(e) ? 0 : say_unnamed(e, err);
}

/* at-once: one on several connections at the same time. */

static const struct {
	const char *kind;
	enum probe_level level;
} at_once[] = {
	{ "bureau-alert", PROBE_MUST },
	{ "user-created", PROBE_MUST },
	{ "credit-report-ordered", PROBE_MUST },
	{ "monitored-element-added/email", PROBE_SHOULD },
};

#define KINDS_AT_ONCE (sizeof at_once / sizeof at_once[0])

/* The packs of the kinds: of each some, each of a customer of its own. */
struct packs {
	struct probe_check *check;
	const struct trial *of[KINDS_AT_ONCE]; /* NULL: not tried (any more) */
	struct trial trials[KINDS_AT_ONCE][AT_ONCE_PACKS];
	int64_t more[KINDS_AT_ONCE]; /* lines that a pack has left, beyond those that one alone leaves */
	int odd[KINDS_AT_ONCE];      /* a status that one of a pack got, and none should; 0: none did */
};

/* The status of the copies that none should get: one of them gets a 2xx, unless the listener is busy. 0: none has. */
static int odd_status(const struct probe_check *check, const struct delivery copies[AT_ONCE])
{
	int refused = 0;
	bool is_served = false;
	for (size_t c = 0; c < AT_ONCE; c++) {
		bool is_refused = status_set_contains(&check->expected.tolerated, copies[c].status);
		if (is_odd(check, copies[c].status))
			return copies[c].status;
		refused = is_refused ? copies[c].status : refused;
		is_served |= !is_refused;
	}
	return is_served ? 0 : refused;
}

static int send_packs(struct effects *e, struct packs *packs, size_t kind, struct error *err)
{
	for (size_t i = 0; i < AT_ONCE_PACKS && !effect_is_blind(e); i++) {
		struct trial *t = &packs->trials[kind][i];
		struct delivery copies[AT_ONCE], *each[AT_ONCE];
		buffer_clear(&t->first.body);
		if (delivery_make(&t->first, &e->ground.messenger, &t->customer, t->kind, false, err) < 0)
			return -1;
		for (size_t c = 0; c < AT_ONCE; c++) {
			copies[c] = t->first; /* the body is borrowed */
			each[c] = &copies[c];
		}
		if (messenger_send(&e->ground.messenger, each, AT_ONCE, AT_ONCE, NULL, NULL, err) < 0)
			return -1;
		int odd = effect_is_blind(e) ? 0 : odd_status(packs->check, copies);
		packs->odd[kind] = odd > 0 ? odd : packs->odd[kind];
	}
	return 0;
}

static void count_more(struct effects *e, struct packs *packs, size_t kind)
{
	const struct trial *of = packs->of[kind];
	struct observation_change change;
	packs->more[kind] = 0;
	for (size_t i = 0; i < AT_ONCE_PACKS; i++) {
		int64_t alone = of->lines * (of->is_mentioned ? 1 : AT_ONCE_PACKS);
		int64_t more = effect_growth(e, &packs->trials[kind][i], &change) - alone;
		packs->more[kind] = more > packs->more[kind] ? more : packs->more[kind];
	}
}

/* Sends the packs of all kinds, and looks when all is quiet; where lines name nobody, kind by kind. */
static int play_packs(struct effects *e, struct packs *packs, struct error *err)
{
	struct trial *all = &packs->trials[0][0];
	for (size_t k = 0; k < KINDS_AT_ONCE; k++)
		for (size_t i = 0; i < AT_ONCE_PACKS; i++) {
			struct trial *t = &packs->trials[k][i];
			t->is_suspect = packs->of[k] != NULL;
			if (packs->of[k])
				t->kind = packs->of[k]->kind;
			t->is_mentioned = packs->of[k] && packs->of[k]->is_mentioned;
		}
	if (trial_introduce(&e->ground, all, KINDS_AT_ONCE * AT_ONCE_PACKS, is_suspect, err) < 0 ||
	    trial_take_base(&e->ground, err) < 0)
		return -1;
	for (size_t k = 0; k < KINDS_AT_ONCE; k++)
		if (packs->of[k] && packs->of[k]->is_mentioned && send_packs(e, packs, k, err) < 0)
			return -1;
	if (lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err) < 0)
		return -1;
	for (size_t k = 0; k < KINDS_AT_ONCE && !effect_is_blind(e); k++)
		if (packs->of[k] && packs->of[k]->is_mentioned)
			count_more(e, packs, k);
	for (size_t k = 0; k < KINDS_AT_ONCE && !effect_is_blind(e); k++) {
		if (!packs->of[k] || packs->of[k]->is_mentioned)
			continue;
		if (trial_take_base(&e->ground, err) < 0 || send_packs(e, packs, k, err) < 0 ||
		    lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err) < 0)
			return -1;
		count_more(e, packs, k);
	}
	return 0;
}

/* Plays a round of the kinds that the last one has left. Leaves those of which this one has seen the same, too. */
static int play_packs_again(struct effects *e, struct packs *packs, size_t *left, struct error *err)
{
	const struct packs last = *packs;
	memset(packs->odd, 0, sizeof packs->odd);
	if (play_packs(e, packs, err) < 0)
		return -1;
	*left = 0;
	for (size_t k = 0; k < KINDS_AT_ONCE; k++) {
		packs->more[k] = last.more[k] > 0 ? packs->more[k] : 0;
		packs->odd[k] = last.odd[k] > 0 ? packs->odd[k] : 0;
		packs->of[k] = packs->more[k] > 0 || packs->odd[k] > 0 ? packs->of[k] : NULL;
		*left += packs->of[k] != NULL;
	}
	return 0;
}

static void say_at_once(const struct packs *packs, size_t kind)
{
	struct probe_check *check = packs->check;
	const struct trial *t = packs->of[kind];
	const char *name = at_once[kind].kind;
	long long alone = t->lines, more = packs->more[kind];
	check->level = at_once[kind].level;
	if (more > 0 && t->is_mentioned)
		probe_end(check, PROBE_FAILED, check->row->fix, "one %s on %d connections left %lld line%s; alone %lld",
		          name, AT_ONCE, alone + more, alone + more == 1 ? "" : "s", alone);
	else if (more > 0)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%d %s, each on %d connections, made it grow by %lld, not by %lld", AT_ONCE_PACKS, name,
		          AT_ONCE, alone * AT_ONCE_PACKS + more, alone * AT_ONCE_PACKS);
	else if (status_set_contains(&check->expected.tolerated, packs->odd[kind]))
		probe_end(check, PROBE_FAILED, check->row->fix, "of one %s on %d connections none got a 2xx, but %d",
		          name, AT_ONCE, packs->odd[kind]);
	else
		probe_end(check, PROBE_FAILED, check->row->fix, "of one %s on %d connections some got %d", name,
		          AT_ONCE, packs->odd[kind]);
}

int effect_at_once(struct effects *e, struct error *err)
{
	struct probe_check *check = effect_check(e, PART_AT_ONCE, NULL);
	struct packs *packs = check ? calloc(1, sizeof *packs) : NULL;
	int code = !check || packs ? 0 : error_no_memory(err);
	size_t tried = 0, left;
	for (size_t k = 0; packs && k < KINDS_AT_ONCE; k++) {
		const struct trial *t = effect_trial(e, at_once[k].kind);
		packs->check = check;
		packs->of[k] = t && t->has_trace && !t->is_weak && !t->keeps_repeats ? t : NULL;
		packs->more[k] = packs->odd[k] = 1; /* nothing is known yet */
		tried += packs->of[k] != NULL;
	}
	left = tried;
	for (int i = 0; i < 2 && code == 0 && left > 0 && !effect_is_blind(e); i++)
		code = play_packs_again(e, packs, &left, err);
	for (size_t k = 0; k < KINDS_AT_ONCE && code == 0 && left > 0 && !effect_is_blind(e); k++)
		if (packs->of[k] && !check->result.ended)
			say_at_once(packs, k);
	if (packs && code == 0 && tried == 0 && !effect_is_blind(e))
		probe_end(check, PROBE_SKIPPED, NULL,
		          "no event to try leaves a line when it comes, and none when it comes again");
	for (size_t k = 0; packs && k < KINDS_AT_ONCE; k++)
		for (size_t i = 0; i < AT_ONCE_PACKS; i++)
			delivery_release(&packs->trials[k][i].first);
	free(packs);
	return code;
}
