/* The end of a run: what it comes to, what to fix first, and why nothing was graded. */
#include "base/clock.h"
#include "base/fit.h"
#include "base/url.h"
#include "cmd/probe/probe.h"
#include "http/head.h"
#include "json/json_line.h"

#include <string.h>

static void append_verdict(struct buffer *out, const struct probe_command *run, const struct probe_summary *s)
{
	unsigned long long musts = s->counts[PROBE_MUST][GRADE_FAIL], shoulds = s->counts[PROBE_SHOULD][GRADE_WARN];
	const struct probe_report *text = &run->text;
	const char *harm =
	        probe_harm_words(&run->checks, ": real deliveries would be lost",
	                         ": real deliveries would be lost or doubled", ": real deliveries would be doubled");
	static const char unseen[] = "nothing shows whether the listener keeps what it accepts";
	if (s->stop == PROBE_INTERRUPTED || s->stop == PROBE_BROKEN)
		buffer_printf(out, "%s: the other checks were not made; ",
		              s->stop == PROBE_BROKEN ? "ended by an error" : "interrupted");
	if (musts > 0)
		buffer_printf(out, "%llu must%s failed%s. %s%s", musts, musts == 1 ? "" : "s", harm ? harm : "",
		              text->fix.length > 0 ? "Fix first: " : "Why the listener ended is not known",
		              buffer_text(&text->fix));
	else if (shoulds > 0 && s->uncounted) /* a must may well have failed */
		buffer_printf(out, "%llu should%s failed", shoulds, shoulds == 1 ? "" : "s");
	else if (shoulds > 0)
		buffer_printf(out, "no must failed, but %llu should%s did", shoulds, shoulds == 1 ? "" : "s");
	else if (s->unanswered > 0)
		buffer_printf(out, "no check failed, but %llu must%s got no response to some requests",
		              (unsigned long long)s->unanswered, s->unanswered == 1 ? "" : "s");
	else if (s->stop == PROBE_NOT_READY)
		buffer_append_text(out, s->message);
	else if (!s->uncounted && s->stop != PROBE_THROUGH && s->stop != PROBE_GONE)
		buffer_append_text(out, "none of those that were made has failed");
	else if (s->untested)
		buffer_printf(out, "nothing was tested, as each check was skipped: %s", s->message);
	else if (!s->uncounted)
		buffer_append_text(out, "no check failed");
	probe_append_more(out, text->fix_count, TEST_FIXES_MOST);
	if (s->uncounted)
		buffer_printf(out, "%s%s: %s", musts + shoulds > 0 ? "; " : "", unseen, s->message);
	else if (musts == 0 && s->stop == PROBE_THROUGH && !s->untested && !run->observes && run->wanted.count == 0)
		buffer_printf(out, "; %s%s", unseen, run->args->observe ? "" : " (--observe COMMAND looks)");
}

/* What is counted of a level: its member in JSON, and the words behind its number for people; NULL: it does not occur.
 */
static const struct {
	enum grade grade;
	const char *name;
	const char *words[PROBE_LEVELS];
} counted[] = {
	{ GRADE_OK, "ok", { NULL, NULL, NULL } }, /* which the line begins with */
	{ GRADE_NOTE, "noted", { NULL, "tolerated", "noted" } },
	{ GRADE_WARN, "warn", { "tolerated", "failed", NULL } },
	{ GRADE_FAIL, "fail", { "failed", NULL, NULL } },
	{ GRADE_SKIP, "skip", { "skipped", "skipped", "skipped" } },
};
#define COUNTED (sizeof counted / sizeof counted[0])

/* "must 76 of 79: 2 tolerated, 1 failed"; nothing, where no check of the level was chosen. That some requests got no
 * response is not tolerated: whether the listener or the crowd is why, is not known. */
static void append_level(struct buffer *out, enum probe_level level, const uint64_t counts[GRADES], uint64_t unanswered)
{
	uint64_t total = 0;
	const char *before = ": ";
	for (size_t i = 0; i < COUNTED; i++)
		total += counted[i].grade == GRADE_SKIP ? 0 : counts[counted[i].grade];
	if (total == 0)
		return;
	buffer_printf(out, "%s%s %s of %s", out->length > 0 ? "; " : "", probe_level_names[level],
	              COUNT_TEXT(counts[GRADE_OK]), COUNT_TEXT(total));
	for (size_t i = 0; i < COUNTED; i++) {
		const char *words = counted[i].words[level];
		uint64_t count = counts[counted[i].grade] - (counted[i].grade == GRADE_WARN ? unanswered : 0);
		if (!words || count == 0)
			continue;
		buffer_printf(out, "%s%s %s", before, COUNT_TEXT(count), words);
		before = ", ";
	}
	if (unanswered > 0)
		buffer_printf(out, "%s%s without a response to some requests", before, COUNT_TEXT(unanswered));
}

/* Lines: counts by level, invalid payloads, latency; empty where there is nothing to say. */
static void append_numbers(struct buffer *out, const struct probe_summary *s)
{
	uint64_t invalid = s->invalid[0] + s->invalid[1] + s->invalid[2];
	LOCAL_BUFFER levels = BUFFER_FOR(out);
	for (int level = 0; level < PROBE_LEVELS; level++)
		append_level(&levels, (enum probe_level)level, s->counts[level],
		             level == PROBE_MUST ? s->unanswered : 0);
	buffer_printf(out, "%s\n", buffer_text(&levels));
	if (invalid > 0)
		buffer_printf(out, "invalid payloads: accepted %s of %s, refused %s", COUNT_TEXT(s->invalid[0]),
		              COUNT_TEXT(invalid), COUNT_TEXT(s->invalid[1]));
	if (s->invalid[2] > 0)
		buffer_printf(out, ", neither %s", COUNT_TEXT(s->invalid[2]));
	buffer_append_byte(out, '\n');
	if (s->slowest.event)
		buffer_printf(out, "latency: p50 %s, slowest %s %s", DURATION_TEXT(s->median_ns), KIND_NAME(s->slowest),
		              DURATION_TEXT(s->slowest_ns));
	buffer_append_byte(out, '\n');
	if (s->traceless[0])
		buffer_printf(out, "kinds that got 2xx and left no trace: %s", s->traceless);
	buffer_append_byte(out, '\n');
}

/* The numbers of the checks' causes count from the first. */
static void append_causes(struct buffer *line, const struct probe_command *run)
{
	json_line_array(line, "causes");
	for (size_t c = 0; c < run->cause_count; c++) {
		const struct cause *cause = &run->causes[c];
		LOCAL_BUFFER words = BUFFER_FOR(line), fix = BUFFER_FOR(line);
		probe_append_cause(&words, run, c + 1, cause->check_count > 1);
		probe_append_cause_fix(&fix, run, c + 1);
		json_line_begin(line);
		json_line_text(line, "type", cause_type_names[cause->type]);
		if (cause->status > 0)
			json_line_number(line, "status", cause->status);
		else
			json_line_text(line, "status", NULL);
		json_line_text(line, "response", cause->words);
		json_line_text(line, "reason", buffer_text(&words));
		json_line_text(line, "fix", buffer_text(&fix));
		json_line_array(line, "facts");
		for (size_t i = 0; i < cause->fact_count; i++) {
			json_line_begin(line);
			json_line_text(line, "name", fact_rows[cause->facts[i].kind].name);
			json_line_text(line, "subject", cause->facts[i].subject);
			json_line_text(line, "value", cause->facts[i].value);
			json_line_end(line);
		}
		json_line_array_end(line);
		json_line_end(line);
	}
	json_line_array_end(line);
}

static void print_json(const struct probe_command *run, const struct probe_summary *s)
{
	static const char *const invalid[] = { "accepted", "refused", "neither" };
	LOCAL_BUFFER line = BUFFER_INIT;
	json_line_begin_type(&line, "summary");
	for (int level = 0; level < PROBE_LEVELS; level++) {
		json_line_object(&line, probe_level_names[level]);
		for (size_t i = 0; i < COUNTED; i++)
			json_line_number(&line, counted[i].name, (int64_t)s->counts[level][counted[i].grade]);
		json_line_end(&line);
	}
	json_line_object(&line, "invalid");
	for (size_t i = 0; i < 3; i++)
		json_line_number(&line, invalid[i], (int64_t)s->invalid[i]);
	json_line_end(&line);
	json_line_decimal(&line, "p50_ms", (double)s->median_ns / 1e6);
	json_line_text(&line, "slowest", s->slowest.event ? KIND_NAME(s->slowest) : NULL);
	json_line_decimal(&line, "slowest_ms", s->slowest.event ? (double)s->slowest_ns / 1e6 : 0);
	json_line_text(&line, "mark", s->run_id);
	json_line_bool(&line, "interrupted", s->stop == PROBE_INTERRUPTED);
	json_line_text(&line, "stopped_at", probe_is_stopped(s) ? s->last : NULL);
	append_causes(&line, run);
	json_line_text(&line, "traceless", s->traceless[0] ? s->traceless : NULL);
	json_line_number(&line, "not_run", s->stop == PROBE_THROUGH ? 0 : (int64_t)s->not_run);
	json_line_finish(&line);
	terminal_write_buffer(run->context->terminal, &line);
}

static void print_text(struct probe_command *run, const struct probe_summary *s)
{
	struct terminal *t = run->context->terminal;
	struct buffer *out = &run->text.out;
	LOCAL_BUFFER lines = BUFFER_FOR(out);
	buffer_fail_if(out, run->text.cells.failed || run->text.fix.failed);
	if (run->text.cells.length > 0)
		buffer_printf(out, "%s\n%s", buffer_text(&run->text.cells),
		              run->text.noted ? "-v shows what is noted or skipped\n" : "");
	append_numbers(&lines, s);
	append_verdict(&lines, run, s);
	buffer_append_byte(&lines, '\n');
	for (char *line = lines.data, *end; line && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (end == line || (run->context->global->quiet && end[1] != '\0'))
			continue;
		fit_append_wrapped(out, line, 0, 2, probe_report_width(run));
		buffer_append_byte(out, '\n');
	}
	if (probe_is_stopped(s)) {
		probe_append_stopped(out, s);
		probe_append_repeat_of(out, run, "its log says why; start it again and run: ", s->last,
		                       (enum probe_depth)run->args->level, run->observes);
	} else if (!run->context->global->quiet) {
		probe_append_repeat(out, run);
	}
	terminal_write_buffer(t, out);
	terminal_flush(t);
	if (s->settable[0]) {
		LOCAL_BUFFER refused = BUFFER_FOR(&t->lost);
		probe_append_refused(&refused, s);
		terminal_note(t, "%s", buffer_text(&refused));
	}
	if (run->context->global->verbose || probe_is_stopped(s) ||
	    s->counts[PROBE_MUST][GRADE_FAIL] + s->counts[PROBE_SHOULD][GRADE_WARN] > 0)
		terminal_note(t, "test data of this run contains %s", s->run_id);
}

#define SENT_MOST 60 /* characters of a header that is named */

/* Appends the Host and the User-Agent that were sent: who refuses everything often does so by these, or by the address
 * that it came from. */
static void append_sent(struct buffer *out, const struct probe_command *run)
{
	struct text agent = text_of("credhook/" CREDHOOK_VERSION), given = { NULL, 0 };
	struct url url;
	LOCAL_BUFFER host = BUFFER_FOR(out);
	bool is_loopback = false;
	for (size_t i = run->route.header_count; i-- > 0;) { /* the first of a name counts */
		const struct header *h = &run->route.headers[i];
		agent = header_is(h, "User-Agent") ? h->value : agent;
		given = header_is(h, "Host") ? h->value : given;
	}
	if (given.text) {
		buffer_append(&host, given.text, given.length);
	} else if (!url_parse(buffer_text(&run->route.destination.url), &url)) {
		host_append(&host, &url.host);
		is_loopback = strcmp(buffer_text(&host), "127.0.0.1") == 0;
		if (url.port > 0)
			buffer_printf(&host, ":%u", url.port);
	}
	buffer_printf(out, "does it take Host: %.*s", SENT_MOST, buffer_text(&host));
	if (is_loopback)
		buffer_append_text(out, " (--to with localhost sends another one)");
	buffer_printf(out, ", User-Agent: %.*s", agent.length > SENT_MOST ? SENT_MOST : (int)agent.length,
	              agent.text ? agent.text : "");
	buffer_append_text(out, ", and is the address that this comes from on its allow-list? ");
}

/* What to give it, by the status that all events got. */
static const char *way_in(int status)
{
	switch (status) {
	case 401:
	case 403:
	case 407:
		return "give it what it asks for: -H 'Authorization: ...', or -H @FILE";
	case 404:
	case 405:
		return "is the path of --to right?";
	}
	return status == 502 || status == 504
	               ? "this is a proxy whose listener does not respond: is the listener running?"
	       : status == 0   ? "see the listener's log; --max-time waits longer"
	       : status < 400  ? "give --to the URL at which it responds itself: senders do not follow redirects"
	       : status >= 500 ? "see the listener's log; is the path of --to right, does it need a header (-H)?"
	                       : "does it know only some values? --set details.appKey=VALUE sets one, -H adds a header";
}

/* Why nothing was graded. */
static int refuse(const struct probe_command *run, const struct probe_summary *s, struct error *err)
{
	const char *colon = s->message[0] ? ": " : "";
	if (s->stop == PROBE_UNREACHABLE) {
		LOCAL_BUFFER elsewhere = BUFFER_INIT;
		route_append_elsewhere(&run->route, "to", &elsewhere);
		error_set(err, EXIT_CODE_UNDELIVERED, "no response from '%s', so nothing was graded: %s",
		          buffer_text(&run->route.masked_url), s->message[0] ? s->message : "not sent");
		const char *hint = elsewhere.length > 0 ? buffer_text(&elsewhere) : s->hint;
		return hint ? error_hint(err, "%s", hint) : -1;
	}
	if (s->too_long) {
		error_set(err, EXIT_CODE_FAILED,
		          "every valid event gets too long a response, so nothing was graded%s%s", colon, s->message);
		return error_hint(err, "%s", s->hint);
	}
	if (s->unended) {
		error_set(err, EXIT_CODE_FAILED, "no response to a valid event has an end, so nothing was graded: %s",
		          s->message);
		return error_hint(err, "%s", s->hint);
	}
	if (s->status == 0)
		error_set(err, EXIT_CODE_FAILED, "no valid event gets a response, so nothing was graded%s%s", colon,
		          s->message);
	else
		error_set(err, EXIT_CODE_FAILED, "every valid event gets %d, so nothing was graded%s%s", s->status,
		          colon, s->message);
	LOCAL_BUFFER sent = BUFFER_INIT;
	if (s->status == 400 || s->status == 403)
		append_sent(&sent, run);
	return error_hint(err, "%s%s", buffer_text(&sent), way_in(s->status));
}

/* That what responds is a web page, which accepts whatever is sent to it. */
static void print_page(const struct probe_command *run, const struct probe_summary *s)
{
	struct terminal *t = run->context->terminal;
	LOCAL_BUFFER page = BUFFER_FOR(&t->lost);
	page_responses_append(&page, &s->pages);
	if (page.length > 0)
		terminal_warn(t, "%s", buffer_text(&page));
}

/* "deliver --skip deliver/user-created: 24 of 312 checks", where fewer were chosen than the level has. */
static void append_part(struct buffer *out, const struct probe_command *run)
{
	const struct text_list *named = &run->wanted, *skipped = &run->args->skip;
	size_t chosen = 0, all = 0;
	if (named->count + skipped->count == 0)
		return;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		chosen += check->chosen;
		all += check->chosen || check->depth <= (enum probe_depth)run->args->level;
	}
	for (size_t i = 0; i < named->count; i++)
		buffer_printf(out, "%s%s", i > 0 ? " " : "", named->items[i]);
	for (size_t i = 0; i < skipped->count; i++)
		buffer_printf(out, "%s--skip %s", out->length > 0 ? " " : "", skipped->items[i]);
	buffer_printf(out, ": %zu of %zu checks", chosen, all);
}

static void print_screen(struct probe_command *run, const struct probe_summary *s, int64_t ns)
{
	struct probe_screen frame = { .grade = GRADE_OK };
	struct terminal *t = run->context->terminal;
	LOCAL_BUFFER out = BUFFER_FOR(&t->lost);
	probe_frame_make(&frame, run, s, ns);
	probe_screen_append(&out, run, &frame, (size_t)terminal_out_rows(t));
	terminal_write_buffer(t, &out);
	buffer_release(&frame.verdict);
	buffer_release(&frame.lines);
	buffer_release(&frame.next);
	terminal_flush(t);
}

int probe_report_end(struct probe_command *run, const struct probe_summary *s, const char *level, int64_t ns,
                     struct error *err)
{
	static const struct page_series kinds[PAGE_SERIES] = { { GRADE_FAIL, "failed" },
		                                               { GRADE_WARN, "warned" },
		                                               { GRADE_NOTE, "noted" },
		                                               { GRADE_SKIP, "skipped" },
		                                               { GRADE_OK, "ok" } };
	struct page *page = run->reports.page;
	uint64_t failed = s->counts[PROBE_MUST][GRADE_FAIL];
	if (s->stop == PROBE_UNREACHABLE || s->stop == PROBE_LOCKED_OUT) {
		print_page(run, s);
		return refuse(run, s, err);
	}
	if (page) {
		page->series = kinds;
		page->people = PAGE_MADE_UP;
		page->ns = ns;
		buffer_append_text(&page->subject, buffer_text(&run->route.masked_url));
		append_part(&page->part, run);
		append_verdict(&page->lines, run, s);
		buffer_append_byte(&page->lines, '\n');
		append_numbers(&page->lines, s);
		buffer_printf(&page->lines,
		              "tested by credhook " CREDHOOK_VERSION ", level %s; test data contains %s\n", level,
		              s->run_id);
	}
	if (run->context->global->json)
		print_json(run, s);
	else if (run->is_screen)
		print_screen(run, s, ns);
	else if (!run->text.is_hidden)
		print_text(run, s);
	if (!run->is_screen)
		print_page(run, s);
	if (run->args->strict)
		failed += s->counts[PROBE_SHOULD][GRADE_WARN] + page_responses_are_all(&s->pages);
	if (s->stop == PROBE_INTERRUPTED)
		return EXIT_CODE_INTERRUPTED;
	if (s->uncounted)
		return EXIT_CODE_IO;
	return failed > 0 || probe_is_stopped(s) ? EXIT_CODE_FAILED : s->untested ? EXIT_CODE_IO : EXIT_CODE_OK;
}
