/*
 * Whether the listener has ended, and over which check.
 *
 * It may end a while after its response, when others have been sent already: a worker has its work from a queue. So the
 * last one is sent again alone, then the last four, 16 and so on, to all of its last second, each time with a wait as
 * long as the end took. Where it ends again, halves show over the first of how many that is, which is tried again.
 * Where it does not, it has ended by itself as far as is known, and no check is named.
 */
#include "probe/play/death.h"

#include "base/clock.h"
#include "probe/play/culprit.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/recovery.h"
#include "probe/play/requests.h"
#include "probe/play/verdict.h"

#include <string.h>

#define ENDING_NS       (10 * CLOCK_NS_PER_MS)  /* from closing the connection to closing the port */
#define SOON_NS         (300 * CLOCK_NS_PER_MS) /* from the last response to the end of the listener */
#define SEARCH_NS       (60 * CLOCK_NS_PER_S)   /* for the request that ends it */
#define LAST_LEAST      4 /* requests that are sent again, however long before the end they were sent */
#define NAMED_MOST      4
#define LOOK_PAUSE_NS   (30 * CLOCK_NS_PER_MS)
#define LONG_RESTART_NS CLOCK_NS_PER_S
#define ALONE_NS        CLOCK_NS_PER_S /* after a start, in which nothing is sent */
#define STORED_NS       CLOCK_NS_PER_S /* before its end, in which it has got what it ends over */

/* Waits whether it ends by itself, over what it has stored. */
static void leave_alone(struct player *p)
{
	int64_t end = player_now(p) + ALONE_NS;
	while (!player_is_over(p) && player_now(p) < end && player_wait(p, LOOK_PAUSE_NS)) {
		p->presence.ends_alone = presence_has_ended(p);
		if (p->presence.ends_alone)
			presence_end_gone(p);
	}
}

int death_revive(struct player *p, struct error *err)
{
	struct listener *listener = p->options->listener;
	enum listener_state state = LISTENER_READY;
	cause_forget(p->finder);
	if (!listener && !presence_wait(p))
		state = LISTENER_DEAF;
	int64_t start_ns = player_now(p);
	if (listener) {
		listener_kill(listener); /* what started it may still run */
		state = listener_restart(listener, err);
	}
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_INTERRUPTED) {
		p->summary->stop = PROBE_INTERRUPTED;
	} else if (state != LISTENER_READY) {
		presence_end_gone(p);
	} else {
		recovery_begin(p, start_ns);
		leave_alone(p);
	}
	return 0;
}

static bool comes_within(const struct player *p, int64_t ns)
{
	int64_t end = player_now(p) + ns;
	do {
		if (presence_has_ended(p))
			return true;
	} while (player_now(p) < end && player_wait(p, LOOK_PAUSE_NS));
	return false;
}

bool death_comes(const struct player *p)
{
	return comes_within(p, SOON_NS);
}

static int look_for_end(struct player *p, void *context, const struct request_outcome *sent, bool *has_ended,
                        struct error *err)
{
	(void)err;
	*has_ended = sent->is_refused || comes_within(p, *(const int64_t *)context);
	return 0;
}

/* The check that delivers the kind, chosen or not; NULL: there is none. */
static struct probe_check *delivering(const struct player *p, struct catalog_kind kind)
{
	const struct probe_plan *plan = p->options->plan;
	for (struct probe_check *check = plan->checks; kind.event && check < plan->checks + plan->count; check++)
		if (check->row->expansion == PROBE_KINDS && catalog_is_same_kind(check->kind, kind))
			return check;
	return NULL;
}

/* What sends such a request again; NULL: nothing does. */
static struct probe_check *again(const struct player *p, const struct presence_request *request)
{
	return request->check && request_can_be_sent_again(request->check) ? request->check
	                                                                   : delivering(p, request->kind);
}

/* Whose the request is: of those that are played together, the check about its kind. One that was sent before the
 * checks is of the first of them. */
static struct probe_check *owner(const struct player *p, const struct presence_request *request)
{
	const struct probe_plan *plan = p->options->plan;
	struct probe_check *of = request->check, *first = NULL;
	bool is_other = of && of->row->observes && of->kind.event && !catalog_is_same_kind(of->kind, request->kind);
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		first = !first && check->chosen && check->row->make ? check : first;
		if (is_other && check->chosen && check->row->play == of->row->play &&
		    check->row->expansion == PROBE_ONCE && catalog_is_same_kind(check->kind, request->kind))
			return check;
	}
	return of ? of : first;
}

/* Which of the recent requests ends it. */
struct search {
	int64_t gone_ns; /* when it was seen that it had ended */
	int64_t end_ns;  /* when it is given up */
	bool is_ended;   /* it is, and has to be started again */
	bool was_sent;   /* one of them, again */
	bool was_other;  /* one of them was of an experiment: only its kind can be sent again */
};

/* Sends the last ones again, in order: whether it ends over them as often in a row. */
static int try_last(struct player *p, struct search *s, size_t count, unsigned most, bool *ends, struct error *err)
{
	struct probe_check *from[PRESENCE_RECENT_MOST];
	size_t tried = 0;
	unsigned times = 0;
	int64_t took = s->gone_ns - p->presence.recent[count - 1].ended_ns;
	int64_t wait_ns = SOON_NS + (took < STORED_NS ? took : STORED_NS);
	const struct culprit_sign sign = {
		.look = look_for_end, .mend = death_revive, .context = &wait_ns, .end_ns = s->end_ns
	};
	for (size_t i = count; i-- > 0;) {
		const struct presence_request *request = &p->presence.recent[i];
		s->was_other |= request->check && !request_can_be_sent_again(request->check);
		if ((from[tried] = again(p, request)) != NULL)
			tried++;
	}
	s->was_sent |= tried > 0;
	*ends = false;
	if (s->is_ended && death_revive(p, err) < 0)
		return -1;
	s->is_ended = false;
	if (tried == 0 || player_is_over(p))
		return 0;
	if (culprit_try(p, &sign, from, tried, most, &times, err) < 0)
		return -1;
	*ends = s->is_ended = times == most;
	return 0;
}

/* Finds it; NULL: none of them does. */
static int find_culprit(struct player *p, struct search *s, const struct presence_request **culprit, struct error *err)
{
	const struct presence *pr = &p->presence;
	size_t all = 0, without = 0, with = 1; /* of the last ones: they do not end it, and do */
	bool ends;
	*culprit = NULL;
	while (all < pr->recent_count && (all < LAST_LEAST || pr->recent[all].ended_ns >= pr->recent_ns - STORED_NS))
		all++;
	/* A wait costs less than a start. */
	for (;; with = with * 4 < all ? with * 4 : all) {
		if (try_last(p, s, with, 1, &ends, err) < 0)
			return -1;
		if (ends || with == all || player_is_over(p))
			break;
		without = with;
	}
	if (!ends)
		return 0;
	while (with - without > 1 && !player_is_over(p)) {
		size_t middle = without + (with - without) / 2;
		if (try_last(p, s, middle, 1, &ends, err) < 0)
			return -1;
		*(ends ? &with : &without) = middle;
	}
	/* What was sent before may be why the first time. */
	if (with > 1 && !player_is_over(p) && try_last(p, s, with, 2, &ends, err) < 0)
		return -1;
	*culprit = ends && !player_is_over(p) ? &pr->recent[with - 1] : NULL;
	return 0;
}

/* "value/bureau-alert:change=0", or the event where the check sends several: "a bureau-alert" */
static void append_request(const struct presence_request *request, struct buffer *out)
{
	if (request->check && (!request->check->row->observes || !request->kind.event))
		buffer_append_text(out, request->check->id);
	else
		buffer_printf(out, "a %s", KIND_NAME(request->kind));
}

/* Whether both have the same name there. */
static bool is_named_alike(const struct presence_request *a, const struct presence_request *b)
{
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	append_request(a, &one);
	append_request(b, &other);
	return strcmp(buffer_text(&one), buffer_text(&other)) == 0;
}

/* "over this check or after A or B": of those that may have ended it, each once. */
static void append_doubt(const struct player *p, const struct probe_check *blamed, int64_t since_ns, struct buffer *how)
{
	const struct presence_request *recent = p->presence.recent;
	size_t named = 1;
	buffer_append_text(how, how->length > 0 ? ", " : "");
	if (recent[0].check == blamed && !blamed->row->observes) {
		buffer_append_text(how, "over this check");
	} else {
		buffer_append_text(how, "over ");
		append_request(&recent[0], how);
	}
	for (size_t i = 1; i < p->presence.recent_count && recent[i].ended_ns >= since_ns && named < NAMED_MOST; i++) {
		bool is_known = false;
		for (size_t before = 0; before < i; before++)
			is_known |= is_named_alike(&recent[before], &recent[i]);
		if (is_known)
			continue;
		buffer_append_text(how, named++ == 1 ? " or after " : " or ");
		append_request(&recent[i], how);
	}
}

/* "before this response; what ended it is not known: the last requests, sent again, did not" */
static void append_unknown(bool is_unanswered, struct buffer *how)
{
	if (is_unanswered)
		buffer_printf(how, "%sbefore this response", how->length > 0 ? ", " : "");
	buffer_printf(how, "%swhat ended it is not known: the last requests, sent again, did not",
	              how->length > 0 ? "; " : "");
}

/* "over something that it has stored, of one of the 57 checks from A to B" */
static void append_stored(const struct player *p, struct buffer *how)
{
	const struct presence *pr = &p->presence;
	const struct probe_check *before = NULL;
	const char *first = NULL, *last = NULL;
	size_t count = 0;
	for (size_t i = 0; i < pr->recent_count && pr->recent[i].ended_ns >= pr->recent_ns - STORED_NS; i++) {
		const struct probe_check *check = pr->recent[i].check;
		if (!pr->recent[i].is_accepted || !check || check == before)
			continue;
		last = last ? last : check->id;
		first = check->id;
		before = check;
		count++;
	}
	buffer_printf(how, "%sand started again it ends without a request: something that it has stored",
	              how->length > 0 ? ", " : "");
	if (count == 1)
		buffer_printf(how, "; accepted last: %s", last);
	else if (count > 1)
		buffer_printf(how, "; accepted last: %s, and in the second before it %zu from %s on", last, count - 1,
		              first);
}

/* It got no response since the listener had ended before. */
static void take_back(struct player *p, struct probe_check *check)
{
	cause_absolve(p->finder, (size_t)(check - p->options->plan->checks));
	probe_reopen(check, PROBE_PLAYED_AGAIN);
	p->presence.unanswered = check;
}

/* Says in the check what has ended it: `request` each time, or NULL: it is not known which of those that came last, or
 * none of them where these were sent again. */
static void say_ended_by(const struct player *p, struct probe_check *check, const struct presence_request *request,
                         bool was_searched)
{
	struct probe_result *r = &check->result;
	if (p->presence.ends_alone) {
		r->fix = "what cannot be worked on has to be set aside: it must not end the listener, nor its start";
		r->lost = "what it has stored ends the listener, again after a start";
		return;
	}
	if (!request && was_searched) {
		r->ended_by_itself = true;
		r->fix = "a timer, a worker or a limit of memory may have ended it";
		r->lost = "the listener ended by itself";
		return;
	}
	if (!request) {
		r->lost = "one of the last requests has ended the listener";
		return;
	}
	/* Others are of a value, or a defect, of their own. */
	const struct probe_check *of = request->check, *first = delivering(p, request->kind);
	bool is_usual = !of || of->row->expansion == PROBE_KINDS ||
	                (of->row->observes && of->row->expansion != PROBE_KEPT && !of->row->contrast &&
	                 status_set_contains(&of->expected.ok, 200));
	if (is_usual && first && first->result.ended_listener) /* a later one may have been a repeat */
		r->ended_by = request->kind;
	else if (is_usual)
		r->lost = "a request ends the listener";
}

/* Nothing more can be sent to it. What got no response may have come just after the one that has ended it. */
void death_blame_gone(struct player *p)
{
	LOCAL_BUFFER how = BUFFER_INIT;
	const struct presence_request *last = p->presence.recent;
	if (p->presence.recent_count == 0)
		return;
	struct probe_check *blamed = owner(p, last);
	int64_t since_ns = p->presence.recent_ns - SOON_NS;
	bool is_known = true;
	if (!blamed)
		return;
	if (p->presence.ends_alone) {
		append_stored(p, &how);
	} else if (p->presence.recent_count > 1 && !last->is_accepted && last[1].is_accepted &&
	           last[1].ended_ns >= since_ns) {
		append_doubt(p, blamed, since_ns, &how);
		is_known = false;
		if (last->check)
			cause_absolve(p->finder, (size_t)(last->check - p->options->plan->checks));
	} else if (last->check != blamed) {
		buffer_append_text(&how, "over ");
		append_request(last, &how);
	}
	presence_blame(blamed, p->presence.recent_ns, buffer_text(&how));
	say_ended_by(p, blamed, is_known ? last : NULL, false);
}

/* Finds out over which request it has ended, whose check fails, and starts it again or waits until somebody does. What
 * got no response for that is played again. */
static int play_death(struct player *p, bool was_doubtful, int64_t gone_ns, struct error *err)
{
	LOCAL_BUFFER how = BUFFER_INIT;
	struct search search = { .gone_ns = gone_ns };
	struct presence *pr = &p->presence;
	const struct presence_request *last = pr->recent_count > 0 ? &pr->recent[0] : NULL, *culprit = NULL;
	struct probe_check *unanswered = pr->unsent ? pr->unsent : was_doubtful && last ? last->check : NULL;
	struct probe_check *blamed = last ? owner(p, last) : NULL;
	if (p->options->listener)
		listener_append_end(p->options->listener, &how);
	if (blamed)
		presence_keep_log(p, blamed);
	if (death_revive(p, err) < 0)
		return -1;
	search.end_ns = player_now(p) + SEARCH_NS;
	if (last && !player_is_over(p) && find_culprit(p, &search, &culprit, err) < 0)
		return -1;
	bool was_sent = search.was_sent && !player_is_over(p),
	     was_searched = was_sent && !search.was_other && player_now(p) < search.end_ns;
	if (culprit) {
		blamed = owner(p, culprit);
		presence_keep_log(p, blamed);
	}
	if (pr->ends_alone) {
		append_stored(p, &how);
		if (blamed)
			presence_keep_log(p, blamed); /* of its second end, too */
	} else if (culprit && (culprit->check != blamed || blamed->row->observes)) {
		buffer_append_text(&how, how.length > 0 ? ", over " : "over ");
		append_request(culprit, &how);
	} else if (!culprit && blamed && was_searched) {
		append_unknown(unanswered && !pr->unsent, &how);
	} else if (!culprit && blamed) {
		append_doubt(p, blamed, 0, &how);
		if (was_sent)
			buffer_append_text(&how, "; sent again, it did not end");
	}
	p->no_memory |= how.failed; /* for its words */
	if (!culprit && last && last->check)
		cause_absolve(p->finder, (size_t)(last->check - p->options->plan->checks));
	if (blamed) {
		presence_blame(blamed, pr->recent_ns, buffer_text(&how));
		say_ended_by(p, blamed, culprit, was_searched);
	}
	if (unanswered && unanswered != blamed && request_can_be_sent_again(unanswered))
		take_back(p, unanswered);
	pr->recent_count = 0;
	if (player_is_over(p))
		return 0;
	pr->restarts++;
	if (player_deaths(p) > PROBE_RESTARTS_MAX && p->options->listener)
		presence_end_gone(p);
	else if (search.is_ended)
		return death_revive(p, err);
	return 0;
}

/* Waits, since what is sent while nobody listens would be blamed on the wrong checks. */
int death_settle(struct player *p, struct error *err)
{
	struct listener *listener = p->options->listener;
	int64_t began = player_now(p);
	bool is_gone = listener && listener_is_gone(listener), had_ended = is_gone;
	bool was_doubtful = p->presence.doubtful;
	int code = 0;
	if ((!was_doubtful && !is_gone) || player_is_over(p))
		return 0;
	p->presence.doubtful = false; /* so that what is sent again is sent to its end */
	if (!is_gone) {
		player_wait(p, ENDING_NS);
		had_ended = !listener && presence_has_ended(p);
		is_gone = !presence_wait(p);
	}
	p->hangs += !listener && player_now(p) - began > LONG_RESTART_NS;
	if (is_gone && !listener)
		presence_end_gone(p);
	else if (is_gone || had_ended) /* somebody else may have started it again */
		code = play_death(p, was_doubtful, began, err);
	p->presence.unsent = NULL;
	return code;
}

int death_look_last(struct player *p, struct error *err)
{
	int64_t left = p->presence.recent_ns + STORED_NS - player_now(p);
	if (!p->options->listener || p->presence.recent_count == 0 || player_is_over(p))
		return 0;
	/* One look is enough: each may be a connection, and many fill the backlog of one that is busy. */
	if (left > 0)
		player_wait(p, left);
	return death_settle(p, err);
}
