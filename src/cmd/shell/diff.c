/* diff: two notifications value by value, each difference at its JSON Pointer. */
#include "base/utf8.h"
#include "capture/record.h"
#include "cmd/shell/shell.h"
#include "json/json_line.h"
#include "json/tree.h"

#include <json-c/linkhash.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_VALUE 160 /* bytes */

struct comparison {
	struct buffer out;
	struct buffer pointer;
	size_t differences;
	bool json;
	bool color;
};

/* A value of one of the two. */
struct value {
	bool is_there;
	struct json_object *tree; /* NULL: null */
};

static void append_value(struct comparison *c, struct value value, enum style style)
{
	LOCAL_BUFFER text = BUFFER_INIT, safe = BUFFER_INIT;
	if (!value.is_there)
		return;
	tree_append_text(value.tree, false, &text);
	utf8_append_safe(&safe, buffer_text(&text), text.length < SHOWN_VALUE ? text.length : SHOWN_VALUE);
	style_append(&c->out, c->color, style, "%s%s", buffer_text(&safe), text.length > SHOWN_VALUE ? "..." : "");
	c->out.failed |= text.failed || safe.failed;
}

static void append_json_value(struct comparison *c, const char *key, struct value value)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	if (!value.is_there)
		return;
	tree_append_text(value.tree, false, &text);
	json_line_key(&c->out, key);
	json_line_members(&c->out, buffer_text(&text), text.length);
	c->out.failed |= text.failed;
}

static void append_difference(struct comparison *c, struct value before, struct value after)
{
	c->differences++;
	if (c->json) {
		json_line_begin_type(&c->out, "difference");
		json_line_bytes(&c->out, "pointer", buffer_text(&c->pointer), c->pointer.length);
		append_json_value(c, "before", before);
		append_json_value(c, "after", after);
		json_line_finish(&c->out);
		return;
	}
	buffer_append_text(&c->out, !before.is_there ? "+ " : !after.is_there ? "- " : "~ ");
	if (c->pointer.length == 0)
		buffer_append_text(&c->out, "(whole payload)");
	utf8_append_safe(&c->out, buffer_text(&c->pointer), c->pointer.length);
	buffer_append_text(&c->out, ": ");
	append_value(c, before, STYLE_ERROR);
	buffer_append_text(&c->out, before.is_there && after.is_there ? " -> " : "");
	append_value(c, after, STYLE_GOOD);
	buffer_append_byte(&c->out, '\n');
}

static void compare(struct comparison *c, struct value before, struct value after);

static void compare_member(struct comparison *c, const char *key, struct value before, struct value after)
{
	size_t kept = c->pointer.length;
	json_append_pointer_key(&c->pointer, key, strlen(key));
	compare(c, before, after);
	buffer_consume_end(&c->pointer, c->pointer.length - kept);
}

static void compare_objects(struct comparison *c, struct json_object *before, struct json_object *after)
{
	struct value none = { false, NULL }, other;
	json_object_object_foreach(before, key, value)
	{
		other.is_there = json_object_object_get_ex(after, key, &other.tree);
		compare_member(c, key, (struct value){ true, value }, other.is_there ? other : none);
	}
	json_object_object_foreach(after, added, added_value)
	{
		if (!json_object_object_get_ex(before, added, NULL))
			compare_member(c, added, none, (struct value){ true, added_value });
	}
}

static struct value element(struct json_object *array, size_t index)
{
	return (struct value){ index < json_object_array_length(array), json_object_array_get_idx(array, index) };
}

static void compare_arrays(struct comparison *c, struct json_object *before, struct json_object *after)
{
	char index[24];
	for (size_t i = 0; element(before, i).is_there || element(after, i).is_there; i++) {
		snprintf(index, sizeof index, "%zu", i);
		compare_member(c, index, element(before, i), element(after, i));
	}
}

/* Numbers are equal where they are written the same. */
static bool is_equal(struct comparison *c, struct json_object *a, struct json_object *b)
{
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	tree_append_text(a, false, &one);
	tree_append_text(b, false, &other);
	c->out.failed |= one.failed || other.failed;
	return one.length == other.length && memcmp(buffer_text(&one), buffer_text(&other), one.length) == 0;
}

static void compare(struct comparison *c, struct value before, struct value after)
{
	enum json_type type = json_object_get_type(before.tree);
	bool are_alike = before.is_there && after.is_there && type == json_object_get_type(after.tree);
	if (are_alike && type == json_type_object)
		compare_objects(c, before.tree, after.tree);
	else if (are_alike && type == json_type_array)
		compare_arrays(c, before.tree, after.tree);
	else if (!are_alike || !is_equal(c, before.tree, after.tree))
		append_difference(c, before, after);
}

static int read_body(const struct history_entry *a, struct json_object **tree, struct error *err)
{
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	if (capture_record_parse(&scratch, a->record, a->length, &record, err) < 0)
		return -1;
	if (json_read(&doc, record.body.text, record.body.length, &fault))
		return tree_from_doc(&doc, 0, tree, err);
	error_set(err, EXIT_CODE_FAILED, "#%llu is not JSON: %s", (unsigned long long)a->number, fault.reason);
	return error_hint(err, "'show %llu' shows where", (unsigned long long)a->number);
}

int shell_diff(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct terminal *t = s->context->terminal;
	struct comparison c = { .json = call->options->json, .color = t->color_out };
	const struct history_entry *a = shell_arrival_named(s, call->operands->items[0], err);
	const struct history_entry *b = a ? shell_arrival_named(s, call->operands->items[1], err) : NULL;
	struct json_object *before = NULL, *after = NULL;
	int code = -1;
	if (b && read_body(a, &before, err) == 0 && read_body(b, &after, err) == 0) {
		compare(&c, (struct value){ true, before }, (struct value){ true, after });
		code = c.out.failed || c.pointer.failed ? error_no_memory(err) : EXIT_CODE_OK;
	}
	if (code == EXIT_CODE_OK) {
		terminal_write(t, buffer_text(&c.out), c.out.length);
		terminal_flush(t);
		terminal_note(t, "#%llu and #%llu: %zu difference%s", (unsigned long long)a->number,
		              (unsigned long long)b->number, c.differences, c.differences == 1 ? "" : "s");
	}
	json_object_put(before);
	json_object_put(after);
	buffer_release(&c.out);
	buffer_release(&c.pointer);
	return code;
}
