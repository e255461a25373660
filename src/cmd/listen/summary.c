/* The ready line, and the summary at the end. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "json/json_line.h"

#include <stddef.h>
#include <unistd.h>

/* The name in JSON, and the words for people behind a number of refused ones. */
struct refusal_words {
	const char *name;
	const char *words;
};
static const struct refusal_words refusals[RECEIVE_REFUSALS] = {
	[REFUSED_PATH] = { "path", "at another path" },
	[REFUSED_METHOD] = { "method", "no POST" },
	[REFUSED_BODY] = { "max-body", "with too long a body" },
	[REFUSED_HEAD] = { "head", "with too long a head" },
	[REFUSED_TIME] = { "timeout", "too slow" },
	[REFUSED_MEMORY] = { "memory", "for want of memory" },
	[REFUSED_TLS] = { "tls", "without a TLS handshake" },
	[REFUSED_LATE] = { "late", "after all had come" },
	[REFUSED_FORM] = { "form", "no valid HTTP request" },
};

/* One who is shut out before a byte is read: counted by the server, and told together at the end. */
static const struct {
	struct refusal_words words;
	size_t offset;
} accept_refusals[] = {
	{ { "allow", "not among --allow" }, offsetof(struct http_server_counts, not_allowed) },
	{ { "max-per-address", "beyond --max-per-address" }, offsetof(struct http_server_counts, too_many) },
	{ { "max-connections", "beyond --max-connections" }, offsetof(struct http_server_counts, turned_away) },
};
#define ACCEPT_REFUSALS (sizeof accept_refusals / sizeof accept_refusals[0])

static uint64_t accept_refusal(const struct listen *l, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)receiver_server_counts(l->receiver) +
	                                         accept_refusals[i].offset);
}

static void print_json(struct listen *l)
{
	json_line_end(&l->out);
	buffer_append_byte(&l->out, '\n');
	terminal_write(l->context->terminal, buffer_text(&l->out), l->out.length);
}

void listen_print_ready(struct listen *l)
{
	struct terminal *t = l->context->terminal;
	const char *url = receiver_url(l->receiver);
	const char *fingerprint = receiver_fingerprint(l->receiver), *cacert = receiver_certificate_file(l->receiver);
	if (l->context->global->json) {
		buffer_clear(&l->out);
		json_line_begin(&l->out);
		json_line_text(&l->out, "type", "ready");
		json_line_text(&l->out, "url", url);
		json_line_number(&l->out, "pid", getpid());
		if (cacert) {
			json_line_text(&l->out, "fingerprint", fingerprint);
			json_line_text(&l->out, "cacert", cacert);
		}
		print_json(l);
		terminal_flush(t);
	}
	terminal_announce(t, "listening on %s", url);
	if (cacert) {
		terminal_announce(t, "certificate for this session: SHA-256 %s", fingerprint);
		terminal_announce(t, "to trust it: curl --cacert %s %s", cacert, url);
	}
	if (!receiver_is_local(l->receiver) && l->args->receive.allowed.count == 0)
		terminal_warn(t,
		              "this is no loopback address: whoever can reach it can send; --allow CIDR names who may");
	else if (!receiver_is_local(l->receiver))
		terminal_note(t, "this is no loopback address; --allow names who may connect");
}

static void append_expectations_json(struct buffer *out, const struct expectations *expected)
{
	json_line_key(out, "expected");
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < expected->count; i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(expected->list[i].kind, name);
		json_line_comma(out);
		json_line_begin(out);
		json_line_text(out, "event", name);
		json_line_number(out, "wanted", (int64_t)expected->list[i].wanted);
		json_line_number(out, "arrived", (int64_t)expected->list[i].arrived);
		json_line_number(out, "invalid", (int64_t)expected->list[i].invalid);
		json_line_end(out);
	}
	buffer_append_byte(out, ']');
	if (expected->in_order)
		json_line_bool(out, "in_order", !expected->out_of_order);
}

static void append_refusals_json(struct buffer *out, const struct listen *l)
{
	const struct receive_counts *counts = receiver_counts(l->receiver);
	json_line_key(out, "doors");
	json_line_begin(out);
	for (size_t i = 0; i < ACCEPT_REFUSALS; i++)
		json_line_number(out, accept_refusals[i].words.name, (int64_t)accept_refusal(l, i));
	for (size_t i = 0; i < RECEIVE_REFUSALS; i++)
		json_line_number(out, refusals[i].name, (int64_t)counts->by_refusal[i]);
	json_line_end(out);
}

static void summarise_as_json(struct listen *l)
{
	const struct receive_counts *counts = receiver_counts(l->receiver);
	struct buffer *out = &l->out;
	buffer_clear(out);
	json_line_begin(out);
	json_line_text(out, "type", "summary");
	json_line_number(out, "received", (int64_t)counts->received);
	json_line_number(out, "valid_count", (int64_t)counts->valid);
	json_line_number(out, "invalid_count", (int64_t)counts->invalid);
	json_line_number(out, "repeated", (int64_t)counts->repeated);
	json_line_number(out, "unanswered", (int64_t)counts->unanswered);
	json_line_number(out, "faults", (int64_t)counts->faults);
	json_line_number(out, "refused", (int64_t)counts->refused);
	append_refusals_json(out, l);
	json_line_key(out, "events");
	json_line_begin(out);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(catalog_kind_at(i), name);
		if (counts->by_kind[i] > 0)
			json_line_number(out, name, (int64_t)counts->by_kind[i]);
	}
	json_line_end(out);
	append_expectations_json(out, &l->expected);
	json_line_bool(out, "timed_out", l->timed_out);
	json_line_number(out, "lost_records", (int64_t)counts->lost_records);
	json_line_number(out, "dropped_lines", (int64_t)terminal_dropped(l->context->terminal));
	print_json(l);
}

static void append_refusal(struct buffer *out, const struct refusal_words *refusal, uint64_t count)
{
	if (count > 0)
		buffer_printf(out, "%s%llu %s", out->length > 0 ? ", " : "", (unsigned long long)count, refusal->words);
}

static void summarise_as_text(struct listen *l)
{
	const struct receive_counts *counts = receiver_counts(l->receiver);
	struct buffer line = BUFFER_INIT, words = BUFFER_INIT;
	buffer_printf(&line, "%llu received: %llu valid, %llu invalid", (unsigned long long)counts->received,
	              (unsigned long long)counts->valid, (unsigned long long)counts->invalid);
	if (counts->repeated > 0)
		buffer_printf(&line, ", %llu repeated", (unsigned long long)counts->repeated);
	if (counts->unanswered > 0)
		buffer_printf(&line, ", %llu unanswered", (unsigned long long)counts->unanswered);
	if (counts->lost_records > 0)
		buffer_printf(&line, ", %llu lost", (unsigned long long)counts->lost_records);
	uint64_t shut_out = 0;
	for (size_t i = 0; i < ACCEPT_REFUSALS; i++) {
		append_refusal(&words, &accept_refusals[i].words, accept_refusal(l, i));
		shut_out += accept_refusal(l, i);
	}
	for (size_t i = 0; i < RECEIVE_REFUSALS; i++)
		append_refusal(&words, &refusals[i], counts->by_refusal[i]);
	buffer_printf(&line, "; %llu refused", (unsigned long long)(counts->refused + shut_out));
	if (words.length > 0)
		buffer_printf(&line, ": %s", buffer_text(&words));
	terminal_note(l->context->terminal, "%s", buffer_text(&line));
	buffer_release(&line);
	buffer_release(&words);
}

/* Why it ended, where that makes the exit code 1; else it is what was asked for, and at most a note. */
static void print_end(struct listen *l)
{
	const struct receive_counts *counts = receiver_counts(l->receiver);
	const struct listen_args *a = l->args;
	struct buffer line = BUFFER_INIT;
	char span[CLOCK_DURATION_SIZE];
	bool too_few = counts->received < listen_max_events(a);
	clock_format_duration(a->timeout, span);
	if (l->timed_out && !too_few && expectations_met(&l->expected))
		terminal_note(l->context->terminal, "ended after %s, as --timeout asks", span);
	else if (l->timed_out)
		buffer_printf(&line, "timed out after %s", span);
	if (too_few)
		buffer_printf(&line, "%s%llu of %llu notifications came", line.length > 0 ? ": " : "",
		              (unsigned long long)counts->received, (unsigned long long)listen_max_events(a));
	if (line.length > 0)
		terminal_announce(l->context->terminal, "%s", buffer_text(&line));
	buffer_release(&line);
}

/* Their senders do not know what became of them. */
static void warn_of_cut_off(struct listen *l)
{
	const struct receive_counts *counts = receiver_counts(l->receiver);
	char span[CLOCK_DURATION_SIZE];
	if (counts->cut_off == 0)
		return;
	clock_format_duration(l->args->drain, span);
	terminal_warn(l->context->terminal, "%llu received, but not answered: the end came first (%s%s)%s",
	              (unsigned long long)counts->cut_off, l->interrupted ? "a second signal" : "--drain ",
	              l->interrupted ? "" : span, l->args->receive.capture ? "; the capture has the records" : "");
}

void listen_print_summary(struct listen *l)
{
	struct buffer text = BUFFER_INIT;
	if (l->context->global->json)
		summarise_as_json(l);
	terminal_flush(l->context->terminal);
	summarise_as_text(l);
	warn_of_cut_off(l);
	print_end(l);
	/* What came too early ended it: what was due later could not come any more. */
	bool out_of_order = l->expected.out_of_order;
	if (out_of_order)
		expectations_append_disorder(&text, &l->expected);
	else
		expectations_append_missing(&text, &l->expected);
	if (text.length > 0)
		terminal_announce(l->context->terminal, "%s: %s", out_of_order ? "out of order" : "missing",
		                  buffer_text(&text));
	buffer_release(&text);
}
