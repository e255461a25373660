#include "json/print.h"

#include "base/utf8.h"
#include "json/json_line.h"

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
	LOCAL_BUFFER text = BUFFER_INIT;
	json_string_decode(p->doc, token, &text);
	p->out->failed |= text.failed;
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

/* The key or element after this one, or the first after JSON_NONE; JSON_NONE behind the last. */
static uint32_t next_child(const struct printer *p, uint32_t container, uint32_t child)
{
	const struct json_token *tokens = p->doc->tokens;
	uint32_t in_object = tokens[container].type == JSON_OBJECT, end = tokens[container].next;
	uint32_t before = JSON_NONE, at = container + 1;
	if (in_object && p->style == JSON_REVERSED) {
		for (; at != child && at < end; at = tokens[at + 1].next)
			before = at;
		return before;
	}
	if (child != JSON_NONE)
		at = tokens[child + in_object].next;
	return at < end ? at : JSON_NONE;
}

/* Recursive, limited by JSON_DEPTH_MAX. */
static void print(struct printer *p, uint32_t token)
{
	const struct json_token *t = &p->doc->tokens[token];
	uint32_t in_object = t->type == JSON_OBJECT;
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
	for (uint32_t child = next_child(p, token, JSON_NONE); child != JSON_NONE;) {
		print_line(p);
		if (in_object) {
			print_string(p, child);
			buffer_append_text(p->out, p->style == JSON_PRETTY ? ": " : ":");
		}
		print(p, child + in_object);
		child = next_child(p, token, child);
		if (child != JSON_NONE)
			buffer_append_byte(p->out, ',');
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
	if (!json_read(&doc, text, length, &fault))
		return false;
	json_print(&doc, 0, JSON_PRETTY, out);
	return true;
}

/* The value at the key of another document's object. */
static uint32_t same_member(const struct json_doc *doc, uint32_t object, const struct json_doc *other, uint32_t key,
                            struct buffer *name)
{
	buffer_clear(name);
	json_string_decode(other, key, name);
	return json_member(doc, object, buffer_text(name), name->length);
}

/* `target`: what is patched, JSON_NONE: nothing is there. Recursive, limited by JSON_DEPTH_MAX. */
static void merge(const struct json_doc *doc, uint32_t target, const struct json_doc *patch, uint32_t token,
                  struct buffer *out)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	if (patch->tokens[token].type != JSON_OBJECT) {
		json_print(patch, token, JSON_COMPACT, out);
		return;
	}
	buffer_append_byte(out, '{');
	bool is_object = target != JSON_NONE && doc->tokens[target].type == JSON_OBJECT;
	for (uint32_t key = target + 1; is_object && key < doc->tokens[target].next; key = doc->tokens[key + 1].next) {
		uint32_t change = same_member(patch, token, doc, key, &name);
		if (change != JSON_NONE && patch->tokens[change].type == JSON_NULL)
			continue;
		json_line_comma(out);
		json_print(doc, key, JSON_COMPACT, out);
		buffer_append_byte(out, ':');
		if (change == JSON_NONE)
			json_print(doc, key + 1, JSON_COMPACT, out);
		else
			merge(doc, key + 1, patch, change, out);
	}
	for (uint32_t key = token + 1; key < patch->tokens[token].next; key = patch->tokens[key + 1].next) {
		bool is_new = same_member(doc, target, patch, key, &name) == JSON_NONE;
		/* Of duplicate keys the last counts. */
		bool is_last = json_member(patch, token, buffer_text(&name), name.length) == key + 1;
		if (!is_new || !is_last || patch->tokens[key + 1].type == JSON_NULL)
			continue;
		json_line_comma(out);
		json_print(patch, key, JSON_COMPACT, out);
		buffer_append_byte(out, ':');
		merge(doc, JSON_NONE, patch, key + 1, out);
	}
	buffer_append_byte(out, '}');
	out->failed |= name.failed;
}

void json_merge_patch(const struct json_doc *doc, const struct json_doc *patch, struct buffer *out)
{
	merge(doc, 0, patch, 0, out);
}
