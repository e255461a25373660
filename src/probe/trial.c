#include "probe/trial.h"

#include "probe/player.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_NS   (300 * CLOCK_NS_PER_MS)
#define PATIENCE_LAGS 4

void trial_ground_init(struct trial_ground *g, struct player *player, struct probe_check *check)
{
	*g = (struct trial_ground){ .player = player, .look.player = player };
	g->messenger = (struct messenger){ .player = player, .roles = &g->look.roles, .check = check };
	/* No two groups make the same customers. */
	g->messenger.salt = (uint64_t)check->row->group[0] << 32;
}

void trial_ground_release(struct trial_ground *g)
{
	lookout_release(&g->look);
	observation_release(&g->base);
}

int64_t trial_patience(const struct trial_ground *g)
{
	return PATIENCE_NS + PATIENCE_LAGS * g->look.lag_ns;
}

int trial_take_base(struct trial_ground *g, struct error *err)
{
	return lookout_is_blind(&g->look) ? 0 : observation_copy(&g->base, &g->look.now, err);
}

int trial_introduce(struct trial_ground *g, struct trial *trials, size_t count, bool (*chosen)(const struct trial *),
                    struct error *err)
{
	size_t made = 0;
	struct delivery *list = calloc(count * CUSTOMER_BEFORE_MAX + 1, sizeof *list);
	struct delivery **each = calloc(count * CUSTOMER_BEFORE_MAX + 1, sizeof *each);
	int code = list && each ? 0 : error_no_memory(err);
	for (size_t i = 0; code == 0 && i < count; i++) {
		struct catalog_kind before[CUSTOMER_BEFORE_MAX];
		if (chosen && !chosen(&trials[i]))
			continue;
		customer_init(&trials[i].customer, &g->messenger);
		size_t befores = customer_life_before(trials[i].kind, before);
		for (size_t b = 0; code == 0 && b < befores; b++) {
			each[made] = &list[made];
			code = delivery_make(each[made], &g->messenger, &trials[i].customer, before[b], false, err);
			made++;
		}
	}
	if (code == 0 && made > 0 && !lookout_is_blind(&g->look))
		code = messenger_send(&g->messenger, each, made, 0, NULL, NULL, err);
	if (code == 0)
		code = lookout_quiet(&g->look, g->messenger.last_ns, err);
	for (size_t i = 0; i < made; i++)
		delivery_release(&list[i]);
	free(list);
	free(each);
	return code;
}

/* Whether a line of the customer has the text as it is masked, which none had before: the name of a column is not a
 * value.
 */
static bool is_newly_shown(const struct trial_ground *g, const struct trial *t, const char *masked)
{
	return observation_count_both(&g->look.now, t->customer.mention, masked) >
	       observation_count_both(&g->base, t->customer.mention, masked);
}

/* Whether what a second one would differ in is seen in the lines of the customer. */
static bool shows_difference(const struct trial_ground *g, const struct trial *t)
{
	const char *difference = delivery_difference(t->kind);
	LOCAL_BUFFER text = BUFFER_INIT;
	if (!difference)
		return false;
	if (t->kind.element)
		return is_newly_shown(g, t, strrchr(t->kind.element->path, '/') + 1);
	if (strcmp(difference, "enrollmentCode") == 0) /* a text that others have, too, which has no role */
		return is_newly_shown(g, t, "sample enrollment");
	buffer_printf(&text, "<%s of A%u>", difference, t->customer.number);
	return observation_count(&g->look.now, buffer_text(&text)) > 0;
}

int trial_learn(struct trial_ground *g, struct trial *t, int64_t patience_ns, struct error *err)
{
	struct observation_change all, own;
	struct delivery *first = &t->first;
	t->has_trace = false;
	if (lookout_is_blind(&g->look))
		return 0;
	buffer_clear(&first->body);
	if (trial_take_base(g, err) < 0 || delivery_make(first, &g->messenger, &t->customer, t->kind, false, err) < 0 ||
	    messenger_send(&g->messenger, &first, 1, 0, NULL, NULL, err) < 0)
		return -1;
	if (!delivery_accepted(first))
		return 0;
	/* Where lines name customers, what else comes is late from somebody else. */
	const char *mention = g->names_customers ? t->customer.mention : NULL;
	if (lookout_wait(&g->look, &g->base, mention, false, player_now(g->player), patience_ns, &all, err) < 0)
		return -1;
	observation_compare(&g->base, &g->look.now, t->customer.mention, &own);
	t->is_mentioned = observation_has_changed(&own);
	g->names_customers |= t->is_mentioned;
	if ((!t->is_mentioned || t->needs_lines) && lookout_settle(&g->look, err) < 0)
		return -1;
	observation_compare(&g->base, &g->look.now, t->customer.mention, &own);
	observation_compare(&g->base, &g->look.now, NULL, &all);
	t->is_weak = !observation_has_changed(&all) && all.numbers;
	t->has_trace = observation_has_changed(&all) || t->is_weak;
	t->is_number = g->base.is_number && g->look.now.is_number;
	t->lines = t->is_mentioned ? own.growth : all.growth;
	t->came = t->is_mentioned ? own.came : all.came;
	t->twins = observation_count_twins(&g->look.now, t->customer.mention);
	t->shows_difference = t->has_trace && shows_difference(g, t);
	return 0;
}

static bool is_silent(const struct trial *t)
{
	return !t->has_trace && delivery_accepted(&t->first);
}

static bool is_suspect(const struct trial *t)
{
	return t->is_suspect;
}

/* Delivers one more of each that left nothing, all together, and waits long. Whether any of them left something. */
static int try_silent(struct trial_ground *g, struct trial *trials, size_t count, bool *any, struct error *err)
{
	struct observation_change change = { .came = 0 };
	if (trial_introduce(g, trials, count, is_silent, err) < 0 || trial_take_base(g, err) < 0)
		return -1;
	for (size_t i = 0; i < count && !lookout_is_blind(&g->look); i++) {
		struct delivery *first = &trials[i].first;
		if (!is_silent(&trials[i]))
			continue;
		buffer_clear(&first->body);
		if (delivery_make(first, &g->messenger, &trials[i].customer, trials[i].kind, false, err) < 0 ||
		    messenger_send(&g->messenger, &first, 1, 0, NULL, NULL, err) < 0)
			return -1;
	}
	if (lookout_wait(&g->look, &g->base, NULL, false, player_now(g->player), LOOKOUT_EXPECTED_NS, &change, err) < 0)
		return -1;
	*any = observation_has_changed(&change) || change.numbers;
	return 0;
}

int trial_learn_all(struct trial_ground *g, struct trial *trials, size_t count, struct error *err)
{
	bool any = false;
	size_t silent = 0;
	if (trial_introduce(g, trials, count, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (trial_learn(g, &trials[i], trial_patience(g), err) < 0)
			return -1;
		silent += is_silent(&trials[i]);
	}
	if (silent == 0 || lookout_is_blind(&g->look))
		return 0;
	if (try_silent(g, trials, count, &any, err) < 0)
		return -1;
	if (!any)
		return 0;
	/* One of them is late: each by itself, with time. */
	for (size_t i = 0; i < count; i++)
		trials[i].is_suspect = is_silent(&trials[i]);
	int code = trial_learn_suspects(g, trials, count, err);
	for (size_t i = 0; i < count; i++)
		trials[i].is_suspect = false;
	return code;
}

int trial_learn_suspects(struct trial_ground *g, struct trial *trials, size_t count, struct error *err)
{
	if (trial_introduce(g, trials, count, is_suspect, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!trials[i].is_suspect)
			continue;
		if (trial_learn(g, &trials[i], LOOKOUT_EXPECTED_NS, err) < 0)
			return -1;
		trials[i].is_suspect = trials[i].has_trace;
	}
	return 0;
}
