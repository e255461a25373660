/* The ready line, and the summary at the end. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "json/json_line.h"

#include <stdio.h>
#include <unistd.h>

/* Why some were refused: the name in JSON, and the words after their number for people. */
static const struct {
	const char *name;
	const char *words;
} refusals[RECEIVE_REFUSALS] = {
	[REFUSED_NETWORK] = { "allow", "not in --allow" },
	[REFUSED_CONNECTION] = { "max-connections", "over --max-connections" },
	[REFUSED_PATH] = { "path", "at another path" },
	[REFUSED_METHOD] = { "method", "not POST" },
	[REFUSED_SENDER] = { "sender", "sender not known or not in --allow" },
	[REFUSED_BODY] = { "max-body", "body too long" },
	[REFUSED_HEAD] = { "head", "head too long" },
	[REFUSED_TIME] = { "timeout", "too slow" },
	[REFUSED_MEMORY] = { "memory", "out of memory" },
	[REFUSED_TLS] = { "tls", "no TLS handshake" },
	[REFUSED_LATE] = { "late", "after the last expected" },
	[REFUSED_FORM] = { "form", "not valid HTTP" },
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
	char name[CATALOG_KIND_NAME_SIZE];
	catalog_kind_name(e->kind, name);
	json_line_begin(out);
	json_line_text(out, "event", name);
	json_line_number(out, "wanted", (int64_t)e->wanted);
	json_line_number(out, "arrived", (int64_t)e->arrived);
	json_line_number(out, "invalid", (int64_t)e->invalid);
	if (e->where.count > 0) {
		json_line_number(out, "others", (int64_t)e->others);
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

static void append_refusals_json(struct buffer *out, const struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	json_line_object(out, "refusals");
	for (size_t i = 0; i < RECEIVE_REFUSALS; i++)
		json_line_number(out, refusals[i].name, (int64_t)counts->by_refusal[i]);
	json_line_end(out);
}

static void summarise_as_json(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	struct buffer *out = &l->out;
	buffer_clear(out);
	json_line_begin_type(out, "summary");
	json_line_number(out, "received", (int64_t)counts->received);
	json_line_number(out, "valid_count", (int64_t)counts->valid);
	json_line_number(out, "invalid_count", (int64_t)counts->invalid);
	json_line_number(out, "repeated", (int64_t)counts->repeated);
	json_line_number(out, "unanswered", (int64_t)counts->unanswered);
	json_line_number(out, "faults", (int64_t)counts->faults);
	json_line_number(out, "refused", (int64_t)counts->refused);
	append_refusals_json(out, l);
	json_line_object(out, "forwarded");
	for (int status = 0; status < LISTEN_STATUSES; status++) {
		char name[16];
		snprintf(name, sizeof name, "%d", status);
		if (l->forwarded[status] > 0)
			json_line_number(out, status == 0 ? "none" : name, (int64_t)l->forwarded[status]);
	}
	json_line_end(out);
	json_line_object(out, "events");
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(catalog_kind_at(i), name);
		if (counts->by_kind[i] > 0)
			json_line_number(out, name, (int64_t)counts->by_kind[i]);
	}
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

/* The next of a list, unless there is none of it. */
static void append_count(struct buffer *list, uint64_t count, const char *words)
{
	if (count > 0)
		buffer_printf(list, "%s%llu %s", list->length > 0 ? ", " : "", (unsigned long long)count, words);
}

static void append_verdicts(struct buffer *line, const struct receive_counts *counts)
{
	LOCAL_BUFFER list = BUFFER_FOR(line);
	append_count(&list, counts->valid, "valid");
	append_count(&list, counts->invalid, "invalid");
	append_count(&list, counts->repeated, "repeated");
	append_count(&list, counts->unanswered, "unanswered");
	append_count(&list, counts->lost_records, counts->lost_records == 1 ? "record lost" : "records lost");
	buffer_printf(line, "%llu received%s%s", (unsigned long long)counts->received, list.length > 0 ? ": " : "",
	              buffer_text(&list));
}

static void append_refusals(struct buffer *line, const struct receive_counts *counts)
{
	LOCAL_BUFFER list = BUFFER_FOR(line);
	uint64_t total = 0;
	for (size_t i = 0; i < RECEIVE_REFUSALS; i++) {
		append_count(&list, counts->by_refusal[i], refusals[i].words);
		total += counts->by_refusal[i];
	}
	if (total > 0)
		buffer_printf(line, "; %llu refused: %s", (unsigned long long)total, buffer_text(&list));
}

/* "3 × 200, 1 × 500" */
static void append_forwarded(struct buffer *line, const struct listen *l)
{
	LOCAL_BUFFER list = BUFFER_FOR(line), words = BUFFER_FOR(line);
	for (int status = 100; status < LISTEN_STATUSES; status++) {
		buffer_clear(&words);
		buffer_printf(&words, "%s %d", l->context->terminal->utf8 ? "\u00d7" : "x", status);
		append_count(&list, l->forwarded[status], buffer_text(&words));
	}
	append_count(&list, l->forwarded[0], "without a response");
	if (list.length > 0)
		buffer_printf(line, "; forwarded: %s", buffer_text(&list));
}

static void append_time(struct buffer *line, const struct listen *l)
{
	char span[CLOCK_DURATION_SIZE];
	int64_t timeout = l->args->timeout;
	clock_format_duration(timeout > 0 ? timeout : LISTEN_COMMAND_GRACE, span);
	buffer_printf(line, "timed out %s%s%s", timeout > 0 ? "after " : "", span,
	              timeout > 0 ? "" : " after the end of the command");
}

/* Why it ended: an announcement if that makes the exit code 1, else a note at most. */
static void print_end(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	const struct listen_args *a = l->args;
	LOCAL_BUFFER line = BUFFER_FOR(&l->context->terminal->lost);
	char span[CLOCK_DURATION_SIZE];
	bool too_few = counts->received < a->max_events;
	clock_format_duration(a->timeout, span);
	if (l->timed_out && !too_few && expectations_met(l->expected) && !l->command.timed_out)
		terminal_note(l->context->terminal, "ended after %s (--timeout)", span);
	else if (l->timed_out)
		append_time(&line, l);
	if (too_few)
		buffer_printf(&line, "%s%llu of %llu notifications arrived", line.length > 0 ? ": " : "",
		              (unsigned long long)counts->received, (unsigned long long)a->max_events);
	if (line.length > 0)
		terminal_announce(l->context->terminal, "%s", buffer_text(&line));
}

/* Its exit code becomes listen's. */
static void print_command(struct listen *l)
{
	const struct listen_command *c = &l->command;
	if (c->child.signal)
		terminal_announce(l->context->terminal, "'%s' was ended by signal %d%s", c->name, c->child.signal,
		                  c->timed_out ? ": it ran longer than --timeout" : "");
	else if (c->child.code != 0)
		terminal_announce(l->context->terminal, "'%s' exited with %d", c->name, c->child.code);
}

static void warn_of_cut_off(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	char span[CLOCK_DURATION_SIZE];
	clock_format_duration(LISTEN_DRAIN, span);
	if (counts->cut_off > 0)
		terminal_warn(l->context->terminal, "%llu unanswered at shutdown (%s%s)%s",
		              (unsigned long long)counts->cut_off, l->interrupted ? "a second signal" : "after ",
		              l->interrupted ? "" : span,
		              l->args->receive.policy.capture.path ? "; the capture has the records" : "");
}

/* A line for each. */
static void print_missing(struct listen *l)
{
	LOCAL_BUFFER text = BUFFER_FOR(&l->context->terminal->lost);
	for (size_t i = 0; i < l->expected->count; i++) {
		const struct expectation *e = &l->expected->list[i];
		if (expectation_is_met(e))
			continue;
		buffer_clear(&text);
		expectation_append_state(&text, e);
		terminal_announce(l->context->terminal, "missing: %s", buffer_text(&text));
	}
}

void listen_print_summary(struct listen *l)
{
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	if (l->context->global->json)
		summarise_as_json(l);
	terminal_flush(l->context->terminal);
	if (!l->context->terminal->quiet) {
		LOCAL_BUFFER line = BUFFER_FOR(&l->context->terminal->lost);
		append_verdicts(&line, counts);
		append_forwarded(&line, l);
		append_refusals(&line, counts);
		terminal_announce(l->context->terminal, "%s", buffer_text(&line));
	}
	warn_of_cut_off(l);
	print_end(l);
	print_command(l);
	print_missing(l);
}
