#include "json/pointer.h"

#include "base/utf8.h"
#include "json/unescape.h"

#include <string.h>

bool json_pointer_is_valid(const char *pointer)
{
	size_t length = strlen(pointer);
	if ((length > 0 && *pointer != '/') || utf8_first_invalid(pointer, length) < length)
		return false;
	for (const char *tilde = strchr(pointer, '~'); tilde; tilde = strchr(tilde + 1, '~'))
		if (tilde[1] != '0' && tilde[1] != '1')
			return false;
	return true;
}

bool json_pointer_take_part(const char **pointer, struct json_pointer_part *part)
{
	if (**pointer == '\0')
		return false;
	part->text = *pointer + 1;
	part->length = strcspn(part->text, "/");
	*pointer = part->text + part->length;
	return true;
}

bool json_pointer_part_index(const struct json_pointer_part *part, size_t *index)
{
	if (part->length == 0 || part->length > 10 || (part->text[0] == '0' && part->length > 1))
		return false;
	size_t value = 0;
	for (size_t i = 0; i < part->length; i++) {
		if (part->text[i] < '0' || part->text[i] > '9')
			return false;
		value = value * 10 + (size_t)(part->text[i] - '0');
	}
	*index = value;
	return true;
}

void json_pointer_decode_part(const struct json_pointer_part *part, struct buffer *out)
{
	for (size_t i = 0; i < part->length; i++) {
		if (part->text[i] == '~')
			buffer_append_byte(out, part->text[++i] == '0' ? '~' : '/');
		else
			buffer_append_byte(out, part->text[i]);
	}
}

bool json_pointer_part_is_key(const struct json_doc *doc, uint32_t key, const struct json_pointer_part *part)
{
	if (!memchr(part->text, '~', part->length))
		return json_string_is(doc, key, part->text, part->length);
	LOCAL_BUFFER name = BUFFER_INIT;
	json_pointer_decode_part(part, &name);
	return !name.failed && json_string_is(doc, key, buffer_text(&name), name.length);
}

uint32_t json_pointer_child(const struct json_doc *doc, uint32_t container, const struct json_pointer_part *part)
{
	uint32_t found = JSON_NONE;
	size_t index;
	if (doc->tokens[container].type != JSON_OBJECT)
		return json_pointer_part_index(part, &index) ? json_element(doc, container, index) : JSON_NONE;
	for (uint32_t key = container + 1; key < doc->tokens[container].next; key = doc->tokens[key + 1].next)
		if (json_pointer_part_is_key(doc, key, part))
			found = key + 1;
	return found;
}

uint32_t json_resolve(const struct json_doc *doc, const char *pointer)
{
	if (doc->count == 0 || !json_pointer_is_valid(pointer))
		return JSON_NONE;
	uint32_t at = 0;
	struct json_pointer_part part;
	while (at != JSON_NONE && json_pointer_take_part(&pointer, &part))
		at = json_pointer_child(doc, at, &part);
	return at;
}

void json_append_pointer_key(struct buffer *out, const char *key, size_t length)
{
	buffer_append_byte(out, '/');
	for (size_t done = 0; done < length;) {
		size_t plain = done;
		while (plain < length && key[plain] != '~' && key[plain] != '/')
			plain++;
		buffer_append(out, key + done, plain - done);
		if (plain < length)
			buffer_append(out, key[plain] == '~' ? "~0" : "~1", 2);
		done = plain + 1;
	}
}

void json_pointer_walk_init(struct json_pointer_walk *walk, const struct json_doc *doc)
{
	walk->doc = doc;
	walk->depth = 0;
}

/* Keeps the steps that the paths to the previous token and to this one share. */
static void find_path(struct json_pointer_walk *walk, uint32_t token)
{
	const struct json_token *tokens = walk->doc->tokens;
	for (; walk->depth > 0; walk->depth--) {
		uint32_t container = walk->steps[walk->depth - 1].container;
		if (token > container && token < tokens[container].next)
			break;
	}
	/* In the innermost shared container the path may now go through a later child. */
	uint32_t at = 0, child = JSON_NONE, index = 0;
	if (walk->depth > 0) {
		struct json_pointer_step *step = &walk->steps[--walk->depth];
		at = step->container;
		if (step->child <= token) {
			child = step->child;
			index = step->index;
		}
	}
	while (at != token) {
		bool in_object = tokens[at].type == JSON_OBJECT;
		if (child == JSON_NONE)
			child = in_object ? at + 2 : at + 1;
		for (; tokens[child].next <= token; index++)
			child = tokens[child].next + in_object;
		walk->steps[walk->depth++] = (struct json_pointer_step){ at, child, index };
		at = child;
		child = JSON_NONE;
		index = 0;
	}
}

/* Appends '/' and the key, but stops once `out` is longer than `end` bytes. */
static void append_key_token(const struct json_doc *doc, uint32_t key, size_t end, struct buffer *out)
{
	struct json_unescape u = json_unescape_begin(doc, key);
	int byte;
	buffer_append_byte(out, '/');
	while (out->length <= end && (byte = json_unescape_next(&u)) >= 0) {
		if (byte == '~' || byte == '/')
			buffer_append(out, byte == '~' ? "~0" : "~1", 2);
		else
			buffer_append_byte(out, (char)byte);
		if (out->failed)
			return;
	}
}

bool json_pointer_walk_append(struct json_pointer_walk *walk, uint32_t token, size_t most, struct buffer *out)
{
	const struct json_doc *doc = walk->doc;
	size_t start = out->length, end = most < SIZE_MAX - start ? start + most : SIZE_MAX;
	if (token >= doc->count)
		return true;
	if (doc->tokens[token].flags & JSON_KEY)
		token++;
	find_path(walk, token);
	for (unsigned i = 0; out->length <= end && i < walk->depth; i++) {
		const struct json_pointer_step *step = &walk->steps[i];
		if (doc->tokens[step->container].type == JSON_OBJECT)
			append_key_token(doc, step->child - 1, end, out);
		else
			buffer_printf(out, "/%u", (unsigned)step->index);
	}
	if (out->length <= end)
		return true;
	/* Cut before a character, and before an escape. */
	while (end > start && ((out->data[end] & 0xC0) == 0x80 || out->data[end - 1] == '~'))
		end--;
	buffer_consume_end(out, out->length - end);
	return false;
}
