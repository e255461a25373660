#include "probe/play/watch.h"

#include "base/clock.h"
#include "base/find.h"
#include "base/url.h"
#include "http/raw.h"
#include "probe/play/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONG_BODY   (64u * 1024)
#define SLOW_NS     (2 * CLOCK_NS_PER_S)
#define TOO_SLOW_NS (10 * CLOCK_NS_PER_S)
#define DAY_S       86400
#define DAYS_OK     30
#define DAYS_WARN   14

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
			if (!strstr(url, *text) && find_text(body, length, *text, strlen(*text)))
				return leaks[i].what;
	return NULL;
}

static void see(struct probe_observation *seen, const struct probe_check *check, const char *what)
{
	if (seen->count++ > 0)
		return;
	seen->first = check;
	seen->what = what;
}

static void add_duration(struct probe_watch *watch, struct catalog_kind kind, int64_t ns)
{
	if (!watch->events)
		watch->events = calloc(catalog_kind_count(), sizeof *watch->events);
	if (!watch->events || !kind.event)
		return;
	struct probe_durations *of = &watch->events[catalog_kind_index(kind)];
	if (of->count < PROBE_SAMPLES)
		of->ns[of->count++] = ns;
}

void probe_watch_add(struct probe_watch *watch, const struct probe_check *check, struct catalog_kind kind,
                     const struct exchange *x, const struct probe_maker *maker, bool timed)
{
	bool accepted = probe_was_accepted(x);
	bool refused = x->status >= 400 && x->status < 500 && x->status != 429; /* which is about the number of them */
	if (check && check->row->invalid)
		watch->invalid[accepted ? 0 : refused ? 1 : 2]++;
	if (x->status == 0)
		return;
	if (accepted && timed && !(check && check->row->invalid))
		add_duration(watch, kind, x->finished_ns - x->sent_ns);
	const struct text *body = &x->response.body;
	const char *type = exchange_field(x, "Content-Type");
	bool is_json = strncasecmp(type, "application/json", 16) == 0 || strstr(type, "+json");
	bool is_page = x->status < 400 && x->request.method.text; /* of GET: it may be about anything */
	const char *leak = is_page ? NULL : leak_of(body->text, body->length, maker->url);
	if (leak)
		see(&watch->trace, check, leak);
	if (leak && watch->trace.count == 1)
		probe_excerpt(body->text, body->length, watch->trace.text);
	if (find_text(body->text, body->length, maker->run_id, strlen(maker->run_id)))
		see(is_json ? &watch->echo_in_json : &watch->echo, check, NULL);
	if (x->response_length > 0 && !*type)
		see(&watch->untyped, check, NULL);
	if (x->response_length > LONG_BODY)
		see(&watch->long_body, check, NULL);
	if ((x->status == 429 || x->status == 503) && !*exchange_field(x, "Retry-After"))
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

void look_time(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	struct catalog_kind kind;
	int64_t slowest = probe_watch_slowest(watch, &kind);
	enum probe_outcome outcome = slowest <= SLOW_NS       ? PROBE_RIGHT
	                             : slowest <= TOO_SLOW_NS ? PROBE_TOLERATED
	                                                      : PROBE_FAILED;
	(void)http;
	if (!kind.event) {
		probe_end(check, PROBE_SKIPPED, NULL, "no valid payload was accepted");
		return;
	}
	probe_end(check, outcome, check->row->fix, "%s takes %s", KIND_NAME(kind), DURATION_TEXT(slowest));
	check->result.ns = slowest;
}

/* Ends a check that fails, or warns, where something was seen. */
static void end_seen(struct probe_check *check, const struct probe_observation *seen, enum probe_outcome outcome,
                     const char *what)
{
	if (seen->count == 0)
		probe_end(check, PROBE_RIGHT, NULL, "%s", "");
	else
		probe_end(check, outcome, check->row->fix, "%s in %s response%s, first in %s%s%s", what,
		          COUNT_TEXT(seen->count), seen->count == 1 ? "" : "s",
		          seen->first ? seen->first->id : "a payload sent before the checks", seen->text[0] ? ": " : "",
		          seen->text);
}

void look_trace(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	(void)http;
	end_seen(check, &watch->trace, PROBE_FAILED, watch->trace.what);
}

void look_echo(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	(void)http;
	end_seen(check, &watch->echo_in_json, PROBE_TOLERATED, "values of the payload");
	if (watch->echo.count > 0)
		end_seen(check, &watch->echo, PROBE_FAILED, "values of the payload");
}

void look_untyped(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	(void)http;
	end_seen(check, &watch->untyped, PROBE_TOLERATED, "a body without Content-Type");
}

void look_retry_after(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	(void)http;
	end_seen(check, &watch->no_retry_after, PROBE_TOLERATED, "429 or 503 without Retry-After");
}

void look_long_body(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	(void)http;
	end_seen(check, &watch->long_body, PROBE_TOLERATED, "a body over 64 KiB");
}

/* Ends the check where there is no certificate to look at. */
static bool is_plain(struct probe_check *check, const struct deliver_options *http, enum probe_outcome elsewhere)
{
	struct url url;
	if (url_parse(http->url, &url) != NULL || strcmp(url.scheme, "https") == 0)
		return false;
	bool near = host_is_loopback(&url.host);
	probe_end(check, near ? PROBE_SKIPPED : elsewhere, check->row->fix, "plain http%s",
	          near ? " to this machine" : ": everybody on the way can read it");
	return true;
}

void look_trust(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	struct deliver_options strict = *http;
	struct exchange exchange = { .outcome = DELIVER_PENDING };
	char reason[PROBE_REASON_SIZE];
	int64_t end;
	if (is_plain(check, http, PROBE_FAILED))
		return;
	strict.insecure = false;
	if (raw_certificate_end(&strict, watch->signals, &exchange, &end) < 0)
		return;
	probe_excerpt(exchange.message, strlen(exchange.message), reason);
	probe_end(check, exchange.message[0] ? PROBE_FAILED : PROBE_RIGHT, check->row->fix, "%s", reason);
}

void look_expiry(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http)
{
	struct exchange exchange = { .outcome = DELIVER_PENDING };
	int64_t end;
	if (is_plain(check, http, PROBE_SKIPPED) || raw_certificate_end(http, watch->signals, &exchange, &end) < 0)
		return;
	long long days = (long long)(end - clock_realtime_us() / 1000000) / DAY_S;
	if (end == 0)
		probe_end(check, PROBE_SKIPPED, NULL, "the certificate has no expiry date");
	else
		probe_end(check,
		          days >= DAYS_OK     ? PROBE_RIGHT
		          : days >= DAYS_WARN ? PROBE_TOLERATED
		                              : PROBE_FAILED,
		          check->row->fix, "%lld days left", days);
}
