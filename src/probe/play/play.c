#include "probe/play/play.h"

#include "http/secrets.h"
#include "probe/play/cause_feed.h"
#include "probe/play/death.h"
#include "probe/play/flight.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/recovery.h"
#include "probe/play/requests.h"
#include "probe/play/still_up.h"
#include "probe/play/verdict.h"

#include <string.h>

/* Ends a check that cannot be played, as skipped. Returns whether it did. */
static bool skip_unplayable(const struct player *p, struct probe_check *check)
{
	const struct probe_row *row = check->row;
	const char *why = NULL;
	if (row->sets_type && p->options->own_content_type)
		why = "a header given sets the Content-Type";
	else if (p->hangs >= (p->unended > 0 && p->responses == 0 ? PROBE_UNENDED_MAX : PROBE_HANGS_MAX) &&
	         !check->after)
		why = "too many requests of this group got no response in time";
	if (why)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", why);
	return why != NULL;
}

/* Whether the request is of an event that the listener does not take anyway, for which another check of the run has
 * failed. */
static bool is_in_vain(const struct player *p, const struct probe_check *check, const struct job *job)
{
	const struct probe_plan *plan = p->options->plan;
	if (check->row->expansion == PROBE_KINDS || check->after)
		return false;
	for (const struct probe_check *valid = plan->checks; valid < plan->checks + plan->count; valid++)
		if (valid->row->expansion == PROBE_KINDS && valid->result.ended &&
		    valid->result.verdict == GRADE_FAIL && strcmp(strchr(valid->id, '/') + 1, job->name) == 0)
			return true;
	return false;
}

/* The batch that is played. */
struct batch {
	struct player *player;
	size_t at, end;            /* the check under way, and the end, of the plan's checks */
	unsigned made;             /* of its requests */
	struct probe_check *again; /* is played again before that, from its beginning; NULL: none */
	unsigned made_again;       /* of its requests */
	bool is_abreast;           /* side by side */
};

static struct batch batch_of(struct player *p, size_t first, size_t end)
{
	p->presence.unanswered = NULL; /* of another batch */
	return (struct batch){ .player = p, .at = first, .end = end };
}

static bool has_more(const struct batch *b)
{
	return b->again || b->at < b->end;
}

/* The check whose request comes next, and how many of its have been made. */
static struct probe_check *under_way(struct batch *b, unsigned **made)
{
	*made = b->again ? &b->made_again : &b->made;
	return b->again ? b->again : &b->player->options->plan->checks[b->at];
}

/* All of its requests have been made. */
static void go_on(struct batch *b)
{
	if (!b->again) {
		b->at++;
		b->made = 0;
	}
	b->again = NULL;
}

/* What got no response since the listener had ended before comes next, from its beginning. */
static void take_unanswered(struct batch *b)
{
	struct presence *pr = &b->player->presence;
	struct probe_check *check = pr->unanswered;
	if (!check)
		return;
	bool is_under_way = (size_t)(check - b->player->options->plan->checks) == b->at;
	pr->unanswered = NULL;
	b->again = check;
	b->made_again = 0;
	/* What else was under way got no response either, and begins again behind it. */
	b->made = is_under_way ? requests_of(check) : 0;
}

/* Waits until the listener is there. */
static int settle(struct batch *b, struct error *err)
{
	int code = death_settle(b->player, err);
	take_unanswered(b);
	return code;
}

static enum job_got fill(struct player *p, struct probe_check *check, unsigned *made, struct job *job,
                         struct error *err)
{
	const char *why = NULL;
	if (request_make(p, check, *made, job, err) < 0) {
		if (err->code != EXIT_CODE_USAGE)
			return JOB_FAILED;
		why = err->message;
	} else if (is_in_vain(p, check, job)) {
		probe_reopen(check, PROBE_SAID_AGAIN); /* whatever its earlier requests got */
		why = "the event is not accepted";
	}
	if (why) {
		probe_end(check, PROBE_SKIPPED, NULL, "%s", why);
		job_clear(job);
		return JOB_NONE;
	}
	job->record = (size_t)(check - p->options->plan->checks) + 1;
	++*made;
	job->exchange.keep_head = true;
	job->expected = check->expected.ok;
	job->has_expected = true;
	return JOB_FILLED;
}

/* The next request of the batch. One that failed already is not asked further. */
static enum job_got next_of_checks(void *context, struct job *job, struct error *err)
{
	struct batch *b = context;
	struct player *p = b->player;
	for (; has_more(b) && !player_is_over(p); go_on(b)) {
		unsigned *made;
		struct probe_check *check = under_way(b, &made);
		player_go_on(p, b->at);
		if (!check->chosen || (b->is_abreast && !probe_row_goes_abreast(check->row)))
			continue;
		if (b->is_abreast && !flight_goes_on(p))
			return JOB_NONE;
		if (!b->is_abreast && settle(b, err) < 0)
			return JOB_FAILED;
		if (recovery_interrupts(p)) /* another batch begins with it */
			return JOB_NONE;
		check = under_way(b, &made); /* another one, where one is played again */
		bool failed = probe_has_failed(check) || (check->result.ended && check->result.verdict == GRADE_SKIP);
		bool is_graded = *made == 0 && check->result.ended && check->result.graded >= requests_of(check);
		if (failed || is_graded || *made >= requests_of(check))
			continue;
		if (player_is_over(p))
			break;
		if (*made == 0 && skip_unplayable(p, check))
			continue;
		if (*made == 0)
			presence_note_log(p);
		enum job_got got = fill(p, check, made, job, err);
		if (got != JOB_NONE)
			return got;
	}
	return JOB_NONE;
}

/* Whether a check that is chosen refers to what the event begins. */
static bool is_referred_to(const struct player *p, const struct catalog_event *event)
{
	const struct probe_plan *plan = p->options->plan;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		if (!check->chosen || !check->row->make)
			continue;
		if (check->kind.event ? probe_refers_to(check->kind.event, event) : event == p->maker.accepted.event)
			return true;
	}
	return false;
}

/* What the checks refer to, which is sent before them. */
struct introduction {
	struct player *player;
	size_t next; /* event of the story */
};

/* Makes the next payload of it. */
static enum job_got next_to_introduce(void *context, struct job *job, struct error *err)
{
	struct introduction *i = context;
	struct player *p = i->player;
	while (i->next < catalog_event_count && !player_is_over(p)) {
		struct catalog_kind kind = { catalog_story_at(i->next++), NULL };
		if (!is_referred_to(p, kind.event))
			continue;
		catalog_kind_name(kind, job->name);
		if (probe_sample(&p->maker, kind, i->next, true, &job->body, err) == 0)
			return JOB_FILLED;
		if (err->code != EXIT_CODE_USAGE)
			return JOB_FAILED;
		job_clear(job); /* the checks that cannot be made either say why */
	}
	return JOB_NONE;
}

static void keep_body(struct probe_message *message, const char *body, size_t length, uint64_t whole)
{
	buffer_clear(&message->body);
	buffer_append(&message->body, body, length < PROBE_BODY_KEPT ? length : PROBE_BODY_KEPT);
	message->length = whole;
}

/* Keeps what was sent, without what may be secret, and what came back. */
static void keep_messages(const struct player *p, const struct probe_sent *sent)
{
	const struct exchange *x = sent->exchange;
	struct probe_result *r = &sent->check->result;
	buffer_clear(&r->request.head);
	buffer_clear(&r->response.head);
	if (sent->check->row->framing)
		buffer_append_text(&r->request.head, sent->check->row->sent);
	else
		secrets_append_request(p->options->http, &x->request, &r->request.head);
	secrets_append_response(x, &r->response.head);
	keep_body(&r->request, x->request.body.text, x->request.body.length, x->request.body.length);
	keep_body(&r->response, x->response.body.text, x->response.body.length, x->response_length);
	r->sent_ns = x->sent_ns > 0 ? x->sent_ns : x->started_ns;
}

/* Puts it into the result of its check. */
static void grade(struct player *p, const struct probe_sent *sent)
{
	struct probe_check *check = sent->check;
	const struct exchange *x = sent->exchange;
	if (x->failure == DELIVER_NO_TUNNEL) {
		probe_end(check, PROBE_SKIPPED, NULL,
		          "the proxy gives no tunnel (CONNECT), so bytes cannot be sent as they are");
	} else if (p->presence.doubtful && x->outcome == DELIVER_FAILED && check->row->connections == 0) {
		p->presence.unsent = check->result.ended ? NULL : check;
		probe_end(check, PROBE_SKIPPED, NULL, "the listener accepted no connection, so nothing was sent");
	} else {
		const struct probe_result before = check->result;
		check->result.graded += check->row->framing ? requests_of(check) : 1;
		probe_grade(check, x, &p->maker);
		bool is_new = !before.ended || before.verdict != check->result.verdict;
		if (p->options->keeps_messages && is_new)
			keep_messages(p, sent);
		if (is_new && (check->result.verdict == GRADE_FAIL || check->result.verdict == GRADE_WARN))
			presence_keep_log(p, check);
	}
	if (check->result.unended && p->unended++ == 0)
		p->observer->unended(p->observer->context, check);
}

/* Each request of the run comes by here once, when it has ended. */
static void take_sent(struct player *p, const struct probe_sent *sent, bool is_abreast)
{
	const struct exchange *x = sent->exchange;
	const struct probe_check *check = sent->check;
	struct error err;
	bool timed = !is_abreast && (!check || !probe_row_is_alone(check->row));
	bool is_due = !check || check->row->expansion == PROBE_KINDS; /* every listener has to take it */
	p->requests++;
	p->responses += x->outcome == DELIVER_RESPONDED || x->status >= 300;
	p->hangs += x->failure == DELIVER_TIMED_OUT;
	if (is_due && sent->kind.event)
		p->maker.failed[catalog_kind_index(sent->kind)] = x->status < 200 || x->status >= 300;
	presence_note(p, sent);
	if (probe_was_accepted(x))
		still_up_note(&p->still_up, x->request.body.length,
		              timed && !(check && check->row->invalid) ? x->finished_ns - x->sent_ns : 0);
	if (check)
		grade(p, sent);
	p->no_memory |= feed_request(p, sent, &err) < 0;
	if (!p->has_played)
		probe_watch_add(&p->watch, check, sent->kind, x, &p->maker, timed);
}

static struct probe_sent sent_of(const struct player *p, const struct job *job)
{
	struct probe_sent sent = { .exchange = &job->exchange };
	if (job->record > 0)
		sent.check = &p->options->plan->checks[job->record - 1];
	if (catalog_find_kind(job->name, &sent.kind, NULL) != CATALOG_FOUND)
		sent.kind = (struct catalog_kind){ NULL, NULL };
	return sent;
}

static bool on_attempt(void *context, const struct job *job)
{
	struct player *p = ((struct batch *)context)->player;
	struct probe_sent sent = sent_of(p, job);
	take_sent(p, &sent, false);
	return true;
}

/* What is not right is left open. */
static bool on_abreast(void *context, const struct job *job)
{
	struct player *p = ((struct batch *)context)->player;
	struct probe_sent sent = sent_of(p, job);
	struct probe_check tried = *sent.check;
	probe_grade(&tried, sent.exchange, &p->maker);
	bool is_alone = flight_note(p, &sent);
	if (is_alone && tried.result.verdict == GRADE_OK) {
		take_sent(p, &sent, true);
		return true;
	}
	presence_note(p, &sent);
	sent.check->result = tried.result;
	sent.check->result.ended = false; /* it is, if it does not come again */
	sent.check->result.graded = is_alone;
	return true;
}

/* The run is over before they have come again: they had a response. */
static void end_left_open(const struct player *p, size_t first, size_t end)
{
	for (struct probe_check *check = &p->options->plan->checks[first]; check < &p->options->plan->checks[end];
	     check++)
		check->result.ended |= probe_row_goes_abreast(check->row) && check->result.graded == requests_of(check);
}

static bool on_introduced(void *context, const struct job *job)
{
	struct player *p = ((struct introduction *)context)->player;
	struct probe_sent sent = sent_of(p, job);
	take_sent(p, &sent, false);
	return true;
}

/* The run ends here, or has: what has not been played to its end is left open, unless it has gone wrong already. */
static void cut_short(const struct player *p, size_t first, size_t end)
{
	for (struct probe_check *check = &p->options->plan->checks[first]; check < &p->options->plan->checks[end];
	     check++)
		if (check->result.ended && check->result.verdict == GRADE_OK &&
		    check->result.graded < requests_of(check))
			probe_reopen(check, PROBE_NOT_PLAYED);
}

int play_script(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	struct batch b = batch_of(p, index, index + 1);
	player_go_on(p, index);
	int code = settle(&b, err);
	bool is_due = true;
	while (code == 0 && is_due && !player_is_over(p) && !skip_unplayable(p, check)) {
		b.again = NULL;
		presence_note_log(p);
		code = requests_send_script(p, check, on_attempt, &b, err);
		if (code < 0 && err->code == EXIT_CODE_USAGE) {
			probe_end(check, PROBE_SKIPPED, NULL, "%s", err->message);
			code = 0;
		}
		if (code == 0)
			code = settle(&b, err);
		is_due = b.again == check;
	}
	return code;
}

/* Plays what can go side by side; what does not end well so is left open. */
static int play_abreast(struct player *p, size_t first, size_t end, struct error *err)
{
	struct batch b = batch_of(p, first, end);
	const struct probe_watch before = p->watch;
	const struct page_responses pages = p->summary->pages;
	bool has_ended = false;
	b.is_abreast = true;
	int code = requests_send(p, next_of_checks, on_abreast, &b, flight_width(p), NULL, err);
	if (code == 0)
		code = flight_land(p, &has_ended, err);
	if (player_is_over(p) || !has_ended)
		return code;
	/* All come again, also what had its response before that may have ended it; and are counted then. */
	for (struct probe_check *check = &p->options->plan->checks[first]; check < &p->options->plan->checks[end];
	     check++)
		if (probe_row_goes_abreast(check->row))
			probe_reopen(check, PROBE_PLAYED_AGAIN);
	struct probe_durations *events = p->watch.events;
	p->watch = before;
	p->watch.events = events;
	p->summary->pages = pages;
	return code;
}

int play_batch(struct player *p, size_t first, size_t end, struct error *err)
{
	const struct probe_row *row = p->options->plan->checks[first].row;
	struct batch b = batch_of(p, first, end);
	int code = end - first > 1 && !probe_row_is_alone(row) && flight_width(p) > 1 ? play_abreast(p, first, end, err)
	                                                                              : 0;
	while (code == 0 && has_more(&b) && !player_is_over(p)) {
		code = requests_send(p, next_of_checks, on_attempt, &b, row->connections, row->header, err);
		if (code == 0)
			code = settle(&b, err);
	}
	if (code < 0 || player_is_over(p)) {
		cut_short(p, first, end);
		end_left_open(p, first, end);
	}
	if (code == 0 && row->connections > 0)
		probe_end_crowd(&p->options->plan->checks[first], p->options->http->max_time_ns);
	if (code == 0 && row->connections > 0 && probe_has_failed(&p->options->plan->checks[first]))
		presence_keep_log(p, &p->options->plan->checks[first]); /* of all of them */
	return code;
}

static bool is_open_aside(const struct probe_check *check)
{
	return check->aside && !check->result.ended;
}

int play_aside(struct player *p, struct error *err)
{
	struct probe_check *checks = p->options->plan->checks;
	size_t count = p->options->plan->count, end;
	bool has_failed = false;
	int code = 0;
	p->has_played = true;
	for (size_t i = 0; i < count; i++)
		has_failed |= checks[i].chosen && !checks[i].aside && checks[i].row->make && !checks[i].row->observes &&
		              probe_has_failed(&checks[i]) && !checks[i].result.ended_listener;
	for (size_t i = 0; i < count && code == 0 && has_failed && !player_is_over(p); i = end) {
		for (end = i; end < count && is_open_aside(&checks[end]); end++)
			checks[end].chosen = true;
		p->hangs = 0;
		if (end > i)
			code = play_batch(p, i, end, err);
		else
			end = i + 1;
	}
	return code;
}

void play_drop_aside(struct player *p)
{
	for (size_t i = 0; i < p->options->plan->count; i++) {
		struct probe_check *check = &p->options->plan->checks[i];
		check->chosen &= !check->aside;
		check->result.ended &= !check->aside;
	}
}

int play_introduction(struct player *p, struct error *err)
{
	const struct probe_plan *plan = p->options->plan;
	bool all = true;
	for (size_t i = 0; i < plan->count; i++)
		all &= plan->checks[i].row->expansion != PROBE_KINDS || plan->checks[i].chosen;
	struct introduction introduction = { p, 0 };
	int code = all ? 0 : requests_send(p, next_to_introduce, on_introduced, &introduction, 0, NULL, err);
	return code < 0 ? code : death_settle(p, err);
}
