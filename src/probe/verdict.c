#include "probe/verdict.h"

#include "base/url.h"
#include "base/utf8.h"
#include "http/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT_MAX 120 /* bytes of a line that are shown */

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

static enum probe_outcome outcome_of_status(const struct probe_check *check, const struct exchange *d,
                                            const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	const struct text *body = &d->response.body;
	bool echoed = memmem(body->text, body->length, maker->run_id, strlen(maker->run_id)) != NULL;
	bool trace = message_method_is(&d->request, "TRACE");
	if (trace && echoed && d->status < 300)
		return PROBE_FAILED;
	return status_set_contains(&e->ok, d->status)          ? PROBE_RIGHT
	       : status_set_contains(&e->tolerated, d->status) ? PROBE_TOLERATED
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

void probe_grade(struct probe_check *check, const struct exchange *d, const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	/* A response that broke off behind an error status still is an error response; behind a 2xx it is none. */
	bool responded = d->status != 0 && (d->outcome == DELIVER_RESPONDED || d->status >= 300);
	bool timed_out = d->failure == DELIVER_TIMED_OUT;
	bool endless = d->failure == DELIVER_TOO_LONG;
	bool closed = !responded && !endless && d->outcome == DELIVER_UNKNOWN && !timed_out;
	bool broke = (closed && !e->closed_tolerated) || d->status >= 500;
	bool crowded = !responded && !endless && !closed && check->row->connections > 0;
	enum probe_outcome outcome =
	        responded ? outcome_of_status(check, d, maker) : outcome_of_silence(check, closed, crowded);
	const char *fix = check->advice[0] ? check->advice : check->row->fix;
	char excerpt[PROBE_REASON_SIZE] = "";
	LOCAL_BUFFER masked = BUFFER_INIT;
	/* What happened may say better than the check what to do. */
	if (d->status >= 300 && d->status < 400)
		fix = "respond 2xx at this URL: senders do not follow redirects";
	if (!responded) {
		probe_excerpt(d->message, strlen(d->message), excerpt);
		if (endless)
			fix = "respond with a short body, or none";
		else if (crowded)
			fix = "raise the accept queue (backlog) and the number of workers: they are short for these "
			      "connections";
		else if (timed_out && !check->row->framing)
			fix = "store the notification, respond, and work on it afterwards";
		else if (d->hint && !closed && check->row->make)
			fix = d->hint;
	} else if (outcome != PROBE_RIGHT && d->status >= 400) {
		probe_excerpt(d->response.body.text, d->response.body.length, excerpt);
	} else if (outcome != PROBE_RIGHT && d->status >= 300) {
		/* Where it leads, without what may be secret there. */
		url_append_masked_reference(&masked, text_of(exchange_field(d, "Location")));
		probe_excerpt(buffer_text(&masked), masked.length, excerpt);
	}
	if (!is_worse(check, at_level(check, outcome)))
		return;
	probe_end(check, outcome, fix, "%s", excerpt);
	check->result.status = responded ? d->status : 0;
	check->result.too_long = !responded && endless;
	check->result.ns = responded ? d->finished_ns - d->sent_ns : d->latency_ns;
	check->result.broke_ns = broke && outcome != PROBE_RIGHT ? d->finished_ns : 0;
}

void probe_excerpt(const char *body, size_t length, char out[PROBE_REASON_SIZE])
{
	LOCAL_BUFFER line = BUFFER_INIT, safe = BUFFER_INIT;
	words_append_line(&line, body, length, WORDS_READ_MAX);
	size_t shown = line.length < EXCERPT_MAX ? line.length : EXCERPT_MAX;
	while (shown > 0 && shown < line.length && ((unsigned char)line.data[shown] & 0xC0) == 0x80)
		shown--;
	utf8_append_safe(&safe, buffer_text(&line), shown);
	snprintf(out, PROBE_REASON_SIZE, "%s%s", buffer_text(&safe), shown < line.length ? "..." : "");
}
