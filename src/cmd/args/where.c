#include "cmd/args/where.h"

#include "base/buffer.h"
#include "base/find.h"
#include "base/quoted.h"
#include "base/shell_text.h"
#include "catalog/catalog.h"
#include "json/pointer.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

static bool is_event(const char *word)
{
	struct catalog_kind kind;
	return strspn(word, "0123456789") == 0 && catalog_find_kind(word, &kind, NULL) == CATALOG_FOUND;
}

/* What filters of other tools look like would be taken for the value, and match nothing. */
static int refuse_spelling(const char *text, const char *sign, struct error *err)
{
	bool is_equal = *sign == '=';
	const char *value = sign + (*sign == '!' ? 2 : 1), *next = strchr(value, ',');
	size_t length = strlen(value), path = (size_t)(sign - text), before = strspn(text, "$. ");
	bool is_quoted = *sign != '~' && length > 1 && strchr("'\"", value[0]) && value[length - 1] == value[0];
	bool is_list = is_equal && next && strncmp(next + 1, "details.", 8) == 0 && strchr(next, '=');
	while (path > before && text[path - 1] == ' ')
		path--;
	bool is_spaced = before > 0 || text + path < sign;
	if (!(is_equal && value[0] == '=') && !is_quoted && !is_list && !is_spaced)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not PATH=VALUE", text);
	LOCAL_BUFFER word = BUFFER_INIT, typed = BUFFER_INIT;
	if (is_list) {
		buffer_append_text(&typed, "--where ");
		shell_append_assignment(&typed, text, (size_t)(next - text));
		buffer_append_text(&typed, " --where ");
		shell_append_assignment(&typed, next + 1, strlen(next + 1));
		return error_hint(err, "write %s", buffer_text(&typed));
	}
	value += is_equal && value[0] == '=';
	value += strspn(value, " ");
	buffer_printf(&word, "%.*s%.*s%.*s", (int)(path - before), text + before, *sign == '!' ? 2 : 1, sign,
	              (int)(strlen(value) - 2 * (size_t)is_quoted), value + is_quoted);
	shell_append_assignment(&typed, buffer_text(&word), word.length);
	return error_hint(err, "write %s", buffer_text(&typed));
}

int where_add(void *field, const char *text, struct error *err)
{
	struct where_list *list = field;
	const char *at = strpbrk(text, "=!~");
	/* '!' alone is none; in a JSON Pointer, ~0 and ~1 belong to the path. */
	while (at && ((*at == '!' && at[1] != '=') || (*at == '~' && text[0] == '/' && (at[1] == '0' || at[1] == '1'))))
		at = strpbrk(at + 1, "=!~");
	struct buffer pointer = BUFFER_INIT;
	if (!at || at == text) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not PATH=VALUE, PATH!=VALUE or PATH~PART", text);
		return error_hint(err, "for example details.offCycle=true");
	}
	if (refuse_spelling(text, at, err) < 0)
		return -1;
	char *path = strndup(text, (size_t)(at - text));
	bool grown = ARRAY_ROOM(list->items, list->capacity, list->count + 1);
	int result = path && grown ? edit_place(path, &pointer, err) : error_no_memory(err);
	free(path);
	if (result < 0) {
		buffer_release(&pointer);
		return -1;
	}
	if (*at == '=' && strcmp(buffer_text(&pointer), "/event") == 0 && is_event(at + 1)) {
		buffer_release(&pointer);
		LOCAL_BUFFER name = BUFFER_INIT;
		shell_append(&name, at + 1, strlen(at + 1));
		error_set(err, EXIT_CODE_USAGE, "event is a number in payloads, not '%s'", at + 1);
		return error_hint(err, "write --events %s", buffer_text(&name));
	}
	struct where where = { .pointer = pointer.data, .is_shown = !quoted_hides(text, strlen(text)) };
	where.how = *at == '=' ? WHERE_IS : *at == '!' ? WHERE_IS_NOT : WHERE_CONTAINS;
	where.value = strdup(at + (where.how == WHERE_IS_NOT ? 2 : 1));
	list->items[list->count++] = where;
	return where.pointer && where.value ? 0 : error_no_memory(err);
}

void where_release(void *field)
{
	struct where_list *list = field;
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].pointer);
		free(list->items[i].value);
	}
	free(list->items);
	*list = (struct where_list){ NULL, 0, 0 };
}

void where_append(struct buffer *out, const struct where *where)
{
	static const char *const signs[] = { [WHERE_IS] = "=", [WHERE_IS_NOT] = "!=", [WHERE_CONTAINS] = "~" };
	edit_append_path(where->pointer, out);
	buffer_printf(out, "%s%s", signs[where->how], where->value);
}

bool where_value(const struct json_doc *doc, const char *pointer, struct buffer *out)
{
	uint32_t token = json_resolve(doc, pointer);
	if (token == JSON_NONE)
		return false;
	const struct json_token *t = &doc->tokens[token];
	if (t->type == JSON_STRING)
		json_string_decode(doc, token, out);
	else
		buffer_append(out, doc->text + t->start, t->end - t->start);
	return true;
}

bool where_is_code(const char *pointer)
{
	const struct catalog_member *member = NULL;
	for (size_t i = 0; !member && i < catalog_event_count; i++)
		member = edit_member(&catalog_events[i], pointer, NULL);
	return member && (member->field->privacy == CATALOG_CODE || member->field->privacy == CATALOG_PLAIN);
}

bool where_holds(const struct where *where, const struct json_doc *doc, struct buffer *value)
{
	size_t length = strlen(where->value);
	buffer_clear(value);
	if (!where_value(doc, where->pointer, value))
		return where->how == WHERE_IS_NOT;
	if (where->how == WHERE_CONTAINS)
		return length == 0 || find_text(buffer_text(value), value->length, where->value, length) != NULL;
	bool equal = value->length == length && memcmp(buffer_text(value), where->value, length) == 0;
	return equal == (where->how == WHERE_IS);
}

bool where_matches(const struct where_list *list, const struct json_doc *doc, struct buffer *value)
{
	for (size_t i = 0; i < list->count; i++)
		if (!where_holds(&list->items[i], doc, value))
			return false;
	return true;
}
