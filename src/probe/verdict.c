#include "probe/verdict.h"

#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/raw.h"
#include "http/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXCERPT_MAX 120 /* bytes of a line that are shown */

static enum grade capped(const struct probe_check *check, enum grade verdict)
{
	return verdict == GRADE_FAIL && check->row->level == PROBE_NOTE ? GRADE_WARN : verdict;
}

/* Whether what was found earlier stays. */
static bool is_worse(const struct probe_check *check, enum grade verdict)
{
	return !check->result.ended || (verdict > check->result.verdict && verdict != GRADE_SKIP);
}

void probe_end(struct probe_check *check, enum grade verdict, const char *fix, const char *format, ...)
{
	struct probe_result *r = &check->result;
	va_list args;
	verdict = capped(check, verdict);
	if (!is_worse(check, verdict))
		return;
	r->ended = true;
	r->verdict = verdict;
	r->fix = verdict == GRADE_OK || verdict == GRADE_SKIP ? NULL : fix;
	va_start(args, format);
	vsnprintf(r->reason, sizeof r->reason, format, args);
	va_end(args);
}

static enum grade verdict_of_status(const struct probe_check *check, const struct exchange *d,
                                    const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	const struct text *body = &d->response.body;
	bool echoed = memmem(body->text, body->length, maker->run_id, strlen(maker->run_id)) != NULL;
	bool trace = message_method_is(&d->request, "TRACE");
	if (trace && echoed && d->status < 300)
		return GRADE_FAIL;
	return status_set_contains(&e->ok, d->status)     ? GRADE_OK
	       : status_set_contains(&e->warn, d->status) ? GRADE_WARN
	                                                  : GRADE_FAIL;
}

/* Grades a request without a response. How many of several connections get one is what load/burst asks: any other
 * check that is a must fails only where none does, since a busy machine must not break it. */
static enum grade verdict_of_silence(const struct probe_check *check, bool closed, bool crowded)
{
	bool served = check->result.ended && check->result.verdict <= GRADE_WARN;
	if (closed)
		return check->expected.closed_ok ? GRADE_OK : check->expected.closed_warn ? GRADE_WARN : GRADE_FAIL;
	return crowded && served && check->row->level == PROBE_MUST ? GRADE_WARN : GRADE_FAIL;
}

void probe_grade(struct probe_check *check, const struct exchange *d, const struct probe_maker *maker)
{
	const struct probe_expected *e = &check->expected;
	/* A response that broke off behind an error status still is an error response; behind a 2xx it is none. */
	bool responded = d->status != 0 && (d->outcome == DELIVER_RESPONDED || d->status >= 300);
	bool timed_out = d->failure == DELIVER_TIMED_OUT;
	bool endless = d->failure == DELIVER_TOO_LONG;
	bool closed = !responded && !endless && d->outcome == DELIVER_UNKNOWN && !timed_out;
	bool broke = (closed && !e->closed_warn) || d->status >= 500;
	bool crowded = !responded && !endless && !closed && check->row->connections > 0;
	enum grade verdict =
	        responded ? verdict_of_status(check, d, maker) : verdict_of_silence(check, closed, crowded);
	bool about_fields = check->row->expansion != PROBE_KINDS || d->status < 400 || d->status >= 500;
	const char *fix = check->advice[0] && about_fields ? check->advice : check->row->fix;
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
		else if (timed_out && !check->row->raw)
			fix = "store the notification, respond, and work on it afterwards";
		else if (d->hint && !closed && check->row->make)
			fix = d->hint;
	} else if (verdict != GRADE_OK && d->status >= 400) {
		probe_excerpt(d->response.body.text, d->response.body.length, excerpt);
	} else if (verdict != GRADE_OK && d->status >= 300) {
		/* Where it leads, without what may be secret there. */
		url_append_masked_reference(&masked, text_of(exchange_field(d, "Location")));
		probe_excerpt(buffer_text(&masked), masked.length, excerpt);
	}
	if (!is_worse(check, capped(check, verdict)))
		return;
	probe_end(check, verdict, fix, "%s", excerpt);
	check->result.status = responded ? d->status : 0;
	check->result.too_long = !responded && endless;
	check->result.ns = responded ? d->finished_ns - d->sent_ns : d->latency_ns;
	check->result.broke_ns = broke && verdict != GRADE_OK ? d->finished_ns : 0;
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

/* Says what a response gives away to strangers; NULL: nothing. What the destination's own URL holds does not count. */
static const char *leak_of(const char *body, size_t length, const char *url)
{
	for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++)
		for (const char *const *text = leaks[i].texts; *text; text++)
			if (!strstr(url, *text) && memmem(body, length, *text, strlen(*text)))
				return leaks[i].what;
	return NULL;
}

/* The rest looks at what all responses show together. */

#define LONG_BODY   (64u * 1024)
#define SLOW_NS     (2 * CLOCK_NS_PER_S)
#define TOO_SLOW_NS (10 * CLOCK_NS_PER_S)
#define DAY_S       86400
#define DAYS_OK     30
#define DAYS_WARN   14

static void see(struct probe_observation *seen, const struct probe_check *check, const char *what)
{
	if (seen->count++ > 0)
		return;
	seen->first = check;
	seen->what = what;
}

static void add_duration(struct probe_watch *watch, const char *event, int64_t ns)
{
	struct catalog_kind kind;
	if (!watch->events)
		watch->events = calloc(catalog_kind_count(), sizeof *watch->events);
	if (!watch->events || catalog_find_kind(event, &kind, NULL) != CATALOG_FOUND)
		return;
	struct probe_durations *of = &watch->events[catalog_kind_index(kind)];
	if (of->count < PROBE_SAMPLES)
		of->ns[of->count++] = ns;
}

void probe_watch_add(struct probe_watch *watch, const struct probe_check *check, const char *event,
                     const struct exchange *d, const struct probe_maker *maker, bool timed)
{
	bool accepted = d->outcome == DELIVER_RESPONDED && d->status >= 200 && d->status < 300;
	if (check && check->row->invalid)
		watch->invalid[accepted ? 0 : d->status >= 400 && d->status < 500 ? 1 : 2]++;
	if (d->status == 0)
		return;
	if (accepted && timed && !(check && check->row->invalid))
		add_duration(watch, event, d->finished_ns - d->sent_ns);
	const struct text *body = &d->response.body;
	const char *type = exchange_field(d, "Content-Type");
	bool is_json = strncasecmp(type, "application/json", 16) == 0 || strstr(type, "+json");
	bool is_page = d->status < 400 && d->request.method.text; /* of GET: it may be about anything */
	const char *leak = is_page ? NULL : leak_of(body->text, body->length, maker->url);
	if (leak)
		see(&watch->trace, check, leak);
	if (leak && watch->trace.count == 1)
		probe_excerpt(body->text, body->length, watch->trace.text);
	if (memmem(body->text, body->length, maker->run_id, strlen(maker->run_id)))
		see(is_json ? &watch->echo_in_json : &watch->echo, check, NULL);
	if (d->response_length > 0 && !*type)
		see(&watch->untyped, check, NULL);
	if (d->response_length > LONG_BODY)
		see(&watch->long_body, check, NULL);
	if ((d->status == 429 || d->status == 503) && !*exchange_field(d, "Retry-After"))
		see(&watch->no_retry_after, check, NULL);
}

void probe_watch_release(struct probe_watch *watch)
{
	free(watch->events);
	watch->events = NULL;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t probe_median(int64_t *ns, size_t count)
{
	if (count == 0)
		return 0;
	qsort(ns, count, sizeof *ns, by_size);
	return ns[count / 2];
}

int64_t probe_watch_slowest(const struct probe_watch *watch, struct catalog_kind *kind)
{
	int64_t slowest = -1;
	*kind = (struct catalog_kind){ NULL, NULL };
	for (size_t i = 0; watch->events && i < catalog_kind_count(); i++) {
		struct probe_durations of = watch->events[i];
		int64_t median = probe_median(of.ns, of.count);
		if (of.count == 0 || median <= slowest)
			continue;
		slowest = median;
		*kind = catalog_kind_at(i);
	}
	return slowest;
}

int64_t probe_watch_median(const struct probe_watch *watch)
{
	size_t count = 0, room = catalog_kind_count() * PROBE_SAMPLES;
	int64_t *all = watch->events ? malloc(room * sizeof *all) : NULL;
	for (size_t i = 0; all && i < catalog_kind_count(); i++) {
		memcpy(all + count, watch->events[i].ns, watch->events[i].count * sizeof *all);
		count += watch->events[i].count;
	}
	int64_t median = all ? probe_median(all, count) : 0;
	free(all);
	return median;
}

static void end_time(const struct probe_watch *watch, struct probe_check *check)
{
	struct catalog_kind kind;
	int64_t slowest = probe_watch_slowest(watch, &kind);
	enum grade verdict = slowest <= SLOW_NS ? GRADE_OK : slowest <= TOO_SLOW_NS ? GRADE_WARN : GRADE_FAIL;
	if (!kind.event) {
		probe_end(check, GRADE_SKIP, NULL, "no valid payload was accepted");
		return;
	}
	probe_end(check, verdict, check->row->fix, "%s takes %s", KIND_NAME(kind), DURATION_TEXT(slowest));
	check->result.ns = slowest;
}

/* Ends a check that fails, or warns, where something was seen. */
static void end_seen(struct probe_check *check, const struct probe_observation *seen, enum grade verdict,
                     const char *what)
{
	if (seen->count == 0)
		probe_end(check, GRADE_OK, NULL, "%s", "");
	else
		probe_end(check, verdict, check->row->fix, "%s in %s response%s, first in %s%s%s", what,
		          COUNT_TEXT(seen->count), seen->count == 1 ? "" : "s",
		          seen->first ? seen->first->id : "a payload sent before the checks", seen->text[0] ? ": " : "",
		          seen->text);
}

static void end_tls(struct probe_check *check, const struct deliver_options *http)
{
	struct deliver_options strict = *http;
	struct exchange exchange = { .outcome = DELIVER_PENDING };
	struct url url;
	char reason[PROBE_REASON_SIZE];
	int64_t end;
	bool trust = strcmp(check->row->name, "trust") == 0, known = url_parse(http->url, &url) == NULL;
	if (known && strcmp(url.scheme, "https") != 0) {
		bool near = host_is_loopback(&url.host);
		probe_end(check, trust && !near ? GRADE_FAIL : GRADE_SKIP, check->row->fix, "plain http%s",
		          near ? " to this machine" : ": everybody on the way can read it");
		return;
	}
	strict.insecure = !trust && http->insecure;
	raw_certificate_end(&strict, &exchange, &end);
	long long days = (long long)(end - clock_realtime_us() / 1000000) / DAY_S;
	if (trust && exchange.message[0]) {
		probe_excerpt(exchange.message, strlen(exchange.message), reason);
		probe_end(check, GRADE_FAIL, check->row->fix, "%s", reason);
	} else if (trust) {
		probe_end(check, GRADE_OK, NULL, "%s", "");
	} else if (end == 0) {
		probe_end(check, GRADE_SKIP, NULL, "the certificate has no expiry date");
	} else {
		enum grade verdict = days >= DAYS_OK ? GRADE_OK : days >= DAYS_WARN ? GRADE_WARN : GRADE_FAIL;
		probe_end(check, verdict, check->row->fix, "%lld days left", days);
	}
}

void probe_watch_end(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	const char *name = check->row->name;
	if (strcmp(check->row->group, "time") == 0) {
		end_time(watch, check);
	} else if (strcmp(check->row->group, "tls") == 0) {
		end_tls(check, http);
	} else if (strcmp(name, "trace") == 0) {
		end_seen(check, &watch->trace, GRADE_FAIL, watch->trace.what);
	} else if (strcmp(name, "echo") == 0) {
		end_seen(check, &watch->echo_in_json, GRADE_WARN, "values of the payload");
		if (watch->echo.count > 0)
			end_seen(check, &watch->echo, GRADE_FAIL, "values of the payload");
	} else if (strcmp(name, "content-type") == 0) {
		end_seen(check, &watch->untyped, GRADE_WARN, "a body without Content-Type");
	} else if (strcmp(name, "retry-after") == 0) {
		end_seen(check, &watch->no_retry_after, GRADE_WARN, "429 or 503 without Retry-After");
	} else {
		end_seen(check, &watch->long_body, GRADE_WARN, "a body over 64 KiB");
	}
}
