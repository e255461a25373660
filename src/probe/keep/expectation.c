#include "probe/keep/contrast.h"
#include "probe/keep/round.h"
#include "probe/play/player.h"
#include "probe/play/world.h"

#include <stdio.h>
#include <string.h>

#define UNNAMED_MOST   ((size_t)1 << 20) /* bytes of the lines that name nobody */
#define CUSTOMERS_MOST (2 * CONTRAST_THREE)

/* What several that lines do not name have come to. */
enum sum {
	SUM_RIGHT,
	SUM_ALL_OFF,
	SUM_SOME_OFF, /* or it is not known whether */
};

/* A status of the subject that it should not get: one of the copies gets a 2xx, unless the listener is busy; 0: it has
 * none. */
static int odd_status(const struct experiment *ex, const struct subject *s)
{
	int refused = 0;
	bool is_served = ex->row->script == SCRIPT_AGAIN; /* the first time */
	for (size_t i = 0; i < s->count; i++) {
		int status = s->deliveries[i].status;
		bool is_refused = status_set_contains(&ex->check->expected.tolerated, status);
		if (experiment_is_odd(ex->check, status))
			return status;
		refused = is_refused ? status : refused;
		is_served |= !is_refused;
	}
	return is_served ? 0 : refused;
}

/* Takes the statuses of what was sent. */
static void take_statuses(struct experiment *ex)
{
	struct experiment_outcome *found = &ex->found;
	size_t count;
	struct subject *subjects = experiment_subjects(ex, &count);
	*found = (struct experiment_outcome){ .off = 0 };
	for (size_t i = 0; i < count; i++) {
		struct subject *s = &subjects[i];
		int odd = ex->row->expects == EXPECT_NOTHING_MORE ? odd_status(ex, s) : 0;
		found->odd = odd > 0 ? odd : found->odd;
		for (size_t d = 0; d < s->count; d++) {
			bool is_accepted = delivery_accepted(&s->deliveries[d]);
			found->status = is_accepted || found->status > 0 ? found->status : s->deliveries[d].status;
			found->accepted += is_accepted;
		}
	}
	if (ex->row->script == SCRIPT_REFUSED) {
		found->status = ex->check->result.status;
		found->accepted = found->status >= 200 && found->status < 300;
	}
}

/* By how much it grows when all is right, and no more. */
static int64_t growth_of_one(const struct experiment *ex)
{
	return ex->row->script == SCRIPT_FIRST ? ex->known->lines : 0;
}

/* Lines of the subject (NULL: of all) that are too many. */
static int64_t count_more(const struct experiment *ex, const struct subject *s, const struct observation_change *change)
{
	int64_t more = change->growth - growth_of_one(ex) * (s ? 1 : (int64_t)experiment_customers(ex));
	return more > 0 ? more : 0;
}

/* Whether the first one of the customer, which had left a line of its own, is gone now that a second one has come. */
static bool is_replaced(const struct round *r, const struct experiment *ex)
{
	const struct trial *known = ex->known;
	return ex->row->script == SCRIPT_SECOND && known->is_mentioned && known->lines > 0 && known->shows_difference &&
	       trial_count_first(known, &r->ground->base) > 0 && trial_count_first(known, &r->ground->look.now) == 0;
}

/* Accepted ones of the subject (NULL: of all, of which that many were) without a trace. */
static int64_t count_missing(const struct experiment *ex, const struct subject *s, size_t accepted,
                             const struct observation_change *change)
{
	const struct trial *known = ex->known;
	if (s)
		accepted = delivery_accepted(&s->deliveries[0]);
	if (ex->row->expects == EXPECT_A_TRACE)
		return trial_leaves(known, change) && !ex->found.replaced ? 0 : (int64_t)accepted;
	int64_t there = s ? change->came > 0 : change->growth > 0 ? change->growth / known->lines : 0;
	return there < (int64_t)accepted ? (int64_t)accepted - there : 0;
}

/* Lines that name the first subject alone, and are gone, or are others now. What names several may change with each of
 * them. */
static int64_t count_disturbed(const struct round *r, struct experiment *ex, const struct customer *customer)
{
	static const struct observation nothing = { .text = BUFFER_INIT };
	const struct observation *base = &r->ground->base, *now = &r->ground->look.now;
	struct observation_change there, own, alone;
	observation_compare_alone(&nothing, base, customer->mention, &there);
	observation_compare_alone(base, now, customer->mention, &alone);
	observation_compare(base, now, customer->mention, &own);
	ex->found.is_unseen = there.came == 0;
	return own.came > alone.came ? 0 : (int64_t)alone.went;
}

static void append_own(const struct round *r, const char *mention, size_t most, struct buffer *lines)
{
	const struct lookout *look = &r->ground->look;
	struct player *p = r->ground->player;
	observation_append_own(&look->now, buffer_text(&look->read), &look->roles, world_date_s(&p->options->world),
	                       mention, most, lines);
	p->no_memory |= lines->failed;
}

/* Takes the lines of each customer; the last one between two others need not have any. Whether they can be compared:
 * where they cannot, the experiment says why, or got such a status. */
static bool take_lines(const struct round *r, struct experiment *ex, struct buffer lines[CUSTOMERS_MOST])
{
	size_t count;
	const struct subject *subjects = experiment_subjects(ex, &count);
	ex->why = NULL;
	for (size_t i = 0; i < count; i++) {
		const char *mention = subjects[i].customer.mention;
		struct observation_change change;
		if (!delivery_accepted(&subjects[i].deliveries[0])) {
			if (i < CONTRAST_THREE || !contrast_is_between(i))
				return false;
			continue;
		}
		observation_compare_alone(&r->ground->base, &r->ground->look.now, mention, &change);
		append_own(r, mention, CONTRAST_TEXT_MOST, &lines[i]);
		ex->why = change.came == 0 ? "no line names one customer alone"
		          : lines[i].length >= CONTRAST_TEXT_MOST
		                  ? "the lines of a customer are too long to be compared"
		                  : NULL;
		if (ex->why || lines[i].failed)
			return false;
	}
	return count > 0;
}

/* Whether an integer that no double is stands in the lines as the double next to it. */
static bool is_rounded(struct experiment *ex, const struct buffer lines[CUSTOMERS_MOST])
{
	const struct contrast *contrast = ex->check->row->contrast;
	size_t count, rounded = 0, whole = 0;
	const struct subject *subjects = experiment_subjects(ex, &count);
	char role[ROLE_SIZE];
	snprintf(role, sizeof role, "<%s>", contrast->field);
	for (size_t i = 0; i < count; i++) {
		const char *text = buffer_text(&lines[i]);
		bool is_whole = strstr(text, role) != NULL;
		if (contrast_is_between(i) && !is_whole)
			ex->why = "the lines of a customer do not show an ordinary one";
		else if (!contrast_is_between(i) && is_whole)
			whole++;
		else if (!contrast_is_between(i))
			rounded += contrast_is_rounded(text, subjects[i].customer.integer);
	}
	return whole == 0 && rounded == CONTRAST_THREE - 1;
}

/* Whether nothing that names nobody may be of the value. Where it is not known how a value is shown, any change may. */
static bool is_nowhere_else(const struct round *r, struct experiment *ex)
{
	const struct contrast *contrast = ex->check->row->contrast;
	LOCAL_BUFFER unnamed = BUFFER_INIT;
	struct observation_change change;
	observation_compare_alone(&r->ground->base, &r->ground->look.now, NULL, &change);
	append_own(r, NULL, UNNAMED_MOST, &unnamed);
	ex->why = contrast->form == CONTRAST_CHOICE && observation_has_changed(&change)
	                  ? "lines that name nobody have changed, too"
	          : unnamed.length >= UNNAMED_MOST ? "the lines that name nobody are too long to be compared"
	                                           : NULL;
	return !ex->why && !unnamed.failed &&
	       (contrast->form == CONTRAST_CHOICE || !contrast_stands(buffer_text(&unnamed), contrast->pair[0]));
}

/* Whether one of two values that come like two others, which are seen, leaves nothing that the other one does not. */
static bool is_mixed_up(const struct round *r, struct experiment *ex, const struct buffer lines[CUSTOMERS_MOST])
{
	const struct contrast *contrast = ex->check->row->contrast;
	const char *texts[CUSTOMERS_MOST] = { NULL };
	size_t count = contrast_customers(contrast);
	const char *const *three = texts + count - CONTRAST_THREE;
	bool is_plain = count > CONTRAST_THREE;
	for (size_t i = 0; i < count; i++)
		texts[i] = lines[i].length > 0 ? buffer_text(&lines[i]) : NULL;
	if (is_plain && !contrast_is_seen(contrast, texts))
		ex->why = "the lines of a customer do not show values of the field";
	else if (contrast_is_opaque(three[0], three[2]))
		ex->why = "the lines of customers with the same values differ too much";
	bool stands = !ex->why && is_plain &&
	              (contrast_stands(three[0], contrast->pair[0]) || contrast_stands(three[2], contrast->pair[0]));
	return !ex->why && !stands && contrast_is_alike(contrast, three) && is_nowhere_else(r, ex);
}

/* Whether two values of a field are one in what is kept. */
static bool is_lost(const struct round *r, struct experiment *ex)
{
	struct buffer lines[CUSTOMERS_MOST] = { BUFFER_INIT };
	bool is_compared = take_lines(r, ex, lines);
	bool is_lost = !is_compared                                         ? false
	               : ex->check->row->contrast->form == CONTRAST_INTEGER ? is_rounded(ex, lines)
	                                                                    : is_mixed_up(r, ex, lines);
	ex->found.is_unseen = !is_compared || ex->why;
	for (size_t i = 0; i < CUSTOMERS_MOST; i++)
		buffer_release(&lines[i]);
	return is_lost && !ex->found.is_unseen;
}

/* Lines of the trial's customer that are missing now. */
static int64_t count_gone(const struct observation *now, const struct trial *known)
{
	size_t left = observation_count(now, known->customer.mention);
	return left < known->own ? (int64_t)(known->own - left) : 0;
}

/* Counts the lines that copies have left twice. Others that are too many may be right: some customers, or some
 * notifications, may leave more than the known one. So they count only where each customer has some; alone, where any
 * has. */
static int64_t weigh_copies(const struct round *r, struct experiment *ex, int64_t most, int64_t least, int64_t twice)
{
	ex->found.is_twice = twice > 0;
	return twice > 0 ? twice : r->is_calm || least > 0 ? most : 0;
}

/* How much of it is not as expected. */
static int64_t measure(const struct round *r, struct experiment *ex)
{
	const struct observation *base = &r->ground->base, *now = &r->ground->look.now;
	struct experiment_outcome *found = &ex->found;
	struct observation_change change;
	size_t count;
	struct subject *subjects = experiment_subjects(ex, &count);
	int64_t least = INT64_MAX, twice = 0; /* lines too many of a customer */
	take_statuses(ex);
	found->is_number = now->is_number;
	if (ex->row->learns) {
		ex->known->has_trace = false;
		return found->off = found->accepted > 0 &&
		                    !trial_take(r->ground, ex->known, &subjects[0].customer, r->is_crowd);
	}
	if (ex->row->expects == EXPECT_STILL_THERE)
		return found->off = count_gone(now, ex->known);
	if (ex->row->expects == EXPECT_OTHERS_STAY)
		return found->off = count_disturbed(r, ex, &subjects[0].customer);
	if (ex->row->expects == EXPECT_DIFFERENT)
		return found->off = is_lost(r, ex);
	if (ex->row->expects == EXPECT_SAME_END)
		return found->off = observation_count(now, subjects[0].customer.mention) !=
		                    observation_count(now, subjects[1].customer.mention);
	/* What is gone already may come again. */
	found->is_unseen = ex->row->ends && !experiment_waits(ex) && experiment_is_named(ex) &&
	                   observation_count(base, subjects[0].customer.mention) == 0;
	found->replaced = is_replaced(r, ex);
	for (size_t i = 0; i < (experiment_is_named(ex) ? count : 1); i++) {
		const struct subject *s = experiment_is_named(ex) ? &subjects[i] : NULL;
		observation_compare(base, now, s ? s->customer.mention : NULL, &change);
		int64_t more = experiment_waits(ex) ? 0 : count_more(ex, s, &change);
		int64_t each = s || count == 0 ? more : more / (int64_t)count;
		found->off = more > found->off ? more : found->off;
		least = each < least ? each : least;
		if (s && ex->row->copies > 1 && change.twins > ex->known->came_twins + (size_t)twice)
			twice = (int64_t)(change.twins - ex->known->came_twins);
		found->off += experiment_waits(ex) ? count_missing(ex, s, found->accepted, &change) : 0;
		found->numbers |= change.numbers;
	}
	if (ex->row->copies > 1)
		found->off = weigh_copies(r, ex, found->off, least, twice);
	return found->off;
}

int64_t expectation_measure(const struct round *r, struct experiment *const *some, size_t count)
{
	int64_t off = 0;
	for (size_t i = 0; i < count; i++)
		off += measure(r, some[i]);
	return off;
}

/* What is off where each is. */
static int64_t most_off(const struct experiment *ex)
{
	return experiment_waits(ex) ? (int64_t)ex->found.accepted
	       : ex->row->script == SCRIPT_AGAIN
	               ? ex->known->lines
	               : ex->known->lines * (int64_t)experiment_customers(ex) * (ex->row->copies - 1);
}

/* What they have come to together. *left: what has to come yet. */
static enum sum sum_up(const struct round *r, struct experiment *const *some, size_t count, int64_t *left)
{
	struct observation_change change;
	int64_t right = 0, most = 0;
	observation_compare(&r->ground->base, &r->ground->look.now, NULL, &change);
	for (size_t i = 0; i < count; i++) {
		take_statuses(some[i]);
		if (some[i]->row->expects == EXPECT_ALL_TRACES)
			right += some[i]->known->lines * (int64_t)some[i]->found.accepted;
		else if (!experiment_waits(some[i]))
			right += growth_of_one(some[i]) * (int64_t)experiment_customers(some[i]);
		most += most_off(some[i]);
	}
	bool any = observation_has_changed(&change) || change.numbers;
	if (some[0]->row->expects == EXPECT_ALL_TRACES) {
		*left = right - change.growth;
		return *left <= 0 ? SUM_RIGHT : any ? SUM_SOME_OFF : SUM_ALL_OFF;
	}
	*left = experiment_waits(some[0]) && !any;
	if (experiment_waits(some[0]))
		return any ? SUM_SOME_OFF : SUM_ALL_OFF;
	return change.growth <= right ? SUM_RIGHT : change.growth == right + most ? SUM_ALL_OFF : SUM_SOME_OFF;
}

/* Puts what they have come to together into each. */
void expectation_measure_shared(const struct round *r, struct experiment *const *some, size_t count)
{
	int64_t left;
	enum sum sum = sum_up(r, some, count, &left);
	for (size_t i = 0; i < count; i++) {
		measure(r, some[i]); /* its numbers, and statuses */
		some[i]->found.is_shared = sum == SUM_SOME_OFF;
		some[i]->found.off = sum == SUM_RIGHT ? 0 : most_off(some[i]);
	}
}

int64_t expectation_missing(const struct round *r, struct experiment *const *some, size_t count)
{
	int64_t left;
	sum_up(r, some, count, &left);
	return left;
}

bool experiment_is_odd(const struct probe_check *check, int status)
{
	const struct probe_expected *e = &check->expected;
	bool is_busy = status == 0 || status == 429 || status == 503;
	return !is_busy && !status_set_contains(&e->ok, status) && !status_set_contains(&e->tolerated, status);
}
