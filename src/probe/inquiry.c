/* What failures of a run have in common: asks for it, and puts it into the results. */
#include "probe/player.h"

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
			if (is_bad && result->cause == 0)
				result->cause = (unsigned)c + 1;
		}
}

/* Sends what is to be asked. A listener that ends over it is started again as in the run, but no check is blamed for
 * that, and the run has been through. */
static int ask(struct player *p, struct error *err)
{
	struct cause_question question;
	unsigned hangs = 0, ends = 0, restarts = p->restarts;
	int asks = 0;
	p->recent_count = 0;
	p->unsent = NULL;
	while (!player_is_over(p) && hangs < HANGS_MOST && ends < ENDS_MOST &&
	       (asks = cause_ask(p->finder, &question, err)) == 1) {
		bool hung;
		if (play_question(p, question.body, question.length, &hung, err) < 0)
			return -1;
		p->hangs = 0;
		if (play_wait(p, err) < 0)
			return -1;
		hangs += hung;
		ends += p->restarts != restarts || p->hangs > 0;
		p->restarts = restarts;
		if (p->summary->stop != PROBE_GONE)
			continue;
		p->summary->stop = PROBE_THROUGH;
		break;
	}
	return asks < 0 ? -1 : 0;
}

int play_inquiry(struct player *p, struct error *err)
{
	struct error later;
	/* Nothing is graded. */
	if (p->summary->stop == PROBE_UNREACHABLE || p->summary->stop == PROBE_LOCKED_OUT)
		return 0;
	int code = ask(p, err);
	if (cause_list(p->finder, &p->summary->causes, &p->summary->cause_count, code < 0 ? &later : err) < 0)
		return -1;
	mark_checks(p);
	return code;
}
