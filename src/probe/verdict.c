#include "probe/verdict.h"

#include "base/url.h"
#include "base/utf8.h"
#include "http/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT_MAX 120 /* bytes of a line that are shown */

/* What to do, where what happened says it better than the check. */
static const char fix_redirect[] = "respond 2xx at this URL: senders do not follow redirects";
static const char fix_hang[] = "store the notification, respond, and work on it afterwards";

static enum probe_verdict capped(const struct probe_check *check, enum probe_verdict verdict)
{
	return verdict == PROBE_FAIL && check->row->level == PROBE_NOTE ? PROBE_WARN : verdict;
}

/* Whether what was found earlier stays. */
static bool is_worse(const struct probe_check *check, enum probe_verdict verdict)
{
	return !check->result.ended || (verdict > check->result.verdict && verdict != PROBE_SKIP);
}

void probe_end(struct probe_check *check, enum probe_verdict verdict, const char *fix, const char *format, ...)
{
	struct probe_result *r = &check->result;
	va_list args;
	verdict = capped(check, verdict);
	if (!is_worse(check, verdict))
		return;
	r->ended = true;
	r->verdict = verdict;
	r->fix = verdict == PROBE_OK || verdict == PROBE_SKIP ? NULL : fix;
	va_start(args, format);
	vsnprintf(r->reason, sizeof r->reason, format, args);
	va_end(args);
}

/* A response that broke off behind an error status still is an error response; behind a 2xx it is not a response. */
static bool has_response(const struct delivery *d)
{
	return d->status != 0 && (d->outcome == DELIVER_RESPONDED || d->status >= 300);
}

static const char *fix_of(const struct probe_check *check, const struct delivery *d)
{
	if (d->status >= 300 && d->status < 400)
		return fix_redirect;
	bool about_fields = check->row->expansion != PROBE_KINDS || d->status < 400 || d->status >= 500;
	return check->advice[0] && about_fields ? check->advice : check->row->fix;
}

static enum probe_verdict verdict_of_status(const struct probe_check *check, const struct delivery *d,
                                            const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	bool echoed = d->response.length > 0 &&
	              memmem(d->response.data, d->response.length, maker->mark, strlen(maker->mark)) != NULL;
	bool trace = d->method && strcmp(d->method, "TRACE") == 0;
	if (trace && echoed && d->status < 300)
		return PROBE_FAIL;
	return status_set_contains(&e->ok, d->status)     ? PROBE_OK
	       : status_set_contains(&e->warn, d->status) ? PROBE_WARN
	                                                  : PROBE_FAIL;
}

static void grade_response(struct probe_check *check, const struct delivery *d, const struct probe_maker *maker)
{
	enum probe_verdict verdict = capped(check, verdict_of_status(check, d, maker));
	char excerpt[PROBE_REASON_SIZE] = "";
	LOCAL_BUFFER masked = BUFFER_INIT;
	if (verdict == PROBE_OK && d->response_length > DELIVER_RESPONSE_READ && d->status < 300) {
		probe_end(check, PROBE_FAIL, "respond with a short body, or none",
		          "a response of more than 1 MiB, of which the rest was not read");
		check->result.status = d->status;
		return;
	}
	if (!is_worse(check, verdict))
		return;
	if (verdict != PROBE_OK && d->status >= 400)
		probe_excerpt(buffer_text(&d->response), d->response.length, excerpt);
	if (verdict != PROBE_OK && d->status >= 300 && d->status < 400) {
		/* Where it leads, without what may be secret there. */
		url_append_masked_reference(&masked, d->response_location);
		probe_excerpt(buffer_text(&masked), masked.length, excerpt);
	}
	probe_end(check, verdict, fix_of(check, d), "%s", excerpt);
	check->result.status = d->status;
	check->result.ns = d->finished_ns - d->sent_ns;
}

static void grade_absence(struct probe_check *check, const struct delivery *d)
{
	const struct probe_expected *e = &check->expected;
	bool closed = d->outcome == DELIVER_UNKNOWN && d->failure != DELIVER_TIMED_OUT;
	enum probe_verdict verdict = closed && e->closed_ok     ? PROBE_OK
	                             : closed && e->closed_warn ? PROBE_WARN
	                                                        : PROBE_FAIL;
	char message[PROBE_REASON_SIZE] = "";
	verdict = capped(check, verdict);
	if (!is_worse(check, verdict))
		return;
	probe_excerpt(d->message, strlen(d->message), message);
	const char *fix = d->failure == DELIVER_TIMED_OUT && !check->row->raw ? fix_hang
	                  : d->hint && !closed && check->row->make            ? d->hint
	                                                                      : fix_of(check, d);
	probe_end(check, verdict, fix, "%s", message);
	check->result.status = 0;
	check->result.ns = d->latency_ns;
}

void probe_grade(struct probe_check *check, const struct delivery *delivery, const struct probe_maker *maker)
{
	check->responses++;
	if (has_response(delivery))
		grade_response(check, delivery, maker);
	else
		grade_absence(check, delivery);
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

/* What people's frameworks write when something breaks. */
static const char *const traces[] = { "Traceback (most recent call last)",
	                              "\n    at ",
	                              "&nbsp; &nbsp;at ",
	                              "\n\tat ",
	                              "Stack trace:",
	                              "stack trace",
	                              "goroutine 1 [",
	                              "panicked at",
	                              "\", line ",
	                              ".php on line",
	                              ".php</b> on line",
	                              ".rb:",
	                              ".java:",
	                              ".js:",
	                              ".ts:",
	                              ".go:",
	                              NULL };
static const char *const statements[] = { "SQLSTATE",
	                                  "constraint failed",
	                                  "violates unique constraint",
	                                  "duplicate key value",
	                                  "Duplicate entry '",
	                                  "syntax error at or near",
	                                  "error in your SQL syntax",
	                                  "INSERT INTO ",
	                                  "SELECT * FROM ",
	                                  "sqlite3.",
	                                  "psycopg",
	                                  "ORA-0",
	                                  NULL };
static const char *const paths[] = { "/home/", "/root/",        "/var/www/",      "/usr/lib/", "/usr/local/", "/opt/",
	                             "/srv/",  "node_modules/", "site-packages/", "C:\\",      NULL };
static const struct {
	const char *what;
	const char *const *texts;
} leaks[] = { { "a stack trace", traces }, { "SQL", statements }, { "a file path", paths } };

const char *probe_leak(const char *body, size_t length, const char *url)
{
	for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++)
		for (const char *const *text = leaks[i].texts; *text; text++)
			if (!strstr(url, *text) && memmem(body, length, *text, strlen(*text)))
				return leaks[i].what;
	return NULL;
}
