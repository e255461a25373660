#include "probe/play/cause_feed.h"

#include "base/ascii.h"
#include "http/words.h"
#include "payload/check.h"
#include "probe/play/player.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <string.h>

/* What came, in words that are the same for the same failure. */
static void describe(const struct exchange *x, char out[FEED_WORDS_SIZE])
{
	char excerpt[PROBE_REASON_SIZE];
	bool responded = x->outcome == DELIVER_RESPONDED;
	const char *text = responded ? x->response.body.text : x->message;
	probe_excerpt(text ? text : "", responded ? x->response.body.length : strlen(x->message), excerpt);
	bool is_cut = !responded && x->status != 0;
	snprintf(out, FEED_WORDS_SIZE, "%s%s%s", excerpt, is_cut ? " after the head" : "",
	         is_cut && x->response_length > 0 ? " and a part of the body" : "");
}

/* Whether its request is one that the service sends, which has to be taken. */
static bool is_due(const struct probe_check *check)
{
	return check && check->level != PROBE_NOTE && !check->row->invalid &&
	       (status_set_contains(&check->expected.ok, 200) || status_set_contains(&check->expected.ok, 202));
}

/* A should that its row tolerates has a cause, too; a must that is tolerated (a repeat, an order) is how some listeners
 * mean to work, and so is what several connections get. */
static bool is_tolerated(const struct probe_check *check, const struct exchange *x)
{
	if (check->level == PROBE_SHOULD && check->row->connections == 0)
		return false;
	bool closed = x->outcome == DELIVER_UNKNOWN && x->failure != DELIVER_TIMED_OUT;
	return x->outcome == DELIVER_RESPONDED ? status_set_contains(&check->expected.tolerated, x->status)
	                                       : closed && check->expected.closed_tolerated;
}

/* What the listener printed of it, which tells apart what it responds to alike: its error, or else the last line with a
 * letter in it. */
static void append_log(struct buffer *out, const struct buffer *log)
{
	const char *begin = buffer_text(log), *end = begin + log->length, *from = end;
	bool any = false;
	if (words_append_error(out, begin, log->length, WORDS_LINE_MAX))
		return;
	while (from > begin && !(any && from[-1] == '\n')) {
		from--;
		any |= ascii_is_letter(*from);
		end = any ? end : from;
	}
	if (any)
		buffer_append(out, from, (size_t)(end - from));
}

int feed_request(struct player *p, const struct probe_sent *sent, struct error *err)
{
	const struct exchange *x = sent->exchange;
	const struct probe_check *check = sent->check;
	const struct probe_row *row = check ? check->row : NULL;
	char words[FEED_WORDS_SIZE];
	LOCAL_BUFFER log = BUFFER_INIT;
	bool is_plain = !x->request.method.text && !x->request.target.text && (!row || !row->framing);
	bool accepted = probe_was_accepted(x), due = is_due(check);
	if (x->outcome == DELIVER_FAILED) {
		if (x->failure == DELIVER_REFUSED)
			cause_forget(p->finder);
		return 0;
	}
	/* A refusal that is right says nothing. */
	if (!accepted && check && x->outcome == DELIVER_RESPONDED &&
	    status_set_contains(&check->expected.ok, x->status))
		return 0;
	describe(x, words);
	if (!accepted && check)
		append_log(&log, &check->result.log);
	if (log.failed)
		return error_no_memory(err);
	struct cause_request request = {
		.what = { .body = x->request.body.text ? x->request.body.text : "",
		          .length = x->request.body.length,
		          .headers = x->request.headers,
		          .header_count = x->request.header_count,
		          .header = row ? row->header : NULL,
		          .way = is_plain || !row ? NULL : row->sent },
		.side = accepted                         ? CAUSE_ACCEPTED
		        : due && !is_tolerated(check, x) ? CAUSE_FAILED
		                                         : CAUSE_ASIDE,
		.status = x->outcome == DELIVER_RESPONDED ? x->status : 0,
		.words = words,
		.log = { buffer_text(&log), log.length },
		.check = check ? (size_t)(check - p->options->plan->checks) : CAUSE_NO_CHECK,
		.at_once = row && row->connections > 0,
		.is_fixed = !check || !is_plain || row->header || x->request.header_count > 0,
		.sent_ns = x->sent_ns > 0 ? x->sent_ns : x->started_ns,
		.finished_ns = x->finished_ns,
	};
	return cause_add(p->finder, &request, err);
}

int feed_response(const struct exchange *x, char words[FEED_WORDS_SIZE], struct cause_response *response,
                  struct error *err)
{
	bool accepted = probe_was_accepted(x), refused = x->outcome == DELIVER_RESPONDED && x->status / 100 == 4;
	struct checker *checker = accepted || !refused ? NULL : checker_new(err);
	const struct verdict *verdict =
	        checker ? check_payload(checker, x->request.body.text, x->request.body.length, NULL, err) : NULL;
	int result = accepted || !refused || verdict ? 0 : -1;
	describe(x, words);
	/* That an invalid payload is refused says nothing. */
	*response = (struct cause_response){ .side = accepted                     ? CAUSE_ACCEPTED
		                                     : verdict && !verdict->valid ? CAUSE_ASIDE
		                                                                  : CAUSE_FAILED,
		                             .status = x->outcome == DELIVER_RESPONDED ? x->status : 0,
		                             .words = words,
		                             .sent_ns = x->sent_ns > 0 ? x->sent_ns : x->started_ns,
		                             .finished_ns = x->finished_ns };
	checker_free(checker);
	return result;
}
