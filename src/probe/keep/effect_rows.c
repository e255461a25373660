/* The experiments of the group effect, each with its sentences. */
#include "probe/keep/effect_rows.h"

#include "probe/keep/contrast.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <string.h>

/* Takes it that a status is not right, over which this is lost; where the user expects others than the usual ones, it
 * is not known that anything is. Returns what to do about it. */
static const char *take_status(struct probe_check *check, const char *lost)
{
	struct probe_result *r = &check->result;
	r->is_contrary = check->expected.is_contrary;
	r->lost = r->is_contrary ? NULL : lost;
	return r->is_contrary ? probe_contrary_fix : check->row->fix;
}

/* once: sent again. */

/* Whether a repeat got what it should: a 2xx, unless --expect-status says otherwise. */
static bool has_right_status(const struct experiment *ex)
{
	return ex->found.odd == 0 &&
	       (ex->found.accepted > 0 || status_set_contains(&ex->check->expected.ok, ex->found.status));
}

/* Says of a repeat with another status what that comes to. */
static void say_status(struct probe_check *check, int status)
{
	const char *fix = take_status(check, "EVENT is refused when it comes twice");
	if (experiment_is_odd(check, status))
		probe_end(check, PROBE_FAILED, fix, "the repeat got %d", status);
	else if (status_set_contains(&check->expected.tolerated, status))
		probe_end(check, PROBE_TOLERATED, fix, "the repeat got %d", status);
	else if (status > 0)
		probe_end(check, PROBE_SKIPPED, NULL, "the repeat got %d", status);
	else
		probe_end(check, PROBE_SKIPPED, NULL, "the repeat got no response");
}

static void say_once(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	struct trial *known = ex->known;
	const char *alike = check->level == PROBE_MUST ? "" : "; two alike may be two, as payloads have no id";
	long long more = ex->found.off;
	known->keeps_repeats = ex->state == EXPERIMENT_CONFIRMED && more > 0;
	known->drops_repeats = ex->state == EXPERIMENT_CLEARED;
	if (check->result.ended_listener)
		return;
	check->result.is_double = known->keeps_repeats;
	if (known->keeps_repeats && known->is_number)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "the number grew by %lld for one, and by %lld when the same came again%s",
		          (long long)known->lines, more, alike);
	else if (known->keeps_repeats)
		probe_end(check, PROBE_FAILED, check->row->fix, "sent twice it left %lld line%s more than once%s", more,
		          more == 1 ? "" : "s", alike);
	else if (!has_right_status(ex))
		say_status(check, ex->found.odd > 0 ? ex->found.odd : ex->found.status);
	else if (ex->found.numbers && (known->is_mentioned || known->is_weak)) {
		check->result.is_double = true;
		check->result.lost = "EVENT is counted again when it comes twice";
		probe_end(check, PROBE_TOLERATED, check->row->fix,
		          "a number in %s changed, as a counter of deliveries may; a balance or a sum must not",
		          known->is_mentioned ? "the customer's lines" : "what is kept");
	}
}

const struct experiment_row effect_once = {
	.script = SCRIPT_AGAIN,
	.expects = EXPECT_NOTHING_MORE,
	.say = say_once,
};

/* again-after-restart: what came before the listener was ended is a repeat when it comes again. Only of what leaves
 * nothing more without that. */

static void learn_repeats(struct experiment *ex)
{
	ex->known->drops_repeats = ex->state == EXPERIMENT_CLEARED;
}

/* For those that once: has not tried in this run. */
const struct experiment_row effect_repeats = {
	.script = SCRIPT_AGAIN,
	.expects = EXPECT_NOTHING_MORE,
	.say = learn_repeats,
};

static void obstacle_again(const struct trial *known, struct buffer *why)
{
	if (!known->has_trace || known->is_weak || !known->drops_repeats)
		buffer_append_text(why, "no event to try leaves a line when it comes, and none when it comes again");
}

static void say_again(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	long long more = ex->found.off;
	check->result.is_double = ex->state == EXPERIMENT_CONFIRMED && more > 0;
	if (check->result.is_double)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%s that came again after a restart left %lld line%s more; without a restart it leaves none",
		          KIND_NAME(ex->known->kind), more, more == 1 ? "" : "s");
	else if (ex->found.is_unseen)
		probe_end(check, PROBE_SKIPPED, NULL, "what had come before the restart is not there any more");
}

const struct experiment_row effect_again = {
	.script = SCRIPT_AGAIN,
	.expects = EXPECT_NOTHING_MORE,
	.ends = true,
	.obstacle = obstacle_again,
	.say = say_again,
};

/* distinct: a second one of the same customer, which is not a repeat of the first. Where there are two readings, it is
 * a should that has both. */

static void say_distinct(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	const struct trial *known = ex->known;
	const char *difference = delivery_difference(known->kind);
	bool counts = known->is_mentioned && ex->found.numbers;
	if (ex->state == EXPERIMENT_BLIND && ex->why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", ex->why);
	else if (ex->state == EXPERIMENT_BLIND)
		probe_end(check, PROBE_SKIPPED, NULL, "a second one of the same customer got %d", ex->found.status);
	if (ex->state != EXPERIMENT_CONFIRMED || check->result.ended_listener)
		return;
	if (ex->found.replaced) {
		check->level = PROBE_SHOULD;
		snprintf(check->advice, sizeof check->advice,
		         "right if you keep only the last one; if you keep all, the key of what is kept has to take in "
		         "%s",
		         difference);
		probe_end(check, PROBE_FAILED, check->advice,
		          "a second one of the same customer came, and the first one was gone");
		return;
	}
	if (known->shows_difference && !counts) {
		snprintf(check->advice, sizeof check->advice,
		         "the two differ in %s: what recognizes a repeat has to take it in", difference);
		probe_end(check, PROBE_FAILED, check->advice, "a second one of the same customer left nothing");
		return;
	}
	check->level = PROBE_SHOULD;
	snprintf(check->advice, sizeof check->advice,
	         "right if you keep only %s; if you keep notifications, the key of repeats has to take in %s",
	         counts             ? "their number"
	         : known->is_number ? "one state a customer"
	                            : "that",
	         difference);
	probe_end(check, PROBE_FAILED, check->advice, "%s",
	          counts             ? "a second one of the same customer only changed a number"
	          : known->is_number ? "the number did not grow by a second one of the same customer"
	                             : "your observation shows one state a customer");
}

const struct experiment_row effect_distinct = {
	.script = SCRIPT_SECOND,
	.expects = EXPECT_A_TRACE,
	.say = say_distinct,
};

/* at-once: one on several connections at the same time. Where nothing says what a notification is about, two alike may
 * be two. */

#define AT_ONCE       5 /* connections */
#define AT_ONCE_PACKS 3 /* of each kind, with customers of their own */

static void obstacle_at_once(const struct trial *known, struct buffer *why)
{
	if (!known->has_trace || known->is_weak || known->keeps_repeats)
		buffer_append_text(why, "no event to try leaves a line when it comes, and none when it comes again");
}

static void say_at_once(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	const struct trial *known = ex->known;
	const char *name = KIND_NAME(known->kind);
	long long alone = known->lines, more = ex->found.off, packs = (long long)experiment_customers(ex);
	if (check->result.ended)
		return;
	if (ex->state == EXPERIMENT_BLIND && more > 0) {
		probe_end(check, PROBE_SKIPPED, NULL, "alone, too, one %s leaves more than another one", name);
		return;
	}
	if (ex->state != EXPERIMENT_CONFIRMED)
		return;
	check->level = known->kind.event->identified_by ? PROBE_MUST : PROBE_SHOULD;
	check->result.is_double = more > 0;
	const char *fix = check->row->fix;
	if (more > 0)
		check->result.lost = "what comes twice at the same time is kept twice";
	else
		fix = take_status(check, "what comes twice at the same time is refused");
	if (more > 0 && known->is_mentioned)
		probe_end(check, PROBE_FAILED, fix, "one %s on %d connections left %lld line%s; alone %lld", name,
		          AT_ONCE, alone + more, alone + more == 1 ? "" : "s", alone);
	else if (more > 0)
		probe_end(check, PROBE_FAILED, fix,
		          "%lld %s, each on %d connections, made it grow by %lld, not by %lld", packs, name, AT_ONCE,
		          alone * packs + more, alone * packs);
	else if (status_set_contains(&check->expected.tolerated, ex->found.odd))
		probe_end(check, PROBE_FAILED, fix, "of one %s on %d connections none got a 2xx, but %d", name, AT_ONCE,
		          ex->found.odd);
	else
		probe_end(check, PROBE_FAILED, fix, "of one %s on %d connections some got %d", name, AT_ONCE,
		          ex->found.odd);
}

const struct experiment_row effect_at_once = {
	.script = SCRIPT_FIRST,
	.expects = EXPECT_NOTHING_MORE,
	.customers = AT_ONCE_PACKS,
	.copies = AT_ONCE,
	.connections = AT_ONCE,
	.is_compared = true,
	.obstacle = obstacle_at_once,
	.say = say_at_once,
};

/* together: different ones of several customers at the same time, of which some are lost where the listener reads,
 * changes and writes back what it keeps. */

#define TOGETHER 5 /* connections */

static void obstacle_together(const struct trial *known, struct buffer *why)
{
	if (!trial_leaves_lines(known))
		buffer_append_text(why, "no event to try leaves lines that can be looked for");
}

static void say_together(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	const char *name = KIND_NAME(ex->known->kind);
	size_t accepted = ex->found.accepted, lost = (size_t)ex->found.off;
	if (check->result.ended && check->result.verdict != GRADE_SKIP)
		return;
	if (ex->state == EXPERIMENT_BLIND && ex->found.accepted > 0) {
		probe_end(check, PROBE_SKIPPED, NULL, "one after the other, too, not every %s that got a 2xx is seen",
		          name);
		return;
	}
	if (ex->state != EXPERIMENT_CONFIRMED)
		return;
	probe_reopen(check, PROBE_SAID_AGAIN); /* what is said of another kind */
	if (ex->known->is_mentioned) {
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%zu of %zu %s that got a 2xx on %d connections left nothing; one after the other each "
		          "leaves its trace, where their identifiers share nothing",
		          lost, accepted, name, TOGETHER);
		return;
	}
	check->level = PROBE_SHOULD;
	check->result.lost = "some of what comes at the same time is lost, or only not counted";
	probe_end(check, PROBE_FAILED, check->row->fix,
	          "of %zu %s that got a 2xx on %d connections it shows %zu, one after the other all: the others are "
	          "lost, or only not counted",
	          accepted, name, TOGETHER, accepted - lost);
}

const struct experiment_row effect_together = {
	.script = SCRIPT_FIRST,
	.expects = EXPECT_ALL_TRACES,
	.customers = 10,
	.connections = TOGETHER,
	.is_compared = true,
	.obstacle = obstacle_together,
	.say = say_together,
};

/* together, too: different ones whose identifiers share digits, one after the other, of which some are lost where what
 * is kept is found by a part of an identifier. */

static void obstacle_alike(const struct trial *known, struct buffer *why)
{
	const struct catalog_event *event = known->kind.event;
	if (!trial_leaves_lines(known) || !event->identified_by || catalog_event_begins(event, "clientKey"))
		buffer_append_text(why, "it leaves no lines that can be looked for, or nothing identifies it");
}

const char effect_alike_lost[] = "some of what has an identifier like another one's is lost";

static void say_alike(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	if (ex->state != EXPERIMENT_CONFIRMED || probe_has_failed(check))
		return;
	probe_reopen(check, PROBE_SAID_AGAIN);
	check->level = ex->known->is_mentioned ? PROBE_MUST : PROBE_SHOULD;
	check->result.lost = effect_alike_lost;
	snprintf(check->advice, sizeof check->advice,
	         "the place of what is kept has to come from the whole identifier, not from some of its digits");
	probe_end(check, PROBE_FAILED, check->advice,
	          "%lld of %zu %s whose identifiers share digits left nothing; of as many that share none each leaves "
	          "its "
	          "trace",
	          (long long)ex->found.off, ex->found.accepted, KIND_NAME(ex->known->kind));
}

const struct experiment_row effect_alike = {
	.script = SCRIPT_FIRST,
	.expects = EXPECT_ALL_TRACES,
	.customers = 10,
	.is_compared = true,
	.is_alike = true,
	.beside = &effect_together,
	.obstacle = obstacle_alike,
	.say = say_alike,
};

/* value: another value of a field leaves its trace, too. One of a number or a state may be skipped on purpose, a text
 * may not. */

static void obstacle_value(const struct trial *known, struct buffer *why)
{
	if (!trial_leaves_lines(known))
		buffer_printf(why, "%s leaves no lines that can be looked for", KIND_NAME(known->kind));
}

static void say_value(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	if (ex->state == EXPERIMENT_BLIND && ex->why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", ex->why);
	else if (ex->state == EXPERIMENT_BLIND && ex->found.accepted > 0)
		probe_end(check, PROBE_SKIPPED, NULL,
		          "nor does it leave a trace with the usual value, when it comes so");
	else if (ex->state == EXPERIMENT_BLIND)
		probe_end(check, PROBE_SKIPPED, NULL, "it got %d", ex->found.status);
	if (ex->state != EXPERIMENT_CONFIRMED)
		return;
	if (!ex->known->is_mentioned)
		check->level = PROBE_SHOULD;
	probe_end(check, PROBE_FAILED, check->row->fix,
	          "%s with %s got a 2xx and left nothing; with another value it does", KIND_NAME(ex->known->kind),
	          strrchr(check->id, ':') + 1);
}

const struct experiment_row effect_value = {
	.script = SCRIPT_VALUE,
	.expects = EXPECT_ALL_TRACES,
	.is_compared = true,
	.obstacle = obstacle_value,
	.say = say_value,
};

/* differs: of two values of a field each leaves something that is its own. Where two others are seen, they are known to
 * be kept; where nobody knows how they are, the field may not be. */

static void obstacle_differs(const struct trial *known, struct buffer *why)
{
	if (!trial_leaves_lines(known) || !known->is_mentioned)
		buffer_printf(why, "%s leaves no line that names its customer", KIND_NAME(known->kind));
}

static void say_differs(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	const struct contrast *c = check->row->contrast;
	if (ex->state == EXPERIMENT_BLIND && ex->why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", ex->why);
	else if (ex->state == EXPERIMENT_BLIND)
		probe_end(check, PROBE_SKIPPED, NULL, "it got %d", ex->found.status);
	if (ex->state != EXPERIMENT_CONFIRMED)
		return;
	if (c->form == CONTRAST_INTEGER)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%s %llu is kept as the double next to it, %.0f; ordinary ones are kept as they are",
		          c->field, (unsigned long long)ex->subjects[ex->first].customer.integer,
		          (double)ex->subjects[ex->first].customer.integer);
	else if (c->plain[0])
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%s %s is kept as if it were %s, while %s and %s are kept apart", c->field, c->pair[0],
		          c->pair[1], c->plain[0], c->plain[1]);
	else
		probe_end(check, PROBE_FAILED, check->row->fix, "%s %s leaves no other line than %s", c->field,
		          c->pair[0], c->pair[1]);
}

const struct experiment_row effect_differs = {
	.script = SCRIPT_CONTRAST,
	.expects = EXPECT_DIFFERENT,
	.customers = 2 * CONTRAST_THREE,
	.obstacle = obstacle_differs,
	.say = say_differs,
};

const struct experiment_row effect_differs_alone = {
	.script = SCRIPT_CONTRAST,
	.expects = EXPECT_DIFFERENT,
	.customers = CONTRAST_THREE,
	.obstacle = obstacle_differs,
	.say = say_differs,
};

/* order: what comes early has to leave its trace, too, where it does in the usual order. */

static void obstacle_early(const struct trial *known, struct buffer *why)
{
	if (!known->has_trace)
		buffer_printf(why, "%s leaves no trace in the usual order", KIND_NAME(known->kind));
}

static void say_early(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	if (ex->state == EXPERIMENT_CONFIRMED)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "it got %d and left nothing; in the usual order it does",
		          ex->subjects[ex->first].deliveries[0].status);
	else if (ex->state == EXPERIMENT_BLIND && ex->why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", ex->why);
	else if (ex->state == EXPERIMENT_BLIND)
		probe_end(check, PROBE_SKIPPED, NULL, "it got %d", ex->found.status);
}

const struct experiment_row effect_early = {
	.script = SCRIPT_EARLY,
	.expects = EXPECT_A_TRACE,
	.obstacle = obstacle_early,
	.say = say_early,
};

/* order, too: the end of a pair is the same, whichever of the two comes first. */

static void obstacle_either(const struct trial *known, struct buffer *why)
{
	const char *what = !known->has_trace      ? "it leaves no trace"
	                   : known->is_number     ? "what --observe prints is a number"
	                   : known->is_weak       ? "it changes only a number"
	                   : !known->is_mentioned ? "the lines that it changes name no customer"
	                                          : NULL;
	if (what)
		buffer_printf(why, "of %s: %s", KIND_NAME(known->kind), what);
}

static void say_either(struct experiment *ex)
{
	if (ex->state == EXPERIMENT_CONFIRMED)
		probe_end(ex->check, PROBE_FAILED, ex->check->row->fix,
		          "the end depends on the order in which the two come");
}

const struct experiment_row effect_either = {
	.script = SCRIPT_BOTH_ORDERS,
	.expects = EXPECT_SAME_END,
	.customers = 2,
	.obstacle = obstacle_either,
	.say = say_either,
};

/* others: what one customer does concerns no other, however alike their identifiers are. */

static void obstacle_others(const struct trial *known, struct buffer *why)
{
	if (!known->is_mentioned)
		buffer_append_text(why, "no line of what --observe prints names a customer");
}

static void say_others(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	long long off = ex->found.off;
	if (ex->found.is_unseen)
		probe_end(check, PROBE_SKIPPED, NULL, "no line names one customer alone");
	else if (ex->state == EXPERIMENT_BLIND && ex->why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", ex->why);
	else if (ex->state == EXPERIMENT_BLIND)
		probe_end(check, PROBE_SKIPPED, NULL,
		          "the same happens to customers who share nothing: only what came last may be kept, or shown");
	else if (ex->state == EXPERIMENT_CONFIRMED)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%lld line%s of one customer changed or went when notifications of another one came", off,
		          off == 1 ? "" : "s");
}

const struct experiment_row effect_others = {
	.script = SCRIPT_OTHERS,
	.expects = EXPECT_OTHERS_STAY,
	.customers = 2,
	.is_compared = true,
	.is_one = true,
	.obstacle = obstacle_others,
	.say = say_others,
};

/* stays: what has left a line of a customer is there when all else has been played. */

static void obstacle_stays(const struct trial *known, struct buffer *why)
{
	if (!known->is_mentioned || known->came == 0)
		buffer_append_text(why, "no notification leaves a line that names its customer");
}

static void say_stays(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	const char *name = KIND_NAME(ex->known->kind);
	size_t own = ex->known->own, gone = (size_t)ex->found.off;
	if (ex->state != EXPERIMENT_CONFIRMED)
		return;
	if (gone == own)
		probe_end(check, PROBE_FAILED, check->row->fix, "what %s had left was gone before the end of the run",
		          name);
	else
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "of the %zu lines of a customer of %s %zu %s gone before the end of the run", own, name, gone,
		          gone == 1 ? "was" : "were");
}

const struct experiment_row effect_stays = {
	.script = SCRIPT_NOTHING,
	.expects = EXPECT_STILL_THERE,
	.is_of_all = true,
	.obstacle = obstacle_stays,
	.say = say_stays,
};

/* none: what was refused. */

static void say_none(struct experiment *ex)
{
	struct probe_check *check = ex->check;
	if (ex->found.accepted > 0) {
		probe_reopen(check, PROBE_SAID_AGAIN);
		probe_end(check, PROBE_SKIPPED, NULL, "the listener accepts invalid payloads");
	} else if (ex->state == EXPERIMENT_CONFIRMED) {
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%s grew by %lld for refused payloads: right only if these are kept on purpose",
		          ex->found.is_number ? "the number" : "what is kept", (long long)ex->found.off);
	}
}

const struct experiment_row effect_none = {
	.script = SCRIPT_REFUSED,
	.expects = EXPECT_NOTHING_MORE,
	.say = say_none,
};
