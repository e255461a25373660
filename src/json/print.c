#include "json/print.h"

#include "base/utf8.h"
#include "json/json_line.h"

#include <stdlib.h>

struct printer {
	const struct json_doc *doc;
	struct buffer *out;
	enum json_style style;
	size_t depth;
};

static void print_line(struct printer *p)
{
	if (p->style != JSON_PRETTY)
		return;
	buffer_append_byte(p->out, '\n');
	buffer_append_repeat(p->out, ' ', 2 * p->depth);
}

static void print_string(struct printer *p, uint32_t token)
{
	LOCAL_BUFFER text = BUFFER_FOR(p->out);
	json_string_decode(p->doc, token, &text);
	if (p->style != JSON_ESCAPED_STRINGS) {
		json_append_string(p->out, buffer_text(&text), text.length);
		return;
	}
	buffer_append_byte(p->out, '"');
	for (size_t at = 0; at < text.length;) {
		uint32_t code_point;
		at += utf8_decode(text.data + at, text.length - at, &code_point);
		json_append_escape(p->out, code_point);
	}
	buffer_append_byte(p->out, '"');
}

static void print(struct printer *p, uint32_t token);

/* A key with its value, or an element. */
static void print_child(struct printer *p, uint32_t child, bool is_key, bool is_first)
{
	if (!is_first)
		buffer_append_byte(p->out, ',');
	print_line(p);
	if (is_key) {
		print_string(p, child);
		buffer_append_text(p->out, p->style == JSON_PRETTY ? ": " : ":");
	}
	print(p, child + is_key);
}

/* Recursive, limited by JSON_DEPTH_MAX. */
static void print(struct printer *p, uint32_t token)
{
	const struct json_token *tokens = p->doc->tokens, *t = &tokens[token];
	bool in_object = t->type == JSON_OBJECT;
	if (t->type == JSON_STRING) {
		print_string(p, token);
		return;
	}
	if (t->type < JSON_STRING) {
		buffer_append(p->out, p->doc->text + t->start, t->end - t->start);
		return;
	}
	p->depth++;
	buffer_append_byte(p->out, in_object ? '{' : '[');
	if (in_object && p->style == JSON_REVERSED) {
		size_t count = 0;
		uint32_t *keys = calloc((t->next - token) / 2 + 1, sizeof *keys); /* each has a value */
		buffer_fail_if(p->out, !keys);
		for (uint32_t key = token + 1; keys && key < t->next; key = tokens[key + 1].next)
			keys[count++] = key;
		for (size_t i = count; keys && i > 0; i--)
			print_child(p, keys[i - 1], true, i == count);
		free(keys);
	} else {
		for (uint32_t child = token + 1; child < t->next; child = tokens[child + in_object].next)
			print_child(p, child, in_object, child == token + 1);
	}
	p->depth--;
	if (t->next > token + 1)
		print_line(p);
	buffer_append_byte(p->out, in_object ? '}' : ']');
}

void json_print(const struct json_doc *doc, uint32_t token, enum json_style style, struct buffer *out)
{
	struct printer p = { .doc = doc, .out = out, .style = style };
	print(&p, token);
}

bool json_pretty(const char *text, size_t length, struct buffer *out)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	if (json_read(&doc, text, length, &fault))
		json_print(&doc, 0, JSON_PRETTY, out);
	else
		buffer_fail_if(out, json_fault_is_memory(&fault));
	return doc.count > 0 && !out->failed;
}

/* `target`: what is patched, JSON_NONE: nothing is there. Recursive, limited by JSON_DEPTH_MAX. */
static void merge(const struct json_doc *doc, uint32_t target, const struct json_doc *patch, uint32_t token,
                  struct buffer *out)
{
	if (patch->tokens[token].type != JSON_OBJECT) {
		json_print(patch, token, JSON_COMPACT, out);
		return;
	}
	size_t count = 0;
	struct json_pair *pairs =
	        json_pair_members((const struct json_doc *[]){ doc, patch }, (uint32_t[]){ target, token }, &count);
	buffer_fail_if(out, !pairs);
	buffer_append_byte(out, '{');
	for (size_t i = 0; i < count; i++) {
		uint32_t key = pairs[i].keys[0], change = pairs[i].keys[1];
		bool is_new = key == JSON_NONE;
		if (change != JSON_NONE && patch->tokens[change + 1].type == JSON_NULL)
			continue;
		json_line_comma(out);
		json_print(is_new ? patch : doc, is_new ? change : key, JSON_COMPACT, out);
		buffer_append_byte(out, ':');
		if (change == JSON_NONE)
			json_print(doc, key + 1, JSON_COMPACT, out);
		else
			merge(doc, is_new ? JSON_NONE : key + 1, patch, change + 1, out);
	}
	buffer_append_byte(out, '}');
	free(pairs);
}

void json_merge_patch(const struct json_doc *doc, const struct json_doc *patch, struct buffer *out)
{
	merge(doc, 0, patch, 0, out);
}
