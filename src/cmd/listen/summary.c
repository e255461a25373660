/* The ready line, and the summary at the end. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "json/json_line.h"

#include <unistd.h>

/* The name in JSON, and the words for people behind a number of refused ones. */
struct door {
	const char *name;
	const char *words;
};
static const struct door doors[LISTEN_DOORS] = {
	[LISTEN_DOOR_PATH] = { "path", "at another path" },
	[LISTEN_DOOR_METHOD] = { "method", "no POST" },
	[LISTEN_DOOR_BODY] = { "max-body", "with too long a body" },
	[LISTEN_DOOR_HEAD] = { "head", "with too long a head" },
	[LISTEN_DOOR_TIME] = { "timeout", "too slow" },
	[LISTEN_DOOR_MEMORY] = { "memory", "for want of memory" },
	[LISTEN_DOOR_TLS] = { "tls", "without a TLS handshake" },
	[LISTEN_DOOR_LATE] = { "late", "after all had come" },
	[LISTEN_DOOR_FORM] = { "form", "no valid HTTP request" },
};

/* One who is shut out before a byte is read: counted by the server, and told together at the end. */
static const struct {
	struct door door;
	size_t offset;
} accept_doors[] = {
	{ { "allow", "not among --allow" }, offsetof(struct http_server_counts, not_allowed) },
	{ { "max-per-address", "beyond --max-per-address" }, offsetof(struct http_server_counts, too_many) },
	{ { "max-connections", "beyond --max-connections" }, offsetof(struct http_server_counts, turned_away) },
};
#define ACCEPT_DOORS (sizeof accept_doors / sizeof accept_doors[0])

static uint64_t accept_door(const struct listener *l, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)&l->at_end + accept_doors[i].offset);
}

static void print_json(struct listener *l)
{
	json_line_end(&l->out);
	buffer_append_byte(&l->out, '\n');
	terminal_write(l->context->terminal, buffer_text(&l->out), l->out.length);
}

void listen_tell_ready(struct listener *l)
{
	struct terminal *t = l->context->terminal;
	const char *url = http_server_url(l->server);
	char fingerprint[HTTP_FINGERPRINT_SIZE] = "";
	if (l->tls)
		http_tls_fingerprint(l->tls, fingerprint);
	if (l->context->global->json) {
		buffer_clear(&l->out);
		json_line_begin(&l->out);
		json_line_text(&l->out, "type", "ready");
		json_line_text(&l->out, "url", url);
		json_line_number(&l->out, "pid", getpid());
		if (l->tls_file) {
			json_line_text(&l->out, "fingerprint", fingerprint);
			json_line_text(&l->out, "cacert", l->tls_file);
		}
		print_json(l);
		terminal_flush(t);
	}
	terminal_announce(t, "listening on %s", url);
	if (l->tls_file) {
		terminal_announce(t, "certificate for this session: SHA-256 %s", fingerprint);
		terminal_announce(t, "to trust it: curl --cacert %s %s", l->tls_file, url);
	}
	if (!http_server_is_local(l->server) && l->args->allowed.count == 0)
		terminal_warn(t,
		              "this is no loopback address: whoever can reach it can send; --allow CIDR names who may");
	else if (!http_server_is_local(l->server))
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

static void append_doors_json(struct buffer *out, const struct listener *l)
{
	json_line_key(out, "doors");
	json_line_begin(out);
	for (size_t i = 0; i < ACCEPT_DOORS; i++)
		json_line_number(out, accept_doors[i].door.name, (int64_t)accept_door(l, i));
	for (size_t i = 0; i < LISTEN_DOORS; i++)
		json_line_number(out, doors[i].name, (int64_t)l->by_door[i]);
	json_line_end(out);
}

static void summarise_as_json(struct listener *l)
{
	struct buffer *out = &l->out;
	buffer_clear(out);
	json_line_begin(out);
	json_line_text(out, "type", "summary");
	json_line_number(out, "received", (int64_t)l->received);
	json_line_number(out, "valid_count", (int64_t)l->valid);
	json_line_number(out, "invalid_count", (int64_t)l->invalid);
	json_line_number(out, "repeated", (int64_t)l->repeated);
	json_line_number(out, "unanswered", (int64_t)l->unanswered);
	json_line_number(out, "faults", (int64_t)l->faults);
	json_line_number(out, "refused", (int64_t)l->refused);
	append_doors_json(out, l);
	json_line_key(out, "events");
	json_line_begin(out);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(catalog_kind_at(i), name);
		if (l->by_kind[i] > 0)
			json_line_number(out, name, (int64_t)l->by_kind[i]);
	}
	json_line_end(out);
	append_expectations_json(out, &l->args->expected);
	json_line_bool(out, "timed_out", l->timed_out);
	json_line_number(out, "lost_records", (int64_t)l->lost_records);
	json_line_number(out, "dropped_lines", (int64_t)terminal_dropped(l->context->terminal));
	print_json(l);
}

static void append_door(struct buffer *out, const struct door *door, uint64_t count)
{
	if (count > 0)
		buffer_printf(out, "%s%llu %s", out->length > 0 ? ", " : "", (unsigned long long)count, door->words);
}

static void summarise_as_text(struct listener *l)
{
	struct buffer line = BUFFER_INIT, words = BUFFER_INIT;
	buffer_printf(&line, "%llu received: %llu valid, %llu invalid", (unsigned long long)l->received,
	              (unsigned long long)l->valid, (unsigned long long)l->invalid);
	if (l->repeated > 0)
		buffer_printf(&line, ", %llu repeated", (unsigned long long)l->repeated);
	if (l->unanswered > 0)
		buffer_printf(&line, ", %llu unanswered", (unsigned long long)l->unanswered);
	if (l->lost_records > 0)
		buffer_printf(&line, ", %llu lost", (unsigned long long)l->lost_records);
	uint64_t shut_out = 0;
	for (size_t i = 0; i < ACCEPT_DOORS; i++) {
		append_door(&words, &accept_doors[i].door, accept_door(l, i));
		shut_out += accept_door(l, i);
	}
	for (size_t i = 0; i < LISTEN_DOORS; i++)
		append_door(&words, &doors[i], l->by_door[i]);
	buffer_printf(&line, "; %llu refused", (unsigned long long)(l->refused + shut_out));
	if (words.length > 0)
		buffer_printf(&line, ": %s", buffer_text(&words));
	terminal_note(l->context->terminal, "%s", buffer_text(&line));
	buffer_release(&line);
	buffer_release(&words);
}

/* Why it ended, where that makes the exit code 1; else it is what was asked for, and at most a note. */
static void tell_end(struct listener *l)
{
	const struct listen_args *a = l->args;
	struct buffer line = BUFFER_INIT;
	char span[CLOCK_DURATION_SIZE];
	bool too_few = l->received < a->max_events;
	clock_format_duration(a->timeout, span);
	if (l->timed_out && !too_few && listen_expectations_met(&a->expected))
		terminal_note(l->context->terminal, "ended after %s, as --timeout asks", span);
	else if (l->timed_out)
		buffer_printf(&line, "timed out after %s", span);
	if (too_few)
		buffer_printf(&line, "%s%llu of %llu notifications came", line.length > 0 ? ": " : "",
		              (unsigned long long)l->received, (unsigned long long)a->max_events);
	if (line.length > 0)
		terminal_announce(l->context->terminal, "%s", buffer_text(&line));
	buffer_release(&line);
}

/* Their senders do not know what became of them. */
static void tell_cut_off(struct listener *l)
{
	char span[CLOCK_DURATION_SIZE];
	if (l->cut_off == 0)
		return;
	clock_format_duration(l->args->drain, span);
	terminal_warn(l->context->terminal, "%llu received, but not answered: the end came first (%s%s)%s",
	              (unsigned long long)l->cut_off, l->interrupted ? "a second signal" : "--drain ",
	              l->interrupted ? "" : span, l->args->capture ? "; the capture has the records" : "");
}

void listen_tell_summary(struct listener *l)
{
	struct buffer text = BUFFER_INIT;
	if (l->context->global->json)
		summarise_as_json(l);
	terminal_flush(l->context->terminal);
	summarise_as_text(l);
	tell_cut_off(l);
	tell_end(l);
	/* What came too early ended it: what was due later could not come any more. */
	bool out_of_order = l->args->expected.out_of_order;
	if (out_of_order)
		listen_append_disorder(&text, &l->args->expected);
	else
		listen_append_missing(&text, &l->args->expected);
	if (text.length > 0)
		terminal_announce(l->context->terminal, "%s: %s", out_of_order ? "out of order" : "missing",
		                  buffer_text(&text));
	buffer_release(&text);
}
