#include "base/fit.h"
#include "base/utf8.h"
#include "cmd/show/show.h"
#include "json/diff.h"
#include "json/json_line.h"
#include "json/print.h"

#define SHOWN_VALUE 160 /* bytes */

struct comparison {
	struct json_doc docs[2]; /* before, after */
	struct listing *listing; /* its `out` gets the lines */
	size_t differences;
};

static void append_value(struct comparison *c, int side, uint32_t token)
{
	struct buffer *out = &c->listing->out;
	LOCAL_BUFFER text = BUFFER_FOR(out), safe = BUFFER_FOR(out);
	if (token == JSON_NONE)
		return;
	json_print(&c->docs[side], token, JSON_COMPACT, &text);
	if (c->listing->context->terminal->json) {
		json_line_key(out, side == 0 ? "before" : "after");
		json_line_members(out, buffer_text(&text), text.length);
	} else {
		utf8_append_safe(&safe, buffer_text(&text), text.length < SHOWN_VALUE ? text.length : SHOWN_VALUE);
		style_append(out, c->listing->style.color, side == 0 ? STYLE_ERROR : STYLE_GOOD, "%s%s",
		             buffer_text(&safe), text.length > SHOWN_VALUE ? "..." : "");
	}
}

static void append_difference(void *context, const struct text *pointer, uint32_t before, uint32_t after)
{
	struct comparison *c = context;
	struct buffer *out = &c->listing->out;
	c->differences++;
	if (c->listing->context->terminal->json) {
		json_line_begin_type(out, "difference");
		json_line_bytes(out, "pointer", pointer->text, pointer->length);
		append_value(c, 0, before);
		append_value(c, 1, after);
		json_line_finish(out);
	} else {
		buffer_append_text(out, before == JSON_NONE ? "+ " : after == JSON_NONE ? "- " : "~ ");
		if (pointer->length == 0)
			buffer_append_text(out, "(whole payload)");
		utf8_append_safe(out, pointer->text, pointer->length);
		buffer_append_text(out, ": ");
		append_value(c, 0, before);
		buffer_append_text(out, before != JSON_NONE && after != JSON_NONE ? " -> " : "");
		append_value(c, 1, after);
		buffer_append_byte(out, '\n');
	}
	/* Each may repeat a long key: not all of them are held. */
	listing_flush(c->listing);
}

/* Reads the body of the next that is selected; *body keeps its text. */
static int read_next(struct listing *l, struct buffer *body, struct json_doc *doc, uint64_t *number, struct error *err)
{
	struct json_fault fault;
	if (listing_next(l, err) != SELECTION_YES)
		return -1;
	*number = l->number;
	buffer_append(body, l->record.request.body.text, l->record.request.body.length);
	if (body->failed)
		return error_no_memory(err);
	if (json_read(doc, buffer_text(body), body->length, &fault))
		return 0;
	if (json_fault_is_memory(&fault))
		return error_no_memory(err);
	error_set(err, EXIT_CODE_FAILED, "#%llu is not JSON: %s", (unsigned long long)*number, fault.reason);
	return l->style.show ? error_hint(err, "%s %llu shows where", l->style.show, (unsigned long long)*number) : -1;
}

int diff_selected(struct listing *l, struct error *err)
{
	struct terminal *t = l->context->terminal;
	struct comparison c = { .listing = l };
	const struct json_doc *const docs[2] = { &c.docs[0], &c.docs[1] };
	LOCAL_BUFFER before = BUFFER_FOR(&l->out), after = BUFFER_FOR(&l->out);
	uint64_t numbers[2];
	if (l->selected->count != 2) {
		error_set(err, EXIT_CODE_USAGE, "--diff takes two numbers");
		return error_hint(err, "write 'credhook show capture.ndjson 3 7 --diff'");
	}
	int result = read_next(l, &before, &c.docs[0], &numbers[0], err);
	if (result == 0)
		result = read_next(l, &after, &c.docs[1], &numbers[1], err);
	if (result == 0 && !json_diff(docs, append_difference, &c))
		result = error_no_memory(err);
	json_doc_release(&c.docs[0]);
	json_doc_release(&c.docs[1]);
	if (result < 0)
		return -1;
	listing_flush(l);
	terminal_flush(t);
	terminal_note(t, "#%llu and #%llu: %zu difference%s", (unsigned long long)numbers[0],
	              (unsigned long long)numbers[1], c.differences, c.differences == 1 ? "" : "s");
	return 0;
}
