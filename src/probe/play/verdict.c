#include "probe/play/verdict.h"

#include "base/clock.h"
#include "base/find.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cause/cause.h"
#include "http/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT_MAX 120 /* bytes of a line that are shown */

const char probe_contrary_fix[] = "respond as --expect-status says, or correct the option";

/* What an outcome comes to at the check's level. */
static enum grade at_level(const struct probe_check *check, enum probe_outcome outcome)
{
	static const enum grade grades[PROBE_LEVELS][PROBE_SKIPPED + 1] = {
		[PROBE_MUST] = { GRADE_OK, GRADE_WARN, GRADE_FAIL, GRADE_SKIP },
		[PROBE_SHOULD] = { GRADE_OK, GRADE_NOTE, GRADE_WARN, GRADE_SKIP },
		[PROBE_NOTE] = { GRADE_OK, GRADE_NOTE, GRADE_NOTE, GRADE_SKIP },
	};
	return grades[check->level][outcome];
}

/* Whether what was found earlier stays. */
static bool is_worse(const struct probe_check *check, enum grade verdict)
{
	return !check->result.ended || (verdict > check->result.verdict && verdict != GRADE_SKIP);
}

void probe_end(struct probe_check *check, enum probe_outcome outcome, const char *fix, const char *format, ...)
{
	struct probe_result *r = &check->result;
	va_list args;
	enum grade verdict = at_level(check, outcome);
	if (!is_worse(check, verdict))
		return;
	r->ended = true;
	r->verdict = verdict;
	r->fix = verdict == GRADE_OK || verdict == GRADE_SKIP ? NULL : fix;
	va_start(args, format);
	vsnprintf(r->reason, sizeof r->reason, format, args);
	va_end(args);
}

void probe_reopen(struct probe_check *check, enum probe_reopening why)
{
	if (check->result.ended_listener)
		return;
	check->result.ended = false;
	check->result.graded = 0;
	check->result.lost = NULL;
	check->result.is_double = false;
	check->result.is_contrary = false;
	check->result.part_of = NULL;
	if (why != PROBE_PLAYED_AGAIN)
		return;
	check->result.unanswered = 0;
	buffer_clear(&check->result.log);
}

static enum probe_outcome outcome_of_status(const struct probe_check *check, const struct exchange *x,
                                            const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	const struct text *body = &x->response.body;
	bool echoed = find_text(body->text, body->length, maker->run_id, strlen(maker->run_id)) != NULL;
	bool trace = message_method_is(&x->request, "TRACE");
	if (trace && echoed && x->status < 300)
		return PROBE_FAILED;
	return status_set_contains(&e->ok, x->status)          ? PROBE_RIGHT
	       : status_set_contains(&e->tolerated, x->status) ? PROBE_TOLERATED
	                                                       : PROBE_FAILED;
}

/* Grades a request without a response. How many of several connections get one is what load/burst asks: any other
 * check that is a must fails only where none does, since a busy machine must not break it. */
static enum probe_outcome outcome_of_silence(const struct probe_check *check, bool closed, bool crowded)
{
	bool served = check->result.ended && check->result.verdict <= GRADE_WARN;
	if (closed)
		return check->expected.closed_ok          ? PROBE_RIGHT
		       : check->expected.closed_tolerated ? PROBE_TOLERATED
		                                          : PROBE_FAILED;
	return crowded && served && check->level == PROBE_MUST ? PROBE_TOLERATED : PROBE_FAILED;
}

/* Writes the line, safe to print. */
static void write_excerpt(const struct buffer *line, char out[PROBE_REASON_SIZE])
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, buffer_text(line), line->length);
	snprintf(out, PROBE_REASON_SIZE, "%s", buffer_text(&safe));
}

/* What the body of an error response says: who refuses says why below the title of the page. */
static void write_quote(const struct exchange *x, char out[PROBE_REASON_SIZE])
{
	const struct text *body = &x->response.body;
	LOCAL_BUFFER line = BUFFER_INIT;
	if (x->status < 500)
		words_append_page(&line, body->text, body->length, EXCERPT_MAX);
	else
		words_append_line(&line, body->text, body->length, EXCERPT_MAX);
	write_excerpt(&line, out);
}

/* Whether the response says in no way where it ends, and the connection was kept open behind it. */
static bool never_ends(const struct probe_check *check, const struct exchange *x)
{
	return x->status != 0 && x->failure == DELIVER_TIMED_OUT && !check->row->framing &&
	       !*exchange_field(x, "Content-Length") && !*exchange_field(x, "Transfer-Encoding");
}

/* What to do about a status that is not right. */
static const char *fix_of_response(const struct probe_check *check, int status)
{
	const struct probe_row *row = check->row;
	const char *known = status_set_contains(&check->expected.ok, 200) ? cause_fix_of_status(status) : NULL;
	struct status_set own = { { 0 } };
	struct error unused;
	if (check->expected.is_contrary)
		return probe_contrary_fix;
	if (status >= 300 && status < 400)
		return "respond 2xx at this URL: senders do not follow redirects";
	if (row->fix_statuses && status_set_parse(&own, row->fix_statuses, &unused) == 0 &&
	    status_set_contains(&own, status))
		return row->fix;
	if (known)
		return known;
	if (check->advice[0])
		return check->advice;
	return row->other_fix ? row->other_fix : row->fix;
}

static const char crowd_fix[] =
        "the accept queue (backlog) or the workers are too few for these connections, or requests "
        "wait for each other: a lock or a transaction that never ends";

/* What to do where no whole response came. */
static const char *fix_of_silence(const struct probe_check *check, const struct exchange *x, bool crowded)
{
	if (x->failure == DELIVER_TOO_LONG)
		return "respond with a short body, or none";
	if (never_ends(check, x))
		return "send Content-Length with every response (0 where it has no body), or close the connection "
		       "behind it";
	if (crowded)
		return crowd_fix;
	/* Work before the response is the cause only where the request is one to work on. */
	bool is_for_work = !check->row->framing && status_set_contains(&check->expected.ok, 200);
	if (x->failure == DELIVER_TIMED_OUT && is_for_work)
		return "store the notification, respond, and work on it afterwards";
	bool closed = x->outcome == DELIVER_UNKNOWN && x->failure != DELIVER_TIMED_OUT;
	if (x->hint && !closed && check->row->make)
		return x->hint;
	return check->expected.is_contrary ? probe_contrary_fix : check->advice[0] ? check->advice : check->row->fix;
}

void probe_grade(struct probe_check *check, const struct exchange *x, const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	/* A response that broke off behind an error status still is an error response; behind a 2xx it is none. */
	bool responded = x->status != 0 && (x->outcome == DELIVER_RESPONDED || x->status >= 300);
	bool timed_out = x->failure == DELIVER_TIMED_OUT;
	bool endless = x->failure == DELIVER_TOO_LONG;
	bool closed = !responded && !endless && x->outcome == DELIVER_UNKNOWN && !timed_out;
	/* Where the client ends its side first, a server may close by design. */
	bool was_due =
	        !e->closed_ok && !e->closed_tolerated && !(check->row->framing && check->row->framing->end_writing);
	bool crowded = !responded && !endless && !closed && check->row->connections > 0;
	enum probe_outcome outcome =
	        responded ? outcome_of_status(check, x, maker) : outcome_of_silence(check, closed, crowded);
	const char *fix = responded ? fix_of_response(check, x->status) : fix_of_silence(check, x, crowded);
	char excerpt[PROBE_REASON_SIZE] = "";
	LOCAL_BUFFER masked = BUFFER_INIT;
	bool unended = !responded && never_ends(check, x);
	if (unended) {
		snprintf(excerpt, sizeof excerpt,
		         "status %d and the head came, the end did not: no Content-Length, not "
		         "chunked, connection kept open",
		         x->status);
	} else if (!responded) {
		probe_excerpt(x->message, strlen(x->message), excerpt);
	} else if (outcome != PROBE_RIGHT && x->status >= 400) {
		write_quote(x, excerpt);
	} else if (outcome != PROBE_RIGHT && x->status >= 300) {
		/* Where it leads, without what may be secret there. */
		url_append_masked_reference(&masked, text_of(exchange_field(x, "Location")));
		probe_excerpt(buffer_text(&masked), masked.length, excerpt);
	}
	check->result.unanswered += crowded && timed_out;
	if (!is_worse(check, at_level(check, outcome)))
		return;
	probe_end(check, outcome, fix, "%s", excerpt);
	check->result.status = responded ? x->status : 0;
	check->result.is_contrary = e->is_contrary && responded && outcome == PROBE_FAILED;
	check->result.too_long = !responded && endless;
	check->result.unended = unended;
	check->result.ns = responded ? x->finished_ns - x->sent_ns : x->latency_ns;
	bool broke = outcome != PROBE_RIGHT && ((closed && was_due) || x->status >= 500);
	check->result.broke_ns = broke ? x->finished_ns : 0;
}

void probe_end_crowd(struct probe_check *check, int64_t max_time_ns)
{
	struct probe_result *r = &check->result;
	bool is_tolerated = check->level == PROBE_MUST && r->verdict == GRADE_WARN;
	if (r->unanswered == 0 || !(is_tolerated || r->fix == crowd_fix))
		return;
	r->status = 0;
	r->fix = crowd_fix;
	snprintf(r->reason, sizeof r->reason, "%u of %u requests timed out after %s without a response", r->unanswered,
	         check->row->requests, DURATION_TEXT(max_time_ns));
}

void probe_excerpt(const char *body, size_t length, char out[PROBE_REASON_SIZE])
{
	LOCAL_BUFFER line = BUFFER_INIT;
	words_append_line(&line, body, length, EXCERPT_MAX);
	write_excerpt(&line, out);
}
