#include "probe/keep/contrast.h"
#include "probe/keep/round.h"
#include "probe/play/flight.h"
#include "probe/play/play.h"
#include "probe/play/player.h"
#include "probe/play/verdict.h"

#include <stdlib.h>
#include <string.h>

static void end_blind(struct experiment *ex, const char *why)
{
	ex->state = EXPERIMENT_BLIND;
	ex->why = why;
	ex->is_played = false;
}

unsigned experiment_round_size(const struct trial_ground *g, const struct experiment_row *row)
{
	unsigned most = g->player->options->customers_most, wanted = row->customers > 0 ? row->customers : 1;
	if (row->script == SCRIPT_REFUSED)
		return 0;
	if (row->script == SCRIPT_CONTRAST)
		return wanted;
	return most > 0 && most < wanted ? most : wanted;
}

/* The events of a customer that begin something: they come after nothing but the customer. */
static size_t beginnings(struct catalog_kind kinds[SUBJECT_MOST])
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_event_count && count < SUBJECT_MOST; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		if (!event->after)
			kinds[count++] = (struct catalog_kind){ event, event->elements };
	}
	return count;
}

/* All events of a customer's life. Where it stands apart, its elements are others than those of beginnings(), and
 * nothing is removed, which another customer may have, too: an element is added in place of each removal, since a
 * listener may keep that many and no more. */
static size_t whole_life(bool apart, struct catalog_kind kinds[SUBJECT_MOST])
{
	struct catalog_kind added = { NULL, NULL };
	size_t count = 0;
	for (size_t i = 0; i < catalog_event_count && count < SUBJECT_MOST; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		bool is_left_out = apart && added.event && strcmp(event->method, "delete") == 0;
		if (event->elements)
			added = (struct catalog_kind){ event, &event->elements[apart] };
		else if (is_left_out)
			added.element++;
		kinds[count++] = event->elements || is_left_out ? added : (struct catalog_kind){ event, NULL };
	}
	return count;
}

/* What is sent before the round, of subject `index`. */
static size_t life_before(const struct experiment *ex, size_t index, struct catalog_kind before[SUBJECT_MOST])
{
	if (!ex->known || ex->known->is_alone || experiment_is_of_known(ex))
		return 0;
	if (ex->row->script == SCRIPT_OTHERS)
		return index == 0 ? beginnings(before) : 0;
	size_t count = customer_life_before(ex->known->kind, before);
	bool is_early = ex->row->script == SCRIPT_EARLY || ex->row->script == SCRIPT_BOTH_ORDERS;
	return is_early && count > 0 ? count - 1 : count;
}

/* Deliveries that grow in number. */
struct lives {
	struct delivery *list;
	size_t count, capacity;
};

/* Adds a subject, and makes what comes before. */
static int add_subject(struct round *r, struct experiment *ex, size_t index, struct lives *lives, struct error *err)
{
	struct messenger *m = &r->ground->messenger;
	struct catalog_kind before[SUBJECT_MOST];
	size_t befores = life_before(ex, index, before);
	if (!ARRAY_ROOM(ex->subjects, ex->capacity, ex->count + 1) ||
	    !ARRAY_ROOM(lives->list, lives->capacity, lives->count + befores))
		return error_no_memory(err);
	struct subject *s = &ex->subjects[ex->count++];
	*s = (struct subject){ .count = 0 };
	if (experiment_is_of_known(ex))
		s->customer = ex->known->customer;
	else if ((r->is_calm && ex->row->script != SCRIPT_VALUE) || ex->row->is_apart) /* the value alone is another */
		customer_init_apart(&s->customer, m, index);
	else
		customer_init(&s->customer, m);
	for (size_t b = 0; b < befores; b++) {
		struct delivery *d = &lives->list[lives->count++];
		*d = (struct delivery){ .status = -1 };
		if (delivery_make(d, m, &s->customer, before[b], false, err) < 0)
			return -1;
	}
	return 0;
}

static int send_lives(struct round *r, struct lives *lives, struct error *err)
{
	struct delivery **each = calloc(lives->count + 1, sizeof(struct delivery *));
	if (!each)
		return error_no_memory(err);
	for (size_t i = 0; i < lives->count; i++)
		each[i] = &lives->list[i];
	bool is_due = lives->count > 0 && !round_is_blind(r);
	int code = !is_due       ? 0
	           : r->confirms ? messenger_send(&r->ground->messenger, each, lives->count, 0, NULL, NULL, err)
	                         : messenger_send_abreast(&r->ground->messenger, each, lives->count, err);
	free(each);
	return code;
}

/* Adds those who have to be introduced for the experiment. */
static int add_subjects(struct round *r, struct experiment *ex, bool all_rounds, struct lives *lives, struct error *err)
{
	bool is_ahead = ex->count > ex->end;
	/* Who is known may be learnt again before their round. */
	bool is_early = all_rounds && experiment_is_of_known(ex);
	int code = 0;
	if (!ex->is_played || is_ahead || is_early || !ex->check)
		return 0;
	if (lives->count == 0)
		r->ground->messenger.check = ex->check;
	unsigned rounds = all_rounds && ex->rounds > 0 ? ex->rounds : 1;
	size_t size = experiment_round_size(r->ground, ex->row);
	for (size_t s = 0; code == 0 && s < size * rounds; s++)
		code = add_subject(r, ex, s % size, lives, err);
	return code;
}

int script_introduce(struct round *r, bool all_rounds, bool *any, struct error *err)
{
	int code = 0;
	*any = false;
	/* Whoever has to stay as they are come last: where a row is found by a part of a key, it is theirs then. */
	for (int last = 0; last < 2; last++) {
		struct lives lives = { NULL, 0, 0 };
		for (size_t i = 0; code == 0 && i < r->count; i++)
			if ((r->list[i].row->script == SCRIPT_OTHERS) == last)
				code = add_subjects(r, &r->list[i], all_rounds, &lives, err);
		*any |= lives.count > 0;
		if (code == 0)
			code = send_lives(r, &lives, err);
		for (size_t i = 0; i < lives.count; i++)
			delivery_release(&lives.list[i]);
		free(lives.list);
	}
	return code;
}

/* The second one of an event with elements is of another element. */
static struct catalog_kind second_kind(struct catalog_kind kind)
{
	if (kind.element)
		kind.element = &kind.event->elements[kind.element == kind.event->elements ? 1 : 0];
	return kind;
}

/* Makes another one of the known customer; where it confirms, what comes before it in their life comes again, too, as
 * new. */
static int make_second(struct round *r, struct experiment *ex, struct subject *s, struct error *err)
{
	struct messenger *m = &r->ground->messenger;
	struct catalog_kind before[CUSTOMER_BEFORE_MAX];
	size_t count = r->confirms ? customer_life_before(ex->known->kind, before) : 0;
	customer_renew(&s->customer, m);
	for (size_t i = 1; i < count; i++) {
		LOCAL(delivery_release) struct delivery earlier = { .status = -1 };
		struct delivery *each = &earlier;
		if (delivery_make(&earlier, m, &s->customer, before[i], true, err) < 0 ||
		    (!round_is_blind(r) && messenger_send(m, &each, 1, 0, NULL, NULL, err) < 0))
			return -1;
	}
	s->count = 1;
	if (delivery_make(&s->deliveries[0], m, &s->customer, second_kind(ex->known->kind), true, err) < 0)
		return -1;
	if (strcmp(buffer_text(&s->deliveries[0].body), buffer_text(&ex->known->first.body)) == 0)
		end_blind(ex, "--set makes a second one like the first");
	return 0;
}

static int copy_delivery(const struct messenger *m, struct subject *s, const struct delivery *of, struct error *err)
{
	struct delivery *d = &s->deliveries[s->count++];
	*d = (struct delivery){ .kind = of->kind, .customer = s->customer.number, .check = m->check, .status = -1 };
	buffer_append(&d->body, of->body.data, of->body.length);
	return d->body.failed ? error_no_memory(err) : 0;
}

/* Makes that of the kind and the last of what comes before it, for the second customer in that order. */
static int make_pair(struct round *r, const struct experiment *ex, struct subject *s, bool in_order, struct error *err)
{
	struct catalog_kind before[CUSTOMER_BEFORE_MAX], kinds[2] = { ex->known->kind, ex->known->kind };
	size_t count = customer_life_before(ex->known->kind, before);
	kinds[in_order ? 0 : 1] = before[count - 1];
	for (size_t i = 0; i < 2; i++)
		if (delivery_make(&s->deliveries[s->count++], &r->ground->messenger, &s->customer, kinds[i], false,
		                  err) < 0)
			return -1;
	return 0;
}

/* Makes a whole life; one that stands apart has another enrollmentCode, too. What cannot be made is left out. */
static int make_life(struct round *r, struct subject *s, struct error *err)
{
	struct catalog_kind kinds[SUBJECT_MOST];
	size_t count = whole_life(r->is_calm, kinds);
	for (size_t i = 0; i < count; i++)
		if (delivery_make(&s->deliveries[s->count++], &r->ground->messenger, &s->customer, kinds[i], r->is_calm,
		                  err) < 0)
			return -1;
	return 0;
}

/* Makes the first one of customer `index`, with the value that is theirs. */
static int make_contrast(struct round *r, const struct experiment *ex, struct subject *s, size_t index,
                         struct error *err)
{
	const struct contrast *contrast = ex->check->row->contrast;
	struct messenger *m = &r->ground->messenger;
	struct random random;
	random_seed(&random, m->player->maker.seed ^ ++m->salt);
	if (contrast->form == CONTRAST_INTEGER && !contrast_is_between(index))
		s->customer.integer = contrast_integer(&random);
	s->count = 1;
	if (delivery_make(&s->deliveries[0], m, &s->customer, ex->known->kind, false, err) < 0)
		return -1;
	return contrast->pointer
	               ? delivery_put(&s->deliveries[0], contrast->pointer, contrast_value(contrast, index), err)
	               : 0;
}

static int make(struct round *r, struct experiment *ex, struct error *err)
{
	struct messenger *m = &r->ground->messenger;
	size_t count;
	struct subject *subjects = experiment_subjects(ex, &count);
	int code = 0;
	m->check = ex->check;
	for (size_t i = 0; i < count && code == 0 && ex->is_played; i++) {
		struct subject *s = &subjects[i];
		switch (ex->row->script) {
		case SCRIPT_AGAIN:
			code = copy_delivery(m, s, &ex->known->first, err);
			break;
		case SCRIPT_SECOND:
			code = make_second(r, ex, s, err);
			break;
		case SCRIPT_VALUE:
			s->count = 1;
			code = delivery_make(&s->deliveries[0], m, &s->customer, ex->known->kind, false, err);
			if (code == 0 && !r->is_calm)
				code = delivery_vary(&s->deliveries[0], ex->check->variant, err);
			break;
		case SCRIPT_FIRST:
		case SCRIPT_EARLY:
			s->count = 1;
			if (ex->row->is_alike && !r->is_calm)
				s->customer.likeness = (struct likeness){ subjects[0].customer.number, (unsigned)i };
			code = delivery_make(&s->deliveries[0], m, &s->customer, ex->known->kind, false, err);
			while (code == 0 && s->count < ex->row->copies && !r->is_calm)
				code = copy_delivery(m, s, &s->deliveries[0], err);
			break;
		case SCRIPT_BOTH_ORDERS:
			code = make_pair(r, ex, s, i == 0, err);
			break;
		case SCRIPT_CONTRAST:
			code = make_contrast(r, ex, s, i, err);
			break;
		case SCRIPT_OTHERS:
			code = i == 0 ? 0 : make_life(r, s, err);
			break;
		case SCRIPT_NOTHING:
		case SCRIPT_REFUSED:
			break;
		}
		if (code == 0 && s->count > 0 && s->deliveries[0].body.length == 0)
			end_blind(ex, m->unmade);
	}
	return code;
}

int script_prepare(struct round *r, struct error *err)
{
	struct trial_ground *g = r->ground;
	bool compares = false, any; /* with what is seen before */
	if (script_introduce(r, false, &any, err) < 0)
		return -1;
	for (size_t i = 0; i < r->count && !round_is_blind(r); i++) {
		struct experiment *ex = &r->list[i];
		if (!ex->is_played)
			continue;
		ex->first = ex->end;
		ex->end += experiment_round_size(r->ground, ex->row);
		/* Where nothing was sent, or its customers were introduced earlier, it is quiet: around them, at least.
		 */
		bool is_quiet =
		        (ex->row->script == SCRIPT_SECOND && !r->confirms) || (ex->row->ends && !any) ||
		        (!any && experiment_waits(ex) && experiment_is_named(ex) && !experiment_is_of_known(ex));
		compares |= !is_quiet && ex->row->expects != EXPECT_SAME_END && ex->row->expects != EXPECT_STILL_THERE;
		if (make(r, ex, err) < 0)
			return -1;
	}
	return compares ? lookout_quiet(&g->look, g->messenger.last_ns, err) : 0;
}

/* Sends the check's own requests. What comes the second time has to be new: it would be taken for a repeat. */
static int send_refused(struct round *r, struct experiment *ex, struct error *err)
{
	struct player *p = r->ground->player;
	struct messenger *m = &r->ground->messenger;
	struct probe_session kept = p->maker.session;
	size_t index = (size_t)(ex->check - p->options->plan->checks);
	probe_reopen(ex->check, PROBE_CONFIRMED);
	probe_session_init(&p->maker, ++m->salt);
	int code = play_batch(p, index, index + 1, err);
	p->maker.session = kept;
	m->last_ns = player_now(p);
	return code;
}

/* Copies go together, of one customer after the other; all else as it stands there. */
static int send_one(struct round *r, struct experiment *ex, struct error *err)
{
	struct messenger *m = &r->ground->messenger;
	size_t count, made = 0;
	struct subject *subjects = experiment_subjects(ex, &count);
	if (round_is_blind(r))
		return 0;
	if (ex->row->script == SCRIPT_REFUSED)
		return send_refused(r, ex, err);
	struct delivery **each = calloc(count * SUBJECT_MOST + 1, sizeof(struct delivery *));
	int code = each ? 0 : error_no_memory(err);
	for (size_t i = 0; i < count && code == 0 && !round_is_blind(r); i++) {
		for (size_t d = 0; d < subjects[i].count; d++)
			each[made++] = &subjects[i].deliveries[d];
		if (ex->row->copies <= 1 && i + 1 < count)
			continue;
		code = messenger_send(m, each, made, r->is_calm || ex->in_order ? 1 : ex->row->connections,
		                      ex->row->stop, ex, err);
		made = 0;
	}
	free(each);
	return code;
}

/* Whether its row leaves it open how it is sent. */
static bool may_go_abreast(const struct experiment *ex)
{
	const struct experiment_row *row = ex->row;
	return row->copies <= 1 && row->connections <= 1 && !row->stop && row->script != SCRIPT_REFUSED;
}

static int send_abreast(struct round *r, struct experiment *const *some, size_t count, struct error *err)
{
	size_t most = 0, made = 0, subject_count;
	for (size_t i = 0; i < count; i++)
		most += (some[i]->end - some[i]->first) * SUBJECT_MOST;
	struct delivery **each = calloc(most + 1, sizeof(struct delivery *));
	if (!each)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct subject *subjects = experiment_subjects(some[i], &subject_count);
		for (size_t s = 0; may_go_abreast(some[i]) && s < subject_count; s++)
			for (size_t d = 0; d < subjects[s].count; d++)
				each[made++] = &subjects[s].deliveries[d];
	}
	int code = round_is_blind(r) ? 0 : messenger_send_abreast(&r->ground->messenger, each, made, err);
	free(each);
	return code;
}

int script_send(struct round *r, struct experiment *const *some, size_t count, struct error *err)
{
	bool is_abreast = !r->confirms && !r->is_calm && flight_width(r->ground->player) > 1;
	int code = is_abreast ? send_abreast(r, some, count, err) : 0;
	for (size_t i = 0; code == 0 && i < count; i++)
		if (!is_abreast || !may_go_abreast(some[i]))
			code = send_one(r, some[i], err);
	return code;
}

int script_send_rest(struct round *r, struct experiment *ex, size_t *again, struct error *err)
{
	size_t count, made = 0;
	struct subject *subjects = experiment_subjects(ex, &count);
	struct delivery **each = calloc(count + 1, sizeof(struct delivery *));
	*again = 0;
	if (!each)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		subjects[i].came_again = !delivery_accepted(&subjects[i].deliveries[0]);
		if (subjects[i].came_again)
			each[made++] = &subjects[i].deliveries[0];
	}
	int code = round_is_blind(r) ? 0 : messenger_send_abreast(&r->ground->messenger, each, made, err);
	for (size_t i = 0; i < made; i++)
		*again += delivery_accepted(each[i]);
	free(each);
	return code;
}
