/* What listen prints of what the receiver reports: the ready line, a line per notification and the summary, for people
 * or as NDJSON, and notes on stderr. */
#include "base/clock.h"
#include "base/file.h"
#include "base/mend.h"
#include "base/text.h"
#include "base/url.h"
#include "cause/day.h"
#include "cmd/listen/listen.h"
#include "cmd/words/counters.h"
#include "cmd/words/receive_words.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "report/finding_report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The line has the members of the record. With -v it is one, so that it can be replayed: with the body, and headers
 * are as they came. Without, it is for reading, and secrets are masked. */
static void append_record(struct listen *l, const struct notification *n, struct buffer *out)
{
	bool whole = l->context->terminal->verbose;
	struct capture_record record;
	struct message *request = &record.request;
	char name[CATALOG_KIND_NAME_SIZE];
	LOCAL_BUFFER members = BUFFER_FOR(out), target = BUFFER_FOR(out);
	notification_record(n, name, &record);
	if (!whole && !ARRAY_ROOM(l->masked, l->masked_capacity, request->header_count + 1)) {
		buffer_fail_if(out, true);
		return;
	}
	for (size_t i = 0; !whole && i < request->header_count; i++) {
		l->masked[i] = request->headers[i];
		if (header_name_is_secret(l->masked[i].name.text, l->masked[i].name.length))
			l->masked[i].value = text_of(SECRET_MASK);
	}
	if (!whole)
		request->headers = l->masked;
	if (!whole && strpbrk(n->request->target.text, "?#@")) {
		url_append_masked_reference(&target, n->request->target);
		request->target = (struct text){ buffer_text(&target), target.length };
	}
	capture_record_append_members(&record, whole, &members);
	json_line_comma(out);
	json_line_members(out, buffer_text(&members), members.length);
}

/* What is recorded of its body, as the record has it. */
static void append_response(const struct notification *n, struct buffer *out)
{
	LOCAL_BUFFER members = BUFFER_FOR(out);
	const struct capture_record record = { .response_type = n->response_type, .response_text = n->response_text };
	capture_response_append(&record, &members);
	if (members.length == 0)
		return;
	json_line_comma(out);
	json_line_members(out, buffer_text(&members) + 1, members.length - 1);
}

static void append_json(struct listen *l, const struct notification *n)
{
	struct buffer *out = &l->out;
	struct payload_origin origin = { "body", 1, n->request->body.text, n->request->body.length, NULL, NULL, 1 };
	const struct exchange *x = n->forwarded;
	json_line_begin_type(out, "event");
	append_record(l, n, out);
	if (n->verdict)
		finding_report_json_findings(n->verdict, &origin, out);
	if (n->repeat.nth > 0) {
		json_line_object(out, "repeat");
		json_line_number(out, "nth", (int64_t)n->repeat.nth);
		json_line_number(out, "of", (int64_t)n->repeat.of);
		json_line_decimal(out, "after_ms", (double)n->repeat.after_us / 1000);
		json_line_end(out);
	}
	if (x) {
		LOCAL_BUFFER place = BUFFER_FOR(out), error = BUFFER_FOR(out);
		url_append_masked(&place, x->request.target.text);
		json_line_object(out, "forwarded");
		json_line_text(out, "to", buffer_text(&place));
		json_line_decimal(out, "latency_ms", (double)x->latency_ns / CLOCK_NS_PER_MS);
		if (x->message[0] != '\0') {
			notification_append_error(n, &error);
			json_line_text(out, "error", buffer_text(&error));
		}
		json_line_end(out);
	}
	const char *fault = response_fault_name(n->fault);
	json_line_object(out, "response");
	if (fault)
		json_line_text(out, "fault", fault);
	else
		json_line_number(out, "status", n->status);
	if (!fault && l->context->terminal->verbose)
		append_response(n, out);
	json_line_end(out);
	json_line_finish(out);
}

void listen_report_notification(struct listen *l, const struct notification *n)
{
	struct terminal *t = l->context->terminal;
	bool json = l->context->global->json;
	if (terminal_is_closed(t) || l->is_silent || (!json && t->quiet))
		return;
	buffer_clear(&l->out);
	if (json) {
		append_json(l, n);
	} else {
		LOCAL_BUFFER error = BUFFER_INIT;
		struct arrival arrival = notification_arrival(n, &error);
		if (t->verbose)
			arrival.method.text = NULL; /* its head has it */
		l->style.color = t->color_out;
		l->style.utf8 = t->utf8;
		l->style.forwards = l->setup.policy.forward != NULL;
		l->style.width = terminal_out_width(t);
		arrival_append(&arrival, &l->style, &l->out);
		if (n->verdict)
			arrival_append_findings(&l->style, &n->request->body, n->verdict, 0, &l->out);
		if (t->verbose)
			arrival_append_request(n->request, &l->out);
	}
	terminal_offer(t, &l->out);
}

void listen_report_refused(void *context, const struct refusal *r)
{
	struct listen *l = context;
	struct receive_words words;
	receive_words_of_refusal(&words, r, &l->args->receive);
	receive_print_words(l->context->terminal, &words);
}

void listen_report_notice(void *context, const struct receive_notice *n)
{
	struct listen *l = context;
	struct receive_words words;
	receive_words_of_notice(&words, n, &l->args->receive);
	receive_print_words(l->context->terminal, &words);
}

#define AT(counter) offsetof(struct receive_counts, counter)
#define ROWS(rows)  rows, sizeof(rows) / sizeof(rows)[0]

static const struct counter_row counters[] = {
	{ "received", NULL, AT(received) },
	{ "valid_count", "valid", AT(valid) },
	{ "invalid_count", "invalid", AT(invalid) },
	{ "repeated", "repeated", AT(repeated) },
	{ "unanswered", "unanswered", AT(unanswered) },
	{ "faults", NULL, AT(faults) },
	{ "refused", NULL, AT(refused) },
};

/* Why some were refused. */
static const struct counter_row refusals[RECEIVE_REFUSALS] = {
	{ "allow", "not in --allow", AT(by_refusal[REFUSED_NETWORK]) },
	{ "connections", "too many connections", AT(by_refusal[REFUSED_CONNECTION]) },
	{ "path", "at another path", AT(by_refusal[REFUSED_PATH]) },
	{ "method", "not POST", AT(by_refusal[REFUSED_METHOD]) },
	{ "sender", "sender not known or not in --allow", AT(by_refusal[REFUSED_SENDER]) },
	{ "max-body", "body too long", AT(by_refusal[REFUSED_BODY]) },
	{ "head", "head too long", AT(by_refusal[REFUSED_HEAD]) },
	{ "timeout", "too slow", AT(by_refusal[REFUSED_TIME]) },
	{ "memory", "out of memory", AT(by_refusal[REFUSED_MEMORY]) },
	{ "tls", "no TLS handshake", AT(by_refusal[REFUSED_TLS]) },
	{ "late", "after the last expected", AT(by_refusal[REFUSED_LATE]) },
	{ "form", "not valid HTTP", AT(by_refusal[REFUSED_FORM]) },
};

static void print_json(struct listen *l)
{
	json_line_finish(&l->out);
	terminal_write_buffer(l->context->terminal, &l->out);
}

void listen_print_ready(struct listen *l)
{
	struct terminal *t = l->context->terminal;
	const struct receiver_state *state = receiver_state(l->receiver);
	if (l->context->global->json) {
		buffer_clear(&l->out);
		json_line_begin_type(&l->out, "ready");
		json_line_text(&l->out, "url", state->url);
		json_line_number(&l->out, "pid", getpid());
		if (state->certificate_file) {
			json_line_text(&l->out, "fingerprint", state->fingerprint);
			json_line_text(&l->out, "cacert", state->certificate_file);
		}
		print_json(l);
		terminal_flush(t);
	}
	receive_print_ready(t, l->receiver, &l->setup);
}

/* Those without values have only what they always had. */
static void append_expectation_json(struct buffer *out, const struct expectation *e)
{
	json_line_begin(out);
	json_line_text(out, "event", KIND_NAME(e->kind));
	json_line_number(out, "wanted", (int64_t)e->wanted);
	json_line_number(out, "arrived", (int64_t)e->arrived);
	json_line_number(out, "invalid", (int64_t)e->invalid);
	if (e->where.count > 0) {
		json_line_number(out, "others", (int64_t)e->others);
		json_line_array(out, "instead");
		for (size_t i = 0; i < EXPECTATION_INSTEAD && e->instead[i].count > 0; i++) {
			json_line_begin(out);
			json_line_text(out, "values", buffer_text(&e->instead[i].values));
			json_line_number(out, "count", (int64_t)e->instead[i].count);
			json_line_end(out);
		}
		json_line_array_end(out);
		json_line_array(out, "where");
		for (size_t i = 0; i < e->where.count; i++) {
			LOCAL_BUFFER where = BUFFER_FOR(out);
			where_append(&where, &e->where.items[i]);
			json_line_element(out, buffer_text(&where));
		}
		json_line_array_end(out);
	}
	json_line_end(out);
}

static void summarise_as_json(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	struct buffer *out = &l->out;
	buffer_clear(out);
	json_line_begin_type(out, "summary");
	counters_append_json(out, ROWS(counters), counts);
	json_line_object(out, "refusals");
	counters_append_json(out, ROWS(refusals), counts);
	json_line_end(out);
	json_line_object(out, "forwarded");
	for (int status = 0; status < ARRIVAL_STATUSES; status++) {
		char name[16];
		snprintf(name, sizeof name, "%d", status);
		if (l->forwarded[status] > 0)
			json_line_number(out, status == 0 ? "none" : name, (int64_t)l->forwarded[status]);
	}
	json_line_end(out);
	json_line_object(out, "events");
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (counts->by_kind[i] > 0)
			json_line_number(out, KIND_NAME(catalog_kind_at(i)), (int64_t)counts->by_kind[i]);
	json_line_end(out);
	json_line_array(out, "expected");
	for (size_t i = 0; i < l->expected->count; i++)
		append_expectation_json(out, &l->expected->list[i]);
	json_line_array_end(out);
	json_line_bool(out, "timed_out", l->timed_out);
	if (l->command.name)
		json_line_number(out, "command_exit", l->command.child.code);
	json_line_number(out, "lost_records", (int64_t)counts->lost_records);
	json_line_number(out, "dropped_lines", (int64_t)terminal_dropped(l->context->terminal));
	print_json(l);
}

void listen_append_sums(struct buffer *line, const struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	LOCAL_BUFFER taken = BUFFER_FOR(line), forwarded = BUFFER_FOR(line), refused = BUFFER_FOR(line);
	uint64_t refused_count = 0;
	counters_append_words(&taken, ROWS(counters), counts);
	counter_append(&taken, counts->lost_records, counts->lost_records == 1 ? "record lost" : "records lost");
	arrival_append_statuses(l->forwarded, l->context->terminal->utf8, &forwarded);
	counters_append_words(&refused, ROWS(refusals), counts);
	for (size_t i = 0; i < RECEIVE_REFUSALS; i++)
		refused_count += counts->by_refusal[i];
	buffer_printf(line, "%s received%s%s", COUNT_TEXT(counts->received), taken.length > 0 ? ": " : "",
	              buffer_text(&taken));
	if (forwarded.length > 0)
		buffer_printf(line, "; forwarded: %s", buffer_text(&forwarded));
	if (refused_count > 0)
		buffer_printf(line, "; %s refused: %s", COUNT_TEXT(refused_count), buffer_text(&refused));
}

/* Why it ended: an announcement if that makes the exit code 1, else a note at most. */
static void print_end(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	const struct listen_args *a = l->args;
	LOCAL_BUFFER line = BUFFER_FOR(&l->context->terminal->lost);
	char span[CLOCK_DURATION_SIZE];
	bool too_few = counts->received < a->limit;
	clock_format_duration(a->timeout > 0 ? a->timeout : LISTEN_COMMAND_GRACE, span);
	if (l->timed_out && !too_few && expectations_met(l->expected) && l->command.overtime == OVERTIME_NONE)
		terminal_note(l->context->terminal, "ended after %s (--timeout)", span);
	else if (l->timed_out)
		buffer_printf(&line,
		              a->timeout > 0 ? "timed out after %s" : "timed out %s after the end of the command",
		              span);
	if (too_few)
		buffer_printf(&line, "%s%s of %s notifications arrived", line.length > 0 ? ": " : "",
		              COUNT_TEXT(counts->received), COUNT_TEXT(a->limit));
	if (line.length > 0)
		terminal_announce(l->context->terminal, "%s", buffer_text(&line));
}

void listen_append_command_end(struct buffer *out, const struct listen_command *c)
{
	if (c->child.signal)
		buffer_printf(out, "was ended by signal %d%s", c->child.signal,
		              c->overtime != OVERTIME_NONE ? ": it ran longer than --timeout" : "");
	else
		buffer_printf(out, "exited with %d", c->child.code);
}

#define MISSING_LINES 3 /* of expectations of which nothing came */

/* "missing: bureau-alert,details.bureau=abc: 1 of 3 (came instead: details.bureau=xyz, 3 times)" */
static void print_missing(struct listen *l, const struct expectation *e)
{
	struct terminal *t = l->context->terminal;
	LOCAL_BUFFER name = BUFFER_FOR(&t->lost), instead = BUFFER_FOR(&t->lost);
	if (e->arrived >= e->wanted)
		return;
	expectation_append_name(&name, e, false);
	expectation_append_instead(&instead, e);
	terminal_announce(t, "missing: %s: %s of %s%s%s%s", buffer_text(&name), COUNT_TEXT(e->arrived),
	                  COUNT_TEXT(e->wanted), instead.length > 0 ? " (came instead: " : "", buffer_text(&instead),
	                  instead.length > 0 ? ")" : "");
}

/* Nothing of it came, neither by another value nor invalid. */
static bool is_absent(const struct expectation *e)
{
	return e->wanted > 0 && e->arrived + e->invalid + e->others == 0;
}

/* Many of which nothing came are one line: "missing: user-created, bureau-alert:3, ...: none of them came". */
static void print_all_missing(struct listen *l)
{
	struct terminal *t = l->context->terminal;
	const struct expectations *expected = l->expected;
	LOCAL_BUFFER names = BUFFER_FOR(&t->lost);
	size_t absent = 0;
	for (size_t i = 0; i < expected->count; i++)
		absent += is_absent(&expected->list[i]);
	for (size_t i = 0; i < expected->count; i++) {
		const struct expectation *e = &expected->list[i];
		if (absent <= MISSING_LINES || !is_absent(e)) {
			print_missing(l, e);
			continue;
		}
		buffer_append_text(&names, names.length > 0 ? ", " : "");
		expectation_append_name(&names, e, true);
	}
	if (names.length > 0)
		terminal_announce(t, "missing: %s: none of them came", buffer_text(&names));
}

/* What says why the target has failed, where enough have that a cause may be found, in a file that can be read again.
 */
static void print_why(struct listen *l)
{
	struct terminal *t = l->context->terminal;
	const char *capture = l->args->receive.policy.capture;
	LOCAL_BUFFER line = BUFFER_FOR(&t->lost);
	bool has_cause = false;
	for (int status = 100; status < ARRIVAL_STATUSES; status++)
		has_cause |= (status < 200 || status > 299) && l->forwarded[status] >= DAY_LEAST;
	if (!has_cause || !capture || !file_can_be_read_again(capture))
		return;
	mend_append(&line, "why: credhook show FILE", &(struct mend_file){ .path = capture });
	terminal_command(t, "%s", buffer_text(&line));
}

void listen_print_summary(struct listen *l)
{
	struct terminal *t = l->context->terminal;
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	const struct listen_command *c = &l->command;
	LOCAL_BUFFER text = BUFFER_FOR(&t->lost);
	if (l->context->global->json)
		summarise_as_json(l);
	terminal_flush(t);
	listen_append_sums(&text, l);
	if (!t->quiet)
		terminal_announce(t, "%s", buffer_text(&text));
	if (counts->cut_off > 0)
		terminal_warn(t, "%s unanswered at shutdown (%s%s)%s", COUNT_TEXT(counts->cut_off),
		              l->interrupted ? "a second signal" : "after ",
		              l->interrupted ? "" : DURATION_TEXT(LISTEN_DRAIN),
		              l->args->receive.policy.capture ? "; the capture has the records" : "");
	print_end(l);
	print_why(l);
	/* Its exit code becomes listen's. */
	if (c->child.code != 0) {
		LOCAL_BUFFER end = BUFFER_FOR(&t->lost);
		listen_append_command_end(&end, c);
		terminal_announce(t, "'%s' %s", c->name, buffer_text(&end));
	}
	print_all_missing(l);
}
