#include "base/clock.h"
#include "base/fit.h"
#include "base/hash.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/send/send.h"
#include "deliver/delivery_run.h"
#include "http/words.h"
#include "ui/line.h"

#include <string.h>

#define INDENT 7
#define EDGE   80 /* where the names end, unless the terminal is narrower */
#define SHOWN  12 /* reasons in text */

void send_reasons_release(struct send_reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++) {
		buffer_release(&reasons->items[i].status);
		buffer_release(&reasons->items[i].first);
		buffer_release(&reasons->items[i].words);
		buffer_release(&reasons->items[i].hint);
	}
	reasons->count = 0;
}

void send_append_expected(struct buffer *out, const struct send_run *run, const struct job *job)
{
	bool is_other = job->has_recorded && job->recorded_status != job->exchange.status;
	bool is_better =
	        is_other && job->outcome == OUTCOME_ACCEPTED && (run->options->compare.results || job->has_expected);
	if (is_better)
		buffer_printf(out, "now %d, ", job->exchange.status);
	if (is_other && run->options->compare.results && job->recorded_status == 0)
		buffer_append_text(out, "had no response");
	else if (is_better || (is_other && run->options->compare.results))
		buffer_printf(out, "was %d", job->recorded_status);
	else if (job->outcome == OUTCOME_REJECTED && job->has_expected)
		buffer_printf(out, "expected %d as recorded", job->recorded_status);
	else if (job->outcome == OUTCOME_REJECTED && run->options->expect_status.text)
		buffer_printf(out, "expected %s", run->options->expect_status.text);
	else if (is_other)
		buffer_printf(out, "recorded %d", job->recorded_status);
}

void send_append_status(struct buffer *out, const struct job *job)
{
	if (job->exchange.outcome == DELIVER_RESPONDED || job->exchange.failure == DELIVER_TOO_LONG)
		buffer_printf(out, "%d", job->exchange.status);
	else
		buffer_append_text(out, "---");
}

void send_append_message(struct buffer *out, const struct send_run *run, const struct job *job)
{
	const struct exchange *x = &job->exchange;
	const struct address *address = &run->route.destination.address;
	utf8_append_safe(out, x->message, strlen(x->message));
	/* A connection was made there, unless an option leads elsewhere. */
	if (x->failure == DELIVER_REFUSED && !run->route.detours.proxy &&
	    run->route.detours.connect_to.list.count == 0) {
		buffer_append_text(out, ": nothing listens at ");
		host_append(out, &address->host);
		buffer_printf(out, ":%u", address->port);
	}
	if (job->late)
		buffer_printf(out, "slower than %s", DURATION_TEXT(run->options->expect_within));
	if (job->outcome == OUTCOME_REJECTED && *exchange_field(x, "Location")) {
		LOCAL_BUFFER place = BUFFER_FOR(out); /* servers repeat what they were asked with */
		url_append_masked_reference(&place, text_of(exchange_field(x, "Location")));
		buffer_append_text(out, "not followed to ");
		utf8_append_safe(out, buffer_text(&place), place.length);
	}
}

void send_append_response(struct buffer *out, const struct job *job)
{
	const struct exchange *x = &job->exchange;
	if (job->outcome == OUTCOME_REJECTED || x->status >= 400)
		words_append_lines(out, x->response.body.text, x->response.body.length, x->response_cut);
}

/* Which of them --retry repeats is deliver/delivery_run.h's to say. */
static const struct {
	int status;
	const char *text;
	const char *recorded_path; /* instead, where the path is the record's own; NULL: the same */
} by_status[] = {
	{ 401, "authentication required: -H 'Authorization: ...', or -H @FILE to keep the secret", NULL },
	{ 404, "nothing at this path: check the one of --to",
	  "nothing at the recorded path: leave out --as-recorded to use the one of --to" },
	{ 405, "the path does not accept POST; check it",
	  "the recorded path does not accept POST: leave out --as-recorded to use the one of --to" },
	{ 407, "the proxy requires authentication: -x http://USER:PASSWORD@HOST:PORT", NULL },
	{ 413, "the listener limits the size of a body (credhook listen --max-body BYTES)", NULL },
	{ 422, "the listener found the payload invalid: its response or log says what", NULL },
	{ 429, "too many requests; --rate slows down", NULL },
};

/* NULL: nothing is known of the status. */
static const char *hint_of_status(const struct send_run *run, const struct job *job)
{
	int status = job->exchange.status;
	bool is_recorded = run->recorded_paths && job->exchange.request.target.length > 0;
	for (size_t i = 0; i < sizeof by_status / sizeof by_status[0]; i++)
		if (by_status[i].status == status)
			return is_recorded && by_status[i].recorded_path ? by_status[i].recorded_path
			                                                 : by_status[i].text;
	return status >= 500 ? "server error: check the listener's log" : NULL;
}

static void append_hint(struct buffer *out, const struct send_run *run, const struct job *job)
{
	const struct send_options *o = run->options;
	const struct exchange *x = &job->exchange;
	if (job->outcome == OUTCOME_ACCEPTED)
		return;
	if (x->failure == DELIVER_REFUSED) {
		route_append_elsewhere(&run->route, "to", out);
		buffer_append_text(out, out->length > 0 ? "" : "start your listener, or use --wait 30s");
	} else if (x->failure == DELIVER_TOO_LONG) {
		buffer_printf(out, "the listener responded %d, but its response is longer than 1 MiB: make it shorter",
		              x->status);
	} else if (x->hint) {
		buffer_append_text(out, x->hint);
	} else if (job->outcome == OUTCOME_UNKNOWN) {
		buffer_append_text(out, "it may have been delivered");
		buffer_append_text(out, o->retry_unknown ? "" : "; not retried (see --retry-unknown)");
	} else if (x->status / 100 == 3 && *exchange_field(x, "Location")) {
		buffer_append_text(out, "redirects are not followed; if the new URL is right, write it with --to");
	} else {
		const char *text = hint_of_status(run, job);
		buffer_append_text(out, text ? text : "");
		if (o->retry == 0 && retry_is_for(x->status))
			buffer_printf(out, "%s--retry N tries again", text ? "; " : "");
	}
}

void send_reasons_add(struct send_reasons *reasons, const struct send_run *run, const struct job *job, uint64_t number,
                      bool has_line)
{
	struct send_reason new = {
		.count = 1, .number = number, .without_line = !has_line, .unsent = job->outcome == OUTCOME_FAILED
	};
	LOCAL_BUFFER expected = BUFFER_INIT, alike = BUFFER_INIT;
	send_append_expected(&expected, run, job);
	send_append_status(&new.status, job);
	if (expected.length > 0)
		buffer_printf(&new.status, ", %s", buffer_text(&expected));
	send_append_message(&new.words, run, job);
	if (new.words.length > 0)
		buffer_append_byte(&new.words, '\n');
	send_append_response(&new.words, job);
	new.key = hash_fnv1a(HASH_FNV1A, buffer_text(&new.status), new.status.length);
	text_append_alike(&alike, buffer_text(&new.words), new.words.length);
	new.key = hash_fnv1a(new.key, buffer_text(&alike), alike.length);
	size_t at = 0;
	while (at < reasons->count && reasons->items[at].key != new.key)
		at++;
	reasons->last = at < REASONS_MAX ? at + 1 : 0;
	if (at < reasons->count || at == REASONS_MAX) {
		*(at < REASONS_MAX ? &reasons->items[at].count : &reasons->others) += 1;
		if (at < REASONS_MAX)
			reasons->items[at].without_line += !has_line;
		buffer_release(&new.status);
		buffer_release(&new.words);
		return;
	}
	buffer_append_text(&new.first, job->name[0] ? job->name : "(unknown)");
	if (job->input) {
		buffer_append_text(&new.first, "  ");
		const char *name = input_name(job->input);
		utf8_append_safe(&new.first, name, strlen(name));
		buffer_printf(&new.first, ":%llu", (unsigned long long)job->record);
	}
	append_hint(&new.hint, run, job);
	reasons->items[reasons->count++] = new;
}

/* "  500  KeyError: 'path'       bureau-alert and 2 more": the name at the right, or below where it does not fit. */
static void append_reason(struct buffer *out, const struct send_reason *r, bool color, int width)
{
	struct text_line line = { out, color, width, INDENT, 0 };
	const char *at = buffer_text(&r->words);
	size_t length = strcspn(at, "\n");
	text_line_append(&line, STYLE_PLAIN, "  ");
	text_line_append(&line, STYLE_ERROR, buffer_text(&r->status));
	text_line_remark(&line, at, length);
	LOCAL_BUFFER name = BUFFER_FOR(out);
	buffer_append(&name, buffer_text(&r->first), r->first.length);
	if (r->count > 1)
		buffer_printf(&name, " and %s more", COUNT_TEXT(r->count - 1));
	int wide = fit_columns(buffer_text(&name), name.length), edge = width < EDGE ? width : EDGE;
	bool fits = line.column + 2 + wide <= width;
	int blanks = length == 0 ? 0 : edge - wide - (fits ? line.column : 0), least = fits ? 2 : 0;
	if (!fits)
		buffer_append_byte(out, '\n');
	buffer_append_repeat(out, ' ', (size_t)(blanks > least ? blanks : least));
	fit_append(out, buffer_text(&name), name.length, width);
	buffer_append_byte(out, '\n');
	for (at += length + (at[length] == '\n'); *at; at += length + (at[length] == '\n')) {
		length = strcspn(at, "\n");
		text_line_below(&line, at, length);
		buffer_append_byte(out, '\n');
	}
}

/* What those with the reason have in common. */
static void append_causes(struct buffer *out, const struct send_reason *r, const struct send_causes *causes, int width)
{
	LOCAL_BUFFER lines = BUFFER_FOR(out);
	send_causes_append(causes, r->number, r->count, &lines);
	for (const char *at = buffer_text(&lines), *end; *at; at = end + 1) {
		LOCAL_BUFFER line = BUFFER_FOR(out);
		end = strchr(at, '\n');
		buffer_append(&line, at, (size_t)(end - at));
		buffer_append_repeat(out, ' ', INDENT);
		fit_append_wrapped(out, buffer_text(&line), INDENT, INDENT, width);
		buffer_append_byte(out, '\n');
	}
}

/* What kept all from being sent is one line, of which no delivery has its own. */
void send_reasons_print_unsent(const struct send_reasons *reasons, struct terminal *t)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	int indent = style_sign_columns(terminal_has_signs(t));
	for (size_t i = 0; i < reasons->count; i++) {
		const struct send_reason *r = &reasons->items[i];
		LOCAL_BUFFER text = BUFFER_FOR(&out);
		if (r->without_line == 0)
			continue;
		buffer_append(&text, buffer_text(&r->words), strcspn(buffer_text(&r->words), "\n"));
		buffer_printf(&text, " (%s %s not sent)", COUNT_TEXT(r->without_line),
		              r->without_line == 1 ? "delivery" : "deliveries");
		style_append_sign(&out, t->color_out, terminal_has_signs(t), GRADE_FAIL);
		fit_append_wrapped(&out, buffer_text(&text), indent, indent, terminal_out_width(t));
		buffer_append_byte(&out, '\n');
	}
	terminal_write_buffer(t, &out);
}

void send_reasons_print(const struct send_reasons *reasons, const struct send_causes *causes, struct terminal *terminal)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	const struct send_reason *only = reasons->count == 1 ? &reasons->items[0] : NULL;
	bool is_shown_already = only && (only->unsent || (only->count == 1 && only->words.length == 0));
	size_t shown = reasons->count < SHOWN ? reasons->count : SHOWN;
	uint64_t others = reasons->others;
	for (size_t i = shown; i < reasons->count; i++)
		others += reasons->items[i].count;
	for (size_t i = 0; i < shown && !is_shown_already; i++) {
		append_reason(&out, &reasons->items[i], terminal->color_err, terminal_err_width(terminal));
		append_causes(&out, &reasons->items[i], causes, terminal_err_width(terminal));
	}
	if (others > 0)
		buffer_printf(&out, "  and %s for other reasons: --json has all responses\n", COUNT_TEXT(others));
	terminal_lines(terminal, &out);
	for (size_t i = 0; i < shown; i++) {
		const char *hint = buffer_text(&reasons->items[i].hint);
		bool again = hint[0] == '\0';
		for (size_t before = 0; before < i; before++)
			again |= strcmp(buffer_text(&reasons->items[before].hint), hint) == 0;
		if (!again)
			terminal_note(terminal, "hint: %s", hint);
	}
}
