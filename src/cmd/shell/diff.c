/* diff: two notifications value by value, each difference at its JSON Pointer. */
#include "base/utf8.h"
#include "capture/record.h"
#include "cmd/shell/shell.h"
#include "json/json_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_VALUE 160 /* bytes */

struct side {
	struct capture_scratch scratch;
	struct capture_record record;
	struct json_doc doc;
};

struct comparison {
	struct side sides[2];
	struct buffer out;
	struct buffer pointer;
	size_t differences;
	bool json;
	bool color;
	bool failed;
};

/* A key of an object, decoded. */
struct member {
	char *key;
	size_t length;
	uint32_t value;
	uint32_t partner; /* the other object's value, or JSON_NONE */
};

static void append_value(struct comparison *c, size_t side, uint32_t token, enum style style)
{
	const struct json_doc *doc = &c->sides[side].doc;
	const struct json_token *t = &doc->tokens[token];
	size_t length = t->end - t->start;
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, doc->text + t->start, length < SHOWN_VALUE ? length : SHOWN_VALUE);
	if (length > SHOWN_VALUE)
		buffer_append_text(&safe, "...");
	style_append(&c->out, c->color, style, "%s", buffer_text(&safe));
}

static void append_raw(struct comparison *c, const char *key, size_t side, uint32_t token)
{
	const struct json_doc *doc = &c->sides[side].doc;
	if (token == JSON_NONE)
		return;
	json_line_key(&c->out, key);
	buffer_append(&c->out, doc->text + doc->tokens[token].start, doc->tokens[token].end - doc->tokens[token].start);
}

/* before or after JSON_NONE: it is on one side only. */
static void append_difference(struct comparison *c, uint32_t before, uint32_t after)
{
	c->differences++;
	if (c->json) {
		json_line_begin_type(&c->out, "difference");
		json_line_bytes(&c->out, "pointer", buffer_text(&c->pointer), c->pointer.length);
		append_raw(c, "before", 0, before);
		append_raw(c, "after", 1, after);
		json_line_finish(&c->out);
		return;
	}
	buffer_append_text(&c->out, before == JSON_NONE ? "+ " : after == JSON_NONE ? "- " : "~ ");
	if (c->pointer.length == 0)
		buffer_append_text(&c->out, "(whole payload)");
	utf8_append_safe(&c->out, buffer_text(&c->pointer), c->pointer.length);
	buffer_append_text(&c->out, ": ");
	if (before != JSON_NONE)
		append_value(c, 0, before, STYLE_ERROR);
	if (before != JSON_NONE && after != JSON_NONE)
		buffer_append_text(&c->out, " -> ");
	if (after != JSON_NONE)
		append_value(c, 1, after, STYLE_GOOD);
	buffer_append_byte(&c->out, '\n');
}

static int compare_keys(const void *a, const void *b)
{
	const struct member *x = *(const struct member *const *)a, *y = *(const struct member *const *)b;
	size_t shorter = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->key, y->key, shorter);
	if (order == 0 && x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return order != 0 ? order : x->value < y->value ? -1 : 1;
}

/* The members of an object in document order. NULL: no memory. */
static struct member *list_members(const struct json_doc *doc, uint32_t object, size_t *count)
{
	struct member *list = NULL;
	size_t capacity = 0;
	*count = 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = doc->tokens[key + 1].next) {
		struct member *grown = array_grow(list, &capacity, *count + 1, sizeof *list);
		struct buffer text = BUFFER_INIT;
		if (!grown)
			break;
		list = grown;
		json_string_decode(doc, key, &text);
		buffer_append(&text, "", 0);
		list[(*count)++] = (struct member){ text.data, text.length, key + 1, JSON_NONE };
	}
	return list ? list : calloc(1, sizeof *list);
}

static void free_members(struct member *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		free(list[i].key);
	free(list);
}

/* Pairs members of the same key, by sorting both; of duplicate keys the last ones. False: no memory. */
static bool pair(struct member *a, size_t a_count, struct member *b, size_t b_count)
{
	struct member **x = calloc(a_count + 1, sizeof(struct member *));
	struct member **y = calloc(b_count + 1, sizeof(struct member *));
	bool made = x && y;
	for (size_t i = 0; made && i < a_count; i++)
		x[i] = &a[i];
	for (size_t i = 0; made && i < b_count; i++)
		y[i] = &b[i];
	if (made) {
		qsort(x, a_count, sizeof *x, compare_keys);
		qsort(y, b_count, sizeof *y, compare_keys);
	}
	for (size_t i = a_count, j = b_count; made && i > 0 && j > 0;) {
		struct member *one = x[i - 1], *other = y[j - 1];
		size_t shorter = one->length < other->length ? one->length : other->length;
		int order = memcmp(one->key, other->key, shorter);
		if (order == 0 && one->length != other->length)
			order = one->length < other->length ? -1 : 1;
		if (order == 0) {
			one->partner = other->value;
			other->partner = one->value;
		}
		i -= order >= 0;
		j -= order <= 0;
	}
	free(x);
	free(y);
	return made;
}

static void compare(struct comparison *c, uint32_t before, uint32_t after);

static void compare_member(struct comparison *c, const char *key, size_t length, uint32_t before, uint32_t after)
{
	size_t kept = c->pointer.length;
	json_append_pointer_key(&c->pointer, key, length);
	if (before == JSON_NONE || after == JSON_NONE)
		append_difference(c, before, after);
	else
		compare(c, before, after);
	buffer_consume_end(&c->pointer, c->pointer.length - kept);
}

static void compare_objects(struct comparison *c, uint32_t before, uint32_t after)
{
	size_t a_count, b_count;
	struct member *a = list_members(&c->sides[0].doc, before, &a_count);
	struct member *b = list_members(&c->sides[1].doc, after, &b_count);
	if (!a || !b || !pair(a, a_count, b, b_count)) {
		c->failed = true;
		a_count = a ? a_count : 0;
		b_count = b ? b_count : 0;
	} else {
		for (size_t i = 0; i < a_count; i++)
			compare_member(c, a[i].key, a[i].length, a[i].value, a[i].partner);
		for (size_t i = 0; i < b_count; i++)
			if (b[i].partner == JSON_NONE)
				compare_member(c, b[i].key, b[i].length, JSON_NONE, b[i].value);
	}
	free_members(a, a_count);
	free_members(b, b_count);
}

static void compare_arrays(struct comparison *c, uint32_t before, uint32_t after)
{
	const struct json_doc *a = &c->sides[0].doc, *b = &c->sides[1].doc;
	uint32_t x = before + 1, y = after + 1;
	char index[24];
	for (size_t i = 0; x < a->tokens[before].next || y < b->tokens[after].next; i++) {
		bool has_x = x < a->tokens[before].next, has_y = y < b->tokens[after].next;
		int length = snprintf(index, sizeof index, "%zu", i);
		compare_member(c, index, (size_t)length, has_x ? x : JSON_NONE, has_y ? y : JSON_NONE);
		x = has_x ? a->tokens[x].next : x;
		y = has_y ? b->tokens[y].next : y;
	}
}

static bool same_scalar(struct comparison *c, uint32_t before, uint32_t after)
{
	const struct json_doc *a = &c->sides[0].doc, *b = &c->sides[1].doc;
	const struct json_token *x = &a->tokens[before], *y = &b->tokens[after];
	if (x->type != JSON_STRING)
		return x->end - x->start == y->end - y->start &&
		       memcmp(a->text + x->start, b->text + y->start, x->end - x->start) == 0;
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	json_string_decode(a, before, &one);
	json_string_decode(b, after, &other);
	bool same = one.length == other.length && memcmp(buffer_text(&one), buffer_text(&other), one.length) == 0;
	c->failed = c->failed || one.failed || other.failed;
	return same;
}

static void compare(struct comparison *c, uint32_t before, uint32_t after)
{
	uint8_t type = c->sides[0].doc.tokens[before].type;
	if (type != c->sides[1].doc.tokens[after].type)
		append_difference(c, before, after);
	else if (type == JSON_OBJECT)
		compare_objects(c, before, after);
	else if (type == JSON_ARRAY)
		compare_arrays(c, before, after);
	else if (!same_scalar(c, before, after))
		append_difference(c, before, after);
}

static int open_side(struct side *side, const struct history_entry *a, struct error *err)
{
	struct json_fault fault;
	if (capture_record_parse(&side->scratch, a->record, a->length, &side->record, err) < 0)
		return -1;
	if (json_read(&side->doc, side->record.body.text, side->record.body.length, &fault))
		return 0;
	error_set(err, EXIT_CODE_FAILED, "#%llu is not JSON: %s", (unsigned long long)a->number, fault.reason);
	return error_hint(err, "'show %llu' shows where", (unsigned long long)a->number);
}

static void close_side(struct side *side)
{
	json_doc_release(&side->doc);
	capture_scratch_release(&side->scratch);
}

int shell_diff(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct terminal *t = s->context->terminal;
	struct comparison c = { .json = call->options->json, .color = t->color_out };
	const struct history_entry *a = shell_arrival_named(s, call->operands->items[0], err);
	const struct history_entry *b = a ? shell_arrival_named(s, call->operands->items[1], err) : NULL;
	int code = -1;
	if (!b)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		capture_scratch_init(&c.sides[i].scratch);
		json_doc_init(&c.sides[i].doc);
	}
	if (open_side(&c.sides[0], a, err) == 0 && open_side(&c.sides[1], b, err) == 0) {
		compare(&c, 0, 0);
		code = c.failed || c.out.failed ? error_no_memory(err) : EXIT_CODE_OK;
	}
	if (code == EXIT_CODE_OK) {
		terminal_write(t, buffer_text(&c.out), c.out.length);
		terminal_flush(t);
		terminal_note(t, "#%llu and #%llu: %zu difference%s", (unsigned long long)a->number,
		              (unsigned long long)b->number, c.differences, c.differences == 1 ? "" : "s");
	}
	close_side(&c.sides[0]);
	close_side(&c.sides[1]);
	buffer_release(&c.out);
	buffer_release(&c.pointer);
	return code;
}
