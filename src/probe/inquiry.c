#include "probe/inquiry.h"

#include "probe/play/cause_feed.h"
#include "probe/play/death.h"
#include "probe/play/play.h"
#include "probe/play/player.h"
#include "probe/play/requests.h"

#define ENDS_MOST  4 /* of the listener, after which nothing more is asked */
#define HANGS_MOST 3 /* responses that did not come in time */

/* Numbers the causes from 1 on in the results of their checks; one is in the first that has it. */
static void mark_checks(struct player *p)
{
	const struct probe_summary *s = p->summary;
	for (size_t c = 0; c < s->cause_count; c++)
		for (size_t i = 0; i < s->causes[c].check_count; i++) {
			struct probe_result *result = &p->options->plan->checks[s->causes[c].checks[i]].result;
			bool is_bad = result->ended && result->verdict != GRADE_OK && result->verdict != GRADE_SKIP;
			/* Once it has been started again, a request may well get another response. */
			is_bad &= !result->ended_listener || s->causes[c].type != CAUSE_FLAKY;
			if (is_bad && result->cause == 0)
				result->cause = (unsigned)c + 1;
		}
}

/* What is asked, one question at a time. */
struct asking {
	struct player *player;
	const struct cause_question *question; /* NULL: its request was made */
	struct cause_response *response;
	char words[FEED_WORDS_SIZE]; /* the response's */
	enum cause_sent sent;
	unsigned hangs, ends, restarts;
	bool was_over; /* the run, before anything was asked */
};

static enum job_got next_question(void *context, struct job *job, struct error *err)
{
	struct asking *a = context;
	if (!a->question)
		return JOB_NONE;
	buffer_append(&job->body, a->question->body, a->question->length);
	a->question = NULL;
	return job->body.failed ? (error_no_memory(err), JOB_FAILED) : JOB_FILLED;
}

static bool on_response(void *context, const struct job *job)
{
	struct asking *a = context;
	struct player *p = a->player;
	const struct exchange *x = &job->exchange;
	struct error err;
	p->presence.doubtful = x->status == 0 && x->failure != DELIVER_TIMED_OUT;
	p->hangs = x->failure == DELIVER_TIMED_OUT;
	if (x->outcome != DELIVER_FAILED) {
		p->no_memory |= feed_response(x, a->words, a->response, &err) < 0;
		a->sent = CAUSE_SENT;
	}
	return true;
}

/* The run has been through, whatever becomes of the listener now; then nothing more is asked. */
static void take_up(struct asking *a)
{
	struct probe_summary *s = a->player->summary;
	if (!a->was_over && (s->stop == PROBE_GONE || s->stop == PROBE_NOT_READY)) {
		s->stop = PROBE_THROUGH;
		a->ends = ENDS_MOST;
	}
}

/* Sends a question. A listener that ends over it is started again as in the run, but no check is blamed for that, and
 * the run has been through. */
static int send_question(void *context, const struct cause_question *question, struct cause_response *response,
                         struct error *err)
{
	struct asking *a = context;
	struct player *p = a->player;
	if (player_is_over(p) || a->hangs == HANGS_MOST || a->ends == ENDS_MOST)
		return CAUSE_ENOUGH;
	a->question = question;
	a->response = response;
	a->sent = CAUSE_NOT_SENT;
	p->hangs = 0;
	if (requests_send(p, next_question, on_response, a, 0, NULL, err) < 0)
		return -1;
	a->hangs += p->hangs > 0;
	p->hangs = 0;
	/* One that is about to end takes the next question, and fails it in other words. */
	if (p->presence.doubtful && p->presence.restarts > 0)
		(void)death_comes(p);
	if (death_settle(p, err) < 0)
		return -1;
	a->ends += p->presence.restarts != a->restarts || p->hangs > 0;
	p->presence.restarts = a->restarts;
	take_up(a);
	return (int)a->sent;
}

/* A listener may know only the values that the user has set. */
static void keep_edited(struct player *p)
{
	for (size_t i = 0; i < PROBE_EDITS_MAX; i++)
		for (size_t e = 0; p->maker.edits[i] && e < p->maker.edits[i]->count; e++)
			if (p->maker.edits[i]->list[e].pointer)
				cause_keep(p->finder, p->maker.edits[i]->list[e].pointer);
}

int inquiry_play(struct player *p, struct error *err)
{
	struct asking asking = { .player = p, .was_over = player_is_over(p) };
	const struct cause_sender sender = { send_question, &asking };
	/* Nothing is graded. */
	if (p->summary->stop == PROBE_UNREACHABLE || p->summary->stop == PROBE_LOCKED_OUT)
		return 0;
	int code = play_aside(p, err);
	keep_edited(p);
	take_up(&asking);
	asking.restarts = p->presence.restarts;
	p->presence.recent_count = 0;
	p->presence.unsent = NULL;
	if (code == 0)
		code = cause_find(p->finder, &sender, &p->summary->causes, &p->summary->cause_count, err);
	play_drop_aside(p);
	mark_checks(p);
	return code;
}
