/* Which facts the response itself names, or the log: `Key (code)=(sample) already exists`, `KeyError: 'path'`. */
#include "base/ascii.h"
#include "cause/cause_internal.h"
#include "json/pointer.h"

#include <string.h>

#define UNQUOTED_LEAST 6 /* characters of a value that says something without quotes */
#define VALUE_LEAST    3

static bool is_in_word(char c)
{
	return ascii_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Where the name ends that begins there, in any spelling of columns and variables: enrollment_code for enrollmentCode.
 * NULL: another one is there. */
static const char *end_of(const char *at, const char *name)
{
	for (; *name; name++, at++) {
		while ((*at == '_' || *at == '-') && *at != *name)
			at++;
		if (ascii_lower(*at) != ascii_lower(*name))
			return NULL;
	}
	return is_in_word(*at) ? NULL : at;
}

/* Whether it is part of a path or the name of a file rather than a word. */
static bool is_of_file(const char *text, const char *at, const char *end)
{
	return (at > text && at[-1] == '/') || *end == '/' || (*end == '.' && is_in_word(end[1]));
}

static bool names_member(const char *text, const char *name)
{
	for (const char *at = text; *at; at++) {
		bool begins = is_in_word(*at) && (at == text || !is_in_word(at[-1]));
		const char *end = begins ? end_of(at, name) : NULL;
		if (end && !is_of_file(text, at, end))
			return true;
	}
	return false;
}

static bool is_quote(char c)
{
	return c != '\0' && strchr("'\"`()[]<>=", c) != NULL;
}

/* A short one is a word as any other, unless it stands in quotes; a part of a path says where it came. */
static bool names_value(const char *text, const char *value, size_t length)
{
	for (const char *at = text; length >= VALUE_LEAST && (at = strstr(at, value)) != NULL; at++) {
		char before = at > text ? at[-1] : '\0', behind = at[length];
		bool is_quoted = is_quote(before) && is_quote(behind);
		bool is_word = !is_in_word(before) && !is_in_word(behind) && !is_of_file(text, at, at + length);
		if (is_quoted || (length >= UNQUOTED_LEAST && is_word))
			return true;
	}
	return false;
}

/* Whether the value of the body there stands in the text. */
static bool names_value_at(const char *text, const struct row *row, const char *pointer)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	if (!row->body || !json_read(&doc, row->body, row->length, NULL))
		return false;
	uint32_t token = json_resolve(&doc, pointer);
	if (json_is(&doc, token, JSON_STRING))
		json_string_decode(&doc, token, &value);
	else if (json_is(&doc, token, JSON_NUMBER))
		buffer_append(&value, doc.text + doc.tokens[token].start,
		              doc.tokens[token].end - doc.tokens[token].start);
	return !value.failed && names_value(text, buffer_text(&value), value.length);
}

static bool names(const char *text, const struct row *row, const struct fact *fact)
{
	const char *slash = strrchr(fact->subject, '/');
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (fact->keys >> key & 1 &&
		    (names_member(text, fact_key_name(key)) || names_value_at(text, row, fact_key_pointer(key))))
			return true;
	if (!slash || slash[1] == '\0')
		return false;
	return names_member(text, slash + 1) || names_value_at(text, row, fact->subject) ||
	       (fact->kind == FACT_SEGMENT && names_value(text, fact->value, strlen(fact->value)));
}

bool said_names(const struct cause_finder *f, const struct bits *part, const struct fact *fact)
{
	size_t first = 0;
	while (first < f->rows.count && !(bits_have(part, first) && !f->rows.list[first].is_asked))
		first++;
	if (first == f->rows.count)
		return false;
	const struct row *row = &f->rows.list[first];
	return names(row->words, row, fact) || (row->log && names(row->log, row, fact));
}
