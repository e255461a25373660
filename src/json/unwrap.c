#include "json/unwrap.h"

#include "base/find.h"
#include "json/scan.h"

#include <string.h>

#define NAME_SHOWN_MAX 60
#define INTO           " FILE > FILE.ndjson"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

/* How many of the names the members of an object have. */
static int count_names(const struct json_doc *doc, uint32_t token, const char *const names[2])
{
	return (json_member(doc, token, names[0], strlen(names[0])) != JSON_NONE) +
	       (json_member(doc, token, names[1], strlen(names[1])) != JSON_NONE);
}

/* Whether the value is a string with an object in it. */
static bool is_quoted(const struct json_doc *doc, uint32_t value)
{
	return json_is(doc, value, JSON_STRING) && doc->text[doc->tokens[value].start + 1] == '{';
}

bool json_names_key(const struct json_doc *doc, const char *name)
{
	const char *at = doc->text, *end = doc->text + doc->length;
	size_t length = strlen(name);
	while ((at = find_text(at, (size_t)(end - at), name, length)) != NULL) {
		bool begins = at > doc->text && at[-1] == '"';
		at += length;
		const char *after = at + (at < end && *at == '\\');
		if (!begins || after == end || *after != '"')
			continue;
		after = json_skip_space(after + 1, end);
		if (after < end && *after == ':')
			return true;
	}
	return false;
}

/* The same of a string that is an object, as far as its text shows. */
static int count_quoted_names(const struct json_doc *doc, uint32_t value, const char *const names[2])
{
	const struct json_token *t = &doc->tokens[value];
	const char *text = doc->text + t->start;
	if (!is_quoted(doc, value))
		return 0;
	return (find_text(text, t->end - t->start, names[0], strlen(names[0])) != NULL) +
	       (find_text(text, t->end - t->start, names[1], strlen(names[1])) != NULL);
}

/* Appends the line of jq that applies the filter to each document, or to those of many that it is for. */
static void append_line(struct buffer *out, enum json_depth depth, const char *filter, const char *filter_of_some)
{
	const char *quote = depth != JSON_WHOLE || strpbrk(filter, "|[\"") ? "'" : "";
	if (depth == JSON_WHOLE)
		buffer_printf(out, ": jq -c %s%s%s" INTO, quote, filter, quote);
	else if (depth != JSON_RECEIVED)
		buffer_printf(out, ": jq -c '(%s) // .'" INTO, filter_of_some);
}

/* Appends what to do about the value of a key, which KEY stands for. False: the key is not one to be typed, and nothing
 * was appended. */
static bool append_member(const struct json_doc *doc, uint32_t key, enum json_depth depth, struct buffer *out,
                          struct text *found)
{
	const char *name = doc->text + doc->tokens[key].start + 1;
	size_t length = doc->tokens[key].end - doc->tokens[key].start - 2, same = strspn(name, letters);
	bool is_word = same >= length && (name[0] < '0' || name[0] > '9'), quoted = is_quoted(doc, key + 1);
	const char *mark = is_word ? "" : "\"";
	LOCAL_BUFFER filter = BUFFER_FOR(out), of_some = BUFFER_FOR(out);
	if (length == 0 || length > NAME_SHOWN_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] < ' ' || name[i] > '~' || name[i] == '\'' || name[i] == '\\')
			return false;
	*found = (struct text){ name, length };
	buffer_append_text(out, "the payload is in \"KEY\"");
	buffer_printf(&filter, ".%sKEY%s%s", mark, mark, quoted ? "|fromjson" : "");
	buffer_printf(&of_some, ".%sKEY%s?|%s", mark, mark, quoted ? "fromjson?" : "objects");
	append_line(out, depth, buffer_text(&filter), buffer_text(&of_some));
	return true;
}

void json_append_unwrap(const struct json_doc *doc, const char *const names[2], enum json_depth depth,
                        struct buffer *out, struct text *key)
{
	const struct json_token *tokens = doc->tokens;
	bool is_file = depth != JSON_RECEIVED;
	LOCAL_BUFFER deep = BUFFER_FOR(out);
	*key = (struct text){ 0 };
	if (doc->count == 0)
		return;
	/* One of the names may be another thing's: what has both is the payload. */
	for (int wanted = 2; wanted > 0 && json_is(doc, 0, JSON_OBJECT); wanted--)
		for (uint32_t at = 1; at < tokens[0].next; at = tokens[at + 1].next)
			if (count_quoted_names(doc, at + 1, names) + count_names(doc, at + 1, names) == wanted &&
			    append_member(doc, at, depth, out, key))
				return;
	if (count_quoted_names(doc, 0, names) > 0) {
		buffer_append_text(out, is_file ? "the payload is in the string"
		                                : "the body was encoded twice: it is a string with the payload in it");
		append_line(out, depth, "fromjson", "strings|fromjson?");
	} else if (count_names(doc, json_element(doc, 0, 0), names) > 0) {
		buffer_append_text(out, is_file ? "split the array into one payload per line"
		                                : "the body is an array: each notification has a request of its own");
		append_line(out, depth, ".[]", "arrays|.[]");
	} else if (json_names_key(doc, names[0]) && json_names_key(doc, names[1])) {
		buffer_append_text(out, is_file ? "take the payloads out" : "there are payloads deeper in the body");
		buffer_printf(&deep, "..|., (strings|fromjson?)|objects|select(.%s and .%s)", names[0], names[1]);
		append_line(out, depth, buffer_text(&deep), buffer_text(&deep));
	}
}
